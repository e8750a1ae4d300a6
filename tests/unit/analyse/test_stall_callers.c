/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who calls what is hot: by copied stacks, not by what frame pointers say. */
#include "test.h"

#include "analyse/stall/call_classes.h"
#include "analyse/stall/call_holders.h"
#include "analyse/stall/call_parts.h"
#include "analyse/stall/stalls.h"
#include "base/json/json_reader.h"
#include "base/vec.h"

#include <sys/mman.h>

enum { CLOCK, STACKS, EVENTS };

struct scene {
    struct recording recording;
    struct recorded_event events[EVENTS];
    struct arena arena;
    struct code_bundle bundle;
    struct json_document *document;
    uint32_t thread, space, app, library;
};

static const char code[] =
    "{\"schema\":2,\"architecture\":\"x86_64\",\"functions\":["
    "{\"dso\":\"/app/server\",\"name\":\"store\",\"address\":\"0x1000\",\"size\":64,\"lines\":["
    "{\"address\":\"0x100f\",\"path\":\"src/server.c\",\"line\":41},{\"address\":\"0x1010\",\"path\":\"src/"
    "server.c\",\"line\":42}]},"
    "{\"dso\":\"/app/server\",\"name\":\"load\",\"address\":\"0x1100\",\"size\":64},"
    "{\"dso\":\"/app/"
    "server\",\"name\":\"dispatch\",\"address\":\"0x1180\",\"size\":64,\"bytes\":\"ffd0e879feffffc3ff1500000000c3\"},"
    "{\"dso\":\"/app/server\",\"name\":\"target\",\"address\":\"0x11c0\",\"size\":64,\"bytes\":\"4889f84889f8c3\"},"
    "{\"dso\":\"/app/server\",\"name\":\"server+0x1200\",\"address\":\"0x1200\",\"size\":64,\"unnamed\":true},"
    "{\"dso\":\"/app/server\",\"name\":\"server+0x1300\",\"address\":\"0x1300\",\"size\":64,\"unnamed\":true},"
    "{\"dso\":\"/usr/lib/libz.so.1\",\"name\":\"match\",\"address\":\"0x2000\",\"size\":64},"
    "{\"dso\":\"/usr/lib/"
    "libz.so.1\",\"name\":\"libz.so.1+0x2100\",\"address\":\"0x2100\",\"size\":64,\"unnamed\":true},"
    "{\"dso\":\"/usr/lib/"
    "libz.so.1\",\"name\":\"deflate\",\"address\":\"0x2200\",\"size\":64,\"bytes\":\"e8fbfeffffc3\"},"
    "{\"dso\":\"/usr/lib/libz.so.1\",\"name\":\"__libc_start_main\",\"address\":\"0x2300\",\"size\":64}]}";

static uint32_t dso_of(struct scene *scene, const char *path, uint64_t start)
{
    struct record_mmap map = {.pid = 10, .start = start, .size_bytes = 0x100000, .path = path, .has_details = true, .protection = PROT_READ | PROT_EXEC};
    address_spaces_map(&scene->recording.spaces, &scene->recording.strings, scene->space, &map, 0);
    return address_spaces_find(&scene->recording.spaces, scene->space, start)->dso;
}

static void scene_begin(struct scene *scene)
{
    struct error err = {0};
    *scene = (struct scene){.events = {{.name = "cpu-clock", .type = 1, .counts_ns = true},
                                       {.name = "cpu-clock-stacks:u", .type = 1, .counts_ns = true, .counts_again = true}}};
    recording_init(&scene->recording);
    arena_init(&scene->arena);
    scene->recording.events = scene->events;
    scene->recording.event_count = EVENTS;
    scene->thread = threads_get(&scene->recording.threads, 10, 10);
    scene->space = address_spaces_begin(&scene->recording.spaces, 10);
    scene->app = dso_of(scene, "/app/server", 0x400000);
    scene->library = dso_of(scene, "/usr/lib/libz.so.1", 0x800000);
    cr_assert(json_document_parse(&scene->document, view_of(code), &err), "%s", err.message);
    cr_assert(code_bundle_read(&scene->bundle, json_root(scene->document), &scene->arena, &err), "%s", err.message);
}

static void scene_end(struct scene *scene)
{
    scene->recording.events = NULL;
    scene->recording.event_count = 0;
    json_document_free(scene->document);
    recording_done(&scene->recording);
    arena_done(&scene->arena);
}

/* Below 0x2000 the program's, else the library's. */
static uint32_t location_at(struct scene *scene, uint64_t addr)
{
    struct location location = {.dso = addr < 0x2000 ? scene->app : scene->library, .space = scene->space, .dso_addr = addr,
                                .runtime_addr = 0x400000 + addr, .cpu_mode = CPU_MODE_USER};
    return samples_location(&scene->recording.samples, &location);
}

static void sample_add(struct scene *scene, uint16_t event, int times, const uint64_t *addrs, size_t count)
{
    uint32_t frames[8];
    for (size_t at = 0; at < count; at++)
        frames[at] = location_at(scene, addrs[at]);
    uint32_t stack = samples_stack(&scene->recording.samples, frames, count);
    for (int at = 0; at < times; at++)
        *vec_push(&scene->recording.samples) =
            (struct sample){.time_ns = 1000000000 + scene->recording.samples.count * 1000000, .period = 1000000, .thread = scene->thread, .stack = stack,
                            .registers = REGISTERS_NONE, .location = frames[0], .event = event};
}

#define ADD(scene, event, times, ...) \
    sample_add(scene, event, times, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static const struct stall_function *function_named(const struct stalls *stalls, const char *name)
{
    for (size_t at = 0; at < stalls->function_count; at++)
        if (strcmp(stalls->functions[at].name, name) == 0)
            return &stalls->functions[at];
    cr_assert_fail("no function %s", name);
    return NULL;
}

static struct stalls found_in(struct scene *scene)
{
    struct stalls stalls;
    stalls_find(&stalls, &scene->recording, &scene->bundle, NULL, 0, (struct stall_skid){.one_behind = true}, &scene->arena);
    return stalls;
}

Test(stall_callers, a_library_function_was_called_by_and_for)
{
    struct scene scene;
    scene_begin(&scene);
    ADD(&scene, CLOCK, 100, 0x2008, 0x1110); /* frame pointers pass the caller over: they say nothing here */
    ADD(&scene, STACKS, 6, 0x2008, 0x2110, 0x2210, 0x1010, 0x2310);
    ADD(&scene, STACKS, 2, 0x2008, 0x2110, 0x2210, 0x1110, 0x2310);
    ADD(&scene, STACKS, 1, 0x2008, 0x1110);
    struct stalls stalls = found_in(&scene);
    const struct stall_function *match = function_named(&stalls, "match");
    cr_expect_eq(match->samples, 100, "copied stacks aren't counted once more: %llu", (unsigned long long)match->samples);
    cr_assert(match->stacks == 9 && match->own_stacks == 1 && match->caller_count == 2 && match->owner_count == 2);
    cr_expect_str_eq(match->callers[0].name, "libz.so.1+0x2100");
    cr_expect(match->callers[0].stacks == 8 && match->callers[1].stacks == 1);
    cr_expect_str_eq(match->callers[1].name, "load");
    cr_expect_str_eq(match->owners[0].name, "store");
    cr_expect(match->owners[0].line == 41 && match->owners[0].stacks == 6 && match->owners[1].stacks == 2, "the call's own line");
    scene_end(&scene);
}

Test(stall_callers, without_code_of_its_own_the_nearest_with_a_name)
{
    struct scene scene;
    scene_begin(&scene);
    ADD(&scene, CLOCK, 100, 0x2008);
    ADD(&scene, STACKS, 5, 0x2008, 0x2008, 0x2110, 0x2210, 0x2310); /* it calls itself; what begins a program calls nothing */
    ADD(&scene, CLOCK, 50, 0x1008);
    ADD(&scene, STACKS, 5, 0x1008, 0x2310);
    ADD(&scene, STACKS, 5, 0x1008, 0x2110, 0x2310); /* a library's thread, without symbols */
    struct stalls stalls = found_in(&scene);
    const struct stall_function *match = function_named(&stalls, "match"), *store = function_named(&stalls, "store");
    cr_assert(match->stacks == 5 && match->own_stacks == 0 && match->caller_count == 1 && match->owner_count == 1);
    cr_expect_str_eq(match->owners[0].name, "deflate");
    cr_expect(store->stacks == 0 && store->caller_count == 0, "nobody calls main");
    scene_end(&scene);
}

static struct call_parts parts_in(struct scene *scene)
{
    struct call_parts parts;
    call_parts_find(&parts, &scene->recording, &scene->bundle);
    return parts;
}

/* Where chains of frame pointers break off, the copied stacks tell; those that break off, too, stand nowhere. */
Test(call_parts, paths_part_below_what_most_go_through)
{
    struct scene scene;
    scene_begin(&scene);
    ADD(&scene, CLOCK, 100, 0x2008, 0x1110);
    ADD(&scene, STACKS, 30, 0x2008, 0x1010, 0x1210, 0x2210, 0x2310);
    ADD(&scene, STACKS, 2, 0x1008, 0x1010, 0x2210, 0x2310); /* it calls itself */
    ADD(&scene, STACKS, 18, 0x1108, 0x1210, 0x2210, 0x2310);
    ADD(&scene, STACKS, 4, 0x2008, 0x1110);
    struct call_parts parts = parts_in(&scene);
    cr_assert(parts.count == 2 && parts.stacks == 50 && parts.user_only, "%zu of %llu", parts.count, (unsigned long long)parts.stacks);
    cr_expect_str_eq(parts.below, "deflate", "the deepest that all go through");
    cr_expect_str_eq(parts.items[0].name, "store");
    cr_expect(parts.items[0].stacks == 32 && parts.items[0].share.low < 0.64 && parts.items[0].share.high > 0.64);
    cr_expect_str_eq(parts.items[1].name, "load");
    ADD(&scene, STACKS, 30, 0x2008, 0x1110);
    cr_expect_eq(parts_in(&scene).count, 0, "what is whole may be of one kind");
    scene_end(&scene);
}

Test(call_parts, whole_chains_of_every_sample_come_first)
{
    struct scene scene;
    scene_begin(&scene);
    ADD(&scene, CLOCK, 60, 0x2008, 0x1010, 0x2310);
    ADD(&scene, CLOCK, 40, 0x2008, 0x1110, 0x2310);
    ADD(&scene, STACKS, 30, 0x2008, 0x1110, 0x2310);
    struct call_parts parts = parts_in(&scene);
    cr_assert(parts.count == 2 && parts.stacks == 100 && !parts.user_only && !parts.below);
    cr_expect(parts.items[0].stacks == 60 && parts.items[1].stacks == 40);
    scene_end(&scene);
}

/* A stripped program's own functions are known by what they call. */
Test(call_parts, what_has_no_name_is_known_by_what_it_calls)
{
    struct scene scene;
    scene_begin(&scene);
    ADD(&scene, STACKS, 30, 0x2008, 0x1210, 0x2310);
    ADD(&scene, STACKS, 10, 0x1208, 0x2310);
    ADD(&scene, STACKS, 20, 0x2208, 0x1310, 0x2310);
    struct call_parts parts = parts_in(&scene);
    cr_assert_eq(parts.count, 2, "two with names: match and deflate");
    cr_expect_str_eq(parts.items[0].name, "match");
    scene.recording.samples.count = 0;
    ADD(&scene, STACKS, 25, 0x2008, 0x1210, 0x2310);
    ADD(&scene, STACKS, 15, 0x1308, 0x2310);
    parts = parts_in(&scene);
    cr_assert_eq(parts.count, 2);
    cr_expect_str_eq(parts.items[0].name, "server+0x1200");
    cr_assert_eq(parts.items[0].lead_count, 1);
    cr_expect_str_eq(parts.items[0].leads[0].name, "match");
    cr_expect_eq(parts.items[0].leads[0].share, 1.0);
    cr_expect_eq(parts.items[1].lead_count, 0);
    scene_end(&scene);
}

Test(call_parts, what_has_most_is_parted_further)
{
    struct scene scene;
    scene_begin(&scene);
    ADD(&scene, STACKS, 40, 0x2008, 0x1010, 0x2310);
    ADD(&scene, STACKS, 30, 0x2208, 0x1010, 0x2310);
    ADD(&scene, STACKS, 30, 0x1108, 0x2310);
    struct call_parts parts = parts_in(&scene);
    cr_assert_eq(parts.count, 2);
    cr_expect_str_eq(parts.items[0].name, "store");
    cr_assert_eq(parts.items[0].lead_count, 2);
    cr_expect_str_eq(parts.items[0].leads[0].name, "match");
    cr_expect_str_eq(parts.items[0].leads[1].name, "deflate");
    cr_expect_eq(parts.items[1].lead_count, 0, "it has less than half");
    scene_end(&scene);
}

static struct call_holders holders_in(struct scene *scene)
{
    struct call_holders holders;
    call_holders_find(&holders, &scene->recording, &scene->bundle);
    return holders;
}

/* Stacks that were cut off say what they lie in; what may have called the function that they end in may have more. */
Test(call_holders, cut_stacks_say_what_they_lie_in)
{
    struct scene scene;
    scene_begin(&scene);
    ADD(&scene, STACKS, 20, 0x2008, 0x1010, 0x1110);         /* match for store, for load; cut off there */
    ADD(&scene, STACKS, 15, 0x1008, 0x1110);
    ADD(&scene, STACKS, 165, 0x2208, 0x1210, 0x2310);        /* deflate for one without a name; whole */
    struct call_holders holders = holders_in(&scene);
    cr_assert_eq(holders.stacks, 200);
    cr_assert_eq(holders.count, 3, "%zu: deflate, store, match; load's are store's", holders.count);
    cr_expect_str_eq(holders.items[0].name, "deflate");
    cr_expect(holders.items[0].share.low < 0.825 && holders.items[0].share.high > 0.97, "it may have called load: %g", holders.items[0].share.high);
    cr_expect_str_eq(holders.items[1].name, "store");
    cr_expect(holders.items[1].share.low < 0.175 && holders.items[1].share.high > 0.175 && holders.items[1].share.high < 0.25, "load calls it: %g", holders.items[1].share.high);
    cr_expect_str_eq(holders.items[2].name, "match");
    ADD(&scene, STACKS, 200, 0x1108);
    holders = holders_in(&scene);
    for (size_t at = 0; at < holders.count; at++)
        cr_expect_str_neq(holders.items[at].name, "deflate", "41 to 100 %% say nothing");
    scene_end(&scene);
}

Test(call_holders, few_stacks_say_nothing)
{
    struct scene scene;
    scene_begin(&scene);
    ADD(&scene, STACKS, 12, 0x2008, 0x1010);
    ADD(&scene, STACKS, 12, 0x1008);
    ADD(&scene, CLOCK, 100, 0x2008, 0x1010);
    cr_expect_eq(holders_in(&scene).count, 0);
    scene_end(&scene);
}

static unsigned class_in_scene(const char *name, const char *dso)
{
    return strcmp(name, "deflate") == 0 ? 0 : strcmp(name, "store") == 0 ? 1 : strcmp(dso, "nowhere") == 0 ? 2 : CALL_CLASSES_MOST;
}

/* A function of the class counts with all that it calls, once for each stack; who called it is told by name. */
Test(call_classes, a_class_has_what_it_calls)
{
    struct scene scene;
    struct call_classes classes;
    scene_begin(&scene);
    ADD(&scene, STACKS, 20, 0x2008, 0x1010, 0x1110, 0x2310); /* match for store, for load */
    ADD(&scene, STACKS, 10, 0x2008, 0x1010, 0x2208, 0x1010, 0x1110, 0x2310); /* match for store, deflate, store, load */
    ADD(&scene, STACKS, 10, 0x2008, 0x2210, 0x1110, 0x2310); /* match for deflate, for load */
    ADD(&scene, STACKS, 40, 0x1108, 0x2310);
    ADD(&scene, CLOCK, 500, 0x1008, 0x1110);                 /* no copied stack */
    call_classes_find(&classes, &scene.recording, &scene.bundle, class_in_scene);
    cr_assert_eq(classes.stacks, 80);
    const struct call_class *deflate = &classes.items[0], *store = &classes.items[1];
    cr_expect_eq(store->stacks, 30);
    cr_expect_eq(store->innermost, 30);
    cr_expect_eq(deflate->stacks, 20);
    cr_expect_eq(deflate->innermost, 10, "below the other store is at work");
    cr_expect_float_eq(store->share.mid, 30.0 / 80, 0.01);
    cr_expect(store->most < 0.5, "all of them are whole");
    cr_expect_str_eq(store->entry, "store");
    cr_expect_str_eq(store->caller, "load");
    cr_expect_eq(classes.items[2].stacks, 0);
    cr_expect_null(classes.items[2].entry);
    ADD(&scene, STACKS, 80, 0x2008); /* cut off: store may have called it */
    call_classes_find(&classes, &scene.recording, &scene.bundle, class_in_scene);
    cr_expect(classes.items[1].share.high < 0.3 && classes.items[1].most > 0.65, "%g", classes.items[1].most);
    scene_end(&scene);
}

Test(call_classes, few_stacks_say_nothing)
{
    struct scene scene;
    struct call_classes classes;
    scene_begin(&scene);
    ADD(&scene, STACKS, 20, 0x2008, 0x1010, 0x2310);
    call_classes_find(&classes, &scene.recording, &scene.bundle, class_in_scene);
    cr_expect(!classes.items[1].share.known && !classes.items[1].stacks);
    scene_end(&scene);
}

/* What waits where a function begins: was its call looked up? call *%rax at 0x1180, call store at 0x1182, call *0(%rip) at 0x1188. */
Test(stall_callers, calls_of_where_samples_begin_are_told_apart)
{
    struct scene scene;
    scene_begin(&scene);
    ADD(&scene, CLOCK, 100, 0x11c0);
    ADD(&scene, CLOCK, 10, 0x1181);
    ADD(&scene, STACKS, 5, 0x11c0, 0x1181, 0x2310); /* a byte before where the call returns to, as it is unwound */
    ADD(&scene, STACKS, 3, 0x11c3, 0x1186, 0x2310);
    ADD(&scene, STACKS, 2, 0x11c0, 0x118d, 0x2310);
    ADD(&scene, STACKS, 7, 0x11c6, 0x1181, 0x2310); /* its third instruction */
    ADD(&scene, STACKS, 9, 0x11c0, 0x1110, 0x2310); /* a caller whose code isn't kept */
    struct stalls stalls = found_in(&scene);
    cr_assert(stalls.entry_stacks == 10 && stalls.entry_lookups == 5, "%llu of %llu", (unsigned long long)stalls.entry_lookups, (unsigned long long)stalls.entry_stacks);
    scene_end(&scene);
}

/* A stack may leave out who called: the call that it returns behind leads elsewhere. A named function may have been jumped to from there. */
Test(stall_callers, a_call_that_leads_elsewhere_is_nobodys)
{
    static const struct {
        uint64_t callee, returns_to;
        const char *name, *caller; /* NULL: not known */
    } cases[] = {{0x1208, 0x1186, "server+0x1200", NULL},
                 {0x1208, 0x1188, "server+0x1200", NULL},
                 {0x1208, 0x1181, "server+0x1200", "dispatch"},
                 {0x1010, 0x2204, "store", NULL},
                 {0x11c0, 0x1186, "target", "dispatch"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct scene scene;
        scene_begin(&scene);
        ADD(&scene, CLOCK, 100, cases[at].callee);
        ADD(&scene, CLOCK, 10, 0x1181);
        ADD(&scene, CLOCK, 10, 0x2200);
        ADD(&scene, STACKS, 20, cases[at].callee, cases[at].returns_to, 0x2310);
        struct stalls stalls = found_in(&scene);
        const struct stall_function *callee = function_named(&stalls, cases[at].name);
        cr_assert_eq(callee->caller_count, cases[at].caller ? 1 : 0, "case %zu", at);
        cr_expect(!cases[at].caller || strcmp(callee->callers[0].name, cases[at].caller) == 0);
        scene_end(&scene);
    }
}
