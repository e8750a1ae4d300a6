/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a flame graph draw? One tree of stacks, whose frames know what kind of code they are.
 *
 * Stacks are handed in frame by frame, from the root on; the tree holds what weighs at least as much as asked, and what
 * the rest weighs stays with its callers and is told. Frames of one name and kind are one.
 */
#ifndef PLUMB_ANALYSE_PROFILE_FLAME_H
#define PLUMB_ANALYSE_PROFILE_FLAME_H

#include "analyse/profile/call_tree.h"
#include "analyse/profile/stack_profile.h"
#include "base/text.h"

enum flame_kind {
    FLAME_UNKNOWN, /* nothing says */
    FLAME_THREAD,  /* a thread's name */
    FLAME_PROGRAM, /* code of the program's own file */
    FLAME_LIBRARY, /* of a shared library, the vdso too */
    FLAME_KERNEL,
    FLAME_JIT,     /* made while the program ran */
    FLAME_KIND_COUNT
};

enum flame_kind flame_kind_of(const struct places *places, const struct place *place);

struct flame_frame {
    const char *name; /* owner: the flame */
    enum flame_kind kind;
};

struct flame_options {
    bool leaf_first;  /* stacks are merged from what was sampled on */
    double share_least; /* frames below this share of everything are left out */
};

struct flame {
    struct strings names;
    struct hashmap frame_map;
    struct flame_frame *frames;
    size_t frame_count, frame_capacity;
    uint32_t *places; /* of all stacks, one behind the other */
    size_t place_count, place_capacity;
    size_t stack_begin; /* of the one that is being added */
    struct call_chain *chains;
    size_t chain_count, chain_capacity;
    struct flame_options options;
    /* The result. */
    struct call_tree tree; /* places are numbers of frames */
    uint64_t total, folded; /* folded: of stacks whose last frames are not in the tree */
    uint64_t self_of_kind[FLAME_KIND_COUNT]; /* by the frame that was sampled, whether drawn or not */
    size_t depth;           /* levels of the tree */
    uint64_t cut_stacks;    /* deeper than FLAME_DEPTH_MOST: their innermost frames are left out */
};

#define FLAME_DEPTH_MOST 1000

void flame_init(struct flame *flame, const struct flame_options *options);
void flame_done(struct flame *flame);
void flame_push(struct flame *flame, const char *name, size_t length, enum flame_kind kind);
/* The frames since the last call are a stack. Without any, nothing is added. */
void flame_stack(struct flame *flame, uint64_t weight);
/* All stacks of an event. */
void flame_add_profile(struct flame *flame, const struct stack_profile *profile, uint32_t event, bool by_period);
/* After the last stack. */
void flame_finish(struct flame *flame);

#endif
