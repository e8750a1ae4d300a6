/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measure for `plumb pages`: what the kernel alone takes to tell the page sizes of a process.
 *
 *     page_scan hold HUGE_MIB SMALL_MIB    hold that much memory on 2 MiB and 4 KiB pages until standard input ends
 *     page_scan scan PID                   PAGEMAP_SCAN over all mappings of the process; prints bytes on either
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* include/uapi/linux/fs.h since Linux 6.7 */
struct scan_request {
    uint64_t size, flags, start, end, walk_end, regions, region_count, pages_most;
    uint64_t category_inverted, category_mask, category_any_mask, return_mask;
};

struct scan_region {
    uint64_t start, end, categories;
};

enum {
    PRESENT = 1 << 3,
    HUGE = 1 << 6,
    REGIONS = 1024
};

static void area_make(size_t mib, int advice)
{
    size_t bytes = mib << 20;
    char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED || madvise(area, bytes, advice) != 0)
        exit(1);
    memset(area, 1, bytes);
}

static int hold(size_t huge_mib, size_t small_mib)
{
    area_make(huge_mib, MADV_HUGEPAGE);
    area_make(small_mib, MADV_NOHUGEPAGE);
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}

static int scan(int pid)
{
    char path[64];
    uint64_t start, end, bytes[2] = {0};
    struct scan_region regions[REGIONS];
    snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
    int fd = open(path, O_RDONLY);
    snprintf(path, sizeof(path), "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "r");
    if (fd < 0 || !maps)
        return 1;
    while (fscanf(maps, "%lx-%lx%*[^\n]", &start, &end) == 2 && start >> 63 == 0) {
        while (start < end) {
            struct scan_request request = {.size = sizeof(request), .start = start, .end = end, .regions = (uintptr_t)regions,
                                           .region_count = REGIONS, .category_mask = PRESENT, .return_mask = PRESENT | HUGE};
            int found = ioctl(fd, _IOWR('f', 16, struct scan_request), &request);
            if (found < 0)
                return 1;
            for (int at = 0; at < found; at++)
                bytes[!!(regions[at].categories & HUGE)] += regions[at].end - regions[at].start;
            start = request.walk_end;
        }
    }
    printf("%lu on 4 KiB, %lu on 2 MiB\n", bytes[0], bytes[1]);
    fclose(maps);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "hold") == 0)
        return hold(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "scan") == 0)
        return scan((int)strtol(argv[2], NULL, 10));
    fprintf(stderr, "page_scan hold HUGE_MIB SMALL_MIB | scan PID\n");
    return 2;
}
