// SPDX-License-Identifier: GPL-3.0-or-later
#include "buffer.h"

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

static const char *const policy_names[] = {
    [PAGES_DEFAULT] = "default",
    [PAGES_4K] = "4k",
    [PAGES_THP] = "thp",
};

enum page_policy page_policy_parse(const char *text)
{
    for (size_t i = 0; i < sizeof policy_names / sizeof *policy_names; i++)
        if (strcmp(text, policy_names[i]) == 0)
            return (enum page_policy)i;
    errx(2, "--pages: '%s' is none of 4k, thp, default", text);
}

const char *page_policy_name(enum page_policy policy)
{
    return policy_names[policy];
}

static size_t round_up(size_t value, size_t step)
{
    return (value + step - 1) / step * step;
}

void buffer_init(struct buffer *buffer, size_t size_bytes, enum page_policy policy)
{
    if (size_bytes > SIZE_MAX / 4)
        errx(1, "a buffer of %zu bytes is larger than the address space", size_bytes);
    size_t usable = round_up(size_bytes ? size_bytes : 1, 4096);
    size_t reserved_bytes = usable + 2 * HUGE_PAGE_BYTES;

    void *reserved =
        mmap(NULL, reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
        err(1, "reserving %zu bytes", reserved_bytes);

    uintptr_t base = (uintptr_t)reserved;
    char *data = (char *)reserved + (round_up(base + 4096, HUGE_PAGE_BYTES) - base);
    if (mmap(data, usable, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED)
        err(1, "mapping %zu bytes", usable);
    if (policy != PAGES_DEFAULT &&
        madvise(data, usable, policy == PAGES_THP ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0)
        warn("madvise for --pages=%s was refused", policy_names[policy]);

    *buffer = (struct buffer){
        .data = data, .size_bytes = size_bytes, .reserved = reserved, .reserved_bytes = reserved_bytes};
}

void buffer_done(struct buffer *buffer)
{
    if (buffer->reserved)
        munmap(buffer->reserved, buffer->reserved_bytes);
    *buffer = (struct buffer){0};
}

long long buffer_huge_bytes(const struct buffer *buffer)
{
    FILE *smaps = fopen("/proc/self/smaps", "re");
    if (!smaps)
        return -1;

    uintptr_t wanted = (uintptr_t)buffer->data, wanted_end = wanted + buffer->size_bytes;
    long long total = -1;
    int ours = 0;
    char line[512];
    while (fgets(line, sizeof line, smaps)) {
        unsigned long start, end;
        long long kib;
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
            ours = start < wanted_end && end > wanted;
        else if (ours && sscanf(line, "AnonHugePages: %lld kB", &kib) == 1)
            total = (total < 0 ? 0 : total) + kib * 1024;
    }
    fclose(smaps);
    return total;
}
