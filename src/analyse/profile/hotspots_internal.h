/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of hotspots share while the rows of one event, or of a group of events, are built. */
#ifndef PLUMB_ANALYSE_PROFILE_HOTSPOTS_INTERNAL_H
#define PLUMB_ANALYSE_PROFILE_HOTSPOTS_INTERNAL_H

#include "analyse/profile/hotspots.h"
#include "base/vec.h"

/* What makes a row, as ids. */
struct row_key {
    uint32_t place, comm, thread, cpu;
    uint32_t from;   /* of a branch; else PLACE_NONE */
    uint32_t branch; /* cycles << 16 | marks << 8 | enum branch_outcome, as far as they are keys */
    uint32_t traits; /* a set of sample_traits, or TRAITS_NONE */
};

/* Samples whose stacks are the same to a reader: the same places in the same order. */
struct path {
    struct row_key own; /* with the place where the sample was taken */
    uint32_t thread;    /* the first one's */
    uint32_t first, count; /* into path_places: its frames, as trees are read */
    uint32_t node;         /* where paths are a trie: its last one … */
    uint32_t first_node;   /* … and the first of the nodes that it brought */
    uint32_t same_end;     /* a path before it that ends in the same node, or PATH_NONE */
    uint32_t row;          /* of its own place, once counted */
    uint64_t samples, period;
};

/*
 * What paths have in common from their first place on, when callers come first and each sample counts in them, too:
 * a row's callers and trees are then sums over nodes, of which there are far fewer than frames in all paths.
 */
struct path_node {
    uint32_t first_path; /* that went this way */
    uint32_t row;
    uint32_t depth : 31;        /* 0: a root */
    uint32_t outermost : 1;     /* no node above it is of its row */
    uint32_t depth_most;        /* of the deepest path through it */
    uint64_t samples, period;   /* of all paths through it */
};

#define PATH_NODE_NONE UINT32_MAX
#define PATH_NONE      UINT32_MAX

/* All that is known of a node while paths are found. */
struct path_link {
    uint32_t place;  /* of a root: which of the groups */
    uint32_t parent; /* PATH_NODE_NONE: a root; else a smaller number than its own */
};

struct way_step {
    uint32_t place, node;
    uint64_t hash; /* of the node */
};

/* Paths that share no rows with those of other groups. */
struct path_group {
    struct row_key key; /* its paths' own, but for the place */
    uint32_t root;
    vec(struct way_step) way; /* from the root of the path added last: the next one most often begins like it */
};

/* Where the way of a stack ended, and in which group. */
struct way_end {
    uint32_t group, node; /* PATH_NODE_NONE: never gone */
    uint32_t depth;       /* of the node */
    uint64_t hash;
};

/* Places that some keys don't tell apart: each place's first like. */
struct place_fold {
    bool matters; /* any key speaks of such places */
    bool whole;   /* the keys tell all places apart */
    bool dso, symbol, line;
    vec(uint32_t) like; /* by place */
};

/* The row that a place led to last: the next path most often leads there again. */
struct row_memo {
    struct row_key own;
    uint32_t row;
    bool known;
};

struct building {
    struct hotspots *hotspots;
    const struct sample_tally *tally;
    const struct recording *recording;
    struct places *places;
    const struct hotspots_options *options;
    uint32_t event;  /* at hand: the first of the group, or one of the others */
    uint32_t member; /* which one: 0 is the first */
    vec(struct row_key) keys; /* of each row */
    vec(uint32_t) stamps;     /* by row: the path that counted, or passed, it last */
    struct hashmap map;
    vec(uint32_t) frames; /* places of the stack at hand */
    struct place_fold fold, fold_from;
    vec(struct hotspot_counts) others; /* other_count for each row */
    vec(struct row_memo) memos; /* by place */
    vec(struct path) paths;
    vec(uint32_t) item_paths; /* of the tally's items gone through so far; of other events' PATH_NONE */
    vec(uint32_t) path_places;
    struct hashmap path_map;
    bool is_trie; /* paths are a trie: they have a node instead of places */
    vec(struct path_link) links; /* of each node */
    vec(uint32_t) ends;          /* of each node: the last path that ends in it, or PATH_NONE */
    vec(struct path_node) nodes; /* what is counted, once all paths are there */
    vec(struct way_end) callers; /* by stack of callers: as it was gone last */
    struct hashmap node_map; /* by the places on the way */
    vec(struct path_group) groups;
    uint32_t group_last; /* the one asked for last */
};


/*
 * Find the paths of further items of the event at hand. Needs of the building no more than options, places, the event,
 * and of the recording its stacks and, where they are keys, its threads' processes.
 */
void paths_go_on(struct building *building, const struct tally_item *items, size_t count);
/* Paths found before, and the items that they are of, are forgotten. */
void paths_forget(struct building *building);
void building_begin(struct building *building);
void building_done(struct building *building);
/*
 * Go on from what was found before: all of the building that paths_go_on() speaks of is there, and becomes the rows'
 * own.
 */
void hotspots_build_on(struct building *building, struct hotspots *hotspots, const struct sample_tally *tally);

/* The row of a place, as the path's other keys say. */
uint32_t row_of(struct building *building, const struct path *path, uint32_t place);
/* NULL when no path has places. */
const uint32_t *path_places_of(const struct building *building, const struct path *path);
/* Call trees of the rows, from the paths at hand. */
void hotspot_trees_build(struct building *building);
/* Give the rows that are to have one a tree, empty so far. */
void hotspot_trees_begin(struct building *building);
uint64_t hotspot_row_weight(const struct building *building, const struct hotspot *row);
/* Below which weight branches of the row's tree are left out. */
struct call_tree_limits hotspot_tree_limits(const struct building *building, struct hotspot *row);
/* Add samples or a depth to a row. own: the samples were in it, not in what it called. */
void hotspot_row_count(struct building *building, uint32_t row, const struct path *path, bool own);
void hotspot_row_deepen(struct building *building, uint32_t row, size_t depth);

/* The group of that key. */
uint32_t path_trie_group(struct building *building, const struct row_key *own);
/* The last node of the frames at hand: from the group's root, or from a node on. */
struct way_end path_trie_add(struct building *building, uint32_t group);
struct way_end path_trie_go_on(struct building *building, struct way_end from);
/* Have the memory fetched where a node's child of that place will soon be looked for. */
void path_trie_fetch(const struct building *building, const struct way_end *from, uint32_t place);
void path_trie_begin(struct building *building);
void path_trie_done(struct building *building);
/* Rows of all paths and nodes, in the order in which these came, and their numbers. */
void path_trie_count(struct building *building);
void path_trie_trees(struct building *building);
/* Drop rows whose names weren't asked for; then shares; then order. */
void hotspot_rows_finish(struct building *building);
void hotspot_release(struct hotspot *row);

#endif
