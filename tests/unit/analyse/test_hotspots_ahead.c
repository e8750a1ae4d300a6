/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows whose paths were found while the recording grew, held against those of the whole recording. */
#include "test.h"

#include "analyse/profile/hotspots_ahead.h"
#include "base/vec.h"

enum {
    FUNCTIONS = 40,
    DSOS = 3,
    SAMPLES = 30000,
    SAMPLES_A_TELLING = 500,
    DEPTH_MOST = 9,
    EVENTS = 2
};

struct scene {
    struct recording recording;
    struct sysroot root;
    struct symboliser_options symbols;
    struct sample_tally tally;
    struct tally_ahead *tally_ahead;
    uint32_t dsos[DSOS], untold_dso, jit_dso;
    uint32_t random;
    struct hotspots_options options;
    struct hotspots_ahead *ahead;
    struct names_ahead *names;
};

static uint32_t next_random(struct scene *scene)
{
    scene->random = scene->random * 1664525u + 1013904223u;
    return scene->random >> 16;
}

static uint32_t dso_map(struct scene *scene, uint64_t start, const char *path)
{
    struct recording *recording = &scene->recording;
    const struct record_mmap map = {.pid = 1, .tid = 1, .start = start, .size_bytes = 0x10000, .path = path};
    address_spaces_map(&recording->spaces, &recording->strings, recording->threads.items[0].space, &map, 0);
    return address_spaces_find(&recording->spaces, recording->threads.items[0].space, start)->dso;
}

static void scene_open(struct scene *scene, bool is_flat)
{
    static const char *const paths[DSOS] = {"/no/such/a", "/no/such/b", "/no/such/c"};
    *scene = (struct scene){.random = 7,
                            .options = {.keys = hotspot_key(COLUMN_COMM) | hotspot_key(COLUMN_SYMBOL), .order = {COLUMN_CHILDREN}, .order_count = 1,
                                        .children = true, .trees = true, .callers_first = true, .tree_share_least = 0.001}};
    if (is_flat)
        scene->options.children = scene->options.trees = scene->options.callers_first = false;
    recording_init(&scene->recording);
    sysroot_init(&scene->root, NULL);
    scene->symbols.root = &scene->root;
    scene->recording.event_count = EVENTS;
    scene->recording.events = arena_array(&scene->recording.arena, struct recorded_event, EVENTS);
    for (uint32_t at = 0; at < EVENTS; at++)
        scene->recording.events[at] = (struct recorded_event){.name = "made"};
    uint32_t thread = threads_get(&scene->recording.threads, 1, 1);
    scene->recording.threads.items[thread].space = address_spaces_begin(&scene->recording.spaces, 1);
    for (uint32_t at = 0; at < DSOS; at++)
        scene->dsos[at] = dso_map(scene, 0x100000 * (at + 1), paths[at]);
    scene->untold_dso = dso_map(scene, 0x900000, "/no/such/d (deleted)");
    scene->jit_dso = dso_map(scene, 0xa00000, "//anon");
    scene->tally_ahead = tally_ahead_begin(&scene->tally);
    scene->ahead = hotspots_ahead_begin(scene->tally_ahead, &scene->options, (struct places_options){.inlines = true});
    cr_assert_not_null(scene->ahead);
    scene->names = names_ahead_begin(&scene->symbols, (struct names_wanted){.inlines = true, .follower = hotspots_ahead_follower(scene->ahead)});
}

static void scene_close(struct scene *scene)
{
    names_ahead_free(scene->names);
    hotspots_ahead_free(scene->ahead);
    tally_ahead_free(scene->tally_ahead);
    sample_tally_done(&scene->tally);
    recording_done(&scene->recording);
}

static uint32_t location_make(struct scene *scene, bool is_untold)
{
    uint32_t function = next_random(scene) % FUNCTIONS;
    struct location location = {.dso = is_untold ? scene->untold_dso : scene->dsos[function % DSOS],
                                .space = scene->recording.threads.items[0].space,
                                .dso_addr = 0x1000 + 16 * function + next_random(scene) % 8,
                                .cpu_mode = CPU_MODE_USER};
    location.runtime_addr = location.dso_addr;
    return samples_location(&scene->recording.samples, &location);
}

static void sample_make(struct scene *scene, uint32_t event, bool is_untold)
{
    uint32_t frames[DEPTH_MOST], depth = 1 + next_random(scene) % DEPTH_MOST;
    for (uint32_t frame = 0; frame < depth; frame++)
        frames[frame] = location_make(scene, is_untold && frame + 1 == depth);
    struct sample sample = {.comm = strings_intern(&scene->recording.strings, next_random(scene) % 3 ? "one" : "other"),
                            .event = (uint16_t)event,
                            .period = 1 + next_random(scene) % 100,
                            .location = frames[0]};
    sample.stack = next_random(scene) % 5 ? samples_callers(&scene->recording.samples, frames + 1, depth - 1)
                                          : samples_stack(&scene->recording.samples, frames, depth);
    scene->recording.events[event].sample_count++;
    tally_ahead_add(scene->tally_ahead, &sample, TRAITS_NONE);
}

static void check_trees(const struct call_tree *tree, const struct call_tree *usual)
{
    cr_assert_eq(tree != NULL, usual != NULL);
    if (!tree)
        return;
    cr_assert_eq(tree->count, usual->count);
    for (size_t at = 0; at < tree->count; at++) {
        cr_assert_eq(tree->items[at].place, usual->items[at].place);
        cr_assert_eq(tree->items[at].total, usual->items[at].total);
        cr_assert_eq(tree->items[at].self, usual->items[at].self);
        cr_assert_eq(tree->items[at].first_child, usual->items[at].first_child);
        cr_assert_eq(tree->items[at].next_sibling, usual->items[at].next_sibling);
    }
}

static void check_rows(const struct hotspots *rows, const struct hotspots *usual)
{
    cr_assert_eq(rows->count, usual->count);
    cr_assert_gt(rows->count, FUNCTIONS);
    cr_assert_eq(rows->total_period, usual->total_period);
    cr_assert_eq(rows->total_samples, usual->total_samples);
    for (size_t at = 0; at < rows->count; at++) {
        const struct hotspot *row = &rows->items[at], *same = &usual->items[at];
        cr_assert_eq(row->place, same->place);
        cr_assert_str_eq(row->comm, same->comm);
        cr_assert_eq(row->addr, same->addr);
        cr_assert_eq(row->period, same->period);
        cr_assert_eq(row->children_period, same->children_period);
        cr_assert_eq(row->children_samples, same->children_samples);
        cr_assert_eq(row->stack_depth_most, same->stack_depth_most);
        check_trees(row->tree, same->tree);
    }
}

static void check_complaints(const struct scene *scene, struct symboliser *symboliser, struct symboliser *usual)
{
    for (uint32_t at = 0; at < scene->recording.spaces.dso_count; at++) {
        const char *complaint = symboliser_complaint(symboliser, at), *same = symboliser_complaint(usual, at);
        cr_assert(complaint == same || (complaint && same && strcmp(complaint, same) == 0), "%s / %s", complaint, same);
    }
}

/* untold_from: the first sample with a frame whose names the other core can't know. */
static void rows_are_the_same(uint32_t untold_from, bool is_flat)
{
    struct scene scene;
    struct places places, usual_places;
    struct hotspots rows, usual;
    struct symboliser *usual_symboliser;
    struct error err = {0};
    scene_open(&scene, is_flat);
    for (uint32_t at = 0; at < SAMPLES; at++) {
        sample_make(&scene, at > SAMPLES / 4 && at % 7 == 0, at >= untold_from && at % 3 == 0);
        if (at % SAMPLES_A_TELLING == 0)
            names_ahead_tell(scene.names, &scene.recording);
    }
    tally_ahead_settle(scene.tally_ahead);
    struct symboliser *symboliser = names_ahead_take(scene.names, &scene.recording);
    cr_assert_not_null(symboliser);
    cr_assert(!hotspots_ahead_take(scene.ahead, 1, &scene.recording, symboliser, &places), "of another event");
    cr_assert(hotspots_ahead_take(scene.ahead, 0, &scene.recording, symboliser, &places));
    hotspots_ahead_build(scene.ahead, &rows, &scene.tally);
    cr_assert(symboliser_new(&usual_symboliser, &scene.recording, &scene.symbols, &err), "%s", err.message);
    places_init(&usual_places, &scene.recording, usual_symboliser, (struct places_options){.inlines = true});
    hotspots_build(&usual, &scene.tally, 0, &scene.recording, &usual_places, &scene.options);
    check_rows(&rows, &usual);
    check_complaints(&scene, symboliser, usual_symboliser);
    hotspots_done(&rows);
    hotspots_done(&usual);
    places_done(&places);
    places_done(&usual_places);
    symboliser_free(symboliser);
    symboliser_free(usual_symboliser);
    scene_close(&scene);
}

Test(hotspots_ahead, rows_are_those_of_the_whole_recording)
{
    rows_are_the_same(SAMPLES, false);
}

Test(hotspots_ahead, so_are_those_without_callers)
{
    rows_are_the_same(SAMPLES, true);
    rows_are_the_same(SAMPLES / 3, true);
}

Test(hotspots_ahead, from_what_only_the_reader_can_name_on_the_rest_is_left_to_it)
{
    rows_are_the_same(SAMPLES / 3, false);
    rows_are_the_same(0, false);
}

/* Programs with compiled code of their own are in most recordings of a whole machine. */
Test(hotspots_ahead, code_of_a_jit_compiler_is_told)
{
    struct scene scene;
    scene_open(&scene, false);
    for (uint32_t at = 0; at < SAMPLES_A_TELLING; at++)
        sample_make(&scene, 0, false);
    names_ahead_tell(scene.names, &scene.recording);
    struct symboliser *symboliser = names_ahead_take(scene.names, &scene.recording);
    cr_assert(names_ahead_tells(scene.names, scene.jit_dso));
    cr_assert(names_ahead_tells(scene.names, scene.dsos[0]));
    cr_assert_not(names_ahead_tells(scene.names, scene.untold_dso));
    symboliser_free(symboliser);
    scene_close(&scene);
}

/* Nothing was told, or no report wants it: then there is nothing to take. */
Test(hotspots_ahead, what_was_never_begun_is_not_taken)
{
    struct scene scene;
    struct places places;
    scene_open(&scene, false);
    struct symboliser *symboliser = names_ahead_take(scene.names, &scene.recording);
    cr_assert(!hotspots_ahead_take(scene.ahead, 0, &scene.recording, symboliser, &places));
    cr_assert(!hotspots_ahead_take(NULL, 0, &scene.recording, symboliser, &places));
    scene.options.callers_first = false;
    cr_assert_null(hotspots_ahead_begin(scene.tally_ahead, &scene.options, (struct places_options){0}));
    symboliser_free(symboliser);
    scene_close(&scene);
}
