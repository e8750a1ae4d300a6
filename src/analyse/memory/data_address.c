/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/data_address.h"

#include "analyse/memory/common_divisor.h"
#include "base/cache_line.h"
#include "base/hashmap.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE_BYTES = 4096,
    STRIDE_PAIRS = 4096,      /* differences compared pairwise for their common divisor */
    STRIDE_CANDIDATES = 64,
    EXACT_IP = 1 << 14        /* PERF_RECORD_MISC_EXACT_IP */
};

static const double stride_share_least = 0.4, ascending_share_least = 0.75, fixed_share = 0.02;

const char *data_pattern_name(enum data_pattern pattern)
{
    static const char *const names[] = {"unknown", "fixed", "sequential", "strided", "irregular"};
    return (unsigned)pattern < array_count(names) ? names[pattern] : "unknown";
}

const char *data_refusal_name(enum data_refusal refusal)
{
    static const char *const names[] = {
        [REFUSED_NO_REGISTERS] = "no registers sampled",
        [REFUSED_NO_OPERAND] = "accesses no memory",
        [REFUSED_UNPLACED] = "stalled instruction not known",
        [REFUSED_SEGMENT] = "address has a segment base",
        [REFUSED_VECTOR_INDEX] = "gather or scatter",
        [REFUSED_HIDDEN_PART] = "address depends on more than its registers",
        [REFUSED_STACK] = "pushes or pops the stack",
        [REFUSED_CHANGED] = "changes a register of its own address",
    };
    _Static_assert(array_count(names) == REFUSED_REASON_COUNT, "every refusal has words");
    return (unsigned)refusal < array_count(names) ? names[refusal] : "?";
}

/* ---- one address ---- */

static bool moves_stack(const struct instruction *instruction)
{
    return instruction->class == INSTRUCTION_CALL || instruction->class == INSTRUCTION_RETURN;
}

static uint64_t index_value(const struct memory_operand *memory, uint64_t value)
{
    if (memory->index_is_32)
        value = memory->index_is_signed ? (uint64_t)(int64_t)(int32_t)value : value & UINT32_MAX;
    return memory->index_shift ? value << memory->index_shift : value * (memory->scale ? memory->scale : 1);
}

bool register_sampled(const void *context, unsigned number, uint64_t *ret_value)
{
    const struct sampled_registers *registers = context;
    return samples_register(registers->samples, registers->sample, number, ret_value);
}

bool operand_address(const struct instruction *instruction, uint64_t runtime_addr, register_value *value,
                     const void *context, uint64_t *ret_addr, bool *ret_is_next, enum data_refusal *ret_refusal)
{
    const struct memory_operand *memory = &instruction->memory;
    uint64_t addr = (uint64_t)memory->displacement, part;
    bool is_next = false;
    *ret_refusal = !memory->is_present                           ? REFUSED_NO_OPERAND
                   : memory->has_vector_index                    ? REFUSED_VECTOR_INDEX
                   : memory->segment != REGISTER_NONE            ? REFUSED_SEGMENT
                   : memory->has_hidden_part                     ? REFUSED_HIDDEN_PART
                   : moves_stack(instruction)                    ? REFUSED_STACK
                                                                 : REFUSED_REASON_COUNT;
    if (*ret_refusal != REFUSED_REASON_COUNT)
        return false;
    if (memory->is_relative) {
        *ret_addr = runtime_addr + addr;
        *ret_is_next = false;
        return true;
    }
    uint64_t own = (memory->base != REGISTER_NONE ? (uint64_t)1 << memory->base : 0) |
                   (memory->index != REGISTER_NONE ? (uint64_t)1 << memory->index : 0);
    if (instruction->writes & own) {
        /* The sampled value is from after the access: what was loaded, or a base moved on by it. */
        if (!instruction->is_load || instruction->is_store || instruction->class != INSTRUCTION_LOAD) {
            *ret_refusal = REFUSED_CHANGED;
            return false;
        }
        is_next = true;
    }
    if (memory->base != REGISTER_NONE) {
        if (!value(context, memory->base, &part)) {
            *ret_refusal = REFUSED_NO_REGISTERS;
            return false;
        }
        addr += part;
    }
    if (memory->index != REGISTER_NONE) {
        if (!value(context, memory->index, &part)) {
            *ret_refusal = REFUSED_NO_REGISTERS;
            return false;
        }
        addr += index_value(memory, part);
    }
    *ret_addr = memory->is_32 ? addr & UINT32_MAX : addr;
    *ret_is_next = is_next;
    return true;
}

/* ---- many addresses ---- */

static int u64_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Pairs of addresses that fall into the same unit of that many bytes. */
static double colliding_pairs(const uint64_t *sorted, size_t count, uint64_t unit_bytes)
{
    double pairs = 0;
    for (size_t at = 0; at < count;) {
        size_t end = at + 1;
        while (end < count && sorted[end] / unit_bytes == sorted[at] / unit_bytes)
            end++;
        double same = (double)(end - at);
        pairs += same * (same - 1) / 2;
        at = end;
    }
    return pairs;
}

/*
 * Size of the set that n draws with that many colliding pairs came from. Pairs are taken as Poisson, so that
 * few of them give a wide interval; 3 is the 95 % bound when none was seen.
 */
static struct interval set_bytes(size_t count, double pairs, uint64_t unit_bytes, double *ret_least)
{
    double all = (double)count * ((double)count - 1) / 2, unit = (double)unit_bytes;
    double spread = 1.96 * sqrt(pairs + 1);
    double high_pairs = pairs > 0 ? pairs + spread + 1 : 3, low_pairs = pairs - spread;
    *ret_least = all / high_pairs * unit;
    if (pairs <= 0)
        return (struct interval){0};
    double most = low_pairs > 0.5 ? all / low_pairs * unit : all / 0.5 * unit;
    return interval_of(*ret_least, all / pairs * unit, most);
}

struct candidate {
    uint64_t bytes;
    size_t votes;
};

static void candidate_vote(struct candidate *candidates, size_t *count, uint64_t bytes)
{
    for (size_t at = 0; at < *count; at++)
        if (candidates[at].bytes == bytes) {
            candidates[at].votes++;
            return;
        }
    if (*count < STRIDE_CANDIDATES)
        candidates[(*count)++] = (struct candidate){bytes, 1};
}

/* To the nearest multiple of a line: what a column's or row's new beginning adds to the difference goes. */
static uint64_t to_lines(uint64_t difference)
{
    return (difference + CACHE_LINE_BYTES / 2) / CACHE_LINE_BYTES * CACHE_LINE_BYTES;
}

static double near_multiples_share(const uint64_t *differences, size_t count, uint64_t of)
{
    size_t hits = 0;
    for (size_t at = 0; at < count; at++) {
        uint64_t rest = differences[at] % of;
        hits += differences[at] >= of / 2 && (rest <= CACHE_LINE_BYTES / 2 || of - rest <= CACHE_LINE_BYTES / 2);
    }
    return (double)hits / (double)count;
}

/*
 * The step that most differences of successive samples are multiples of, to within a line. Common divisors of
 * neighbouring pairs vote, so that single outliers cost only their own votes; of the steps that explain about as
 * many differences as any (and more than chance would) the largest is taken: its divisors explain them too.
 */
static void find_stride(struct data_summary *summary, const uint64_t *differences, size_t count)
{
    struct candidate candidates[STRIDE_CANDIDATES];
    size_t candidate_count = 0, votes = 0;
    for (size_t at = 1; at < count && at < STRIDE_PAIRS; at++) {
        candidate_vote(candidates, &candidate_count, common_divisor(differences[at - 1], differences[at]));
        candidate_vote(candidates, &candidate_count,
                       common_divisor(to_lines(differences[at - 1]), to_lines(differences[at])));
        votes++;
    }
    double best = 0;
    /* first the share that can be had, then the largest step that has nearly that */
    for (int turn = 0; turn < 2; turn++)
        for (size_t at = 0; at < candidate_count; at++) {
            uint64_t bytes = candidates[at].bytes;
            if (candidates[at].votes * 20 < votes || bytes <= 2 * CACHE_LINE_BYTES)
                continue;
            double share = near_multiples_share(differences, count, bytes);
            double by_chance = (double)(CACHE_LINE_BYTES + 1) / (double)bytes;
            if (share < stride_share_least || share < by_chance * 3)
                continue;
            if (turn == 0) {
                best = share > best ? share : best;
            } else if (share >= best * 0.85 && bytes > summary->stride_bytes) {
                summary->stride_bytes = bytes;
                summary->stride_share = share;
            }
        }
}

/* Differences of successive addresses of one instruction in one thread; returns how many. */
static size_t find_differences(const struct data_address *addresses, size_t count, uint64_t *differences,
                               size_t *ret_ascending, size_t *ret_equal)
{
    struct hashmap last_by_source = {0};
    size_t found = 0;
    *ret_ascending = *ret_equal = 0;
    for (size_t at = 0; at < count; at++) {
        uint64_t key = hash_u64((uint64_t)addresses[at].thread << 32 | addresses[at].row);
        uint32_t before = hashmap_find(&last_by_source, key, NULL, NULL, NULL);
        if (before != HASHMAP_ABSENT) {
            uint64_t from = addresses[before].addr, to = addresses[at].addr;
            if (from == to)
                (*ret_equal)++;
            else
                differences[found++] = to > from ? to - from : from - to;
            *ret_ascending += to > from;
        }
        hashmap_put(&last_by_source, key, (uint32_t)at);
    }
    hashmap_done(&last_by_source);
    return found;
}

static void find_pattern(struct data_summary *summary, const struct data_address *addresses, size_t count)
{
    uint64_t *differences = memory_alloc(memory_product(count, sizeof(*differences)));
    size_t ascending, equal, found = find_differences(addresses, count, differences, &ascending, &equal);
    uint64_t grain = 0;
    for (size_t at = 0; at < found; at++)
        grain = common_divisor(grain, differences[at]);
    if ((double)found < (double)(found + equal) * fixed_share) {
        summary->pattern = found + equal ? PATTERN_FIXED : PATTERN_UNKNOWN;
        free(differences);
        return;
    }
    summary->ascending_share = (double)ascending / (double)found;
    bool sweeps =
        summary->ascending_share >= ascending_share_least || summary->ascending_share <= 1 - ascending_share_least;
    find_stride(summary, differences, found);
    bool all_multiples = grain > CACHE_LINE_BYTES && !sweeps;
    if (summary->stride_bytes && !all_multiples) {
        summary->pattern = PATTERN_STRIDED;
    } else if (sweeps) {
        summary->pattern = grain > CACHE_LINE_BYTES ? PATTERN_STRIDED : PATTERN_SEQUENTIAL;
        summary->stride_bytes = grain;
        summary->stride_share = 1;
    } else { /* multiples of one size in no order to be seen are the size of what is accessed, or a walk that wraps */
        summary->pattern = PATTERN_IRREGULAR;
        summary->stride_bytes = all_multiples ? grain : 0;
        summary->stride_share = all_multiples ? 1 : 0;
    }
    free(differences);
}

struct data_summary data_summary_of(const struct data_address *addresses, size_t count)
{
    struct data_summary summary = {.row = ROW_NONE, .address_count = count};
    if (count < DATA_ADDRESSES_LEAST) {
        summary.reason = "fewer than 50 addresses";
        return summary;
    }
    uint64_t *sorted = memory_alloc(memory_product(count, sizeof(*sorted)));
    for (size_t at = 0; at < count; at++)
        sorted[at] = addresses[at].addr;
    qsort(sorted, count, sizeof(*sorted), u64_compare);
    double line_pairs = colliding_pairs(sorted, count, CACHE_LINE_BYTES),
           page_pairs = colliding_pairs(sorted, count, PAGE_BYTES);
    summary.known = true;
    summary.lowest = sorted[0];
    summary.highest = sorted[count - 1];
    summary.line_pairs = (size_t)line_pairs;
    summary.page_pairs = (size_t)page_pairs;
    summary.line_bytes = set_bytes(count, line_pairs, CACHE_LINE_BYTES, &summary.line_bytes_least);
    summary.page_bytes = set_bytes(count, page_pairs, PAGE_BYTES, &summary.page_bytes_least);
    if (summary.line_bytes.known && summary.page_bytes.known)
        summary.page_line_ratio = summary.page_bytes.mid / summary.line_bytes.mid;
    free(sorted);
    find_pattern(&summary, addresses, count);
    return summary;
}

/* ---- of a recording ---- */

struct sample_context {
    const struct samples *samples;
    const struct sample *sample;
};

static bool sampled_register(const void *context, unsigned number, uint64_t *ret_value)
{
    const struct sample_context *from = context;
    return samples_register(from->samples, from->sample, number, ret_value);
}

/* The samples in this code, by location. Owner: the caller (vec_done). */
typedef vec(const struct sample *) sample_list;

static void find_samples(sample_list *found, const struct data_address_request *request)
{
    const struct recording *recording = request->recording;
    const struct code *code = &request->instructions->code;
    uint32_t dso = request->symbol_id != SYMBOL_NONE ? symboliser_symbol(request->symboliser, request->symbol_id)->dso
                                                     : recording->samples.locations[request->location].dso;
    size_t first, end;
    code_samples_range(request->samples, recording, dso, code->dso_addr, code->dso_addr + code->size_bytes, &first,
                       &end);
    for (size_t at = first; at < end; at++) {
        uint32_t location = request->samples->locations[at];
        for (uint32_t one = request->samples->first[location]; one < request->samples->first[location + 1]; one++)
            *vec_push(found) = &recording->samples.items[request->samples->samples[one]];
    }
}

typedef vec(struct data_address) address_list;

/*
 * Whether what a load leaves in a register of its own address is that of its next access: nothing else in its
 * loop writes that register, and for a base it is as wide as a pointer. (Unoptimised code loads data over the
 * pointer to it, and sets the pointer anew each time.)
 */
static bool is_chase(const struct instructions *instructions, uint32_t row)
{
    const struct instruction_row *load = &instructions->rows[row];
    const struct memory_operand *memory = &load->instruction.memory;
    if (load->loop == LOOP_NONE)
        return false;
    uint64_t base = memory->base != REGISTER_NONE ? (uint64_t)1 << memory->base : 0;
    uint64_t index = memory->index != REGISTER_NONE ? (uint64_t)1 << memory->index : 0;
    if ((load->instruction.writes & base) && memory->size_bytes < 8)
        return false;
    const struct code_loop *loop = &instructions->loops[load->loop];
    for (uint32_t at = loop->first; at <= loop->last; at++)
        if (at != row && (instructions->rows[at].instruction.writes & load->instruction.writes & (base | index)))
            return false;
    return true;
}

/* Add the address of one sample, or count why there is none. */
static void add_sample(struct data_addresses *result, address_list *found, const struct data_address_request *request,
                       const struct sample *sample, size_t *next_count_by_row)
{
    const struct samples *samples = &request->recording->samples;
    const struct instructions *instructions = request->instructions;
    const struct location *where = &samples->locations[sample->location];
    uint32_t sampled = instructions_row_at(instructions, where->dso_addr);
    bool exact = sample->misc & EXACT_IP;
    bool counts_time =
        sample->event < request->recording->event_count && request->recording->events[sample->event].counts_ns;
    bool shifted = false;
    for (size_t at = 0; at < instructions->event_count; at++)
        shifted |= instructions->events[at].event == sample->event && instructions->events[at].is_shifted && !exact;
    uint32_t row = sampled == ROW_NONE ? ROW_NONE : shifted ? instructions->rows[sampled].stalled_row : sampled;
    struct data_address address = {.time_ns = sample->time_ns, .row = row, .thread = sample->thread,
                                   .space = request->recording->threads.items[sample->thread].space,
                                   .weight = sample->period ? (double)sample->period : 1};
    enum data_refusal refusal;
    bool is_next = false;
    if (sample->data_addr && exact) {
        address.addr = sample->data_addr;
        result->from_hardware = true;
        *vec_push(found) = address;
        return;
    }
    /* Registers are from before the access with exact samples, from after it with shifted ones; else nobody knows. */
    bool before = exact || (request->skid_exact && counts_time);
    if (row == ROW_NONE || (!shifted && !before)) {
        result->refused[REFUSED_UNPLACED]++;
        return;
    }
    struct sample_context context = {samples, sample};
    struct instruction instruction = instructions->rows[row].instruction;
    if (before)
        instruction.writes = 0; /* nothing of it has happened yet */
    uint64_t runtime_addr = where->runtime_addr + instructions->rows[row].dso_addr - where->dso_addr;
    if (sample->ip)
        runtime_addr = sample->ip + instructions->rows[row].dso_addr - where->dso_addr;
    if (!operand_address(&instruction, runtime_addr, sampled_register, &context, &address.addr, &is_next, &refusal)) {
        result->refused[refusal]++;
        return;
    }
    if (is_next && !is_chase(instructions, row)) {
        result->refused[REFUSED_CHANGED]++;
        return;
    }
    next_count_by_row[row] += is_next;
    *vec_push(found) = address;
}

static int address_time_compare(const void *a, const void *b)
{
    const struct data_address *x = a, *y = b;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int summary_compare(const void *a, const void *b)
{
    const struct data_summary *x = a, *y = b;
    if (x->address_count != y->address_count)
        return x->address_count > y->address_count ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The value that a register has in nearly all samples of this code; false when it varies or isn't sampled. */
static bool common_value(const struct data_address_request *request, const sample_list *samples, uint8_t number,
                         int64_t *ret_value)
{
    size_t seen = 0, votes = 0, same = 0;
    uint64_t candidate = 0, value;
    vec_for_each(samples, sample)
    {
        if (!samples_register(&request->recording->samples, *sample, number, &value))
            continue;
        seen++;
        if (!votes) /* Boyer and Moore's majority vote */
            candidate = value;
        votes = value == candidate ? votes + 1 : votes - 1;
    }
    vec_for_each(samples, sample)
        same += samples_register(&request->recording->samples, *sample, number, &value) && value == candidate;
    *ret_value = (int64_t)candidate;
    return seen && (double)same >= 0.8 * (double)seen;
}

/*
 * How far an instruction's address moves from one pass of its innermost loop to the next, when each register of
 * the address has at most one writer there and that one adds to it; 0: not known.
 */
static int64_t register_step(const struct data_address_request *request, const sample_list *samples,
                             const struct code_loop *loop, uint8_t number)
{
    const struct instructions *in = request->instructions;
    int64_t step = 0;
    bool found = false;
    for (uint32_t row = loop->first; row <= loop->last; row++) {
        const struct instruction *instruction = &in->rows[row].instruction;
        if (!(instruction->writes & (uint64_t)1 << number))
            continue;
        if (found || instruction->step_register != number)
            return INT64_MIN;
        found = true;
        step = instruction->step;
        if (instruction->step_by != REGISTER_NONE && !common_value(request, samples, instruction->step_by, &step))
            return INT64_MIN;
    }
    return step;
}

static void find_step_in_code(const struct data_address_request *request, const sample_list *samples,
                              struct data_summary *summary)
{
    const struct instructions *in = request->instructions;
    const struct instruction_row *row = &in->rows[summary->row];
    const struct memory_operand *memory = &row->instruction.memory;
    if (row->loop == LOOP_NONE || !memory->is_present || memory->has_vector_index)
        return;
    const struct code_loop *loop = &in->loops[row->loop];
    int64_t base = memory->base == REGISTER_NONE ? 0 : register_step(request, samples, loop, memory->base);
    int64_t index = memory->index == REGISTER_NONE ? 0 : register_step(request, samples, loop, memory->index);
    if (base == INT64_MIN || index == INT64_MIN)
        return;
    int64_t scale = memory->index_shift ? (int64_t)1 << memory->index_shift : memory->scale ? memory->scale : 1;
    int64_t step;
    if (__builtin_mul_overflow(index, scale, &step) || __builtin_add_overflow(step, base, &step) || !step ||
        step == INT64_MIN)
        return;
    summary->stride_bytes = (uint64_t)(step < 0 ? -step : step);
    summary->stride_from_code = true;
    summary->stride_share = 1;
    summary->pattern = summary->stride_bytes > CACHE_LINE_BYTES ? PATTERN_STRIDED : PATTERN_SEQUENTIAL;
}

/* One summary for each instruction that has enough addresses. */
static void summarise_rows(struct data_addresses *result, const struct data_address_request *request,
                           const sample_list *samples, const size_t *next_count_by_row)
{
    const struct instructions *instructions = request->instructions;
    size_t *count_by_row = memory_alloc(memory_product(instructions->row_count + 1, sizeof(size_t)));
    struct data_address *own = memory_alloc(memory_product(result->count + 1, sizeof(*own)));
    vec(struct data_summary) rows = {0};
    for (size_t at = 0; at < result->count; at++)
        count_by_row[result->items[at].row]++;
    for (uint32_t row = 0; row < instructions->row_count; row++) {
        if (count_by_row[row] < DATA_ADDRESSES_LEAST)
            continue;
        size_t count = 0;
        for (size_t at = 0; at < result->count; at++)
            if (result->items[at].row == row)
                own[count++] = result->items[at];
        struct data_summary summary = data_summary_of(own, count);
        summary.row = row;
        summary.next_address_count = next_count_by_row[row];
        find_step_in_code(request, samples, &summary);
        *vec_push(&rows) = summary;
    }
    if (rows.count)
        qsort(rows.items, rows.count, sizeof(*rows.items), summary_compare);
    result->rows = arena_copy(&result->arena, rows.items, rows.count * sizeof(*rows.items));
    result->row_count = rows.count;
    vec_done(&rows);
    free(own);
    free(count_by_row);
}

static int mapping_compare(const void *a, const void *b)
{
    const struct data_mapping *x = a, *y = b;
    if (x->addresses != y->addresses)
        return x->addresses > y->addresses ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* Mappings of data are recorded on request only; protections are 0 where the kernel didn't tell them. */
static bool has_data_mappings(const struct address_spaces *spaces)
{
    for (size_t space = 0; space < spaces->count; space++)
        for (size_t at = 0; at < spaces->items[space].count; at++) {
            uint32_t protection = spaces->items[space].mappings[at].protection;
            if (space != SPACE_KERNEL && protection && !(protection & PROT_EXEC))
                return true;
        }
    return false;
}

static void spread_over_mappings(struct data_addresses *result, const struct recording *recording)
{
    vec(struct data_mapping) mappings = {0};
    for (size_t at = 0; at < result->count; at++) {
        const struct data_address *address = &result->items[at];
        const struct mapping *mapping = address->space < recording->spaces.count
                                            ? address_spaces_find(&recording->spaces, address->space, address->addr)
                                            : NULL;
        uint64_t start = mapping ? mapping->start : 0;
        size_t known = 0;
        while (known < mappings.count && (mappings.items[known].start != start ||
                                          mappings.items[known].dso != (mapping ? mapping->dso : DSO_NONE)))
            known++;
        if (known == mappings.count)
            *vec_push(&mappings) = (struct data_mapping){
                .dso = mapping ? mapping->dso : DSO_NONE,
                .name = mapping ? strings_text(&recording->strings, recording->spaces.dsos[mapping->dso].name)
                                : "not in the recording's mappings",
                .start = start,
                .end = mapping ? mapping->end : 0};
        mappings.items[known].addresses++;
    }
    vec_for_each(&mappings, mapping)
        mapping->share = wilson_interval((double)mapping->addresses, (double)result->count, (double)result->count);
    if (mappings.count)
        qsort(mappings.items, mappings.count, sizeof(*mappings.items), mapping_compare);
    result->mappings = arena_copy(&result->arena, mappings.items, mappings.count * sizeof(*mappings.items));
    result->mapping_count = mappings.count;
    vec_done(&mappings);
}

void data_addresses_find(struct data_addresses *ret_addresses, const struct data_address_request *request)
{
    struct data_addresses result = {0};
    address_list found = {0};
    sample_list samples = {0};
    size_t *next_count_by_row = memory_alloc(memory_product(request->instructions->row_count + 1, sizeof(size_t)));
    arena_init(&result.arena);
    find_samples(&samples, request);
    result.sample_count = samples.count;
    vec_for_each(&samples, sample)
        add_sample(&result, &found, request, *sample, next_count_by_row);
    if (found.count)
        qsort(found.items, found.count, sizeof(*found.items), address_time_compare);
    result.items = arena_copy(&result.arena, found.items, found.count * sizeof(*found.items));
    result.count = found.count;
    vec_done(&found);
    result.all = data_summary_of(result.items, result.count);
    for (size_t row = 0; row < request->instructions->row_count; row++)
        result.all.next_address_count += next_count_by_row[row];
    if (result.count)
        summarise_rows(&result, request, &samples, next_count_by_row);
    spread_over_mappings(&result, request->recording);
    result.code_mappings_only = !has_data_mappings(&request->recording->spaces);
    free(next_count_by_row);
    vec_done(&samples);
    *ret_addresses = result;
}

void data_addresses_done(struct data_addresses *addresses)
{
    arena_done(&addresses->arena);
    *addresses = (struct data_addresses){0};
}
