/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb diagnose on a machine with a PMU that is written down here, from its command line to its JSON and back. */
#include "test.h"

#include "base/json/json_reader.h"
#include "base/vec.h"
#include "capture/case/case_folder.h"
#include "command/command.h"
#include "command/diagnose/diagnose_collection.h"
#include "simulated_pmu.h"

#include <errno.h>

extern const struct command command_diagnose;

static const struct simulated_rule rules[] = {
    {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .needs = SIMULATED_HARDWARE, .per_second = 2e9},
    {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, .needs = SIMULATED_HARDWARE, .per_second = 1e9},
    {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS, .needs = SIMULATED_HARDWARE, .per_second = 4e8},
    {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_MISSES, .needs = SIMULATED_HARDWARE, .per_second = 4e7},
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY},
    {.type = PERF_TYPE_SOFTWARE, .any_config = true, .per_second = 1e9, .samples_per_window = 200, .sample_ip = 0x401000},
};

static char *text_of(FILE *file)
{
    long size = ftell(file);
    char *text = calloc(1, (size_t)size + 1);
    rewind(file);
    cr_assert_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    return text;
}

static char *diagnose(const struct kernel *kernel, int count, char **words)
{
    struct sysroot root;
    sysroot_init(&root, NULL);
    struct context context = {.root = &root, .kernel = kernel, .out = tmpfile(), .talk = tmpfile()};
    struct error err = {0};
    cr_assert(command_diagnose.run(&context, count, words, &err), "%s", err.message);
    char *text = text_of(context.out);
    fclose(context.out);
    fclose(context.talk);
    return text;
}

static struct json_value finding_of(struct json_value root, const char *id)
{
    struct json_value list = json_member(root, "findings");
    for (size_t at = 0; at < json_count(list); at++)
        if (strcmp(json_text_or(json_member(json_item(list, at), "id"), ""), id) == 0)
            return json_item(list, at);
    return (struct json_value){0};
}

Test(diagnose, counts_where_there_is_a_pmu_and_replays_them)
{
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){
        .rules = rules, .rule_count = array_count(rules), .programmable = 4, .cpus = 1024, .step_ns = 50000000});
    char folder[] = "/tmp/plumb-unit-XXXXXX", pid[20], name[] = "diagnose", p[] = "-p", duration[] = "--duration",
         seconds[] = "0.2", json[] = "--json", kept[] = "--case", quiet[] = "-q";
    cr_assert_not_null(mkdtemp(folder));
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    char *live[] = {name, p, pid, duration, seconds, json, kept, folder, quiet, NULL};
    char *first = diagnose(simulated_pmu_kernel(pmu), 9, live);
    struct json_document *document = NULL;
    struct error err = {0};
    cr_assert(json_document_parse(&document, view_of(first), &err), "%s", err.message);
    struct json_value counters = json_member(json_root(document), "counters");
    double cycles = 0, ratio = 0;
    for (size_t at = 0; at < json_count(counters); at++)
        if (strcmp(json_text_or(json_member(json_item(counters, at), "name"), ""), "cycles") == 0) {
            cr_assert(json_number(json_member(json_item(counters, at), "count"), &cycles));
            cr_assert(json_number(json_member(json_item(counters, at), "running_ratio"), &ratio));
        }
    cr_expect_gt(cycles, 0);
    cr_expect(ratio > 0 && ratio <= 1, "%g", ratio);
    struct json_value guesses = finding_of(json_root(document), "branch-mispredicts");
    cr_assert(json_present(guesses));
    /* 2 wrong guesses in 100 cycles, at 12 to 25 cycles each */
    struct json_value share = json_member(guesses, "recoverable_ratio");
    cr_expect_str_eq(json_text_or(json_member(guesses, "verdict"), ""), "supported", "%s", first);
    cr_expect_float_eq(json_number_or(json_member(share, "low"), 0), 0.24, 0.01);
    cr_expect_float_eq(json_number_or(json_member(share, "high"), 0), 0.50, 0.01);
    cr_expect_not(json_truth_or(json_member(guesses, "estimated"), true));
    struct json_value clock = finding_of(json_root(document), "frequency");
    cr_expect_not_null(strstr(json_text_or(json_member(clock, "reason"), ""), "it ran at"), "%s",
                       json_text_or(json_member(clock, "reason"), ""));
    json_document_free(document);
    char *replay[] = {name, kept, folder, json, NULL};
    char *again = diagnose(kernel_live(), 4, replay);
    cr_expect_str_eq(again, first);
    cr_expect_eq(simulated_pmu_open_count(pmu), 0, "descriptors leak");
    char *words[] = {name, kept, folder, NULL};
    char *page = diagnose(kernel_live(), 3, words);
    cr_expect_null(strstr(page, "ESTIMATED (no PMU)"));
    cr_expect_not_null(strstr(page, "COUNTERS"));
    cr_expect_not_null(strstr(page, "0.50 per cycle"), "%s", page);
    case_folder_remove(folder);
    simulated_pmu_free(pmu);
    free(first);
    free(again);
    free(page);
}

/* The self-test's own load and what is behind it: probe/skid.c */
extern const char skid_chase_behind[];

static uint64_t behind_the_load(unsigned index)
{
    (void)index;
    return (uintptr_t)skid_chase_behind;
}

static const struct simulated_rule interrupting[] = {
    {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .needs = SIMULATED_HARDWARE, .per_second = 2e9,
     .samples_per_window = 200, .sample_ip_of = behind_the_load},
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY},
    {.type = PERF_TYPE_SOFTWARE, .any_config = true, .per_second = 1e9, .samples_per_window = 200, .sample_ip = 0x401000},
};

/* With a PMU whose cycles interrupt beside the stall, they sample; where they count and never interrupt, the timer does. */
Test(diagnose, samples_by_cycles_where_they_interrupt)
{
    static const struct {
        const struct simulated_rule *rules;
        unsigned count;
        bool by_cycles;
    } cases[] = {{interrupting, array_count(interrupting), true}, {rules, array_count(rules), false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){.rules = cases[at].rules,
                                                                               .rule_count = cases[at].count,
                                                                               .programmable = 4,
                                                                               .cpus = 1024,
                                                                               .step_ns = 1000000});
        char folder[] = "/tmp/plumb-unit-XXXXXX", pid[20], data[64], name[] = "diagnose", p[] = "-p",
             duration[] = "--duration", seconds[] = "0.1", json[] = "--json", kept[] = "--case";
        cr_assert_not_null(mkdtemp(folder));
        snprintf(pid, sizeof(pid), "%d", (int)getpid());
        snprintf(data, sizeof(data), "%s/perf.data", folder);
        char *live[] = {name, p, pid, duration, seconds, json, kept, folder, NULL};
        char *first = diagnose(simulated_pmu_kernel(pmu), 8, live);
        FILE *file = fopen(data, "r");
        cr_assert_not_null(file);
        fseek(file, 0, SEEK_END);
        long size = ftell(file);
        char *bytes = text_of(file);
        bool names_cycles = memmem(bytes, (size_t)size, "cycles", 6) != NULL;
        bool names_timer = memmem(bytes, (size_t)size, "cpu-clock:u", 11) != NULL; /* whose rate is known at two; the stacks are by it in any case */
        cr_expect_eq(names_cycles, cases[at].by_cycles);
        cr_expect_eq(names_timer, !cases[at].by_cycles);
        if (cases[at].by_cycles)
            cr_expect_not_null(strstr(first, "\"stalls_attributed\": true"), "%s", first);
        case_folder_remove(folder);
        simulated_pmu_free(pmu);
        fclose(file);
        free(bytes);
        free(first);
    }
}

/* At a frequency every new process begins with samples of a few cycles that would count as much as those of a million. */
Test(diagnose, samples_by_cycles_stand_for_as_many_each)
{
    struct recorder_event event = {0};
    recording_rate(&event, true, 2999);
    cr_expect_eq(event.frequency, 0);
    cr_expect_eq(event.period, 1000333);
    recording_rate(&event, false, 2999);
    cr_expect_eq(event.frequency, 2999);
    cr_expect_eq(event.period, 0);
}
