/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/enough.h"

#include "finding/verdict/ended_said.h"
#include "finding/wording.h"

#include <math.h>

bool is_too_short(const struct results *results)
{
    const struct run_time *run = results->run;
    const struct stalls *stalls = results->stalls;
    if (stalls && stalls->sample_count < ENOUGH_SAMPLES)
        return true;
    return run && run->cpu_s.known && run->cpu_s.value < ENOUGH_CPU_S;
}

bool is_unseen(const struct results *results)
{
    static const double SEEN_LEAST = 0.1;
    const struct run_time *run = results->run;
    const struct stalls *stalls = results->stalls;
    if (!stalls || stalls->sample_count >= ENOUGH_SAMPLES || !run || run->scope != RUN_STARTED || !run->cpu_s.known ||
        run->cpu_s.value < ENOUGH_CPU_S)
        return false;
    /* Samples by cycles stand for no time: few of them may be a low rate. */
    return !stalls->sample_count || (stalls->cpu_s > 0 && stalls->cpu_s < SEEN_LEAST * run->cpu_s.value);
}

const char *enough_longer(const struct results *results, struct arena *arena)
{
    enum { RUNS_MOST = 1000 };
    const struct run_time *run = results->run;
    if (is_unseen(results))
        return wording_find("verdict", "next-unseen");
    if (ended_by_signal(results))
        return ended_next(results);
    if (results->exit_status && !results->cut)
        return verdict_words(arena, "next-failed",
                             VALUE_TEXT("status", arena_printf(arena, "%d", results->exit_status)));
    if (left_behind(results))
        return verdict_words(arena, "next-left",
                             VALUE_TEXT("pid", arena_printf(arena, "%u", left_behind(results)->left_pid)));
    if (results->cut && run && run->scope == RUN_STARTED)
        return "let it run longer, to its end if that comes: it was ended early";
    if (!run || run->scope != RUN_STARTED)
        return "a longer --duration, or watch it while it has work to do";
    double cpu_s = run->cpu_s.known ? run->cpu_s.value : 0;
    double samples = results->stalls ? (double)results->stalls->sample_count : ENOUGH_SAMPLES;
    double by_time = cpu_s > 0 ? ENOUGH_CPU_S / cpu_s : RUNS_MOST,
           by_samples = samples > 0 ? ENOUGH_SAMPLES / samples : by_time;
    double runs = ceil(1.5 * (by_time > by_samples ? by_time : by_samples)); /* runs differ */
    if (results->runs && results->runs->count > 1)
        runs *= (double)results->runs->count;
    if (runs > RUNS_MOST)
        return "a larger input; even many runs of it have too little CPU time to diagnose";
    return arena_printf(arena, "--runs %.0f -- CMD, which gathers many runs, or a larger input", runs < 2 ? 2 : runs);
}
