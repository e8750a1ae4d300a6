/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/trace/trace_summary.h"

#include "analyse/trace/branch_predictor.h"
#include "analyse/trace/loop_turns.h"
#include "base/arena.h"
#include "base/cache_line.h"
#include "base/hashmap.h"
#include "statistics/json_interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MET_OFTEN = 16, /* a branch met so often by a predictor has been learnt, if it can be quickly */
    WINDOW = 1000,
    PAGE_BYTES = 4096,
    BURSTS_TO_COMPARE = 4,
    HALF_LEAST = 400, /* guesses in half of a trace, to say that they got better */
};

static const double BETTER = 0.7;      /* the second half's rate of wrong guesses against the first's */
static const double CORRELATED = 0.25; /* of the branches count as independent of one another */

enum guess_kind { GUESS_CONDITIONAL, GUESS_INDIRECT, GUESS_RETURN, GUESS_KINDS };

struct guess { /* of a branch that had been met often */
    uint8_t kind;
    bool wrong;
};

/* The most recently used places, newest first. */
struct recent {
    uint64_t *places;
    uint32_t count, most;
    uint64_t touched_new; /* first touches so far in this burst */
    uint64_t open, missed; /* of all bursts: not to be told, and for certain */
};

struct burst_code { /* what a burst met that none before it had */
    double instructions, new_lines, new_pages;
};

struct site { /* a branch */
    uint64_t ip, met, wrong;
};

struct trace_study {
    struct disassembler *disassembler;
    struct branch_predictor *predictor;
    struct trace_summary sum;
    struct recent lines, pages;
    struct hashmap all_lines, all_pages, all_ips, by_ip;
    struct hashmap burst_lines, burst_pages;
    struct loop_turns turns;
    vec(struct site) sites;
    vec(struct guess) guesses;
    /* wrong guesses at learnt branches per 1000 instructions, burst by burst */
    vec(double) burst_rates[GUESS_KINDS + 1];
    vec(struct burst_code) burst_codes;
    uint64_t full_instructions[2]; /* run after the cache was full of the burst's own lines; pages */
    double window_lines, window_pages;
    uint64_t windows;
};

bool trace_study_new(struct trace_study **ret_study, const char *architecture, uint32_t cache_lines, uint32_t tlb_pages,
                     struct error *err)
{
    struct disassembler *disassembler;
    if (!disassembler_new(&disassembler, architecture, SYNTAX_ATT, err))
        return false;
    struct trace_study *study = memory_alloc(sizeof(*study));
    *study = (struct trace_study){
        .disassembler = disassembler,
        .predictor = branch_predictor_new(),
        .sum = {.cache_lines = cache_lines, .tlb_pages = tlb_pages},
        .lines = {.places = memory_alloc(memory_product(cache_lines, sizeof(uint64_t))), .most = cache_lines},
        .pages = {.places = memory_alloc(memory_product(tlb_pages, sizeof(uint64_t))), .most = tlb_pages},
    };
    *ret_study = study;
    return true;
}

void trace_study_free(struct trace_study *study)
{
    if (!study)
        return;
    disassembler_free(study->disassembler);
    branch_predictor_free(study->predictor);
    free(study->lines.places);
    free(study->pages.places);
    struct hashmap *maps[] = {&study->all_lines, &study->all_pages,   &study->all_ips,
                              &study->by_ip,     &study->burst_lines, &study->burst_pages};
    for (size_t at = 0; at < array_count(maps); at++)
        hashmap_done(maps[at]);
    loop_turns_done(&study->turns);
    vec_done(&study->sites);
    vec_done(&study->guesses);
    vec_done(&study->burst_codes);
    for (int kind = 0; kind <= GUESS_KINDS; kind++)
        vec_done(&study->burst_rates[kind]);
    free(study);
}

/* ---- code footprint ---- */

/* True: it wasn't in there. */
static bool map_meet(struct hashmap *map, uint64_t key)
{
    if (hashmap_find(map, key, NULL, NULL, NULL) != HASHMAP_ABSENT)
        return false;
    hashmap_add(map, key, 0);
    return true;
}

static void map_clear(struct hashmap *map)
{
    hashmap_done(map);
    *map = (struct hashmap){0};
}

static void recent_touch(struct recent *recent, uint64_t place, bool first_in_burst)
{
    uint32_t at = 0;
    while (at < recent->count && recent->places[at] != place)
        at++;
    if (at == recent->count) {
        bool is_full = recent->touched_new >= recent->most;
        recent->missed += is_full || !first_in_burst;
        recent->open += !is_full && first_in_burst;
        if (recent->count < recent->most)
            recent->count++;
        else
            at--;
    }
    memmove(recent->places + 1, recent->places, at * sizeof(*recent->places));
    recent->places[0] = place;
    recent->touched_new += first_in_burst;
}

static void code_touch(struct trace_study *study, uint64_t ip)
{
    uint64_t line = ip / CACHE_LINE_BYTES, page = ip / PAGE_BYTES;
    study->full_instructions[0] += study->lines.touched_new >= study->lines.most;
    study->full_instructions[1] += study->pages.touched_new >= study->pages.most;
    study->sum.code_lines += map_meet(&study->all_lines, line);
    study->sum.code_pages += map_meet(&study->all_pages, page);
    if (!study->lines.count || study->lines.places[0] != line)
        recent_touch(&study->lines, line, map_meet(&study->burst_lines, line));
    if (!study->pages.count || study->pages.places[0] != page)
        recent_touch(&study->pages, page, map_meet(&study->burst_pages, page));
}

static void code_forget(struct trace_study *study)
{
    map_clear(&study->burst_lines);
    map_clear(&study->burst_pages);
    study->lines.count = study->pages.count = 0;
    study->lines.touched_new = study->pages.touched_new = 0;
}

static void windows_count(struct trace_study *study, const struct instruction_trace *trace)
{
    struct hashmap lines = {0}, pages = {0};
    for (size_t at = 0; at + WINDOW <= trace->sequence.count; at += WINDOW) {
        for (size_t in = at; in < at + WINDOW; in++) {
            uint64_t ip = trace->table.items[trace->sequence.items[in]].ip;
            study->window_lines += map_meet(&lines, ip / CACHE_LINE_BYTES);
            study->window_pages += map_meet(&pages, ip / PAGE_BYTES);
        }
        study->windows++;
        map_clear(&lines);
        map_clear(&pages);
    }
}

/* ---- branches ---- */

static struct site *site_of(struct trace_study *study, uint64_t ip)
{
    uint32_t id = hashmap_find(&study->by_ip, ip, NULL, NULL, NULL);
    if (id == HASHMAP_ABSENT) {
        id = (uint32_t)study->sites.count;
        *vec_push(&study->sites) = (struct site){.ip = ip};
        hashmap_add(&study->by_ip, ip, id);
    }
    return &study->sites.items[id];
}

static struct branch_rate *rate_of(struct trace_summary *sum, enum guess_kind kind)
{
    return kind == GUESS_CONDITIONAL ? &sum->conditional : kind == GUESS_INDIRECT ? &sum->indirect : &sum->returns;
}

static void guess_count(struct trace_study *study, enum guess_kind kind, uint64_t ip, bool right, bool known)
{
    struct branch_rate *rate = rate_of(&study->sum, kind);
    struct site *site = site_of(study, ip);
    bool is_warm = known && (kind == GUESS_RETURN || site->met >= MET_OFTEN);
    site->met++;
    site->wrong += !right && is_warm;
    rate->executed++;
    rate->wrong += !right;
    rate->warm += is_warm;
    rate->warm_wrong += is_warm && !right;
    if (is_warm)
        *vec_push(&study->guesses) = (struct guess){(uint8_t)kind, !right};
}

static void branch_meet(struct trace_study *study, const struct instruction *instruction, uint64_t next)
{
    struct branch_predictor *predictor = study->predictor;
    uint64_t ip = instruction->addr, behind = ip + instruction->length;
    bool known = true, right;
    switch (instruction->class) {
    case INSTRUCTION_BRANCH:
        study->sum.taken += next != behind;
        right = branch_predictor_condition(predictor, ip, next != behind);
        guess_count(study, GUESS_CONDITIONAL, ip, right, true);
        return;
    case INSTRUCTION_RETURN:
        study->sum.taken++;
        right = branch_predictor_return(predictor, next, &known);
        guess_count(study, GUESS_RETURN, ip, right, known);
        return;
    case INSTRUCTION_JUMP:
    case INSTRUCTION_CALL:
        study->sum.taken++;
        if (instruction->has_target)
            branch_predictor_path(predictor, next);
        else
            guess_count(study, GUESS_INDIRECT, ip, branch_predictor_indirect(predictor, ip, next), true);
        if (instruction->class == INSTRUCTION_CALL)
            branch_predictor_call(predictor, behind);
        return;
    default:
        return;
    }
}

/* ---- a burst ---- */

static struct instruction *decode_all(struct trace_study *study, const struct instruction_trace *trace)
{
    struct instruction *decoded = memory_alloc(memory_product(trace->table.count + 1, sizeof(*decoded)));
    for (size_t at = 0; at < trace->table.count; at++) {
        const struct traced_instruction *row = &trace->table.items[at];
        if (!disassembler_next(study->disassembler, row->bytes, row->byte_count, row->ip, &decoded[at]))
            decoded[at] = (struct instruction){.addr = row->ip, .length = 1, .class = INSTRUCTION_BAD};
        study->sum.distinct_instructions += map_meet(&study->all_ips, row->ip);
    }
    return decoded;
}

static void rates_keep(struct trace_study *study, const struct trace_summary *before, size_t instructions)
{
    double all = 0;
    if (instructions < WINDOW)
        return; /* a rate of so few says nothing of how bursts differ */
    for (int kind = 0; kind < GUESS_KINDS; kind++) {
        struct trace_summary copy = *before;
        double wrong = (double)(rate_of(&study->sum, kind)->warm_wrong - rate_of(&copy, kind)->warm_wrong);
        *vec_push(&study->burst_rates[kind]) = wrong * 1000 / (double)instructions;
        all += wrong;
    }
    *vec_push(&study->burst_rates[GUESS_KINDS]) = all * 1000 / (double)instructions;
}

void trace_study_add(struct trace_study *study, const struct instruction_trace *trace)
{
    if (!trace->sequence.count)
        return;
    struct instruction *decoded = decode_all(study, trace);
    const struct trace_summary before = study->sum;
    branch_predictor_interrupt(study->predictor);
    code_forget(study);
    for (size_t at = 0; at < trace->sequence.count; at++) {
        const struct instruction *instruction = &decoded[trace->sequence.items[at]];
        study->sum.class_counts[instruction->class]++;
        study->sum.undecoded += instruction->class == INSTRUCTION_BAD;
        code_touch(study, instruction->addr);
        if (at + 1 < trace->sequence.count)
            branch_meet(study, instruction, trace->table.items[trace->sequence.items[at + 1]].ip);
    }
    windows_count(study, trace);
    loop_turns_add(&study->turns, trace, decoded);
    *vec_push(&study->burst_codes) = (struct burst_code){
        .instructions = (double)trace->sequence.count,
        .new_lines = (double)(study->sum.code_lines - before.code_lines),
        .new_pages = (double)(study->sum.code_pages - before.code_pages),
    };
    study->sum.bursts++;
    study->sum.instructions += trace->sequence.count;
    rates_keep(study, &before, trace->sequence.count);
    free(decoded);
}

/* ---- the result ---- */

/* Wrong guesses per guess in the two halves of what was seen, of one kind (GUESS_KINDS: of all). */
static bool got_better(const struct trace_study *study, int kind, double *ret_late_rate)
{
    double count[2] = {0}, wrong[2] = {0};
    uint64_t total = 0, seen = 0;
    vec_for_each(&study->guesses, guess)
        total += kind == GUESS_KINDS || guess->kind == kind;
    vec_for_each(&study->guesses, guess) {
        if (kind != GUESS_KINDS && guess->kind != kind)
            continue;
        int half = seen++ * 2 >= total;
        count[half]++;
        wrong[half] += guess->wrong;
    }
    if (count[0] < HALF_LEAST || count[1] < HALF_LEAST)
        return false;
    double early = wrong[0] / count[0], late = wrong[1] / count[1],
           both = (wrong[0] + wrong[1]) / (count[0] + count[1]);
    double blur = 2.5 * sqrt(both * (1 - both) * (1 / count[0] + 1 / count[1]));
    *ret_late_rate = late;
    return late < early * BETTER && early - late > blur;
}

static void rate_settle(const struct trace_study *study, struct branch_rate *rate, int kind, bool *ret_learning)
{
    double instructions = (double)study->sum.instructions, late;
    double per_1000 = (double)rate->executed * 1000 / instructions; /* branches */
    double high = (double)rate->wrong * 1000 / instructions;
    bool learning = got_better(study, kind, &late);
    if (!rate->warm) {
        rate->per_1000 = interval_of(0, high / 2, high);
        return;
    }
    struct interval share =
        wilson_interval((double)rate->warm_wrong, (double)rate->warm, (double)rate->warm * CORRELATED);
    struct interval spread = quartile_interval(study->burst_rates[kind].items, study->burst_rates[kind].count);
    double low = share.low * (double)rate->warm * 1000 / instructions, mid = (learning ? late : share.mid) * per_1000;
    low = learning ? 0 : spread.known && spread.low < low ? spread.low : low;
    high = fmax(fmax(high, share.high * per_1000), spread.known ? spread.high : 0);
    *ret_learning |= learning;
    rate->per_1000 = interval_of(fmin(low, mid), mid, fmax(high, mid));
}

static struct interval misses_of(const struct recent *recent, uint64_t full_instructions, double instructions)
{
    double low = (double)recent->missed, high = (double)(recent->missed + recent->open);
    /* Once it is full of the burst's own, each miss is known. */
    bool was_full = full_instructions >= WINDOW;
    double mid = was_full ? low / (double)full_instructions : low / instructions;
    low /= instructions;
    high /= instructions;
    return interval_of(low * 1000, fmin(fmax(mid, low), high) * 1000, high * 1000);
}

/*
 * Where all code met so far, with a quarter more, fits at once, what was met in an earlier burst is there still: only
 * what is new to all bursts may miss. How often that is, the later half of them tells; three more, for what chance left
 * out.
 */
static void misses_settle(const struct trace_study *study, struct trace_summary *sum)
{
    double instructions = 0, lines = 3, pages = 3;
    for (size_t at = study->burst_codes.count / 2; at < study->burst_codes.count; at++) {
        instructions += study->burst_codes.items[at].instructions;
        lines += study->burst_codes.items[at].new_lines;
        pages += study->burst_codes.items[at].new_pages;
    }
    if (study->burst_codes.count < BURSTS_TO_COMPARE || instructions < WINDOW)
        return;
    if (sum->code_lines * 5 <= (uint64_t)sum->cache_lines * 4)
        sum->line_misses =
            interval_clamped(sum->line_misses, 0, fmax(lines * 1000 / instructions, sum->line_misses.low));
    if (sum->code_pages * 5 <= (uint64_t)sum->tlb_pages * 4)
        sum->page_misses =
            interval_clamped(sum->page_misses, 0, fmax(pages * 1000 / instructions, sum->page_misses.low));
}

static void loop_settle(const struct trace_study *study, struct trace_summary *sum)
{
    const struct traced_loop *loop = loop_turns_hottest(&study->turns);
    if (!loop || !sum->instructions)
        return;
    sum->loop_ip = loop->head_ip;
    sum->loop_turns = loop->turns;
    sum->loop_entries = loop->entries;
    sum->loop_share = (double)loop->instructions / (double)sum->instructions;
}

void trace_study_result(const struct trace_study *study, struct trace_summary *ret_summary)
{
    struct trace_summary sum = study->sum;
    for (int kind = 0; kind < GUESS_KINDS; kind++) {
        const struct branch_rate *one = rate_of(&sum, kind);
        sum.all.executed += one->executed;
        sum.all.wrong += one->wrong;
        sum.all.warm += one->warm;
        sum.all.warm_wrong += one->warm_wrong;
    }
    if (sum.instructions) {
        double instructions = (double)sum.instructions;
        for (int kind = 0; kind < GUESS_KINDS; kind++)
            rate_settle(study, rate_of(&sum, kind), kind, &sum.still_learning);
        rate_settle(study, &sum.all, GUESS_KINDS, &sum.still_learning);
        sum.line_misses = misses_of(&study->lines, study->full_instructions[0], instructions);
        sum.page_misses = misses_of(&study->pages, study->full_instructions[1], instructions);
        misses_settle(study, &sum);
    }
    sum.lines_per_1000 = study->windows ? study->window_lines / (double)study->windows : 0;
    sum.pages_per_1000 = study->windows ? study->window_pages / (double)study->windows : 0;
    loop_settle(study, &sum);
    uint64_t worst = 0;
    vec_for_each(&study->sites, site) {
        if (site->wrong <= worst)
            continue;
        worst = site->wrong;
        sum.worst_ip = site->ip;
        sum.worst_share = (double)worst / (double)sum.all.warm_wrong;
    }
    *ret_summary = sum;
}

/* ---- in a case ---- */

static void rate_write(struct json_writer *json, const char *key, const struct branch_rate *rate)
{
    json_object_open(json, key);
    json_u64(json, "executed", rate->executed);
    json_u64(json, "wrong", rate->wrong);
    json_u64(json, "learnt", rate->warm);
    json_u64(json, "learnt_wrong", rate->warm_wrong);
    json_interval(json, "wrong_per_1000", rate->per_1000);
    json_object_close(json);
}

void trace_summary_write(struct json_writer *json, const char *key, const struct trace_summary *sum)
{
    json_object_open(json, key);
    json_u64(json, "bursts", sum->bursts);
    json_u64(json, "instructions", sum->instructions);
    json_u64(json, "distinct_instructions", sum->distinct_instructions);
    json_u64(json, "undecoded", sum->undecoded);
    rate_write(json, "conditional", &sum->conditional);
    rate_write(json, "indirect", &sum->indirect);
    rate_write(json, "returns", &sum->returns);
    rate_write(json, "all", &sum->all);
    json_bool(json, "still_learning", sum->still_learning);
    json_u64(json, "worst_ip", sum->worst_ip);
    json_double(json, "worst_share", sum->worst_share);
    json_u64(json, "taken", sum->taken);
    json_u64(json, "code_lines", sum->code_lines);
    json_u64(json, "code_pages", sum->code_pages);
    json_double(json, "lines_per_1000", sum->lines_per_1000);
    json_double(json, "pages_per_1000", sum->pages_per_1000);
    json_u64(json, "cache_lines", sum->cache_lines);
    json_interval(json, "line_misses_per_1000", sum->line_misses);
    json_u64(json, "tlb_pages", sum->tlb_pages);
    json_interval(json, "page_misses_per_1000", sum->page_misses);
    json_u64(json, "loop_ip", sum->loop_ip);
    json_u64(json, "loop_turns", sum->loop_turns);
    json_u64(json, "loop_entries", sum->loop_entries);
    json_double(json, "loop_share", sum->loop_share);
    json_object_open(json, "mix");
    for (int class = 0; class < INSTRUCTION_CLASS_COUNT; class++)
        if (sum->class_counts[class])
            json_u64(json, instruction_class_name(class), sum->class_counts[class]);
    json_object_close(json);
    json_object_close(json);
}

static struct branch_rate rate_read(struct json_value value)
{
    return (struct branch_rate){
        .executed = json_unsigned_or(json_member(value, "executed"), 0),
        .wrong = json_unsigned_or(json_member(value, "wrong"), 0),
        .warm = json_unsigned_or(json_member(value, "learnt"), 0),
        .warm_wrong = json_unsigned_or(json_member(value, "learnt_wrong"), 0),
        .per_1000 = json_interval_or_unknown(json_member(value, "wrong_per_1000")),
    };
}

bool trace_summary_read(struct trace_summary *ret_summary, struct json_value value)
{
    struct trace_summary sum = {
        .bursts = json_unsigned_or(json_member(value, "bursts"), 0),
        .distinct_instructions = json_unsigned_or(json_member(value, "distinct_instructions"), 0),
        .undecoded = json_unsigned_or(json_member(value, "undecoded"), 0),
        .conditional = rate_read(json_member(value, "conditional")),
        .indirect = rate_read(json_member(value, "indirect")),
        .returns = rate_read(json_member(value, "returns")),
        .all = rate_read(json_member(value, "all")),
        .still_learning = json_truth_or(json_member(value, "still_learning"), false),
        .worst_ip = json_unsigned_or(json_member(value, "worst_ip"), 0),
        .worst_share = json_number_or(json_member(value, "worst_share"), 0),
        .taken = json_unsigned_or(json_member(value, "taken"), 0),
        .code_lines = json_unsigned_or(json_member(value, "code_lines"), 0),
        .code_pages = json_unsigned_or(json_member(value, "code_pages"), 0),
        .lines_per_1000 = json_number_or(json_member(value, "lines_per_1000"), 0),
        .pages_per_1000 = json_number_or(json_member(value, "pages_per_1000"), 0),
        .cache_lines = (uint32_t)json_unsigned_or(json_member(value, "cache_lines"), 0),
        .line_misses = json_interval_or_unknown(json_member(value, "line_misses_per_1000")),
        .tlb_pages = (uint32_t)json_unsigned_or(json_member(value, "tlb_pages"), 0),
        .page_misses = json_interval_or_unknown(json_member(value, "page_misses_per_1000")),
        .loop_ip = json_unsigned_or(json_member(value, "loop_ip"), 0),
        .loop_turns = json_unsigned_or(json_member(value, "loop_turns"), 0),
        .loop_entries = json_unsigned_or(json_member(value, "loop_entries"), 0),
        .loop_share = json_number_or(json_member(value, "loop_share"), 0),
    };
    struct json_value mix = json_member(value, "mix");
    for (int class = 0; class < INSTRUCTION_CLASS_COUNT; class++)
        sum.class_counts[class] = json_unsigned_or(json_member(mix, instruction_class_name(class)), 0);
    if (!json_unsigned(json_member(value, "instructions"), &sum.instructions))
        return false;
    *ret_summary = sum;
    return true;
}
