/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/scope.h"
#include "base/vec.h"
#include "symbol/dwarf/dwarf_index.h"
#include "symbol/dwarf/kept_dwarf.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MOST = 8 };

static char folder[] = "/tmp/plumb-kept-XXXXXX";

static void begin(void)
{
    cr_assert(mkdtemp(folder) != NULL);
    setenv("XDG_CACHE_HOME", folder, true);
}

static void end(void)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -r '%s'", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(kept_dwarf, .init = begin, .fini = end);

/* outer() from 100 to 200, in which middle() was inlined from 120 to 160, and inner() into that from 130 to 140. */
static const struct kept_scope scopes[] = {
    {100, 200, "outer", UINT32_MAX, false},
    {120, 160, "middle", 0, true},
    {130, 140, NULL, 1, true},
};

static int some_file(void)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/binary", folder);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    cr_assert_geq(fd, 0);
    return fd;
}

static void learn(int fd, uint64_t start, uint64_t end, const struct kept_scope *learnt, size_t count)
{
    struct kept_dwarf *kept = kept_dwarf_open(fd);
    kept_dwarf_learn_function(kept, start, end, learnt, count);
    kept_dwarf_write(kept);
    kept_dwarf_free(kept);
}

/* "inner middle outer", "" where there is no function, "?" where it isn't kept. */
static const char *told(int fd, uint64_t addr)
{
    static char joined[256];
    const char *names[NAMES_MOST];
    size_t count;
    struct kept_dwarf *kept = kept_dwarf_open(fd);
    bool is_told = kept_dwarf_functions(kept, addr, names, NAMES_MOST, &count);
    strcpy(joined, is_told ? "" : "?");
    for (size_t at = 0; is_told && at < count; at++)
        snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%s", at ? " " : "", names[at] ? names[at] : "(none)");
    kept_dwarf_free(kept);
    return joined;
}

Test(kept_dwarf, what_was_learnt_is_told)
{
    scoped_fd int fd = some_file();
    cr_assert_str_eq(told(fd, 135), "?");
    learn(fd, 100, 200, scopes, array_count(scopes));
    cr_assert_str_eq(told(fd, 135), "(none) middle outer");
    cr_assert_str_eq(told(fd, 145), "middle outer");
    cr_assert_str_eq(told(fd, 199), "outer");
    cr_assert_str_eq(told(fd, 99), "?");
    cr_assert_str_eq(told(fd, 200), "?");
    learn(fd, 300, 301, NULL, 0);
    cr_assert_str_eq(told(fd, 300), "");
    cr_assert_str_eq(told(fd, 301), "?");
    cr_assert_str_eq(told(fd, 145), "middle outer", "what was kept stays");
}

/* Two that learn side by side, as two threads of a report do: nobody's part is lost. */
Test(kept_dwarf, what_another_wrote_meanwhile_stays)
{
    scoped_fd int fd = some_file();
    struct kept_dwarf *one = kept_dwarf_open(fd), *other = kept_dwarf_open(fd);
    kept_dwarf_learn_function(one, 100, 200, scopes, array_count(scopes));
    kept_dwarf_learn_function(other, 300, 301, NULL, 0);
    kept_dwarf_write(one);
    kept_dwarf_write(other);
    kept_dwarf_free(one);
    kept_dwarf_free(other);
    cr_expect_str_eq(told(fd, 145), "middle outer");
    cr_expect_str_eq(told(fd, 300), "");
}

Test(kept_dwarf, what_is_learnt_anew_replaces)
{
    static const struct kept_scope other = {140, 160, "other", UINT32_MAX, false};
    scoped_fd int fd = some_file();
    learn(fd, 100, 200, scopes, array_count(scopes));
    learn(fd, 140, 160, &other, 1);
    cr_assert_str_eq(told(fd, 150), "other");
    cr_assert_str_eq(told(fd, 110), "?");
}

/* Else a binary of which much was asked would be read anew each time, for ever. */
Test(kept_dwarf, a_full_file_begins_anew)
{
    enum { FUNCTIONS = 50000 };
    scoped_fd int fd = some_file();
    struct kept_dwarf *kept = kept_dwarf_open(fd);
    for (uint64_t at = 0; at < FUNCTIONS; at++) {
        const struct kept_scope scope = {1000 + at, 1001 + at, "early", UINT32_MAX, false};
        kept_dwarf_learn_function(kept, scope.start, scope.end, &scope, 1);
    }
    kept_dwarf_write(kept);
    kept_dwarf_free(kept);
    cr_assert_str_eq(told(fd, 1000), "early");
    kept = kept_dwarf_open(fd);
    for (uint64_t at = 0; at < FUNCTIONS; at++) {
        const struct kept_scope scope = {100000 + at, 100001 + at, "late", UINT32_MAX, false};
        kept_dwarf_learn_function(kept, scope.start, scope.end, &scope, 1);
    }
    kept_dwarf_write(kept);
    kept_dwarf_free(kept);
    cr_assert_str_eq(told(fd, 100000), "late");
    cr_assert_str_eq(told(fd, 1000), "?");
}

Test(kept_dwarf, not_of_a_file_that_was_changed)
{
    static const struct timespec times[2] = {{1, 0}, {1, 0}};
    scoped_fd int fd = some_file();
    learn(fd, 100, 200, scopes, array_count(scopes));
    cr_assert_str_eq(told(fd, 145), "middle outer");
    cr_assert_eq(futimens(fd, times), 0);
    cr_assert_str_eq(told(fd, 145), "?");
}

/* "path:line", "none" of an address without one, "?" where it isn't kept. */
static const char *line_told(int fd, uint64_t addr)
{
    static char said[96];
    struct kept_line line;
    struct kept_dwarf *kept = kept_dwarf_open(fd);
    if (!kept_dwarf_line(kept, addr, &line))
        strcpy(said, "?");
    else if (!line.is_known)
        strcpy(said, "none");
    else
        snprintf(said, sizeof(said), "%s:%u", line.path ? line.path : "(no path)", line.number);
    kept_dwarf_free(kept);
    return said;
}

static void learn_lines(int fd, const uint64_t *addrs, const struct kept_line *lines, size_t count)
{
    struct kept_dwarf *kept = kept_dwarf_open(fd);
    for (size_t at = 0; at < count; at++)
        kept_dwarf_learn_line(kept, addrs[at], &lines[at]);
    kept_dwarf_write(kept);
    kept_dwarf_free(kept);
}

Test(kept_dwarf, lines_are_told_of_the_addresses_that_were_asked_for)
{
    static const uint64_t addrs[] = {500, 100, 300, 100};
    static const struct kept_line lines[] = {{"/a.c", 5, true}, {"/b.c", 1, true}, {0}, {"/b.c", 1, true}};
    static const uint64_t later = 400;
    static const struct kept_line later_line = {NULL, 7, true};
    scoped_fd int fd = some_file();
    learn_lines(fd, addrs, lines, array_count(addrs));
    learn(fd, 100, 200, scopes, array_count(scopes));
    learn_lines(fd, &later, &later_line, 1);
    cr_expect_str_eq(line_told(fd, 500), "/a.c:5");
    cr_expect_str_eq(line_told(fd, 100), "/b.c:1");
    cr_expect_str_eq(line_told(fd, 300), "none");
    cr_expect_str_eq(line_told(fd, 400), "(no path):7");
    cr_expect_str_eq(line_told(fd, 101), "?");
    cr_expect_str_eq(line_told(fd, 600), "?");
    cr_expect_str_eq(told(fd, 145), "middle outer", "beside the functions");
}

/* As the DWARF of this very program says it, with nothing kept, then with what that left. */
Test(kept_dwarf, what_is_kept_is_what_dwarf_says)
{
    scoped_fd int fd = open("/proc/self/exe", O_RDONLY);
    struct stat status;
    cr_assert_eq(fstat(fd, &status), 0);
    for (int round = 0; round < 2; round++) {
        struct dwarf_index *plain, *keeping;
        struct error err = {0};
        if (!dwarf_index_new(&plain, fd, true, false, NULL, &err))
            cr_skip_test("%s", err.message);
        struct kept_dwarf *kept = kept_dwarf_open(fd);
        cr_assert_eq(kept_dwarf_is_empty(kept), round == 0);
        cr_assert(dwarf_index_new(&keeping, fd, true, false, kept, &err), "%s", err.message);
        size_t inlined = 0, lines = 0;
        for (uint64_t addr = 0; addr < (uint64_t)status.st_size; addr += (uint64_t)status.st_size / 4000 | 1) {
            const char *expected[NAMES_MOST], *names[NAMES_MOST];
            size_t count = dwarf_index_functions(plain, addr, expected, NAMES_MOST);
            cr_assert_eq(dwarf_index_functions(keeping, addr, names, NAMES_MOST), count, "%" PRIx64, addr);
            for (size_t at = 0; at < count; at++)
                cr_assert(names[at] == expected[at] || strcmp(names[at], expected[at]) == 0, "%" PRIx64, addr);
            inlined += count > 1;
            struct source_line line = {0}, expected_line = {0};
            bool has_line = dwarf_index_line(plain, addr, &expected_line);
            cr_assert_eq(dwarf_index_line(keeping, addr, &line), has_line, "%" PRIx64, addr);
            cr_assert(!has_line || (line.line == expected_line.line && strcmp(line.path, expected_line.path) == 0), "%" PRIx64, addr);
            lines += has_line;
        }
        cr_assert_gt(inlined, 0);
        cr_assert_gt(lines, 0);
        dwarf_index_free(plain);
        dwarf_index_free(keeping);
    }
}

Test(kept_dwarf, damage_is_as_good_as_nothing)
{
    static const char *const damaged[] = {"", "short", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"};
    for (size_t at = 0; at < array_count(damaged); at++) {
        struct kept_dwarf *kept = kept_dwarf_of(view_of(damaged[at]));
        cr_assert(kept_dwarf_is_empty(kept));
        kept_dwarf_free(kept);
    }
}

/* What a writer that was killed left doesn't stop the next for ever. */
Test(kept_dwarf, an_unfinished_file_is_taken_away)
{
    char command[192];
    scoped_fd int fd = some_file();
    learn(fd, 100, 200, scopes, array_count(scopes));
    snprintf(command, sizeof(command), "cd '%s/plumb' && for f in dwarf.*; do mv $f $f.new; touch -d @1 $f.new; done", folder);
    cr_assert_eq(system(command), 0);
    learn(fd, 100, 200, scopes, array_count(scopes));
    learn(fd, 100, 200, scopes, array_count(scopes));
    cr_assert_str_eq(told(fd, 145), "middle outer");
}

Test(kept_dwarf, functions_alone_are_kept)
{
    scoped_fd int fd = some_file();
    learn(fd, 300, 301, NULL, 0);
    learn(fd, 400, 401, NULL, 0);
    cr_expect_str_eq(told(fd, 300), "");
    cr_expect_str_eq(told(fd, 400), "");
    cr_expect_str_eq(told(fd, 350), "?");
}
