/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What do the samples of one region wait for, each laid at one cause? Internal to bottleneck.
 *
 * First by the instruction that stalled: what it is, where its addresses reach, what it hangs on. What is left (quick
 * instructions, loads that hit) is laid at what the region as a whole shows: wrong guesses, or the resource that is
 * used up first.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_LOOP_LOOK_H
#define PLUMB_ANALYSE_BOTTLENECK_LOOP_LOOK_H

#include "analyse/bottleneck/guesses.h"
#include "analyse/bottleneck/pace.h"
#include "analyse/bottleneck/reach.h"
#include "analyse/bottleneck/resources.h"

enum { LOOK_OTHERS_MOST = 7 };

struct loop_look {
    const struct region *region;
    double samples[CAUSE_COUNT];
    double quick;              /* of these, not by an instruction of their own: laid at what the region shows */
    enum bottleneck_cause quick_cause; /* … and what that is; UNKNOWN: it shows nothing */
    /*
     * classes that the quick ones are laid at by this evidence, and would be by another run's of the same code (one bit
     * each): with more than one it is at a border
     */
    unsigned quick_classes;
    unsigned quick_causes; /* the causes that these are of */
    /* samples by class as they would be with each of these causes but its own: accesses are judged anew by it, too */
    double others[LOOK_OTHERS_MOST][BOTTLENECK_CLASS_COUNT];
    size_t other_count;
    size_t likely_count; /* the first of them; behind them what only a mix without a leading cause is told by */
    double fp_tied;            /* samples at arithmetic that go with the quick ones, or don't, by that decision */
    double polled;             /* in loops that wait for what others write: laid at UNKNOWN */
    double behind_calls;       /* of the quick ones: right behind calls, where the function called has just ended */
    /* what it shows isn't its own: the loop that calls it in each turn shows it */
    bool is_along;
    uint32_t hottest[CAUSE_COUNT]; /* row with most samples of each; UINT32_MAX: none */
    struct reach reach;        /* of the hottest access beyond the first cache, else of the hottest access */
    struct touched_memory touched; /* by all of its accesses together */
    uint64_t reach_hits;       /* stalled at that access */
    uint32_t reach_row;        /* … which is this; UINT32_MAX: none */
    /* samples laid at store forwarding for there being few places, not for having been seen */
    double supposed;
    /*
     * laid at the second cache, at loads that wait for no other, in a turn that wasn't measured: what a core has under
     * way meanwhile may take as long
     */
    double overlapped;
    double blocked; /* … for the code showing narrower stores to that place right before */
    /* where samples that stalled at another row waited for what this one loads from afar; UINT32_MAX: none did */
    uint32_t operand_row;
    bool operand_is_tied;      /* … and by its rate the turn may as well take what its own instructions do */
    bool touches_memory;       /* any load or store */
    bool is_prefetched;        /* asks for data ahead by itself */
    /* of loads whose addresses aren't known: by how long a turn takes; NONE: not told */
    enum bottleneck_level paced_level;
    double ruled_out_line_ns;  /* memory in order, walked too slowly to wait for it: so long a line; 0: none is */
    bool walk_is_own_pace;     /* … or as fast as its own instructions allow */
    uint64_t unplaced;         /* samples that stalled at accesses whose addresses aren't known, the stack's left out */
    uint64_t bounded;          /* … of them at look-ups that go no farther than bounded_bytes, by their code */
    double bounded_bytes;      /* at most half of the first cache */
    /* arithmetic holds it up, and by this core's costs neither its units nor a chain take so long */
    bool fp_is_unexplained;
    /* … it may, since most samples stand at one of its instructions and nothing bounds what a turn takes */
    bool fp_is_open;
    /* a chain of results is laid time at, though the loop loads from afar as well and its turn wasn't measured */
    bool chain_is_open;
    struct guesses guesses;
    struct resources resources;
    struct pace pace;
};

/*
 * along: what the loop waits for that calls the region's function in each turn, where the region shows no such cause
 * itself; UNKNOWN: nothing of it.
 */
struct loop_look loop_look_of(const struct bottleneck_request *request, const struct region *region,
                              enum bottleneck_cause along, struct arena *arena);
/* What falls behind its calls waited for wrong guesses of branches of what they call. */
void loop_look_guess_calls(struct loop_look *look);
/* Of a chase whose addresses aren't known, by its pace; NONE: it doesn't tell. */
enum bottleneck_level loop_look_level(const struct loop_look *look);
/*
 * Whether each turn waits longer at a load with that share of its samples than the second cache takes to answer, where
 * what it stands among can't take so long: by its pace and bound, without branches that may be guessed wrong.
 */
bool loop_look_waits_beyond(const struct loop_look *look, double share);
enum bottleneck_cause loop_look_first(const struct loop_look *look);

#endif
