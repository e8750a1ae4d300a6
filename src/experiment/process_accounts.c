/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/process_accounts.h"

#include "base/scope.h"

#include <stdio.h>
#include <unistd.h>

/* "key: value" in one of /proc's files; NULL view when it isn't there. */
static struct view value_of(struct view text, const char *key)
{
    for (struct view line; view_line(&text, &line);)
        if (view_starts(line, key))
            return view_trim(view_skip(line, strlen(key)));
    return (struct view){NULL, 0};
}

static struct measured number_of(struct view text, const char *key)
{
    uint64_t value;
    return view_u64(value_of(text, key), 10, &value) ? measured_as((double)value)
                                                     : not_measured("this kernel doesn't account for it");
}

static struct measured sum_of(struct measured a, struct measured b)
{
    return !a.known ? a : !b.known ? b : measured_as(a.value + b.value);
}

static void read_io(struct process_accounts *accounts, const struct sysroot *root, pid_t pid)
{
    scoped_text struct text io = {0};
    struct measured refused = not_measured("/proc/PID/io can't be read");
    accounts->read_bytes = accounts->written_bytes = accounts->io_calls = refused;
    if (!sysroot_read(root, &io, NULL, "/proc/%d/io", (int)pid))
        return;
    struct view text = text_view(&io);
    accounts->read_bytes = number_of(text, "rchar:");
    accounts->written_bytes = number_of(text, "wchar:");
    accounts->io_calls = sum_of(number_of(text, "syscr:"), number_of(text, "syscw:"));
}

/* Ticks of a clock: less than that is its grain. */
static const double PARTS_LEAST = 0.95, GRAIN_S = 0.03;

/*
 * CPU time of all its threads and of the children it waited for, from the 14th to the 17th field; negative: not known.
 */
static double whole_cpu_s(const struct sysroot *root, pid_t pid)
{
    enum {
        BEFORE = 11, /* behind the name in parentheses */
        PARTS = 4
    };
    char line[1024];
    long ticks = sysconf(_SC_CLK_TCK);
    uint64_t sum = 0, part;
    if (ticks <= 0 || !sysroot_line(root, line, sizeof(line), "/proc/%d/stat", (int)pid))
        return -1;
    const char *behind = strrchr(line, ')');
    struct view rest = view_of(behind ? behind + 1 : "");
    for (int field = 0; field < BEFORE + PARTS; field++) {
        struct view word = view_word(&rest);
        if (field < BEFORE)
            continue;
        if (!view_u64(word, 10, &part))
            return -1;
        sum += part;
    }
    return (double)sum / (double)ticks;
}

/*
 * "time on the CPU, time ready without one, time slices", in ns: of the first thread alone, since others are gone by
 * then.
 */
static void read_delay(struct process_accounts *accounts, const struct sysroot *root, pid_t pid)
{
    char line[128];
    uint64_t run_ns, delay_ns;
    accounts->run_delay_s = not_measured("/proc/PID/schedstat can't be read");
    if (!sysroot_line(root, line, sizeof(line), "/proc/%d/schedstat", (int)pid))
        return;
    struct view rest = view_of(line);
    if (!view_u64(view_word(&rest), 10, &run_ns) || !view_u64(view_word(&rest), 10, &delay_ns))
        return;
    double whole_s = whole_cpu_s(root, pid), own_s = (double)run_ns / 1e9;
    if (own_s < PARTS_LEAST * whole_s && own_s < whole_s - GRAIN_S)
        accounts->run_delay_s =
            not_measured("its other threads and children took with them how long they waited for a CPU");
    else
        accounts->run_delay_s = measured_as((double)delay_ns / 1e9);
}

/* The 17th field behind the name in parentheses. */
static void read_nice(struct process_accounts *accounts, const struct sysroot *root, pid_t pid)
{
    enum {
        FIELDS_BEFORE = 16
    };
    char line[1024];
    if (!sysroot_line(root, line, sizeof(line), "/proc/%d/stat", (int)pid))
        return;
    const char *behind = strrchr(line, ')');
    struct view rest = view_of(behind ? behind + 1 : "");
    for (int field = 0; field < FIELDS_BEFORE; field++)
        view_word(&rest);
    struct view nice = view_word(&rest);
    snprintf(accounts->nice, sizeof(accounts->nice), "%.*s", (int)nice.length, nice.text ? nice.text : "");
}

void process_accounts_read(struct process_accounts *accounts, const struct sysroot *root, pid_t pid)
{
    *accounts = (struct process_accounts){0};
    read_io(accounts, root, pid);
    read_delay(accounts, root, pid);
    read_nice(accounts, root, pid);
    scoped_text struct text status = {0};
    if (!sysroot_read(root, &status, NULL, "/proc/%d/status", (int)pid))
        return;
    struct view cpus = value_of(text_view(&status), "Cpus_allowed_list:");
    snprintf(accounts->cpus, sizeof(accounts->cpus), "%.*s", (int)cpus.length, cpus.text ? cpus.text : "");
}

/* Memory. */

enum {
    PROCESSES_MOST = 64 /* of one run that are looked at */
};

static uint64_t rollup_bytes(struct view text, const char *key)
{
    uint64_t kib = 0;
    struct view value = value_of(text, key);
    return view_u64(view_word(&value), 10, &kib) ? kib * 1024 : 0;
}

static bool add_process(struct process_memory *memory, const struct sysroot *root, pid_t pid)
{
    scoped_text struct text rollup = {0};
    if (!sysroot_read(root, &rollup, NULL, "/proc/%d/smaps_rollup", (int)pid))
        return false;
    struct view text = text_view(&rollup);
    memory->resident_bytes += rollup_bytes(text, "Pss:");
    memory->anonymous_bytes += rollup_bytes(text, "Anonymous:");
    memory->huge_bytes += rollup_bytes(text, "AnonHugePages:") + rollup_bytes(text, "ShmemPmdMapped:") +
                          rollup_bytes(text, "FilePmdMapped:") + rollup_bytes(text, "Shared_Hugetlb:") +
                          rollup_bytes(text, "Private_Hugetlb:");
    return true;
}

static void add_children(pid_t *pids, size_t *count, const struct sysroot *root, pid_t pid)
{
    scoped_text struct text children = {0};
    if (!sysroot_read(root, &children, NULL, "/proc/%d/task/%d/children", (int)pid, (int)pid))
        return;
    struct view rest = view_trim(text_view(&children));
    while (rest.length && *count < PROCESSES_MOST) {
        uint64_t child;
        if (view_u64(view_word(&rest), 10, &child))
            pids[(*count)++] = (pid_t)child;
    }
}

bool process_memory_read(struct process_memory *memory, const struct sysroot *root, pid_t pid)
{
    pid_t pids[PROCESSES_MOST] = {pid};
    size_t count = 1;
    *memory = (struct process_memory){0};
    bool any = false;
    for (size_t at = 0; at < count; at++) {
        any |= add_process(memory, root, pids[at]);
        add_children(pids, &count, root, pids[at]);
    }
    return any;
}
