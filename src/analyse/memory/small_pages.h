/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why is a mapping not on huge pages, and what would put it there?
 *
 * Goes through what the kernel asks, in its order: the process, the mapping's own advice, its shape, the policy for its
 * kind of memory; and when all of that allows it, what can keep memory small nevertheless. The first that forbids it is
 * certain; what only may be so is called that.
 * Source: Documentation/admin-guide/mm/transhuge.rst, Documentation/filesystems/tmpfs.rst, madvise(2), prctl(2).
 */
#ifndef PLUMB_ANALYSE_MEMORY_SMALL_PAGES_H
#define PLUMB_ANALYSE_MEMORY_SMALL_PAGES_H

#include "system/memory/huge_page.h"
#include "system/memory/huge_page_supply.h"
#include "system/memory/process_pages.h"

enum page_backing {
    PAGE_BACKING_ANONYMOUS,
    PAGE_BACKING_HEAP,     /* brk's: glibc's small allocations */
    PAGE_BACKING_STACK,
    PAGE_BACKING_SHARED,   /* shared anonymous, memfd, System V: the kernel's own shmem mount */
    PAGE_BACKING_TMPFS,
    PAGE_BACKING_HUGETLB,
    PAGE_BACKING_FILE,
    PAGE_BACKING_GUEST,    /* guest_memfd: KVM's private memory of a guest */
    PAGE_BACKING_SPECIAL,  /* vdso, devices */
    PAGE_BACKING_COUNT
};

enum small_page_cause {
    SMALL_PAGE_NO_CAUSE,       /* it is on huge pages, but for less than one */
    SMALL_PAGE_SPECIAL,
    SMALL_PAGE_NO_THP,         /* the kernel has none */
    SMALL_PAGE_PROCESS_BARRED, /* PR_SET_THP_DISABLE */
    SMALL_PAGE_ADVISED_NEVER,  /* MADV_NOHUGEPAGE */
    SMALL_PAGE_TOO_SMALL,      /* no aligned 2 MiB within it */
    SMALL_PAGE_POLICY_NEVER,   /* anonymous: enabled=never */
    SMALL_PAGE_POLICY_ADVISED, /* anonymous: enabled=madvise, and it wasn't advised */
    SMALL_PAGE_SHMEM_NEVER,    /* shmem_enabled */
    SMALL_PAGE_SHMEM_ADVISED,
    SMALL_PAGE_TMPFS_NEVER,    /* the mount's huge= */
    SMALL_PAGE_TMPFS_ADVISED,
    SMALL_PAGE_FILE,           /* a file system without huge pages for such a mapping */
    SMALL_PAGE_NOT_ELIGIBLE,   /* smaps says so, and none of the above tells why */
    SMALL_PAGE_FRAGMENTED,     /* may: no whole blocks free */
    SMALL_PAGE_GROUP_FULL,     /* may: its memory group has no 2 MiB left */
    SMALL_PAGE_EARLIER,        /* may: touched before it was allowed, or split since; khugepaged is behind */
    SMALL_PAGE_CAUSE_COUNT
};

struct small_pages {
    enum page_backing backing;
    enum small_page_cause cause;
    bool certain;
    uint64_t small_bytes;        /* present on base pages */
    uint64_t could_be_bytes;     /* of it at most in aligned blocks of 2 MiB within the mapping */
    const struct page_mount *mount; /* for files, or NULL */
    /* the 2 MiB size's own policy that forbids it; NULL: the general one's, or another cause */
    const char *policy_file;
    /* where nothing forbids it: how long khugepaged takes to look at that much; negative: not known */
    double backlog_s;
};

enum page_backing page_backing_of(const struct page_area *area, const struct huge_page_supply *supply,
                                  const struct page_mount **ret_mount);
struct small_pages small_pages_of(const struct page_area *area, uint64_t base_page_bytes,
                                  const struct huge_page *policy, const struct huge_page_supply *supply);

#endif
