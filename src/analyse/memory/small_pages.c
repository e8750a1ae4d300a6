/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/small_pages.h"

#include "base/vec.h"
#include "system/memory/page_frames.h"

static bool path_starts(const struct page_area *area, const char *prefix)
{
    return strncmp(area->path, prefix, strlen(prefix)) == 0;
}

static const struct {
    const char *prefix;
    enum page_backing backing;
} backings[] = {
    {"[heap]", PAGE_BACKING_HEAP},
    {"[stack", PAGE_BACKING_STACK},
    {"[anon_shmem:", PAGE_BACKING_SHARED},
    {"[anon:", PAGE_BACKING_ANONYMOUS},
    {"[guest_memfd]", PAGE_BACKING_GUEST},
    {"anon_inode:[guest_memfd]", PAGE_BACKING_GUEST},
    {"anon_inode:[kvm-gmem]", PAGE_BACKING_GUEST}, /* before Linux 6.17 */
    {"[kvm-gmem]", PAGE_BACKING_GUEST},
    {"[", PAGE_BACKING_SPECIAL},
    {"anon_inode:", PAGE_BACKING_SPECIAL},
    {"socket:", PAGE_BACKING_SPECIAL},
    {"/dev/zero (deleted)", PAGE_BACKING_SHARED},
    {"/memfd:", PAGE_BACKING_SHARED},
    {"/SYSV", PAGE_BACKING_SHARED},
};

enum page_backing page_backing_of(const struct page_area *area, const struct huge_page_supply *supply,
                                  const struct page_mount **ret_mount)
{
    *ret_mount = NULL;
    if (area->kernel_page_bytes >= HUGE_PAGE_BYTES)
        return PAGE_BACKING_HUGETLB;
    if (!area->path[0])
        return PAGE_BACKING_ANONYMOUS;
    for (size_t at = 0; at < array_count(backings); at++)
        if (path_starts(area, backings[at].prefix))
            return backings[at].backing;
    *ret_mount = page_mount_of(supply, area->path);
    if (!*ret_mount)
        return PAGE_BACKING_FILE;
    bool device = strcmp((*ret_mount)->type, "devtmpfs") == 0;
    return device                                     ? PAGE_BACKING_SPECIAL
           : strcmp((*ret_mount)->type, "tmpfs") == 0 ? PAGE_BACKING_TMPFS
                                                      : PAGE_BACKING_FILE;
}

/* Of the mapping, what lies in whole aligned blocks. */
static uint64_t aligned_bytes(const struct page_area *area)
{
    uint64_t first = (area->start + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    uint64_t last = area->end / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    return last > first ? last - first : 0;
}

#define POLICY_2M "/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/"

/* The word in force for 2 MiB: the size's own, unless it inherits or the kernel has none. */
static const struct fact_word *word_of_huge(const struct huge_page *policy, bool shmem, const char **ret_file)
{
    bool overruled = shmem && (fact_is(&policy->shmem_enabled, "deny") || fact_is(&policy->shmem_enabled, "force"));
    *ret_file = NULL;
    for (size_t at = 0; !overruled && at < policy->size_count; at++) {
        const struct fact_word *word = shmem ? &policy->sizes[at].shmem_enabled : &policy->sizes[at].enabled;
        if (policy->sizes[at].kib * 1024 == HUGE_PAGE_BYTES && word->known && !fact_is(word, "inherit")) {
            *ret_file = shmem ? POLICY_2M "shmem_enabled" : POLICY_2M "enabled";
            return word;
        }
    }
    return shmem ? &policy->shmem_enabled : &policy->enabled;
}

struct policy_row {
    const char *word;
    bool needs_advice; /* else it forbids */
};

static enum small_page_cause cause_by_word(const char *word, bool advised, enum small_page_cause never,
                                           enum small_page_cause without_advice)
{
    static const struct policy_row rows[] = {
        {"never", false}, {"deny", false}, {"", false}, {"madvise", true}, {"advise", true}};
    for (size_t at = 0; at < array_count(rows); at++)
        if (strcmp(word, rows[at].word) == 0)
            return !rows[at].needs_advice ? never : advised ? SMALL_PAGE_NO_CAUSE : without_advice;
    return SMALL_PAGE_NO_CAUSE; /* always, within_size, force */
}

static enum small_page_cause cause_of_kind(struct small_pages *small, const struct page_area *area,
                                           const struct huge_page *policy, bool shmem)
{
    const struct fact_word *word = word_of_huge(policy, shmem, &small->policy_file);
    return !word->known ? SMALL_PAGE_NO_CAUSE
           : shmem ? cause_by_word(word->text, area->advised_huge, SMALL_PAGE_SHMEM_NEVER, SMALL_PAGE_SHMEM_ADVISED)
                   : cause_by_word(word->text, area->advised_huge, SMALL_PAGE_POLICY_NEVER, SMALL_PAGE_POLICY_ADVISED);
}

static enum small_page_cause cause_by_policy(struct small_pages *small, const struct page_area *area,
                                             const struct huge_page *policy)
{
    switch (small->backing) {
    case PAGE_BACKING_ANONYMOUS:
    case PAGE_BACKING_HEAP:
    case PAGE_BACKING_STACK:
        return cause_of_kind(small, area, policy, false);
    case PAGE_BACKING_SHARED:
        return cause_of_kind(small, area, policy, true);
    case PAGE_BACKING_TMPFS:
        if (fact_is(&policy->shmem_enabled, "force"))
            return SMALL_PAGE_NO_CAUSE;
        if (fact_is(&policy->shmem_enabled, "deny"))
            return SMALL_PAGE_SHMEM_NEVER;
        return cause_by_word(small->mount->huge, area->advised_huge, SMALL_PAGE_TMPFS_NEVER, SMALL_PAGE_TMPFS_ADVISED);
    case PAGE_BACKING_FILE:
        return area->huge_eligible == 1 ? SMALL_PAGE_NO_CAUSE : SMALL_PAGE_FILE;
    default:
        return SMALL_PAGE_SPECIAL;
    }
}

static enum small_page_cause forbidding_cause(struct small_pages *small, const struct page_area *area,
                                              const struct huge_page *policy, const struct huge_page_supply *supply)
{
    if (small->backing == PAGE_BACKING_SPECIAL || small->backing == PAGE_BACKING_GUEST)
        return SMALL_PAGE_SPECIAL;
    if (!policy->enabled.known)
        return SMALL_PAGE_NO_THP;
    if (fact_equals(&supply->process_allowed, 0))
        return SMALL_PAGE_PROCESS_BARRED;
    if (area->advised_never)
        return SMALL_PAGE_ADVISED_NEVER;
    if (!aligned_bytes(area))
        return SMALL_PAGE_TOO_SMALL;
    enum small_page_cause cause = cause_by_policy(small, area, policy);
    return cause == SMALL_PAGE_NO_CAUSE && area->huge_eligible == 0 ? SMALL_PAGE_NOT_ELIGIBLE : cause;
}

/* How long khugepaged takes to look at that much memory once. */
static double backlog_of(uint64_t bytes, uint64_t base_page_bytes, const struct huge_page *policy)
{
    const struct fact_number *pages = &policy->khugepaged_pages_to_scan, *sleep_ms = &policy->khugepaged_scan_sleep_ms;
    if (!pages->known || !sleep_ms->known || pages->value <= 0)
        return -1;
    return (double)bytes / (double)base_page_bytes / (double)pages->value * (double)sleep_ms->value / 1000;
}

/* All allows it: what may have kept it small. */
static enum small_page_cause hindering_cause(const struct huge_page_supply *supply)
{
    if (supply->group_limit_bytes.known &&
        supply->group_limit_bytes.value - supply->group_used_bytes.value < HUGE_PAGE_BYTES)
        return SMALL_PAGE_GROUP_FULL;
    if (supply->free_block_bytes.known && supply->free_block_bytes.value < HUGE_PAGE_BYTES)
        return SMALL_PAGE_FRAGMENTED;
    return SMALL_PAGE_EARLIER;
}

struct small_pages small_pages_of(const struct page_area *area, uint64_t base_page_bytes,
                                  const struct huge_page *policy, const struct huge_page_supply *supply)
{
    struct small_pages small = {.certain = true, .backlog_s = -1};
    small.backing = page_backing_of(area, supply, &small.mount);
    small.small_bytes = area->resident_bytes > area->huge_bytes ? area->resident_bytes - area->huge_bytes : 0;
    if (small.backing == PAGE_BACKING_HUGETLB || !small.small_bytes)
        return small;
    uint64_t aligned = aligned_bytes(area), huge = area->huge_bytes < aligned ? area->huge_bytes : aligned;
    small.could_be_bytes = small.small_bytes < aligned - huge ? small.small_bytes : aligned - huge;
    small.cause = forbidding_cause(&small, area, policy, supply);
    /* A file system may give some: only the kernel's own word on this mapping, and no huge page there, is proof. */
    small.certain = small.cause != SMALL_PAGE_FILE || (area->huge_eligible == 0 && !area->huge_bytes);
    if (small.cause == SMALL_PAGE_NO_CAUSE)
        small.policy_file = NULL;
    if (small.cause != SMALL_PAGE_NO_CAUSE || !small.could_be_bytes)
        return small;
    small.certain = false;
    small.cause = hindering_cause(supply);
    small.backlog_s = backlog_of(small.could_be_bytes, base_page_bytes, policy);
    return small;
}
