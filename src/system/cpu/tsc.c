/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/cpu/tsc.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

struct measured tsc_hertz(const struct kernel *kernel)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1};
    struct measured hertz = not_measured("the kernel doesn't tell the time stamp counter's frequency");
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    int fd = kernel->perf_event_open(kernel->context, &attr, 0, -1, -1, 0);
    if (fd < 0)
        return hertz;
    const struct perf_event_mmap_page *page = kernel->mmap(kernel->context, page_bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) {
        if (page->cap_user_time && page->time_mult)
            hertz = measured_as(1e9 * ldexp(1, page->time_shift) / (double)page->time_mult);
        kernel->munmap(kernel->context, (void *)page, page_bytes);
    }
    kernel->close(kernel->context, fd);
    return hertz;
}
