/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/live/ring_buffer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool map_failed(struct error *err, int sys_errno, size_t data_bytes)
{
    error_system(err, sys_errno, "can't map a ring buffer of %zu KiB", data_bytes / 1024);
    if (err && (sys_errno == EPERM || sys_errno == ENOMEM)) {
        err->kind = ERROR_LIMIT;
        error_hint(err, "raise /proc/sys/kernel/perf_event_mlock_kb or the locked-memory limit (ulimit -l), or ask "
                        "for smaller buffers (-m)");
    }
    return false;
}

/* What the page says about where the data is; kernels before 4.1 leave it 0: right behind the first page. */
static bool find_data(struct ring_buffer *ring, size_t data_bytes, struct error *err)
{
    uint64_t offset = ring->page->data_offset ? ring->page->data_offset : ring->page_bytes;
    uint64_t size = ring->page->data_size ? ring->page->data_size : data_bytes;
    if (offset != ring->page_bytes || size != data_bytes)
        return error_set(err, ERROR_FORMAT, "the kernel's ring buffer has its data at %llu+%llu, not at %zu+%zu",
                         (unsigned long long)offset, (unsigned long long)size, ring->page_bytes, data_bytes);
    ring->data = (const uint8_t *)ring->page + offset;
    ring->data_bytes = data_bytes;
    return true;
}

bool ring_buffer_map(struct ring_buffer *ring, const struct kernel *kernel, int fd, size_t data_bytes,
                     struct error *err)
{
    *ring = (struct ring_buffer){.kernel = kernel, .page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
    void *mapping = kernel->mmap(kernel->context, ring->page_bytes + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                 fd, 0);
    if (mapping == MAP_FAILED)
        return map_failed(err, errno, data_bytes);
    ring->page = mapping;
    ring->data_bytes = data_bytes;
    if (find_data(ring, data_bytes, err)) {
        ring->tail = __atomic_load_n(&ring->page->data_tail, __ATOMIC_RELAXED);
        return true;
    }
    ring_buffer_unmap(ring);
    return false;
}

void ring_buffer_unmap(struct ring_buffer *ring)
{
    if (ring->page)
        ring->kernel->munmap(ring->kernel->context, ring->page, ring->page_bytes + ring->data_bytes);
    ring->page = NULL;
}

static void give_back(struct ring_buffer *ring, uint64_t tail)
{
    ring->tail = tail;
    /* Release: our reads of the data are done before the kernel may write there again. */
    __atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

size_t ring_buffer_unread(struct ring_buffer *ring)
{
    /* Acquire: pairs with the kernel's barrier between writing the data and moving the head. */
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t unread = head - ring->tail;
    if (unread <= ring->data_bytes)
        return (size_t)unread;
    ring->overruns++;
    give_back(ring, head);
    return 0;
}

void ring_buffer_take(struct ring_buffer *ring, void *destination, size_t size_bytes)
{
    size_t start = (size_t)(ring->tail & (ring->data_bytes - 1));
    size_t first = ring->data_bytes - start < size_bytes ? ring->data_bytes - start : size_bytes;
    memcpy(destination, ring->data + start, first);
    memcpy((uint8_t *)destination + first, ring->data, size_bytes - first);
    give_back(ring, ring->tail + size_bytes);
}
