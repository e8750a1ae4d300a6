/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where it waited, and how long at most: of stacks whose outer frames are where calls return to. */
#include "test.h"

#include "analyse/time/thread_balance.h"
#include "analyse/time/wait_rows.h"
#include "analyse/time/waiting.h"
#include "base/json/json_reader.h"
#include "base/vec.h"

#include <sys/mman.h>

struct scene {
    struct recording recording;
    struct recorded_event event;
    struct arena arena;
    uint32_t thread, space, dso, library;
};

static uint32_t dso_of(struct scene *scene, const char *path, uint64_t start)
{
    struct record_mmap map = {.pid = 10, .start = start, .size_bytes = 0x100000, .path = path, .has_details = true, .protection = PROT_READ | PROT_EXEC};
    address_spaces_map(&scene->recording.spaces, &scene->recording.strings, scene->space, &map, 0);
    return address_spaces_find(&scene->recording.spaces, scene->space, start)->dso;
}

static void scene_begin(struct scene *scene)
{
    *scene = (struct scene){.event = {.name = "context-switches", .type = 1, .config = 3}};
    recording_init(&scene->recording);
    arena_init(&scene->arena);
    scene->recording.events = &scene->event;
    scene->recording.event_count = 1;
    scene->thread = threads_get(&scene->recording.threads, 10, 10);
    scene->space = address_spaces_begin(&scene->recording.spaces, 10);
    scene->dso = dso_of(scene, "/app/server", 0x400000);
    scene->library = dso_of(scene, "/lib/libc.so.6", 0x800000);
}

static void scene_end(struct scene *scene)
{
    scene->recording.events = NULL;
    scene->recording.event_count = 0;
    recording_done(&scene->recording);
    arena_done(&scene->arena);
}

static uint32_t location_at(struct scene *scene, uint32_t dso, uint64_t addr)
{
    struct location location = {.dso = dso, .space = scene->space, .dso_addr = addr, .runtime_addr = 0x400000 + addr, .cpu_mode = CPU_MODE_USER};
    return samples_location(&scene->recording.samples, &location);
}

/* A wait of that length, with the stack that began it (STACK_NONE: none was taken). */
static void wait_add(struct scene *scene, uint64_t begin_ns, uint64_t ns, uint32_t stack)
{
    struct recording *recording = &scene->recording;
    struct sample sample = {.time_ns = begin_ns - 1, .period = 1, .thread = scene->thread, .stack = stack, .registers = REGISTERS_NONE};
    if (stack != STACK_NONE)
        *vec_push(&recording->samples) = sample;
    for (int out = 1; out >= 0; out--) {
        recording->switches = vec_reserve_bytes(recording->switches, &recording->switch_capacity, recording->switch_count + 1, sizeof(*recording->switches));
        recording->switches[recording->switch_count++] =
            (struct context_switch){.time_ns = out ? begin_ns : begin_ns + ns, .thread = scene->thread, .out = out};
    }
}

static const char code[] =
    "{\"schema\":2,\"architecture\":\"x86_64\",\"functions\":["
    "{\"dso\":\"/app/server\",\"name\":\"work\",\"address\":\"0x1000\",\"size\":64,\"lines\":["
    "{\"address\":\"0x100f\",\"path\":\"server.c\",\"line\":41},{\"address\":\"0x1010\",\"path\":\"server.c\",\"line\":42}]},"
    "{\"dso\":\"/lib/libc.so.6\",\"name\":\"nanosleep\",\"address\":\"0x2000\",\"size\":64}]}";

Test(wait_rows, a_call_stands_on_its_own_line)
{
    for (int inner = 0; inner < 2; inner++) { /* the program's own frame is where it stood, or where a call returns to */
        struct scene scene;
        struct json_document *document = NULL;
        struct code_bundle bundle;
        struct error err = {0};
        scene_begin(&scene);
        uint32_t both[] = {location_at(&scene, scene.library, 0x2010), location_at(&scene, scene.dso, 0x1010)};
        wait_add(&scene, 1000, 5000000, samples_stack(&scene.recording.samples, inner ? both + 1 : both, inner ? 1 : 2));
        wait_add(&scene, 9000000, 1000, STACK_NONE);
        cr_assert(json_document_parse(&document, view_of(code), &err), "%s", err.message);
        cr_assert(code_bundle_read(&bundle, json_root(document), &scene.arena, &err), "%s", err.message);
        struct wait_rows rows = wait_rows_of(&scene.recording, &bundle, &scene.arena);
        cr_assert(rows.known && rows.count >= 1);
        cr_assert_str_eq(rows.items[0].function, "work");
        cr_expect_eq(rows.items[0].line, inner ? 42 : 41, "%u", rows.items[0].line);
        json_document_free(document);
        scene_end(&scene);
    }
}

/* A long wait without a stack is laid where its like were: what stays without a place isn't called as long as that. */
Test(waiting, what_stays_without_a_place_was_not_the_longest)
{
    struct scene scene;
    struct waiting waiting;
    uint64_t at_ns = 1000;
    scene_begin(&scene);
    uint32_t frame = location_at(&scene, scene.dso, 0x1010), stack = samples_stack(&scene.recording.samples, &frame, 1);
    for (int turn = 0; turn < 4; turn++, at_ns += 200000000)
        wait_add(&scene, at_ns, 100000000, turn < 3 ? stack : STACK_NONE);
    for (int turn = 0; turn < 5; turn++, at_ns += 10000)
        wait_add(&scene, at_ns, 1000, STACK_NONE);
    wait_add(&scene, at_ns, 0, STACK_NONE);
    waiting_analyse(&scene.recording, NULL, &waiting, &scene.arena);
    cr_assert_eq(waiting.site_count, 2);
    for (size_t at = 0; at < waiting.site_count; at++) {
        const struct wait_site *site = &waiting.sites[at];
        cr_expect_leq(site->longest_ns, site->total_ns, "%llu of %llu", (unsigned long long)site->longest_ns, (unsigned long long)site->total_ns);
    }
    cr_expect_eq(waiting.spread_ns, 100000000);
    scene_end(&scene);
}

/* Three threads in one function, one of which has 300 of 360 samples and goes on; a helper that does something else is none of them. */
Test(thread_balance, one_of_several_that_do_the_same_has_most)
{
    for (int kind = 0; kind < 5; kind++) {
        /* the others do other work; did theirs before; do as much; do as much, and one of them something else behind it */
        bool helpers = kind == 1, in_turn = kind == 2, even = kind == 3, behind = kind == 4;
        struct scene scene;
        struct json_document *document = NULL;
        struct code_bundle bundle;
        struct error err = {0};
        scene_begin(&scene);
        scene.event = (struct recorded_event){.name = "cpu-clock", .counts_ns = true};
        uint32_t work = location_at(&scene, scene.dso, 0x1010), other = location_at(&scene, scene.library, 0x2010);
        for (uint32_t tid = 11; tid <= 14; tid++) {
            uint32_t thread = threads_get(&scene.recording.threads, 10, tid);
            for (int at = 0; at < (behind ? (tid == 11 ? 300 : 160) : tid == 11 || even ? 300 : 30); at++)
                *vec_push(&scene.recording.samples) =
                    (struct sample){.time_ns = 1000000000 + (uint64_t)(in_turn && tid == 11 ? at + 30 : at) * 10000000, .period = 10000000, .thread = thread, .stack = STACK_NONE,
                                    .registers = REGISTERS_NONE, .location = tid == 14 || (helpers && tid > 11) || (behind && at >= 160) ? other : work};
        }
        cr_assert(json_document_parse(&document, view_of(code), &err), "%s", err.message);
        cr_assert(code_bundle_read(&bundle, json_root(document), &scene.arena, &err), "%s", err.message);
        struct thread_balance balance = thread_balance_of(&scene.recording, &bundle);
        cr_expect_eq(balance.known, kind == 0, "%d", kind);
        if (kind == 0) {
            cr_expect(balance.threads == 3 && balance.busiest_tid == 11);
            cr_expect_str_eq(balance.function, "work");
            cr_expect_float_eq(balance.busiest_share, 300.0 / 360, 1e-9);
            cr_expect_float_eq(balance.alone_s, 2.7, 1e-9);
        }
        json_document_free(document);
        scene_end(&scene);
    }
}
