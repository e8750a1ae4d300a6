/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/away_said.h"

#include "analyse/time/time_shares.h"
#include "base/scope.h"
#include "finding/family.h"
#include "finding/verdict/described.h"
#include "finding/verdict/enough.h"
#include "finding/verdict/ruled_out_said.h"
#include "finding/verdict/time_said.h"
#include "finding/verdict/try_next.h"
#include "finding/wording.h"

/* What one that mostly waits does with its CPU time: that is what it could take more with. "": too little to tell. */
static const char *work_beside(const struct findings *findings, const struct results *results, struct arena *arena)
{
    const struct run_time *run = results->run;
    bool enough = results->stalls && results->stalls->sample_count >= ENOUGH_SAMPLES && run->on_cpu_ratio.known &&
                  run->on_cpu_ratio.value >= results->effect && run->cpu_s.known;
    if (!enough)
        return "";
    scoped_text struct text used = {0};
    print_seconds(&used, run->cpu_s.value);
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (finding->verdict == VERDICT_SUPPORTED && finding->of == OF_CPU_TIME && finding->headline &&
            !finding_is_disturbance(finding))
            return arena_printf(arena, " Of its own work beside that (%s of CPU time): %s.", text_string(&used),
                                finding->headline);
    }
    return arena_printf(arena, " Of its own work beside that (%s of CPU time) no cause is certain. %s",
                        text_string(&used), time_said(results, arena));
}

struct overall overall_waits(const struct finding *waiting, const struct findings *findings,
                             const struct results *results, struct arena *arena)
{
    const char *headline = sentence_case(arena, waiting->headline ? waiting->headline : "it waits");
    bool by_child = waiting_is_for_busy_process(results);
    return (struct overall){
        .kind = OVERALL_WAITS,
        .culprit = waiting,
        .sentence = arena_printf(arena, "%s: this is not a CPU problem%s.%s", headline, by_child ? " of its own" : "",
                                 work_beside(findings, results, arena)),
        .ruled_out = ruled_out_said(findings, results->effect, arena),
    };
}

bool is_mostly_away(const struct results *results)
{
    static const double MOSTLY = 0.5;
    const struct run_time *run = results->run;
    if (!run || !run->from_switches || !run->wanted_ratio.known)
        return false;
    struct time_shares shares = time_shares_of(run, results->activity, results->waits);
    return run->wanted_ratio.value < MOSTLY * (shares.known ? 1 - shares.held.mid : 1);
}

/* What it waits for itself comes first where that is more, or may be: each such wait is one to be ready after, too. */
static bool leads_asleep(const struct finding *waiting, const struct finding *others)
{
    if (!waiting || !waiting->recoverable.known)
        return false;
    bool may_be_more = waiting->verdict == VERDICT_SUPPORTED && waiting->recoverable.high > others->recoverable.low;
    return waiting->recoverable.mid > others->recoverable.mid || may_be_more;
}

struct overall overall_away(const struct finding *waiting, const struct findings *findings,
                            const struct results *results, struct arena *arena)
{
    const struct run_time *run = results->run;
    const struct finding *others = findings_find(findings, "oversubscribed");
    bool held = others && others->recoverable.known && others->recoverable.high >= results->effect;
    scoped_text struct text sentence = {0};
    text_printf(&sentence, "It ran in %.3g %% of the elapsed time only: the rest began when it went to wait",
                run->on_cpu_ratio.value * 100);
    if (results->waits && results->waits->count && results->waits->items[0].kind != WAIT_UNKNOWN)
        text_printf(&sentence, ", mostly (%s) in %s", wait_kind_name(results->waits->items[0].kind),
                    waiting_place(&results->waits->items[0], arena));
    if (held) {
        /* The table's figure: what others may have cost beside that isn't of this time. */
        struct time_shares shares = time_shares_of(run, results->activity, results->waits);
        struct value share = VALUE_SHARE("", shares.known ? shares.ready : others->recoverable);
        text_printf(&sentence, ". Once what it waited for had come, it %s ready and others held the CPUs in ",
                    share.number.low >= results->effect ? "was" : "may have been");
        value_print(&sentence, &share);
        text_add(&sentence, " of the elapsed time");
    }
    text_printf(&sentence, ": what it waits for, and who else runs, matter before its code.%s",
                work_beside(findings, results, arena));
    bool by_others = held && others->verdict == VERDICT_SUPPORTED && !leads_asleep(waiting, others);
    struct overall overall = {
        .kind = OVERALL_WAITS,
        .culprit = by_others ? others : waiting,
        .disturbance = by_others ? others : NULL,
        .sentence = arena_string(arena, text_string(&sentence)),
        .ruled_out = ruled_out_said(findings, results->effect, arena),
    };
    if (by_others && waiting && waiting->verdict == VERDICT_SUPPORTED && waiting->advice_count)
        advise(&overall, waiting->advice[0]);
    if (!by_others && held && others->verdict == VERDICT_SUPPORTED && others->advice_count)
        advise(&overall, others->advice[0]);
    return overall;
}
