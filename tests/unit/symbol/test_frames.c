/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frame descriptions and the unwinder, on this very program and its own stack; then with both damaged. */
#include "test.h"

#include "base/arena.h"
#include "base/vec.h"
#include "source/recorder/stacks/stack_tops.h"
#include "symbol/elf/binary.h"
#include "symbol/unwind/call_frames.h"
#include "symbol/elf/elf_file.h"
#include "symbol/elf/frame_table.h"
#include "symbol/unwind/unwinder.h"

#include <elf.h>
#include <fcntl.h>
#include <ucontext.h>

static struct elf_file own_elf(void)
{
    struct elf_file elf;
    struct error err = {0};
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    cr_assert(elf_file_open(&elf, fd, &err), "%s", err.message);
    close(fd);
    return elf;
}

Test(frame_index, agrees_with_the_sorted_table)
{
    struct elf_file elf = own_elf();
    struct frame_index index;
    cr_assert(frame_table_is_sorted(&elf));
    frame_index_build(&index, &elf);
    cr_assert_gt(index.entries.count, 100);
    size_t with_rules = 0;
    vec_for_each(&index.entries, entry) {
        struct frame_description one, other;
        struct frame_rules rules;
        cr_assert(frame_table_find(&elf, entry->end - 1, &one) && frame_index_find(&index, &elf, entry->start, &other));
        cr_assert(one.start == entry->start && other.start == entry->start && one.end == entry->end &&
                  one.own.at == other.own.at && one.common.at == other.common.at);
        with_rules += frame_rules_at(&one, entry->end - 1, &rules);
    }
    cr_assert_geq(with_rules, index.entries.count - 1, "all but the PLT's, perhaps");
    struct frame_description none;
    cr_assert_not(frame_index_find(&index, &elf, 0, &none));
    cr_assert_not(frame_index_find(&index, &elf, UINT64_MAX, &none));
    vec_done(&index.entries);
    elf_file_close(&elf);
}

/* Statically linked programs have no sorted table: what holds an address is found all the same. */
Test(frame_index, a_binary_without_a_sorted_table)
{
    struct elf_file elf = own_elf();
    struct frame_description sorted, indexed;
    uint64_t addr = elf.entry_addr;
    cr_assert(frame_table_find(&elf, addr, &sorted));
    struct binary binary = {.elf = elf, .fd = -1, .debug_fd = -1};
    for (size_t at = 0; at < binary.elf.segment_count; at++)
        if (binary.elf.segments[at].type == PT_GNU_EH_FRAME)
            binary.elf.segments[at].type = PT_NULL;
    cr_assert_not(frame_table_is_sorted(&binary.elf));
    cr_assert(binary_frame_find(&binary, addr, &indexed));
    cr_assert(indexed.start == sorted.start && indexed.end == sorted.end);
    cr_assert_not(binary_frame_find(&binary, 0, &indexed));
    binary_done(&binary);
}

/* Every description and its rules, whatever they say. */
static void walk_frames(const uint8_t *bytes, size_t size_bytes)
{
    struct elf_file elf;
    struct frame_index index;
    if (!elf_file_of_bytes(&elf, bytes, size_bytes, NULL))
        return;
    frame_index_build(&index, &elf);
    vec_for_each(&index.entries, entry) {
        struct frame_description description;
        struct frame_rules rules;
        if (frame_index_find(&index, &elf, entry->start, &description))
            (void)frame_rules_at(&description, description.end - 1, &rules);
        if (frame_table_find(&elf, entry->start, &description))
            (void)frame_rules_at(&description, description.start, &rules);
    }
    vec_done(&index.entries);
    elf_file_close(&elf);
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1103515245 + 12345;
    return *state >> 8;
}

Test(frame_index, damaged_descriptions)
{
    struct elf_file elf = own_elf();
    const struct elf_section *section = elf_section_named(&elf, ".eh_frame");
    cr_assert(section);
    unsigned seed = 7;
    struct edge edge = edge_copy(elf.bytes, elf.size_bytes);
    for (int round = 0; round < 60; round++) {
        size_t changed[40];
        for (size_t at = 0; at < array_count(changed); at++) {
            changed[at] = section->offset + next_random(&seed) % section->size_bytes;
            edge.bytes[changed[at]] ^= (uint8_t)(1 << next_random(&seed) % 8);
        }
        walk_frames(edge.bytes, edge.size_bytes);
        for (size_t at = 0; at < array_count(changed); at++)
            edge.bytes[changed[at]] = elf.bytes[changed[at]];
    }
    edge_free(&edge);
    elf_file_close(&elf);
}

Test(frame_index, cut_off)
{
    /* The section headers stand at the end: without them there is nothing to read. Cut the section instead. */
    struct elf_file elf = own_elf();
    const struct elf_section *section = elf_section_named(&elf, ".eh_frame");
    unsigned seed = 11;
    for (int round = 0; round < 100; round++) {
        struct elf_section *cut = (struct elf_section *)(uintptr_t)section;
        uint64_t whole = cut->size_bytes;
        struct frame_index index;
        cut->size_bytes = next_random(&seed) % whole;
        frame_index_build(&index, &elf);
        vec_done(&index.entries);
        cut->size_bytes = whole;
    }
    elf_file_close(&elf);
}

#if defined(__x86_64__)

enum { FRAMES_MOST = 64, STACK_BYTES_MOST = 65536, REGISTER_COUNT = 20 };

/* This thread, as a sample of it would have it. */
struct snapshot {
    uint64_t registers[REGISTER_COUNT];
    uint8_t stack[STACK_BYTES_MOST];
    size_t stack_bytes;
};

static struct snapshot snapshot;

__attribute__((noinline)) static int take_snapshot(void)
{
    static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
                                REG_EFL, REG_CSGSFS, REG_CSGSFS, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13,
                                REG_R14, REG_R15};
    ucontext_t context;
    struct sysroot root;
    struct stack_tops tops;
    getcontext(&context);
    for (size_t at = 0; at < REGISTER_COUNT; at++)
        snapshot.registers[at] = (uint64_t)context.uc_mcontext.gregs[order[at]];
    sysroot_init(&root, NULL);
    stack_tops_init(&tops, &root);
    uint64_t from = snapshot.registers[7], top = stack_tops_find(&tops, (uint32_t)getpid());
    stack_tops_done(&tops);
    snapshot.stack_bytes = top > from && top - from < STACK_BYTES_MOST ? (size_t)(top - from) & ~7ul : 0;
    /* Not memcpy: a sanitizer would object to the bytes between variables. */
    for (size_t at = 0; at < snapshot.stack_bytes / 8; at++) {
        uint64_t word;
        __asm__ volatile("movq (%1), %0" : "=r"(word) : "r"(from + at * 8) : "memory");
        ((uint64_t *)(uintptr_t)snapshot.stack)[at] = word;
    }
    return (int)snapshot.stack_bytes;
}

__attribute__((noinline)) static int middle_frame(int depth)
{
    volatile int local = depth;
    return (depth ? middle_frame(depth - 1) : take_snapshot()) + local - depth;
}

struct scene {
    struct recording recording;
    struct sysroot root;
    struct symboliser_options options;
    struct symboliser *symboliser;
    struct unwinder *unwinder;
    uint32_t space;
};

static void map_ourselves(struct scene *scene)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4400], path[4096], rights[8];
    unsigned long start, end, offset;
    while (fgets(line, sizeof(line), maps)) {
        path[0] = '\0';
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &start, &end, rights, &offset, path) < 4 || rights[2] != 'x')
            continue;
        struct record_mmap map = {.pid = (uint32_t)getpid(), .start = start, .size_bytes = end - start,
                                  .file_offset = offset, .path = path, .has_details = true,
                                  .protection = PROT_READ | PROT_EXEC};
        address_spaces_map(&scene->recording.spaces, &scene->recording.strings, scene->space, &map, 0);
    }
    fclose(maps);
}

static void scene_open(struct scene *scene)
{
    struct error err = {0};
    *scene = (struct scene){0};
    recording_init(&scene->recording);
    scene->recording.architecture = "x86_64";
    scene->space = address_spaces_begin(&scene->recording.spaces, (uint32_t)getpid());
    map_ourselves(scene);
    sysroot_init(&scene->root, NULL);
    scene->options = (struct symboliser_options){.root = &scene->root};
    cr_assert(symboliser_new(&scene->symboliser, &scene->recording, &scene->options, &err), "%s", err.message);
    unwinder_new(&scene->unwinder, scene->symboliser);
}

static void scene_close(struct scene *scene)
{
    unwinder_free(scene->unwinder);
    symboliser_free(scene->symboliser);
    recording_done(&scene->recording);
}

static size_t unwind(struct scene *scene, const uint8_t *stack, size_t stack_bytes, uint64_t *ips)
{
    struct record_sample sample = {
        .has_rest = true,
        .own_rest.user_registers = {.abi = 2, .mask = 0xff0fff,
                                    .values = {.bytes = (const uint8_t *)snapshot.registers, .count = REGISTER_COUNT}},
        .own_rest.user_stack = {stack, stack_bytes},
    };
    size_t count = unwinder_unwind(scene->unwinder, &scene->recording, scene->space, &sample, ips, FRAMES_MOST);
    cr_assert_leq(count, FRAMES_MOST);
    return count;
}

static bool is_in(uint64_t addr, int (*function)(int))
{
    uint64_t start = (uint64_t)(uintptr_t)function;
    return addr >= start && addr < start + 2048;
}

Test(unwinder, our_own_stack_whole_cut_and_damaged)
{
    if (middle_frame(3) <= 0)
        cr_skip_test("the stack is deeper than this test copies, or its top isn't told");
    struct scene scene;
    uint64_t whole[FRAMES_MOST], ips[FRAMES_MOST];
    scene_open(&scene);
    struct edge edge = edge_copy(snapshot.stack, snapshot.stack_bytes);
    size_t depth = unwind(&scene, edge.bytes, edge.size_bytes, whole);
    cr_assert_gt(depth, 6);
    for (size_t at = 1; at <= 3; at++)
        cr_assert(is_in(whole[at], middle_frame), "frame %zu", at);
    cr_assert_eq(unwinder_counts(scene.unwinder).at_root, 1, "main's caller was reached");
    edge_free(&edge);

    for (size_t length = 0; length < snapshot.stack_bytes; length += 8 + length / 64 * 8) {
        struct edge cut = edge_copy(snapshot.stack, length);
        size_t count = unwind(&scene, cut.bytes, length, ips);
        cr_assert(count >= 1 && count <= depth, "%zu bytes give %zu frames", length, count);
        cr_assert_arr_eq(ips, whole, count * sizeof(*ips), "%zu bytes: what is found is right", length);
        edge_free(&cut);
    }

    unsigned seed = 3;
    struct edge damaged = edge_copy(snapshot.stack, snapshot.stack_bytes);
    for (int round = 0; round < 3000; round++) {
        size_t at = next_random(&seed) % damaged.size_bytes;
        uint8_t before = damaged.bytes[at];
        damaged.bytes[at] ^= (uint8_t)(1 << next_random(&seed) % 8);
        cr_assert_geq(unwind(&scene, damaged.bytes, damaged.size_bytes, ips), 1);
        if (round % 8)
            damaged.bytes[at] = before;
    }
    edge_free(&damaged);
    scene_close(&scene);
}

/* What was found at an address holds for that address space as it stood. */
Test(unwinder, mappings_that_change)
{
    if (middle_frame(3) <= 0)
        cr_skip_test("the stack is deeper than this test copies, or its top isn't told");
    struct scene scene;
    uint64_t whole[FRAMES_MOST], ips[FRAMES_MOST];
    scene_open(&scene);
    size_t depth = unwind(&scene, snapshot.stack, snapshot.stack_bytes, whole);
    cr_assert_gt(depth, 6);

    address_spaces_leave(&scene.recording.spaces, scene.space);
    cr_assert_eq(unwind(&scene, snapshot.stack, snapshot.stack_bytes, ips), depth, "exec: the old program's way still");
    struct record_mmap vdso = {.pid = (uint32_t)getpid(), .start = 4096, .size_bytes = 4096, .path = "[vdso]"};
    struct record_mmap library = {.pid = (uint32_t)getpid(), .start = 8192, .size_bytes = 4096, .path = "/library"};
    address_spaces_map(&scene.recording.spaces, &scene.recording.strings, scene.space, &vdso, 0);
    address_spaces_map(&scene.recording.spaces, &scene.recording.strings, scene.space, &library, 0);
    cr_assert_eq(unwind(&scene, snapshot.stack, snapshot.stack_bytes, ips), 1, "nothing is mapped there any more");
    map_ourselves(&scene);
    cr_assert_eq(unwind(&scene, snapshot.stack, snapshot.stack_bytes, ips), depth);
    cr_assert_arr_eq(ips, whole, depth * sizeof(*ips));

    uint32_t first = scene.space;
    scene.space = address_spaces_begin(&scene.recording.spaces, (uint32_t)getpid() + 1);
    cr_assert_eq(unwind(&scene, snapshot.stack, snapshot.stack_bytes, ips), 1, "another process has nothing there");
    scene.space = first;
    cr_assert_eq(unwind(&scene, snapshot.stack, snapshot.stack_bytes, ips), depth);
    scene_close(&scene);
}

#endif
