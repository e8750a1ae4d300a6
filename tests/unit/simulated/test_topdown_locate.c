/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last step of the drill: which event is sampled on which CPU, what is done without when the kernel refuses, and what is said of
 * the samples. They are planted at instructions of this program, so that names and instructions are the real ones.
 */
#include "test.h"

#include "base/scope.h"
#include "command/topdown/topdown_locate.h"
#include "topdown_bench.h"

#include <errno.h>

#define SAMPLES 200u
#define IBS_TYPE 11u

/* One instruction of it is known by its address. */
__attribute__((noinline, used)) static int planted_wait(int value)
{
    __asm__ volatile("1: nop\n"
                     ".pushsection .data.rel.local,\"aw\"\n"
                     ".globl planted_instruction\n"
                     ".balign 8\n"
                     "planted_instruction: .quad 1b\n"
                     ".popsection" : "+r"(value));
    return value + 1;
}
extern const uint64_t planted_instruction;

__attribute__((noinline, used)) static int planted_rest(int value)
{
    return value * 3 + planted_wait(value);
}

static uint64_t planted_ip(unsigned index)
{
    return index % 4 ? planted_instruction : (uint64_t)(uintptr_t)planted_rest;
}

/* Where this program's code is mapped from. */
static struct simulated_code code_find(void)
{
    static char path[4096];
    struct simulated_code code = {0};
    scoped_file FILE *maps = fopen("/proc/self/maps", "re");
    char line[4200];
    while (maps && fgets(line, sizeof(line), maps)) {
        unsigned long long start, end, offset;
        int at = 0;
        if (sscanf(line, "%llx-%llx r-xp %llx %*s %*s %n", &start, &end, &offset, &at) == 3 && at && start <= planted_instruction && planted_instruction < end) {
            snprintf(path, sizeof(path), "%.*s", (int)strcspn(line + at, "\n"), line + at);
            code = (struct simulated_code){path, start, end - start, offset};
        }
    }
    cr_assert(code.path, "this program's code isn't mapped");
    return code;
}

/* Its file is found below the simulated machine's root. */
static void code_show(const struct table_program *program, const struct simulated_code *code)
{
    char full[4200];
    made_folder_put(program->folder, code->path, "%s", "");
    snprintf(full, sizeof(full), "%s%s", program->folder, code->path);
    remove(full);
    cr_assert_eq(symlink(code->path, full), 0);
}

struct locate_bench {
    struct bench bench;
    struct context context;
    struct topdown_located located;
    struct error err;
    bool good;
};

/* The table's own rules have one place to spare. */
static void rules_make_room(struct table_program *program)
{
    struct simulated_rule *rules = arena_array(&program->arena, struct simulated_rule, program->rule_count + 4);
    memcpy(rules, program->rules, program->rule_count * sizeof(*rules));
    program->rules = rules;
}

static struct simulated_rule *rule_add(struct table_program *program, struct simulated_rule rule)
{
    program->rules[program->rule_count] = rule;
    return &program->rules[program->rule_count++];
}

/* Every event of the CPU can be sampled, up to that precisely. */
static void locate_init(struct locate_bench *locate, const char *key, unsigned threads, const char *leaf, int precise_max)
{
    struct table_program *program = &locate->bench.program;
    *locate = (struct locate_bench){0};
    bench_init(&locate->bench, key, threads, leaf);
    made_folder_put(program->folder, "/sys/devices/system/cpu/online", "0\n");
    program_rules(program);
    rules_make_room(program);
    for (unsigned at = 0; at < program->rule_count; at++) {
        program->rules[at].precise_max = precise_max;
        program->rules[at].samples_per_window = SAMPLES;
        program->rules[at].sample_ip_of = planted_ip;
    }
    rule_add(program, (struct simulated_rule){.type = PERF_TYPE_SOFTWARE, .any_config = true});
    rule_add(program, (struct simulated_rule){.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .needs = SIMULATED_HARDWARE,
                                              .per_second = 3e9, .samples_per_window = SAMPLES, .sample_ip_of = planted_ip});
}

static void locate_run(struct locate_bench *locate, struct simulated_plan plan)
{
    struct bench *bench = &locate->bench;
    plan.code = code_find();
    code_show(&bench->program, &plan.code);
    bench_start(bench, plan);
    cr_assert(bench_levels(bench, 2) && topdown_session_drill(&bench->session, &bench->err), "%s", bench->err.message);
    topdown_tree_of_values(&bench->tree, &bench->program.table, &bench->session.values, &bench->session.arena);
    cr_assert_neq(bench->tree.leaf, SIZE_MAX);
    locate->context = (struct context){.root = &bench->program.root, .kernel = bench->setup.kernel, .out = stdout, .talk = stderr};
    struct topdown_locating locating = {.context = &locate->context, .table = &bench->program.table, .tree = &bench->tree,
                                        .subject = bench->setup.subject, .arena = &bench->session.arena};
    locate->good = topdown_locate(&locate->located, &locating, &locate->err);
}

static void locate_done(struct locate_bench *locate)
{
    vec_done(&locate->located.lines);
    bench_done(&locate->bench);
}

static bool is_said(const struct locate_bench *locate, const char *word)
{
    for (size_t at = 0; at < locate->located.lines.count; at++)
        if (strstr(locate->located.lines.items[at], word))
            return true;
    return false;
}

static void expect_said(const struct locate_bench *locate, const char *word)
{
    char all[4096] = "";
    for (size_t at = 0; at < locate->located.lines.count; at++)
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s\n", locate->located.lines.items[at]);
    cr_expect(is_said(locate, word), "'%s' isn't said in:\n%s%s", word, all, locate->err.message);
}

/* Three quarters of the samples are at one instruction of one function. */
static void expect_places(const struct locate_bench *locate)
{
    cr_expect(locate->good, "%s", locate->err.message);
    expect_said(locate, " 75.0 %  planted_wait");
    expect_said(locate, "100.0 %  planted_wait+0x");
    expect_said(locate, "nop");
    expect_said(locate, " 25.0 %  planted_rest");
}

static struct simulated_rule *rule_find(struct bench *bench, const char *term)
{
    for (size_t at = 0; at < bench->program.table.terms.count; at++)
        for (unsigned rule = 0; strcmp(bench->program.table.terms.items[at].name, term) == 0 && rule < bench->program.rule_count; rule++)
            if (bench->program.rules[rule].config == bench->program.specs[at].specs[0].attr.config)
                return &bench->program.rules[rule];
    cr_assert_fail("no rule for %s", term);
    return NULL;
}

/* The events that the leaf names itself. */
static void each_leaf_event(struct bench *bench, const char *leaf, void (*change)(struct simulated_rule *rule))
{
    const struct metric_table *table = &bench->program.table;
    const struct table_metric *metric = &table->metrics.items[table_metric_find(table, view_of(leaf))];
    for (size_t at = 0; at < metric->locate_count; at++)
        if (bench->program.specs[metric->locate[at]].count == 1)
            change(rule_find(bench, table->terms.items[metric->locate[at]].name));
}

Test(topdown_locate, a_precise_event_is_sampled_where_the_pmu_has_it)
{
    struct locate_bench locate;
    locate_init(&locate, "SPR", 2, "L2_Bound", 3);
    locate_run(&locate, (struct simulated_plan){0});
    expect_places(&locate);
    expect_said(&locate, "200 samples of mem_load_retired.l2_hit");
    cr_expect_not(is_said(&locate, "isn't precise"));
    cr_expect_not(is_said(&locate, "nearest"));
    cr_expect_eq(simulated_pmu_precise_tried(locate.bench.program.simulated), 2u, "level 3 is for one counter only, and may never be scheduled");
    locate_done(&locate);
}

Test(topdown_locate, less_precise_where_the_kernel_refuses)
{
    struct locate_bench locate;
    locate_init(&locate, "SPR", 2, "L2_Bound", 0);
    locate_run(&locate, (struct simulated_plan){0});
    expect_places(&locate);
    expect_said(&locate, "200 samples of mem_load_retired.l2_hit");
    expect_said(&locate, "can't be sampled precisely here: Operation not supported; it is sampled less precisely");
    expect_said(&locate, "the event isn't precise");
    locate_done(&locate);
}

static void cant_sample(struct simulated_rule *rule)
{
    rule->no_sampling = true;
}

static void is_unknown(struct simulated_rule *rule)
{
    rule->open_errno = EINVAL;
}

Test(topdown_locate, the_nearest_nodes_event_where_the_leafs_is_refused)
{
    struct locate_bench locate;
    locate_init(&locate, "SPR", 2, "L2_Bound", 3);
    each_leaf_event(&locate.bench, "L2_Bound", is_unknown);
    locate_run(&locate, (struct simulated_plan){0});
    expect_places(&locate);
    expect_said(&locate, "mem_load_retired.l2_hit can't be sampled precisely here: Invalid argument");
    expect_said(&locate, "the nearest event there is, of ");
    cr_expect_not(is_said(&locate, "samples of mem_load_retired.l2_hit"));
    locate_done(&locate);
}

Test(topdown_locate, nothing_can_be_sampled_and_it_says_why)
{
    struct locate_bench locate;
    locate_init(&locate, "SPR", 2, "L2_Bound", 3);
    for (unsigned at = 0; at < locate.bench.program.rule_count; at++)
        if (locate.bench.program.rules[at].type != PERF_TYPE_SOFTWARE)
            cant_sample(&locate.bench.program.rules[at]);
    locate_run(&locate, (struct simulated_plan){0});
    cr_expect_not(locate.good);
    cr_expect(strstr(locate.err.message, "mem_load_retired.l2_hit") && strstr(locate.err.message, "not supported"), "%s", locate.err.message);
    cr_expect(strstr(locate.err.hint, "can't sample"), "%s", locate.err.hint);
    locate_done(&locate);
}

Test(topdown_locate, a_node_without_an_event_says_whose_is_taken)
{
    struct locate_bench locate;
    locate_init(&locate, "SPR", 2, "Fetch_Bandwidth", 3);
    locate_run(&locate, (struct simulated_plan){0});
    const struct topdown_node *leaf = &locate.bench.tree.nodes[locate.bench.tree.leaf];
    cr_expect(locate.good, "%s", locate.err.message);
    cr_expect_neq(leaf->sample[0] != '\0', is_said(&locate, "the nearest event there is"), "%s, of its own: '%s'", leaf->name, leaf->sample);
    locate_done(&locate);
}

Test(topdown_locate, few_samples_rank_nothing)
{
    struct locate_bench locate;
    locate_init(&locate, "SPR", 2, "L2_Bound", 3);
    rule_find(&locate.bench, "mem_load_retired.l2_hit")->samples_per_window = 8;
    locate_run(&locate, (struct simulated_plan){0});
    expect_places(&locate);
    expect_said(&locate, "8 samples of mem_load_retired.l2_hit in 2 s: too few to rank code by");
    locate_done(&locate);
}

Test(topdown_locate, no_sample_is_no_place)
{
    struct locate_bench locate;
    locate_init(&locate, "SPR", 2, "L2_Bound", 3);
    rule_find(&locate.bench, "mem_load_retired.l2_hit")->samples_per_window = 0;
    locate_run(&locate, (struct simulated_plan){0});
    cr_expect(locate.good, "%s", locate.err.message);
    expect_said(&locate, "0 samples of mem_load_retired.l2_hit in 2 s, so no code to name");
    cr_expect_not(is_said(&locate, "planted"));
    locate_done(&locate);
}

static void ibs_add(struct locate_bench *locate, struct simulated_rule rule)
{
    struct table_program *program = &locate->bench.program;
    made_folder_put(program->folder, TABLE_PROGRAM_PMU "ibs_op/type", "%u\n", IBS_TYPE);
    made_folder_put(program->folder, TABLE_PROGRAM_PMU "ibs_op/format/cnt_ctl", "config:19\n");
    rule.type = IBS_TYPE;
    rule.any_config = rule.no_filter = true;
    rule.samples_per_window = SAMPLES;
    rule.sample_ip_of = planted_ip;
    rule_add(program, rule);
}

Test(topdown_locate, zen_is_sampled_by_ibs)
{
    struct locate_bench locate;
    locate_init(&locate, "ZEN4", 2, "Backend_Bound_Memory", 0);
    ibs_add(&locate, (struct simulated_rule){0});
    locate_run(&locate, (struct simulated_plan){0});
    expect_places(&locate);
    expect_said(&locate, "200 samples of ibs_op");
    expect_said(&locate, "IBS samples lie on the very instruction");
    locate_done(&locate);
}

Test(topdown_locate, zen_of_an_older_kernel_has_ibs_for_whole_cpus_only)
{
    struct locate_bench locate;
    locate_init(&locate, "ZEN4", 2, "Bad_Speculation_Mispredicts", 0);
    ibs_add(&locate, (struct simulated_rule){.whole_cpus_only = true});
    locate_run(&locate, (struct simulated_plan){0});
    expect_places(&locate);
    expect_said(&locate, "ibs_op can't be sampled here: Invalid argument");
    expect_said(&locate, "samples of ex_ret_brn_misp");
    expect_said(&locate, "the event isn't precise");
    locate_done(&locate);
}

Test(topdown_locate, zen_without_ibs_says_so)
{
    struct locate_bench locate;
    locate_init(&locate, "ZEN5", 1, "Bad_Speculation_Mispredicts", 0);
    locate_run(&locate, (struct simulated_plan){0});
    expect_places(&locate);
    expect_said(&locate, "ibs_op can't be sampled here: ");
    expect_said(&locate, "samples of ex_ret_brn_misp");
    locate_done(&locate);
}

Test(topdown_locate, neoverse_has_no_precise_events)
{
    struct locate_bench locate;
    locate_init(&locate, "NEOVERSE-V1", 1, "Backend_Bound", 0);
    locate_run(&locate, (struct simulated_plan){0});
    expect_places(&locate);
    expect_said(&locate, "samples of cycles, as no event locates it");
    expect_said(&locate, "the event isn't precise");
    cr_expect_eq(simulated_pmu_precise_tried(locate.bench.program.simulated), 0u);
    locate_done(&locate);
}

Test(topdown_locate, what_goes_on_is_sampled_as_it_goes)
{
    struct locate_bench locate;
    locate_init(&locate, "SPR", 2, "L2_Bound", 3);
    locate.bench.program.attached = true;
    locate.bench.program.run_ns = 6000000000ull;
    struct simulated_code code = code_find();
    made_folder_put(locate.bench.program.folder, "/proc/100/task/100/comm", "planted\n");
    made_folder_put(locate.bench.program.folder, "/proc/100/stat", "100 (planted) R 1 100 100\n");
    made_folder_put(locate.bench.program.folder, "/proc/100/maps", "%llx-%llx r-xp %llx 00:00 0 %s\n", (unsigned long long)code.start,
                    (unsigned long long)(code.start + code.bytes), (unsigned long long)code.offset, code.path);
    locate_run(&locate, (struct simulated_plan){0});
    expect_places(&locate);
    locate_done(&locate);
}
