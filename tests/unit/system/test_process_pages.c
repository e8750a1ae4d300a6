/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "system/memory/huge_page_supply.h"
#include "system/memory/page_nodes.h"
#include "system/memory/process_pages.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static const char smaps[] = "5581c0000000-5581c0400000 rw-p 00000000 00:00 0    [heap]\n"
                            "Size:               4096 kB\nKernelPageSize:        4 kB\nRss:                4096 kB\n"
                            "AnonHugePages:      4096 kB\nTHPeligible:           1\nVmFlags: rd wr mr mw me ac hg sd\n"
                            "7f0000000000-7f0000002000 r-xp 00001000 fe:00 123   /usr/lib/a b.so\n"
                            "Rss:                   8 kB\nAnonHugePages:         0 kB\nTHPeligible:    0\n"
                            "VmFlags: rd ex nh\n";

Test(process_pages, reads_smaps)
{
    struct arena arena;
    arena_init(&arena);
    struct page_area *areas;
    size_t count;
    struct error err = {0};
    cr_assert(page_areas_parse(VIEW(smaps), &areas, &count, &arena, &err));
    cr_assert_eq(count, 2);
    cr_assert(areas[0].advised_huge && areas[0].huge_bytes == 4096 * 1024 && areas[0].huge_eligible == 1);
    cr_assert_str_eq(areas[1].path, "/usr/lib/a b.so");
    cr_assert(areas[1].advised_never && areas[1].file_offset == 0x1000);
    struct process_pages pages = {.method = PAGE_METHOD_SMAPS, .base_page_bytes = 4096, .areas = areas, .area_count = count};
    cr_assert_eq(process_pages_size_at(&pages, 0x5581c0001234), 2u << 20);
    cr_assert_eq(process_pages_size_at(&pages, 0x7f0000001fff), 4096);
    cr_assert_eq(process_pages_size_at(&pages, 0x7f0000002000), 0);
    arena_done(&arena);
}

Test(process_pages, survives_cut_and_flipped_text)
{
    for (size_t length = 0; length < sizeof(smaps); length++) {
        struct edge edge = edge_copy(smaps, length);
        for (int flip = 0; flip < 8; flip++) {
            if (length)
                edge.bytes[(length * 31 + (size_t)flip * 7) % length] ^= (uint8_t)(1 << flip);
            struct arena arena;
            arena_init(&arena);
            struct page_area *areas;
            size_t count;
            struct error err = {0};
            if (!page_areas_parse((struct view){(char *)edge.bytes, length}, &areas, &count, &arena, &err))
                cr_assert_eq(err.kind, ERROR_FORMAT);
            arena_done(&arena);
        }
        edge_free(&edge);
    }
}

Test(process_pages, knows_our_own_memory)
{
    struct sysroot root;
    sysroot_init(&root, NULL);
    struct arena arena;
    arena_init(&arena);
    struct process_pages pages;
    struct error err = {0};
    char *touched = malloc(100000);
    memset(touched, 1, 100000);
    cr_assert(process_pages_read(&root, kernel_live(), getpid(), &pages, &arena, &err), "%s", err.message);
    uint64_t size = process_pages_size_at(&pages, (uintptr_t)touched + 50000);
    cr_assert(size == pages.base_page_bytes || size > pages.base_page_bytes, "present memory has a page size: %lu", size);
    cr_assert_eq(process_pages_size_at(&pages, 16), 0);
    free(touched);
    arena_done(&arena);
}

Test(process_pages, the_split_alone_says_the_same)
{
    struct sysroot root;
    sysroot_init(&root, NULL);
    struct arena arena;
    arena_init(&arena);
    size_t bytes = 64 << 20;
    char *touched = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(touched, bytes, MADV_NOHUGEPAGE);
    memset(touched, 1, bytes / 2);
    struct process_pages split, full;
    struct error err = {0};
    cr_assert(process_pages_read_split(&root, kernel_live(), getpid(), &split, &arena, &err), "%s", err.message);
    cr_assert(process_pages_read(&root, kernel_live(), getpid(), &full, &arena, &err), "%s", err.message);
    const struct page_area *a = process_pages_area(&split, (uintptr_t)touched), *b = process_pages_area(&full, (uintptr_t)touched);
    cr_assert(a && b);
    cr_assert_geq(a->resident_bytes, bytes / 2);
    cr_assert_leq(a->resident_bytes, b->resident_bytes);
    cr_assert_eq(b->huge_bytes, 0);
    munmap(touched, bytes);
    arena_done(&arena);
}

Test(page_nodes, adds_up_by_node)
{
    struct page_nodes nodes = {0};
    page_nodes_parse(&nodes, VIEW("7f54 default anon=512 N0=300 N3=212 kernelpagesize_kB=4\n7f55 bind:1 huge anon=4 N3=4 kernelpagesize_kB=2048\nrubbish N99=1 N1=\n"));
    cr_assert_eq(nodes.node_count, 4);
    cr_assert_eq(nodes.bytes[0], 300 * 4096);
    cr_assert_eq(nodes.bytes[3], 212 * 4096 + 4 * 2097152);
}

Test(process_pages, reserved_pages_count_as_far_as_they_are_present)
{
    struct arena arena;
    arena_init(&arena);
    struct page_area *areas;
    size_t count;
    struct error err = {0};
    cr_assert(page_areas_parse(VIEW("40000000-60000000 rw-s 00000000 00:10 3 /anon_hugepage (deleted)\nKernelPageSize: 2048 kB\nRss: 0 kB\n"
                                    "Shared_Hugetlb: 4096 kB\nPrivate_Hugetlb: 2048 kB\n"), &areas, &count, &arena, &err));
    cr_assert_eq(areas[0].resident_bytes, 6u << 20);
    cr_assert_eq(areas[0].huge_bytes, 6u << 20);
    arena_done(&arena);
}

Test(page_mounts, the_longest_point_holds)
{
    struct arena arena;
    arena_init(&arena);
    struct huge_page_supply supply = {0};
    page_mounts_parse(&supply, VIEW("22 1 254:0 / / rw shared:1 - ext4 /dev/vda rw\nbroken\n30 22 0:25 / /dev/shm rw - tmpfs tmpfs rw,huge=advise,size=1k\n31 22 0:26 / /my\\040disk\\134 rw - xfs /dev/vdb rw\n"), &arena);
    cr_assert_eq(supply.mount_count, 3);
    cr_assert_str_eq(page_mount_of(&supply, "/my disk\\/a")->type, "xfs");
    cr_assert_str_eq(page_mount_of(&supply, "/dev/shm/x")->huge, "advise");
    cr_assert_str_eq(page_mount_of(&supply, "/dev/shmx")->type, "ext4");
    cr_assert_null(page_mount_of(&supply, "[heap]"));
    arena_done(&arena);
}

static int no_ioctl(void *context, int fd, unsigned long request, unsigned long argument)
{
    errno = ENOTTY;
    return -1;
}

/* A kernel before 6.7: frame flags stand in, where they are shown to us; else smaps. */
Test(process_pages, without_the_scan_frame_flags_estimate)
{
    struct sysroot root;
    sysroot_init(&root, NULL);
    struct kernel old = *kernel_live();
    old.ioctl = no_ioctl;
    struct arena arena;
    arena_init(&arena);
    size_t bytes = 16 << 20, huge = 2 << 20;
    char *mapped = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *area = (char *)(((uintptr_t)mapped + huge - 1) / huge * huge);
    madvise(area, bytes / 2, MADV_HUGEPAGE);
    memset(area, 1, bytes);
    struct process_pages pages, exact;
    struct error err = {0};
    cr_assert(process_pages_read_split(&root, &old, getpid(), &pages, &arena, &err), "%s", err.message);
    cr_assert(process_pages_read_split(&root, kernel_live(), getpid(), &exact, &arena, &err), "%s", err.message);
    cr_assert_neq(pages.method, PAGE_METHOD_SCAN);
    if (pages.method == PAGE_METHOD_SMAPS || exact.method != PAGE_METHOD_SCAN) {
        munmap(mapped, bytes + huge);
        arena_done(&arena);
        cr_skip("frame flags are shown to CAP_SYS_ADMIN only, or this kernel has no scan to compare with");
    }
    for (size_t at = 0; at < bytes; at += huge / 2)
        cr_expect_eq(process_pages_size_at(&pages, (uintptr_t)area + at), process_pages_size_at(&exact, (uintptr_t)area + at), "at %zu", at);
    munmap(mapped, bytes + huge);
    arena_done(&arena);
}

/* A sanitizer's shadow, a language's heap: looked at page by page, 16 TiB would take minutes. */
Test(process_pages, without_the_scan_a_vast_reservation_is_left_to_smaps)
{
    struct sysroot root;
    sysroot_init(&root, NULL);
    struct kernel old = *kernel_live();
    old.ioctl = no_ioctl;
    struct arena arena;
    arena_init(&arena);
    size_t vast = (size_t)16 << 40;
    char *reserved = mmap(NULL, vast, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) {
        arena_done(&arena);
        cr_skip("no 16 TiB can be reserved here");
    }
    reserved[vast / 2] = 1;
    struct process_pages pages;
    struct error err = {0};
    cr_assert(process_pages_read(&root, &old, getpid(), &pages, &arena, &err), "%s", err.message);
    const struct page_area *area = process_pages_area(&pages, (uintptr_t)reserved + vast / 2);
    cr_assert(area && area->resident_bytes >= 4096);
    munmap(reserved, vast);
    arena_done(&arena);
}
