/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/overall.h"

#include "base/scope.h"
#include "base/vec.h"
#include "finding/family.h"
#include "finding/verdict/attached_said.h"
#include "finding/verdict/away_said.h"
#include "finding/verdict/binaries.h"
#include "finding/verdict/callers.h"
#include "finding/verdict/described.h"
#include "finding/verdict/ended_said.h"
#include "finding/verdict/enough.h"
#include "finding/verdict/generated_said.h"
#include "finding/verdict/imported_said.h"
#include "finding/verdict/leading.h"
#include "finding/verdict/loading_said.h"
#include "finding/verdict/loop_said.h"
#include "finding/verdict/nothing_said.h"
#include "finding/verdict/open_said.h"
#include "finding/verdict/operations_said.h"
#include "finding/verdict/parts.h"
#include "finding/verdict/programs.h"
#include "finding/verdict/ruled_out_said.h"
#include "finding/verdict/told_beside.h"
#include "finding/verdict/try_next.h"
#include "finding/verdict/weighing.h"
#include "finding/verdict/work_named.h"
#include "finding/wording.h"

#include <string.h>

const char *overall_kind_name(enum overall_kind kind)
{
    static const char *const names[] = {"culprit", "waits", "too_short", "nothing", "blind", "estimated"};
    return names[kind];
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
    const char *programs = programs_said(results, arena), *binaries = binaries_said(results, arena);
    bool is_told = binaries && strstr(overall.sentence, binaries);
    overall = with_sentence(overall, generated_said(results, arena).sentence, arena);
    overall = with_sentence(overall, loading_said(results, arena), arena);
    overall = with_sentence(overall, parts_said(results, arena), arena);
    overall = with_sentence(overall, told_beside(results, overall.sentence, arena), arena);
    return with_sentence(overall, programs ? programs : is_told ? NULL : binaries, arena);
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

/*
 * What it is at says more than a small cause, or one whose removal returns nobody knows what; and than a large one,
 * where most of the time is spent on one kind of work, which leaves the cause less than half of that.
 */
static struct overall with_work(struct overall overall, const struct results *results, struct arena *arena)
{
    const struct finding *culprit = overall.culprit;
    bool is_large = culprit && !is_small(culprit);
    bool is_answer = is_large && !culprit->gain_unmeasured && !overall.culprit_is_less;
    struct work_named work = work_named_of(results, arena);
    if (is_answer && !(work.is_most && is_less_than(culprit, work.share)))
        return with_operations(overall, results, true, arena);
    if (work.sentence)
        overall.sentence = arena_printf(arena, "%s %s", work.is_most ? work.sentence : overall.sentence,
                                        work.is_most ? overall.sentence : work.sentence);
    bool is_lesser = culprit && !overall.culprit_is_small && (!is_large || is_less_than(culprit, work.share));
    bool leads = is_lesser && work.is_most;
    if (leads)
        overall.before_all = work.advice[0];
    for (size_t at = leads; at < array_count(work.advice) && work.advice[at]; at++)
        advise(&overall, work.advice[at]);
    overall.is_work_advised = work.is_most && work.advice[0];
    overall.confirm = is_large ? overall.confirm : work.check;
    return work.is_most || is_of_script(&overall) ? overall : with_operations(overall, results, is_large, arena);
}

/* What it is at when it runs, of one that mostly doesn't. */
static struct overall with_own_work(struct overall overall, const struct results *results, struct arena *arena)
{
    struct work_named work = work_named_of(results, arena);
    if (work.is_most && work.advice[0])
        advise(&overall, work.advice[0]);
    return work.is_most ? with_sentence(overall, work.sentence, arena) : overall;
}

/* It used its CPU time where no sample could be taken. */
static struct overall overall_unseen(const struct results *results, struct arena *arena)
{
    const char *samples = arena_printf(arena, "%zu", (size_t)results->stalls->sample_count);
    return (struct overall){
        .kind = OVERALL_BLIND,
        .sentence = verdict_words(arena, "unseen", VALUE_TEXT("samples", samples),
                                  VALUE_SECONDS("cpu", interval_exactly(results->run->cpu_s.value))),
        .advice = {enough_longer(results, arena)},
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
                                 text_string(&used), samples, samples == 1 ? "" : "s", ENOUGH_CPU_S, ENOUGH_SAMPLES),
        .advice = {enough_longer(results, arena)},
        .advice_count = 1,
    };
    return with_sentence(overall, loading_said(results, arena), arena);
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
    if (larger && larger->confirm)
        overall->confirm = larger->confirm;
    else if (results->stalls && !overall->confirm)
        overall->confirm = wording_find("verdict", "next-check");
}

static struct overall overall_culprit(const struct finding *first, const struct findings *findings,
                                      const struct results *results, struct arena *arena)
{
    const struct finding *larger = far_larger(first, findings);
    bool is_less =
        !is_tiny(first) && !larger && (is_less_than_estimate(first, results) || is_less_than_place(first, results));
    bool is_lesser = is_tiny(first) || is_less;
    struct overall overall = {
        .kind = OVERALL_CULPRIT,
        .culprit = first,
        .larger = larger || is_lesser ? larger : like_weight(first, findings),
        .culprit_is_small = is_lesser,
        .culprit_is_less = is_less,
        .sentence = is_lesser ? describe_small(first, findings, results, arena)
                              : describe_large(first, findings, results, arena),
        .ruled_out = ruled_out_said(findings, results->effect, arena),
    };
    advise_on_like(&overall, arena);
    overall = with_work(overall, results, arena);
    if (overall.culprit_is_small) {
        advise_on_rest(&overall, findings, results, arena);
    } else {
        advise_on_tool(&overall, results);
        advise_on_names(&overall, results, arena);
    }
    if (!overall.larger && !overall.culprit_is_small)
        advise_on_estimated(&overall, findings, results, arena);
    overall = with_callers(with_imported_leaf(overall, findings, results, arena), results, arena);
    lead_take(&overall, results, arena);
    overall = with_imported(overall, findings, results, arena);
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

/*
 * Where nothing else is known of its time, that most of its loads lie across two lines is worth more than where it
 * goes: it is a fact by their addresses, and easily mended. What it costs was not measured.
 */
static struct overall with_splits(struct overall overall, const struct findings *findings,
                                  const struct results *results, struct arena *arena)
{
    static const double MOST = 0.5;
    const struct finding *units = findings_find(findings, "port-pressure");
    double share = results->bottleneck ? results->bottleneck->program.split_ratio : 0;
    if (!units || units->verdict != VERDICT_UNDECIDED || share < MOST ||
        results->bottleneck->program.class != BOTTLENECK_UNKNOWN || !units->advice_count)
        return overall;
    struct value loads = VALUE_SHARE("loads", interval_exactly(share));
    overall.sentence = arena_printf(
        arena, "%s %s", wording_fill(arena, wording_find("port-pressure", "lead-splits"), &loads, 1), overall.sentence);
    advise(&overall, units->advice[0]);
    overall.confirm = units->confirm;
    return overall;
}

static struct overall overall_nothing(const struct findings *findings, const struct results *results,
                                      struct arena *arena)
{
    struct overall nothing = {
        .kind = is_estimated(results) ? OVERALL_ESTIMATED : OVERALL_NOTHING,
        .sentence = nothing_said(findings, results, arena),
        .ruled_out = ruled_out_said(findings, results->effect, arena),
    };
    nothing = with_splits(with_work(nothing, results, arena), findings, results, arena);
    advise_without_cause(&nothing, findings, results, arena);
    return with_disturbance(with_callers(nothing, results, arena), findings, arena);
}

static struct overall overall_seen(const struct findings *findings, const struct results *results, struct arena *arena)
{
    const struct finding *waiting = findings_find(findings, "waiting");
    const struct finding *first = findings->count ? &findings->items[0] : NULL;
    bool waits = waiting && waiting->verdict == VERDICT_SUPPORTED && waiting->recoverable.mid >= 0.5;
    bool long_enough = results->run && results->run->elapsed_s.known && results->run->elapsed_s.value >= 0.5;
    if (waits && (long_enough || !is_too_short(results)))
        return with_parts(overall_waits(waiting, findings, results, arena), results, arena);
    if (waiting && is_mostly_away(results) && (long_enough || !is_too_short(results)))
        return with_parts(with_own_work(overall_away(waiting, findings, results, arena), results, arena), results,
                          arena);
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
        overall.kind == OVERALL_TOO_SHORT && !(run && run->cpu_s.known && run->cpu_s.value >= ENOUGH_CPU_S);
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

/* Where numbers come from is said once: of what follows it holds, too, in a case that has nothing else. */
static const char *label_once(const char *sentence, struct arena *arena)
{
    static const char label[] = " (imported, not measured by plumb)";
    const char *at = strstr(sentence, label);
    if (!at)
        return sentence;
    at += sizeof(label) - 1;
    scoped_text struct text out = {0};
    text_append(&out, sentence, (size_t)(at - sentence));
    for (const char *next; (next = strstr(at, label)); at = next + sizeof(label) - 1)
        text_append(&out, at, (size_t)(next - at));
    text_add(&out, at);
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
    overall.before_all = ended_by_signal(results) && !is_said ? ended_next(results) : overall.before_all;
    overall.sentence = results->stalls ? overall.sentence : label_once(overall.sentence, arena);
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

/* Runs that somebody else made may differ by the cause, and by others beside it. */
static const char *unmeasured_words(const struct finding *culprit)
{
    if (!culprit->gain_unmeasured)
        return "";
    return !culprit->imported_kinds ? "; what removing it returns is not measured"
           : culprit->imported_kinds & 1u << ORIGIN_RUNS
               ? "; what the runs differ by is told, not what removing it alone returns"
               : "; in what was imported no trial was read that tells what removing it returns";
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
        culprit->confidence_reason, unmeasured_words(culprit));
}

/* Word for word, whatever letter it begins with there. */
static bool is_said(const char *sentence, const char *headline)
{
    return headline[0] && strstr(sentence, headline + 1);
}

/* A part of the CPU time where most of the time none was used: of what that leaves it is next to nothing. */
static bool is_lost_in_waiting(const struct finding *finding, const struct finding *culprit)
{
    static const double NEXT_TO_NOTHING = 0.05;
    return culprit && culprit->hypothesis == &hypothesis_waiting && culprit->imported_kinds &&
           finding->of == OF_CPU_TIME && culprit->of == OF_ELAPSED && finding->recoverable.known &&
           finding->recoverable.low * (1 - culprit->recoverable.low) < NEXT_TO_NOTHING;
}

size_t overall_also(const struct overall *overall, const struct findings *findings,
                    const struct finding *ret_also[OVERALL_ALSO_MOST])
{
    size_t count = 0;
    if (overall->kind == OVERALL_WAITS || overall->kind == OVERALL_TOO_SHORT)
        return 0;
    for (size_t at = 0; at < findings->count && count < OVERALL_ALSO_MOST; at++) {
        const struct finding *finding = &findings->items[at];
        bool is_part = finding->is_within_first && finding->imported_kinds; /* which the first one says already */
        if (finding->verdict == VERDICT_SUPPORTED && !is_part && finding != overall->culprit &&
            finding != overall->disturbance && finding != overall->larger &&
            !is_lost_in_waiting(finding, overall->culprit) && !is_said(overall->sentence, finding_words(finding)))
            ret_also[count++] = finding;
    }
    return count;
}
