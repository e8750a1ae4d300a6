/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/loop_width.h"

#include "analyse/loop/loop_start.h"
#include "base/vec.h"

#include <string.h>

enum {
    FLAGS_REGISTER = 9, /* PERF_REG_X86_FLAGS */
    TURNS_AHEAD = 64,   /* of the widest vector of bytes */
};

struct sight { /* one loop while it is judged */
    const struct loop_path *path;
    struct loop_width width;
};

static const struct instruction *row_at(const struct sight *sight, uint32_t position)
{
    return &sight->path->all[sight->path->rows[position]];
}

static bool begins(const char *mnemonic, const char *prefix)
{
    return strncmp(mnemonic, prefix, strlen(prefix)) == 0;
}

static bool is_one_of(const char *mnemonic, const char *const *names, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (strcmp(mnemonic, names[at]) == 0)
            return true;
    return false;
}

/* Integer instructions of general registers that vectors have, too. */
static bool has_vector_form(const struct instruction *row)
{
    static const char *const names[] = {"mov",  "movzx", "movsx", "movsxd", "lea",     "add",   "sub", "inc", "dec",
                                        "and",  "or",    "xor",   "not",    "neg",     "shl",   "sal", "shr", "sar",
                                        "imul", "cmp",   "test",  "nop",    "endbr64", "bswap", "rol", "ror", "andn",
                                        "cwde", "cdqe"};
    return is_one_of(row->mnemonic, names, array_count(names)) || begins(row->mnemonic, "cmov") ||
           begins(row->mnemonic, "set");
}

/* Vector instructions without wider ones that do the same beside one another. */
static bool is_lone_vector(const struct instruction *row)
{
    static const char *const parts[] = {"cmpestr", "cmpistr", "phminposuw", "movmsk"};
    for (size_t at = 0; at < array_count(parts); at++)
        if (strstr(row->mnemonic, parts[at]))
            return true;
    return row->class == INSTRUCTION_CRYPTO || row->class == INSTRUCTION_SCATTER || row->class == INSTRUCTION_GATHER;
}

static bool is_closing(const struct sight *sight, uint32_t position)
{
    return position + 1 == sight->path->count;
}

static enum loop_obstacle row_obstacle(const struct sight *sight, uint32_t position)
{
    const struct instruction *row = row_at(sight, position);
    if (!row->mnemonic || row->class == INSTRUCTION_BAD)
        return LOOP_UNTOLD;
    switch (row->class) {
    case INSTRUCTION_BRANCH:
        return is_closing(sight, position) ? LOOP_FREE : LOOP_BRANCHES;
    case INSTRUCTION_JUMP:
    case INSTRUCTION_RETURN:
        return LOOP_BRANCHES;
    case INSTRUCTION_CALL:
        return LOOP_CALLS;
    case INSTRUCTION_ATOMIC:
    case INSTRUCTION_BARRIER:
    case INSTRUCTION_SYSTEM:
    case INSTRUCTION_STRING:
    case INSTRUCTION_DIV:
    case INSTRUCTION_FP_DIV:
        return LOOP_NO_FORM;
    case INSTRUCTION_NOP:
    case INSTRUCTION_PREFETCH:
        return LOOP_FREE;
    default:
        break;
    }
    if (row->divides || (row->vector_bits ? is_lone_vector(row) : !has_vector_form(row)))
        return LOOP_NO_FORM;
    return LOOP_FREE;
}

/* ---- where its operands lie ---- */

static bool touches_memory(const struct instruction *row)
{
    return row->memory.is_present && (row->is_load || row->is_store) && row->class != INSTRUCTION_PREFETCH;
}

static bool same_walk(const struct loop_address *a, const struct loop_address *b)
{
    return a->known && b->known && a->base == b->base && a->index == b->index && a->scale == b->scale &&
           a->segment == b->segment && a->step == b->step;
}

/* A step is no longer than what a turn touches there: nothing is left out. */
static bool follows_on(const struct sight *sight, uint32_t position)
{
    const struct loop_address *here = &sight->path->addresses[position];
    uint64_t touched = 0, step = (uint64_t)(here->step < 0 ? -here->step : here->step);
    for (uint32_t at = 0; at < sight->path->count; at++)
        if (touches_memory(row_at(sight, at)) && same_walk(here, &sight->path->addresses[at]))
            touched += sight->path->addresses[at].size_bytes;
    return step <= touched;
}

static bool overlap(int64_t a, uint32_t a_bytes, int64_t b, uint32_t b_bytes)
{
    return a < b + (int64_t)b_bytes && b < a + (int64_t)a_bytes;
}

/* What is stored here is loaded again: later in this turn, or in one of the next. */
static bool is_loaded_again(const struct sight *sight, uint32_t store)
{
    const struct loop_address *to = &sight->path->addresses[store];
    for (uint32_t at = 0; at < sight->path->count; at++) {
        const struct loop_address *from = &sight->path->addresses[at];
        if (!row_at(sight, at)->is_load || !touches_memory(row_at(sight, at)) || !same_walk(to, from))
            continue;
        for (int64_t turn = at > store ? 0 : 1; turn <= TURNS_AHEAD; turn++)
            if (overlap(from->offset + turn * from->step, from->size_bytes, to->offset, to->size_bytes))
                return true;
    }
    return false;
}

static enum loop_obstacle memory_obstacle(const struct sight *sight)
{
    uint32_t walks = 0;
    for (uint32_t at = 0; at < sight->path->count; at++) {
        const struct instruction *row = row_at(sight, at);
        const struct loop_address *address = &sight->path->addresses[at];
        if (!touches_memory(row))
            continue;
        if (!address->known || !address->steps || !address->size_bytes)
            return LOOP_SCATTERED;
        if (!address->step && row->is_store)
            return LOOP_STORED;
        if (address->step && !follows_on(sight, at))
            return LOOP_SCATTERED;
        if (row->is_store && is_loaded_again(sight, at))
            return LOOP_STORED;
        walks += address->step != 0;
    }
    return walks ? LOOP_FREE : LOOP_NO_WORK;
}

/* ---- what goes from turn to turn ---- */

/* Results that come out the same in any order: of one family each, since x + a ^ b does not. */
enum family { FAMILY_NONE, FAMILY_SUM, FAMILY_OR, FAMILY_AND, FAMILY_XOR, FAMILY_LEAST, FAMILY_MOST };

static const struct {
    const char *name, *ends; /* one letter of these follows a vector's; "": nothing does */
    enum family family;
    bool takes_off;          /* what it takes off must not be the result itself */
} summing[] = {
    {"add", "", FAMILY_SUM, false},
    {"sub", "", FAMILY_SUM, true},
    {"or", "", FAMILY_OR, false},
    {"and", "", FAMILY_AND, false},
    {"xor", "", FAMILY_XOR, false},
    {"padd", "bwdq", FAMILY_SUM, false},
    {"psub", "bwdq", FAMILY_SUM, true},
    {"por", "dq", FAMILY_OR, false},
    {"por", "", FAMILY_OR, false},
    {"pand", "dq", FAMILY_AND, false},
    {"pand", "", FAMILY_AND, false},
    {"pxor", "dq", FAMILY_XOR, false},
    {"pxor", "", FAMILY_XOR, false},
    {"pmaxs", "bwdq", FAMILY_MOST, false},
    {"pmaxu", "bwdq", FAMILY_MOST, false},
    {"pmins", "bwdq", FAMILY_LEAST, false},
    {"pminu", "bwdq", FAMILY_LEAST, false},
    {"adds", "sd", FAMILY_SUM, false},
    {"addp", "sd", FAMILY_SUM, false},
    {"subs", "sd", FAMILY_SUM, true},
    {"subp", "sd", FAMILY_SUM, true},
    {"maxs", "sd", FAMILY_MOST, false},
    {"maxp", "sd", FAMILY_MOST, false},
    {"mins", "sd", FAMILY_LEAST, false},
    {"minp", "sd", FAMILY_LEAST, false},
    {"orp", "sd", FAMILY_OR, false},
    {"andp", "sd", FAMILY_AND, false},
    {"xorp", "sd", FAMILY_XOR, false},
    {"fmadd231s", "sd", FAMILY_SUM, false},
    {"fmadd231p", "sd", FAMILY_SUM, false},
    {"fnmadd231s", "sd", FAMILY_SUM, false},
    {"fnmadd231p", "sd", FAMILY_SUM, false},
    {"pdpbus", "d", FAMILY_SUM, false},
    {"pdpwss", "d", FAMILY_SUM, false},
};

static bool is_named(const char *mnemonic, const char *name, const char *ends)
{
    const char *rest = begins(mnemonic, name) ? mnemonic + strlen(name) : NULL;
    return rest && (ends[0] ? rest[0] && strchr(ends, rest[0]) && !rest[1] : !rest[0]);
}

/* The family by which a row takes something else into the register that it writes. */
static enum family family_of(const struct instruction *row)
{
    if (!row->mnemonic)
        return FAMILY_NONE;
    const char *name = row->mnemonic[0] == 'v' ? row->mnemonic + 1 : row->mnemonic;
    bool once = row->own_places && !(row->own_places & (row->own_places - 1));
    for (size_t at = 0; at < array_count(summing); at++)
        if (is_named(name, summing[at].name, summing[at].ends))
            return once && !(summing[at].takes_off && row->own_places > 2) ? summing[at].family : FAMILY_NONE;
    return FAMILY_NONE;
}

/* The results of one kind of registers that a row reads and writes. */
struct results_used {
    uint64_t reads, writes;
};

static struct results_used used_by(const struct instruction *row, bool vectors)
{
    if (vectors)
        return (struct results_used){row->vector_reads, row->vector_writes};
    uint64_t flags = (uint64_t)1 << FLAGS_REGISTER;
    return (struct results_used){row->reads & ~flags, row->writes & ~flags};
}

static bool addresses_by(const struct instruction *row, uint32_t number)
{
    return row->memory.is_present && (row->memory.base == number || row->memory.index == number);
}

/* The greatest or smallest so far: compared with what comes, and replaced by it. */
static bool only_chosen(const struct sight *sight, uint32_t number)
{
    bool chosen = false;
    for (uint32_t at = 0; at < sight->path->count; at++) {
        const struct instruction *row = row_at(sight, at);
        struct results_used used = used_by(row, false);
        bool reads = used.reads >> number & 1, writes = used.writes >> number & 1;
        if (!reads && !writes)
            continue;
        bool chooses = row->mnemonic && writes && begins(row->mnemonic, "cmov"),
             compares = row->mnemonic && !writes && strcmp(row->mnemonic, "cmp") == 0;
        if ((!chooses && !compares) || addresses_by(row, number))
            return false;
        chosen |= chooses;
    }
    return chosen;
}

/* A register that holds a sum is written and read by additions to it alone; and so for other families. */
static bool only_sums(struct sight *sight, uint32_t number, bool vectors)
{
    enum family family = FAMILY_NONE;
    if (!vectors && only_chosen(sight, number))
        return true;
    for (uint32_t at = 0; at < sight->path->count; at++) {
        const struct instruction *row = row_at(sight, at);
        struct results_used used = used_by(row, vectors);
        bool reads = used.reads >> number & 1, writes = used.writes >> number & 1;
        if (!reads && !writes)
            continue;
        enum family here = family_of(row);
        if (!reads || !writes || !here || (family && here != family) || (!vectors && addresses_by(row, number)))
            return false;
        family = here;
        sight->width.sums_fp |= vectors && row->is_fp;
        uint16_t bits = vectors ? 0 : row->operation_bits;
        sight->width.element_bits = bits > sight->width.element_bits ? bits : sight->width.element_bits;
    }
    return true;
}

static bool is_carried(const struct sight *sight, uint32_t number, bool vectors)
{
    for (uint32_t at = 0; at < sight->path->count; at++) {
        struct results_used used = used_by(row_at(sight, at), vectors);
        if (used.reads >> number & 1)
            return true; /* that something writes it is known */
        if (used.writes >> number & 1)
            return false;
    }
    return false;
}

static enum loop_obstacle carried_obstacle(struct sight *sight, bool vectors)
{
    uint64_t written = 0;
    for (uint32_t at = 0; at < sight->path->count; at++)
        written |= used_by(row_at(sight, at), vectors).writes;
    for (uint64_t left = written; left; left &= left - 1) {
        uint32_t number = (uint32_t)__builtin_ctzll(left);
        bool counts = !vectors && sight->path->step_known[number];
        if (!counts && is_carried(sight, number, vectors) && !only_sums(sight, number, vectors))
            return LOOP_CARRIED;
    }
    return LOOP_FREE;
}

/* The last comparison is of counters and of what stays as it is, not of what was loaded. */
static bool ends_by_count(const struct sight *sight)
{
    const struct loop_path *path = sight->path;
    for (uint32_t at = path->count; at-- > 0;) {
        const struct instruction *row = row_at(sight, at);
        if (!row->flags_written)
            continue;
        if (row->memory.is_present && !(path->addresses[at].steps && path->addresses[at].step == 0))
            return false;
        for (uint64_t left = (row->reads | row->writes) & ~((uint64_t)1 << FLAGS_REGISTER); left; left &= left - 1)
            if (!path->step_known[__builtin_ctzll(left)])
                return false;
        return true;
    }
    return false;
}

/* ---- how wide it is now ---- */

static void width_measure(struct sight *sight)
{
    struct loop_width *width = &sight->width;
    uint16_t vector = 0, number = 0;
    bool computes = false;
    for (uint32_t at = 0; at < sight->path->count; at++) {
        const struct instruction *row = row_at(sight, at);
        bool is_vector = row->vector_bits >= 128 && !row->is_scalar_fp;
        if (is_vector && row->vector_bits > vector)
            vector = row->vector_bits;
        width->is_fp |= row->is_fp;
        computes |= is_vector && row->class != INSTRUCTION_LOAD && row->class != INSTRUCTION_STORE &&
                    row->class != INSTRUCTION_MOVE;
        if (touches_memory(row) && sight->path->addresses[at].step && row->memory.size_bytes * 8 > number)
            number = (uint16_t)(row->memory.size_bytes * 8);
    }
    if (number > width->element_bits)
        width->element_bits = number;
    /* converts or gathers numbers one by one into a vector: not told */
    bool one = !vector || width->element_bits <= 64;
    width->bits = vector ? vector : width->element_bits;
    if (vector && one && width->obstacle == LOOP_FREE)
        width->obstacle = LOOP_UNTOLD;
    if (vector && !computes && width->obstacle == LOOP_FREE)
        width->obstacle = LOOP_NO_WORK;
    if (vector)
        width->element_bits = 0;
}

/* ---- how many turns there are ---- */

/* The row whose flags the last jump takes; NULL: there is none. */
static const struct instruction *closing_comparison(const struct sight *sight)
{
    for (uint32_t at = sight->path->count; at-- > 0;)
        if (row_at(sight, at)->flags_written)
            return row_at(sight, at);
    return NULL;
}

/* As many as lie between a counter's first value and the one that it is compared with; 0: not known. */
static uint64_t turns_of(const struct sight *sight, uint32_t head)
{
    const struct loop_path *path = sight->path;
    const struct instruction *last = closing_comparison(sight);
    uint64_t compared = last ? last->reads & ~((uint64_t)1 << FLAGS_REGISTER) : 0;
    uint8_t counter = REGISTER_NONE, fixed = REGISTER_NONE;
    if (!last || last->memory.is_present)
        return 0;
    for (uint64_t left = compared; left; left &= left - 1) {
        uint8_t number = (uint8_t)__builtin_ctzll(left);
        if (!path->step_known[number] || (path->step[number] ? counter : fixed) != REGISTER_NONE)
            return 0;
        *(path->step[number] ? &counter : &fixed) = number;
    }
    bool counts_down = counter != REGISTER_NONE && last->step_register == counter && fixed == REGISTER_NONE;
    if (counter == REGISTER_NONE || (fixed == REGISTER_NONE && !counts_down && !last->has_immediate))
        return 0;
    struct loop_start first = loop_start_of(path->all, head, counter),
                      end = fixed == REGISTER_NONE
                                ? (struct loop_start){true, REGISTER_NONE, counts_down ? 0 : last->immediate}
                                : loop_start_of(path->all, head, fixed);
    int64_t step = path->step[counter], way;
    if (!first.known || !end.known || first.from != end.from || __builtin_sub_overflow(end.sum, first.sum, &way) ||
        way == 0 || (way < 0) != (step < 0) || step == INT64_MIN || way == INT64_MIN)
        return 0;
    uint64_t long_way = (uint64_t)(way < 0 ? -way : way), stride = (uint64_t)(step < 0 ? -step : step);
    return long_way / stride + (long_way % stride != 0);
}

static void turns_measure(struct sight *sight, uint32_t head)
{
    uint64_t turns = turns_of(sight, head), bits = sight->width.bits;
    for (uint32_t at = 0; at < sight->path->count; at++) {
        int64_t step = touches_memory(row_at(sight, at)) ? sight->path->addresses[at].step : 0;
        uint64_t own = 8 * (uint64_t)(step < 0 ? -step : step);
        bits = own > bits ? own : bits;
    }
    sight->width.most_bits = turns && turns <= UINT32_MAX / (bits + 1) ? (uint32_t)(turns * bits) : 0;
}

struct loop_width loop_width_of(const struct instruction *rows, struct loop_rows loop, struct arena *arena)
{
    struct loop_path path = loop_path_of(rows, loop, NULL, arena);
    struct sight sight = {.path = &path};
    enum loop_obstacle *obstacle = &sight.width.obstacle;
    for (uint32_t at = 0; at < path.count && *obstacle == LOOP_FREE; at++)
        *obstacle = row_obstacle(&sight, at);
    if (*obstacle == LOOP_FREE)
        *obstacle = path.has_calls          ? LOOP_CALLS
                    : path.has_inner_loop   ? LOOP_NESTED
                    : !path.is_straight     ? LOOP_BRANCHES
                    : !path.is_closed       ? LOOP_UNTOLD
                    : path.wraps            ? LOOP_SCATTERED
                    : !ends_by_count(&sight) ? LOOP_BRANCHES
                                            : LOOP_FREE;
    /* What holds every turn comes before a branch: that may be turned into a choice between two results. */
    enum loop_obstacle held[] = {carried_obstacle(&sight, false), carried_obstacle(&sight, true),
                                 memory_obstacle(&sight)};
    for (size_t at = 0; at < array_count(held); at++)
        if (held[at] != LOOP_FREE && (*obstacle == LOOP_FREE || *obstacle == LOOP_BRANCHES))
            *obstacle = held[at];
    width_measure(&sight);
    turns_measure(&sight, loop.first);
    return sight.width;
}
