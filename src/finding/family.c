/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/family.h"

#include "base/scope.h"

#include "finding/wording.h"

struct interval share_of_run(const struct results *results, const struct finding *finding, struct interval share)
{
    if (finding->of == OF_CPU_TIME || !results->run || !results->run->on_cpu_ratio.known)
        return share;
    return interval_scaled(share, results->run->on_cpu_ratio.value);
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

bool stalls_are_attributed(const struct results *results, struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    if (stalls->attributed && stalls->sample_count)
        return true;
    const char *reason = stalls->why_no_code          ? stalls->why_no_code
                         : !stalls->sample_count      ? "no samples were taken"
                                                      : wording_find("common", "no-skid");
    finding_not_testable(finding, reason, wording_find("common", "remedy-counters"));
    return false;
}

void finding_reason_bound(struct finding *finding, const char *key, struct interval bound)
{
    finding_set(finding, reason, key, VALUE_SHARE("bound", interval_exactly(bound.known ? bound.high : 1)),
                VALUE_TEXT("of", denominator_name(finding->of)));
}

static bool name_matches(const struct stall_function *function, const struct name_pattern *pattern)
{
    if (pattern->prefix && strncmp(function->name, pattern->prefix, strlen(pattern->prefix)) != 0)
        return false;
    if (pattern->part && !strstr(function->name, pattern->part))
        return false;
    return !pattern->dso || strncmp(function->dso, pattern->dso, strlen(pattern->dso)) == 0;
}

struct name_matches functions_named(const struct stalls *stalls, const struct name_pattern *patterns, size_t count)
{
    struct name_matches matches = {0};
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        bool found = false;
        for (size_t pattern = 0; pattern < count && !found && !function->is_kernel; pattern++)
            found = name_matches(function, &patterns[pattern]);
        if (!found)
            continue;
        matches.samples += function->samples;
        if (!matches.hottest)
            matches.hottest = function;
    }
    return matches;
}

/* The time of functions that match by name is a fact; what leaving them out returns is up to all of it. */
void test_function_names(const struct results *results, struct finding *finding, const struct name_pattern *patterns,
                       size_t count)
{
    struct name_matches matches = functions_named(results->stalls, patterns, count);
    struct interval share = share_of_names(results, finding, (double)matches.samples);
    finding_decide_fact(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    bool seen = matches.hottest && share_of_samples(results, finding, (double)matches.samples).high >= results->effect;
    if (!seen) { /* only code without names could be that much */
        double total = (double)results->stalls->sample_count, unnamed = (double)results->stalls->unnamed_samples;
        scoped_text struct text share_text = {0};
        struct value value = VALUE_SHARE("", interval_exactly(total > 0 ? unnamed / total : 1));
        value_print(&share_text, &value);
        finding_not_testable(finding,
                             arena_printf(finding->arena, "it goes by names, and the code of %s of the samples has none",
                                          text_string(&share_text)),
                             wording_find("common", "remedy-names"));
        return;
    }
    if (matches.hottest) {
        finding->subject = matches.hottest->name;
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "named", VALUE_TEXT("function", matches.hottest->name),
                         VALUE_TEXT("dso", matches.hottest->dso), VALUE_SHARE("share", share));
    }
    finding_set(finding, reason, "gain", NO_VALUES);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline", VALUE_TEXT("function", matches.hottest->name),
                    VALUE_SHARE("share", share));
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}
