/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "source/live/ring_buffer.h"

#include <errno.h>

enum { DATA_BYTES = 8192 };

/* A "kernel" whose mmap hands out this memory. */
struct memory {
    uint8_t *bytes;
    int refuse; /* errno of mmap, 0: none */
    int unmapped;
};

static void *fake_mmap(void *context, size_t size, int protection, int flags, int fd, off_t offset)
{
    struct memory *memory = context;
    (void)protection, (void)flags, (void)fd, (void)offset;
    if (memory->refuse) {
        errno = memory->refuse;
        return MAP_FAILED;
    }
    if (!memory->bytes)
        memory->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory->bytes;
}

static int fake_munmap(void *context, void *address, size_t size)
{
    ((struct memory *)context)->unmapped++;
    return munmap(address, size);
}

static struct kernel kernel_of(struct memory *memory)
{
    return (struct kernel){.context = memory, .mmap = fake_mmap, .munmap = fake_munmap};
}

static void put(struct ring_buffer *ring, const void *bytes, size_t size)
{
    uint8_t *data = (uint8_t *)ring->page + ring->page_bytes;
    for (size_t at = 0; at < size; at++)
        data[(ring->page->data_head + at) % DATA_BYTES] = ((const uint8_t *)bytes)[at];
    ring->page->data_head += size;
}

Test(ring_buffer, bytes_come_out_in_order_around_the_end)
{
    struct memory memory = {0};
    struct kernel kernel = kernel_of(&memory);
    struct ring_buffer ring;
    struct error err = {0};
    cr_assert(ring_buffer_map(&ring, &kernel, 3, DATA_BYTES, &err), "%s", err.message);
    uint8_t block[1000], out[DATA_BYTES];
    unsigned next_in = 0, next_out = 0;
    for (int round = 0; round < 200; round++) {
        size_t size = (size_t)(round * 37 % 1000) + 1;
        for (size_t at = 0; at < size; at++)
            block[at] = (uint8_t)(next_in++ * 7);
        put(&ring, block, size);
        cr_assert_eq(ring_buffer_unread(&ring), size);
        ring_buffer_take(&ring, out, size);
        for (size_t at = 0; at < size; at++)
            cr_assert_eq(out[at], (uint8_t)(next_out++ * 7));
        cr_assert_eq(ring.page->data_tail, ring.page->data_head, "the space was given back");
    }
    cr_assert_eq(ring.overruns, 0);
    ring_buffer_unmap(&ring);
    ring_buffer_unmap(&ring);
    cr_assert_eq(memory.unmapped, 1);
}

Test(ring_buffer, a_full_buffer_is_read_whole)
{
    struct memory memory = {0};
    struct kernel kernel = kernel_of(&memory);
    struct ring_buffer ring;
    cr_assert(ring_buffer_map(&ring, &kernel, 3, DATA_BYTES, NULL));
    uint8_t block[DATA_BYTES], out[DATA_BYTES];
    memset(block, 'x', sizeof(block));
    put(&ring, block, 24);
    ring_buffer_take(&ring, out, ring_buffer_unread(&ring));
    put(&ring, block, sizeof(block));
    cr_assert_eq(ring_buffer_unread(&ring), DATA_BYTES);
    ring_buffer_take(&ring, out, DATA_BYTES);
    cr_assert(memcmp(out, block, DATA_BYTES) == 0);
    cr_assert_eq(ring_buffer_unread(&ring), 0);
    ring_buffer_unmap(&ring);
}

Test(ring_buffer, a_head_that_cannot_be_is_resynchronised)
{
    static const struct {
        uint64_t head, then;
    } cases[] = {
        {UINT64_MAX, 8}, {(uint64_t)DATA_BYTES + 1, 8}, {1ull << 40, 8}, {1ull << 63, 8},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct memory memory = {0};
        struct kernel kernel = kernel_of(&memory);
        struct ring_buffer ring;
        cr_assert(ring_buffer_map(&ring, &kernel, 3, DATA_BYTES, NULL));
        ring.page->data_head = cases[at].head;
        cr_assert_eq(ring_buffer_unread(&ring), 0);
        cr_assert_eq(ring.overruns, 1);
        cr_assert_eq(ring.page->data_tail, cases[at].head);
        ring.page->data_head += cases[at].then; /* and goes on from there, across 2^64 as well */
        cr_assert_eq(ring_buffer_unread(&ring), cases[at].then);
        uint8_t out[16];
        ring_buffer_take(&ring, out, cases[at].then);
        ring.page->data_head -= 4; /* backwards */
        cr_assert_eq(ring_buffer_unread(&ring), 0);
        cr_assert_eq(ring.overruns, 2);
        ring_buffer_unmap(&ring);
    }
}

Test(ring_buffer, refusals_and_foreign_layouts_are_errors)
{
    struct memory memory = {.refuse = EPERM};
    struct kernel kernel = kernel_of(&memory);
    struct ring_buffer ring;
    struct error err = {0};
    cr_assert_not(ring_buffer_map(&ring, &kernel, 3, DATA_BYTES, &err));
    cr_assert_eq(err.kind, ERROR_LIMIT);
    cr_assert(strstr(err.hint, "perf_event_mlock_kb"));
    memory = (struct memory){.refuse = ENODEV};
    cr_assert_not(ring_buffer_map(&ring, &kernel, 3, DATA_BYTES, &err));
    cr_assert_eq(err.kind, ERROR_SYSTEM);
    memory = (struct memory){0};
    cr_assert(ring_buffer_map(&ring, &kernel, 3, DATA_BYTES, &err));
    ring.page->data_size = 2 * DATA_BYTES; /* the next mapping finds a page that says so */
    struct ring_buffer other;
    cr_assert_not(ring_buffer_map(&other, &kernel, 3, DATA_BYTES, &err));
    cr_assert_eq(err.kind, ERROR_FORMAT);
    cr_assert_null(other.page);
}
