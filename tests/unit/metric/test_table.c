/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The published tables of six CPUs, when the shared data is there; and small tables of our own otherwise. */
#include "test.h"

#include "base/vec.h"
#include "metric/table/table_builtin.h"
#include "metric/table/table_folder.h"

#include <math.h>

static const char *const cpus[] = {"SKX", "CLX", "ICX", "SPR", "EMR", "GNR"};

enum { ROUNDS = 20 };

static const char *perfmon(void)
{
    static char folder[512];
    const char *shared = test_shared_data();
    snprintf(folder, sizeof(folder), "%s/perfmon", shared ? shared : "");
    return shared && access(folder, R_OK) == 0 ? folder : NULL;
}

static void table_load(struct metric_table *table, const char *folder, const char *cpu, enum table_form form)
{
    struct arena arena = {0};
    struct table_cpu which;
    struct error err = {0};
    table_cpu_from_word(&which, cpu, &arena);
    cr_assert(metric_table_load(table, folder, &which, form, &err), "%s: %s", cpu, err.message);
    arena_done(&arena);
}

/* The same number for the same name in every table and round. */
static double count_of(const char *name, unsigned round)
{
    uint64_t bits = hash_u64(hash_bytes(name, strlen(name)) + round);
    return 1e6 + (double)(bits >> 20) / (double)(1ull << 44) * 1e9;
}

static void inputs_fill(const struct metric_table *table, struct table_inputs *inputs, struct measured *terms, unsigned round)
{
    table_inputs_clear(inputs);
    for (size_t at = 0; at < table->terms.count; at++)
        terms[at] = measured_as(count_of(table->terms.items[at].name, round));
    inputs->terms = terms;
    double seconds = 0.5 + round, hz = 2.1e9;
    inputs->constants[TABLE_SMT_ON] = measured_as(round % 2);
    inputs->constants[TABLE_TSC_HZ] = measured_as(hz);
    inputs->constants[TABLE_TSC_TICKS] = measured_as(hz * seconds);
    inputs->constants[TABLE_SECONDS] = measured_as(seconds);
    inputs->constants[TABLE_MILLISECONDS] = measured_as(seconds * 1000);
    for (size_t at = TABLE_USER_SECONDS; at < TABLE_CONSTANT_COUNT; at++)
        inputs->constants[at] = measured_as(1 + (double)at);
    inputs->constants[TABLE_CPUS_ONLINE] = inputs->constants[TABLE_CPUS];
}

Test(table, every_formula_threshold_and_event_of_the_six_cpus_is_resolved)
{
    if (!perfmon())
        cr_skip_test("no shared data");
    for (size_t cpu = 0; cpu < array_count(cpus); cpu++)
        for (int form = TABLE_FORM_READABLE; form <= TABLE_FORM_EXPANDED; form++) {
            struct metric_table table;
            table_load(&table, perfmon(), cpus[cpu], (enum table_form)form);
            cr_assert(table.metrics.count >= 250 && table.events.count > 350, "%s: %zu metrics, %zu events", cpus[cpu],
                      table.metrics.count, table.events.count);
            vec_for_each(&table.metrics, metric) {
                cr_assert_null(metric->problem, "%s %s: %s", cpus[cpu], metric->name, metric->problem);
                cr_assert(metric->value.text[0], "%s %s", cpus[cpu], metric->name);
                cr_assert(metric->level < 2 || metric->parent != TABLE_NONE, "%s %s", cpus[cpu], metric->name);
            }
            metric_table_done(&table);
        }
}

/* Counts alone grow with time; by rate, they are counts a second. */
static bool is_a_count(const char *name)
{
    static const char *const counts[] = {"Info_Thread_CLKS", "Info_Thread_SLOTS", "Info_Core_CORE_CLKS",
                                         "Info_Inst_Mix_Instructions", "Info_System_Socket_CLKS", "Info_System_Time",
                                         "Info_System_MEM_DRAM_Read_Latency", "Info_System_UPI_Data_Transmit_BW"};
    for (size_t at = 0; at < array_count(counts); at++)
        if (strcmp(name, counts[at]) == 0)
            return true;
    return false;
}

Test(table, both_published_forms_of_a_formula_give_the_same)
{
    if (!perfmon())
        cr_skip_test("no shared data");
    size_t compared = 0;
    for (size_t cpu = 0; cpu < array_count(cpus); cpu++) {
        struct metric_table forms[2];
        for (int form = 0; form < 2; form++)
            table_load(&forms[form], perfmon(), cpus[cpu], (enum table_form)form);
        for (unsigned round = 0; round < ROUNDS; round++) {
            struct arena arena = {0};
            struct table_values values[2];
            for (int form = 0; form < 2; form++) {
                struct table_inputs inputs;
                inputs_fill(&forms[form], &inputs, arena_array(&arena, struct measured, forms[form].terms.count), round);
                table_evaluate(&forms[form], &inputs, &values[form], &arena);
            }
            for (size_t at = 0; at < forms[0].metrics.count; at++) {
                const struct table_metric *metric = &forms[0].metrics.items[at];
                uint32_t other = table_metric_find(&forms[1], view_of(metric->name));
                struct measured a = values[0].metrics[at], b = values[1].metrics[other];
                cr_assert(a.known == b.known, "%s %s: %s / %s", cpus[cpu], metric->name, a.why_not, b.why_not);
                if (!a.known || is_a_count(metric->name))
                    continue;
                cr_assert(fabs(a.value - b.value) <= 1e-9 * fmax(fabs(a.value), 1e-3), "%s %s: %.17g / %.17g", cpus[cpu],
                          metric->name, a.value, b.value);
                cr_assert_eq(values[0].flagged[at], values[1].flagged[other], "%s %s", cpus[cpu], metric->name);
                compared++;
            }
            arena_done(&arena);
        }
        for (int form = 0; form < 2; form++)
            metric_table_done(&forms[form]);
    }
    cr_assert(compared > ROUNDS * 1400u, "only %zu comparisons", compared);
}

/* Our own tables of every CPU: all resolved, and a tree without gaps. */
Test(table, every_built_in_formula_threshold_and_event_is_resolved)
{
    const char *cpu;
    size_t count = 0;
    for (; (cpu = metric_table_builtin_cpu(count)); count++) {
        struct metric_table table;
        cr_assert(metric_table_builtin(&table, cpu, TABLE_WHOLE), "%s", cpu);
        vec_for_each(&table.metrics, metric) {
            cr_assert_null(metric->problem, "%s %s: %s", cpu, metric->name, metric->problem);
            cr_assert(metric->value.text[0] && metric->about[0], "%s %s", cpu, metric->name);
            cr_assert(metric->level < 2 || metric->parent != TABLE_NONE, "%s %s", cpu, metric->name);
            cr_assert(metric->level < 2 || table.metrics.items[metric->parent].level + 1 == metric->level, "%s %s", cpu,
                      metric->name);
        }
        vec_for_each(&table.terms, term)
            cr_assert(term->code.known, "%s %s has no encoding", cpu, term->name);
        metric_table_done(&table);
    }
    cr_assert_eq(count, 13);
    struct metric_table none;
    cr_assert_not(metric_table_builtin(&none, "ZEN1", TABLE_WHOLE));
}

/* Metrics that nobody publishes. */
static bool is_own(const char *name)
{
    static const char *const own_metrics[] = {"Info_Memory_STLB_Miss_Share", NULL};
    for (size_t at = 0; own_metrics[at]; at++)
        if (strcmp(name, own_metrics[at]) == 0)
            return true;
    return false;
}

Test(table, built_in_metrics_give_what_the_published_ones_do)
{
    if (!perfmon())
        cr_skip_test("no shared data");
    size_t nodes = 0, flags = 0;
    for (size_t cpu = 0; cpu < array_count(cpus); cpu++) {
        struct metric_table own, published;
        cr_assert(metric_table_builtin(&own, cpus[cpu], TABLE_WHOLE));
        table_load(&published, perfmon(), cpus[cpu], TABLE_FORM_EXPANDED);
        vec_for_each(&published.metrics, metric) /* the whole tree is there */
            cr_assert(!metric->level || table_metric_find(&own, view_of(metric->name)) != TABLE_NONE, "%s %s", cpus[cpu],
                      metric->name);
        for (unsigned round = 0; round < ROUNDS; round++) {
            struct arena arena = {0};
            struct table_inputs inputs;
            struct table_values ours, theirs;
            inputs_fill(&own, &inputs, arena_array(&arena, struct measured, own.terms.count), round);
            table_evaluate(&own, &inputs, &ours, &arena);
            inputs_fill(&published, &inputs, arena_array(&arena, struct measured, published.terms.count), round);
            table_evaluate(&published, &inputs, &theirs, &arena);
            for (size_t at = 0; at < own.metrics.count; at++) {
                const struct table_metric *metric = &own.metrics.items[at];
                uint32_t other = table_metric_find(&published, view_of(metric->name));
                if (is_own(metric->name))
                    continue;
                cr_assert(other != TABLE_NONE, "%s %s", cpus[cpu], metric->name);
                struct measured a = ours.metrics[at], b = theirs.metrics[other];
                cr_assert(a.known == b.known, "%s %s: %s / %s", cpus[cpu], metric->name, a.why_not, b.why_not);
                if (!a.known || is_a_count(metric->name))
                    continue;
                cr_assert(fabs(a.value - b.value) <= 1e-9 * fmax(fabs(a.value), 1e-3), "%s %s: %.17g / %.17g", cpus[cpu],
                          metric->name, a.value, b.value);
                cr_assert_eq(ours.flagged[at], theirs.flagged[other], "%s %s", cpus[cpu], metric->name);
                cr_assert(metric->scale == published.metrics.items[other].scale, "%s %s", cpus[cpu], metric->name);
                cr_assert_eq(metric->level, published.metrics.items[other].level, "%s %s", cpus[cpu], metric->name);
                nodes += metric->level > 0;
                flags += ours.flagged[at] == EXPRESSION_YES;
            }
            arena_done(&arena);
        }
        metric_table_done(&own);
        metric_table_done(&published);
    }
    cr_assert(nodes > ROUNDS * 600u && flags > ROUNDS * 50u, "%zu nodes compared, %zu of them flagged", nodes, flags);
}

/* The same event means the same counter in both. */
Test(table, built_in_events_are_encoded_as_the_published_ones)
{
    if (!perfmon())
        cr_skip_test("no shared data");
    size_t compared = 0;
    for (size_t cpu = 0; cpu < array_count(cpus); cpu++) {
        struct metric_table own, published;
        cr_assert(metric_table_builtin(&own, cpus[cpu], TABLE_EVENTS_ONLY));
        table_load(&published, perfmon(), cpus[cpu], TABLE_FORM_READABLE);
        vec_for_each(&own.events, event) {
            uint32_t found = table_event_find(&published, view_of(event->name));
            if (event->pmu)
                continue;
            cr_assert(found != TABLE_NONE, "%s %s", cpus[cpu], event->name);
            struct text ours = {0}, theirs = {0};
            table_event_write(event, "cpu", &ours);
            table_event_write(&published.events.items[found], "cpu", &theirs);
            cr_assert_str_eq(ours.bytes, theirs.bytes, "%s %s", cpus[cpu], event->name);
            cr_assert_eq(event->counters, published.events.items[found].counters);
            cr_assert_eq(event->fixed, published.events.items[found].fixed);
            cr_assert_eq(event->period, published.events.items[found].period);
            text_done(&ours);
            text_done(&theirs);
            compared++;
        }
        metric_table_done(&own);
        metric_table_done(&published);
    }
    cr_assert(compared > 900, "%zu", compared);
}
