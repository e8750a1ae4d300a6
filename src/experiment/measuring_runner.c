/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/measuring_runner.h"

#include "base/scope.h"
#include "base/vec.h"
#include "capture/counting.h"
#include "system/host/cpu_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_COUNTED = CHILD_QUANTITY_COUNT,
    COUNTED = 9,
    FIRST_AROUND = FIRST_COUNTED + COUNTED
};

/* What is read around the run. */
enum around {
    AROUND_HUGE_SHARE = FIRST_AROUND,
    AROUND_STEAL,
    AROUND_CLOCK,
    AROUND_END
};
_Static_assert((int)AROUND_END == (int)MEASURING_QUANTITY_COUNT, "the header's count");

const struct run_quantity measuring_quantities[MEASURING_QUANTITY_COUNT] = {
    CHILD_QUANTITIES,
    [FIRST_COUNTED] = {"migrations", "moves between CPUs", RUN_COUNT},
    {"cycles", "cycles in user mode", RUN_COUNT},
    {"instructions", "instructions in user mode", RUN_COUNT},
    {"branches", "branches", RUN_COUNT},
    {"branch-misses", "wrongly guessed branches", RUN_COUNT},
    {"cache-misses", "last-level cache misses", RUN_COUNT},
    {"dtlb-load-misses", "data TLB misses of loads", RUN_COUNT},
    {"itlb-load-misses", "instruction TLB misses", RUN_COUNT},
    {"l1i-misses", "instruction cache misses", RUN_COUNT},
    [AROUND_HUGE_SHARE] = {"huge-pages", "anonymous memory on huge pages", RUN_SHARE},
    [AROUND_STEAL] = {"steal", "CPU time stolen by the host", RUN_SHARE},
    [AROUND_CLOCK] = {"clock", "clock before the run", RUN_HERTZ},
};

/* The counted ones as `plumb stat -e` takes them, in the same order. */
static const char *const counted[] = {
    "cpu-migrations",    "cycles:u",         "instructions:u",     "branches:u",
    "branch-misses:u",   "cache-misses:u",   "dTLB-load-misses:u", "iTLB-load-misses:u",
    "L1-icache-load-misses:u",
};
_Static_assert(array_count(counted) == COUNTED, "an event per quantity");

static const uint64_t first_look_ns = 100 * 1000000u;

struct measuring_runner {
    struct measuring_setup setup;
    struct arena arena;
    struct event_list events; /* of counted[], in that order: none where the name is unknown here, several on hybrid CPUs */
    size_t event_end[COUNTED]; /* behind the last event of each */
};

struct measuring_runner *measuring_runner_new(const struct measuring_setup *setup)
{
    struct measuring_runner *runner = memory_alloc(sizeof(*runner));
    *runner = (struct measuring_runner){.setup = *setup};
    arena_init(&runner->arena);
    for (size_t at = 0; at < COUNTED; at++) {
        struct error unknown = {0}; /* a name that this architecture lacks is one quantity less, no failure */
        bool known = event_list_parse(&runner->events, counted[at], setup->root, &runner->arena, &unknown);
        (void)known;
        runner->event_end[at] = runner->events.count;
    }
    return runner;
}

void measuring_runner_free(struct measuring_runner *runner)
{
    event_list_done(&runner->events);
    arena_done(&runner->arena);
    free(runner);
}

/* Page sizes, looked at while it runs. */

struct page_looks {
    const struct counting *counting;
    const struct sysroot *root;
    uint64_t next_ns;
    uint64_t anonymous_bytes, huge_bytes; /* at the look with most anonymous memory */
    bool looked;
};

static uint64_t rollup_bytes(struct view rollup, const char *key)
{
    for (struct view line; view_line(&rollup, &line);) {
        if (!view_starts(line, key))
            continue;
        struct view rest = view_skip(line, strlen(key)), number = view_word(&rest);
        uint64_t kib = 0;
        return view_u64(number, 10, &kib) ? kib * 1024 : 0;
    }
    return 0;
}

static bool look_at_pages(void *context, const struct count_table *window)
{
    struct page_looks *looks = context;
    if (window->end_ns < looks->next_ns)
        return true;
    looks->next_ns = 2 * window->end_ns;
    scoped_text struct text rollup = {0};
    struct error gone = {0}; /* it may end between two looks */
    if (!sysroot_read(looks->root, &rollup, &gone, "/proc/%d/smaps_rollup", (int)looks->counting->workload.pid))
        return true;
    struct view text = {text_string(&rollup), rollup.length};
    uint64_t anonymous = rollup_bytes(text, "Anonymous:");
    if (anonymous >= looks->anonymous_bytes) {
        looks->anonymous_bytes = anonymous;
        looks->huge_bytes = rollup_bytes(text, "AnonHugePages:");
        looks->looked = true;
    }
    return true;
}

static struct measured huge_share(const struct page_looks *looks)
{
    if (!looks->looked)
        return not_measured("it ended before the first look at its pages, after 0.1 s");
    if (!looks->anonymous_bytes)
        return not_measured("it had no anonymous memory");
    return measured_as((double)looks->huge_bytes / (double)looks->anonymous_bytes);
}

/* Counters. */

static const char *refusal_reason(const struct reading *reading)
{
    if (reading->status == READING_NOT_COUNTED)
        return "the counter was never scheduled: others held it";
    switch (reading->open_errno) {
    case EACCES:
    case EPERM:
        return "not permitted (perf_event_paranoid, or a seccomp filter)";
    case EBUSY:
        return "others hold the counters";
    default:
        return "this machine shows no such counter";
    }
}

/* The sum over rows [first, end): the same event on each of a hybrid CPU's core types. */
static struct measured rows_value(const struct count_table *table, size_t first, size_t end)
{
    struct reading sum = {.status = READING_NOT_SUPPORTED};
    double value = 0;
    for (size_t row = first; row < end && row < table->row_count; row++) {
        for (size_t cell = 0; cell < table->rows[row].cell_count; cell++) {
            const struct reading *reading = &table->rows[row].cells[cell].reading;
            value += reading->status == READING_COUNTED ? reading_scaled(reading) : 0;
            sum = sum.open_errno || sum.status == READING_COUNTED ? reading_add(sum, *reading) : *reading;
        }
    }
    return sum.status == READING_COUNTED ? measured_as(value) : not_measured(refusal_reason(&sum));
}

static void counted_cells(const struct measuring_runner *runner, const struct count_table *table,
                          struct measured *ret_cells)
{
    size_t first = 0;
    for (size_t at = 0; at < COUNTED; at++) {
        ret_cells[at] = rows_value(table, first, runner->event_end[at]);
        first = runner->event_end[at];
    }
}

/* The run. */

static struct measured steal_share(const struct cpu_time *before, const struct cpu_time *after)
{
    double ratio;
    return cpu_time_steal_ratio(before, after, &ratio) ? measured_as(ratio)
                                                       : not_measured("it was shorter than a tick of /proc/stat");
}

static bool count_run(struct measuring_runner *runner, const struct experiment_arm *arm, struct measured *ret_cells,
                      int *ret_exit_code, struct error *err)
{
    struct counting counting;
    struct page_looks looks = {.counting = &counting, .root = runner->setup.root, .next_ns = first_look_ns};
    struct workload_surroundings surroundings = {.environment = arm->environment, .streams_null = true};
    struct target_request target = {0};
    struct counting_plan plan = {.events = &runner->events,
                                 .target = &target,
                                 .argv = arm->argv,
                                 .surroundings = &surroundings,
                                 .inherit = true,
                                 .interval_ns = first_look_ns,
                                 .control_fd = -1,
                                 .acknowledge_fd = -1,
                                 .interval = look_at_pages,
                                 .context = &looks};
    bool ran = counting_run(&counting, &plan, runner->setup.kernel, runner->setup.root, err);
    if (ran) {
        child_cells(&counting.workload, ret_cells);
        counted_cells(runner, &counting.total, ret_cells + FIRST_COUNTED);
        ret_cells[AROUND_HUGE_SHARE] = huge_share(&looks);
        *ret_exit_code = workload_exit_code(&counting.workload);
    }
    counting_done(&counting);
    return ran;
}

static bool measure_run(void *context, const struct experiment_arm *arm, size_t block, struct measured *ret_cells,
                        int *ret_exit_code, struct error *err)
{
    struct measuring_runner *runner = context;
    (void)block;
    if (runner->setup.prepare && !prepare_run(runner->setup.prepare, err))
        return false;
    struct cpu_time before, after;
    ret_cells[AROUND_CLOCK] =
        runner->setup.clock_hertz ? runner->setup.clock_hertz() : not_measured("it was not asked for");
    cpu_time_read(&before, runner->setup.root);
    if (!count_run(runner, arm, ret_cells, ret_exit_code, err))
        return false;
    cpu_time_read(&after, runner->setup.root);
    ret_cells[AROUND_STEAL] = steal_share(&before, &after);
    return true;
}

struct experiment_runner measuring_runner_interface(struct measuring_runner *runner)
{
    return (struct experiment_runner){
        .context = runner, .quantities = measuring_quantities, .quantity_count = MEASURING_QUANTITY_COUNT, .run = measure_run};
}
