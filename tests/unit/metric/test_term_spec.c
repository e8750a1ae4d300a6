/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a table's term to what is opened in the kernel, through the formats that a machine's sysfs shows. */
#include "test.h"

#include "base/vec.h"
#include "made_folder.h"
#include "metric/table/table_builtin.h"
#include "metric/term_spec.h"

#define PMU_FOLDER "/sys/bus/event_source/devices/"

struct bench {
    char folder[64];
    struct sysroot root;
    struct arena arena;
    struct metric_table table;
    struct term_spec *specs;
};

static void formats_put(const char *folder, const char *pmu, const char *const (*formats)[2], size_t count)
{
    char path[256];
    for (size_t at = 0; at < count; at++) {
        snprintf(path, sizeof(path), PMU_FOLDER "%s/format/%s", pmu, formats[at][0]);
        made_folder_put(folder, path, "%s\n", formats[at][1]);
    }
}

static void bench_init(struct bench *bench, const char *key, unsigned topdown_fields)
{
    static const char *const formats[][2] = {
        {"event", "config:0-7"}, {"umask", "config:8-15"}, {"edge", "config:18"}, {"any", "config:21"}, {"inv", "config:23"},
        {"cmask", "config:24-31"}, {"offcore_rsp", "config1:0-63"}, {"frontend", "config1:0-23"}, {"ldlat", "config1:0-15"}};
    *bench = (struct bench){.folder = "/tmp/plumb-terms-XXXXXX"};
    cr_assert(mkdtemp(bench->folder));
    made_folder_put(bench->folder, PMU_FOLDER "cpu/type", "4\n");
    formats_put(bench->folder, "cpu", formats, array_count(formats));
    if (topdown_fields) {
        made_folder_put(bench->folder, PMU_FOLDER "cpu/events/slots", "event=0x00,umask=0x4\n");
        made_folder_put(bench->folder, PMU_FOLDER "cpu/events/topdown-retiring", "event=0x00,umask=0x80\n");
    }
    if (topdown_fields > 4)
        made_folder_put(bench->folder, PMU_FOLDER "cpu/events/topdown-heavy-ops", "event=0x00,umask=0x84\n");
    sysroot_init(&bench->root, bench->folder);
    arena_init(&bench->arena);
    cr_assert(metric_table_builtin(&bench->table, key, TABLE_WHOLE));
}

static void bench_find(struct bench *bench)
{
    bench->specs = arena_array(&bench->arena, struct term_spec, bench->table.terms.count + 1);
    term_specs_find(bench->specs, &bench->table, NULL, &bench->root, &bench->arena);
}

static void bench_done(struct bench *bench)
{
    metric_table_done(&bench->table);
    arena_done(&bench->arena);
    made_folder_remove(bench->folder);
}

static const struct term_spec *spec_of(const struct bench *bench, const char *name)
{
    for (size_t at = 0; at < bench->table.terms.count; at++)
        if (strcmp(bench->table.terms.items[at].name, name) == 0)
            return &bench->specs[at];
    cr_assert_fail("%s has no term %s", bench->table.key, name);
    return NULL;
}

Test(term_spec, fields_go_where_the_kernel_wants_them)
{
    static const struct {
        const char *key, *term;
        uint64_t config, config1;
    } rows[] = {
        {"SPR", "cpu_clk_unhalted.thread", 0x3c, 0},
        {"SPR", "inst_retired.any", 0xc0, 0},
        {"SPR", "topdown.slots", 0x400, 0},
        {"SPR", "perf_metrics.retiring", 0x8000, 0},
        {"SPR", "perf_metrics.memory_bound", 0x8700, 0},
        {"SPR", "uops_retired.ms:c1:e1", 0x010404c2, 0x8},
        {"SPR", "ocr.demand_rfo.l3_miss:ocr_msr_val=0x103b800002", 0x012a, 0x103b800002},
        {"SKX", "cpu_clk_unhalted.thread_any", 0x20003c, 0},
    };
    for (size_t at = 0; at < array_count(rows); at++) {
        struct bench bench;
        bench_init(&bench, rows[at].key, 8);
        bench_find(&bench);
        const struct term_spec *spec = spec_of(&bench, rows[at].term);
        cr_assert_eq(spec->count, 1, "%s: %s", rows[at].term, spec->why_not);
        cr_expect_eq(spec->specs[0].attr.type, 4);
        cr_expect_eq(spec->specs[0].attr.config, rows[at].config, "%s: %#llx", rows[at].term, (unsigned long long)spec->specs[0].attr.config);
        cr_expect_eq(spec->specs[0].attr.config1, rows[at].config1, "%s: %#llx", rows[at].term, (unsigned long long)spec->specs[0].attr.config1);
        cr_expect_str_eq(spec->specs[0].name, rows[at].term);
        bench_done(&bench);
    }
}

Test(term_spec, every_core_term_of_every_table_opens_or_says_why)
{
    static const char *const keys[] = {"SKX", "CLX", "ICX", "SPR", "EMR", "GNR"};
    for (size_t at = 0; at < array_count(keys); at++) {
        struct bench bench;
        bench_init(&bench, keys[at], 8);
        bench_find(&bench);
        for (size_t term = 0; term < bench.table.terms.count; term++) {
            const struct table_term *what = &bench.table.terms.items[term];
            if (!what->pmu && what->kind == TERM_COUNT)
                cr_expect_eq(bench.specs[term].count, 1, "%s %s: %s", keys[at], what->name, bench.specs[term].why_not);
            cr_expect_neq(bench.specs[term].count > 0, bench.specs[term].why_not != NULL, "%s %s", keys[at], what->name);
        }
        bench_done(&bench);
    }
}

Test(term_spec, fixed_counter_3_stays_closed_where_sysfs_is_silent)
{
    static const struct {
        unsigned listed, fields;
        bool slots, first, second;
    } rows[] = {{0, 0, false, false, false}, {4, 4, true, true, false}, {8, 8, true, true, true}};
    for (size_t at = 0; at < array_count(rows); at++) {
        struct bench bench;
        bench_init(&bench, "SPR", rows[at].listed);
        bench_find(&bench);
        cr_expect_eq(term_topdown_fields(&bench.root), rows[at].fields);
        cr_expect_eq(spec_of(&bench, "topdown.slots")->count, rows[at].slots);
        cr_expect_eq(spec_of(&bench, "perf_metrics.retiring")->count, rows[at].first);
        cr_expect_eq(spec_of(&bench, "perf_metrics.memory_bound")->count, rows[at].second);
        cr_expect_eq(spec_of(&bench, "cpu_clk_unhalted.thread")->count, 1);
        bench_done(&bench);
    }
}

Test(term_spec, a_machine_without_a_core_pmu_says_so)
{
    struct bench bench;
    bench_init(&bench, "SPR", 0);
    sysroot_init(&bench.root, "/nonexistent");
    bench_find(&bench);
    cr_expect_eq(spec_of(&bench, "inst_retired.any")->count, 0);
    cr_expect(strstr(spec_of(&bench, "inst_retired.any")->why_not, "no PMU"));
    bench_done(&bench);
}

Test(term_spec, memory_controllers_are_added_up)
{
    struct bench bench;
    bench_init(&bench, "SPR", 8);
    uint32_t term;
    struct error err = {0};
    for (unsigned unit = 0; unit < 3; unit++) {
        char path[128];
        snprintf(path, sizeof(path), PMU_FOLDER "uncore_imc_%u/type", unit);
        made_folder_put(bench.folder, path, "%u\n", 20 + unit);
        snprintf(path, sizeof(path), PMU_FOLDER "uncore_imc_%u/format/event", unit);
        made_folder_put(bench.folder, path, "config:0-7\n");
    }
    cr_assert(table_term_resolve(&bench.table, VIEW("uncore_imc/event=0x5/"), &term, &err), "%s", err.message);
    bench_find(&bench);
    cr_assert_eq(bench.specs[term].count, 3, "%s", bench.specs[term].why_not);
    cr_expect_eq(bench.specs[term].specs[2].attr.type, 22);
    bench_done(&bench);
}
