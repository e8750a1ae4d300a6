/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/overall.h"

#include "base/scope.h"
#include "base/vec.h"
#include "finding/counted.h"
#include "finding/cpu/dispatch.h"
#include "finding/family.h"
#include "finding/imported/leaf.h"
#include "finding/maker.h"
#include "finding/verdict/attached_said.h"
#include "finding/verdict/binaries.h"
#include "finding/verdict/callers.h"
#include "finding/verdict/ended_said.h"
#include "finding/verdict/few_samples.h"
#include "finding/verdict/generated_said.h"
#include "finding/verdict/leading.h"
#include "finding/verdict/loading_said.h"
#include "finding/verdict/loop_said.h"
#include "finding/verdict/operations_said.h"
#include "finding/verdict/open_said.h"
#include "finding/verdict/parts.h"
#include "finding/verdict/programs.h"
#include "finding/verdict/time_said.h"
#include "finding/verdict/told_beside.h"
#include "finding/verdict/weighing.h"
#include "finding/verdict/work_named.h"
#include "finding/wording.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { NAMED_MOST = 6 }; /* causes named as ruled out in the verdict; the list has them all */

const char *overall_kind_name(enum overall_kind kind)
{
    static const char *const names[] = {"culprit", "waits", "too_short", "nothing", "blind", "estimated"};
    return names[kind];
}

static const char *ruled_out_of(const struct findings *findings, double effect, struct arena *arena)
{
    scoped_text struct text out = {0};
    size_t count = 0;
    for (size_t at = 0; at < findings->count; at++) {
        if (findings->items[at].verdict != VERDICT_RULED_OUT || findings->items[at].by_trial)
            continue;
        if (count < NAMED_MOST)
            text_printf(&out, "%s%s", count ? ", " : "", findings->items[at].hypothesis->title);
        count++;
    }
    if (count > NAMED_MOST)
        text_printf(&out, " and %zu more", count - NAMED_MOST);
    if (count)
        text_printf(&out, count > 1 ? ", each bounded below %.3g %%" : ", bounded below %.3g %%", effect * 100);
    size_t tried = 0;
    for (size_t at = 0; at < findings->count; at++)
        if (findings->items[at].verdict == VERDICT_RULED_OUT && findings->items[at].by_trial)
            text_printf(&out, "%s%s",
                        tried++ ? ", "
                        : count ? "; by a trial without them: "
                                : "by a trial without them: ",
                        findings->items[at].hypothesis->title);
    if (!count && !tried)
        return NULL;
    return arena_string(arena, text_string(&out));
}

static bool is_too_short(const struct results *results)
{
    const struct run_time *run = results->run;
    const struct stalls *stalls = results->stalls;
    if (stalls && stalls->sample_count < OVERALL_SAMPLES_LEAST)
        return true;
    return run && run->cpu_s.known && run->cpu_s.value < OVERALL_CPU_S_LEAST;
}

/*
 * It used its CPU time out of our sight: at the exec of a program that its user may not read, or that is setuid, the
 * kernel takes the events away. Nothing longer would show more.
 */
static bool is_unseen(const struct results *results)
{
    static const double SEEN_LEAST = 0.1;
    const struct run_time *run = results->run;
    const struct stalls *stalls = results->stalls;
    if (!stalls || stalls->sample_count >= OVERALL_SAMPLES_LEAST || !run || run->scope != RUN_STARTED ||
        !run->cpu_s.known || run->cpu_s.value < OVERALL_CPU_S_LEAST)
        return false;
    /* Samples by cycles stand for no time: few of them may be a low rate. */
    return !stalls->sample_count || (stalls->cpu_s > 0 && stalls->cpu_s < SEEN_LEAST * run->cpu_s.value);
}

const char *overall_longer(const struct results *results, struct arena *arena)
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
    double samples = results->stalls ? (double)results->stalls->sample_count : OVERALL_SAMPLES_LEAST;
    double by_time = cpu_s > 0 ? OVERALL_CPU_S_LEAST / cpu_s : RUNS_MOST,
           by_samples = samples > 0 ? OVERALL_SAMPLES_LEAST / samples : by_time;
    double runs = ceil(1.5 * (by_time > by_samples ? by_time : by_samples)); /* runs differ */
    if (results->runs && results->runs->count > 1)
        runs *= (double)results->runs->count;
    if (runs > RUNS_MOST)
        return "a larger input; even many runs of it have too little CPU time to diagnose";
    return arena_printf(arena, "--runs %.0f -- CMD, which gathers many runs, or a larger input", runs < 2 ? 2 : runs);
}

static const struct finding *finding_named(const struct findings *findings, const char *id)
{
    for (size_t at = 0; at < findings->count; at++)
        if (strcmp(findings->items[at].hypothesis->id, id) == 0)
            return &findings->items[at];
    return NULL;
}

static const char *sentence_case(struct arena *arena, const char *text)
{
    /* A name at the start keeps its case; only our own words are raised. */
    static const char *const own[] = {"it ",       "a ",        "an ",          "threads ",    "wrongly ",
                                      "page ",     "system ",   "interpreted ", "allocating ", "copying ",
                                      "starting ", "spinning ", "interrupts ",  "more ",       "the ",
                                      "many ",     "garbage ",  "machine ",     "locking ",    "others "};
    char *copy = arena_string(arena, text);
    for (size_t at = 0; at < sizeof(own) / sizeof(own[0]); at++)
        if (strncmp(text, own[at], strlen(own[at])) == 0)
            copy[0] = (char)toupper((unsigned char)copy[0]);
    return copy;
}

static const char *describe_as(const struct finding *finding, const char *headline, struct arena *arena)
{
    if (finding->gain_unmeasured || !finding->recoverable.known)
        return arena_printf(arena, "%s.", headline);
    scoped_text struct text gain = {0};
    struct value share = VALUE_SHARE("", finding->recoverable);
    value_print(&gain, &share);
    if (finding->of_seconds > 0) {
        struct value seconds = VALUE_SECONDS("", interval_scaled(finding->recoverable, finding->of_seconds));
        text_add(&gain, " (");
        value_print(&gain, &seconds);
        text_add_char(&gain, ')');
    }
    const char *returner = finding->returner ? finding->returner : "removing that";
    return arena_printf(arena, "%s. %c%s would return %s of the %s.", headline, toupper((unsigned char)returner[0]),
                        returner + 1, text_string(&gain), denominator_name(finding->of));
}

static const char *capitalised(const char *text, struct arena *arena)
{
    return arena_printf(arena, "%c%s", toupper((unsigned char)text[0]), text + 1);
}

static const char *describe(const struct finding *finding, struct arena *arena)
{
    const char *title = finding->hypothesis->title, *headline = finding->headline ? finding->headline : title;
    bool is_title = strncmp(headline, title, strlen(title)) == 0;
    return describe_as(finding, is_title ? capitalised(headline, arena) : sentence_case(arena, headline), arena);
}

/* Somebody else's doing is said beside what the program itself could change, from here on. */
static const double DISTURBANCE_SAID = 0.2;

static struct overall with_sentence(struct overall overall, const char *sentence, struct arena *arena)
{
    if (sentence)
        overall.sentence = arena_printf(arena, "%s %s", overall.sentence, sentence);
    return overall;
}

/* What the time is called for, and which programs, or else which binaries, took it. */
static struct overall with_parts(struct overall overall, const struct results *results, struct arena *arena)
{
    const char *programs = programs_said(results, arena);
    overall = with_sentence(overall, generated_said(results, arena).sentence, arena);
    overall = with_sentence(overall, loading_said(results, arena), arena);
    overall = with_sentence(overall, parts_said(results, arena), arena);
    overall = with_sentence(overall, told_beside(results, overall.sentence, arena), arena);
    return with_sentence(overall, programs ? programs : binaries_said(results, arena), arena);
}

/* Who calls the hot function or, where none is hot, what the time is called for. */
static struct overall with_callers(struct overall overall, const struct results *results, struct arena *arena)
{
    return with_parts(with_sentence(overall, callers_said(results, overall.sentence, arena), arena), results, arena);
}

static struct overall with_disturbance(struct overall overall, const struct findings *findings, struct arena *arena)
{
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (finding->verdict != VERDICT_SUPPORTED || !finding_is_disturbance(finding) ||
            finding->recoverable.low < DISTURBANCE_SAID)
            continue;
        overall.disturbance = finding;
        overall.sentence = arena_printf(arena, "%s Beside that, %s.", overall.sentence, finding->headline);
        break;
    }
    return overall;
}

static void advise(struct overall *overall, const char *text)
{
    if (overall->advice_count < array_count(overall->advice))
        overall->advice[overall->advice_count++] = text;
}

static const struct finding *finding_of_cause(const struct findings *findings, enum bottleneck_cause cause)
{
    for (size_t at = 0; at < findings->count; at++)
        if (findings->items[at].hypothesis->causes & CAUSE_BIT(cause) &&
            findings->items[at].verdict == VERDICT_UNDECIDED)
            return &findings->items[at];
    return NULL;
}

static void advise_on_estimated(struct overall *overall, const struct findings *findings, const struct results *results,
                                struct arena *arena)
{
    bool is_beside = overall->culprit && estimated_beside(overall->culprit, findings, results, arena);
    if (!is_beside && !(overall->culprit_is_small && estimated_words(results->bottleneck, ESTIMATE_LOW)))
        return;
    const struct finding *open = finding_of_cause(findings, results->bottleneck->program.cause);
    if (open && open->advice_count)
        advise(overall, arena_printf(arena, "of %s: %s", open->hypothesis->title, open->advice[0]));
}

static const char *with_what_is_open(const char *sentence, const struct finding *culprit,
                                     const struct findings *findings, const struct results *results,
                                     struct arena *arena)
{
    const struct stall_function *hottest =
        results->stalls && results->stalls->function_count ? &results->stalls->functions[0] : NULL;
    const struct finding *larger = far_larger(culprit, findings),
                         *like = larger ? NULL : like_weight(culprit, findings);
    if (like)
        return arena_printf(arena, "%s Of like weight: %s. Both may hold the same time: they don't add up.", sentence,
                            like->headline);
    if (larger && !larger->gain_unmeasured)
        return arena_printf(arena, "%s More would come from another remedy: %s", sentence,
                            describe_as(larger, larger->headline, arena));
    if (larger)
        return arena_printf(arena, "%s Larger still, but with a gain that isn't measured: %s.", sentence,
                            larger->headline);
    const char *estimated = estimated_beside(culprit, findings, results, arena);
    if (estimated)
        return arena_printf(arena, "%s %s", sentence, estimated);
    if (!hottest || !(is_small(culprit) || leaves_most(culprit)))
        return sentence;
    return arena_printf(arena, "%s %s%s", sentence, time_said(results, arena),
                        is_small(culprit) ? open_said(findings, results, arena) : "");
}

/* Its share stands in its headline; not all of that need be what its removal returns. */
static const char *seconds_returned(const struct finding *finding, struct arena *arena)
{
    if (finding->gain_unmeasured || !finding->recoverable.known || finding->of_seconds <= 0)
        return "";
    scoped_text struct text out = {0};
    struct value seconds = VALUE_SECONDS("", interval_scaled(finding->recoverable, finding->of_seconds));
    value_print(&out, &seconds);
    return arena_printf(arena, "; %s would return %s", finding->returner ? finding->returner : "removing that",
                        text_string(&out));
}

/* A small cause, or the lesser one: first where the time goes, then that cause, as what it is. */
static const char *describe_tiny(const struct finding *culprit, const struct findings *findings,
                                 const struct results *results, struct arena *arena)
{
    const struct finding *larger = far_larger(culprit, findings);
    const char *which = larger             ? "What is sure to return something is small"
                        : is_tiny(culprit) ? "What is certain is small"
                                           : "What is certain is less";
    const char *what = culprit->headline ? culprit->headline : culprit->hypothesis->title;
    const char *cause = arena_printf(arena, "%s: %s%s.", which, what, seconds_returned(culprit, arena));
    const char *goes = time_said(results, arena);
    if (larger)
        return arena_printf(arena, "%s%s%s. %s", goes, goes[0] ? " " : "", sentence_case(arena, larger->headline),
                            cause);
    return arena_printf(arena, "%s%s%s%s", goes, goes[0] ? " " : "", cause, open_said(findings, results, arena));
}

/* What one that mostly waits does with its CPU time: that is what it could take more with. "": too little to tell. */
static const char *work_beside(const struct findings *findings, const struct results *results, struct arena *arena)
{
    const struct run_time *run = results->run;
    bool enough = results->stalls && results->stalls->sample_count >= OVERALL_SAMPLES_LEAST &&
                  run->on_cpu_ratio.known && run->on_cpu_ratio.value >= results->effect && run->cpu_s.known;
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

static struct overall overall_waits(const struct finding *waiting, const struct findings *findings,
                                    const struct results *results, struct arena *arena)
{
    const char *headline = sentence_case(arena, waiting->headline ? waiting->headline : "it waits");
    bool by_child = waiting_is_for_busy_process(results);
    return (struct overall){
        .kind = OVERALL_WAITS,
        .culprit = waiting,
        .sentence = arena_printf(arena, "%s: this is not a CPU problem%s.%s", headline, by_child ? " of its own" : "",
                                 work_beside(findings, results, arena)),
        .ruled_out = ruled_out_of(findings, results->effect, arena),
    };
}

/*
 * It went to sleep by itself for most of the time, and whether it then slept or was ready again and others held the
 * CPUs is another question: in both cases a share of its little CPU time is no answer to why it takes so long.
 */
static const double MOSTLY = 0.5;

static bool is_mostly_away(const struct results *results)
{
    const struct run_time *run = results->run;
    if (!run || !run->from_switches || !run->wanted_ratio.known)
        return false;
    struct time_shares shares = time_shares_of(run, results->activity, results->waits);
    return run->wanted_ratio.value < MOSTLY * (shares.known ? 1 - shares.held.mid : 1);
}

static struct overall overall_away(const struct finding *waiting, const struct findings *findings,
                                   const struct results *results, struct arena *arena)
{
    const struct run_time *run = results->run;
    const struct finding *others = finding_named(findings, "oversubscribed");
    bool held = others && others->recoverable.known && others->recoverable.high >= results->effect;
    scoped_text struct text sentence = {0};
    text_printf(&sentence, "It ran in %.3g %% of the elapsed time only: the rest began when it went to wait",
                run->on_cpu_ratio.value * 100);
    if (results->waits && results->waits->count && results->waits->items[0].kind != WAIT_UNKNOWN)
        text_printf(&sentence, ", mostly (%s) in %s", wait_kind_name(results->waits->items[0].kind),
                    waiting_place(&results->waits->items[0], arena));
    if (held) {
        struct value share = VALUE_SHARE("", others->recoverable);
        text_add(&sentence, ". Once what it waited for had come, it was ready and others held the CPUs in ");
        value_print(&sentence, &share);
        text_add(&sentence, " of the elapsed time");
    }
    text_printf(&sentence, ": this is not a CPU problem of its code.%s", work_beside(findings, results, arena));
    /* What it waits for itself comes first where that is more. */
    bool asleep = waiting && waiting->recoverable.known && held && waiting->recoverable.mid > others->recoverable.mid;
    bool by_others = held && others->verdict == VERDICT_SUPPORTED && !asleep;
    struct overall overall = {
        .kind = OVERALL_WAITS,
        .culprit = by_others ? others : waiting,
        .disturbance = by_others ? others : NULL,
        .sentence = arena_string(arena, text_string(&sentence)),
        .ruled_out = ruled_out_of(findings, results->effect, arena),
    };
    if (by_others && waiting && waiting->verdict == VERDICT_SUPPORTED && waiting->advice_count)
        advise(&overall, waiting->advice[0]);
    return overall;
}

/*
 * What its code does: by its hottest loops, by instructions of one purpose where these are less than half of it. A
 * large cause stands alone but for code without a name, which nobody can look up.
 */
static struct overall with_operations(struct overall overall, const struct results *results, bool is_answered,
                                      struct arena *arena)
{
    static const double MOST = 0.5;
    const struct stalls *stalls = results->stalls;
    bool is_nameless = stalls && stalls->function_count && function_is_nameless(&stalls->functions[0]);
    if (is_answered && !is_nameless)
        return overall;
    struct loops_said loops = loops_said(results, arena);
    overall.loops = loops.sentence;
    bool is_told = loops.share >= MOST || (is_answered && loops.sentence);
    return is_told ? overall : with_sentence(overall, operations_said(results, arena), arena);
}

/* An interpreter's own loops are nothing that who wrote the script could change. */
static bool is_of_script(const struct overall *overall)
{
    return overall->culprit && !overall->culprit_is_small && overall->culprit->hypothesis == &hypothesis_interpreter;
}

/* What it is at says more than a small cause, or one whose removal returns nobody knows what. */
static struct overall with_work(struct overall overall, const struct results *results, struct arena *arena)
{
    const struct finding *culprit = overall.culprit;
    bool is_large = culprit && !is_small(culprit);
    if (is_large && !culprit->gain_unmeasured)
        return with_operations(overall, results, true, arena);
    struct work_named work = work_named_of(results, arena);
    if (work.sentence)
        overall.sentence = arena_printf(arena, "%s %s", work.is_most ? work.sentence : overall.sentence,
                                        work.is_most ? overall.sentence : work.sentence);
    for (size_t at = 0; at < array_count(work.advice) && work.advice[at]; at++)
        advise(&overall, work.advice[at]);
    return work.is_most || is_of_script(&overall) ? overall : with_operations(overall, results, is_large, arena);
}

static void advise_on_samples(struct overall *overall, const struct results *results, struct arena *arena)
{
    const char *advice = few_samples_advice(results, arena);
    if (advice)
        advise(overall, advice);
}

/* Whatever the cause: what has no name, nobody finds in the source. */
static void advise_on_names(struct overall *overall, const struct results *results, struct arena *arena)
{
    struct generated_said generated = generated_said(results, arena);
    if (generated.advice)
        advise(overall, generated.advice);
}

/* NULL: nothing open has much laid at it. */
static void advise_on_open(struct overall *overall, const struct finding *lead, struct arena *arena)
{
    if (lead && lead->remedy)
        advise(overall, verdict_words(arena, "next-open", VALUE_TEXT("cause", lead->hypothesis->title),
                                      VALUE_TEXT("remedy", lead->remedy)));
}

/* A distribution builds for the oldest processor: much time in narrow vectors is time of that choice, perhaps. */
static void advise_on_width(struct overall *overall, const struct findings *findings, const struct results *results,
                            struct arena *arena)
{
    static const double PART_LEAST = 0.3;
    const struct finding *narrow = finding_named(findings, "narrow-vectors");
    double bits = results->surroundings ? surroundings_widest_bits(results->surroundings) : 0;
    double all = (double)results->stalls->sample_count;
    double part = all > 0 ? (double)results->stalls->vector_samples[0] / all : 0;
    if (narrow && narrow->verdict == VERDICT_UNDECIDED && bits > 128 && part >= PART_LEAST)
        advise(overall, verdict_words(arena, "next-wider", VALUE_SHARE("share", interval_exactly(part)),
                                      VALUE_COUNT("best", bits)));
}

/* No cause is certain: the way on leads through the hot function and through what is still open. */
static void what_next(struct overall *overall, const struct findings *findings, const struct results *results,
                      struct arena *arena)
{
    static const double DISPATCH_MATTERS = 0.1;
    const struct stalls *stalls = results->stalls;
    advise_on_samples(overall, results, arena);
    const struct finding *interpreter = finding_named(findings, "interpreter");
    if (interpreter && interpreter->verdict == VERDICT_UNDECIDED && interpreter->advice_count)
        advise(overall, arena_printf(arena, "%s: %s", interpreter->reason, interpreter->advice[0]));
    advise_on_names(overall, results, arena);
    const struct finding *lead = open_lead_of(findings, results);
    if (lead != interpreter)
        advise_on_open(overall, lead, arena);
    const struct finding *guesses = finding_named(findings, "branch-mispredicts");
    struct dispatch dispatch = dispatch_of(results);
    bool shown = dispatch.calls + dispatch.jumps >= DISPATCH_MATTERS * (double)stalls->sample_count;
    bool dispatches = dispatch.kind != DISPATCH_FIXED && (shown || lead == guesses);
    if (dispatches && guesses && guesses->verdict == VERDICT_UNDECIDED && guesses->advice_count)
        advise(overall, guesses->advice[0]);
    advise_on_width(overall, findings, results, arena);
    const struct stall_function *hottest = stalls->function_count ? &stalls->functions[0] : NULL;
    if (hottest && (double)stalls->unnamed_samples * 2 > (double)stalls->sample_count)
        advise(overall, wording_find("common", "remedy-names"));
    if (hottest)
        advise(overall, verdict_words(arena, "next-look",
                                      VALUE_TEXT("function", name_for_sentence(hottest_words(hottest), arena))));
    overall->confirm = wording_find("verdict", "next-check");
}

/* An estimate of what a remedy returns stands on the same page: the two must not deny each other. */
static const char *what_returns(const struct results *results, struct arena *arena)
{
    const struct bottleneck_verdict *verdict = &results->bottleneck->program;
    if (verdict->cause == CAUSE_RETIRING)
        return " Only fewer instructions, or wider ones, are faster.";
    if (!verdict->recoverable.known || verdict->recoverable.high < results->effect)
        return arena_printf(arena, " No cause is certain to return %.3g %% or more.", results->effect * 100);
    scoped_text struct text returns = {0};
    struct value value = VALUE_SHARE("", verdict->recoverable);
    value_print(&returns, &value);
    return arena_printf(arena,
                        " What a good remedy returns is estimated, too (%s); nothing measured here makes it certain.",
                        text_string(&returns));
}

/* Nothing is certain to return anything: where the time goes, what the estimate says of it, and what remains open. */
static const char *nothing_sentence(const struct findings *findings, const struct results *results, struct arena *arena)
{
    const struct stalls *stalls = results->stalls;
    const struct stall_function *hottest = stalls->function_count ? &stalls->functions[0] : NULL;
    const char *name = name_for_sentence(hottest_words(hottest), arena);
    const char *estimated = estimated_words(results->bottleneck, ESTIMATE_MEDIUM);
    static const double FLAT = 0.25;
    if (hottest && !estimated && hottest->share.mid < FLAT)
        return arena_printf(arena, "%s No cause is certain to return %.3g %% or more.%s", time_said(results, arena),
                            results->effect * 100, open_said(findings, results, arena));
    const char *counted = counted_words(results, arena);
    if (counted && hottest)
        return arena_printf(arena, "%s is where the time goes; %s. No cause is certain to return %.3g %% or more.%s",
                            name, counted, results->effect * 100, open_said(findings, results, arena));
    if (!estimated || !hottest)
        return arena_printf(
            arena, "%s is where the time goes, but no cause in it is certain to return %.3g %% or more.%s%s", name,
            results->effect * 100, several_said(results->bottleneck, arena), open_said(findings, results, arena));
    const struct bottleneck_verdict *verdict = &results->bottleneck->program;
    scoped_text struct text share = {0};
    struct value value = VALUE_SHARE("", verdict->share);
    value_print(&share, &value);
    return arena_printf(arena, "%s is where the time goes. By estimate %s in %s of its CPU time.%s",
                        verdict->function ? name_for_sentence(verdict->function, arena) : name, estimated,
                        text_string(&share), what_returns(results, arena));
}

/* What a program's threads wait for most, where how much of the time that is isn't told; NULL: nobody says. */
static const struct finding *waiting_lead_of(const struct findings *findings)
{
    const struct finding *lead = NULL;
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (finding->verdict == VERDICT_UNDECIDED && finding->imported_kinds && finding->pointed > 0 &&
            finding->evidence_count && (!lead || finding->pointed > lead->pointed))
            lead = finding;
    }
    return lead;
}

/* What the same evidence may be for. */
static const char *leads_titles(const struct findings *findings, const struct finding *lead, struct arena *arena)
{
    const char *titles = lead->hypothesis->title;
    bool is_alone = true;
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *other = &findings->items[at];
        if (other == lead || other->verdict != VERDICT_UNDECIDED || !(other->pointed > 0) || !other->evidence_count ||
            strcmp(other->evidence[0].text, lead->evidence[0].text) != 0)
            continue;
        titles = arena_printf(arena, "%s, or %s", titles, other->hypothesis->title);
        is_alone = false;
    }
    return is_alone ? titles : arena_printf(arena, "%s,", titles);
}

/* Others' tables support no cause: the class that they lead to is known all the same. */
static struct overall overall_imported(const struct findings *findings, const struct results *results,
                                       struct arena *arena)
{
    struct imported_leaf leaf = imported_leaf_of(results, findings, NULL, arena);
    const char *hot = imported_hot_words(results, leaf.words && leaf.is_of_memory, arena);
    const struct finding *waits = waiting_lead_of(findings);
    struct overall overall = {
        .kind = OVERALL_BLIND,
        .sentence =
            "Nothing was measured by plumb in this case, and what was imported or said supports no cause for certain.",
        .ruled_out = ruled_out_of(findings, results->effect, arena),
    };
    const char *lead = imported_lead_words(results, NULL, arena);
    if (leaf.words)
        overall.sentence = arena_printf(arena, "%s.%s%s%s Nothing was measured by plumb in this case.",
                                        capitalised(leaf.words, arena), hot ? " " : "", hot ? hot : "", hot ? "." : "");
    else if (hot)
        overall.sentence = arena_printf(arena,
                                        "%s. What was imported or said supports no cause of it for certain, and "
                                        "nothing was measured by plumb in this case.",
                                        hot);
    else if (open_lead_of(findings, results))
        overall.sentence = arena_printf(arena, "%s%s", overall.sentence, open_said(findings, results, arena));
    else if (waits)
        overall.sentence =
            arena_printf(arena, "%s may hold it up: %s. Nothing was measured by plumb in this case.",
                         capitalised(leads_titles(findings, waits, arena), arena), waits->evidence[0].text);
    if (lead)
        overall.sentence = arena_printf(arena, "%s. %s", capitalised(lead, arena), overall.sentence);
    if (leaf.advice)
        advise(&overall, leaf.advice);
    else if (!leaf.words && imported_rate_advice(results))
        advise(&overall, imported_rate_advice(results));
    for (size_t at = 0; waits && !leaf.words && !hot && at < waits->advice_count; at++)
        advise(&overall, waits->advice[at]);
    if (waits && !leaf.words && !hot && waits->advice_count && waits->confirm)
        overall.confirm = waits->confirm;
    return overall;
}

/* A certain cause that is little of what others' tables lead to must not stand before that. */
static struct overall with_leaf(struct overall overall, const struct findings *findings, const struct results *results,
                                struct arena *arena)
{
    struct imported_leaf leaf =
        results->stalls ? (struct imported_leaf){0} : imported_leaf_of(results, findings, overall.culprit, arena);
    if (!leaf.words)
        return overall;
    const char *headline = overall.culprit->headline ? overall.culprit->headline : overall.culprit->hypothesis->title;
    overall.sentence =
        arena_printf(arena, "%s. What is certain is small: %s.", capitalised(leaf.words, arena), headline);
    overall.culprit_is_small = true;
    if (leaf.advice)
        advise(&overall, leaf.advice);
    return overall;
}

static const char *culprit_words(const struct finding *culprit)
{
    return culprit->headline ? culprit->headline : culprit->hypothesis->title;
}

/* What one table has far more of than the culprit has at least, and another has not: that comes first. */
static struct overall with_contradiction(struct overall overall, const struct findings *findings,
                                         const struct results *results, struct arena *arena)
{
    const char *words = results->stalls ? NULL : imported_contradiction(findings, overall.culprit, arena);
    if (!words || overall.culprit_is_small)
        return overall;
    overall.sentence = arena_printf(arena, "%s. What is supported all the same: %c%s", capitalised(words, arena),
                                    culprit_words(overall.culprit)[0], overall.sentence + 1);
    overall.culprit_is_small = overall.culprit_is_less = true;
    return overall;
}

/* What was told is what is asked about: before a cause that is far less than that. */
static struct overall with_told_gap(struct overall overall, const struct findings *findings,
                                    const struct results *results, struct arena *arena)
{
    const char *told = imported_gap_told(results, findings, overall.culprit, arena);
    if (!told || overall.culprit_is_small)
        return overall;
    overall.sentence = arena_printf(arena, "%s. What is supported is small beside that: %c%s", capitalised(told, arena),
                                    culprit_words(overall.culprit)[0], overall.sentence + 1);
    overall.culprit_is_small = true;
    return overall;
}

/* Also within other words, as for an allocator's callers. */
static bool is_advised(const struct finding *finding, const char *advice)
{
    for (size_t at = 0; at < finding->advice_count; at++)
        if (strstr(finding->advice[at], advice))
            return true;
    return false;
}

/* A cause that is as sure and weighs as much has its first remedies beside the culprit's. */
static void advise_on_like(struct overall *overall, struct arena *arena)
{
    enum { REMEDIES = 2 };
    const struct finding *like = overall->larger;
    if (!like || like->verdict != VERDICT_SUPPORTED)
        return;
    for (size_t at = 0; at < like->advice_count && at < REMEDIES; at++)
        if (!is_advised(overall->culprit, like->advice[at]))
            advise(overall, arena_printf(arena, "against %s: %s", like->hypothesis->title, like->advice[at]));
}

/* It used its CPU time where no sample could be taken. */
static struct overall overall_unseen(const struct results *results, struct arena *arena)
{
    const char *samples = arena_printf(arena, "%zu", (size_t)results->stalls->sample_count);
    return (struct overall){
        .kind = OVERALL_BLIND,
        .sentence = verdict_words(arena, "unseen", VALUE_TEXT("samples", samples),
                                  VALUE_SECONDS("cpu", interval_exactly(results->run->cpu_s.value))),
        .advice = {overall_longer(results, arena)},
        .advice_count = 1,
    };
}

static struct overall overall_too_short(const struct results *results, struct arena *arena)
{
    double samples = results->stalls ? (double)results->stalls->sample_count : 0;
    scoped_text struct text used = {0};
    if (results->run && results->run->cpu_s.known) {
        print_seconds(&used, results->run->cpu_s.value);
        text_add(&used, " and ");
    }
    struct overall overall = {
        .kind = OVERALL_TOO_SHORT,
        .sentence = arena_printf(arena,
                                 "Not enough evidence: it used less CPU time than a diagnosis needs (%s%.0f sample%s; "
                                 "%.1f s and %d samples at least).",
                                 text_string(&used), samples, samples == 1 ? "" : "s", OVERALL_CPU_S_LEAST,
                                 OVERALL_SAMPLES_LEAST),
        .advice = {overall_longer(results, arena)},
        .advice_count = 1,
    };
    return with_sentence(overall, loading_said(results, arena), arena);
}

static void advise_on_hottest(struct overall *overall, const struct results *results, struct arena *arena)
{
    const struct stall_function *hottest =
        results->stalls && results->stalls->function_count ? &results->stalls->functions[0] : NULL;
    if (overall->culprit_is_small && !overall->larger && hottest && strcmp(hottest->name, "main") != 0)
        advise(overall, verdict_words(arena, "next-look",
                                      VALUE_TEXT("function", name_for_sentence(hottest_words(hottest), arena))));
}

/*
 * The certain cause is small: the way on leads through what holds most of the time. The estimate's remedy, what would
 * settle the one that is open, who calls the hot function.
 */
static void advise_on_rest(struct overall *overall, const struct findings *findings, const struct results *results,
                           struct arena *arena)
{
    size_t before = overall->advice_count;
    if (leading_foreign_advice(results) && !before)
        advise(overall, leading_foreign_advice(results));
    advise_on_names(overall, results, arena);
    if (!overall->larger && before == overall->advice_count)
        advise_on_estimated(overall, findings, results, arena);
    if (!overall->larger && before == overall->advice_count)
        advise_on_open(overall, open_lead_of(findings, results), arena);
    advise_on_hottest(overall, results, arena);
    advise_on_samples(overall, results, arena);
}

/* Where there is no advice on what leads, the small cause's is all there is, and its check with it. */
static void lead_take(struct overall *overall, const struct results *results, struct arena *arena)
{
    const struct finding *larger = overall->larger;
    if (!overall->culprit_is_small)
        return;
    overall->confidence = leading_confidence(larger, results, arena);
    if (!overall->advice_count)
        return;
    overall->after_all = leading_small_advice(overall->culprit, results, arena);
    if (results->stalls)
        overall->confirm = larger && larger->confirm ? larger->confirm : wording_find("verdict", "next-check");
}

static struct overall overall_culprit(const struct finding *first, const struct findings *findings,
                                      const struct results *results, struct arena *arena)
{
    const struct finding *larger = far_larger(first, findings);
    bool is_less = !is_tiny(first) && !larger && is_less_than_estimate(first, results);
    bool is_lesser = is_tiny(first) || is_less;
    struct overall overall = {
        .kind = OVERALL_CULPRIT,
        .culprit = first,
        .larger = larger || is_lesser ? larger : like_weight(first, findings),
        .culprit_is_small = is_lesser,
        .culprit_is_less = is_less,
        .sentence = is_lesser ? describe_tiny(first, findings, results, arena)
                              : with_what_is_open(describe(first, arena), first, findings, results, arena),
        .ruled_out = ruled_out_of(findings, results->effect, arena),
    };
    advise_on_like(&overall, arena);
    overall = with_work(overall, results, arena);
    if (overall.culprit_is_small)
        advise_on_rest(&overall, findings, results, arena);
    else
        advise_on_names(&overall, results, arena);
    if (!overall.larger && !overall.culprit_is_small)
        advise_on_estimated(&overall, findings, results, arena);
    overall = with_callers(with_leaf(overall, findings, results, arena), results, arena);
    lead_take(&overall, results, arena);
    overall = with_contradiction(overall, findings, results, arena);
    overall = with_told_gap(overall, findings, results, arena);
    const char *lead = results->stalls ? NULL : imported_lead_words(results, overall.culprit, arena);
    if (lead)
        overall.sentence = arena_printf(arena, "%s. %s", capitalised(lead, arena), overall.sentence);
    const char *hot = results->stalls ? NULL : imported_hot_beside(results, overall.culprit, overall.sentence, arena);
    overall = with_sentence(overall, hot ? arena_printf(arena, "%s.", hot) : NULL, arena);
    return with_disturbance(overall, findings, arena);
}

/* Without samples, what others' tables say, or that there is nothing. */
static struct overall overall_blind(const struct findings *findings, const struct results *results, struct arena *arena)
{
    bool nothing_ran =
        results->statements && !(results->run && (results->run->elapsed_s.known || results->run->cpu_s.known));
    if (results->imported || nothing_ran)
        return overall_imported(findings, results, arena);
    struct overall blind = {.kind = OVERALL_BLIND,
                            .sentence =
                                "Without samples nothing can be said about its code; what /proc shows is below.",
                            .confirm = wording_find("verdict", "check-samples")};
    advise(&blind, wording_find("verdict", "next-samples"));
    return blind;
}

/* What delays most of it is told by the estimate, and not unsurely; code that is merely busy is delayed by nothing. */
static bool is_estimated(const struct results *results)
{
    static const double MOST = 0.5;
    const struct bottleneck *bottleneck = results->bottleneck;
    return estimated_words(bottleneck, ESTIMATE_MEDIUM) && bottleneck->program.cause != CAUSE_RETIRING &&
           bottleneck->program.class != BOTTLENECK_MIXED && bottleneck->program.share.mid >= MOST;
}

static struct overall overall_nothing(const struct findings *findings, const struct results *results,
                                      struct arena *arena)
{
    struct overall nothing = {
        .kind = is_estimated(results) ? OVERALL_ESTIMATED : OVERALL_NOTHING,
        .sentence = nothing_sentence(findings, results, arena),
        .ruled_out = ruled_out_of(findings, results->effect, arena),
    };
    nothing = with_work(nothing, results, arena);
    what_next(&nothing, findings, results, arena);
    return with_disturbance(with_callers(nothing, results, arena), findings, arena);
}

static struct overall overall_seen(const struct findings *findings, const struct results *results, struct arena *arena)
{
    const struct finding *waiting = finding_named(findings, "waiting");
    const struct finding *first = findings->count ? &findings->items[0] : NULL;
    bool waits = waiting && waiting->verdict == VERDICT_SUPPORTED && waiting->recoverable.mid >= 0.5;
    bool long_enough = results->run && results->run->elapsed_s.known && results->run->elapsed_s.value >= 0.5;
    if (waits && (long_enough || !is_too_short(results)))
        return with_parts(overall_waits(waiting, findings, results, arena), results, arena);
    if (waiting && is_mostly_away(results) && (long_enough || !is_too_short(results)))
        return with_parts(overall_away(waiting, findings, results, arena), results, arena);
    if (is_unseen(results))
        return overall_unseen(results, arena);
    if (is_too_short(results))
        return overall_too_short(results, arena);
    if (first && first->verdict == VERDICT_SUPPORTED && !finding_is_disturbance(first))
        return overall_culprit(first, findings, results, arena);
    return results->stalls ? overall_nothing(findings, results, arena) : overall_blind(findings, results, arena);
}

/* A part that was not seen and is larger than what was found: then that is the first thing to say. */
static const double UNSEEN_MOST = 0.5;

static const char *faults_counted(const struct results *results, struct arena *arena)
{
    const struct activity *activity = results->activity;
    if (!activity || !activity->minor_faults.known)
        return "";
    return arena_printf(arena, " (it made %.0f page faults and left a CPU %.0f times)", activity->minor_faults.value,
                        activity->voluntary_switches.known ? activity->voluntary_switches.value : 0);
}

/* The most that what was seen accounts for: by the cause that was found, or where the estimate lays its time. */
static double accounted_for(const struct overall *overall, const struct results *results)
{
    const struct bottleneck_verdict *verdict = results->bottleneck ? &results->bottleneck->program : NULL;
    double by_cause = overall->culprit->recoverable.known ? overall->culprit->recoverable.high : 1;
    bool is_told = verdict && verdict->class != BOTTLENECK_UNKNOWN && verdict->confidence >= ESTIMATE_MEDIUM;
    double by_estimate = is_told && verdict->share.known ? verdict->share.mid : 0;
    return by_cause > by_estimate ? by_cause : by_estimate;
}

static struct overall with_unseen_kernel(struct overall overall, const struct results *results, struct arena *arena)
{
    double unseen = results->sampled.known ? 1 - results->sampled.mid : 0;
    const struct run_time *run = results->run;
    bool too_short =
        overall.kind == OVERALL_TOO_SHORT && !(run && run->cpu_s.known && run->cpu_s.value >= OVERALL_CPU_S_LEAST);
    if (unseen < results->effect || overall.kind == OVERALL_WAITS || too_short)
        return overall;
    const char *why = results->why[RESULT_KERNEL] ? results->why[RESULT_KERNEL] : "the kernel was not sampled";
    const char *said =
        arena_printf(arena, "%.0f %% of its CPU time is the kernel's%s, and of what is in there nothing was seen: %s.",
                     unseen * 100, faults_counted(results, arena), why);
    bool leads = unseen >= UNSEEN_MOST || (overall.culprit && accounted_for(&overall, results) < unseen);
    if (!leads) {
        overall.sentence = arena_printf(arena, "%s %s", overall.sentence, said);
        advise(&overall, wording_find("verdict", "next-kernel"));
        return overall;
    }
    struct overall blind = {
        .kind = OVERALL_BLIND,
        .sentence = arena_printf(arena, "%s Of the rest: %s", said, overall.sentence),
        .disturbance = overall.disturbance,
        .ruled_out = overall.ruled_out,
        .confirm = wording_find("verdict", "check-kernel"),
    };
    advise(&blind, wording_find("verdict", "next-kernel"));
    advise(&blind, wording_find("verdict", "next-calls"));
    if (overall.culprit && overall.culprit->advice_count)
        advise(&blind,
               arena_printf(arena, "against %s: %s", overall.culprit->hypothesis->title, overall.culprit->advice[0]));
    return blind;
}

/* "m4+0xefb0" of "m4+0xefb0 (asserts as "next_token")"; 0: it has no name made of its place, or nothing behind that. */
static size_t place_length(const struct stall_function *function)
{
    size_t length = strlen(function->dso);
    const char *remark = strncmp(function->name, function->dso, length) == 0 && function->name[length] == '+'
                             ? strstr(function->name, " (")
                             : NULL;
    return remark ? (size_t)(remark - function->name) : 0;
}

/* What a function without a name tells of itself is said at its first mention alone. */
static const char *remarked_once(const char *sentence, const struct stall_function *function, struct arena *arena)
{
    size_t place = place_length(function), whole = strlen(function->name);
    const char *from = place ? strstr(sentence, function->name) : NULL;
    if (!from || !strstr(from + whole, function->name))
        return sentence;
    scoped_text struct text out = {0};
    text_append(&out, sentence, (size_t)(from + whole - sentence));
    from += whole;
    for (const char *again; (again = strstr(from, function->name)); from = again + whole)
        text_append(&out, from, (size_t)(again - from) + place);
    text_add(&out, from);
    return arena_string(arena, text_string(&out));
}

/* Its first sentence stands out. Full stops in brackets are parts of names. */
static void part(struct overall *overall, struct arena *arena)
{
    const char *end = overall->sentence;
    for (int depth = 0; *end && !(depth <= 0 && strncmp(end, ". ", 2) == 0); end++)
        depth += (*end == '(') - (*end == ')');
    overall->lead =
        *end ? arena_printf(arena, "%.*s.", (int)(end - overall->sentence), overall->sentence) : overall->sentence;
    overall->rest = *end ? end + 2 : "";
}

struct overall overall_of(const struct findings *findings, const struct results *results, struct arena *arena)
{
    struct overall overall = overall_seen(findings, results, arena);
    const char *why = results->why[RESULT_STALLS];
    if (!results->stalls && !results->imported && !results->statements && why)
        overall.sentence = arena_printf(arena, "%s No samples: %s.", overall.sentence, why);
    overall = with_unseen_kernel(overall, results, arena);
    open_take(&overall, findings, results, arena);
    if (results->ended)
        overall.sentence = arena_printf(arena, "%s It did not stay: %s.", overall.sentence, results->ended);
    if (results->recording_cut)
        overall.sentence =
            arena_printf(arena, "Of a part of the run alone: %s. %s", results->recording_cut, overall.sentence);
    if (results->cut)
        overall.sentence = arena_printf(arena, "%s It was cut short: %s.", overall.sentence, results->cut);
    if (left_behind(results))
        overall = with_sentence(overall, left_said(left_behind(results), arena), arena);
    if (results->exit_status)
        overall.sentence = arena_printf(arena, "%s %s", overall.sentence, status_said(results->exit_status, arena));
    for (size_t at = 0; results->stalls && at < results->stalls->function_count; at++)
        overall.sentence = remarked_once(overall.sentence, &results->stalls->functions[at], arena);
    for (size_t at = 0; at < overall.advice_count; at++)
        overall.advice[at] = attached_said(overall.advice[at], results, arena);
    overall.confirm = attached_said(overall.confirm, results, arena);
    /* What crashed isn't made faster. */
    bool is_said = overall.kind == OVERALL_TOO_SHORT || results->cut;
    overall.before_all = ended_by_signal(results) && !is_said ? ended_next(results) : NULL;
    part(&overall, arena);
    return overall;
}

size_t overall_tries(const struct overall *overall, const char *ret_tries[OVERALL_TRIES_MOST])
{
    const struct finding *culprit = overall->culprit;
    size_t own = culprit && !overall->after_all ? culprit->advice_count : 0, count = 0;
    own = overall->culprit_is_small && own > 1 ? 1 : own;
    if (overall->before_all)
        ret_tries[count++] = overall->before_all;
    for (size_t at = 0; at < own; at++)
        ret_tries[count++] = culprit->advice[at];
    for (size_t at = 0; at < overall->advice_count; at++)
        ret_tries[count++] = overall->advice[at];
    if (overall->after_all)
        ret_tries[count++] = overall->after_all;
    return count;
}

const char *overall_check(const struct overall *overall)
{
    return overall->culprit && !(overall->culprit_is_small && overall->confirm) ? overall->culprit->confirm
                                                                                : overall->confirm;
}

const char *overall_confidence(const struct overall *overall, struct arena *arena)
{
    static const char *const shouted[] = {"", "LOW", "MEDIUM", "HIGH"};
    const struct finding *culprit = overall->culprit;
    if (!culprit || culprit->confidence == CONFIDENCE_NONE)
        return NULL;
    return arena_printf(
        arena, "%s%s%s: %s%s", overall->confidence ? overall->confidence : "", shouted[culprit->confidence],
        overall->culprit_is_less    ? " in that lesser cause"
        : overall->culprit_is_small ? " in that small cause"
                                    : "",
        culprit->confidence_reason, culprit->gain_unmeasured ? "; what removing it returns is not measured" : "");
}

/* Word for word, whatever letter it begins with there. */
static bool is_said(const char *sentence, const char *headline)
{
    return headline[0] && strstr(sentence, headline + 1);
}

size_t overall_also(const struct overall *overall, const struct findings *findings,
                    const struct finding *ret_also[OVERALL_ALSO_MOST])
{
    size_t count = 0;
    if (overall->kind == OVERALL_WAITS || overall->kind == OVERALL_TOO_SHORT)
        return 0;
    for (size_t at = 0; at < findings->count && count < OVERALL_ALSO_MOST; at++) {
        const struct finding *finding = &findings->items[at];
        const char *words = finding->headline ? finding->headline : finding->hypothesis->title;
        if (finding->verdict == VERDICT_SUPPORTED && finding != overall->culprit && finding != overall->disturbance &&
            finding != overall->larger && !is_said(overall->sentence, words))
            ret_also[count++] = finding;
    }
    return count;
}
