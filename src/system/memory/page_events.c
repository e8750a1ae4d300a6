/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/page_events.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/key_value.h"

/* of /proc/PID/stat behind the name: state … flags, minflt, cminflt, majflt */
enum { WORDS_BEFORE_FAULTS = 7, WORDS_BETWEEN = 1 };

static void process_faults_read(struct page_events *events, const struct sysroot *root, pid_t pid)
{
    char line[1024];
    uint64_t minor, major;
    struct fact_number *faults = &events->counts[PAGE_EVENT_FAULTS],
                       *major_faults = &events->counts[PAGE_EVENT_MAJOR_FAULTS];
    fact_number_absent(faults, pid ? "process %d has ended" : "no process was asked for", pid);
    *major_faults = *faults;
    const char *name_end =
        pid && sysroot_line(root, line, sizeof(line), "/proc/%d/stat", pid) ? strrchr(line, ')') : NULL;
    if (!name_end)
        return;
    struct view rest = view_of(name_end + 1);
    for (int at = 0; at < WORDS_BEFORE_FAULTS; at++)
        view_word(&rest);
    if (!view_u64(view_word(&rest), 10, &minor))
        return;
    for (int at = 0; at < WORDS_BETWEEN; at++)
        view_word(&rest);
    if (!view_u64(view_word(&rest), 10, &major) || minor + major > INT64_MAX)
        return;
    fact_number_set(faults, (int64_t)(minor + major));
    fact_number_set(major_faults, (int64_t)major);
}

void page_events_read(struct page_events *events, const struct sysroot *root, pid_t pid)
{
    *events = (struct page_events){0};
    const struct key_fact keys[] = {
        {"thp_fault_alloc", &events->counts[PAGE_EVENT_HUGE_GIVEN]},
        {"thp_fault_fallback", &events->counts[PAGE_EVENT_HUGE_REFUSED]},
        {"thp_collapse_alloc", &events->counts[PAGE_EVENT_COLLAPSED]},
        {"thp_collapse_alloc_failed", &events->counts[PAGE_EVENT_COLLAPSE_FAILED]},
        {"thp_split_pmd", &events->counts[PAGE_EVENT_SPLIT_ENTRIES]},
        {"thp_split_page", &events->counts[PAGE_EVENT_SPLIT_PAGES]},
    };
    process_faults_read(events, root, pid);
    key_facts_read(keys, array_count(keys), root, "/proc/vmstat");
}
