/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's layout of tables, on small ones of our own. */
#include "test.h"

#include "base/scope.h"
#include "base/vec.h"
#include "metric/table/table_folder.h"

#include <math.h>
#include <sys/stat.h>

static const char events[] =
    "[{\"EventName\":\"INST_RETIRED.ANY\",\"EventCode\":\"0x00\",\"UMask\":\"0x01\",\"Counter\":\"Fixed counter 0\"},"
    "{\"EventName\":\"CPU_CLK_UNHALTED.THREAD\",\"EventCode\":\"0x00\",\"UMask\":\"0x02\",\"Counter\":\"Fixed counter 1\"},"
    "{\"EventName\":\"TOPDOWN.SLOTS\",\"EventCode\":\"0x00\",\"UMask\":\"0x04\",\"Counter\":\"Fixed counter 3\"},"
    "{\"EventName\":\"IDQ.X\",\"EventCode\":\"0x79\",\"UMask\":\"0x30\",\"Counter\":\"0,1,2,3\",\"SampleAfterValue\":\"1000003\"},"
    "{\"EventName\":\"UNC_M_CAS_COUNT.RD\",\"EventCode\":\"0x04\",\"UMask\":\"0x0f\",\"Unit\":\"iMC\",\"PerPkg\":\"1\"},"
    "{\"MetricName\":\"tma_top\",\"MetricExpr\":\"topdown\\\\-be\\\\-bound / (topdown\\\\-be\\\\-bound + topdown\\\\-retiring) + 0 * slots\","
    "\"MetricGroup\":\"TopdownL1;tma_L1_group\",\"ScaleUnit\":\"100%\",\"MetricThreshold\":\"tma_top > 0.2\",\"MetricgroupNoGroup\":\"TopdownL1\"},"
    "{\"MetricName\":\"tma_low\",\"MetricExpr\":\"tma_top * cpu@IDQ.X\\\\,cmask\\\\=1\\\\,edge@ / CPU_CLK_UNHALTED.THREAD if #SMT_on else 0.5\","
    "\"MetricGroup\":\"TopdownL2;tma_L2_group;tma_top_group\",\"ScaleUnit\":\"100%\",\"MetricThreshold\":\"tma_low > 0.1 & (tma_top > 0.2)\"},"
    "{\"MetricName\":\"bandwidth\",\"MetricExpr\":\"64 * UNC_M_CAS_COUNT.RD / 1e6 / duration_time\",\"ScaleUnit\":\"1MB/s\"},"
    "{\"MetricName\":\"kernel\",\"MetricExpr\":\"CPU_CLK_UNHALTED.THREAD:k / CPU_CLK_UNHALTED.THREAD\"},"
    "{\"MetricName\":\"ticks\",\"MetricExpr\":\"msr@tsc@ + uncore_cha_0@event\\\\=0x1@\"},"
    "{\"MetricName\":\"ring_a\",\"MetricExpr\":\"ring_b + 1\"},{\"MetricName\":\"ring_b\",\"MetricExpr\":\"ring_a + 1\"},"
    "{\"MetricName\":\"selfish\",\"MetricExpr\":\"selfish + 1\"},"
    "{\"MetricName\":\"lost\",\"MetricExpr\":\"NO_SUCH.EVENT + 1\"},"
    "{\"MetricName\":\"broken\",\"MetricExpr\":\"(1 + \"}]";

static void table_make(struct metric_table *table)
{
    struct view text = VIEW(events);
    struct error err = {0};
    cr_assert(metric_table_load_texts(table, &text, 1, TABLE_FORM_READABLE, &err), "%s", err.message);
}

static const struct table_metric *metric_of(const struct metric_table *table, const char *name)
{
    uint32_t index = table_metric_find(table, view_of(name));
    cr_assert(index != TABLE_NONE, "%s", name);
    return &table->metrics.items[index];
}

Test(table_linux, terms_are_spelt_as_perf_takes_them)
{
    static const char *const expected[] = {
        "cpu/event=0x0,umask=0x83/", "cpu/event=0x0,umask=0x4/", "cpu/event=0x79,umask=0x30,cmask=0x1,edge=0x1/",
        "cpu/event=0x3c/k", "uncore_imc/event=0x4,umask=0xf/", "msr/tsc/", "uncore_cha_0/event=0x1/",
    };
    struct metric_table table;
    table_make(&table);
    for (size_t at = 0; at < array_count(expected); at++) {
        bool found = false;
        vec_for_each(&table.terms, term) {
            struct text text = {0};
            table_term_write(term, "cpu", &text);
            found |= strcmp(text.bytes, expected[at]) == 0;
            text_done(&text);
        }
        cr_assert(found, "%s", expected[at]);
    }
    metric_table_done(&table);
}

Test(table_linux, tree_thresholds_and_what_is_wrong)
{
    struct metric_table table;
    struct arena arena = {0};
    struct table_values values;
    struct table_inputs inputs;
    table_make(&table);
    cr_assert(metric_of(&table, "tma_top")->level == 1 && metric_of(&table, "tma_top")->never_grouped);
    cr_assert(metric_of(&table, "tma_low")->level == 2);
    cr_assert_str_eq(metric_of(&table, "TMA_LOW")->parent_name, "tma_top");
    cr_assert(metric_of(&table, "tma_top")->scale == 100 && strcmp(metric_of(&table, "tma_top")->unit, "%") == 0);
    cr_assert(strstr(metric_of(&table, "lost")->problem, "NO_SUCH.EVENT"));
    cr_assert(strstr(metric_of(&table, "broken")->problem, "at the end"));
    cr_assert(metric_of(&table, "selfish")->problem && (metric_of(&table, "ring_a")->problem || metric_of(&table, "ring_b")->problem));

    struct measured *terms = arena_array(&arena, struct measured, table.terms.count);
    table_inputs_clear(&inputs);
    inputs.terms = terms;
    for (size_t at = 0; at < table.terms.count; at++)
        terms[at] = measured_as(50 + 10 * (double)at);
    inputs.constants[TABLE_SMT_ON] = measured_as(1);
    table_evaluate(&table, &inputs, &values, &arena);
    struct measured top = values.metrics[table_metric_find(&table, VIEW("tma_top"))];
    struct measured low = values.metrics[table_metric_find(&table, VIEW("tma_low"))];
    cr_assert(top.known && top.value > 0.4 && top.value < 0.5 && low.known && low.value > 0);
    cr_assert_eq(values.flagged[table_metric_find(&table, VIEW("tma_top"))], EXPRESSION_YES);
    struct measured bandwidth = values.metrics[table_metric_find(&table, VIEW("bandwidth"))];
    cr_assert(!bandwidth.known && strstr(bandwidth.why_not, "how long"), "%s", bandwidth.why_not);
    cr_assert_not(values.metrics[table_metric_find(&table, VIEW("ring_a"))].known);
    cr_assert_not(values.metrics[table_metric_find(&table, VIEW("selfish"))].known);

    bool needed[64] = {false};
    size_t count = 0;
    table_terms_needed(&table, table_metric_find(&table, VIEW("tma_low")), NULL, needed);
    for (size_t at = 0; at < table.terms.count; at++)
        count += needed[at];
    cr_assert_eq(count, 5); /* its own two, and the three of its parent */
    arena_done(&arena);
    metric_table_done(&table);
}

static void file_write(const char *folder, const char *name, const char *content)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    scoped_file FILE *file = fopen(path, "we");
    cr_assert(file && fputs(content, file) >= 0);
}

/* arch/arm64: models build upon entries that stand beside the mapfile. */
Test(table_linux, a_models_entries_build_on_shared_ones)
{
    char folder[] = "/tmp/plumb-tables-XXXXXX", path[300], command[64];
    cr_assert(mkdtemp(folder));
    file_write(folder, "mapfile.csv", "#Family-model,Version,Filename,EventType\n0x00000000410fd490,v1,arm/n2,core\n0x00000000410fd4f0,v1,arm/n2,core\n");
    file_write(folder, "common.json", "[{\"EventCode\":\"0x11\",\"EventName\":\"CPU_CYCLES\",\"BriefDescription\":\"c\"},{\"MetricExpr\":\"stall_slot / (#slots * cpu_cycles) if strcmp_cpuid_str(0x410fd493) else 7\",\"MetricName\":\"bound\",\"ScaleUnit\":\"100percent of slots\"}]");
    snprintf(path, sizeof(path), "%s/arm", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/arm/n2", folder);
    mkdir(path, 0700);
    file_write(path, "a.json", "[{\"ArchStdEvent\":\"CPU_CYCLES\"},{\"EventName\":\"STALL_SLOT\",\"EventCode\":\"0x3f\"},{\"ArchStdEvent\":\"bound\"}]");
    static const struct {
        const char *cpu, *folder;
    } ways[] = {{"NEOVERSE-N2", ""}, {"neoverse-v2", ""}, {"n2", ""}, {"NEOVERSE-N2", "/arm/n2"}};
    for (size_t at = 0; at < array_count(ways); at++) {
        struct arena arena = {0};
        struct table_cpu cpu;
        struct metric_table table;
        struct error err = {0};
        char from[300];
        snprintf(from, sizeof(from), "%s%s", folder, ways[at].folder);
        table_cpu_from_word(&cpu, ways[at].cpu, &arena);
        cr_assert(metric_table_load(&table, from, &cpu, TABLE_FORM_READABLE, &err), "%s: %s", ways[at].cpu, err.message);
        cr_assert_eq(table.events.count, 2);
        uint32_t cycles = table_event_find(&table, VIEW("cpu_cycles"));
        cr_assert(cycles != TABLE_NONE && table.events.items[cycles].code.event == 0x11);
        cr_assert_null(metric_of(&table, "bound")->problem, "%s", metric_of(&table, "bound")->problem);
        struct table_inputs inputs;
        struct table_values values;
        struct measured *terms = arena_array(&arena, struct measured, table.terms.count);
        table_inputs_clear(&inputs);
        for (size_t term = 0; term < table.terms.count; term++)
            terms[term] = measured_as(100);
        inputs.terms = terms;
        inputs.constants[TABLE_SLOTS] = measured_as(5);
        static const struct {
            const char *id;
            double value;
        } ids[] = {{"0x00000000410fd490", 7}, {"0x00000000410fd493", .2}, {"0x00000000411fd490", .2}, {"0x00000000410fd4f3", 7}};
        for (size_t id = 0; id < array_count(ids); id++) {
            inputs.cpu_id = ids[id].id;
            table_evaluate(&table, &inputs, &values, &arena);
            cr_assert(values.metrics[0].known && fabs(values.metrics[0].value - ids[id].value) < 1e-12, "%s: %g", ids[id].id,
                      values.metrics[0].value);
        }
        metric_table_done(&table);
        arena_done(&arena);
    }
    struct arena arena = {0};
    struct table_cpu cpu;
    struct metric_table table;
    struct error err = {0};
    table_cpu_from_word(&cpu, "NEOVERSE-V1", &arena);
    cr_assert_not(metric_table_load(&table, folder, &cpu, TABLE_FORM_READABLE, &err));
    cr_assert(err.kind == ERROR_NOT_FOUND && strstr(err.hint, "arm"), "%s / %s", err.message, err.hint);
    arena_done(&arena);
    snprintf(command, sizeof(command), "rm -r '%s'", folder);
    cr_assert_eq(system(command), 0);
}

Test(table_linux, survives_cuts_and_flips)
{
    char copy[sizeof(events)];
    uint64_t state = 1;
    for (size_t run = 0; run < sizeof(events) + 3000; run++) {
        size_t size = run < sizeof(events) ? run : sizeof(events) - 1;
        memcpy(copy, events, sizeof(events));
        if (run >= sizeof(events)) {
            state = hash_u64(state + run);
            copy[state / 8 % size] ^= (char)(1 << state % 8);
        }
        struct edge edge = edge_copy(copy, size);
        struct view text = {(const char *)edge.bytes, size};
        struct metric_table table;
        struct error err = {0};
        if (metric_table_load_texts(&table, &text, 1, TABLE_FORM_READABLE, &err))
            metric_table_done(&table);
        else
            cr_assert(err.message[0]);
        edge_free(&edge);
    }
}
