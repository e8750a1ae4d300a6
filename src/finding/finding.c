/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/finding.h"

#include "base/scope.h"
#include "base/vec.h"
#include "finding/hypothesis.h"
#include "finding/wording.h"

#include <assert.h>
#include <string.h>

static const char *const verdict_names[] = {
    [VERDICT_SUPPORTED] = "supported",
    [VERDICT_UNDECIDED] = "undecided",
    [VERDICT_RULED_OUT] = "ruled_out",
    [VERDICT_NOT_TESTABLE] = "not_testable",
};
_Static_assert(array_count(verdict_names) == VERDICT_COUNT, "a name for each verdict");

static const char *const origin_names[] = {
    [ORIGIN_SAMPLES] = "samples",     [ORIGIN_ADDRESSES] = "data addresses", [ORIGIN_PAGES] = "page tables",
    [ORIGIN_PROBE] = "probe",         [ORIGIN_COUNTERS] = "counters",        [ORIGIN_SCHEDULER] = "scheduler",
    [ORIGIN_CODE] = "code",           [ORIGIN_MACHINE] = "machine",          [ORIGIN_RUNS] = "runs",
    [ORIGIN_STATEMENT] = "statement",
};
_Static_assert(array_count(origin_names) == ORIGIN_COUNT, "a name for each origin");

bool finding_is(const struct finding *finding, const char *id)
{
    return strcmp(finding->hypothesis->id, id) == 0;
}

bool finding_is_disturbance(const struct finding *finding)
{
    return finding->hypothesis->is_disturbance && !finding->is_own_doing;
}

const char *verdict_name(enum verdict verdict)
{
    return verdict_names[verdict];
}

const char *confidence_name(enum confidence confidence)
{
    static const char *const names[] = {"none", "low", "medium", "high"};
    return names[confidence];
}

const char *origin_name(enum origin origin)
{
    return origin_names[origin];
}

const char *weight_name(enum weight weight)
{
    static const char *const names[] = {"for", "against", "context"};
    return names[weight];
}

const char *unit_name(enum unit unit)
{
    static const char *const names[] = {"text", "share", "seconds", "bytes", "bytes at least", "count", "factor"};
    return names[unit];
}

double finding_most_returned(const struct finding *finding)
{
    double share = finding->recoverable.high;
    if (finding->gain_unmeasured && !finding->far_end_waits && 2 * finding->recoverable.mid < share)
        share = 2 * finding->recoverable.mid;
    return share * (finding->of_seconds > 0 ? finding->of_seconds : 1);
}

bool finding_is_far_larger(const struct finding *finding, const struct finding *than)
{
    static const double FAR_LARGER = 2;
    return finding->verdict == VERDICT_SUPPORTED && !finding_is_disturbance(finding) && finding->headline &&
           !finding->is_within_first && finding_most_returned(finding) > FAR_LARGER * finding_most_returned(than);
}

void finding_decide(struct finding *finding, struct interval recoverable, double effect)
{
    finding->recoverable = interval_clamped(recoverable, 0, 1);
    if (!recoverable.known) {
        finding->verdict = VERDICT_UNDECIDED;
        return;
    }
    finding->verdict = finding->recoverable.low >= effect   ? VERDICT_SUPPORTED
                       : finding->recoverable.high < effect ? VERDICT_RULED_OUT
                                                            : VERDICT_UNDECIDED;
}

void finding_decide_fact(struct finding *finding, struct interval share, double effect)
{
    finding->gain_unmeasured = true;
    finding->recoverable = share.known ? interval_of(0, share.mid / 2, share.high > 1 ? 1 : share.high) : share;
    finding->verdict = !share.known          ? VERDICT_UNDECIDED
                       : share.low >= effect ? VERDICT_SUPPORTED
                       : share.high < effect ? VERDICT_RULED_OUT
                                             : VERDICT_UNDECIDED;
}

void finding_decide_bound(struct finding *finding, double upper, double effect)
{
    finding->gain_unmeasured = true;
    upper = upper > 1 ? 1 : upper;
    finding->recoverable = interval_of(0, upper / 2, upper);
    finding->verdict = upper < effect ? VERDICT_RULED_OUT : VERDICT_UNDECIDED;
}

/* What compilers put behind the name of a copy, a part or a clone: ".isra.0", ".constprop.0.cold". */
static size_t source_name_length(const char *name)
{
    static const char *const suffixes[] = {"constprop", "isra", "part", "cold", "lto_priv", "llvm"};
    for (const char *dot = strchr(name + (name[0] == '.'), '.'); dot; dot = strchr(dot + 1, '.'))
        for (size_t at = 0; at < array_count(suffixes); at++) {
            size_t length = strlen(suffixes[at]);
            bool is_suffix = dot > name && strncmp(dot + 1, suffixes[at], length) == 0 &&
                             (dot[1 + length] == '.' || !dot[1 + length]);
            if (is_suffix && strspn(dot, ".abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(dot))
                return (size_t)(dot - name);
        }
    return strlen(name);
}

/* "m4+0xefb0 (asserts as "next_token")": what it tells is cut to a line where it is made. */
static bool is_remarked(const char *name)
{
    size_t length = strlen(name);
    return length && name[length - 1] == ')' && strstr(name, "+0x") && strstr(name, " (");
}

/*
 * A template's name takes five lines, and a clone's ends in what only its compiler knows; the evidence's value has all
 * of it.
 */
const char *name_for_sentence(const char *name, struct arena *arena)
{
    enum { NAME_MOST = 70 };
    size_t length = source_name_length(name);
    if (!name[length] && (text_columns(name) <= NAME_MOST || is_remarked(name)))
        return name;
    scoped_text struct text out = {0};
    text_add_name(&out, arena_string_n(arena, name, length), NAME_MOST);
    return arena_string(arena, text_string(&out));
}

static const char *worded(struct finding *finding, const char *key, const struct value *values, size_t count)
{
    const char *text = wording_find(finding->hypothesis->id, key);
    text = text ? text : wording_find("common", key);
    assert(text && "data/advice.txt lacks a key that a hypothesis uses");
    struct value given[VALUES_MOST + 1]; /* … and of what its shares are, which each sentence may say */
    memcpy(given, values, count * sizeof(*given));
    for (size_t at = 0; at < count; at++)
        if (given[at].unit == UNIT_TEXT && given[at].text && strcmp(given[at].name, "function") == 0)
            given[at].text = name_for_sentence(given[at].text, finding->arena);
    given[count] = VALUE_TEXT("of", denominator_name(finding->of));
    return wording_fill(finding->arena, text, given, count + 1);
}

void finding_evidence_add(struct finding *finding, enum weight weight, enum origin origin, const char *key,
                          const struct value *values, size_t count)
{
    assert(finding->evidence_count < EVIDENCE_MOST && count <= VALUES_MOST);
    struct evidence *evidence = &finding->evidence[finding->evidence_count++];
    *evidence = (struct evidence){.weight = weight, .origin = origin, .key = key};
    evidence->text = worded(finding, key, values, count);
    for (size_t at = 0; at < count; at++)
        if (values[at].name[0])
            evidence->values[evidence->value_count++] = values[at];
}

void finding_set_add(struct finding *finding, const char **member, const char *key, const struct value *values,
                     size_t count)
{
    *member = worded(finding, key, values, count);
}

void finding_advise_add(struct finding *finding, const char *key, const struct value *values, size_t count)
{
    assert(finding->advice_count < ADVICE_MOST);
    finding->advice[finding->advice_count++] = worded(finding, key, values, count);
}

void finding_open_add(struct finding *finding, const char *key, const struct value *values, size_t count)
{
    assert(finding->open_count < OPEN_MOST);
    finding->open[finding->open_count++] = worded(finding, key, values, count);
}

void finding_not_testable(struct finding *finding, const char *reason, const char *remedy)
{
    finding->verdict = VERDICT_NOT_TESTABLE;
    finding->recoverable = (struct interval){0};
    finding->reason = reason;
    finding->remedy = remedy;
}

/* Samples, addresses and code stand on the same interrupts: together they are one independent look. */
static unsigned family_of(enum origin origin)
{
    switch (origin) {
    case ORIGIN_SAMPLES:
    case ORIGIN_ADDRESSES:
        return 1u << ORIGIN_SAMPLES;
    default:
        return 1u << origin;
    }
}

/* That it is there may be sure; of something between little and nearly all nobody is sure how much it matters. */
static bool amount_is_open(struct interval share)
{
    static const double TIMES_MOST = 3, WIDTH_MOST = 0.3;
    return share.known && share.high > TIMES_MOST * share.low && share.high - share.low > WIDTH_MOST;
}

/* Others' measurements: that they agree counts, how they were taken nobody here saw. */
static void rate_imported(struct finding *finding)
{
    scoped_text struct text reason = {0};
    int kinds = __builtin_popcount(finding->imported_kinds);
    bool decided = finding->verdict == VERDICT_SUPPORTED || finding->verdict == VERDICT_RULED_OUT;
    unsigned against = 0;
    for (size_t at = 0; at < finding->evidence_count; at++)
        against += finding->evidence[at].weight == WEIGHT_AGAINST;
    finding->confidence = !decided ? CONFIDENCE_NONE : kinds >= 2 && !against ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
    text_printf(&reason, "%d kind%s of imported evidence agree%s (", kinds, kinds == 1 ? "" : "s",
                kinds == 1 ? "s" : "");
    for (int origin = 0, said = 0; origin < ORIGIN_COUNT; origin++)
        if (finding->imported_kinds >> origin & 1)
            text_printf(&reason, "%s%s", said++ ? ", " : "", origin_name((enum origin)origin));
    text_add(&reason, "), none of it measured by plumb");
    if (against)
        text_printf(&reason, "; %u against", against);
    if (finding->verdict == VERDICT_SUPPORTED && finding->not_separated)
        text_printf(&reason, "; not told apart: %s", finding->not_separated);
    finding->confidence_reason = arena_string(finding->arena, text_string(&reason));
}

void finding_rate(struct finding *finding, double sample_count)
{
    unsigned families = 0, against = 0, sampled = 0;
    for (size_t at = 0; at < finding->evidence_count; at++) {
        const struct evidence *evidence = &finding->evidence[at];
        families |= evidence->weight == WEIGHT_FOR ? family_of(evidence->origin) : 0;
        against += evidence->weight == WEIGHT_AGAINST;
        sampled |= evidence->origin == ORIGIN_SAMPLES || evidence->origin == ORIGIN_ADDRESSES;
    }
    int agreeing = __builtin_popcount(families & ~(1u << ORIGIN_STATEMENT));
    bool few = sampled && sample_count < 500;
    scoped_text struct text reason = {0};
    if (finding->verdict == VERDICT_NOT_TESTABLE || finding->verdict == VERDICT_UNDECIDED)
        finding->confidence = CONFIDENCE_NONE;
    else if (agreeing == 0)
        finding->confidence = finding->verdict == VERDICT_RULED_OUT ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
    else
        finding->confidence = against || (sampled && sample_count < 100) ? CONFIDENCE_LOW
                              : agreeing >= 2 && !few                    ? CONFIDENCE_HIGH
                                                                         : CONFIDENCE_MEDIUM;
    bool supported = finding->verdict == VERDICT_SUPPORTED;
    if (finding->imported_kinds && agreeing == 0) {
        rate_imported(finding);
        return;
    }
    if (supported && finding->not_separated && finding->confidence > CONFIDENCE_MEDIUM)
        finding->confidence = CONFIDENCE_MEDIUM;
    bool limited =
        supported && finding->confidence_most != CONFIDENCE_NONE && finding->confidence > finding->confidence_most;
    if (limited)
        finding->confidence = finding->confidence_most;
    bool wide = supported && !finding->gain_unmeasured && amount_is_open(finding->recoverable);
    if (wide && finding->confidence > CONFIDENCE_MEDIUM)
        finding->confidence = CONFIDENCE_MEDIUM;
    text_printf(&reason, "%d independent kind%s of evidence agree%s", agreeing, agreeing == 1 ? "" : "s",
                agreeing == 1 ? "s" : "");
    if (sampled)
        text_printf(&reason, ", %.0f samples", sample_count);
    if (against)
        text_printf(&reason, ", %u against", against);
    if (limited)
        text_printf(&reason, "; the estimate below is no surer than %s", confidence_name(finding->confidence));
    if (wide)
        text_add(&reason, "; how much it is stays open");
    if (supported && finding->not_separated)
        text_printf(&reason, "; not told apart: %s", finding->not_separated);
    finding->confidence_reason = arena_string(finding->arena, text_string(&reason));
}
