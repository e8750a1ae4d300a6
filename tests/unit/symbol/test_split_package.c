/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inlined functions out of a package of split units: of GNU's version 2 and of DWARF 5, by gcc, clang, dwp and llvm-dwp. */
#include "test.h"

#include "symbol/dwarf/dwarf_index.h"
#include "symbol/dwarf/split_package.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SEED_BYTES_MOST = 64 * 1024, FRAMES_MOST = 8, TEXT_ADDR = 0x1000, TEXT_BYTES = 0x80 };

struct seed {
    uint8_t bytes[SEED_BYTES_MOST];
    size_t size_bytes;
};

/* A binary and its package, with the binary's length before both. */
static bool seed_read(struct seed *seed, const char *name)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/tests/fuzz/seeds/split_package/%s", test_source_root(), name);
    FILE *file = fopen(path, "r");
    seed->size_bytes = file ? fread(seed->bytes, 1, sizeof(seed->bytes), file) : 0;
    if (file)
        fclose(file);
    return seed->size_bytes > 4;
}

static int file_of(const uint8_t *bytes, size_t size_bytes)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    cr_assert(write(fd, bytes, size_bytes) == (ssize_t)size_bytes);
    return fd;
}

/* How many addresses of the code lie in inner(), inlined into far() or outer(). */
static size_t inlined_count(struct dwarf_index *index)
{
    size_t found = 0;
    for (uint64_t addr = TEXT_ADDR; addr < TEXT_ADDR + TEXT_BYTES; addr++) {
        const char *names[FRAMES_MOST] = {0};
        size_t count = dwarf_index_functions(index, addr, names, FRAMES_MOST);
        bool inlined = count == 2 && names[0] && names[1] && strcmp(names[0], "inner") == 0;
        found += inlined && (strcmp(names[1], "far") == 0 || strcmp(names[1], "outer") == 0);
    }
    return found;
}

static const char *const seeds[] = {"gnu4", "gnu64", "llvm4", "llvm5", "zlib5", "zstd5"};

Test(split_package, functions_are_found_by_the_units_id)
{
    static struct seed seed;
    if (!test_source_root())
        cr_skip_test("the project's source isn't known");
    for (size_t at = 0; at < sizeof(seeds) / sizeof(seeds[0]); at++) {
        cr_assert(seed_read(&seed, seeds[at]), "%s", seeds[at]);
        uint32_t length = stored_u32(seed.bytes, false);
        int binary = file_of(seed.bytes + 4, length), file = file_of(seed.bytes + 4 + length, seed.size_bytes - 4 - length);
        struct dwarf_index *index;
        struct split_package *package;
        struct error err = {0};
        if (!dwarf_index_new(&index, binary, true, false, NULL, &err))
            cr_skip_test("%s", err.message);
        cr_assert(split_package_open(&package, file, &err), "%s: %s", seeds[at], err.message);
        dwarf_index_add_package(index, package);
        cr_assert_gt(inlined_count(index), 4, "%s", seeds[at]);
        cr_assert_null(dwarf_index_missing(index), "%s", seeds[at]);
        dwarf_index_free(index);
        close(binary);
        close(file);
    }
}

/* gcc's type units of DWARF 5 are further sections of one name: libdw takes the first, and finds no unit of the binary in it. */
Test(split_package, a_dwo_file_of_many_sections_is_read)
{
    static struct seed seed;
    if (!test_source_root())
        cr_skip_test("the project's source isn't known");
    cr_assert(seed_read(&seed, "types5"));
    uint32_t length = stored_u32(seed.bytes, false);
    int binary = file_of(seed.bytes + 4, length), file = file_of(seed.bytes + 4 + length, seed.size_bytes - 4 - length);
    struct dwarf_index *index;
    struct split_package *units;
    struct error err = {0};
    if (!dwarf_index_new(&index, binary, true, false, NULL, &err))
        cr_skip_test("%s", err.message);
    cr_assert_not(split_package_open(&units, file, NULL));
    cr_assert(split_file_open(&units, file, &err), "%s", err.message);
    dwarf_index_add_package(index, units);
    cr_assert_gt(inlined_count(index), 4);
    cr_assert_null(dwarf_index_missing(index));
    dwarf_index_free(index);
    close(binary);
    close(file);
}

/* A unit that isn't in the package is named as missing, as its .dwo file would be. */
Test(split_package, another_builds_package_has_no_such_unit)
{
    static struct seed seed, other;
    if (!test_source_root())
        cr_skip_test("the project's source isn't known");
    cr_assert(seed_read(&seed, "gnu4") && seed_read(&other, "llvm4"));
    uint32_t length = stored_u32(seed.bytes, false), other_length = stored_u32(other.bytes, false);
    int binary = file_of(seed.bytes + 4, length), file = file_of(other.bytes + 4 + other_length, other.size_bytes - 4 - other_length);
    struct dwarf_index *index;
    struct split_package *package;
    struct error err = {0};
    if (!dwarf_index_new(&index, binary, true, false, NULL, &err))
        cr_skip_test("%s", err.message);
    cr_assert(split_package_open(&package, file, &err), "%s", err.message);
    dwarf_index_add_package(index, package);
    cr_assert_eq(inlined_count(index), 0);
    cr_assert_not_null(dwarf_index_missing(index));
    dwarf_index_free(index);
    close(binary);
    close(file);
}

Test(split_package, damage_is_named)
{
    static const uint8_t cut[] = {2, 0, 0, 0, 3, 0, 0, 0, 9, 0, 0, 0, 16, 0, 0, 0};
    struct split_package *package;
    struct error err = {0};
    int file = file_of(cut, sizeof(cut));
    cr_assert_not(split_package_open(&package, file, &err));
    cr_assert_eq(err.kind, ERROR_FORMAT);
    close(file);
}
