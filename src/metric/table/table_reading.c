/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/table/table_reading.h"

#include "metric/table/table_build.h"

#include <ctype.h>

/* perf's generic names, and what vendors call the same. */
static const struct {
    const char *names[3], *vendors[4];
} generic[] = {
    {{"cycles", "cpu-cycles", "cpu_cycles"}, {"cpu_clk_unhalted.thread", "ls_not_halted_cyc", "cpu_cycles"}},
    {{"instructions"}, {"inst_retired.any", "ex_ret_instr", "inst_retired"}},
    {{"ref-cycles"}, {"cpu_clk_unhalted.ref_tsc"}},
    {{"branches", "branch-instructions"}, {"br_inst_retired.all_branches"}},
    {{"branch-misses"}, {"br_misp_retired.all_branches", "ex_ret_brn_misp", "br_mis_pred_retired"}},
};

static struct view generic_undo(const struct metric_table *table, struct view name)
{
    struct view rest = name, base = view_cut(&rest, ':');
    for (size_t at = 0; at < array_count(generic); at++)
        for (size_t word = 0; word < array_count(generic[at].names) && generic[at].names[word]; word++)
            for (size_t vendor = 0; view_equal(base, generic[at].names[word]) && generic[at].vendors[vendor]; vendor++)
                if (table_event_find(table, view_of(generic[at].vendors[vendor])) != TABLE_NONE)
                    return view_of(generic[at].vendors[vendor]);
    return name;
}

/* "uncore_imc_0" is one of "uncore_imc". */
static bool same_pmu(const char *term, const char *read)
{
    if (!term || !read)
        return term == read;
    size_t length = strlen(term);
    return strcmp(term, read) == 0 || (length && strncmp(term, read, length) == 0 && read[length] == '_' &&
                                       isdigit((unsigned char)read[length + 1]));
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_code(const struct event_code *a, const struct event_code *b)
{
    return a->event == b->event && a->umask == b->umask && a->cmask == b->cmask && a->invert == b->invert &&
           a->edge == b->edge && a->any_thread == b->any_thread && a->offcore == b->offcore && a->frontend == b->frontend &&
           a->latency == b->latency && same_text(a->more, b->more);
}

enum { SAME_NOT, SAME_BUT_FOR_PRIVILEGE, SAME };

static int sameness(const struct table_term *term, const struct table_term *read)
{
    bool known = term->code.known && read->code.known;
    bool same = known ? same_pmu(term->pmu, read->pmu) && same_code(&term->code, &read->code)
                      : strcmp(term->name, read->name) == 0;
    if (!same || term->kind != read->kind || term->one_unit != read->one_unit || term->whole_core != read->whole_core)
        return SAME_NOT;
    if (term->user_only == read->user_only && term->kernel_only == read->kernel_only)
        return SAME;
    return !term->user_only && !term->kernel_only && read->user_only ? SAME_BUT_FOR_PRIVILEGE : SAME_NOT;
}

/* perf's tool events, and what options and rows call constants. */
static bool constant_take(struct table_readings *ret, const struct table_reading *reading)
{
    static const struct {
        const char *name;
        enum table_constant constant;
    } names[] = {
        {"duration_time", TABLE_SECONDS},     {"user_time", TABLE_USER_SECONDS},   {"system_time", TABLE_SYSTEM_SECONDS},
        {"smt_on", TABLE_SMT_ON},             {"#smt_on", TABLE_SMT_ON},           {"system_tsc_freq", TABLE_TSC_HZ},
        {"#system_tsc_freq", TABLE_TSC_HZ},   {"num_cpus", TABLE_CPUS},            {"num_cpus_online", TABLE_CPUS_ONLINE},
        {"num_cores", TABLE_CORES},           {"num_dies", TABLE_DIES},            {"num_packages", TABLE_SOCKETS},
        {"slots_per_cycle", TABLE_SLOTS},     {"core_wide", TABLE_CORE_WIDE},      {"has_pmem", TABLE_HAS_PMEM},
    };
    for (size_t at = 0; at < array_count(names); at++) {
        if (strcmp(names[at].name, reading->name) != 0)
            continue;
        bool is_time = names[at].constant >= TABLE_SECONDS && names[at].constant <= TABLE_SYSTEM_SECONDS;
        struct measured value = reading->count;
        /* perf counts times in ns, unless its unit says otherwise */
        if (is_time && value.known)
            value.value *= strcmp(reading->unit, "msec") == 0 ? 1e-3
                           : strcmp(reading->unit, "s") == 0 || strcmp(reading->unit, "sec") == 0 ? 1 : 1e-9;
        if (!ret->inputs.constants[names[at].constant].known)
            ret->inputs.constants[names[at].constant] = value;
        return true;
    }
    return false;
}

/* What follows from the constants that are known. */
static void constants_complete(struct table_inputs *inputs)
{
    struct measured *constants = inputs->constants;
    if (constants[TABLE_SECONDS].known)
        constants[TABLE_MILLISECONDS] = measured_as(constants[TABLE_SECONDS].value * 1000);
    if (constants[TABLE_SECONDS].known && constants[TABLE_TSC_HZ].known && !constants[TABLE_TSC_TICKS].known)
        constants[TABLE_TSC_TICKS] = measured_as(constants[TABLE_SECONDS].value * constants[TABLE_TSC_HZ].value);
    if (constants[TABLE_SMT_ON].known && !constants[TABLE_THREADS_PER_CORE].known)
        constants[TABLE_THREADS_PER_CORE] = measured_as(constants[TABLE_SMT_ON].value != 0 ? 2 : 1);
    if (!constants[TABLE_CPUS].known)
        constants[TABLE_CPUS] = constants[TABLE_CPUS_ONLINE];
}

struct filling {
    struct table_readings *ret;
    struct metric_table *table;
    struct measured *terms;
    size_t term_count; /* of the formulas; those behind are readings' own */
    int *sameness;
};

static void term_give(struct filling *filling, size_t term, const struct table_reading *reading, int same)
{
    struct measured *value = &filling->terms[term];
    if (same < filling->sameness[term])
        return;
    bool adds = value->known && same == filling->sameness[term];
    if (reading->count.known || !value->known)
        *value = adds && reading->count.known ? measured_as(value->value + reading->count.value) : reading->count;
    if (reading->running_ratio < filling->ret->running_ratio[term])
        filling->ret->running_ratio[term] = reading->running_ratio;
    filling->sameness[term] = same;
}

static bool reading_give(struct filling *filling, const struct table_reading *reading, uint32_t read)
{
    bool any = false;
    for (size_t at = 0; at < filling->term_count; at++) {
        int same = sameness(&filling->table->terms.items[at], &filling->table->terms.items[read]);
        if (same == SAME_NOT)
            continue;
        filling->ret->user_only |= same == SAME_BUT_FOR_PRIVILEGE;
        term_give(filling, at, reading, same);
        any = true;
    }
    return any;
}

/* The published mean latency where none was sampled. */
static void latencies_default(struct filling *filling)
{
    for (size_t at = 0; at < filling->term_count; at++) {
        const struct table_term *term = &filling->table->terms.items[at];
        double published = term->event != TABLE_NONE ? filling->table->events.items[term->event].latency_default : 0;
        if (term->kind != TERM_LATENCY || filling->terms[at].known || published <= 0)
            continue;
        filling->terms[at] = measured_as(published);
        filling->ret->latency_default[at] = true;
    }
}

void table_readings_fill(struct table_readings *ret, struct metric_table *table, const struct table_reading *readings,
                         size_t count, const struct measured *constants, struct arena *arena)
{
    size_t terms = table->terms.count;
    *ret = (struct table_readings){.running_ratio = arena_array(arena, double, terms + 1),
                                   .latency_default = arena_array(arena, bool, terms + 1),
                                   .strange = arena_array(arena, const char *, count + 1)};
    struct filling filling = {.ret = ret, .table = table, .term_count = terms,
                              .terms = arena_array(arena, struct measured, terms + count + 1),
                              .sameness = arena_array(arena, int, terms + 1)};
    table_inputs_clear(&ret->inputs);
    for (size_t at = 0; constants && at < TABLE_CONSTANT_COUNT; at++)
        if (constants[at].known)
            ret->inputs.constants[at] = constants[at];
    for (size_t at = 0; at < terms + count; at++)
        filling.terms[at] = not_measured("it was not counted");
    for (size_t at = 0; at < terms; at++)
        ret->running_ratio[at] = 1;
    for (size_t at = 0; at < count; at++) {
        uint32_t read;
        struct error unknown = {0};
        if (constant_take(ret, &readings[at]))
            continue;
        if (!table_term_resolve(table, generic_undo(table, view_of(readings[at].name)), &read, &unknown) ||
            !reading_give(&filling, &readings[at], read))
            ret->strange[ret->strange_count++] = readings[at].name;
    }
    latencies_default(&filling);
    constants_complete(&ret->inputs);
    ret->inputs.terms = filling.terms;
}
