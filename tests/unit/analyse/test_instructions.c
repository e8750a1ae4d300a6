/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording made by hand over functions of this very program. */
#include "test.h"

#include "analyse/memory/data_address.h"
#include "analyse/profile/hottest.h"
#include "analyse/code/instructions.h"
#include "base/vec.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>

/* mov (%rdi),%rdi; dec %rsi; jne back: a pointer chase whose bytes are known; then a way over a return and its padding. */
__attribute__((naked, noinline, used)) static void chase_loop(void)
{
    __asm__("1: mov (%rdi),%rdi\n dec %rsi\n jne 1b\n vaddps %zmm0,%zmm0,%zmm0\n ja 2f\n ret\n nop\n 2: xor %eax,%eax\n ret");
}

enum { MOV = 0, DEC = 3, JNE = 6, VADDPS = 8, JA = 14, NOP = 17, XOR = 18 };
enum { RDI = 5, MASK_RDI = 1 << RDI, EXACT = PERF_RECORD_MISC_EXACT_IP };

struct scene {
    struct recording recording;
    struct recorded_event events[2];
    struct sysroot root;
    struct symboliser *symboliser;
    struct code_samples samples;
    uint32_t space, dso, thread;
    uint64_t function_offset;
};

/* Where this program's executable segment is: file offset = address - start + offset. */
static void find_mapping(uint64_t addr, uint64_t *ret_start, uint64_t *ret_end, uint64_t *ret_offset)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long start, end, offset;
    while (fgets(line, sizeof(line), maps))
        if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && addr >= start && addr < end) {
            *ret_start = start;
            *ret_end = end;
            *ret_offset = offset;
        }
    fclose(maps);
}

static void scene_open(struct scene *scene)
{
    static char path[PATH_MAX];
    uint64_t start = 0, end = 0, offset = 0, addr = (uint64_t)(uintptr_t)chase_loop;
    *scene = (struct scene){0};
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = 0;
    recording_init(&scene->recording);
    struct recording *recording = &scene->recording;
    recording->architecture = "x86_64";
    scene->events[0] = (struct recorded_event){.name = "cpu-clock", .counts_ns = true, .user_register_mask = MASK_RDI};
    scene->events[1] = (struct recorded_event){.name = "cycles"};
    recording->events = scene->events;
    recording->event_count = 2;
    scene->space = address_spaces_begin(&recording->spaces, 1);
    scene->thread = threads_get(&recording->threads, 1, 1);
    recording->threads.items[scene->thread].space = scene->space;
    find_mapping(addr, &start, &end, &offset);
    struct record_mmap map = {.pid = 1, .start = start, .size_bytes = end - start, .file_offset = offset, .path = path,
                              .has_details = true, .protection = PROT_READ | PROT_EXEC};
    address_spaces_map(&recording->spaces, &recording->strings, scene->space, &map, 0);
    scene->dso = address_spaces_find(&recording->spaces, scene->space, addr)->dso;
    scene->function_offset = addr - start + offset;
    sysroot_init(&scene->root, NULL);
}

static void add_samples(struct scene *scene, uint64_t at, size_t count, uint16_t event, uint16_t misc, uint64_t rdi)
{
    uint64_t addr = (uint64_t)(uintptr_t)chase_loop + at;
    struct location location = {.dso = scene->dso, .space = scene->space, .dso_addr = scene->function_offset + at,
                                .runtime_addr = addr, .cpu_mode = CPU_MODE_USER};
    struct samples *samples = &scene->recording.samples;
    for (size_t turn = 0; turn < count; turn++) {
        uint64_t value = rdi + turn % 32 * 64;
        struct sample_registers registers = {.abi = 2, .mask = MASK_RDI,
                                             .values = {.bytes = (const uint8_t *)&value, .count = 1}};
        struct sample sample = {.time_ns = samples->count, .period = 1000, .ip = addr, .thread = scene->thread,
                                .location = samples_location(samples, &location), .stack = STACK_NONE,
                                .registers = rdi ? samples_registers(samples, &registers) : REGISTERS_NONE,
                                .event = event, .misc = misc};
        *vec_push(samples) = sample;
    }
}

static void analyse(struct scene *scene, bool skid_one, struct instructions *ret_instructions, struct hot_symbol *ret_hot)
{
    struct symboliser_options options = {.root = &scene->root, .demangle = true};
    struct error err = {0};
    cr_assert(symboliser_new(&scene->symboliser, &scene->recording, &options, &err));
    code_samples_init(&scene->samples, &scene->recording);
    cr_assert(hottest_symbol(&scene->recording, scene->symboliser, 0, ret_hot));
    cr_assert_neq(ret_hot->symbol_id, SYMBOL_NONE);
    cr_assert_str_eq(symboliser_symbol(scene->symboliser, ret_hot->symbol_id)->name, "chase_loop");
    struct instructions_request request = {.recording = &scene->recording, .symboliser = scene->symboliser,
                                           .samples = &scene->samples, .symbol_id = ret_hot->symbol_id,
                                           .with_text = true, .skid_one = skid_one};
    if (!instructions_analyse(ret_instructions, &request, &err))
        cr_skip_test("%s", err.message);
}

static void scene_close(struct scene *scene)
{
    code_samples_done(&scene->samples);
    symboliser_free(scene->symboliser);
    scene->recording.events = NULL;
    recording_done(&scene->recording);
}

static double stalled_share(const struct instructions *in, const struct scene *scene, uint64_t at, size_t event)
{
    uint32_t row = instructions_row_at(in, scene->function_offset + at);
    cr_assert_neq(row, ROW_NONE);
    return in->stalled[row * in->event_count + event] / in->events[event].weight;
}

Test(instructions, the_load_that_stalled_is_told_from_the_one_that_got_the_samples)
{
    struct scene scene;
    struct instructions in;
    struct hot_symbol hot;
    scene_open(&scene);
    add_samples(&scene, DEC, 90, 0, 0, 0x100000);
    add_samples(&scene, MOV, 8, 0, 0, 0x100000); /* at the head: the back edge ran before */
    add_samples(&scene, VADDPS, 2, 0, 0, 0x100000);
    analyse(&scene, true, &in, &hot);
    cr_assert_eq(hot.samples, 100);
    cr_assert(in.events[0].is_shifted);
    cr_assert_float_eq(stalled_share(&in, &scene, MOV, 0), 0.90, 1e-9);
    cr_assert_float_eq(stalled_share(&in, &scene, JNE, 0), 0.10, 1e-9);
    cr_assert_eq(in.loop_count, 1);
    cr_assert_eq(in.hottest_loop, 0);
    cr_assert_float_eq(in.loops[0].share, 0.98, 1e-9);
    cr_assert_eq(in.loops[0].code_bytes, 8);
    cr_assert_float_eq(in.class_share[INSTRUCTION_LOAD], 0.90, 1e-9);
    cr_assert_str_eq(in.rows[0].text, "mov    (%rdi),%rdi");
    instructions_done(&in);
    scene_close(&scene);
}

Test(instructions, padding_behind_a_return_never_stalls)
{
    struct scene scene;
    struct instructions in;
    struct hot_symbol hot;
    scene_open(&scene);
    add_samples(&scene, XOR, 100, 0, 0, 0x100000);
    analyse(&scene, true, &in, &hot);
    cr_assert_float_eq(stalled_share(&in, &scene, JA, 0), 1, 1e-9);
    cr_assert_float_eq(stalled_share(&in, &scene, NOP, 0), 0, 1e-9);
    instructions_done(&in);
    scene_close(&scene);
}

Test(instructions, without_the_self_test_nothing_is_moved)
{
    struct scene scene;
    struct instructions in;
    struct hot_symbol hot;
    scene_open(&scene);
    add_samples(&scene, DEC, 10, 0, 0, 0);
    add_samples(&scene, VADDPS, 10, 0, 0, 0);
    analyse(&scene, false, &in, &hot);
    cr_assert_not(in.events[0].is_shifted);
    cr_assert_float_eq(stalled_share(&in, &scene, DEC, 0), 0.5, 1e-9);
    cr_assert_float_eq(in.width_share[VECTOR_WIDTH_512], 0.5, 1e-9);
    instructions_done(&in);
    scene_close(&scene);
}

Test(instructions, exact_samples_and_events_that_dont_count_time_stay)
{
    struct scene scene;
    struct instructions in;
    struct hot_symbol hot;
    scene_open(&scene);
    add_samples(&scene, MOV, 10, 0, EXACT, 0);
    add_samples(&scene, DEC, 6, 1, 0, 0);
    analyse(&scene, true, &in, &hot);
    cr_assert_eq(in.event_count, 2);
    cr_assert_not(in.events[0].is_shifted || in.events[1].is_shifted);
    cr_assert_float_eq(stalled_share(&in, &scene, MOV, 0), 1, 1e-9);
    cr_assert_float_eq(stalled_share(&in, &scene, DEC, 1), 1, 1e-9);
    instructions_done(&in);
    scene_close(&scene);
}

Test(instructions, samples_between_instructions_are_counted_not_placed)
{
    struct scene scene;
    struct instructions in;
    struct hot_symbol hot;
    scene_open(&scene);
    add_samples(&scene, DEC, 10, 0, 0, 0);
    add_samples(&scene, DEC + 1, 5, 0, 0, 0);
    analyse(&scene, true, &in, &hot);
    cr_assert_eq(in.events[0].samples, 15);
    cr_assert_eq(in.events[0].outside, 5);
    instructions_done(&in);
    scene_close(&scene);
}

Test(data_addresses, a_chase_shows_its_next_addresses)
{
    struct scene scene;
    struct instructions in;
    struct hot_symbol hot;
    scene_open(&scene);
    add_samples(&scene, DEC, 320, 0, 0, 0x100000);
    add_samples(&scene, MOV, 7, 0, 0, 0x100000);  /* the branch accesses nothing */
    analyse(&scene, true, &in, &hot);
    struct data_address_request request = {.recording = &scene.recording, .symboliser = scene.symboliser,
                                           .samples = &scene.samples, .instructions = &in, .symbol_id = hot.symbol_id};
    struct data_addresses data;
    data_addresses_find(&data, &request);
    cr_assert_eq(data.count, 320);
    cr_assert_eq(data.refused[REFUSED_NO_OPERAND], 7);
    cr_assert_eq(data.all.next_address_count, 320);
    cr_assert_eq(data.all.lowest, 0x100000);
    cr_assert_eq(data.all.highest, 0x100000 + 31 * 64);
    double ratio = data.all.line_bytes.mid / (32 * 64);
    cr_assert(ratio > 0.5 && ratio < 2);
    cr_assert_eq(data.mapping_count, 1);
    cr_assert_eq(data.mappings[0].dso, DSO_NONE);
    data_addresses_done(&data);
    instructions_done(&in);
    scene_close(&scene);
}

Test(data_addresses, without_registers_or_self_test_none_is_claimed)
{
    for (int skid = 0; skid < 2; skid++) {
        struct scene scene;
        struct instructions in;
        struct hot_symbol hot;
        scene_open(&scene);
        add_samples(&scene, DEC, 60, 0, 0, skid ? 0 : 0x100000);
        analyse(&scene, skid, &in, &hot);
        struct data_address_request request = {.recording = &scene.recording, .symboliser = scene.symboliser,
                                               .samples = &scene.samples, .instructions = &in, .symbol_id = hot.symbol_id};
        struct data_addresses data;
        data_addresses_find(&data, &request);
        cr_assert_eq(data.count, 0);
        cr_assert_eq(data.refused[skid ? REFUSED_NO_REGISTERS : REFUSED_UNPLACED], 60);
        cr_assert_not(data.all.known);
        data_addresses_done(&data);
        instructions_done(&in);
        scene_close(&scene);
    }
}
