/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with a planted bottleneck on a simulated CPU: rates of all events of a built-in table, so chosen that the table's own
 * formulas lead to one node; a machine's sysfs to spell them with; and the PMU that counts them.
 *
 * Rates are searched by chance, from a seed: small steps that make the nodes of the planted chain larger than their thresholds
 * and than their siblings. Terms of one encoding have one rate, as they would in a processor.
 */
#ifndef PLUMB_TESTS_UNIT_SIMULATED_TABLE_PROGRAM_H
#define PLUMB_TESTS_UNIT_SIMULATED_TABLE_PROGRAM_H

#include "base/vec.h"
#include "capture/counters/pass_subject.h"
#include "made_folder.h"
#include "metric/schedule/schedule_pmu.h"
#include "metric/schedule/table_request.h"
#include "metric/table/table_builtin.h"
#include "metric/term_spec.h"
#include "simulated_pmu.h"
#include "source/live/target.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { TABLE_PROGRAM_PID = 100, TABLE_PROGRAM_CHAIN = 8 };
#define TABLE_PROGRAM_PMU "/sys/bus/event_source/devices/"

struct table_program {
    const char *key;
    unsigned threads;
    struct metric_table table;
    struct arena arena;
    char folder[64];
    struct sysroot root;
    struct schedule_pmu pmu;
    struct measured constants[TABLE_CONSTANT_COUNT];
    struct term_spec *specs;
    uint32_t *same;   /* term: the first term of its encoding */
    double *rates;    /* a second, of each term */
    struct simulated_rule *rules;
    unsigned rule_count;
    struct simulated_plan plan;
    struct simulated_pmu *simulated;
    uint64_t run_ns, start_ns;
    bool attached; /* watched, not started */
};

/* ---- the machine ------------------------------------------------------------------------------------------- */

static void program_machine(struct table_program *program)
{
    static const char *const intel[][2] = {
        {"event", "config:0-7"}, {"umask", "config:8-15"}, {"edge", "config:18"}, {"any", "config:21"}, {"inv", "config:23"},
        {"cmask", "config:24-31"}, {"offcore_rsp", "config1:0-63"}, {"frontend", "config1:0-23"}, {"ldlat", "config1:0-15"}};
    static const char *const amd[][2] = {
        {"event", "config:0-7,32-35"}, {"umask", "config:8-15"}, {"edge", "config:18"}, {"inv", "config:23"}, {"cmask", "config:24-31"}};
    static const char *const arm[][2] = {{"event", "config:0-15"}};
    bool is_amd = strncmp(program->key, "ZEN", 3) == 0, is_arm = strncmp(program->key, "NEO", 3) == 0;
    const char *pmu = is_arm ? "armv8_pmuv3_0" : "cpu";
    const char *const (*formats)[2] = is_amd ? amd : is_arm ? arm : intel;
    size_t count = is_amd ? array_count(amd) : is_arm ? array_count(arm) : array_count(intel);
    char path[256];
    /* In memory where that can be had: hundreds of files for a moment. */
    snprintf(program->folder, sizeof(program->folder), "%s/plumb-program-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    cr_assert(mkdtemp(program->folder));
    snprintf(path, sizeof(path), TABLE_PROGRAM_PMU "%s/type", pmu);
    made_folder_put(program->folder, path, "4\n");
    for (size_t at = 0; at < count; at++) {
        snprintf(path, sizeof(path), TABLE_PROGRAM_PMU "%s/format/%s", pmu, formats[at][0]);
        made_folder_put(program->folder, path, "%s\n", formats[at][1]);
    }
    if (program->pmu.topdown_fields) {
        made_folder_put(program->folder, TABLE_PROGRAM_PMU "cpu/events/slots", "event=0x00,umask=0x4\n");
        made_folder_put(program->folder, TABLE_PROGRAM_PMU "cpu/events/topdown-retiring", "event=0x00,umask=0x80\n");
    }
    if (program->pmu.topdown_fields > 4)
        made_folder_put(program->folder, TABLE_PROGRAM_PMU "cpu/events/topdown-heavy-ops", "event=0x00,umask=0x84\n");
    sysroot_init(&program->root, program->folder);
}

/* ---- rates ------------------------------------------------------------------------------------------------- */

static bool program_field(const struct table_term *term, unsigned *ret_field)
{
    const struct event_code *code = &term->code;
    *ret_field = (unsigned)(code->umask - 0x80);
    return !term->pmu && code->known && !code->event && code->umask >= 0x80 && code->umask <= 0x87;
}

static bool program_is_slots(const struct table_term *term)
{
    return !term->pmu && term->code.known && !term->code.event && term->code.umask == 4 && term->event != TABLE_NONE;
}

/* Fields of PERF_METRICS are parts of the slots, the second four of their first. */
static void program_fields_settle(const struct table_program *program, double *rates)
{
    static const unsigned parent[] = {0, 1, 2, 3, 0, 1, 2, 3};
    double fields[8] = {0}, sum = 0;
    unsigned field;
    for (size_t at = 0; at < program->table.terms.count; at++)
        if (program_field(&program->table.terms.items[at], &field))
            fields[field] = rates[at];
    for (unsigned at = 0; at < 4; at++)
        sum += fields[at];
    for (unsigned at = 4; at < 8; at++)
        fields[at] = fmin(fields[at], fields[parent[at]] * 0.98);
    for (size_t at = 0; at < program->table.terms.count; at++) {
        if (program_field(&program->table.terms.items[at], &field))
            rates[at] = fields[field];
        if (program_is_slots(&program->table.terms.items[at]))
            rates[at] = sum;
    }
}

static void program_rate_set(const struct table_program *program, double *rates, uint32_t term, double rate)
{
    for (size_t at = 0; at < program->table.terms.count; at++)
        if (program->same[at] == program->same[term])
            rates[at] = rate;
}

static struct measured program_term(const struct table_program *program, uint32_t at, double rate)
{
    const struct table_term *term = &program->table.terms.items[at];
    double latency = term->kind == TERM_LATENCY && term->event != TABLE_NONE ? program->table.events.items[term->event].latency_default : 0;
    if (term->kind != TERM_LATENCY)
        return measured_as(rate);
    return latency > 0 ? measured_as(latency) : not_measured("no latency");
}

static struct table_inputs program_inputs(const struct table_program *program, const double *rates, struct arena *arena)
{
    struct table_inputs inputs;
    struct measured *terms = arena_array(arena, struct measured, program->table.terms.count + 1);
    table_inputs_clear(&inputs);
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        if (program->constants[at].known)
            inputs.constants[at] = program->constants[at];
    inputs.constants[TABLE_SECONDS] = measured_as(1);
    inputs.constants[TABLE_MILLISECONDS] = measured_as(1000);
    for (uint32_t at = 0; at < program->table.terms.count; at++)
        terms[at] = program_term(program, at, rates[at]);
    inputs.terms = terms;
    return inputs;
}

static void program_evaluate(const struct table_program *program, const double *rates, struct table_values *values, struct arena *arena)
{
    struct table_inputs inputs = program_inputs(program, rates, arena);
    table_evaluate(&program->table, &inputs, values, arena);
}

/* ---- the search for rates ---------------------------------------------------------------------------------- */

/* Rates and what the table makes of them. A step changes few terms, so only the formulas that these reach are computed anew. */
struct program_state {
    double *rates;
    struct measured *terms;
    struct table_values values;
};

struct program_search {
    const struct table_program *program;
    struct arena arena;
    uint32_t chain[TABLE_PROGRAM_CHAIN];
    size_t count;
    struct table_inputs inputs;
    struct program_state best, tried;
    bool *term_moved, *metric_moved;
    bool *flag_counts; /* of each metric: the score asks whether it is flagged */
};

static bool formula_is_moved(const struct program_search *search, const struct table_formula *formula)
{
    for (size_t at = 0; formula->references && at < formula->expression.name_count; at++) {
        const struct table_reference *reference = &formula->references[at];
        bool is_term = reference->kind == REFERENCE_TERM && search->term_moved[reference->index];
        bool is_metric = reference->kind == REFERENCE_METRIC && search->metric_moved[reference->index];
        if (reference->use == EXPRESSION_USE_VALUE && (is_term || is_metric))
            return true;
    }
    return false;
}

static void search_evaluate(struct program_search *search)
{
    const struct metric_table *table = &search->program->table;
    struct program_state *tried = &search->tried;
    for (uint32_t at = 0; at < table->terms.count; at++) {
        search->term_moved[at] = tried->rates[at] != search->best.rates[at];
        tried->terms[at] = program_term(search->program, at, tried->rates[at]);
    }
    search->inputs.terms = tried->terms;
    for (size_t at = 0; at < table->metrics.count; at++) {
        const uint32_t *metric = &table->order[at];
        search->metric_moved[*metric] = formula_is_moved(search, &table->metrics.items[*metric].value);
        if (search->metric_moved[*metric])
            table_closure_value(table, &(struct table_closure){metric, 1}, &search->inputs, tried->values.metrics);
    }
    for (uint32_t at = 0; at < table->metrics.count; at++)
        if (search->flag_counts[at] && formula_is_moved(search, &table->metrics.items[at].threshold))
            tried->values.flagged[at] = table_threshold_verdict(table, at, &search->inputs, tried->values.metrics);
}

static void state_init(struct program_state *state, struct program_search *search)
{
    size_t terms = search->program->table.terms.count;
    state->rates = arena_copy(&search->arena, search->program->rates, (terms + 1) * sizeof(*state->rates));
    state->terms = arena_array(&search->arena, struct measured, terms + 1);
    table_evaluate(&search->program->table, &search->inputs, &state->values, &search->arena);
}

static void state_copy(const struct program_search *search, struct program_state *into, const struct program_state *from)
{
    size_t terms = search->program->table.terms.count, metrics = search->program->table.metrics.count;
    memcpy(into->rates, from->rates, terms * sizeof(*into->rates));
    memcpy(into->values.metrics, from->values.metrics, metrics * sizeof(*into->values.metrics));
    memcpy(into->values.flagged, from->values.flagged, metrics * sizeof(*into->values.flagged));
}

static double largest_sibling(const struct metric_table *table, const struct table_values *values, uint32_t node)
{
    const struct table_metric *own = &table->metrics.items[node];
    double largest = 0.02;
    for (uint32_t other = 0; other < table->metrics.count; other++) {
        const struct table_metric *metric = &table->metrics.items[other];
        bool sibling = metric->level && other != node && metric->parent == own->parent && metric->level == own->level;
        if (sibling && values->metrics[other].known)
            largest = fmax(largest, values->metrics[other].value);
    }
    return largest;
}

/* How well the chain stands out: the least of its nodes' margins over threshold and siblings. Above 1: flagged, and the largest. */
static double search_score(const struct program_search *search, const struct table_values *values)
{
    const struct metric_table *table = &search->program->table;
    double score = 0;
    for (size_t at = 0; at < search->count; at++) {
        struct measured value = values->metrics[search->chain[at]];
        double own = value.known ? value.value : 0, margin = own > 0.95 ? 0.95 - own : own;
        score += fmin(margin - 1.3 * largest_sibling(table, values, search->chain[at]), 0.2);
        score += values->flagged[search->chain[at]] == EXPRESSION_YES ? 0.5 : 0;
    }
    /* shares are shares, and nothing below the leaf stands out */
    for (uint32_t other = 0; other < table->metrics.count; other++) {
        const struct table_metric *metric = &table->metrics.items[other];
        bool share = metric->level && strcmp(metric->unit, "%") == 0;
        if (share && values->metrics[other].known && (values->metrics[other].value > 1 || values->metrics[other].value < -0.01))
            score -= 0.05;
        if (metric->level && metric->parent == search->chain[search->count - 1] && values->flagged[other] == EXPRESSION_YES)
            score -= 0.5;
    }
    return score;
}

static void program_rates_begin(struct table_program *program, unsigned short *seed)
{
    for (uint32_t at = 0; at < program->table.terms.count; at++) {
        unsigned field;
        const char *name = program->table.terms.items[at].name;
        double rate = 3e9 * pow(10, -1 - 1.5 * erand48(seed));
        if (program_field(&program->table.terms.items[at], &field))
            rate = field < 4 ? 18e9 / 4 : 1e9;
        if (strcmp(name, "cpu_clk_unhalted.thread") == 0 || strcmp(name, "ls_not_halted_cyc") == 0 || strcmp(name, "cpu_cycles") == 0 ||
            strstr(name, "cpu_clk_unhalted.ref_tsc") || strstr(name, "cpu_clk_unhalted.distributed") || strcmp(name, "cpu_clk_unhalted.thread_any") == 0)
            rate = 3e9;
        if (program->same[at] == at)
            program_rate_set(program, program->rates, at, rate);
    }
    program_fields_settle(program, program->rates);
}

static bool program_movable(const struct table_program *program, uint32_t term)
{
    const char *name = program->table.terms.items[term].name;
    return program->same[term] == term && !strstr(name, "cpu_clk_unhalted.thread") && !strstr(name, "ls_not_halted") && strcmp(name, "cpu_cycles") != 0 &&
           !strstr(name, "ref_tsc") && !strstr(name, "distributed") && program->table.terms.items[term].kind == TERM_COUNT;
}

/* The chain's and its siblings' terms, from which the search picks. */
static size_t program_terms(const struct table_program *program, const uint32_t *chain, size_t count, uint32_t *ret)
{
    bool *needed = calloc(program->table.terms.count + 1, sizeof(bool));
    size_t terms = 0;
    for (uint32_t metric = 0; metric < program->table.metrics.count; metric++)
        for (size_t at = 0; at < count; at++) {
            const struct table_metric *item = &program->table.metrics.items[metric];
            bool near = item->level && (metric == chain[at] || item->parent == chain[at] || item->level == 1);
            if (near)
                table_terms_needed(&program->table, metric, NULL, needed);
        }
    for (uint32_t at = 0; at < program->table.terms.count; at++)
        if (needed[at] && program_movable(program, at))
            ret[terms++] = at;
    free(needed);
    return terms;
}

static size_t program_chain(const struct table_program *program, const char *leaf, uint32_t *ret)
{
    uint32_t node = table_metric_find(&program->table, view_of(leaf)), reversed[TABLE_PROGRAM_CHAIN];
    size_t count = 0;
    cr_assert_neq(node, TABLE_NONE, "%s has no node %s", program->key, leaf);
    for (; node != TABLE_NONE && count < TABLE_PROGRAM_CHAIN; node = program->table.metrics.items[node].parent)
        reversed[count++] = node;
    for (size_t at = 0; at < count; at++)
        ret[at] = reversed[count - 1 - at];
    return count;
}

/* Where the rates themselves lead: down along the largest flagged node. */
static uint32_t program_leaf(const struct table_program *program)
{
    struct arena arena;
    struct table_values values;
    uint32_t leaf = TABLE_NONE;
    arena_init(&arena);
    program_evaluate(program, program->rates, &values, &arena);
    for (;;) {
        uint32_t best = TABLE_NONE;
        for (uint32_t at = 0; at < program->table.metrics.count; at++) {
            const struct table_metric *metric = &program->table.metrics.items[at];
            bool below = leaf == TABLE_NONE ? metric->level == 1 : metric->level && metric->parent == leaf;
            if (below && values.flagged[at] == EXPRESSION_YES && (best == TABLE_NONE || values.metrics[at].value > values.metrics[best].value))
                best = at;
        }
        if (best == TABLE_NONE)
            break;
        leaf = best;
    }
    arena_done(&arena);
    return leaf;
}

static void search_move(struct program_search *search, unsigned short *seed, const uint32_t *movable, size_t choices)
{
    unsigned moves = 1 + (unsigned)(erand48(seed) * 3);
    for (unsigned move = 0; move < moves; move++) {
        uint32_t term = movable[(size_t)(erand48(seed) * (double)choices)];
        double rate = fmin(search->tried.rates[term] * pow(10, 1.6 * erand48(seed) - 0.8), 2e10);
        program_rate_set(search->program, search->tried.rates, term, rate);
    }
    program_fields_settle(search->program, search->tried.rates);
}

/* One search; false: the chain doesn't stand out. */
static bool program_plant_once(struct table_program *program, const char *leaf, unsigned number)
{
    unsigned short seed[3] = {(unsigned short)number, 99, 7};
    size_t terms = program->table.terms.count;
    struct program_search search = {.program = program};
    program_rates_begin(program, seed);
    arena_init(&search.arena);
    search.count = program_chain(program, leaf, search.chain);
    search.inputs = program_inputs(program, program->rates, &search.arena);
    search.term_moved = arena_array(&search.arena, bool, terms + 1);
    search.metric_moved = arena_array(&search.arena, bool, program->table.metrics.count + 1);
    search.flag_counts = arena_array(&search.arena, bool, program->table.metrics.count + 1);
    for (uint32_t at = 0; at < program->table.metrics.count; at++)
        search.flag_counts[at] = program->table.metrics.items[at].level && program->table.metrics.items[at].parent == search.chain[search.count - 1];
    for (size_t at = 0; at < search.count; at++)
        search.flag_counts[search.chain[at]] = true;
    state_init(&search.best, &search);
    state_init(&search.tried, &search);
    uint32_t *movable = arena_array(&search.arena, uint32_t, terms + 1);
    size_t choices = program_terms(program, search.chain, search.count, movable);
    double best = search_score(&search, &search.best.values);
    for (unsigned step = 0; step < 5000 && best < 0.68 * (double)search.count; step++) {
        search_move(&search, seed, movable, choices);
        search_evaluate(&search);
        double score = search_score(&search, &search.tried.values);
        bool better = score >= best;
        best = better ? score : best;
        state_copy(&search, better ? &search.best : &search.tried, better ? &search.tried : &search.best);
    }
    memcpy(program->rates, search.best.rates, terms * sizeof(*program->rates));
    uint32_t end = search.chain[search.count - 1];
    bool stands_out = best > 0.55 * (double)search.count && program_leaf(program) == end;
    arena_done(&search.arena);
    return stands_out;
}

__attribute__((unused)) static bool program_plant(struct table_program *program, const char *leaf, unsigned number)
{
    for (unsigned seed = 0; seed < 6; seed++)
        if (program_plant_once(program, leaf, number + 1000 * seed))
            return true;
    return false;
}

/* ---- the PMU ----------------------------------------------------------------------------------------------- */

static void program_rules(struct table_program *program)
{
    struct schedule_request request;
    schedule_request_of_table(&request, &program->table, NULL, 0, &program->pmu, NULL, &program->arena);
    program->rules = arena_array(&program->arena, struct simulated_rule, program->table.terms.count + 2);
    for (size_t at = 0; at < program->table.terms.count; at++) {
        const struct schedule_event *event = &request.events[at];
        if (program->specs[at].count != 1 || program->same[at] != at)
            continue;
        static const enum simulated_register registers[] = {
            [SCHEDULE_OFFCORE] = SIMULATED_OFFCORE, [SCHEDULE_FRONTEND] = SIMULATED_FRONTEND, [SCHEDULE_LATENCY] = SIMULATED_LATENCY};
        program->rules[program->rule_count++] = (struct simulated_rule){
            .type = program->specs[at].specs[0].attr.type, .config = program->specs[at].specs[0].attr.config,
            .needs = event->kind == SCHEDULE_TOPDOWN ? SIMULATED_METRIC : SIMULATED_HARDWARE,
            .counters = event->kind == SCHEDULE_SLOTS ? 0 : event->counters, .fixed = event->fixed,
            .needs_register = registers[event->needs], .per_second = program->rates[at]};
    }
}

/* Once more after the table was changed. */
static void program_specs_find(struct table_program *program)
{
    size_t terms = program->table.terms.count;
    program->specs = arena_array(&program->arena, struct term_spec, terms + 1);
    program->same = arena_array(&program->arena, uint32_t, terms + 1);
    program->rates = arena_array(&program->arena, double, terms + 1);
    term_specs_find(program->specs, &program->table, NULL, &program->root, &program->arena);
    for (size_t at = 0; at < terms; at++) {
        program->same[at] = (uint32_t)at;
        for (size_t first = 0; first < at && program->specs[at].count == 1 && program->same[at] == at; first++)
            if (program->specs[first].count == 1 && program->specs[first].specs[0].attr.config == program->specs[at].specs[0].attr.config &&
                program->specs[first].specs[0].attr.type == program->specs[at].specs[0].attr.type)
                program->same[at] = (uint32_t)first;
    }
}

/* The machine's sysfs stops listing slots: a guest. */
__attribute__((unused)) static void unlink_topdown(const struct table_program *program)
{
    static const char *const names[] = {"slots", "topdown-retiring", "topdown-heavy-ops"};
    for (size_t at = 0; at < array_count(names); at++) {
        char path[256];
        snprintf(path, sizeof(path), "%s" TABLE_PROGRAM_PMU "cpu/events/%s", program->folder, names[at]);
        remove(path);
    }
}

/* What is counted beside any formula's events, so that the PMU must know it. */
static const char *const counted_besides[] = {"inst_retired.any", "ex_ret_instr", "inst_retired", "cpu_clk_unhalted.thread", "ls_not_halted_cyc",
                                              "cpu_cycles"};

static void table_program_init(struct table_program *program, const char *key, unsigned threads)
{
    *program = (struct table_program){.key = key, .threads = threads, .run_ns = 2000000000};
    arena_init(&program->arena);
    cr_assert(metric_table_builtin(&program->table, key, TABLE_WHOLE), "%s", key);
    cr_assert(schedule_pmu_of_model(key, threads, &program->pmu), "%s", key);
    program_machine(program);
    for (size_t at = 0; at < array_count(counted_besides); at++) {
        uint32_t term;
        struct error unknown = {0}; /* another vendor's */
        bool known = table_event_find(&program->table, view_of(counted_besides[at])) != TABLE_NONE &&
                     table_term_resolve(&program->table, view_of(counted_besides[at]), &term, &unknown);
        (void)known;
    }
    program_specs_find(program);
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        program->constants[at] = not_measured("not said");
    program->constants[TABLE_SMT_ON] = measured_as(threads > 1);
    program->constants[TABLE_TSC_HZ] = measured_as(2e9);
    program->constants[TABLE_SLOTS] = measured_as(8);
}
/* After the rates are chosen; plan's rules and counters are the program's. */
static void table_program_start(struct table_program *program, struct simulated_plan plan)
{
    if (!program->rule_count)
        program_rules(program);
    program->plan = plan;
    program->plan.rules = program->rules;
    program->plan.rule_count = program->rule_count;
    program->plan.programmable = program->plan.programmable ? program->plan.programmable : (unsigned)__builtin_popcount(program->pmu.general);
    program->plan.fixed = (unsigned)__builtin_popcount(program->pmu.fixed);
    program->plan.step_ns = 500;
    program->plan.registers[SIMULATED_OFFCORE] = 2;
    program->plan.registers[SIMULATED_FRONTEND] = 1;
    program->plan.registers[SIMULATED_LATENCY] = 1;
    program->plan.topdown_steps = SIMULATED_ROUNDED;
    program->simulated = simulated_pmu_new(&program->plan);
}

static void table_program_done(struct table_program *program)
{
    if (program->simulated) {
        cr_expect_eq(simulated_pmu_open_count(program->simulated), 0, "descriptors leak");
        simulated_pmu_free(program->simulated);
    }
    metric_table_done(&program->table);
    arena_done(&program->arena);
    made_folder_remove(program->folder);
}

/* ---- how it runs ------------------------------------------------------------------------------------------- */

static bool program_start(void *context, struct target *ret_target, struct arena *arena, struct error *err)
{
    struct table_program *program = context;
    (void)err;
    target_of_workload(ret_target, TABLE_PROGRAM_PID, arena);
    ret_target->kind = program->attached ? TARGET_THREADS : TARGET_WORKLOAD;
    program->start_ns = simulated_pmu_now_ns(program->simulated);
    return true;
}

static bool program_release(void *context, struct error *err)
{
    struct table_program *program = context;
    (void)err;
    if (!program->attached)
        simulated_pmu_exec(program->simulated, TABLE_PROGRAM_PID);
    program->start_ns = simulated_pmu_now_ns(program->simulated);
    return true;
}

static bool program_wait(void *context, uint64_t most_ns)
{
    struct table_program *program = context;
    uint64_t gone = simulated_pmu_now_ns(program->simulated) - program->start_ns;
    uint64_t left = gone < program->run_ns ? program->run_ns - gone : 0;
    simulated_pmu_run(program->simulated, most_ns < left ? most_ns : left);
    return most_ns >= left;
}

static uint64_t program_now(void *context)
{
    const struct table_program *program = context;
    return simulated_pmu_now_ns(program->simulated);
}

static int program_finish(void *context)
{
    (void)context;
    return 0;
}

__attribute__((unused)) static struct pass_subject table_program_subject(struct table_program *program)
{
    return (struct pass_subject){.context = program, .start = program_start, .release = program_release, .wait = program_wait,
                                 .now_ns = program_now, .finish = program_finish};
}

#endif
