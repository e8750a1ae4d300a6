/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What has happened to pages: a process's faults; the machine's huge pages given, refused, collapsed and split?
 *
 * Counters since boot or since the process began: two readings make a rate.
 * Source: Documentation/admin-guide/mm/transhuge.rst, proc_pid_stat(5).
 */
#ifndef PLUMB_SYSTEM_MEMORY_PAGE_EVENTS_H
#define PLUMB_SYSTEM_MEMORY_PAGE_EVENTS_H

#include "system/fact.h"

#include <sys/types.h>

enum page_event {
    PAGE_EVENT_FAULTS,          /* of the process; all others are the machine's */
    PAGE_EVENT_MAJOR_FAULTS,
    PAGE_EVENT_HUGE_GIVEN,      /* thp_fault_alloc */
    PAGE_EVENT_HUGE_REFUSED,    /* thp_fault_fallback */
    PAGE_EVENT_COLLAPSED,       /* thp_collapse_alloc */
    PAGE_EVENT_COLLAPSE_FAILED, /* thp_collapse_alloc_failed */
    PAGE_EVENT_SPLIT_ENTRIES,   /* thp_split_pmd: the mapping became small, the folio stays */
    PAGE_EVENT_SPLIT_PAGES,     /* thp_split_page: the folio was cut up */
    PAGE_EVENT_COUNT
};

struct page_events {
    struct fact_number counts[PAGE_EVENT_COUNT];
};

/* pid 0: the machine's alone. */
void page_events_read(struct page_events *events, const struct sysroot *root, pid_t pid);

#endif
