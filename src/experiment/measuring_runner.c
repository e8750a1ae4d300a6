/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/measuring_runner.h"

#include "base/scope.h"
#include "base/vec.h"
#include "capture/counters/counting.h"
#include "experiment/output_reader.h"
#include "experiment/process_accounts.h"
#include "system/fact.h"
#include "system/host/cpu_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_COUNTED = CHILD_QUANTITY_COUNT,
    COUNTED = 9,
    FIRST_AROUND = FIRST_COUNTED + COUNTED
};

enum {
    COUNTED_CYCLES = FIRST_COUNTED + 1,
    COUNTED_INSTRUCTIONS,
    COUNTED_BRANCHES,
    COUNTED_BRANCH_MISSES
};

/* What is read around the run, and what follows from the counters. */
enum around {
    AROUND_HUGE_SHARE = FIRST_AROUND,
    AROUND_STEAL,
    AROUND_CLOCK,
    AROUND_RUN_DELAY,
    AROUND_READ,
    AROUND_WRITTEN,
    AROUND_IO_CALLS,
    DERIVED_PER_CYCLE,
    DERIVED_BRANCH_MISS_RATIO,
    DERIVED_CLOCK,
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
    [AROUND_HUGE_SHARE] = {"huge-pages", "share of memory on huge pages", RUN_SHARE},
    [AROUND_STEAL] = {"steal", "CPU time stolen by the host", RUN_SHARE},
    [AROUND_CLOCK] = {"clock", "clock before the run", RUN_HERTZ},
    [AROUND_RUN_DELAY] = {"run-delay", "ready, but without a CPU", RUN_SECONDS},
    [AROUND_READ] = {"read-bytes", "bytes read", RUN_BYTES},
    [AROUND_WRITTEN] = {"written-bytes", "bytes written", RUN_BYTES},
    [AROUND_IO_CALLS] = {"io-calls", "calls to read or write", RUN_COUNT},
    [DERIVED_PER_CYCLE] = {"ipc", "instructions per cycle", RUN_RATE},
    [DERIVED_BRANCH_MISS_RATIO] = {"branch-miss-ratio", "branches wrongly guessed", RUN_SHARE},
    [DERIVED_CLOCK] = {"clock-running", "clock while it ran", RUN_HERTZ},
};

/* The counted ones as `plumb stat -e` takes them, in the same order. */
static const char *const counted[] = {
    "cpu-migrations",    "cycles:u",         "instructions:u",     "branches:u",
    "branch-misses:u",   "cache-misses:u",   "dTLB-load-misses:u", "iTLB-load-misses:u",
    "L1-icache-load-misses:u",
};
_Static_assert(array_count(counted) == COUNTED, "an event per quantity");

static const uint64_t first_look_ns = 20 * 1000000u;

struct measuring_runner {
    struct measuring_setup setup;
    struct arena arena;
    /* of counted[], in that order: none where the name is unknown here, several on hybrid CPUs */
    struct event_list events;
    size_t event_end[COUNTED]; /* behind the last event of each */
    struct {
        struct run_fact *items;
        size_t count, capacity;
    } facts;
    struct {
        struct run_output *items;
        size_t count, capacity;
    } outputs;
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
    vec_done(&runner->facts);
    vec_done(&runner->outputs);
    arena_done(&runner->arena);
    free(runner);
}

/* Facts: few, so that they are searched one by one. */

static void fact_note(struct measuring_runner *runner, const char *arm, const char *name, const char *value,
                      bool is_machine)
{
    if (!*value)
        return;
    vec_for_each(&runner->facts, fact) {
        if (strcmp(fact->arm, arm) != 0 || strcmp(fact->name, name) != 0)
            continue;
        if (!fact->other && strcmp(fact->value, value) != 0)
            fact->other = arena_string(&runner->arena, value);
        return;
    }
    *vec_push(&runner->facts) = (struct run_fact){arena_string(&runner->arena, arm), name,
                                                  arena_string(&runner->arena, value), NULL, is_machine};
}

/* What may change while the machine runs; the names are those of system/surroundings. */
static void machine_facts_note(struct measuring_runner *runner, const char *arm)
{
    static const struct {
        const char *name, *path;
    } files[] = {
        {"thp_enabled", "/sys/kernel/mm/transparent_hugepage/enabled"},
        {"thp_defrag", "/sys/kernel/mm/transparent_hugepage/defrag"},
        {"thp_shmem", "/sys/kernel/mm/transparent_hugepage/shmem_enabled"},
        {"governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
        {"boost", "/sys/devices/system/cpu/cpufreq/boost"},
        {"no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo"},
        {"numa_balancing", "/proc/sys/kernel/numa_balancing"},
        {"cpus_online", "/sys/devices/system/cpu/online"},
    };
    for (size_t at = 0; at < array_count(files); at++) {
        struct fact_word word;
        fact_word_read_choice(&word, runner->setup.root, "%s", files[at].path);
        if (!word.known)
            fact_word_read(&word, runner->setup.root, "%s", files[at].path);
        if (word.known)
            fact_note(runner, arm, files[at].name, word.text, true);
    }
}

size_t measuring_runner_facts(const struct measuring_runner *runner, const struct run_fact **ret_facts)
{
    *ret_facts = runner->facts.items;
    return runner->facts.count;
}

struct run_outputs measuring_runner_outputs(const struct measuring_runner *runner)
{
    return (struct run_outputs){runner->outputs.items, runner->outputs.count};
}

/* Page sizes, looked at while it runs. */

struct page_looks {
    const struct counting *counting;
    const struct sysroot *root;
    uint64_t next_ns;
    struct process_memory most; /* at the look with most memory */
    bool looked;
};

static bool look_at_pages(void *context, const struct count_table *window)
{
    struct page_looks *looks = context;
    struct process_memory memory;
    if (window->end_ns < looks->next_ns)
        return true;
    looks->next_ns = 2 * window->end_ns;
    if (looks->counting->workload.reaped || !process_memory_read(&memory, looks->root, looks->counting->workload.pid) ||
        memory.resident_bytes < looks->most.resident_bytes)
        return true;
    looks->most = memory;
    looks->looked = memory.resident_bytes > 0;
    return true;
}

static struct measured huge_share(const struct page_looks *looks)
{
    if (!looks->looked)
        return not_measured("it ended before the first look at its pages, after 20 ms");
    double share = (double)looks->most.huge_bytes / (double)looks->most.resident_bytes;
    return measured_as(share < 1 ? share : 1);
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

/* User time is told by ticks on many kernels: of a short run it is too coarse to divide by. */
static struct measured clock_running(struct measured cycles, struct measured user_s)
{
    static const double user_least_s = 0.1;
    if (!cycles.known)
        return cycles;
    if (!user_s.known || user_s.value < user_least_s)
        return not_measured("it took less than 0.1 s of user time");
    return measured_as(cycles.value / user_s.value);
}

static void derived_cells(struct measured *cells)
{
    cells[DERIVED_PER_CYCLE] = measured_ratio(cells[COUNTED_INSTRUCTIONS], cells[COUNTED_CYCLES]);
    cells[DERIVED_BRANCH_MISS_RATIO] = measured_ratio(cells[COUNTED_BRANCH_MISSES], cells[COUNTED_BRANCHES]);
    cells[DERIVED_CLOCK] = clock_running(cells[COUNTED_CYCLES], cells[CHILD_USER]);
}

/* The run. */

static struct measured steal_share(const struct cpu_time *before, const struct cpu_time *after)
{
    double ratio;
    return cpu_time_steal_ratio(before, after, &ratio) ? measured_as(ratio)
                                                       : not_measured("it was shorter than a tick of /proc/stat");
}

struct farewell {
    const struct sysroot *root;
    struct process_accounts accounts;
};

static void accounts_read(void *context, pid_t pid)
{
    struct farewell *farewell = context;
    process_accounts_read(&farewell->accounts, farewell->root, pid);
}

static void account_cells(struct measuring_runner *runner, const char *arm, const struct process_accounts *accounts,
                          struct measured *ret_cells)
{
    ret_cells[AROUND_RUN_DELAY] = accounts->run_delay_s;
    ret_cells[AROUND_READ] = accounts->read_bytes;
    ret_cells[AROUND_WRITTEN] = accounts->written_bytes;
    ret_cells[AROUND_IO_CALLS] = accounts->io_calls;
    fact_note(runner, arm, "cpus_allowed", accounts->cpus, false);
    fact_note(runner, arm, "nice", accounts->nice, false);
}

/* output_fd 0: what it prints goes to /dev/null. */
static bool count_run(struct measuring_runner *runner, const struct experiment_arm *arm, int output_fd,
                      struct measured *ret_cells, int *ret_exit_code, struct error *err)
{
    struct counting counting;
    struct page_looks looks = {.counting = &counting, .root = runner->setup.root, .next_ns = first_look_ns};
    struct farewell farewell = {.root = runner->setup.root};
    struct workload_surroundings surroundings = arm_surroundings(arm);
    surroundings.output_fd = output_fd;
    surroundings.ended = accounts_read;
    surroundings.ended_context = &farewell;
    struct target_request target = {0};
    struct counting_plan plan = {.events = &runner->events,
                                 .target = &target,
                                 .argv = arm->argv,
                                 .surroundings = &surroundings,
                                 .inherit = true,
                                 .interval_ns = first_look_ns,
                                 .interval = look_at_pages,
                                 .context = &looks};
    bool ran = counting_run(&counting, &plan, runner->setup.kernel, runner->setup.root, err);
    if (ran) {
        child_cells(&counting.workload, ret_cells);
        counted_cells(runner, &counting.total, ret_cells + FIRST_COUNTED);
        account_cells(runner, arm->label, &farewell.accounts, ret_cells);
        derived_cells(ret_cells);
        ret_cells[AROUND_HUGE_SHARE] = huge_share(&looks);
        *ret_exit_code = workload_exit_code(&counting.workload);
    }
    counting_done(&counting);
    return ran;
}

static bool count_and_read_run(struct measuring_runner *runner, const struct experiment_arm *arm,
                               struct measured *ret_cells, int *ret_exit_code, struct error *err)
{
    struct output_reader reader;
    if (!output_reader_begin(&reader))
        return count_run(runner, arm, 0, ret_cells, ret_exit_code, err);
    bool ran = count_run(runner, arm, reader.output_fd, ret_cells, ret_exit_code, err);
    output_reader_end(&reader);
    if (ran)
        *vec_push(&runner->outputs) =
            (struct run_output){arena_string(&runner->arena, arm->label), reader.bytes, reader.digest};
    return ran;
}

static bool measure_run(void *context, const struct experiment_arm *arm, size_t block, struct measured *ret_cells,
                        int *ret_exit_code, struct error *err)
{
    struct measuring_runner *runner = context;
    bool is_read = block == SIZE_MAX && runner->setup.reads_warmups;
    if (runner->setup.prepare && !prepare_run(runner->setup.prepare, err))
        return false;
    struct cpu_time before, after;
    machine_facts_note(runner, arm->label);
    ret_cells[AROUND_CLOCK] =
        runner->setup.clock_hertz ? runner->setup.clock_hertz() : not_measured("it was not asked for");
    cpu_time_read(&before, runner->setup.root);
    if (!(is_read ? count_and_read_run(runner, arm, ret_cells, ret_exit_code, err)
                  : count_run(runner, arm, 0, ret_cells, ret_exit_code, err)))
        return false;
    cpu_time_read(&after, runner->setup.root);
    ret_cells[AROUND_STEAL] = steal_share(&before, &after);
    return true;
}

struct experiment_runner measuring_runner_interface(struct measuring_runner *runner)
{
    return (struct experiment_runner){.context = runner,
                                      .quantities = measuring_quantities,
                                      .quantity_count = MEASURING_QUANTITY_COUNT,
                                      .run = measure_run};
}
