/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/pages/pages_words.h"

#include "base/vec.h"

static const struct small_page_words words[] = {
    [SMALL_PAGE_NO_CAUSE] = {"none", "what is left is less than one huge page", NULL},
    [SMALL_PAGE_SPECIAL] = {"special", "the kernel or a driver maps it, not the program", NULL},
    [SMALL_PAGE_NO_THP] =
        {"no_thp", "this kernel has no transparent huge pages (CONFIG_TRANSPARENT_HUGEPAGE)",
         "reserve some: sysctl vm.nr_hugepages=N, and MAP_HUGETLB or GLIBC_TUNABLES=glibc.malloc.hugetlb=2"},
    [SMALL_PAGE_PROCESS_BARRED] =
        {"process_barred", "the process may have none: PR_SET_THP_DISABLE is set, by itself or by what started it",
         "take prctl(PR_SET_THP_DISABLE, 1) out of the program or its launcher (redis, container runtimes and service "
         "managers set it)"},
    [SMALL_PAGE_ADVISED_NEVER] = {"advised_never",
                                  "small pages were asked for: madvise(MADV_NOHUGEPAGE), or mmap(MAP_STACK), as for "
                                  "the stacks of threads (Linux 6.7 and later)",
                                  "take that call out, or call madvise(MADV_HUGEPAGE) over it afterwards"},
    [SMALL_PAGE_TOO_SMALL] = {"too_small", "no whole, aligned 2 MiB lie within it",
                              "allocate it as a part of a larger mapping, aligned: aligned_alloc(2 << 20, …), or "
                              "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"},
    [SMALL_PAGE_POLICY_NEVER] =
        {"policy_never", "the machine's policy forbids them (transparent_hugepage/enabled)",
         "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, then madvise(MADV_HUGEPAGE), which QEMU does of "
         "itself, or GLIBC_TUNABLES=glibc.malloc.hugetlb=1"},
    [SMALL_PAGE_POLICY_ADVISED] = {"policy_advised",
                                   "the machine's policy gives them to whoever asks (transparent_hugepage/enabled is "
                                   "'madvise'), and nobody asked",
                                   "madvise(MADV_HUGEPAGE) on it before it is touched; without changing the program: "
                                   "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 (glibc 2.35 and later, malloc's memory), "
                                   "or echo always > /sys/kernel/mm/transparent_hugepage/enabled"},
    [SMALL_PAGE_SHMEM_NEVER] =
        {"shmem_never", "the machine's policy forbids them in shared memory (transparent_hugepage/shmem_enabled)",
         "echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled and madvise(MADV_HUGEPAGE); or reserved "
         "pages: memfd_create(MFD_HUGETLB); "
         "QEMU: -object memory-backend-memfd,hugetlb=on,hugetlbsize=2M; libvirt: "
         "<memoryBacking><hugepages/></memoryBacking>"},
    [SMALL_PAGE_SHMEM_ADVISED] =
        {"shmem_advised",
         "shared memory gets them where it asks (transparent_hugepage/shmem_enabled is 'advise'), and nobody asked",
         "madvise(MADV_HUGEPAGE) on it before it is touched, or echo always > "
         "/sys/kernel/mm/transparent_hugepage/shmem_enabled; "
         "guest memory: QEMU -object memory-backend-memfd,hugetlb=on,hugetlbsize=2M; libvirt "
         "<memoryBacking><hugepages/></memoryBacking>"},
    [SMALL_PAGE_TMPFS_NEVER] = {"tmpfs_never", "its tmpfs is mounted without huge pages (huge=never is the default)",
                                "mount -o remount,huge=within_size MOUNTPOINT (or huge=advise and "
                                "madvise(MADV_HUGEPAGE)), then write the file anew"},
    [SMALL_PAGE_TMPFS_ADVISED] = {"tmpfs_advised",
                                  "its tmpfs gives them where the program asks (huge=advise), and nobody asked",
                                  "madvise(MADV_HUGEPAGE) on the mapping before it is touched"},
    [SMALL_PAGE_FILE] = {"file", "it maps a file of a file system that gives this mapping no huge pages",
                         "for data: read it into anonymous memory that is advised (MADV_HUGEPAGE), or keep the file on "
                         "a tmpfs with huge=within_size or on hugetlbfs; "
                         "for code: a kernel with CONFIG_READ_ONLY_THP_FOR_FS and madvise(MADV_HUGEPAGE), or a program "
                         "that remaps its text"},
    [SMALL_PAGE_NOT_ELIGIBLE] = {"not_eligible",
                                 "the kernel says that it can't have them (smaps: THPeligible 0) and not why: locked, "
                                 "device or user-fault memory are such",
                                 NULL},
    [SMALL_PAGE_FRAGMENTED] = {"fragmented", "nothing forbids it, but free memory has no whole 2 MiB block (buddyinfo)",
                               "echo 1 > /proc/sys/vm/compact_memory; reserve pages at boot (hugepages=N); "
                               "transparent_hugepage/defrag set to 'defer+madvise'"},
    [SMALL_PAGE_GROUP_FULL] = {"group_full",
                               "nothing forbids it, but its memory group has less than 2 MiB left before its limit",
                               "raise memory.max of the group"},
    [SMALL_PAGE_EARLIER] =
        {"earlier",
         "nothing forbids it now: it was touched before it was allowed, its block was split, or only parts of it were "
         "touched; khugepaged gathers such memory in the background",
         "allow or advise it before the first touch; for what is there already: madvise(MADV_COLLAPSE) (kernel 6.1 and "
         "later), "
         "or a khugepaged that rests less: echo 1000 > "
         "/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs (it is 10000 by default)"},
};
_Static_assert(array_count(words) == SMALL_PAGE_CAUSE_COUNT, "words for every cause");

static const struct small_page_words guest_words = {"guest_memory",
                                                    "it is private memory of a guest (guest_memfd), which the "
                                                    "monitor's page tables don't show: plumb pages --vm asks KVM",
                                                    NULL};

/* A mapping of a file has what the file's pages are: where its memory is allocated isn't the program's to choose. */
static const struct small_page_words small_file_words = {
    "too_small", "no whole, aligned 2 MiB of the file lie within it",
    "for code: link it aligned (-Wl,-z,max-page-size=0x200000) where it has 2 MiB, and then a kernel with "
    "CONFIG_READ_ONLY_THP_FOR_FS and madvise(MADV_HUGEPAGE), which "
    "khugepaged follows, or remap the text to anonymous memory at start; for data: read it into anonymous memory that "
    "is advised"};

static const char *const backings[] = {
    [PAGE_BACKING_ANONYMOUS] = "anonymous", [PAGE_BACKING_HEAP] = "heap",         [PAGE_BACKING_STACK] = "stack",
    [PAGE_BACKING_SHARED] = "shared",       [PAGE_BACKING_TMPFS] = "tmpfs",       [PAGE_BACKING_HUGETLB] = "hugetlb",
    [PAGE_BACKING_FILE] = "file",           [PAGE_BACKING_GUEST] = "guest_memfd", [PAGE_BACKING_SPECIAL] = "special",
};
_Static_assert(array_count(backings) == PAGE_BACKING_COUNT, "a name for every backing");

const struct small_page_words *small_page_words_of(const struct small_pages *small)
{
    if (small->backing == PAGE_BACKING_FILE && small->cause == SMALL_PAGE_TOO_SMALL)
        return &small_file_words;
    return small->backing == PAGE_BACKING_GUEST ? &guest_words : &words[small->cause];
}

const char *page_backing_name(enum page_backing backing)
{
    return backings[backing];
}

const char *page_method_words(enum page_method method)
{
    static const char *const methods[] = {
        [PAGE_METHOD_SCAN] = "exact, from the page tables (PAGEMAP_SCAN)",
        [PAGE_METHOD_FLAGS] = "ESTIMATED from frame flags: this kernel has no PAGEMAP_SCAN (6.7 and later)",
        [PAGE_METHOD_SMAPS] = "exact by mapping, from smaps: where within a mapping isn't known",
    };
    return methods[method];
}
