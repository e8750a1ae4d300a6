/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * May this process have huge pages now, and are there any?
 *
 * What is outside the general policy (memory/huge_page.h): a process that was barred (PR_SET_THP_DISABLE), whole 2 MiB
 * blocks among the free memory, a control group near its limit, what khugepaged asks of a block, and the file systems
 * behind mappings. Source: proc_pid_status(5), proc_buddyinfo(5), Documentation/admin-guide/mm/transhuge.rst,
 * Documentation/filesystems/tmpfs.rst.
 */
#ifndef PLUMB_SYSTEM_MEMORY_HUGE_PAGE_SUPPLY_H
#define PLUMB_SYSTEM_MEMORY_HUGE_PAGE_SUPPLY_H

#include "base/arena.h"
#include "system/fact.h"

#include <sys/types.h>

struct page_mount { /* a file system as the process sees it */
    const char *point, *type;
    const char *huge; /* value of tmpfs' option huge=, "" when it isn't given */
};

struct huge_page_supply {
    struct fact_number process_allowed;  /* 0: PR_SET_THP_DISABLE is in force */
    struct fact_number free_bytes, free_block_bytes; /* all free memory; of it in whole blocks of 2 MiB and more */
    /* of the tightest memory group; absent with why when unlimited */
    struct fact_number group_limit_bytes, group_used_bytes;
    struct fact_number empty_most;       /* khugepaged's max_ptes_none: empty small pages that it accepts in a block */
    struct page_mount *mounts;           /* owner: arena */
    size_t mount_count;
};

void huge_page_supply_read(struct huge_page_supply *supply, const struct sysroot *root, pid_t pid, struct arena *arena);

/* Those of one mountinfo text; lines of another form are left out. */
void page_mounts_parse(struct huge_page_supply *supply, struct view mountinfo, struct arena *arena);
/* The file system that holds the path, or NULL: an absolute path in the process's own view. */
const struct page_mount *page_mount_of(const struct huge_page_supply *supply, const char *path);

#endif
