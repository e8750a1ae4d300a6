/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/loop_summary.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
    PREFIXES_MOST = 14,
    FLAGS_REGISTER = 9, /* PERF_REG_X86_FLAGS */
    ORIGIN_DEPTH = 4,   /* results behind results that are looked at for a load */
};

/* Beginnings of Intel's names, of vector instructions without the v before them; the first rule that fits counts. */
static const char *const prefixes[LOOP_WORK_COUNT][PREFIXES_MOST] = {
    [LOOP_WORK_FP_FUSED] = {"fmadd", "fmsub", "fnmadd", "fnmsub"},
    [LOOP_WORK_FP_PRODUCTS] = {"mulss", "mulsd", "mulps", "mulpd", "fmul", "dpps", "dppd"},
    [LOOP_WORK_FP_SUMS] = {"addss", "addsd", "addps", "addpd", "subss", "subsd", "subps", "subpd", "haddp", "hsubp",
                           "addsub", "fadd", "fsub"},
    [LOOP_WORK_FP_DIVISIONS] = {"divs", "divp", "sqrt", "rcp", "rsqrt", "fdiv", "fsqrt"},
    [LOOP_WORK_FP_ORDER] = {"ucomis", "comis", "cmpss", "cmpsd", "cmpps", "cmppd", "minss", "minsd", "minp", "maxss",
                            "maxsd", "maxp", "fcom", "fucom"},
    [LOOP_WORK_CONVERSIONS] = {"cvt", "round", "fild", "fist"},
    [LOOP_WORK_VECTOR_PRODUCTS] = {"pmul", "pmadd"},
    [LOOP_WORK_VECTOR_DIFFERENCES] = {"psadbw", "mpsadbw", "dbpsadbw"},
    [LOOP_WORK_VECTOR_SUMS] = {"padd", "psub", "phadd", "phsub"},
    [LOOP_WORK_VECTOR_ABSOLUTES] = {"pabs"},
    [LOOP_WORK_VECTOR_ORDER] = {"pmin", "pmax", "pcmp"},
    [LOOP_WORK_VECTOR_AVERAGES] = {"pavg"},
    [LOOP_WORK_VECTOR_SHIFTS] = {"psll", "psrl", "psra", "prol", "pror"},
    [LOOP_WORK_VECTOR_BITS] = {"pand", "por", "pxor", "pternlog", "ptest"},
    [LOOP_WORK_SHUFFLES] = {"pshuf", "punpck", "perm", "palign", "pack", "pblend", "shuf", "unpck"},
    [LOOP_WORK_CRYPTO] = {"aes", "sha1", "sha256", "sha512", "pclmul", "crc32"},
    [LOOP_WORK_DIVISIONS] = {"div", "idiv"},
    [LOOP_WORK_PRODUCTS] = {"imul", "mul"},
    [LOOP_WORK_ROTATIONS] = {"rol", "ror"},
    [LOOP_WORK_SHIFTS] = {"shl", "shr", "sal", "sar"},
    [LOOP_WORK_COUNTED_BITS] = {"popcnt", "tzcnt", "lzcnt", "bsf", "bsr", "pext", "pdep"},
    [LOOP_WORK_BITS] = {"and", "or", "xor", "not", "bt"},
    [LOOP_WORK_SUMS] = {"add", "sub", "adc", "sbb", "neg"},
    [LOOP_WORK_CHOICES] = {"cmov"},
};

static const char *plain_name(const struct instruction *row)
{
    return row->mnemonic + (row->mnemonic[0] == 'v');
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* What adds a constant to a register counts turns, or moves a pointer on. */
static bool is_count(const struct instruction *row)
{
    return row->step_register != REGISTER_NONE && row->step_by == REGISTER_NONE && !row->memory.is_present;
}

/* "xor %eax,%eax" makes a 0. */
static bool is_clearing(const struct instruction *row)
{
    bool reads = row->reads || row->vector_reads || row->memory.is_present;
    return !reads &&
           (begins(plain_name(row), "xor") || begins(plain_name(row), "pxor") || begins(row->mnemonic, "sub"));
}

/* LOOP_WORK_COUNT: none. */
static enum loop_work work_of(const struct instruction *row)
{
    bool logic_of_vectors = row->vector_bits && !begins(plain_name(row), "p");
    for (int work = 0; work < LOOP_WORK_COUNT && !is_count(row) && !is_clearing(row); work++)
        for (size_t at = 0; at < PREFIXES_MOST && prefixes[work][at]; at++)
            if (begins(plain_name(row), prefixes[work][at]))
                return work == LOOP_WORK_BITS && logic_of_vectors ? LOOP_WORK_VECTOR_BITS : (enum loop_work)work;
    return LOOP_WORK_COUNT;
}

/* By the letter that stands for it: of products the one of what is multiplied. */
static uint8_t element_bits_of(const struct instruction *row)
{
    const char *name = plain_name(row);
    size_t length = strlen(name);
    bool is_product = begins(name, "pmadd") || strcmp(name, "pmuldq") == 0 || strcmp(name, "pmuludq") == 0;
    char letter = begins(name, "pmaddubs") ? 'b'
                  : is_product && length   ? name[length - 2]
                  : length                 ? name[length - 1]
                                           : '\0';
    static const struct {
        char letter;
        uint8_t bits;
    } elements[] = {{'b', 8}, {'w', 16}, {'d', 32}, {'q', 64}};
    for (size_t at = 0; at < array_count(elements); at++)
        if (elements[at].letter == letter)
            return elements[at].bits;
    return 0;
}

static void work_add(struct loop_summary *summary, const struct instruction *row)
{
    enum loop_work work = row->mnemonic ? work_of(row) : LOOP_WORK_COUNT;
    if (work == LOOP_WORK_COUNT)
        return;
    bool has_elements = work >= LOOP_WORK_VECTOR_PRODUCTS && work <= LOOP_WORK_VECTOR_SHIFTS &&
                        work != LOOP_WORK_VECTOR_DIFFERENCES;
    uint8_t bits = has_elements ? element_bits_of(row) : 0;
    summary->element_bits[work] = !summary->work[work] || summary->element_bits[work] == bits ? bits : 0;
    summary->work[work]++;
}

static bool loads_data(const struct instruction *row, uint64_t frame)
{
    bool in_frame = row->memory.base < 64 && frame >> row->memory.base & 1;
    return row->is_load && row->memory.is_present && !in_frame;
}

struct origin {
    const struct loop_path *path;
    uint64_t frame;
};

static const struct instruction *row_at(const struct loop_path *path, uint32_t position)
{
    return &path->all[path->rows[position]];
}

/* Whether what a register holds at a place of the way was loaded, or computed of what was. Ways go round. */
static bool comes_from_load(const struct origin *origin, uint32_t position, uint8_t number, int depth)
{
    const struct loop_path *path = origin->path;
    if (number >= 64 || depth == 0 || path->step_known[number])
        return false;
    for (uint32_t back = 1; back <= path->count; back++) {
        uint32_t at = (position + path->count - back) % path->count;
        const struct instruction *row = row_at(path, at);
        if (!(row->writes >> number & 1))
            continue;
        if (loads_data(row, origin->frame))
            return true;
        for (uint64_t left = row->reads & ~(UINT64_C(1) << FLAGS_REGISTER); left; left &= left - 1)
            if (comes_from_load(origin, at, (uint8_t)__builtin_ctzll(left), depth - 1))
                return true;
        return false;
    }
    return false;
}

static enum loop_place place_of(const struct origin *origin, uint32_t position, int64_t *ret_step)
{
    const struct loop_address *address = &origin->path->addresses[position];
    const struct memory_operand *memory = &row_at(origin->path, position)->memory;
    *ret_step = address->steps ? address->step : 0;
    if (memory->has_vector_index)
        return LOOP_PLACE_LOADED;
    if (address->known && address->steps)
        return address->step ? LOOP_PLACE_STEPS : LOOP_PLACE_STAYS;
    bool led = comes_from_load(origin, position, memory->base, ORIGIN_DEPTH) ||
               comes_from_load(origin, position, memory->index, ORIGIN_DEPTH);
    return led ? LOOP_PLACE_LOADED : LOOP_PLACE_OTHER;
}

static bool is_alike(const struct loop_access *left, const struct loop_access *right)
{
    return left->place == right->place && left->is_load == right->is_load && left->is_store == right->is_store &&
           left->size_bytes == right->size_bytes && left->step == right->step;
}

/* Whether an access before it goes by the same registers. */
static bool is_met(const struct loop_path *path, uint32_t position)
{
    const struct memory_operand *memory = &row_at(path, position)->memory;
    for (uint32_t at = 0; at < position; at++) {
        const struct memory_operand *before = &row_at(path, at)->memory;
        if (before->is_present && before->base == memory->base && before->index == memory->index &&
            before->size_bytes == memory->size_bytes && row_at(path, at)->is_store == row_at(path, position)->is_store)
            return true;
    }
    return false;
}

static void access_add(struct loop_summary *summary, const struct origin *origin, uint32_t position)
{
    const struct instruction *row = row_at(origin->path, position);
    bool in_frame = row->memory.base < 64 && origin->frame >> row->memory.base & 1;
    if (!row->memory.is_present || in_frame || !(row->is_load || row->is_store))
        return;
    struct loop_access access = {
        .is_load = row->is_load,
        .is_store = row->is_store,
        .size_bytes = row->memory.size_bytes,
        .rows = 1,
        .places = !is_met(origin->path, position),
    };
    access.place = place_of(origin, position, &access.step);
    for (size_t at = 0; at < summary->access_count; at++)
        if (is_alike(&summary->accesses[at], &access)) {
            summary->accesses[at].rows++;
            summary->accesses[at].places += access.places;
            return;
        }
    if (summary->access_count < LOOP_ACCESSES_MOST)
        summary->accesses[summary->access_count++] = access;
}

static int access_compare(const void *a, const void *b)
{
    const struct loop_access *left = a, *right = b;
    if (left->rows != right->rows)
        return left->rows > right->rows ? -1 : 1;
    return (int)left->place - (int)right->place;
}

/* What wrote the flags that a branch reads compares, and something it compares was loaded. */
static bool is_by_loaded(const struct origin *origin, uint32_t position)
{
    for (uint32_t at = position; at-- > 0;) {
        const struct instruction *row = row_at(origin->path, at);
        if (!row->flags_written)
            continue;
        if (loads_data(row, origin->frame))
            return true;
        for (uint64_t left = row->reads & ~(UINT64_C(1) << FLAGS_REGISTER); left; left &= left - 1)
            if (comes_from_load(origin, at, (uint8_t)__builtin_ctzll(left), ORIGIN_DEPTH))
                return true;
        return false;
    }
    return false;
}

static enum loop_decision decision_at(const struct origin *origin, struct loop_rows loop, uint32_t position)
{
    const struct instruction *rows = origin->path->all, *branch = row_at(origin->path, position);
    if (branch->class != INSTRUCTION_BRANCH || !branch->mnemonic || !is_by_loaded(origin, position))
        return LOOP_DECIDES_NOTHING;
    bool leads_back = branch->target == rows[loop.first].addr;
    bool leaves = branch->target < rows[loop.first].addr || branch->target > rows[loop.last].addr;
    if (!leads_back && !leaves)
        return LOOP_BRANCHES_WITHIN;
    bool if_equal = strcmp(branch->mnemonic, "jz") == 0, if_not = strcmp(branch->mnemonic, "jnz") == 0;
    if (!if_equal && !if_not)
        return LOOP_ENDS_BY_ORDER;
    return if_equal == leads_back ? LOOP_GOES_ON_WHILE_EQUAL : LOOP_GOES_ON_UNTIL_EQUAL;
}

struct loop_summary loop_summary_of(const struct instruction *rows, struct loop_rows loop, const double *row_weights,
                                    uint64_t frame, struct arena *arena)
{
    struct loop_path path = loop_path_of(rows, loop, row_weights, arena);
    struct origin origin = {&path, frame};
    struct loop_summary summary = {
        .instructions = path.count, .has_calls = path.has_calls, .has_inner_loop = path.has_inner_loop};
    for (uint32_t at = 0; at < path.count; at++) {
        work_add(&summary, row_at(&path, at));
        access_add(&summary, &origin, at);
        enum loop_decision decision = decision_at(&origin, loop, at);
        bool says_more = decision != LOOP_DECIDES_NOTHING &&
                         (summary.decision == LOOP_DECIDES_NOTHING || decision < summary.decision);
        summary.decision = says_more ? decision : summary.decision;
    }
    if (summary.access_count)
        qsort(summary.accesses, summary.access_count, sizeof(*summary.accesses), access_compare);
    return summary;
}
