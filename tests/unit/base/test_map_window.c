/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file/map_window.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MIB = 1 << 20,
    FILE_BYTES = 100 * MIB + 5,
    STEP_BYTES = 64 << 10,
};

/* A file whose every 64 KiB begin with their number. */
static int numbered_file(void)
{
    int fd = memfd_create("numbered", MFD_CLOEXEC);
    cr_assert(fd >= 0 && ftruncate(fd, FILE_BYTES) == 0);
    for (uint32_t step = 0; step < FILE_BYTES / STEP_BYTES; step++)
        cr_assert_eq(pwrite(fd, &step, sizeof(step), (off_t)step * STEP_BYTES), (ssize_t)sizeof(step));
    return fd;
}

static void read_through(struct map_window *window, const char *map)
{
    for (uint32_t step = 0; step < FILE_BYTES / STEP_BYTES; step++) {
        uint32_t number;
        size_t at = (size_t)step * STEP_BYTES;
        map_window_move(window, at, at);
        memcpy(&number, map + at, sizeof(number));
        cr_assert_eq(number, step);
        cr_assert_leq(window->behind, at);
    }
}

static void go_through(bool has_core)
{
    int fd = numbered_file();
    char *map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
    struct map_window window = {.map = map, .size_bytes = FILE_BYTES};
    cr_assert_neq(map, MAP_FAILED);
    if (has_core)
        map_window_begin(&window, map, FILE_BYTES);
    read_through(&window, map);
    map_window_end(&window);
    map_window_end(&window);
    /* On another core the last steps may have been skipped. */
    cr_assert(window.behind % (32 * MIB) == 0 && window.behind <= 96 * MIB);
    if (!window.has_core)
        cr_assert_eq(window.behind, (size_t)96 * MIB);
    cr_assert_leq(window.ahead, FILE_BYTES);
    munmap(map, FILE_BYTES);
    close(fd);
}

Test(map_window, reads_the_same_whatever_is_mapped_and_given_back)
{
    go_through(true);
    go_through(false);
}

Test(map_window, keeps_what_is_still_looked_at)
{
    struct map_window window;
    char *map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map_window_begin(&window, map, FILE_BYTES);
    map_window_move(&window, 40 * MIB, 90 * MIB);
    map_window_end(&window);
    cr_assert_leq(window.behind, 32 * MIB);
    map_window_begin(&window, NULL, 0); /* what isn't mapped has no window */
    map_window_move(&window, 40 * MIB, 90 * MIB);
    map_window_end(&window);
    munmap(map, FILE_BYTES);
}
