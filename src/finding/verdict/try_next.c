/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/try_next.h"

#include "base/vec.h"
#include "finding/cpu/dispatch.h"
#include "finding/family.h"
#include "finding/maker.h"
#include "finding/tool_advice.h"
#include "finding/verdict/few_samples.h"
#include "finding/verdict/generated_said.h"
#include "finding/verdict/leading.h"
#include "finding/verdict/open_said.h"
#include "finding/verdict/time_said.h"
#include "finding/verdict/weighing.h"
#include "finding/wording.h"

#include <string.h>

void advise(struct overall *overall, const char *text)
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

/*
 * The loop that has most of the time goes by steps whose lines share few sets of the caches: rows a line longer spread
 * them, and in blocks each line and page is used more than once.
 */
static void advise_on_steps(struct overall *overall, const struct results *results, struct arena *arena)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    const struct bottleneck_loop *loop = bottleneck->loop_count ? &bottleneck->loops[0] : NULL;
    bool is_most = loop && 2 * loop->samples > results->stalls->sample_count;
    if (!is_most || loop->verdict.class != BOTTLENECK_MEMORY || !(loop->crowd.lines > 0) || code_is_foreign(results))
        return;
    advise(overall, verdict_words(arena, "next-steps", VALUE_BYTES("step", loop->crowd.step_bytes)));
    if (!overall->confirm)
        overall->confirm = wording_find("verdict", "next-steps-check");
}

void advise_on_estimated(struct overall *overall, const struct findings *findings, const struct results *results,
                         struct arena *arena)
{
    bool is_beside = overall->culprit && estimated_beside(overall->culprit, findings, results, arena);
    if (!is_beside && !(overall->culprit_is_small && estimated_words(results->bottleneck, ESTIMATE_LOW)))
        return;
    advise_on_steps(overall, results, arena);
    const struct finding *open = finding_of_cause(findings, results->bottleneck->program.cause);
    if (open && open->advice_count)
        advise(overall, arena_printf(arena, "of %s: %s", open->hypothesis->title, open->advice[0]));
}

/* Also within other words, as for an allocator's callers. */
static bool is_advised(const struct finding *finding, const char *advice)
{
    for (size_t at = 0; at < finding->advice_count; at++)
        if (strstr(finding->advice[at], advice))
            return true;
    return false;
}

void advise_on_like(struct overall *overall, struct arena *arena)
{
    enum { REMEDIES = 2 };
    const struct finding *like = overall->larger;
    if (!like || like->verdict != VERDICT_SUPPORTED)
        return;
    for (size_t at = 0; at < like->advice_count && at < REMEDIES; at++)
        if (!is_advised(overall->culprit, like->advice[at]))
            advise(overall, arena_printf(arena, "against %s: %s", like->hypothesis->title, like->advice[at]));
}

static void advise_on_samples(struct overall *overall, const struct results *results, struct arena *arena)
{
    const char *advice = few_samples_advice(results, arena);
    if (advice)
        advise(overall, advice);
}

void advise_on_tool(struct overall *overall, const struct results *results)
{
    const char *known = results->stalls && code_is_foreign(results) ? tool_advice(results) : NULL;
    if (known && !is_advised(overall->culprit, known) && !(overall->larger && is_advised(overall->larger, known)))
        advise(overall, known);
}

void advise_on_names(struct overall *overall, const struct results *results, struct arena *arena)
{
    struct generated_said generated = generated_said(results, arena);
    bool is_answered = overall->culprit && !overall->culprit_is_small;
    if (generated.advice && generated.is_most && !is_answered && !overall->before_all)
        overall->before_all = generated.advice; /* the rest of the advice is for code that nobody can look up */
    else if (generated.advice)
        advise(overall, generated.advice);
}

/* NULL: nothing open has much laid at it. */
static void advise_on_open(struct overall *overall, const struct finding *lead, struct arena *arena)
{
    if (lead && lead->remedy)
        advise(overall, verdict_words(arena, "next-open", VALUE_TEXT("cause", lead->hypothesis->title),
                                      VALUE_TEXT("remedy", lead->remedy)));
}

/* Which nobody calls less often: C's, Rust's "app::main", Go's "main.main". */
static bool is_main(const char *name)
{
    size_t length = strlen(name), own = strlen("main");
    return length >= own && strcmp(name + length - own, "main") == 0 &&
           (length == own || name[length - own - 1] == ':' || name[length - own - 1] == '.');
}

/* By whom it is called, where stacks tell: what was found out already needn't be looked for. */
static void advise_to_look(struct overall *overall, const struct stall_function *hottest, struct arena *arena)
{
    static const double MOST_OF = 0.5;
    enum { STACKS_LEAST = 10 };
    const struct stall_caller *caller = hottest->caller_count ? &hottest->callers[0] : NULL;
    struct value function = VALUE_TEXT("function", name_for_sentence(hottest_words(hottest), arena));
    if (overall->is_work_advised || is_main(hottest->name))
        return;
    static const double HOT_LEAST = 0.05; /* fewer calls of less return nothing */
    if (hottest->share.mid < HOT_LEAST)
        return;
    bool is_known = caller && hottest->stacks >= STACKS_LEAST &&
                    (double)caller->stacks >= MOST_OF * (double)hottest->stacks && caller->path;
    if (!is_known) {
        advise(overall, verdict_words(arena, "next-look", function));
        return;
    }
    const char *file = strrchr(caller->path, '/');
    advise(overall,
           verdict_words(arena, "next-caller", function,
                         VALUE_TEXT("caller", arena_printf(arena, "%s (%s:%u)", name_for_sentence(caller->name, arena),
                                                           file ? file + 1 : caller->path, caller->line))));
}

static void advise_on_hottest(struct overall *overall, const struct results *results, struct arena *arena)
{
    const struct stall_function *hottest =
        results->stalls && results->stalls->function_count ? &results->stalls->functions[0] : NULL;
    if (overall->culprit_is_small && !overall->larger && hottest)
        advise_to_look(overall, hottest, arena);
}

void advise_on_rest(struct overall *overall, const struct findings *findings, const struct results *results,
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

/* A distribution builds for the oldest processor: much time in narrow vectors is time of that choice, perhaps. */
static void advise_on_width(struct overall *overall, const struct findings *findings, const struct results *results,
                            struct arena *arena)
{
    static const double PART_LEAST = 0.3;
    const struct finding *narrow = findings_find(findings, "narrow-vectors");
    double bits = results->surroundings ? surroundings_widest_bits(results->surroundings) : 0;
    double all = (double)results->stalls->sample_count;
    double part = all > 0 ? (double)results->stalls->vector_samples[0] / all : 0;
    if (narrow && narrow->verdict == VERDICT_UNDECIDED && bits > 128 && part >= PART_LEAST)
        advise(overall, verdict_words(arena, "next-wider", VALUE_SHARE("share", interval_exactly(part)),
                                      VALUE_COUNT("best", bits)));
}

/*
 * Its first thread has most of the CPU time, or code that was compiled while it ran, whose threads are the runtime's:
 * what it does isn't given to its threads.
 */
static bool is_of_one_thread(const struct activity *activity, const struct stalls *stalls)
{
    static const double MOST = 0.5;
    double first_s = 0, all_s = 0;
    for (uint32_t at = 0; activity->threads && at < activity->thread_count; at++) {
        const struct activity_thread *thread = &activity->threads[at];
        double ran_s = thread->run_s.known ? thread->run_s.value : thread->user_s + thread->system_s;
        all_s += ran_s;
        first_s += thread->tid == thread->pid ? ran_s : 0;
    }
    for (size_t at = 0; at < stalls->function_count; at++)
        if (function_is_generated(&stalls->functions[at]))
            return true;
    return !(first_s < MOST * all_s);
}

/* Many threads of which one runs at a time: most likely somebody set it so, or they wait for one another. */
static void advise_on_turns(struct overall *overall, const struct findings *findings, const struct results *results,
                            struct arena *arena)
{
    static const double LOST_LEAST = 0.2, WIDTH_MOST = 1.2, DELAY_MOST = 0.1;
    enum { THREADS_LEAST = 8 };
    const struct finding *idle = findings_find(findings, "idle-cpus");
    const struct run_time *run = results->run;
    bool is_open =
        idle && idle->verdict == VERDICT_UNDECIDED && idle->recoverable.known && idle->recoverable.high >= LOST_LEAST;
    if (!is_open || !run || run->threads_seen < THREADS_LEAST || !run->cpus_used.known ||
        run->cpus_used.value > WIDTH_MOST || !results->activity || !results->activity->cpus_online.known ||
        is_of_one_thread(results->activity, results->stalls))
        return;
    double delay = run->run_delay_s.known && run->elapsed_s.known ? run->run_delay_s.value / run->elapsed_s.value : 0;
    if (delay > DELAY_MOST) /* others held its CPUs */
        return;
    double idle_cpus = results->activity->cpus_online.value - run->cpus_used.value;
    struct value values[] = {VALUE_COUNT("threads", (double)run->threads_seen), VALUE_COUNT("idle", idle_cpus)};
    advise(overall, wording_fill(arena, wording_find("idle-cpus", "turns"), values, array_count(values)));
}

void advise_without_cause(struct overall *overall, const struct findings *findings, const struct results *results,
                          struct arena *arena)
{
    static const double DISPATCH_MATTERS = 0.1;
    const struct stalls *stalls = results->stalls;
    const char *known = code_is_foreign(results) ? tool_advice(results) : NULL;
    if (known)
        advise(overall, known);
    advise_on_samples(overall, results, arena);
    const struct finding *interpreter = findings_find(findings, "interpreter");
    if (interpreter && interpreter->verdict == VERDICT_UNDECIDED && interpreter->advice_count)
        advise(overall, arena_printf(arena, "%s: %s", interpreter->reason, interpreter->advice[0]));
    advise_on_turns(overall, findings, results, arena);
    advise_on_names(overall, results, arena);
    const struct finding *lead = open_lead_of(findings, results);
    if (lead != interpreter)
        advise_on_open(overall, lead, arena);
    const struct finding *guesses = findings_find(findings, "branch-mispredicts");
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
        advise_to_look(overall, hottest, arena);
    if (!overall->confirm)
        overall->confirm = wording_find("verdict", "next-check");
}
