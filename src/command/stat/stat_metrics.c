/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -M, --topdown, and the first level of the tree that plain stat shows: which events metrics take, and what they are
 * worth.
 */
#include "command/stat/stat.h"

#include "analyse/counts/count_metrics.h"
#include "base/scope.h"
#include "base/vec.h"
#include "capture/counters/counter_trial.h"
#include "command/topdown/topdown_machine.h"
#include "metric/schedule/table_request.h"
#include "metric/table/metric_name.h"
#include "metric/table/table_choice.h"
#include "metric/term_spec.h"

#include <string.h>

struct stat_metrics {
    struct topdown_machine machine;
    vec(uint32_t) chosen;     /* metrics of the table */
    vec(const char *) problems; /* "tma_x: why it isn't measured" */
    vec(const char *) remarks;
    vec(uint32_t) row_terms;
    vec(size_t) row_groups;
    vec(struct count_metric_asked) asked;
    struct count_metrics metrics;
    struct term_spec *specs;
    struct schedule_request request;
    struct schedule schedule;
    struct error unmeasured;  /* why there are no metrics at all */
    bool said;
};

/* ---- which ---- */

static bool is_chosen(const struct stat_metrics *own, uint32_t metric)
{
    for (size_t at = 0; at < own->chosen.count; at++)
        if (own->chosen.items[at] == metric)
            return true;
    return false;
}

static bool word_choose(struct stat_metrics *own, struct view word, struct error *err)
{
    const struct metric_table *table = &own->machine.table;
    bool any = false;
    for (uint32_t at = 0; at < table->metrics.count; at++) {
        if (!view_equal(word, "all") && !metric_is_meant(table, &table->metrics.items[at], word))
            continue;
        any = true;
        if (!is_chosen(own, at))
            *vec_push(&own->chosen) = at;
    }
    if (any)
        return true;
    error_set(err, ERROR_NOT_FOUND, "%s has no metric and no group of metrics '%.*s'", table->key, (int)word.length,
              word.text);
    return error_hint(err, "plumb list --metrics shows them, plumb list metricgroup their groups");
}

static unsigned deepest_level(const struct metric_table *table)
{
    unsigned deepest = 0;
    vec_for_each(&table->metrics, metric)
        deepest = metric->level > deepest ? metric->level : deepest;
    return deepest;
}

/* --topdown [--td-level N]: all nodes of that level, as perf has it. */
static bool level_choose(struct stat_run *run, struct stat_metrics *own, struct error *err)
{
    const struct metric_table *table = &own->machine.table;
    unsigned deepest = deepest_level(table);
    uint64_t level = run->options.topdown_level ? run->options.topdown_level : 1;
    if (level > deepest)
        return error_set(err, ERROR_USAGE, "--td-level: the tree of %s has %u levels, not %llu", table->key, deepest,
                         (unsigned long long)level);
    char group[32];
    snprintf(group, sizeof(group), "TopdownL%u", (unsigned)level);
    return word_choose(own, view_of(group), err);
}

static bool words_choose(struct stat_run *run, struct stat_metrics *own, struct error *err)
{
    bool good = true;
    for (size_t at = 0; good && at < run->options.metrics.count; at++) {
        struct view rest = view_of(run->options.metrics.items[at]);
        while (good && rest.length) {
            struct view word = view_trim(view_cut(&rest, ','));
            good = !word.length || word_choose(own, word, err);
        }
    }
    return good && (!run->options.topdown || level_choose(run, own, err));
}

/* ---- what they take ---- */

static void problem_add(struct stat_run *run, uint32_t metric, const char *why)
{
    struct stat_metrics *own = run->own_metrics;
    scoped_text struct text name = {0};
    metric_perf_name(&own->machine.table, &own->machine.table.metrics.items[metric], &name);
    *vec_push(&own->problems) = arena_printf(&run->arena, "%s: %s", text_string(&name), why);
}

/* Why a metric can't be had here; NULL: it can. */
static const char *why_not(struct stat_run *run, uint32_t metric, const bool *needed)
{
    const struct stat_metrics *own = run->own_metrics;
    const struct metric_table *table = &own->machine.table;
    if (table->metrics.items[metric].problem)
        return table->metrics.items[metric].problem;
    for (size_t term = 0; term < table->terms.count; term++)
        if (needed[term] && table->terms.items[term].kind == TERM_COUNT && !own->specs[term].count)
            return arena_printf(&run->arena, "%s: %s", table->terms.items[term].name, own->specs[term].why_not);
    return NULL;
}

/* Leave out what can't be counted here, with the reason. */
static void chosen_sift(struct stat_run *run)
{
    struct stat_metrics *own = run->own_metrics;
    size_t kept = 0, terms = own->machine.table.terms.count;
    own->specs = arena_array(&run->arena, struct term_spec, terms + 1);
    term_specs_find(own->specs, &own->machine.table, NULL, run->context->root, &run->arena);
    for (size_t at = 0; at < own->chosen.count; at++) {
        bool *needed = arena_array(&run->arena, bool, terms + 1);
        table_terms_needed(&own->machine.table, own->chosen.items[at], own->machine.constants, needed);
        const char *why = why_not(run, own->chosen.items[at], needed);
        if (why)
            problem_add(run, own->chosen.items[at], why);
        else
            own->chosen.items[kept++] = own->chosen.items[at];
    }
    own->chosen.count = kept;
}

static void watchdog_heed(struct stat_run *run, struct schedule_pmu *pmu)
{
    uint64_t on = 0;
    if (sysroot_u64(run->context->root, &on, "/proc/sys/kernel/nmi_watchdog") && on)
        (void)!schedule_pmu_give_up(pmu, 0);
}

/* ---- rows ---- */

static const char *row_name(const struct stat_metrics *own, uint32_t term)
{
    const struct table_term *item = &own->machine.table.terms.items[term];
    const char *kernel_name = table_term_topdown_name(&own->machine.table, item);
    return kernel_name ? kernel_name : item->name;
}

static void row_add(struct stat_run *run, uint32_t term, size_t group, int event_group)
{
    struct stat_metrics *own = run->own_metrics;
    for (size_t at = 0; at < own->specs[term].count; at++) {
        struct event_spec spec = own->specs[term].specs[at];
        spec.name = row_name(own, term);
        spec.group = event_group;
        spec.weak_group = event_group != EVENT_NO_GROUP;
        *vec_push(&run->events) = spec;
        *vec_push(&own->row_terms) = term;
        *vec_push(&own->row_groups) = group;
    }
}

static void group_rows(struct stat_run *run, size_t index)
{
    const struct schedule_group *group = &run->own_metrics->schedule.groups[index];
    bool together = group->count > 1 && !run->options.metric_no_group;
    int event_group = together ? run->events.group_count++ : EVENT_NO_GROUP;
    for (size_t at = 0; at < group->count; at++)
        row_add(run, group->events[at], index, event_group);
}

/* Events that take no counter of the cores. */
static void outside_rows(struct stat_run *run)
{
    struct stat_metrics *own = run->own_metrics;
    size_t terms = own->machine.table.terms.count;
    bool *needed = arena_array(&run->arena, bool, terms + 1);
    for (size_t at = 0; at < own->chosen.count; at++)
        table_terms_needed(&own->machine.table, own->chosen.items[at], own->machine.constants, needed);
    for (uint32_t term = 0; term < terms; term++)
        if (needed[term] && own->request.events[term].kind == SCHEDULE_OUTSIDE &&
            own->machine.table.terms.items[term].kind == TERM_COUNT)
            row_add(run, term, COUNT_METRIC_ACROSS, EVENT_NO_GROUP);
}

/* Beside which row a metric stands: the first of its group that it needs. */
static size_t row_beside(struct stat_run *run, const struct count_metric_asked *asked)
{
    const struct stat_metrics *own = run->own_metrics;
    bool *needed = arena_array(&run->arena, bool, own->machine.table.terms.count + 1);
    table_terms_needed(&own->machine.table, asked->metric, own->machine.constants, needed);
    for (size_t row = 0; row < own->row_terms.count; row++)
        if (own->row_terms.items[row] != TABLE_NONE && needed[own->row_terms.items[row]] &&
            (asked->group == COUNT_METRIC_ACROSS || own->row_groups.items[row] == asked->group))
            return row;
    return SIZE_MAX;
}

static void asked_add(struct stat_run *run, size_t at)
{
    struct stat_metrics *own = run->own_metrics;
    const struct schedule_place *place = &own->schedule.places[at];
    scoped_text struct text name = {0};
    struct count_metric_asked asked = {.metric = own->chosen.items[at], .group = COUNT_METRIC_ACROSS};
    if (place->fit == SCHEDULE_REFUSED) {
        problem_add(run, asked.metric, place->why);
        return;
    }
    if (place->fit == SCHEDULE_TOGETHER && place->group_count && !run->options.metric_no_group)
        asked.group = place->groups[0];
    metric_perf_name(&own->machine.table, &own->machine.table.metrics.items[asked.metric], &name);
    asked.name = arena_string(&run->arena, text_string(&name));
    asked.row = row_beside(run, &asked);
    if (asked.row != SIZE_MAX)
        *vec_push(&own->asked) = asked;
    else
        problem_add(run, asked.metric, "it takes no counter, and stands beside none");
}

/* Terms that one event counts, as the trial opens them. */
static struct event_spec *trial_specs(struct stat_run *run)
{
    const struct stat_metrics *own = run->own_metrics;
    struct event_spec *specs = arena_array(&run->arena, struct event_spec, own->machine.table.terms.count + 1);
    for (size_t at = 0; at < own->machine.table.terms.count; at++)
        if (own->specs[at].count == 1)
            specs[at] = own->specs[at].specs[0];
    return specs;
}

/*
 * What the counters of this machine can take now, found by trying: others may hold some. Where that can't be tried, as
 * the watchdog's switch says. ret_schedule is of all metrics together.
 */
static bool counters_find(struct stat_run *run, bool try, struct schedule_pmu *pmu, struct schedule *ret_schedule,
                          struct error *err)
{
    struct stat_metrics *own = run->own_metrics;
    struct counter_trial trial;
    struct error untried = {0};
    if (try &&
        counter_trial_run(&trial, ret_schedule, &own->request, trial_specs(run), run->context->kernel,
                          run->context->root, &run->arena, &untried) &&
        trial.never_ran < ret_schedule->group_count) {
        for (size_t at = 0; at < trial.given_up_count; at++)
            *vec_push(&own->remarks) =
                arena_printf(&run->arena, "others hold counters: this was done without %s", trial.given_up[at]);
        *pmu = trial.pmus[0];
        return true;
    }
    watchdog_heed(run, pmu);
    return schedule_build(ret_schedule, &own->request, &run->arena, err);
}

/* --metric-no-merge: the schedules of single metrics, one behind the other. */
static bool schedule_apart(struct stat_run *run, struct error *err)
{
    struct stat_metrics *own = run->own_metrics;
    size_t metrics = own->request.metric_count;
    struct schedule *single = arena_array(&run->arena, struct schedule, metrics + 1);
    struct schedule whole = {.places = arena_array(&run->arena, struct schedule_place, metrics + 1)};
    for (size_t at = 0; at < metrics; at++) {
        struct schedule_request alone = own->request;
        alone.metrics = &own->request.metrics[at];
        alone.metric_count = 1;
        if (!schedule_build(&single[at], &alone, &run->arena, err))
            return false;
        whole.places[at] = single[at].places[0];
        for (size_t group = 0; group < whole.places[at].group_count; group++)
            whole.places[at].groups[group] += (uint32_t)whole.group_count;
        whole.group_count += single[at].group_count;
    }
    whole.groups = arena_array(&run->arena, struct schedule_group, whole.group_count + 1);
    for (size_t at = 0, group = 0; at < metrics; group += single[at++].group_count)
        for (size_t part = 0; part < single[at].group_count; part++)
            whole.groups[group + part] = single[at].groups[part];
    own->schedule = whole;
    return true;
}

static bool rows_add(struct stat_run *run, bool by_default, struct error *err)
{
    struct stat_metrics *own = run->own_metrics;
    struct schedule_pmu *pmu = arena_copy(&run->arena, &own->machine.pmu, sizeof(*pmu));
    chosen_sift(run);
    if (!own->chosen.count)
        return true;
    schedule_request_of_table(&own->request, &own->machine.table, own->chosen.items, own->chosen.count, pmu,
                              own->machine.constants, &run->arena);
    if (!counters_find(run, !by_default, pmu, &own->schedule, err) ||
        (run->options.metric_no_merge && !schedule_apart(run, err)))
        return false;
    for (size_t at = 0; at < own->schedule.group_count; at++)
        group_rows(run, at);
    outside_rows(run);
    for (size_t at = 0; at < own->chosen.count; at++)
        asked_add(run, at);
    return true;
}

/* ---- for stat's other parts ---- */

bool stat_metrics_wanted(const struct stat_run *run)
{
    return run->options.metrics.count || run->options.topdown;
}

/* Slots and their shares cost no counter where sysfs lists them: then plain stat shows them. */
bool stat_metrics_suit(const struct stat_run *run)
{
    const struct stat_options *options = &run->options;
    return !options->events.count && !options->detailed && !options->null_run &&
           term_topdown_fields(run->context->root) > 0;
}

/* Without counters a wrong name is still wrong: the CPU's tables know. */
static bool metrics_misnamed(struct stat_run *run, struct error *err)
{
    struct stat_metrics *own = run->own_metrics;
    const struct table_choice choice = {.folder = run->options.tables, .extent = TABLE_EVENTS_ONLY};
    struct error unknown = {0};
    own->machine.has_table = metric_table_choose(&own->machine.table, &choice, run->context->root, &unknown);
    return own->machine.has_table && !words_choose(run, own, err);
}

bool stat_metrics_prepare(struct stat_run *run, bool by_default, struct error *err)
{
    struct stat_metrics *own = run->own_metrics = arena_new(&run->arena, struct stat_metrics);
    struct error reason = {0};
    size_t before = run->events.count;
    bool good =
        topdown_machine_find(&own->machine, run->options.tables, run->context->kernel, run->context->root, &reason) &&
        (own->machine.has_table ||
         error_set(&reason, ERROR_NOT_FOUND, "%s",
                   own->machine.notes.count ? own->machine.notes.items[0] : "there are no tables for this CPU"));
    for (size_t at = 0; at < before; at++) {
        *vec_push(&own->row_terms) = TABLE_NONE;
        *vec_push(&own->row_groups) = COUNT_METRIC_ACROSS;
    }
    if (good && by_default) {
        struct error nothing = {0};
        good = word_choose(own, VIEW("TopdownL1"), &nothing) && rows_add(run, true, &nothing);
        own->problems.count = 0; /* nobody asked for them */
    } else if (good) {
        good = words_choose(run, own, &reason) && rows_add(run, false, &reason);
    }
    if (!good && by_default)
        return true;
    if (!good && !own->machine.has_table && metrics_misnamed(run, err))
        return false;
    if (!good && (reason.kind == ERROR_UNSUPPORTED || reason.kind == ERROR_PERMISSION)) {
        own->unmeasured = reason; /* the program runs all the same */
        return true;
    }
    if (!good) {
        *err = reason;
        return false;
    }
    own->metrics = (struct count_metrics){.table = &own->machine.table,
                                          .constants = own->machine.constants,
                                          .row_terms = own->row_terms.items,
                                          .row_groups = own->row_groups.items,
                                          .row_count = own->row_terms.count,
                                          .asked = own->asked.items,
                                          .asked_count = own->asked.count};
    return true;
}

void stat_metrics_compute(struct stat_run *run, struct count_report *report, struct arena *arena)
{
    if (run->own_metrics && run->own_metrics->asked.count)
        count_metrics_find(report, &run->own_metrics->metrics, report->elapsed_ns / 1e9, arena);
}

/* A metric asked for that stands nowhere in the report: which of its events wasn't counted. */
static const char *event_uncounted(struct stat_run *run, const struct count_report *report,
                                   const struct count_metric_asked *asked)
{
    const struct stat_metrics *own = run->own_metrics;
    bool *needed = arena_array(&run->arena, bool, own->machine.table.terms.count + 1);
    table_terms_needed(&own->machine.table, asked->metric, own->machine.constants, needed);
    for (size_t at = 0; at < report->line_count; at++) {
        uint32_t term = own->row_terms.items[report->lines[at].row % own->row_terms.count];
        if (term != TABLE_NONE && needed[term] && report->lines[at].status != COUNT_COUNTED)
            return report->lines[at].event;
    }
    return NULL;
}

static bool is_shown(const struct count_report *report, const char *name)
{
    for (size_t at = 0; at < report->line_count; at++)
        for (size_t metric = 0; metric < report->lines[at].metric_count; metric++)
            if (strcmp(report->lines[at].metrics[metric].name, name) == 0)
                return true;
    return false;
}

/* Which metrics have that quality, each named once. */
static const char *names_of_quality(struct stat_run *run, const struct count_report *report, const char *quality)
{
    const struct stat_metrics *own = run->own_metrics;
    const char *names = "";
    for (size_t at = 0; at < own->asked.count; at++) {
        bool found = false;
        for (size_t line = 0; line < report->line_count && !found; line++)
            for (size_t metric = 0; metric < report->lines[line].metric_count && !found; metric++)
                found = strcmp(report->lines[line].metrics[metric].name, own->asked.items[at].name) == 0 &&
                        strcmp(report->lines[line].metrics[metric].quality, quality) == 0;
        if (found)
            names = arena_printf(&run->arena, "%s%s%s", names, names[0] ? ", " : "", own->asked.items[at].name);
    }
    return names;
}

/* Lines of fields and columns of metrics have no place for it. */
static void qualities_say(struct stat_run *run, const struct count_report *report)
{
    static const struct {
        const char *quality, *what, *about;
    } rows[] = {
        {"scaled", "scaled", "counted for part of the time only, as groups of events took turns"},
        {"cross-group", "cross-group",
         "put together from events that were counted at different times, and scaled: a program whose phases follow the "
         "turns shows something else (plumb topdown runs it again for each group)"},
    };
    for (size_t at = 0; at < array_count(rows); at++) {
        const char *names = names_of_quality(run, report, rows[at].quality);
        if (names[0])
            stat_line_say(run, rows[at].what, arena_printf(&run->arena, "%s: %s", names, rows[at].about));
    }
}

void stat_metrics_say(struct stat_run *run, const struct count_report *report)
{
    struct stat_metrics *own = run->own_metrics;
    if (!own || own->said)
        return;
    own->said = true;
    if (own->unmeasured.message[0]) {
        stat_line_say(run, "metrics are not measured", own->unmeasured.message);
        if (own->unmeasured.hint[0])
            stat_line_say(run, "hint", own->unmeasured.hint);
        return;
    }
    for (size_t at = 0; at < own->remarks.count; at++)
        stat_line_say(run, "note", own->remarks.items[at]);
    qualities_say(run, report);
    for (size_t at = 0; at < own->problems.count; at++)
        stat_line_say(run, "not measured", own->problems.items[at]);
    for (size_t at = 0; at < own->asked.count; at++) {
        const char *name = own->asked.items[at].name, *event = event_uncounted(run, report, &own->asked.items[at]);
        if (!is_shown(report, name))
            stat_line_say(run, "not measured",
                          event ? arena_printf(&run->arena, "%s: %s was not counted", name, event)
                                : arena_printf(&run->arena,
                                               "%s: there was nothing to divide by, or the machine doesn't "
                                               "tell what its formula needs",
                                               name));
    }
    if (own->machine.slots_are_the_cores && own->asked.count && !run->target.all_cpus && !run->target.cpus)
        stat_line_say(run, "note",
                      "SMT is on and this CPU counts slots for whole cores: shares of one program are those of its "
                      "cores (-a: of all)");
}

void stat_metrics_done(struct stat_run *run)
{
    struct stat_metrics *own = run->own_metrics;
    if (!own)
        return;
    topdown_machine_done(&own->machine);
    vec_done(&own->chosen);
    vec_done(&own->problems);
    vec_done(&own->remarks);
    vec_done(&own->row_terms);
    vec_done(&own->row_groups);
    vec_done(&own->asked);
    run->own_metrics = NULL;
}
