/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/loop_said.h"

#include "analyse/loop/loop_summary.h"
#include "base/cache_line.h"
#include "base/scope.h"
#include "base/vec.h"
#include "finding/finding.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAID_MOST = 3,        /* loops */
    ROWS_MOST = 256,      /* a longer turn is no one thing */
    ACCESSES_SAID = 4,
    WORK_SAID = 4,
    STACK_POINTER = 7,    /* PERF_REG_X86_SP */
    FRAME_POINTER = 6,    /* PERF_REG_X86_BP */
};

static const double LOOP_LEAST = 0.1; /* of the CPU time */

struct hot_loop {
    const struct stall_function *function;
    const struct stall_code *code;
    struct loop_rows rows;
    double samples; /* inner loops left out */
};

struct hot_loops {
    struct hot_loop *items;
    size_t count, capacity;
};

/* Where samples fell: which instruction stalled is no matter within a loop. */
static double samples_at(const struct stall_code *code, uint32_t row)
{
    return code->met ? (double)code->met[row] : (double)code->hits[row];
}

static double own_samples(const struct stall_code *code, struct loop_rows loop)
{
    double sum = 0;
    for (uint32_t row = loop.first; row <= loop.last; row++)
        if (code->loops[row].first == loop.first && code->loops[row].last == loop.last)
            sum += samples_at(code, row);
    return sum;
}

static void loops_gather(struct hot_loops *loops, const struct stalls *stalls)
{
    for (size_t at = 0; stalls->codes && at < stalls->function_count; at++) {
        const struct stall_code *code = &stalls->codes[at];
        bool is_known = !stalls->functions[at].is_kernel && code->count && code->hits && code->loops;
        for (uint32_t row = 0; is_known && row < code->count; row++) {
            struct loop_rows rows = code->loops[row];
            if (rows.first == UINT32_MAX || rows.last != row || rows.last - rows.first >= ROWS_MOST)
                continue;
            double samples = own_samples(code, rows);
            if (samples >= LOOP_LEAST * (double)stalls->sample_count)
                *vec_push(loops) = (struct hot_loop){&stalls->functions[at], code, rows, samples};
        }
    }
}

static int hotter(const void *a, const void *b)
{
    const struct hot_loop *left = a, *right = b;
    return (left->samples < right->samples) - (left->samples > right->samples);
}

static struct loop_summary summary_of(const struct hot_loop *loop, struct arena *arena)
{
    uint64_t frame = UINT64_C(1) << STACK_POINTER | (uint64_t)loop->code->has_frame << FRAME_POINTER;
    double *weights = arena_array(arena, double, loop->code->count + 1);
    for (uint32_t row = 0; row < loop->code->count; row++)
        weights[row] = samples_at(loop->code, row);
    return loop_summary_of(loop->code->items, loop->rows, weights, frame, arena);
}

/* Element behind element, by all of its instructions together. */
static bool is_in_order(const struct loop_access *access)
{
    return access->places && (uint64_t)llabs(access->step) * access->places ==
                                 (uint64_t)access->size_bytes * access->rows;
}

/* First caches of 32 and of 48 KiB have 64 sets of lines. */
static bool meets_one_set(const struct loop_access *access)
{
    enum { SETS_BYTES = 64 * CACHE_LINE_BYTES };
    return access->step && access->step % SETS_BYTES == 0;
}

/* "4-byte elements of 2 arrays in order" */
static void access_print(struct text *out, const struct loop_access *access)
{
    if (access->size_bytes)
        text_printf(out, "%u-byte ", access->size_bytes);
    switch (access->place) {
    case LOOP_PLACE_STEPS:
        if (access->places > 1)
            text_printf(out, "elements of %u arrays", access->places);
        else
            text_add(out, "elements of an array");
        if (is_in_order(access))
            text_add(out, access->step < 0 ? " backwards" : " in order");
        else
            text_printf(out, " in steps of %lld bytes%s", (long long)access->step,
                        meets_one_set(access) ? " (all of them in one set of a first cache of 32 or 48 KiB, which rows "
                                                "padded by a line are not)"
                                              : "");
        break;
    case LOOP_PLACE_LOADED:
        text_add(out, "values at places that what it loaded leads to");
        break;
    case LOOP_PLACE_STAYS:
        text_add(out, "values that stay at their place");
        break;
    case LOOP_PLACE_OTHER:
        text_add(out, "values at places that it computes");
        break;
    }
}

static const char *access_verb(const struct loop_access *access)
{
    return access->is_load && access->is_store ? "updates" : access->is_store ? "writes" : "reads";
}

/* What only stays where it is and is read there is a constant, or would be one in a register. */
static bool is_worth_saying(const struct loop_access *access)
{
    return access->place != LOOP_PLACE_STAYS || access->is_store;
}

/* Reads before updates before writes. */
static size_t accesses_print(struct text *out, const struct loop_summary *summary)
{
    static const char *const verbs[] = {"reads", "updates", "writes"};
    size_t said = 0;
    for (size_t verb = 0; verb < array_count(verbs); verb++) {
        bool is_first = true;
        for (size_t at = 0; at < summary->access_count && said < ACCESSES_SAID; at++) {
            const struct loop_access *access = &summary->accesses[at];
            if (strcmp(access_verb(access), verbs[verb]) != 0 || !is_worth_saying(access))
                continue;
            text_printf(out, "%s%s%s", said ? ", " : "", is_first ? verbs[verb] : "", is_first ? " " : "");
            access_print(out, access);
            is_first = false;
            said++;
        }
    }
    return said;
}

/* %s: "16-bit", or nothing. */
static const char *const work_words[LOOP_WORK_COUNT] = {
    [LOOP_WORK_FP_FUSED] = "fused multiply-adds of floating-point numbers",
    [LOOP_WORK_FP_PRODUCTS] = "products of floating-point numbers",
    [LOOP_WORK_FP_SUMS] = "sums of floating-point numbers",
    [LOOP_WORK_FP_DIVISIONS] = "divisions or roots of floating-point numbers",
    [LOOP_WORK_FP_ORDER] = "comparisons of floating-point numbers",
    [LOOP_WORK_CONVERSIONS] = "conversions between numbers",
    [LOOP_WORK_VECTOR_PRODUCTS] = "products of vectors of %sintegers",
    [LOOP_WORK_VECTOR_DIFFERENCES] = "sums of absolute differences of bytes",
    [LOOP_WORK_VECTOR_SUMS] = "sums or differences of vectors of %sintegers",
    [LOOP_WORK_VECTOR_ABSOLUTES] = "absolute values of vectors of %sintegers",
    [LOOP_WORK_VECTOR_ORDER] = "comparisons of vectors of %sintegers",
    [LOOP_WORK_VECTOR_AVERAGES] = "averages of vectors of %sintegers",
    [LOOP_WORK_VECTOR_SHIFTS] = "shifts of vectors of %sintegers",
    [LOOP_WORK_VECTOR_BITS] = "operations on bits of vectors",
    [LOOP_WORK_SHUFFLES] = "shuffles of vectors",
    [LOOP_WORK_CRYPTO] = "instructions of ciphers, digests or checksums",
    [LOOP_WORK_DIVISIONS] = "divisions of integers",
    [LOOP_WORK_PRODUCTS] = "products of integers",
    [LOOP_WORK_ROTATIONS] = "rotations",
    [LOOP_WORK_SHIFTS] = "shifts",
    [LOOP_WORK_COUNTED_BITS] = "bits counted or found",
    [LOOP_WORK_BITS] = "operations on bits",
    [LOOP_WORK_SUMS] = "sums or differences",
    [LOOP_WORK_CHOICES] = "choices without a branch",
};

static void work_print(struct text *out, const struct loop_summary *summary, enum loop_work work)
{
    scoped_text struct text words = {0};
    char element[16] = "";
    if (summary->element_bits[work])
        snprintf(element, sizeof(element), "%u-bit ", summary->element_bits[work]);
    const char *hole = strstr(work_words[work], "%s");
    if (hole) {
        text_append(&words, work_words[work], (size_t)(hole - work_words[work]));
        text_printf(&words, "%s%s", element, hole + 2);
    }
    text_printf(out, "%s (%u)", hole ? text_string(&words) : work_words[work], summary->work[work]);
}

/* The most frequent, in that order. */
static void works_print(struct text *out, const struct loop_summary *summary, const char *lead)
{
    struct loop_summary left = *summary;
    for (int said = 0; said < WORK_SAID; said++) {
        int best = 0;
        for (int work = 1; work < LOOP_WORK_COUNT; work++)
            best = left.work[work] > left.work[best] ? work : best;
        if (!left.work[best])
            return;
        text_add(out, said ? ", " : lead);
        work_print(out, summary, (enum loop_work)best);
        left.work[best] = 0;
    }
}

static const char *decision_words(const struct loop_summary *summary)
{
    static const char *const words[] = {
        [LOOP_DECIDES_NOTHING] = NULL,
        [LOOP_GOES_ON_WHILE_EQUAL] = "it goes on as long as what it compares with what it loaded is equal",
        [LOOP_GOES_ON_UNTIL_EQUAL] = "it goes on until what it compares with what it loaded is equal",
        [LOOP_ENDS_BY_ORDER] = "it ends by what it loaded being less, or more, than something",
        [LOOP_BRANCHES_WITHIN] = "its way branches on what it loaded",
    };
    return words[summary->decision];
}

/* false: there is nothing to say of it. */
static bool loop_print(struct text *out, const struct hot_loop *loop, const struct stalls *stalls, size_t number,
                       struct arena *arena)
{
    struct loop_summary summary = summary_of(loop, arena);
    scoped_text struct text body = {0};
    size_t accesses = accesses_print(&body, &summary);
    works_print(&body, &summary, accesses ? "; it computes " : "computes ");
    if (!body.length)
        return false;
    text_printf(out, "%s%s loop, in %s (%.0f %% of the CPU time, %u instructions a turn%s), %s", number ? " " : "",
                number ? "The next" : "The hottest", name_for_sentence(loop->function->name, arena),
                loop->samples / (double)stalls->sample_count * 100, summary.instructions,
                summary.has_calls ? " and what they call" : "", text_string(&body));
    if (decision_words(&summary))
        text_printf(out, "; %s", decision_words(&summary));
    text_add_char(out, '.');
    return true;
}

struct loops_said loops_said(const struct results *results, struct arena *arena)
{
    const struct stalls *stalls = results->stalls;
    struct loops_said loops_said = {0};
    if (!stalls || !stalls->sample_count)
        return loops_said;
    struct hot_loops loops = {0};
    loops_gather(&loops, stalls);
    if (loops.count)
        qsort(loops.items, loops.count, sizeof(*loops.items), hotter);
    scoped_text struct text out = {0};
    size_t said = 0;
    for (size_t at = 0; at < loops.count && said < SAID_MOST; at++) {
        if (!loop_print(&out, &loops.items[at], stalls, said, arena))
            continue;
        said++;
        loops_said.share += loops.items[at].samples / (double)stalls->sample_count;
    }
    vec_done(&loops);
    if (said)
        loops_said.sentence = arena_string(arena, text_string(&out));
    return loops_said;
}
