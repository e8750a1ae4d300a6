/* SPDX-License-Identifier: GPL-3.0-or-later */
/* At which figures the rules of the estimate turn, all in one place, each with its reason. */
#ifndef PLUMB_ANALYSE_BOTTLENECK_THRESHOLDS_H
#define PLUMB_ANALYSE_BOTTLENECK_THRESHOLDS_H

struct bottleneck_thresholds {
    double samples_least;      /* below it shares are wider than the distance between classes */
    double samples_high;       /* HIGH takes so many: shares within 4 points */
    double paced_share;        /* of the samples, for a rate of its own */
    /* measured against the bound: it is what the loop takes; clock and costs are within a quarter */
    double bound_met;
    /* of two bounds of a turn: nearer ones change places with what neighbours leave of the core */
    double bound_apart;
    /*
     * the chain of code once through against all else it takes: neighbours leave two thirds of a core at worst, and its
     * results come after as many cycles all the same
     */
    double straight_apart;
    double bound_missed;       /* something else takes nearly half of the time */
    /* cycles a chased load takes beyond a hit of the first cache: within noise and issue, it was one */
    double paced_first;
    double paced_second;       /* … of the second cache, which answers 9 to 12 cycles later; twice that at most */
    double paced_beyond;       /* … beyond both: third caches take 30 more at least */
    /* … and so many times the turn's bound: neighbours on its core leave it half, its costs are in doubt by half */
    double paced_over;
    double loop_share_least;   /* smaller loops are their function's business */
    double leading_least;      /* of the samples laid at a cause: no smaller part speaks for all of them */
    double set_over_cache;     /* working sets are known within a factor of two at worst, 1.5 mostly */
    double l2_over_cache;      /* beyond so many times the second level most accesses leave it */
    double tlb_page_line;      /* pages touched per line touched: 64 at most, 1 for dense data */
    double tlb_pages_bytes;    /* what a second-level TLB of 1536 entries holds of 4 KiB pages */
    double lead;               /* a class leads when the next has less than that share of it */
    double class_least;        /* of the samples that could be told, for a class at all */
    double class_high;         /* … and for HIGH */
    double rival_high;         /* of it, a second class, and HIGH isn't for the first */
    /* … of which its confirmed cause alone is most of the time: what else may be said of the rest, it leads */
    double cause_high;
    double even_least;         /* wrong guesses restart retirement anywhere: samples fall on most instructions */
    double even_most;          /* a loop that always goes the same way retires in the same groups: on few */
    double landing_enrichment; /* samples where a wrong guess would show, against as many instructions elsewhere */
    double even_both;          /* enough when a branch goes both ways about as often */
    double both_ways_even;
    double both_ways;          /* the rarer way of a branch against the other: a direction that changes */
    /*
     * … where wrong guesses show apart: ends of loops of one length show 0.15 and few samples at most, of random ones
     * 0.15 to 0.5
     */
    double both_ways_behind;
    double table_share;        /* of samples around jumps through tables and calls through registers */
    /*
     * … where the wait is for their targets: well-guessed ones show a third or less, since each is an instruction of a
     * few
     */
    double table_guessed;
    /* … on processors where a wrong guess shows apart from what retires in step: a tenth is no chance */
    double table_restarts;
    double landing_restarts;   /* … a quarter at branches' ways, */
    double restarts_enrichment; /* … so many times as densely as on other instructions, */
    /* … at ways whose first instruction can't wait by itself, for HIGH: retirement in step puts none there */
    double sure_enrichment;
    double even_restarts;      /* … and samples on more than a single wait */
    /* issue takes so much of the time of a turn that other units take: most slots are used, which is busy */
    double issue_busy;
    double landing_least;      /* of all samples: fewer can't be what holds the loop up */
    /* of samples within 8 bytes of where a code line begins: 0.25 if evenly, 0.9 seen where code misses */
    double front_line_share;
    double front_flat_share;   /* … where so much code is hot that it can't be in the nearest cache */
    double front_flat_bytes;
    double front_placed_least; /* of samples in known code: with fewer they speak for no others */
    /* of instructions: with more that code could come in at, none are left to compare with */
    double front_starts_most;
    double front_starts_many;  /* … and with so many the comparison shows only a part: it rests on the few between */
    /* code used so evenly as if it were so many nearest caches of it: two of three lines met are gone when met again */
    double front_even_caches;
    /* of the time that waiting for code takes, samples where it comes in show so much: mean of 12 programs */
    double front_shown;
    double front_shown_least;  /* … and of the worst (small instructions in a row; a jump every six) */
    double front_waited_least; /* of the CPU time: less was seen where all code was near (0.06) */
    /* for HIGH: four times the nearest cache, the estimate being true within a factor of two */
    double front_high_bytes;
    /* … most of it in known code: of thousands of functions the few with known code aren't any few */
    double front_high_placed;
    double front_high_waited;  /* … and at least half of the time shown to go so, before what is not shown is added */
    double front_addresses;    /* distinct hot instructions, for there to be misses of code at all */
    double front_bytes;        /* the nearest cache for code of every core in use */
    double walk_agreeing;      /* of neighbouring samples that agree on a speed: a walk in order */
    /* … that go one way, by an eighth of it all at most: half of that by chance is 1 in 16 */
    double walk_drifting;
    double walk_scattered;     /* of those on one speed at most, and … */
    double walk_undirected;    /* … going one way at most, though … */
    /* … the memory is so many times what the fastest walk passes between two of them: no walk */
    double walk_neighbourhood;
    double walk_line_ns;       /* slower a line than that, no memory keeps a walk in order waiting (slowest seen: 12) */
    double walk_own_line_ns;   /* the same, by a rate without what samples take: twice the slowest seen */
    /* a stream's bandwidth, others there, against what one core reads alone: a third at worst */
    double walk_contention;
    /* of what one core reads alone: a walk by addresses that it loads goes no slower for waiting for them */
    double walk_outruns;
    /* of neighbouring samples some whole steps apart, for a walk from row to row: a quarter are by chance */
    double walk_stepping;
    /* what lies beyond the second cache comes so many times as fast from a third one as from memory, at most */
    double walk_fastest;
    /* of samples: quick ones in small pieces, that only all of them together tell something of */
    double small_most;
    double stepped_high;       /* of the time, shown at least by what ran: with what samples show that is two proofs */
    /* of a loop's samples, waiting for memory: more than what retirement in step leaves at one access */
    double operands_least;
    /* of a loop's samples, at one arithmetic instruction: retirement in step leaves half there at most */
    double fp_one_place;
    /*
     * of two bounds of a turn, for HIGH: costs of the tables are half as much again in doubt, what neighbours leave of
     * a core a third
     */
    double alike_apart;
    /* of a loop's samples, at loads from looked-up places: fewer decide nothing that takes long */
    double alike_looked_up;
    /* of user samples that a loop must hold, where what falls behind its end may be wrong guesses */
    double alike_held;
    /* of a loop's loads, across two lines: fewer are chance of what isn't aligned */
    double split_least;
    double off_cpu_most;       /* above it the wait is the problem */
    double blind_most;         /* of samples that could not be told */
};

static const struct bottleneck_thresholds bottleneck_thresholds = {
    .samples_least = 100,
    .samples_high = 500,
    .paced_share = 0.05,
    .bound_met = 1.3,
    .bound_apart = 1.25,
    .straight_apart = 1.5,
    .bound_missed = 1.8,
    .paced_first = 2,
    .paced_second = 7,
    .paced_beyond = 25,
    .paced_over = 3,
    .loop_share_least = 0.02,
    .leading_least = 0.1,
    .set_over_cache = 1.4,
    .l2_over_cache = 1.0,
    .tlb_page_line = 16,
    .tlb_pages_bytes = 6 << 20,
    .lead = 0.6,
    .class_least = 0.4,
    .class_high = 0.7,
    .rival_high = 0.25,
    .cause_high = 0.5,
    .even_least = 0.6,
    .even_most = 0.45,
    .landing_enrichment = 1.3,
    .even_both = 0.4,
    .both_ways_even = 0.4,
    .both_ways = 0.25,
    .both_ways_behind = 0.1,
    .table_share = 0.25,
    .table_guessed = 0.4,
    .table_restarts = 0.1,
    .landing_restarts = 0.25,
    .restarts_enrichment = 2.2,
    .sure_enrichment = 1.8,
    .even_restarts = 0.1,
    .issue_busy = 0.6,
    .landing_least = 0.1,
    .front_line_share = 0.45,
    .front_flat_share = 0.32,
    .front_flat_bytes = 128 << 10,
    .front_placed_least = 0.05,
    .front_starts_most = 0.8,
    .front_starts_many = 0.65,
    .front_even_caches = 3,
    .front_shown = 0.73,
    .front_shown_least = 0.45,
    .front_waited_least = 0.08,
    .front_high_bytes = 128 << 10,
    .front_high_placed = 0.2,
    .front_high_waited = 0.5,
    .front_addresses = 100,
    .front_bytes = 32768,
    .walk_agreeing = 0.6,
    .walk_drifting = 0.75,
    .walk_scattered = 0.3,
    .walk_undirected = 0.5,
    .walk_neighbourhood = 8,
    .walk_line_ns = 40,
    .walk_own_line_ns = 25,
    .walk_contention = 3,
    .walk_outruns = 0.5,
    .walk_stepping = 0.7,
    .walk_fastest = 4,
    .small_most = 0.25,
    .stepped_high = 0.25,
    .operands_least = 0.25,
    .fp_one_place = 0.7,
    .alike_apart = 2,
    .alike_looked_up = 0.05,
    .alike_held = 0.85,
    .split_least = 0.25,
    .off_cpu_most = 0.5,
    .blind_most = 0.5,
};

#endif
