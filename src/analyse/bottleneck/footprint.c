/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/footprint.h"

#include "analyse/bottleneck/thresholds.h"
#include "analyse/code/code_flow.h"
#include "base/arena.h"
#include "base/cache_line.h"
#include "base/scope.h"

#include <math.h>
#include <string.h>

enum {
    /* to either side: as many instructions of each kind are expected of the samples as stand here */
    WINDOW_ROWS = 32,
    KEPT_LINES = 256,      /* a line with more than one such share of the samples is met so often that it stays */
    DOUBLES_LEAST = 10,    /* lines met twice: fewer are chance, and as few as one would make any code endless */
    SPREAD_SAMPLES = 2,    /* of a line, at least: a few samples don't tell how hot it is */
};

enum {
    ROW_START = 1, /* code comes in here: a line begins, a jump or call leads here, a call returns here */
    ROW_FORK = 2,  /* behind a conditional branch, or where one leads */
    ROW_CASE = 4,  /* where a table leads */
    ROW_KINDS = 3,
};

/* ---- addresses alone ---- */

static bool is_at_line(uint64_t addr)
{
    uint64_t in_line = addr % CACHE_LINE_BYTES;
    return in_line < 8 || in_line >= CACHE_LINE_BYTES - 8;
}

static void lines_find(struct footprint *footprint, const struct bottleneck_request *request)
{
    const struct recording *recording = request->recording;
    double samples = 0, at_lines = 0;
    for (size_t at = 0; at < recording->samples.count; at++) {
        const struct sample *sample = &recording->samples.items[at];
        if (!stalls_counts_sample(recording, sample) || sample->location >= recording->samples.location_count)
            continue;
        const struct location *location = &recording->samples.locations[sample->location];
        if (location->cpu_mode == CPU_MODE_KERNEL)
            continue;
        samples++;
        at_lines += is_at_line(location->runtime_addr);
    }
    footprint->line_share = samples > 0 ? at_lines / samples : 0;
}

/* ---- the kinds of rows ---- */

static uint32_t row_of(const struct stall_code *code, uint64_t addr)
{
    return code_flow_row(code->items, code->count, addr);
}

static void kind_set(const struct stall_code *code, uint8_t *kinds, size_t row, uint8_t kind)
{
    if (row < code->count)
        kinds[row] |= kind;
}

static void row_kinds(const struct stall_code *code, uint8_t *kinds)
{
    memset(kinds, 0, code->count + 1);
    kind_set(code, kinds, 0, ROW_START);
    for (size_t row = 0; row < code->count; row++) {
        const struct instruction *here = &code->items[row];
        bool crosses = here->addr / CACHE_LINE_BYTES != (here->addr + here->length - 1) / CACHE_LINE_BYTES;
        if (crosses || here->addr % CACHE_LINE_BYTES == 0)
            kind_set(code, kinds, row, ROW_START);
        bool is_call = here->class == INSTRUCTION_CALL, is_branch = here->class == INSTRUCTION_BRANCH;
        if (is_call)
            kind_set(code, kinds, row + 1, ROW_START);
        if (is_branch)
            kind_set(code, kinds, row + 1, ROW_FORK);
        if (code->marks[row] & MARK_TABLE)
            kind_set(code, kinds, row, ROW_CASE);
        uint32_t target = here->has_target ? row_of(code, here->target) : UINT32_MAX;
        if (target != UINT32_MAX)
            kind_set(code, kinds, target, is_branch ? ROW_FORK : ROW_START);
    }
}

/*
 * The interrupt comes as the first instruction retires, or before it can: the one behind counts as well. -1: of no
 * kind.
 */
static int kind_of(const uint8_t *kinds, size_t row)
{
    uint8_t kind = kinds[row] | (row ? kinds[row - 1] : 0);
    return kind & ROW_START ? 0 : kind & ROW_FORK ? 1 : kind & ROW_CASE ? 2 : -1;
}

/* ---- the samples ---- */

/* samples by the kind of their row, and as they would be if they fell evenly on the instructions around */
struct places {
    double samples, at[ROW_KINDS], expected[ROW_KINDS];
};

struct fetches {
    struct places all, spread; /* spread: in lines that hold little each */
    double one_way, two_ways;  /* pairs of samples at the two ways on from one branch: on the same, on different ones */
};

struct row_sums { /* how many rows before each are of a kind, and are instructions at all */
    uint32_t of[ROW_KINDS], real;
};

static uint64_t met(const struct stall_code *code, size_t row)
{
    return code->sampled[row] + (row == 0 ? code->entry_hits : 0);
}

static void places_add(struct places *places, const struct stall_code *code, const uint8_t *kinds,
                       const struct row_sums *sums, size_t row)
{
    size_t first = row > WINDOW_ROWS ? row - WINDOW_ROWS : 0;
    size_t end = row + WINDOW_ROWS + 1 < code->count ? row + WINDOW_ROWS + 1 : code->count;
    double rows = sums[end].real - sums[first].real, samples = (double)met(code, row);
    if (rows < 1)
        return;
    places->samples += samples;
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        places->at[kind] += kind_of(kinds, row) == kind ? samples : 0;
        places->expected[kind] += samples * (sums[end].of[kind] - sums[first].of[kind]) / rows;
    }
}

static void ways_add(struct fetches *fetches, const struct stall_code *code)
{
    for (size_t row = 0; row + 2 < code->count; row++) {
        uint32_t target = code->items[row].class == INSTRUCTION_BRANCH && code->items[row].has_target
                              ? row_of(code, code->items[row].target) : UINT32_MAX;
        /*
         * Back to the head of a loop: that is met for other reasons, too, and what follows the loop says nothing of its
         * guesses.
         */
        if (target == UINT32_MAX || target + 1 >= code->count || target == row + 2 || target <= row)
            continue;
        double on = (double)(code->sampled[row + 1] + code->sampled[row + 2]);
        double away = (double)(code->sampled[target] + code->sampled[target + 1]);
        fetches->one_way += on * (on - 1) / 2 + away * (away - 1) / 2;
        fetches->two_ways += on * away;
    }
}

static void code_add(struct fetches *fetches, const struct stall_code *code, double all)
{
    scoped_free uint8_t *kinds = memory_alloc(code->count + 1);
    scoped_free struct row_sums *sums = memory_alloc((code->count + 1) * sizeof(*sums));
    row_kinds(code, kinds);
    sums[0] = (struct row_sums){0};
    for (size_t row = 0; row < code->count; row++) {
        sums[row + 1] = sums[row];
        if (code->items[row].class == INSTRUCTION_NOP)
            continue;
        sums[row + 1].real++;
        if (kind_of(kinds, row) >= 0)
            sums[row + 1].of[kind_of(kinds, row)]++;
    }
    ways_add(fetches, code);
    for (size_t row = 0, end; row < code->count; row = end) {
        double line = 0;
        for (end = row;
             end < code->count && code->items[end].addr / CACHE_LINE_BYTES == code->items[row].addr / CACHE_LINE_BYTES;
             end++)
            line += (double)met(code, end);
        bool stays = line > SPREAD_SAMPLES && line * KEPT_LINES > all;
        for (size_t at = row; at < end; at++) {
            if (!met(code, at))
                continue;
            places_add(&fetches->all, code, kinds, sums, at);
            if (!stays)
                places_add(&fetches->spread, code, kinds, sums, at);
        }
    }
}

/*
 * What falls on each kind of row beyond even. What is of no kind tells how much fell evenly on anything.
 * False: hardly an instruction is of no kind.
 */
static bool excess_find(double ret_excess[ROW_KINDS], const struct places *places)
{
    double special = 0, special_here = 0;
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        special += places->at[kind] / places->samples;
        special_here += places->expected[kind] / places->samples;
    }
    if (special_here > bottleneck_thresholds.front_starts_most)
        return false;
    double even = (1 - special) / (1 - special_here);
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        double excess = (places->at[kind] - even * places->expected[kind]) / places->samples;
        ret_excess[kind] = excess > 0 ? excess : 0;
    }
    return true;
}

/* Of a branch that goes both ways as often half the pairs differ; of those that always go one way none does. */
static double ways_ratio(const struct fetches *fetches)
{
    double pairs = fetches->one_way + fetches->two_ways;
    double ratio = pairs > 0 ? 2 * fetches->two_ways / pairs : 0;
    return ratio < 1 ? ratio : 1;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/*
 * Samples fall on starts because code was waited for, on forks and cases for that or a wrong guess: for code at least
 * where branches always go one way, and otherwise as densely as on starts.
 */
static void waited_find(struct footprint *footprint, const struct fetches *fetches)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    const struct places *spread = &fetches->spread;
    double excess[ROW_KINDS];
    if (!excess_find(excess, spread) || spread->expected[0] <= 0)
        return;
    double density = excess[0] / spread->expected[0];
    double forks = excess[1] * (1 - ways_ratio(fetches));
    double dense = smaller(excess[1], density * spread->expected[1]);
    forks = forks > dense ? forks : dense;
    double waits = excess[0] + forks + smaller(excess[2], density * spread->expected[2]);
    /* what isn't known of the code is taken to be no other */
    double spread_share = spread->samples / fetches->all.samples;
    double at_special = (spread->at[0] + spread->at[1]) / spread->samples;
    double even_special = (spread->expected[0] + spread->expected[1]) / spread->samples;
    double shown = waits * spread_share;
    double error = 2 * sqrt(at_special * (1 - at_special) / spread->samples) / (1 - even_special) * spread_share;
    double mid = shown / limit->front_shown, high = smaller((shown + error) / limit->front_shown_least, spread_share);
    footprint->starts = at_special;
    footprint->starts_expected = even_special;
    footprint->waited = interval_of(shown > error ? shown - error : 0, smaller(mid, high), high);
}

static void guessed_find(struct footprint *footprint, const struct fetches *fetches)
{
    double excess[ROW_KINDS];
    if (!excess_find(excess, &fetches->all) || fetches->all.expected[0] <= 0)
        return;
    double density = excess[0] / fetches->all.expected[0];
    double forks = excess[1] * ways_ratio(fetches), forks_dense = density * fetches->all.expected[1];
    double cases = excess[2], cases_dense = density * fetches->all.expected[2];
    footprint->guessed = forks > forks_dense ? forks - forks_dense : 0;
    footprint->guessed_cases = cases > cases_dense ? cases - cases_dense : 0;
}

/* Chao, "Nonparametric estimation of the number of classes in a population", 1984; as corrected for few doubles. */
static double lines_estimated(const struct stalls *stalls)
{
    double once = (double)stalls->single_lines, twice = (double)stalls->double_lines;
    twice = twice > DOUBLES_LEAST ? twice : DOUBLES_LEAST;
    return (double)stalls->met_lines + (once > 0 ? once * (once - 1) / (2 * (twice + 1)) : 0);
}

/* Code of which samples meet as rarely in one line as they do, if all of it were used alike. */
static double even_bytes(const struct stalls *stalls)
{
    double pairs = (double)stalls->user_samples * ((double)stalls->user_samples - 1) / 2;
    return CACHE_LINE_BYTES * pairs / (stalls->line_pairs > DOUBLES_LEAST ? stalls->line_pairs : DOUBLES_LEAST);
}

struct footprint footprint_of(const struct bottleneck_request *request)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    const struct stalls *stalls = request->stalls;
    struct footprint footprint = {
        .samples = (double)stalls->user_samples,
        .addresses = (double)stalls->hot_addresses,
        .least_bytes = (double)stalls->hot_code_lines * CACHE_LINE_BYTES,
        .bytes = lines_estimated(stalls) * CACHE_LINE_BYTES,
        .is_least = stalls->double_lines < DOUBLES_LEAST && stalls->single_lines,
        .cache_bytes = request->machine->code_bytes > 0 ? request->machine->code_bytes : limit->front_bytes,
    };
    lines_find(&footprint, request);
    struct fetches fetches = {0};
    for (size_t at = 0; at < stalls->function_count && stalls->attributed; at++)
        if (!stalls->functions[at].is_kernel && stalls->codes[at].count && stalls->codes[at].marked)
            code_add(&fetches, &stalls->codes[at], footprint.samples);
    if (footprint.samples <= 0)
        return footprint;
    footprint.placed = fetches.all.samples / footprint.samples;
    footprint.spread = fetches.spread.samples / footprint.samples;
    if (fetches.spread.samples >= limit->samples_least && footprint.placed >= limit->front_placed_least)
        waited_find(&footprint, &fetches);
    double even = even_bytes(stalls);
    bool many = footprint.starts_expected >= limit->front_starts_many &&
                even >= limit->front_even_caches * footprint.cache_bytes;
    footprint.is_hidden = many || (request->machine->caches_known && even >= request->machine->l2_bytes);
    if (fetches.all.samples >= limit->samples_least)
        guessed_find(&footprint, &fetches);
    return footprint;
}

bool footprint_waits(const struct footprint *footprint)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    return footprint->waited.known && footprint->bytes >= footprint->cache_bytes &&
           footprint->waited.mid >= limit->front_waited_least && footprint->waited.low > 0;
}

bool footprint_speaks(const struct footprint *footprint)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    bool gathers =
        footprint->line_share >= limit->front_line_share && footprint->least_bytes >= footprint->cache_bytes / 2;
    bool is_flat =
        footprint->line_share >= limit->front_flat_share && footprint->least_bytes >= limit->front_flat_bytes;
    return !footprint->waited.known && footprint->samples >= limit->samples_least &&
           footprint->addresses >= limit->front_addresses && (gathers || is_flat);
}
