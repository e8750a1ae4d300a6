/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which page sizes really back a process's memory, and what stands behind each address?
 *
 * Exact by the PAGEMAP_SCAN ioctl (kernel 6.7 and later): which present ranges are mapped by huge entries. Before that,
 * with CAP_SYS_ADMIN, estimated by pagemap and kpageflags: memory in an aligned 2 MiB folio, which may yet be mapped in
 * small pieces. Else by smaps, which knows bytes per mapping, not addresses: then a mapping that mixes sizes answers
 * "unknown" for an address. 1 GiB pages are told by smaps' KernelPageSize (or PROCMAP_QUERY's, kernel 6.11).
 * Does not support: sizes between the base page and 2 MiB (memory/page_folios), nodes (memory/page_nodes), other hosts'
 * mappings. Source: Documentation/admin-guide/mm/pagemap.rst, proc_pid_smaps(5), include/uapi/linux/fs.h.
 */
#ifndef PLUMB_SYSTEM_MEMORY_PROCESS_PAGES_H
#define PLUMB_SYSTEM_MEMORY_PROCESS_PAGES_H

#include "base/arena.h"
#include "base/error.h"
#include "system/kernel.h"
#include "system/sysroot.h"

#include <sys/types.h>

enum page_method {
    PAGE_METHOD_SCAN,  /* exact */
    PAGE_METHOD_FLAGS, /* estimated: what lies in a huge folio is taken as mapped by a huge entry */
    PAGE_METHOD_SMAPS  /* exact per mapping; addresses only where a mapping has one size */
};

struct page_area { /* one mapping */
    uint64_t start, end;
    uint64_t file_offset;
    char protection[5];  /* "rw-p" */
    const char *path;    /* "" for anonymous memory, "[heap]", "[stack]", a file */
    uint64_t resident_bytes, swapped_bytes;
    uint64_t huge_bytes; /* of the resident: mapped by entries larger than the base page */
    uint64_t kernel_page_bytes;
    bool advised_huge, advised_never; /* MADV_HUGEPAGE, MADV_NOHUGEPAGE (VmFlags hg, nh) */
    int huge_eligible;                /* smaps' THPeligible: 1, 0, or -1: not said */
};

struct page_range { /* present memory mapped by entries of one size */
    uint64_t start, end;
    uint64_t page_bytes;
};

struct process_pages {
    pid_t pid;
    enum page_method method;
    uint64_t base_page_bytes;
    struct page_area *areas; /* by address; owner: arena */
    size_t area_count;
    struct page_range *ranges; /* by address; empty with PAGE_METHOD_SMAPS; owner: arena */
    size_t range_count;
};

/* Errors: ERROR_NOT_FOUND (no such process), ERROR_PERMISSION. */
MUST_CHECK bool process_pages_read(const struct sysroot *root, const struct kernel *kernel, pid_t pid,
                                   struct process_pages *ret_pages, struct arena *arena, struct error *err);

/*
 * The same without what only smaps tells (advice, eligibility), which costs several times the scan: what is resident
 * and swapped comes from the scan. Where the kernel can't scan it falls back to process_pages_read.
 */
MUST_CHECK bool process_pages_read_split(const struct sysroot *root, const struct kernel *kernel, pid_t pid,
                                         struct process_pages *ret_pages, struct arena *arena, struct error *err);

/* The areas of one smaps text, or of a maps text, which knows less. Errors: ERROR_FORMAT naming the line. */
MUST_CHECK bool page_areas_parse(struct view smaps, struct page_area **ret_areas, size_t *ret_count,
                                 struct arena *arena, struct error *err);

/* The area that holds addr, or NULL. */
const struct page_area *process_pages_area(const struct process_pages *pages, uint64_t addr);
/* Size of the page behind addr; 0: not present, or not known. */
uint64_t process_pages_size_at(const struct process_pages *pages, uint64_t addr);

#endif
