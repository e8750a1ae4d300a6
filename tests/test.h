/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the unit tests share: bytes that end at an unmapped page, so that reading one byte too many crashes,
 * and the folder of shared test data, which may be absent.
 */
#ifndef PLUMB_TESTS_TEST_H
#define PLUMB_TESTS_TEST_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct edge {
    void *mapping;
    size_t mapping_bytes;
    uint8_t *bytes; /* size_bytes of them, then an unmapped page */
    size_t size_bytes;
};

static inline struct edge edge_copy(const void *data, size_t size_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t data_pages = (size_bytes + page - 1) / page + (size_bytes == 0);
    struct edge edge = {.mapping_bytes = (data_pages + 1) * page, .size_bytes = size_bytes};
    edge.mapping = mmap(NULL, edge.mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(edge.mapping != MAP_FAILED);
    char *fence = (char *)edge.mapping + data_pages * page;
    cr_assert(mprotect(fence, page, PROT_NONE) == 0);
    edge.bytes = (uint8_t *)fence - size_bytes;
    if (size_bytes)
        memcpy(edge.bytes, data, size_bytes);
    return edge;
}

static inline void edge_free(struct edge *edge)
{
    munmap(edge->mapping, edge->mapping_bytes);
}

/* tests/data and the like, from the environment tests/run.py sets; NULL when run by hand elsewhere. */
static inline const char *test_source_root(void)
{
    return getenv("PLUMB_SOURCE_ROOT");
}

/* The sysroot of a machine of tests/fixtures/make_machines.py, or NULL: then skip with cr_skip_test(). */
static inline const char *test_machine(const char *name, char *path, size_t path_size)
{
    const char *build = getenv("PLUMB_BUILD");
    snprintf(path, path_size, "%s/tests/machines/%s", build ? build : "build", name);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* ../shared/data beside the checkout, or NULL: then skip with cr_skip_test(). */
static inline const char *test_shared_data(void)
{
    const char *folder = getenv("PLUMB_SHARED_DATA");
    return folder && access(folder, R_OK) == 0 ? folder : NULL;
}

#endif
