/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows and trees over the trie of paths, held against what each sample's stack says by itself. */
#include "test.h"

#include "analyse/profile/hotspots.h"

enum {
    FUNCTIONS = 7,
    SAMPLES = 4000,
    DEPTH_MOST = 9
};

struct made {
    struct recording recording;
    struct sample_tally tally;
    uint64_t own[FUNCTIONS], with_callees[FUNCTIONS];
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static uint32_t location_of(struct recording *recording, uint32_t function)
{
    struct location location = {.dso = 0, .dso_addr = 0x1000 + 16 * function, .cpu_mode = CPU_MODE_USER};
    return samples_location(&recording->samples, &location);
}

/* Stacks of few functions: most call themselves again somewhere; of each third one the leaf isn't in the stack. */
static void recording_make(struct made *made, bool callers_apart)
{
    uint32_t state = 7;
    recording_init(&made->recording);
    uint32_t thread = threads_get(&made->recording.threads, 1, 1);
    for (int at = 0; at < SAMPLES; at++) {
        uint32_t frames[DEPTH_MOST], depth = next_random(&state) % (DEPTH_MOST + 1);
        bool met[FUNCTIONS] = {0};
        for (uint32_t frame = 0; frame < depth; frame++) {
            uint32_t function = next_random(&state) % FUNCTIONS;
            met[function] = true;
            frames[frame] = location_of(&made->recording, function);
        }
        uint32_t leaf = next_random(&state) % FUNCTIONS;
        if (depth && at % 3)
            leaf = (uint32_t)(made->recording.samples.locations[frames[0]].dso_addr - 0x1000) / 16;
        struct sample sample = {.thread = thread,
                                .period = 1 + next_random(&state) % 100,
                                .location = location_of(&made->recording, leaf)};
        sample.stack = callers_apart && depth && frames[0] == sample.location
                           ? samples_callers(&made->recording.samples, frames + 1, depth - 1)
                           : samples_stack(&made->recording.samples, frames, depth);
        sample_tally_add(&made->tally, &sample);
        met[leaf] = true;
        made->own[leaf] += sample.period;
        for (uint32_t function = 0; function < FUNCTIONS; function++)
            made->with_callees[function] += met[function] ? sample.period : 0;
    }
    sample_tally_settle(&made->tally);
}

static void check_tree(const struct call_tree *tree)
{
    for (uint32_t at = 0; at < tree->count; at++) {
        const struct call_node *node = &tree->items[at];
        uint64_t below = node->self, samples = node->samples_self, last = UINT64_MAX;
        for (uint32_t child = node->first_child; child != CALL_NODE_NONE; child = tree->items[child].next_sibling) {
            below += tree->items[child].total;
            samples += tree->items[child].samples_total;
            cr_assert_leq(tree->items[child].total, last, "siblings stand in order of their weight");
            last = tree->items[child].total;
        }
        cr_assert_eq(below, node->total);
        cr_assert_eq(samples, node->samples_total);
    }
}

static void rows_and_trees_are_right(bool callers_apart)
{
    struct made made = {0};
    recording_make(&made, callers_apart);
    struct places places;
    places_init(&places, &made.recording, NULL, (struct places_options){0});
    struct hotspots_options options = {.keys = hotspot_key(COLUMN_SYMBOL), .order = {COLUMN_CHILDREN}, .order_count = 1,
                                       .children = true, .trees = true, .callers_first = true};
    struct hotspots hotspots;
    hotspots_build(&hotspots, &made.tally, 0, &made.recording, &places, &options);
    cr_assert_eq(hotspots.count, FUNCTIONS);
    for (size_t at = 0; at < hotspots.count; at++) {
        const struct hotspot *row = &hotspots.items[at];
        uint32_t function = (uint32_t)(row->addr - 0x1000) / 16;
        cr_expect_eq(row->period, made.own[function]);
        cr_expect_eq(row->children_period, made.with_callees[function]);
        cr_assert_not_null(row->tree);
        check_tree(row->tree);
        for (uint32_t child = row->tree->items[CALL_TREE_ROOT].first_child; child != CALL_NODE_NONE;
             child = row->tree->items[child].next_sibling)
            cr_assert_eq(row->tree->items[child].parent, CALL_TREE_ROOT);
        /* samples without a stack are in no tree */
        cr_expect_leq(row->tree->items[CALL_TREE_ROOT].total, row->children_period);
        cr_expect_gt(row->tree->items[CALL_TREE_ROOT].total, row->children_period * 4 / 5);
    }
    hotspots_done(&hotspots);
    places_done(&places);
    sample_tally_done(&made.tally);
    recording_done(&made.recording);
}

Test(path_trie, rows_and_trees_are_what_the_stacks_say)
{
    rows_and_trees_are_right(false);
}

Test(path_trie, rows_and_trees_are_what_callers_and_leaves_say)
{
    rows_and_trees_are_right(true);
}
