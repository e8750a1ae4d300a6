/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/instructions.h"

#include "analyse/code/code_flow.h"
#include "analyse/stall/stall_before.h"
#include "base/cache_line.h"
#include "base/partition_point.h"
#include "base/scope.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
    AROUND_BYTES = 4096,           /* of code without a symbol, on each side of a location */
    CODE_BYTES_MOST = 16 * 1024 * 1024,
    EXACT_IP = 1 << 14             /* PERF_RECORD_MISC_EXACT_IP: the hardware names the instruction itself */
};

_Static_assert(FLOW_NONE == LOOP_NONE && FLOW_NONE == ROW_NONE, "one mark for none");

const char *vector_width_name(enum vector_width width)
{
    static const char *const names[] = {"none", "scalar", "64-bit", "128-bit", "256-bit", "512-bit", "scalable"};
    _Static_assert(array_count(names) == VECTOR_WIDTH_COUNT, "every width has a name");
    return (unsigned)width < array_count(names) ? names[width] : "none";
}

enum vector_width instruction_vector_width(const struct instruction *instruction)
{
    if (instruction->is_scalar_fp)
        return VECTOR_WIDTH_SCALAR;
    switch (instruction->vector_bits) {
    case 64: return VECTOR_WIDTH_64;
    case 128: return VECTOR_WIDTH_128;
    case 256: return VECTOR_WIDTH_256;
    case 512: return VECTOR_WIDTH_512;
    case VECTOR_BITS_SCALABLE: return VECTOR_WIDTH_SCALABLE;
    default: return VECTOR_WIDTH_NONE;
    }
}

uint32_t instructions_row_at(const struct instructions *instructions, uint64_t dso_addr)
{
    size_t low = partition_point(instructions->rows, instructions->row_count, item->dso_addr < dso_addr);
    return low < instructions->row_count && instructions->rows[low].dso_addr == dso_addr ? (uint32_t)low : ROW_NONE;
}

/* ---- code ---- */

struct naming_context {
    struct symboliser *symboliser;
    const struct code *code;
    uint32_t dso;
};

static const char *name_of_address(void *context, uint64_t addr, uint64_t *ret_offset)
{
    const struct naming_context *naming = context;
    if (addr > naming->code->shown_addr && addr - naming->code->shown_addr < naming->code->size_bytes) {
        *ret_offset = addr - naming->code->shown_addr; /* "<+0x1c>": the function's own name would say nothing */
        return "";
    }
    return symboliser_name_at(naming->symboliser, naming->dso, addr, ret_offset);
}

static uint32_t dso_of(const struct instructions_request *request)
{
    if (request->symbol_id == SYMBOL_NONE)
        return request->recording->samples.locations[request->location].dso;
    return symboliser_symbol(request->symboliser, request->symbol_id)->dso;
}

/* Decode all of the code; a symbol's last instruction may be cut by a wrong size, and is then bad. */
static void decode_rows(struct instructions *result, const struct instructions_request *request,
                        struct disassembler *disassembler)
{
    vec(struct instruction_row) rows = {0};
    struct naming_context naming = {request->symboliser, &result->code, dso_of(request)};
    struct text text = {0};
    const struct code *code = &result->code;
    for (size_t at = 0; at < code->size_bytes;) {
        struct instruction_row *row = vec_push(&rows);
        *row = (struct instruction_row){.bytes = code->bytes + at, .dso_addr = code->dso_addr + at, .loop = LOOP_NONE,
                                        .stalled_row = (uint32_t)(rows.count - 1)};
        disassembler_next(disassembler, row->bytes, code->size_bytes - at, code->shown_addr + at, &row->instruction);
        if (request->with_text) {
            text_clear(&text);
            disassembler_text(disassembler, &row->instruction, row->bytes, name_of_address, &naming, &text);
            row->text = arena_string_n(&result->arena, text_string(&text), text.length);
        }
        at += row->instruction.length;
    }
    result->row_count = rows.count;
    result->rows = arena_copy(&result->arena, rows.items, rows.count * sizeof(*rows.items));
    vec_done(&rows);
    text_done(&text);
    const char *complaint = disassembler_complaint(disassembler);
    result->text_complaint = complaint ? arena_string(&result->arena, complaint) : NULL;
}

static void find_lines(struct instructions *result, const struct instructions_request *request)
{
    uint32_t dso = dso_of(request);
    result->line_complaint = symboliser_line_complaint(request->symboliser, dso);
    for (size_t at = 0; at < result->row_count && !result->line_complaint; at++) {
        struct source_line line;
        struct instruction_row *row = &result->rows[at];
        if (!symboliser_lines_at(request->symboliser, dso, row->dso_addr, &line, 1))
            continue;
        row->line = (struct instruction_line){line.path, line.function, line.line};
        result->has_lines = true;
    }
}

/* ---- samples ---- */

/* Locations in the range may belong to a symbol inside this one, or, without one, to named code. */
static bool is_within(const struct instructions_request *request, uint32_t location)
{
    return symboliser_symbol_id(request->symboliser, location) == request->symbol_id;
}

#define ROW_BETWEEN (UINT32_MAX - 1) /* inside the code, but at no instruction's beginning */

struct placed_sample {
    const struct sample *sample;
    uint32_t row; /* or ROW_BETWEEN */
};

typedef vec(struct placed_sample) placed_list;

static bool is_asked(const struct instructions_request *request, const struct sample *sample)
{
    return request->one_event ? sample->event == request->event : sample->event < request->recording->event_count;
}

/* The samples in this code, each with its row. */
static void place_samples(struct instructions *result, const struct instructions_request *request, placed_list *placed)
{
    const struct samples *samples = &request->recording->samples;
    size_t first, end;
    code_samples_range(request->samples, request->recording, dso_of(request), result->code.dso_addr,
                       result->code.dso_addr + result->code.size_bytes, &first, &end);
    for (size_t at = first; at < end; at++) {
        uint32_t location = request->samples->locations[at];
        if (!is_within(request, location))
            continue;
        uint32_t row = instructions_row_at(result, samples->locations[location].dso_addr);
        for (uint32_t one = request->samples->first[location]; one < request->samples->first[location + 1]; one++) {
            const struct sample *sample = &samples->items[request->samples->samples[one]];
            if (is_asked(request, sample))
                *vec_push(placed) = (struct placed_sample){sample, row == ROW_NONE ? ROW_BETWEEN : row};
        }
    }
}

static double weight_of(const struct instructions_request *request, const struct sample *sample)
{
    return sample->period && !request->by_number ? (double)sample->period : sample->alike + 1;
}

static double recording_weight(const struct instructions_request *request, uint32_t event)
{
    const struct recorded_event *recorded = &request->recording->events[event];
    return recorded->period_sum && !request->by_number ? (double)recorded->period_sum : (double)recorded->sample_count;
}

static int event_compare(const void *a, const void *b)
{
    const struct instruction_event *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples > y->samples ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* Events with samples in this code, the one with most first. */
static void find_events(struct instructions *result, const struct instructions_request *request,
                        const placed_list *placed)
{
    const struct recording *recording = request->recording;
    struct instruction_event *events =
        arena_array(&result->arena, struct instruction_event, recording->event_count + 1);
    for (size_t at = 0; at < recording->event_count; at++)
        events[at] = (struct instruction_event){.event = (uint32_t)at, .name = recording->events[at].name,
                                                   .recording_weight = recording_weight(request, (uint32_t)at)};
    vec_for_each(placed, one)
    {
        events[one->sample->event].samples += one->sample->alike + 1;
        events[one->sample->event].outside += one->row == ROW_BETWEEN ? one->sample->alike + 1 : 0;
    }
    size_t kept = 0;
    for (size_t at = 0; at < recording->event_count; at++)
        if (events[at].samples)
            events[kept++] = events[at];
    if (kept)
        qsort(events, kept, sizeof(*events), event_compare);
    result->events = events;
    result->event_count = kept;
}

/* ---- the stalled instruction ---- */

/* How many samples fell on each row, of all events: they tell which of several ways was gone. */
static uint32_t *samples_met(const struct instructions *result, const placed_list *placed)
{
    uint32_t *met = memory_alloc(memory_product(result->row_count + 1, sizeof(*met)));
    for (size_t row = 0; row < result->row_count; row++)
        met[row] = 0;
    vec_for_each(placed, one)
        if (one->row != ROW_BETWEEN)
            met[one->row] += (uint32_t)one->sample->alike + 1;
    return met;
}

/* Which row ran before each, as diagnose tells it. Behind a call that was the callee's return: ROW_NONE. */
static void find_stalled_rows(struct instructions *result, const struct code_flow *flow, const placed_list *placed)
{
    scoped_free uint32_t *met = samples_met(result, placed);
    scoped_free struct instruction *rows = memory_alloc(memory_product(result->row_count + 1, sizeof(*rows)));
    for (size_t row = 0; row < result->row_count; row++)
        rows[row] = result->rows[row].instruction;
    const struct stall_code code = {.items = rows, .met = met, .count = result->row_count};
    for (uint32_t row = 0; row < result->row_count; row++) {
        uint32_t stalled = stall_before(&code, row);
        bool is_call = stalled != ROW_NONE && rows[stalled].class == INSTRUCTION_CALL;
        result->rows[row].stalled_row = is_call ? ROW_NONE : stalled;
        unsigned jumps = flow->branch_first[row + 1] - flow->branch_first[row];
        result->rows[row].is_shared_target = jumps + (stall_falls_in(&code, row) && !is_call) > 1;
    }
}

static bool is_shifted(const struct instructions_request *request, const struct sample *sample)
{
    return request->skid_one && !(sample->misc & EXACT_IP) && request->recording->events[sample->event].counts_ns;
}

static void add_sampled(struct instructions *result, const struct instructions_request *request,
                        const placed_list *placed, const size_t *column_of_event)
{
    vec_for_each(placed, one)
    {
        size_t column = column_of_event[one->sample->event];
        result->events[column].weight += weight_of(request, one->sample);
        if (one->row != ROW_BETWEEN)
            result->sampled[one->row * result->event_count + column] += weight_of(request, one->sample);
    }
}

static void add_stalled(struct instructions *result, const struct instructions_request *request,
                        const placed_list *placed, const size_t *column_of_event)
{
    vec_for_each(placed, one)
    {
        if (one->row == ROW_BETWEEN)
            continue;
        size_t column = column_of_event[one->sample->event];
        bool shifted = is_shifted(request, one->sample);
        uint32_t stalled = shifted ? result->rows[one->row].stalled_row : one->row;
        result->events[column].is_shifted |= shifted;
        if (stalled == ROW_NONE)
            result->stalled_elsewhere[column] += weight_of(request, one->sample);
        else
            result->stalled[stalled * result->event_count + column] += weight_of(request, one->sample);
    }
}

static void count_samples(struct instructions *result, const struct instructions_request *request,
                          const struct code_flow *flow)
{
    placed_list placed = {0};
    place_samples(result, request, &placed);
    find_events(result, request, &placed);
    size_t cells = memory_product(result->row_count, result->event_count);
    result->sampled = arena_array(&result->arena, double, cells + 1);
    result->stalled = arena_array(&result->arena, double, cells + 1);
    result->stalled_elsewhere = arena_array(&result->arena, double, result->event_count + 1);
    size_t *column_of_event = memory_alloc(memory_product(request->recording->event_count + 1, sizeof(size_t)));
    for (size_t at = 0; at < result->event_count; at++)
        column_of_event[result->events[at].event] = at;
    if (result->event_count) {
        add_sampled(result, request, &placed, column_of_event);
        find_stalled_rows(result, flow, &placed);
        add_stalled(result, request, &placed, column_of_event);
    }
    free(column_of_event);
    vec_done(&placed);
}

/* ---- what is derived ---- */

static bool crosses_line(const struct instruction *instruction)
{
    uint64_t start = instruction->addr % CACHE_LINE_BYTES;
    return start == 0 || start + instruction->length > CACHE_LINE_BYTES;
}

static void sum_up(struct instructions *result)
{
    if (!result->event_count)
        return;
    double total = result->events[0].weight, crossing = 0, placed = 0, crossing_rows = 0;
    for (size_t row = 0; row < result->row_count; row++) {
        const struct instruction *instruction = &result->rows[row].instruction;
        double sampled = result->sampled[row * result->event_count],
               stalled = result->stalled[row * result->event_count];
        result->sampled_row_count += sampled > 0;
        result->width_share[instruction_vector_width(instruction)] += stalled / total;
        result->class_share[instruction->class] += stalled / total;
        placed += sampled;
        crossing += crosses_line(instruction) ? sampled : 0;
        crossing_rows += crosses_line(instruction);
    }
    result->line_cross_share = placed > 0 ? crossing / placed : 0;
    result->line_cross_base = crossing_rows / (double)result->row_count;
}

static void describe_loops(struct instructions *result, const struct code_flow *flow)
{
    result->loops = arena_array(&result->arena, struct code_loop, flow->loop_count + 1);
    result->loop_count = flow->loop_count;
    result->hottest_loop = LOOP_NONE;
    for (size_t at = 0; at < flow->loop_count; at++) {
        const struct flow_loop *from = &flow->loops[at];
        result->loops[at] = (struct code_loop){.head = from->head, .first = from->first, .last = from->last,
                                               .parent = from->parent, .depth = from->depth};
    }
    double total = result->event_count ? result->events[0].weight : 0;
    uint64_t *last_line = arena_array(&result->arena, uint64_t, flow->loop_count + 1);
    for (size_t row = 0; row < result->row_count; row++) {
        struct instruction_row *item = &result->rows[row];
        item->loop = flow->loop_of_row[row];
        item->is_jump_target = flow->branch_first[row + 1] > flow->branch_first[row];
        double share = total > 0 ? result->sampled[row * result->event_count] / total : 0;
        if (item->loop != LOOP_NONE)
            result->loops[item->loop].own_share += share;
        for (uint32_t loop = item->loop; loop != LOOP_NONE; loop = result->loops[loop].parent) {
            struct code_loop *one = &result->loops[loop];
            one->row_count++;
            one->code_bytes += item->instruction.length;
            one->share += share;
            uint64_t first = item->instruction.addr / CACHE_LINE_BYTES + 1;
            uint64_t last = (item->instruction.addr + item->instruction.length - 1) / CACHE_LINE_BYTES + 1;
            for (uint64_t line = first; line <= last; line++)
                if (line > last_line[loop]) {
                    last_line[loop] = line;
                    one->code_lines++;
                }
        }
    }
    for (uint32_t at = 0; at < result->loop_count; at++)
        if (result->loops[at].own_share > 0 &&
            (result->hottest_loop == LOOP_NONE ||
             result->loops[at].own_share > result->loops[result->hottest_loop].own_share))
            result->hottest_loop = at;
}

/* ---- the whole ---- */

/* Code whose bounds nobody knows begins and ends at sampled addresses: those begin an instruction. */
static void sampled_bounds(const struct recording *recording, const struct location *where, uint64_t *first,
                           uint64_t *last)
{
    for (size_t at = 0; at < recording->samples.location_count; at++) {
        const struct location *other = &recording->samples.locations[at];
        if (other->dso != where->dso)
            continue;
        if (other->dso_addr < *first && where->dso_addr - other->dso_addr <= AROUND_BYTES)
            *first = other->dso_addr;
        if (other->dso_addr > *last && other->dso_addr - where->dso_addr <= AROUND_BYTES)
            *last = other->dso_addr;
    }
}

static bool read_code(struct instructions *result, const struct instructions_request *request, struct error *err)
{
    const struct recording *recording = request->recording;
    if (request->symbol_id != SYMBOL_NONE) {
        const struct symbol *symbol = symboliser_symbol(request->symboliser, request->symbol_id);
        if (!symbol)
            return error_set(err, ERROR_NOT_FOUND, "no such symbol");
        result->symbol = symboliser_signature(request->symboliser, request->symbol_id);
        result->dso = strings_text(&recording->strings, recording->spaces.dsos[symbol->dso].name);
        if (!symboliser_code(request->symboliser, request->symbol_id, &result->code, err))
            return false;
    } else {
        if (request->location >= recording->samples.location_count)
            return error_set(err, ERROR_NOT_FOUND, "no such location");
        const struct location *where = &recording->samples.locations[request->location];
        result->dso = strings_text(&recording->strings, recording->spaces.dsos[where->dso].name);
        uint64_t first = where->dso_addr, last = where->dso_addr, start, size_bytes;
        if (symboliser_bounds(request->symboliser, request->location, &start, &size_bytes)) {
            first = start;
            last = start + size_bytes - CACHE_LINE_BYTES;
        } else {
            sampled_bounds(recording, where, &first, &last);
        }
        if (!symboliser_code_around(request->symboliser, request->location, where->dso_addr - first,
                                    last - where->dso_addr + CACHE_LINE_BYTES, &result->code, err))
            return false;
        result->symbol =
            arena_printf(&result->arena, "%s+0x%llx", result->dso, (unsigned long long)result->code.shown_addr);
    }
    if (result->code.size_bytes > CODE_BYTES_MOST)
        result->code.size_bytes = CODE_BYTES_MOST;
    return true;
}

static struct code_flow find_flow(struct instructions *result)
{
    struct instruction *plain = memory_alloc(memory_product(result->row_count + 1, sizeof(*plain)));
    for (size_t at = 0; at < result->row_count; at++)
        plain[at] = result->rows[at].instruction;
    struct code_flow flow = code_flow_of(plain, result->row_count, &result->arena);
    free(plain);
    return flow;
}

bool instructions_analyse(struct instructions *ret_instructions, const struct instructions_request *request,
                          struct error *err)
{
    struct instructions result = {.hottest_loop = LOOP_NONE};
    struct disassembler *disassembler;
    arena_init(&result.arena);
    if (!read_code(&result, request, err) ||
        !disassembler_new(&disassembler, result.code.architecture, request->syntax, err)) {
        arena_done(&result.arena);
        return false;
    }
    decode_rows(&result, request, disassembler);
    disassembler_free(disassembler);
    if (request->with_lines)
        find_lines(&result, request);
    struct code_flow flow = find_flow(&result);
    result.has_indirect_jumps = flow.has_indirect_jumps;
    count_samples(&result, request, &flow);
    describe_loops(&result, &flow);
    sum_up(&result);
    *ret_instructions = result;
    return true;
}

void instructions_done(struct instructions *instructions)
{
    arena_done(&instructions->arena);
    *instructions = (struct instructions){0};
}

uint32_t instructions_hottest_row(const struct instructions *instructions, size_t event, bool stalled)
{
    const double *weights = stalled ? instructions->stalled : instructions->sampled;
    uint32_t best = ROW_NONE;
    for (size_t row = 0; row < instructions->row_count && event < instructions->event_count; row++) {
        double weight = weights[row * instructions->event_count + event];
        if (weight > 0 && (best == ROW_NONE || weight > weights[best * instructions->event_count + event]))
            best = (uint32_t)row;
    }
    return best;
}
