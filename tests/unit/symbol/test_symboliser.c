/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/scope.h"
#include "base/vec.h"
#include "symbol/demangle.h"
#include "symbol/dso_files.h"
#include "symbol/elf/elf_file.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/names_ahead.h"
#include "symbol/symboliser.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>

/* A function of this very program, so that its name, size and lines are known. */
__attribute__((noinline)) int test_symboliser_landmark(int value);
__attribute__((noinline)) int test_symboliser_landmark(int value)
{
    return value * 3 + __LINE__;
}

__attribute__((noinline)) int test_symboliser_neighbour(int value);
__attribute__((noinline)) int test_symboliser_neighbour(int value)
{
    return value * 5 + __LINE__;
}

static inline __attribute__((always_inline)) int inlined(int value)
{
    for (int at = 0; at < 100; at++)
        __asm__ volatile("" : "+r"(value));
    return value;
}

/* Holds hardly anything but what was inlined into it. */
__attribute__((noinline)) int test_symboliser_holder(int value);
__attribute__((noinline)) int test_symboliser_holder(int value)
{
    return inlined(value);
}

static struct elf_file own_elf(void)
{
    struct elf_file elf;
    struct error err = {0};
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    cr_assert(elf_file_open(&elf, fd, &err), "%s", err.message);
    close(fd);
    return elf;
}

/* File offset of a symbol of this program. */
static uint64_t own_offset(const char *name)
{
    struct elf_file elf = own_elf();
    struct symbol_index index = {0};
    elf_symbols_read(&elf, SHT_SYMTAB, ELF_FUNCTIONS, &index);
    uint32_t at = symbol_index_named(&index, name);
    uint64_t offset = 0;
    cr_assert_neq(at, SYMBOL_INDEX_NONE, "%s", name);
    cr_assert(elf_offset_of_addr(&elf, index.symbols.items[at].start, &offset));
    symbol_index_done(&index);
    elf_file_close(&elf);
    return offset;
}

struct scene {
    struct recording recording;
    struct sysroot root;
    struct symboliser_options options;
    struct symboliser *symboliser;
    uint32_t location;
};

/* A recording of one file and one location in it. */
static void scene_open(struct scene *scene, const char *path, const struct build_id *build_id, uint64_t dso_addr)
{
    *scene = (struct scene){0};
    recording_init(&scene->recording);
    scene->recording.architecture = "x86_64";
    uint32_t space = address_spaces_begin(&scene->recording.spaces, (uint32_t)getpid());
    struct record_mmap map = {.pid = (uint32_t)getpid(), .start = 0x400000, .size_bytes = 0x10000000, .path = path,
                              .has_details = true, .protection = PROT_READ | PROT_EXEC};
    if (build_id)
        map.build_id = *build_id;
    address_spaces_map(&scene->recording.spaces, &scene->recording.strings, space, &map, 0);
    const struct mapping *mapping = address_spaces_find(&scene->recording.spaces, space, 0x400000);
    struct location location = {.dso = mapping->dso, .space = space, .dso_addr = dso_addr,
                                .runtime_addr = 0x400000 + dso_addr, .cpu_mode = CPU_MODE_USER};
    scene->location = samples_location(&scene->recording.samples, &location);
    sysroot_init(&scene->root, NULL);
    scene->options = (struct symboliser_options){.root = &scene->root, .demangle = true};
    struct error err = {0};
    cr_assert(symboliser_new(&scene->symboliser, &scene->recording, &scene->options, &err));
}

static void scene_close(struct scene *scene)
{
    symboliser_free(scene->symboliser);
    recording_done(&scene->recording);
}

static const char *own_path(void)
{
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    cr_assert(length > 0);
    path[length] = 0;
    return path;
}

Test(symboliser, names_its_own_program_with_line_code_and_producer)
{
    uint64_t offset = own_offset("test_symboliser_landmark");
    struct scene scene;
    scene_open(&scene, own_path(), NULL, offset + 2);
    uint32_t id = symboliser_symbol_id(scene.symboliser, scene.location);
    cr_assert_neq(id, SYMBOL_NONE, "%s", symboliser_complaint(scene.symboliser, 2));
    const struct symbol *symbol = symboliser_symbol(scene.symboliser, id);
    cr_assert_str_eq(symbol->name, "test_symboliser_landmark");
    cr_assert_eq(symbol->dso_addr, offset);
    cr_assert(symbol->is_global && !symbol->is_kernel);
    cr_assert_null(symboliser_complaint(scene.symboliser, symbol->dso));
    struct code code;
    struct error err = {0};
    cr_assert(symboliser_code(scene.symboliser, id, &code, &err), "%s", err.message);
    cr_assert_eq(code.size_bytes, symbol->size_bytes);
    cr_assert_eq(memcmp(code.bytes, (const void *)(uintptr_t)test_symboliser_landmark, code.size_bytes), 0);
    struct source_line lines[4];
    if (symboliser_line_complaint(scene.symboliser, symbol->dso))
        cr_skip_test("%s", symboliser_line_complaint(scene.symboliser, symbol->dso));
    size_t count = symboliser_lines(scene.symboliser, scene.location, lines, 4);
    cr_assert_eq(count, 1);
    cr_assert(view_ends(view_of(lines[0].path), "test_symboliser.c"), "%s", lines[0].path);
    cr_assert_str_eq(lines[0].function, "test_symboliser_landmark");
    const char *functions[4];
    cr_assert_eq(symboliser_functions(scene.symboliser, scene.location, functions, 4), 1);
    cr_assert_str_eq(functions[0], lines[0].function);
    cr_assert(symboliser_producer(scene.symboliser, scene.location));
    scene_close(&scene);
}

/* Whoever asks for the functions first, before line tables were read, doesn't cost the next one the places of calls. */
Test(symboliser, functions_asked_first_leave_lines_whole)
{
    enum { LOOKED_AT_BYTES = 24 };
    uint64_t offset = own_offset("test_symboliser_holder");
    size_t deepest = 0;
    for (uint64_t at = offset; at < offset + LOOKED_AT_BYTES; at++) {
        struct scene first, second;
        struct source_line before[4], after[4];
        const char *functions[4];
        scene_open(&first, own_path(), NULL, at);
        scene_open(&second, own_path(), NULL, at);
        if (symboliser_line_complaint(first.symboliser, first.recording.samples.locations[first.location].dso))
            cr_skip_test("no DWARF is read here");
        size_t count = symboliser_lines(first.symboliser, first.location, before, 4);
        cr_assert_eq(symboliser_functions(second.symboliser, second.location, functions, 4), count);
        cr_assert_eq(symboliser_lines(second.symboliser, second.location, after, 4), count);
        for (size_t frame = 0; frame < count; frame++) {
            cr_assert_str_eq(after[frame].path, before[frame].path);
            cr_assert_eq(after[frame].line, before[frame].line);
            cr_assert_str_eq(functions[frame], before[frame].function);
        }
        deepest = count > deepest ? count : deepest;
        scene_close(&first);
        scene_close(&second);
    }
    cr_assert_eq(deepest, 2);
}

Test(symboliser, a_replaced_file_gives_no_names_and_says_so)
{
    struct build_id other = {.size_bytes = 20, .bytes = {1, 2, 3}};
    struct scene scene;
    scene_open(&scene, own_path(), &other, 0x1000);
    cr_assert_eq(symboliser_symbol_id(scene.symboliser, scene.location), SYMBOL_NONE);
    uint32_t dso = scene.recording.samples.locations[scene.location].dso;
    const char *complaint = symboliser_complaint(scene.symboliser, dso);
    cr_assert(complaint && strstr(complaint, "not the recorded file"), "%s", complaint);
    struct code code;
    struct error err = {0};
    cr_assert_not(symboliser_code_around(scene.symboliser, scene.location, 16, 16, &code, &err));
    scene_close(&scene);
}

Test(symboliser, a_missing_file_names_the_paths_tried)
{
    struct build_id id = {.size_bytes = 20, .bytes = {0xab, 0xcd, 0xef}};
    struct scene scene;
    scene_open(&scene, "/nowhere/libmissing.so", &id, 0x1000);
    cr_assert_eq(symboliser_symbol_id(scene.symboliser, scene.location), SYMBOL_NONE);
    const char *complaint = symboliser_complaint(scene.symboliser, scene.recording.samples.locations[0].dso);
    cr_assert(complaint && strstr(complaint, "'/nowhere/libmissing.so'"), "%s", complaint);
    cr_assert(strstr(complaint, ".debug/.build-id/ab/cdef"), "%s", complaint);
    scene_close(&scene);
}

Test(symboliser, every_location_of_no_dso_is_unnamed)
{
    struct scene scene;
    scene_open(&scene, own_path(), NULL, UINT64_MAX);
    cr_assert_eq(symboliser_symbol_id(scene.symboliser, scene.location), SYMBOL_NONE);
    cr_assert_eq(symboliser_symbol_id(scene.symboliser, 12345), SYMBOL_NONE);
    cr_assert_eq(symboliser_symbol(scene.symboliser, 7), NULL);
    scene_close(&scene);
}

Test(demangle, plain_names_and_signatures)
{
    static const struct {
        const char *raw, *plain, *signature;
    } cases[] = {
        {"_ZNK3Foo3barERKSt6vectorIiSaIiEEd", "Foo::bar",
         "Foo::bar(std::vector<int, std::allocator<int> > const&, double) const"},
        {"_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place", "core::ptr::drop_in_place"},
        {"main", NULL, NULL},
        {"_start", NULL, NULL},
        {"_Z", NULL, NULL},
        {"", NULL, NULL},
    };
    for (size_t at = 0; at < array_count(cases); at++)
        for (int with = 0; with < 2; with++) {
            const char *expected = with ? cases[at].signature : cases[at].plain;
            char *found = demangle(cases[at].raw, with);
            cr_assert(expected ? found && strcmp(found, expected) == 0 : !found, "%s: %s", cases[at].raw, found);
            free(found);
        }
}

/* Read everything there is to read. */
static void exercise(const uint8_t *bytes, size_t size_bytes)
{
    struct elf_file elf;
    struct error err = {0};
    if (!elf_file_of_bytes(&elf, bytes, size_bytes, &err))
        return;
    struct symbol_index index = {0};
    struct arena arena;
    const char *name;
    uint32_t crc;
    uint64_t addr;
    arena_init(&arena);
    elf_symbols_read(&elf, SHT_SYMTAB, ELF_FUNCTIONS, &index);
    elf_symbols_read(&elf, SHT_DYNSYM, ELF_OBJECTS, &index);
    elf_plt_read(&elf, &arena, &index);
    symbol_index_sort(&index, false);
    elf_build_id(&elf);
    if (elf_debug_link(&elf, &name, &crc))
        cr_assert(strlen(name) < size_bytes);
    if (elf_addr_of_offset(&elf, 0x1000, &addr))
        elf_bytes_at(&elf, addr, 100);
    symbol_index_done(&index);
    arena_done(&arena);
    elf_file_close(&elf);
}

/* A copy of this program whose folder is this process's alone. */
static void copy_self(char *path)
{
    scoped_fd int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    scoped_fd int to = mkstemp(path);
    char piece[65536];
    ssize_t length;
    while ((length = read(from, piece, sizeof(piece))) > 0)
        cr_assert_eq(write(to, piece, (size_t)length), length);
    cr_assert_eq(length, 0);
}

Test(elf_file, shortened_while_it_is_mapped_it_reads_as_zeros)
{
    char path[] = "/tmp/plumb-shrinks-XXXXXX";
    copy_self(path);
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct elf_file elf;
    struct error err = {0};
    cr_assert(elf_file_open(&elf, fd, &err), "%s", err.message);
    struct symbol_index index = {0};
    cr_assert(elf_symbols_read(&elf, SHT_SYMTAB, ELF_FUNCTIONS, &index));
    symbol_index_done(&index);
    cr_assert_eq(truncate(path, 100), 0);
    index = (struct symbol_index){0};
    elf_symbols_read(&elf, SHT_SYMTAB, ELF_FUNCTIONS, &index);
    cr_expect_eq(elf.bytes[elf.size_bytes - 1], 0);
    symbol_index_done(&index);
    elf_file_close(&elf);
    unlink(path);
}

/* Opened, and written over before its names or its code are asked for; or between two names. */
Test(symboliser, a_file_that_is_overwritten_while_it_is_read_gives_no_names_and_says_so)
{
    for (int named_before = 0; named_before <= 1; named_before++) {
        char path[] = "/tmp/plumb-shrinks-XXXXXX";
        copy_self(path);
        struct scene scene;
        scene_open(&scene, path, NULL, own_offset("test_symboliser_landmark"));
        uint32_t other = samples_location(&scene.recording.samples,
                                          &(struct location){.dso = scene.recording.samples.locations[scene.location].dso,
                                                             .dso_addr = own_offset("test_symboliser_neighbour"),
                                                             .cpu_mode = CPU_MODE_USER});
        uint32_t first = SYMBOL_NONE;
        if (named_before) {
            first = symboliser_symbol_id(scene.symboliser, scene.location);
            cr_assert_neq(first, SYMBOL_NONE);
        } else {
            struct error err = {0};
            cr_assert(dso_files_binary(symboliser_files(scene.symboliser),
                                       scene.recording.samples.locations[scene.location].dso, &err));
        }
        cr_assert_eq(truncate(path, 4096), 0);
        cr_expect_eq(symboliser_symbol_id(scene.symboliser, other), SYMBOL_NONE);
        const char *complaint = symboliser_complaint(scene.symboliser, scene.recording.samples.locations[other].dso);
        cr_assert(complaint && strstr(complaint, "overwritten while it was read"), "%s", complaint ? complaint : "none");
        if (named_before) {
            struct code code;
            struct error err = {0};
            cr_expect_str_eq(symboliser_symbol(scene.symboliser, first)->name, "test_symboliser_landmark");
            cr_expect_not(symboliser_code(scene.symboliser, first, &code, &err));
            cr_expect(strstr(err.message, "overwritten"), "%s", err.message);
        }
        scene_close(&scene);
        unlink(path);
    }
}

Test(elf_file, truncated_at_every_length_and_with_flipped_bits_it_never_reads_outside)
{
    struct elf_file whole = own_elf();
    size_t size = whole.size_bytes < 16384 ? whole.size_bytes : 16384;
    for (size_t length = 0; length <= size; length += length < 512 ? 1 : 61) {
        struct edge edge = edge_copy(whole.bytes, length);
        exercise(edge.bytes, length);
        edge_free(&edge);
    }
    struct edge edge = edge_copy(whole.bytes, whole.size_bytes);
    uint32_t state = 1;
    for (int turn = 0; turn < 300; turn++) {
        state = state * 1103515245u + 12345;
        /* Headers and section headers break more than code does. */
        size_t near_end = whole.size_bytes - 1 - (state >> 8) % 3000, near_start = (state >> 8) % 1024;
        size_t at = turn & 1 ? near_start : near_end;
        uint8_t before = edge.bytes[at];
        edge.bytes[at] ^= (uint8_t)(1u << (state >> 5 & 7));
        exercise(edge.bytes, edge.size_bytes);
        edge.bytes[at] = before;
    }
    edge_free(&edge);
    elf_file_close(&whole);
}

Test(elf_file, offsets_and_addresses_are_inverse)
{
    struct elf_file elf = own_elf();
    cr_assert(elf.section_count && elf.segment_count);
    cr_assert_str_eq(elf_architecture(&elf), "x86_64");
    const struct elf_section *text = elf_section_named(&elf, ".text");
    uint64_t offset, addr;
    cr_assert(elf_offset_of_addr(&elf, text->addr + 5, &offset));
    cr_assert_eq(offset, text->offset + 5);
    cr_assert(elf_addr_of_offset(&elf, offset, &addr));
    cr_assert_eq(addr, text->addr + 5);
    cr_assert_not(elf_addr_of_offset(&elf, elf.size_bytes + 4096, &addr));
    elf_file_close(&elf);
}

enum { ADDRESSES = 1000 }; /* enough to be worth another core */

static void scene_add(struct scene *scene, uint32_t count)
{
    struct location location = scene->recording.samples.locations[scene->location];
    for (uint32_t at = 1; at <= count; at++) {
        location.dso_addr++;
        samples_location(&scene->recording.samples, &location);
    }
}

static const char *shown_name(struct symboliser *symboliser, uint32_t location)
{
    uint32_t id = symboliser_symbol_id(symboliser, location);
    return id == SYMBOL_NONE ? "" : symboliser_symbol(symboliser, id)->name;
}

/* Found while the recording grows, the names are those found afterwards; what came after the last telling is named as well. */
static void check_names_ahead(struct names_wanted wanted)
{
    struct scene scene;
    scene_open(&scene, "/proc/self/exe", NULL, own_offset("test_symboliser_holder"));
    struct names_ahead *ahead = names_ahead_begin(&scene.options, wanted);
    for (int part = 0; part < 3; part++) {
        names_ahead_tell(ahead, &scene.recording);
        scene_add(&scene, ADDRESSES);
        scene.location = (uint32_t)scene.recording.samples.location_count - 1;
    }
    struct symboliser *symboliser = names_ahead_take(ahead, &scene.recording);
    cr_assert(symboliser);
    for (uint32_t at = 0; at < scene.recording.samples.location_count; at++) {
        const char *lines[2][8];
        cr_assert_str_eq(shown_name(symboliser, at), shown_name(scene.symboliser, at));
        size_t count = symboliser_functions(symboliser, at, lines[0], 8);
        cr_assert_eq(count, symboliser_functions(scene.symboliser, at, lines[1], 8));
        for (size_t line = 0; line < count; line++)
            cr_assert_str_eq(lines[0][line], lines[1][line]);
    }
    const char *complaint = symboliser_complaint(symboliser, 2), *usual = symboliser_complaint(scene.symboliser, 2);
    cr_assert(complaint == usual || (complaint && usual && strcmp(complaint, usual) == 0), "%s / %s", complaint, usual);
    symboliser_free(symboliser);
    names_ahead_free(ahead);
    scene_close(&scene);
}

Test(symboliser, names_found_ahead_are_the_same)
{
    for (int turn = 0; turn < 4; turn++)
        check_names_ahead((struct names_wanted){.inlines = turn & 1, .lines = turn & 2});
}

/* The innermost line alone is the first of all of them. */
Test(symboliser, the_innermost_line)
{
    struct scene scene;
    size_t with_line = 0;
    scene_open(&scene, "/proc/self/exe", NULL, own_offset("test_symboliser_holder"));
    scene_add(&scene, ADDRESSES);
    for (uint32_t at = 0; at < scene.recording.samples.location_count; at++) {
        struct source_line lines[8] = {0}, line = {0};
        size_t count = symboliser_lines(scene.symboliser, at, lines, 8);
        bool found = symboliser_line(scene.symboliser, at, &line);
        cr_assert(found == (count && lines[0].path));
        cr_assert(!found || (strcmp(line.path, lines[0].path) == 0 && line.line == lines[0].line));
        with_line += found;
    }
    cr_assert(with_line || !symboliser_reads_lines(NULL));
    scene_close(&scene);
}

/* What nobody asked for afterwards is no hole in the profile. */
Test(symboliser, names_not_found_ahead_are_no_complaint)
{
    struct scene scene;
    scene_open(&scene, "/no/such/binary", NULL, 0x1000);
    struct names_ahead *ahead = names_ahead_begin(&scene.options, (struct names_wanted){0});
    scene_add(&scene, ADDRESSES);
    names_ahead_tell(ahead, &scene.recording);
    struct symboliser *symboliser = names_ahead_take(ahead, &scene.recording);
    uint32_t dso = scene.recording.samples.locations[scene.location].dso;
    cr_assert_null(symboliser_complaint(symboliser, dso));
    cr_assert_eq(symboliser_symbol_id(symboliser, scene.location), SYMBOL_NONE);
    cr_assert_not_null(symboliser_complaint(symboliser, dso));
    symboliser_free(symboliser);
    names_ahead_free(ahead);
    scene_close(&scene);
}

/* Facts that come later may say that other names were meant. */
Test(symboliser, names_of_another_machine_are_not_taken)
{
    for (int turn = 0; turn < 3; turn++) {
        struct scene scene;
        scene_open(&scene, "/proc/self/exe", NULL, own_offset("test_symboliser_holder"));
        struct names_ahead *ahead = names_ahead_begin(&scene.options, (struct names_wanted){0});
        scene_add(&scene, ADDRESSES);
        names_ahead_tell(ahead, &scene.recording);
        if (turn == 1)
            scene.recording.kernel_text_addr = 0xffffffff81000000;
        else if (turn == 2)
            scene.recording.spaces.dsos[scene.recording.samples.locations[scene.location].dso].build_id.size_bytes = 4;
        struct symboliser *symboliser = names_ahead_take(ahead, &scene.recording);
        cr_expect_eq(symboliser != NULL, turn == 0);
        symboliser_free(symboliser);
        names_ahead_free(ahead);
        scene_close(&scene);
    }
}
