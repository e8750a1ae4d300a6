/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/family.h"

#include "analyse/code/code_origin.h"
#include "base/scope.h"
#include "base/vec.h"

#include "finding/estimated_place.h"
#include "finding/wording.h"

struct interval share_of_run(const struct results *results, const struct finding *finding, struct interval share)
{
    struct share_scale scale = share_scale_of(results);
    return share_as(share_of(OF_SAMPLES, share), finding->of, &scale);
}

void finding_decide_share(struct finding *finding, const struct results *results, struct share share)
{
    struct share_scale scale = share_scale_of(results);
    finding_decide(finding, share_as(share, finding->of, &scale), results->effect);
}

void finding_bound_share(struct finding *finding, const struct results *results, struct share most)
{
    struct share_scale scale = share_scale_of(results);
    struct interval bound = share_as(most, finding->of, &scale);
    finding_decide_bound(finding, bound.known ? bound.high : 1, results->effect);
}

struct measured cpus_allowed_to(const struct activity *activity)
{
    if (!activity)
        return not_measured("/proc was not watched");
    return activity->cpus_allowed.known ? activity->cpus_allowed : activity->cpus_online;
}

struct interval share_of_samples(const struct results *results, const struct finding *finding, double hits)
{
    double total = (double)results->stalls->sample_count;
    return share_of_run(results, finding, wilson_interval(hits, total, total));
}

static struct interval share_with_blind(const struct results *results, const struct finding *finding, double hits,
                                        double blind)
{
    struct interval seen = share_of_samples(results, finding, hits);
    double total = (double)results->stalls->sample_count;
    /* What is told by its file is unnamed all the same: it is in both. */
    struct interval most = share_of_samples(results, finding, hits + blind < total ? hits + blind : total);
    return seen.known ? interval_of(seen.low, seen.mid, most.high) : seen;
}

struct interval share_of_stalls(const struct results *results, const struct finding *finding, double hits)
{
    return share_with_blind(results, finding, hits, (double)results->stalls->blind_samples);
}

struct interval share_of_names(const struct results *results, const struct finding *finding, double hits)
{
    return share_with_blind(results, finding, hits, (double)results->stalls->unnamed_samples);
}

double estimated_mass(const struct results *results, unsigned causes)
{
    double laid = 0;
    for (int cause = 0; results->bottleneck && cause < CAUSE_COUNT; cause++)
        laid += causes & CAUSE_BIT(cause) ? results->bottleneck->masses[cause] : 0;
    return results->stalls ? laid * (double)results->stalls->sample_count : 0;
}

double estimated_samples(const struct results *results, unsigned causes)
{
    double laid = estimated_mass(results, causes);
    /* no bound is below what the same page foretells of a remedy: what is laid beside may wait along */
    const struct bottleneck_verdict *verdict = results->bottleneck ? &results->bottleneck->program : NULL;
    bool foretold = verdict && causes & CAUSE_BIT(verdict->cause) && verdict->recoverable.known && laid > 0;
    double returned = foretold ? verdict->recoverable.high * (double)results->stalls->sample_count : 0;
    return returned > laid ? returned : laid;
}

struct interval estimated_range(const struct results *results, unsigned causes)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    double sum = 0, low = 0, high = 0;
    for (int class = 0; bottleneck && class < BOTTLENECK_CLASS_COUNT; class++) {
        double whole = 0, own = 0;
        for (int cause = 0; cause < CAUSE_COUNT; cause++) {
            bool is_its = bottleneck_class_of((enum bottleneck_cause)cause) == (enum bottleneck_class)class;
            whole += is_its ? bottleneck->masses[cause] : 0;
            own += is_its && causes & CAUSE_BIT(cause) ? bottleneck->masses[cause] : 0;
        }
        const struct interval *range = &bottleneck->classes[class];
        bool is_wide = range->known && 2 * own > whole; /* what else may be the class's is its largest cause's */
        sum += own;
        low += is_wide && whole > 0 ? own * (range->low < whole ? range->low / whole : 1) : own;
        high += is_wide && range->high > whole ? own + range->high - whole : own;
    }
    return interval_of(low, sum, high < 1 ? high : 1);
}

double estimated_most(const struct results *results, unsigned causes)
{
    double laid = estimated_samples(results, causes);
    double most = results->stalls ? estimated_range(results, causes).high * (double)results->stalls->sample_count : 0;
    return most > laid ? most : laid;
}

/*
 * What the estimate lays at the causes, as wide as its own share is: what else its class holds is none of theirs. Of
 * some not all that is laid there waits for it: the verdict's share says how much of that is shown.
 */
static struct interval estimated_share(const struct results *results, const struct finding *finding, unsigned causes)
{
    const struct bottleneck_verdict *verdict = &results->bottleneck->program;
    struct share_scale scale = share_scale_of(results);
    struct interval laid = share_of_samples(results, finding, estimated_mass(results, causes)),
                    most = share_of_samples(results, finding, estimated_samples(results, causes)),
                    whole = share_as(share_of(OF_CPU_TIME, verdict->share), finding->of, &scale);
    if (verdict->class == BOTTLENECK_FRONTEND || verdict->cause == CAUSE_INDIRECT)
        return whole;
    if (!laid.known || !whole.known || !verdict->sampled.known || verdict->sampled.low <= 0)
        return laid.known && most.known ? interval_of(laid.low, laid.mid, most.high) : laid;
    double low = laid.low * verdict->share.low / verdict->sampled.low;
    double high = whole.high > most.high ? whole.high : most.high;
    return interval_of(low, laid.mid, high);
}

bool estimate_decides(const struct results *results, struct finding *finding, unsigned causes,
                      struct interval *ret_share)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    if (!bottleneck || bottleneck->program.confidence < ESTIMATE_MEDIUM)
        return false;
    const struct bottleneck_verdict *verdict = &bottleneck->program;
    if (!(causes & CAUSE_BIT(verdict->cause)))
        return false;
    struct interval share = estimated_share(results, finding, causes);
    if (!share.known || share.low < results->effect)
        return false;
    finding_decide_fact(finding, share, results->effect);
    finding->subject = verdict->instruction;
    finding->confidence_most = verdict->confidence == ESTIMATE_MEDIUM ? CONFIDENCE_MEDIUM : CONFIDENCE_NONE;
    for (size_t at = 0; at < verdict->evidence_count; at++)
        finding_evidence(finding, WEIGHT_FOR,
                         strcmp(verdict->evidence[at].origin, "code") == 0 ? ORIGIN_CODE : ORIGIN_SAMPLES, "estimated",
                         VALUE_TEXT("evidence", verdict->evidence[at].text));
    *ret_share = share;
    return true;
}

bool decide_by_estimate(const struct results *results, struct finding *finding, unsigned causes)
{
    struct interval share;
    if (!estimate_decides(results, finding, causes, &share))
        return false;
    struct estimated_place place = estimated_place_of(results, causes, share, finding->arena);
    finding_set(finding, headline, "headline-estimated", VALUE_TEXT("function", place.function),
                VALUE_SHARE("share", share), VALUE_TEXT("in", place.parts));
    finding_set(finding, reason, "gain-estimated", NO_VALUES);
    return true;
}

bool code_is_foreign(const struct results *results)
{
    static const double OWN_MOST = 0.01;
    const struct stalls *stalls = results->stalls;
    double own = 0, foreign = 0;
    for (size_t at = 0; stalls && at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        bool placed = function_is_interpreters(function) || code_is_installed(function->dso_path);
        double called = function->stacks ? (double)function->own_stacks / (double)function->stacks : 0;
        if (function->is_kernel)
            continue;
        own += placed ? called * (double)function->samples : (double)function->samples;
        foreign += placed ? (1 - called) * (double)function->samples : 0;
    }
    return foreign > 0 && own <= OWN_MOST * (own + foreign);
}

bool stalls_are_attributed(const struct results *results, struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    if (stalls->attributed && stalls->sample_count)
        return true;
    const char *reason = stalls->why_no_code     ? stalls->why_no_code
                         : !stalls->sample_count ? "no samples were taken"
                         : stalls->why_no_skid   ? wording_find("common", "skid-unknown")
                                                 : wording_find("common", "no-skid");
    bool again = !stalls->why_no_code && stalls->sample_count && stalls->why_no_skid;
    finding_not_testable(finding, reason, wording_find("common", again ? "remedy-again" : "remedy-counters"));
    return false;
}

void finding_reason_bound(struct finding *finding, const char *key, struct interval bound)
{
    finding_set(finding, reason, key, VALUE_SHARE("bound", interval_exactly(bound.known ? bound.high : 1)),
                VALUE_TEXT("of", denominator_name(finding->of)));
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "free" is "free", "free@@GLIBC_2.2.5" and "free.part.0", but not "freeze_cells" or "free_list". */
static bool is_whole_name(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    return strncmp(name, wanted, length) == 0 && (!name[length] || strchr("@.([", name[length]));
}

/* Words end where no letter follows: "memcpy" is in "__memcpy_avx_unaligned", not in "memcpyless". */
static bool has_word(const char *name, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(name, word); at; at = strstr(at + 1, word))
        if ((at == name || !is_letter(at[-1])) && !is_letter(at[length]))
            return true;
    return false;
}

/* "python" is python, python3.11 and python3-dbg; "libruby" is libruby-3.1.so.3.1. */
static bool is_binary(const char *dso, const char *stem)
{
    size_t length = strlen(stem);
    return strncmp(dso, stem, length) == 0 && !is_letter(dso[length]) && dso[length] != '_';
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), own = strlen(suffix);
    return length >= own && strcmp(name + length - own, suffix) == 0;
}

bool function_is_nameless(const struct stall_function *function)
{
    size_t length = function->dso ? strlen(function->dso) : 0;
    bool by_place = length && strncmp(function->name, function->dso, length) == 0 && function->name[length] == '+';
    return by_place || strncmp(function->name, "[JIT]", 5) == 0 || strncmp(function->name, "[unknown]", 9) == 0;
}

/* The text that a function without a name tells of itself, behind its place; "": none. */
static const char *remark_of(const struct stall_function *function)
{
    const char *remark = strstr(function->name, " (");
    return remark ? remark + 2 : "";
}

/* A place is named after its binary, and a text that it refers to talks of anything: neither is what it is called. */
/* HotSpot's maps have results and parameters: "int java.lang.String.hashCode()" is java.lang.String.hashCode(). */
static const char *without_result(const char *name)
{
    const char *parameters = strchr(name, '(');
    const char *space = parameters ? memrchr(name, ' ', (size_t)(parameters - name)) : NULL;
    bool is_plain = space && !memchr(name, '<', (size_t)(space - name)) && !strstr(name, "operator");
    return is_plain ? space + 1 : name;
}

static const char *called_of(const struct stall_function *function)
{
    if (!function_is_nameless(function))
        return without_result(function->name);
    const char *remark = remark_of(function);
    return strncmp(remark, "asserts as ", strlen("asserts as ")) == 0 ? remark : "";
}

bool function_has_name(const struct stall_function *function, const struct name_pattern *pattern)
{
    const char *called = called_of(function);
    return (!pattern->name || is_whole_name(called, pattern->name)) &&
           (!pattern->prefix || strncmp(called, pattern->prefix, strlen(pattern->prefix)) == 0) &&
           (!pattern->suffix || ends_in(called, pattern->suffix)) &&
           (!pattern->word || has_word(called, pattern->word)) &&
           (!pattern->tells || (function_is_nameless(function) && strstr(remark_of(function), pattern->tells))) &&
           (!pattern->dso || is_binary(function->dso, pattern->dso));
}

bool function_has_some_name(const struct stall_function *function, const struct name_pattern *patterns, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (!patterns[at].is_guess && function_has_name(function, &patterns[at]))
            return true;
    return false;
}

struct name_matches functions_named(const struct stalls *stalls, const struct name_pattern *patterns, size_t count)
{
    struct name_matches matches = {0};
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        bool certain = false, guessed = false;
        for (size_t pattern = 0; pattern < count && !function->is_kernel; pattern++) {
            bool matched = function_has_name(function, &patterns[pattern]);
            certain |= matched && !patterns[pattern].is_guess;
            guessed |= matched;
        }
        if (certain) {
            matches.samples += function->samples;
            matches.hottest = matches.hottest ? matches.hottest : function;
        } else if (guessed) {
            matches.guessed += function->samples;
            matches.hottest_guessed = matches.hottest_guessed ? matches.hottest_guessed : function;
        }
    }
    return matches;
}

static void names_not_testable(const struct results *results, struct finding *finding)
{
    double total = (double)results->stalls->sample_count, unnamed = (double)results->stalls->unnamed_samples;
    scoped_text struct text share_text = {0};
    struct value value = VALUE_SHARE("", interval_exactly(total > 0 ? unnamed / total : 1));
    value_print(&share_text, &value);
    finding_not_testable(finding,
                         arena_printf(finding->arena, "it goes by names, and the code of %s of the samples has none",
                                      text_string(&share_text)),
                         wording_find("common", "remedy-names"));
}

void test_function_names(const struct results *results, struct finding *finding, const struct name_pattern *patterns,
                         size_t count)
{
    struct name_matches matches = functions_named(results->stalls, patterns, count);
    test_name_matches(results, finding, &matches);
}

/* "at least 5.3 %": code that has no names may be such, too. */
static struct value named_value(struct finding *finding, struct interval named)
{
    if (!finding->is_at_least)
        return VALUE_SHARE("share", named);
    scoped_text struct text words = {0};
    struct value least = VALUE_SHARE("", interval_exactly(named.low));
    text_add(&words, "at least ");
    value_print(&words, &least);
    return VALUE_TEXT("share", arena_string(finding->arena, text_string(&words)));
}

void test_name_matches(const struct results *results, struct finding *finding, const struct name_matches *found)
{
    const struct name_matches matches = *found;
    struct interval certain = share_of_names(results, finding, (double)matches.samples);
    struct interval most = share_of_names(results, finding, (double)(matches.samples + matches.guessed));
    struct interval share = certain.known ? interval_of(certain.low, certain.mid, most.high) : certain;
    finding_decide_fact(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    double met = (double)(matches.samples + matches.guessed);
    if (met == 0 || share_of_samples(results, finding, met).high < results->effect) {
        names_not_testable(results, finding); /* only code without names could be that much */
        return;
    }
    const struct stall_function *hottest = matches.hottest ? matches.hottest : matches.hottest_guessed;
    struct interval named =
        share_of_samples(results, finding, (double)(matches.hottest ? matches.samples : matches.guessed));
    struct interval unnamed = share_of_samples(results, finding, (double)results->stalls->unnamed_samples);
    bool may_be_more = named.known && unnamed.known && unnamed.mid >= results->effect;
    finding->is_at_least = may_be_more && finding->verdict == VERDICT_SUPPORTED;
    if (finding->is_at_least)
        finding->shown = named;
    finding->subject = hottest->name;
    /* What a function is called is known by whoever knows the binary; that time goes there, the samples say. */
    finding_evidence(finding, matches.hottest ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_SAMPLES, "named",
                     VALUE_TEXT("function", hottest->name), VALUE_TEXT("dso", hottest->dso),
                     named_value(finding, named));
    if (may_be_more)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "unnamed", VALUE_SHARE("share", unnamed));
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline", VALUE_TEXT("function", hottest->name), named_value(finding, named),
                    VALUE_SHARE("own", share_of_samples(results, finding, (double)hottest->samples)));
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, reason, "gain", NO_VALUES);
    else
        finding_set(finding, reason, "guess", VALUE_TEXT("function", hottest->name),
                    VALUE_SHARE("share", interval_exactly(met / (double)results->stalls->sample_count)));
    finding_advise(finding, "advice", VALUE_TEXT("function", hottest->name));
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

/*
 * One instruction that fills a block, or copies one within a library's function for large blocks: whatever it goes over
 * it goes over in order.
 */
static bool is_block(const struct results *results, const struct stall_group *group)
{
    const char *text = group->row.text ? group->row.text : "";
    const struct stall_function *function = &results->stalls->functions[group->function];
    return strncmp(text, "rep stos", 8) == 0 ||
           (strncmp(text, "rep movs", 8) == 0 && hypothesis_copying.has_function(function));
}

bool group_goes_in_order(const struct results *results, const struct stall_group *group)
{
    if (is_block(results, group))
        return true;
    const struct bottleneck *bottleneck = results->bottleneck;
    const char *function = results->stalls->functions[group->function].name;
    double streamed = 0, ordered = 0, told = 0;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        if (!loop->verdict.function || strcmp(loop->verdict.function, function) != 0)
            continue;
        streamed += loop->masses[CAUSE_BANDWIDTH] * (double)loop->samples;
        ordered += loop->walks_in_order ? (double)loop->samples : 0;
        told += (double)loop->samples;
    }
    return group->in_order || (told >= 0.5 * (double)group->samples && (streamed > 0.5 * told || ordered > 0.5 * told));
}

bool runs_runtime(const struct results *results, const struct name_pattern *runtime)
{
    static const double LEAST = 0.01; /* what it compiled may have most of the samples */
    if (!results->stalls || !results->run || results->run->scope == RUN_MACHINE)
        return false;
    struct name_matches of_it = functions_named(results->stalls, runtime, 1);
    return of_it.samples && (double)of_it.samples >= LEAST * (double)results->stalls->sample_count;
}
