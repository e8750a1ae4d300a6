/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How well can this code's branches be guessed, and how much code is it? From bursts of instructions as they ran.
 *
 * Rates are per 1000 instructions. A burst begins with a predictor that has learnt only from the bursts before, and
 * with nothing known of the caches, so each rate is an interval: its lower end leaves out what such a beginning
 * explains, its upper end counts all of it. Instruction-cache misses are those of a least-recently-used cache: a line
 * met for the first time is a miss for certain once the burst has met a cache full of others, before that it is open,
 * unless all code met so far fits. Does not support: time (a rate says nothing of what a miss costs), prefetching of
 * code, the micro-op cache.
 */
#ifndef PLUMB_ANALYSE_TRACE_TRACE_SUMMARY_H
#define PLUMB_ANALYSE_TRACE_TRACE_SUMMARY_H

#include "base/error.h"
#include "base/json/json_reader.h"
#include "base/json/json_writer.h"
#include "statistics/interval.h"
#include "symbol/disassembly.h"
#include "system/instruction_trace.h"

struct branch_rate {
    uint64_t executed, wrong; /* all, as simulated */
    uint64_t warm, warm_wrong; /* of branches that had been met often enough to be learnt */
    struct interval per_1000; /* wrong guesses per 1000 instructions; not known: none was executed and nothing said */
};

struct trace_summary {
    uint64_t bursts, instructions, distinct_instructions;
    uint64_t undecoded; /* bytes that are no instruction, to us */
    struct branch_rate conditional, indirect, returns, all;
    bool still_learning; /* guesses still got better: a longer look would find fewer wrong ones */
    uint64_t taken;      /* branches that went elsewhere, jumps, calls and returns */
    uint64_t code_lines, code_pages;          /* distinct, over all bursts */
    double lines_per_1000, pages_per_1000;    /* distinct ones in 1000 instructions */
    struct interval line_misses, page_misses; /* per 1000 instructions, of code_cache_lines and of code_tlb_pages */
    uint32_t cache_lines, tlb_pages;          /* that these are for */
    uint64_t worst_ip;                        /* the branch with most wrong guesses; 0: none */
    double worst_share;                       /* of all wrong guesses */
    /* the hottest loop: where it begins, how often it turned and was entered; 0 turns: none was met */
    uint64_t loop_ip, loop_turns, loop_entries;
    double loop_share; /* its part of the instructions */
    uint64_t class_counts[INSTRUCTION_CLASS_COUNT];
};

struct trace_study;

/* cache_lines: 64-byte lines of the first-level instruction cache; tlb_pages: entries of its translation buffer. */
MUST_CHECK bool trace_study_new(struct trace_study **ret_study, const char *architecture, uint32_t cache_lines,
                                uint32_t tlb_pages, struct error *err);
void trace_study_free(struct trace_study *study);
/* One burst more; they come in the order of time. */
void trace_study_add(struct trace_study *study, const struct instruction_trace *trace);
void trace_study_result(const struct trace_study *study, struct trace_summary *ret_summary);

/* As the member key of an object. */
void trace_summary_write(struct json_writer *json, const char *key, const struct trace_summary *summary);
/* False: it isn't one. */
bool trace_summary_read(struct trace_summary *ret_summary, struct json_value value);

#endif
