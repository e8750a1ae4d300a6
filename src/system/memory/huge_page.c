/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/huge_page.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/key_value.h"

#define HUGE_PAGE_FOLDER "/sys/kernel/mm/transparent_hugepage"

static int compare_size(const void *a, const void *b)
{
    const struct huge_page_size *left = a, *right = b;
    return (left->kib > right->kib) - (left->kib < right->kib);
}

static void sizes_read(struct huge_page *page, const struct sysroot *root)
{
    scoped_dir DIR *folder = sysroot_opendir(root, HUGE_PAGE_FOLDER);
    for (struct dirent *entry; folder && page->size_count < HUGE_PAGE_SIZES_MOST && (entry = readdir(folder));) {
        struct view name = view_of(entry->d_name);
        uint64_t kib;
        if (!view_starts(name, "hugepages-") || !view_ends(name, "kB"))
            continue;
        name = view_skip(name, strlen("hugepages-"));
        name.length -= 2;
        if (!view_u64(name, 10, &kib) || kib > INT32_MAX)
            continue;
        struct huge_page_size *size = &page->sizes[page->size_count++];
        size->kib = (int64_t)kib;
        fact_word_read_choice(&size->enabled, root, HUGE_PAGE_FOLDER "/%s/enabled", entry->d_name);
        fact_word_read_choice(&size->shmem_enabled, root, HUGE_PAGE_FOLDER "/%s/shmem_enabled", entry->d_name);
    }
    qsort(page->sizes, page->size_count, sizeof(page->sizes[0]), compare_size);
}

void huge_page_read(struct huge_page *page, const struct sysroot *root)
{
    *page = (struct huge_page){.size_count = 0};
    const struct key_fact vmstat[] = {
        {"thp_fault_alloc", &page->fault_alloc},       {"thp_fault_fallback", &page->fault_fallback},
        {"thp_collapse_alloc", &page->collapse_alloc}, {"thp_collapse_alloc_failed", &page->collapse_alloc_failed},
        {"thp_split_page", &page->split_page},         {"compact_stall", &page->compact_stall},
        {"compact_fail", &page->compact_fail},
    };
    const struct key_fact meminfo[] = {
        {"AnonHugePages", &page->anonymous_kib}, {"ShmemPmdMapped", &page->shmem_mapped_kib},
        {"FileHugePages", &page->file_kib},      {"HugePages_Total", &page->reserved_total},
        {"HugePages_Free", &page->reserved_free}, {"Hugepagesize", &page->reserved_page_kib},
    };
    fact_word_read_choice(&page->enabled, root, HUGE_PAGE_FOLDER "/enabled");
    fact_word_read_choice(&page->defrag, root, HUGE_PAGE_FOLDER "/defrag");
    fact_word_read_choice(&page->shmem_enabled, root, HUGE_PAGE_FOLDER "/shmem_enabled");
    fact_number_read(&page->khugepaged_defrag, root, HUGE_PAGE_FOLDER "/khugepaged/defrag");
    fact_number_read(&page->khugepaged_pages_to_scan, root, HUGE_PAGE_FOLDER "/khugepaged/pages_to_scan");
    fact_number_read(&page->khugepaged_scan_sleep_ms, root, HUGE_PAGE_FOLDER "/khugepaged/scan_sleep_millisecs");
    fact_number_read(&page->khugepaged_collapsed, root, HUGE_PAGE_FOLDER "/khugepaged/pages_collapsed");
    sizes_read(page, root);
    key_facts_read(vmstat, array_count(vmstat), root, "/proc/vmstat");
    key_facts_read(meminfo, array_count(meminfo), root, "/proc/meminfo");
}
