/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb stat -M and --topdown on simulated CPUs whose event rates are known: the printed metrics are the rates' own. */
#include "test.h"

#include "base/scope.h"
#include "command/command.h"
#include "metric/table/metric_name.h"
#include "table_program.h"

#include <stdio.h>

extern const struct command command_stat;

static const struct machine {
    const char *key;
    unsigned threads, family, model, stepping;
} machines[] = {{"SPR", 2, 6, 0x8f, 8}, {"ICX", 1, 6, 0x6a, 6}, {"CLX", 1, 6, 0x55, 7}, {"ZEN4", 1, 0x19, 0x11, 1}};

static void machine_make(struct table_program *program, const struct machine *machine)
{
    unsigned short seed[3] = {5, 6, 7};
    table_program_init(program, machine->key, machine->threads);
    made_folder_put(program->folder, "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\nstepping\t: %u\n\n",
                    machine->family == 6 ? "GenuineIntel" : "AuthenticAMD", machine->family, machine->model, machine->stepping);
    made_folder_put(program->folder, "/sys/devices/system/cpu/online", "0\n");
    made_folder_put(program->folder, "/sys/devices/system/cpu/possible", "0\n");
    made_folder_put(program->folder, "/sys/devices/system/cpu/smt/active", "%d\n", machine->threads > 1);
    program_rates_begin(program, seed);
    table_program_start(program, (struct simulated_plan){0});
    simulated_pmu_free(program->simulated);
    program->rules[program->plan.rule_count++] = (struct simulated_rule){
        .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .needs = SIMULATED_HARDWARE, .per_second = 3e9};
    program->rules[program->plan.rule_count++] = (struct simulated_rule){.type = PERF_TYPE_SOFTWARE, .any_config = true, .per_second = 1e9};
    program->plan.topdown_steps = SIMULATED_NO_STEPS;
    program->plan.step_ns = 0;
    program->simulated = simulated_pmu_new(&program->plan);
}

/* The simulated kernel, in which time passes at once, when the counters are first stopped or read: all groups see all of it. */
static struct timed_kernel {
    struct kernel kernel;
    struct simulated_pmu *pmu;
    bool passed;
} timed;

static void time_pass(void)
{
    if (!timed.passed)
        simulated_pmu_run(timed.pmu, 2000000000);
    timed.passed = true;
}

/* What is enabled again is another measurement: the trial's is over. */
static int timed_ioctl(void *context, int fd, unsigned long request, unsigned long argument)
{
    if (request == PERF_EVENT_IOC_ENABLE)
        timed.passed = false;
    if (request == PERF_EVENT_IOC_DISABLE)
        time_pass();
    return simulated_pmu_kernel(timed.pmu)->ioctl(context, fd, request, argument);
}

static ssize_t timed_read(void *context, int fd, void *buffer, size_t size_bytes)
{
    time_pass();
    return simulated_pmu_kernel(timed.pmu)->read(context, fd, buffer, size_bytes);
}

static const struct kernel *timed_kernel(struct simulated_pmu *pmu)
{
    timed = (struct timed_kernel){.kernel = *simulated_pmu_kernel(pmu), .pmu = pmu};
    timed.kernel.ioctl = timed_ioctl;
    timed.kernel.read = timed_read;
    return &timed.kernel;
}

/* What stat printed. Owner: the caller (free). */
static char *stat_printed(struct table_program *program, char **argv)
{
    char *printed = NULL;
    size_t size;
    int argc = 0;
    struct error err = {0};
    FILE *talk = open_memstream(&printed, &size);
    struct context context = {.root = &program->root, .kernel = timed_kernel(program->simulated), .out = stdout, .talk = talk};
    while (argv[argc])
        argc++;
    bool good = command_stat.run(&context, argc, argv, &err);
    fclose(talk);
    cr_assert(good, "%s", err.message);
    return printed;
}

/* The values of "12.3,%  tma_x" at the ends of lines, against those of the rates; how many. */
static size_t values_check(const struct table_program *program, const char *printed, const char *key)
{
    struct arena arena;
    struct table_values truth;
    struct view rest = view_of(printed), line;
    size_t count = 0;
    arena_init(&arena);
    program_evaluate(program, program->rates, &truth, &arena);
    while (view_line(&rest, &line))
        for (uint32_t at = 0; at < program->table.metrics.count; at++) {
            scoped_text struct text name = {0}, ending = {0};
            metric_perf_name(&program->table, &program->table.metrics.items[at], &name);
            text_printf(&ending, ",%%  %s", text_string(&name));
            if (!view_ends(line, text_string(&ending)))
                continue;
            double value = 0;
            struct view before = {line.text, line.length - ending.length}, field = before;
            while (view_find(field, ",") >= 0)
                field = view_skip(field, (size_t)view_find(field, ",") + 1);
            cr_assert(view_double(field, &value), "%.*s", (int)line.length, line.text);
            /* what no group holds whole is scaled, from times that differ by a turn at most */
            cr_expect_float_eq(value, truth.metrics[at].value * 100, 0.051 + fabs(value) * 0.02, "%s %s: %g, true is %g", key, text_string(&name), value,
                               truth.metrics[at].value * 100);
            count++;
        }
    arena_done(&arena);
    return count;
}

Test(stat_metrics, groups_of_metrics_are_worth_what_the_rates_say)
{
    static const struct {
        const char *words;
        size_t least[4]; /* printed on each machine */
    } cases[] = {{"TopdownL1", {4, 4, 3, 4}}, {"TopdownL2,tma_memory_bound_group", {13, 9, 5, 0}}, {"PipelineL2", {0, 0, 0, 5}}};
    for (size_t machine = 0; machine < array_count(machines); machine++)
        for (size_t at = 0; at < array_count(cases); at++) {
            char *argv[] = {"stat", "-a", "-x,", "-M", (char *)cases[at].words, "--", "true", NULL};
            struct table_program program;
            if (!cases[at].least[machine])
                continue;
            machine_make(&program, &machines[machine]);
            char *printed = stat_printed(&program, argv);
            size_t count = values_check(&program, printed, machines[machine].key);
            cr_expect_geq(count, cases[at].least[machine], "%s %s:\n%s", machines[machine].key, cases[at].words, printed);
            free(printed);
            table_program_done(&program);
        }
}

Test(stat_metrics, layouts_are_perfs)
{
    static const struct {
        const char *option;
        const char *has[4];
    } cases[] = {
        {"-j", {"\"metric-unit\" : \"%  tma_retiring\"", "\"event\" : \"topdown-retiring\"", "\"event\" : \"slots\""}},
        {"--no-big-num", {" %  tma_backend_bound", "topdown-fe-bound", "seconds time elapsed"}},
        {"--topdown", {"%  tma_frontend_bound", "%  tma_retiring"}},
        {"--metric-only", {"%  tma_frontend_bound", "%  tma_retiring"}},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        char *argv[] = {"stat", "-a", (char *)cases[at].option, "-M", "TopdownL1", "--", "true", NULL};
        struct table_program program;
        machine_make(&program, &machines[0]);
        char *printed = stat_printed(&program, argv);
        for (size_t word = 0; cases[at].has[word]; word++)
            cr_expect(strstr(printed, cases[at].has[word]), "%s: no '%s' in\n%s", cases[at].option, cases[at].has[word], printed);
        if (at >= 2)
            cr_expect_not(strstr(printed, "topdown-"), "%s", printed);
        free(printed);
        table_program_done(&program);
    }
}

Test(stat_metrics, plain_stat_shows_the_first_level_where_it_costs_no_counter)
{
    for (size_t machine = 0; machine < array_count(machines); machine++) {
        char *argv[] = {"stat", "-a", "-x,", "--", "true", NULL};
        struct table_program program;
        machine_make(&program, &machines[machine]);
        char *printed = stat_printed(&program, argv);
        bool free_of_cost = program.pmu.topdown_fields > 0;
        cr_expect_eq(strstr(printed, "%  tma_retiring") != NULL, free_of_cost, "%s:\n%s", machines[machine].key, printed);
        cr_expect(strstr(printed, ",cycles,"), "%s", printed);
        free(printed);
        table_program_done(&program);
    }
}

Test(stat_metrics, what_cannot_be_had_is_said)
{
    struct table_program program;
    struct error err = {0};
    char *argv[] = {"stat", "-a", "-M", "tma_no_such", "--", "true", NULL};
    machine_make(&program, &machines[0]);
    struct context context = {.root = &program.root, .kernel = timed_kernel(program.simulated), .out = stdout, .talk = stderr};
    cr_expect_not(command_stat.run(&context, 6, argv, &err));
    cr_expect(strstr(err.message, "tma_no_such") && context.exit_code == EXIT_CODE_USAGE, "%s", err.message);
    char *deep[] = {"stat", "-a", "--topdown", "--td-level", "7", "--", "true", NULL};
    cr_expect_not(command_stat.run(&context, 7, deep, &err));
    cr_expect(strstr(err.message, "6 levels"), "%s", err.message);
    table_program_done(&program);
}

/* ---- counters that others hold, metrics that take several groups ------------------------------------------- */

static size_t words_count(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

static char *printed_with(const struct machine *machine, unsigned taken, unsigned taken_fixed, char **argv)
{
    struct table_program program;
    machine_make(&program, machine);
    simulated_pmu_free(program.simulated);
    program.plan.taken = taken;
    program.plan.taken_fixed = taken_fixed;
    program.simulated = simulated_pmu_new(&program.plan);
    char *printed = stat_printed(&program, argv);
    table_program_done(&program);
    return printed;
}

Test(stat_metrics, counters_that_others_hold_are_found_by_trying)
{
    static const struct machine skylake = {"CLX", 2, 6, 0x55, 7};
    char *argv[] = {"stat", "-a", "-x,", "-M", "TopdownL1", "--", "true", NULL};
    static const struct {
        unsigned taken, taken_fixed;
        const char *has;
    } cases[] = {{0, 0, NULL}, {0, 2, "without the fixed cycle counter"}, {1, 2, "without the fixed cycle counter"}, {1, 0, "others hold counters"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        char *printed = printed_with(&skylake, cases[at].taken, cases[at].taken_fixed, argv);
        cr_expect_eq(strstr(printed, "others hold counters") != NULL, cases[at].has != NULL, "%zu:\n%s", at, printed);
        cr_expect(!cases[at].has || strstr(printed, cases[at].has), "%zu:\n%s", at, printed);
        cr_expect(strstr(printed, ",%  tma_retiring"), "%zu:\n%s", at, printed);
        free(printed);
    }
}

Test(stat_metrics, what_took_turns_is_marked)
{
    static const struct machine skylake = {"CLX", 2, 6, 0x55, 7};
    char *text[] = {"stat", "-a", "--no-big-num", "-M", "TopdownL2", "--", "true", NULL};
    char *json[] = {"stat", "-a", "-j", "-M", "TopdownL2", "--", "true", NULL};
    char *fields[] = {"stat", "-a", "-x,", "-M", "TopdownL2", "--", "true", NULL};
    char *exact[] = {"stat", "-a", "-M", "TopdownL1", "--", "true", NULL};
    char *printed = printed_with(&skylake, 0, 0, text);
    cr_expect(strstr(printed, "%  tma_memory_bound") && strstr(printed, "(cross-group)") && strstr(printed, "(scaled)"), "%s", printed);
    cr_expect(strstr(printed, "put together from events that were counted at different times"), "%s", printed);
    free(printed);
    printed = printed_with(&skylake, 0, 0, json);
    cr_expect(strstr(printed, "\"metric-unit\" : \"%  tma_memory_bound\", \"metric-quality\" : \"cross-group\"}"), "%s", printed);
    free(printed);
    printed = printed_with(&skylake, 0, 0, fields);
    cr_expect(strstr(printed, "cross-group: ") && !strstr(printed, "(cross-group)"), "%s", printed);
    free(printed);
    printed = printed_with(&skylake, 0, 0, exact);
    cr_expect(strstr(printed, "tma_retiring") && !strstr(printed, "scaled") && !strstr(printed, "cross-group"), "%s", printed);
    free(printed);
}

Test(stat_metrics, unmerged_metrics_have_groups_of_their_own)
{
    char *merged[] = {"stat", "-a", "-x,", "-M", "tma_frontend_bound,tma_retiring", "--", "true", NULL};
    char *apart[] = {"stat", "-a", "-x,", "--metric-no-merge", "-M", "tma_frontend_bound,tma_retiring", "--", "true", NULL};
    static const struct machine skylake = {"CLX", 1, 6, 0x55, 7};
    char *printed = printed_with(&skylake, 0, 0, merged);
    cr_expect_eq(words_count(printed, ",cpu_clk_unhalted.thread,"), 1, "%s", printed);
    free(printed);
    printed = printed_with(&skylake, 0, 0, apart);
    cr_expect_eq(words_count(printed, ",cpu_clk_unhalted.thread,"), 2, "%s", printed);
    cr_expect(strstr(printed, "tma_frontend_bound") && strstr(printed, "tma_retiring"), "%s", printed);
    free(printed);
}
