/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/comparison/confirmation.h"

#include "base/json/json_measured.h"
#include "base/scope.h"
#include "render/comparison/run_value.h"
#include "statistics/json_interval.h"

#include <math.h>
#include <string.h>

static void add_share(struct text *out, double share)
{
    text_printf(out, fabs(share) < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share);
}

static void add_span(struct text *out, const struct interval *gain)
{
    text_printf(out, "%.1f to %.1f %%", 100 * gain->low, 100 * gain->high);
}

/* ---- the sentence ---- */

/* What two runs of the same differ by is no gain. */
static bool is_not_made(const struct confirmation_report *report)
{
    return report->took_hold && strcmp(report->took_hold, "no") == 0;
}

static void add_open(struct text *out, const struct confirmation_report *report)
{
    const struct confirmation *confirmation = report->confirmation;
    switch (confirmation->reason) {
    case CONFIRMATION_NO_RATIO:
        text_printf(out, "inconclusive: %s", report->comparison->decisive.why_not ? report->comparison->decisive.why_not
                                                                                     : "a run took nothing measurable");
        break;
    case CONFIRMATION_FEW:
        text_printf(out, "inconclusive: %zu pairs give no interval, %d do", confirmation->pair_count,
                    COMPARISON_PAIRS_LEAST);
        break;
    case CONFIRMATION_NOISE:
        text_add(out, "inconclusive: the command differs from itself by as much");
        break;
    case CONFIRMATION_NO_LEAST:
        text_add(out, "inconclusive: this change returns less than ");
        add_share(out, report->foretold.effect);
        text_add(out, ", but the finding bounds the gain from above only: another change may return more");
        break;
    case CONFIRMATION_NOT_MADE:
        if (is_not_made(report))
            text_printf(out, "inconclusive, because the change did not take hold: %s", report->not_taken);
        else
            text_printf(out, "inconclusive: no such gain, but %s",
                        report->not_taken ? report->not_taken : "whether the change took hold isn't known");
        break;
    case CONFIRMATION_STANDS:
        text_printf(
            out,
            "not overturned: wrong guesses can take up to %.0f %% of the CPU time; whether they do, this doesn't tell",
            100 * confirmation->realised.high);
        break;
    case CONFIRMATION_WIDE:
    case CONFIRMATION_BY_INTERVALS:
        text_printf(out, "inconclusive: the %s is known to %.1f .. %.1f %% only",
                    confirmation->measure == CONFIRMATION_SLOWDOWN ? "slow-down" : "realised gain",
                    100 * confirmation->realised.low, 100 * confirmation->realised.high);
        break;
    }
    if (confirmation->pairs_needed > 0)
        text_printf(out, "; about %.0f pairs would tell", confirmation->pairs_needed);
}

/* Of what isn't a gain. False: there is nothing else to say than of a gain. */
static bool add_other_measure(struct text *out, const struct confirmation *confirmation)
{
    if (confirmation->verdict == CONFIRMATION_INCONCLUSIVE || confirmation->measure == CONFIRMATION_GAIN)
        return false;
    if (confirmation->measure == CONFIRMATION_SHARE)
        text_printf(out,
                    "overturned: wrong guesses can take at most %.1f %% of the CPU time, less than half of the %.1f %% "
                    "or more that was claimed",
                    100 * confirmation->realised.high, 100 * confirmation->foretold.low);
    else if (confirmation->verdict == CONFIRMATION_OVERTURNED)
        text_add(out, "overturned: it isn't as much slower beside others that use memory bandwidth as what waits for "
                      "that would be");
    else if (confirmation->verdict == CONFIRMATION_MORE)
        text_add(
            out,
            "not overturned: it is even slower beside others that use memory bandwidth than a wait for that explains");
    else
        text_add(out, "confirmed: it is slower beside others that use memory bandwidth, by about what was foretold");
    return true;
}

static bool is_in_part(const struct confirmation_report *report)
{
    return report->confirmation->extent.known && report->foretold.kind == FORETOLD_GAIN && !is_not_made(report);
}

/* "page faults: 51 % went, so 3.4 to 5.6 % was to be expected" */
static void add_extent(struct text *out, const struct confirmation_report *report)
{
    const struct confirmation *confirmation = report->confirmation;
    bool rises = report->sign && report->sign->unit == RUN_SHARE;
    text_printf(out, "%s: %.0f %% %s, so ", report->sign ? report->sign->label : "what shows it",
                100 * confirmation->extent.mid, rises ? "of what could become so did" : "went");
    add_span(out, &confirmation->expected);
    text_add(out, " was to be expected");
}

/* False: it took hold as a whole, or that is none of this verdict's. */
static bool add_in_part(struct text *out, const struct confirmation_report *report)
{
    const struct confirmation *confirmation = report->confirmation;
    const struct interval *realised = &confirmation->realised;
    if (!is_in_part(report))
        return false;
    if (confirmation->verdict == CONFIRMATION_CONFIRMED && realised->mid <= confirmation->expected.high)
        text_add(out, "confirmed, as far as it took hold: ");
    else if (confirmation->verdict == CONFIRMATION_CONFIRMED)
        text_add(out, "confirmed, although it took hold in part only: ");
    else if (confirmation->verdict == CONFIRMATION_OVERTURNED && realised->low > 0)
        text_add(out, "overturned: there is a gain, but less than was foretold even for the part that took hold: ");
    else
        return false;
    add_extent(out, report);
    return true;
}

void confirmation_sentence(struct text *out, const struct confirmation_report *report)
{
    if (add_other_measure(out, report->confirmation) || add_in_part(out, report))
        return;
    const struct confirmation *confirmation = report->confirmation;
    const struct interval *realised = &confirmation->realised;
    const struct foretold *foretold = &report->foretold;
    switch (confirmation->verdict) {
    case CONFIRMATION_CONFIRMED:
        text_add(out, "confirmed: ");
        if (foretold->kind == FORETOLD_NONE)
            text_add(out, "it returns nothing that counts, as was ruled out");
        else if (foretold->kind == FORETOLD_BOUND && realised->mid >= foretold->gain.high)
            text_add(out, "it returns about the most that was to expect");
        else if (foretold->kind == FORETOLD_BOUND)
            text_add(out, "it returns a part of what was the most to expect");
        else
            text_add(out, "the gain came as foretold");
        break;
    case CONFIRMATION_MORE:
        text_add(out, "confirmed, and more than predicted: the cause costs more than the case says, or the change does "
                      "something else, too");
        break;
    case CONFIRMATION_OVERTURNED:
        text_add(out, "overturned: ");
        if (foretold->kind == FORETOLD_NONE)
            text_add(out, "it was ruled out, and yet it returns more");
        else if (realised->low > 0)
            text_add(out, "there is a gain, but less than was foretold");
        else if (realised->high < 0)
            text_add(out, "the change makes it slower");
        else
            text_add(out, "the gain that was foretold isn't there");
        break;
    case CONFIRMATION_INCONCLUSIVE:
        add_open(out, report);
        break;
    }
}

/* ---- the page ---- */

static void add_labelled(struct page *page, const char *label, const char *text)
{
    enum {
        INDENT = 14
    };
    page_printf(page, PAGE_STRONG, "  %-12s", label);
    page_paragraph(page, PAGE_PLAIN, INDENT, INDENT, text);
}

static void add_verdict_under_test(struct page *page, const struct confirmation_report *report)
{
    scoped_text struct text line = {0};
    text_printf(&line, "%s (%s, %s)", report->sentence, report->finding, report->finding_verdict);
    add_labelled(page, "Under test", text_string(&line));
    text_clear(&line);
    const struct foretold *foretold = &report->foretold;
    switch (foretold->kind) {
    case FORETOLD_GAIN:
        text_add(&line, "removing it returns ");
        add_span(&line, &foretold->gain);
        break;
    case FORETOLD_BOUND:
    case FORETOLD_NONE:
        text_add(&line, "removing it returns at most ");
        add_share(&line, foretold->gain.high);
        break;
    }
    text_printf(&line, " of the %s", report->of);
    if (foretold->kind == FORETOLD_NONE && foretold->effect > foretold->gain.high) {
        text_add(&line, "; surely more than ");
        add_share(&line, foretold->effect);
        text_add(&line, " would overturn that");
    }
    add_labelled(page, "Prediction", text_string(&line));
}

static void add_experiment(struct page *page, const struct confirmation_report *report)
{
    scoped_text struct text line = {0};
    if (!report->made) {
        add_labelled(page, "Experiment",
                     report->option_count
                         ? "none of those that would overturn it can be made here; why not stands at Not made"
                         : "none is known that would overturn it: what would is beyond this machine, or "
                           "beyond a change of the command");
        return;
    }
    text_printf(&line, "%s: %s", report->made->name, report->made->change);
    if (!report->is_one_look)
        text_printf(&line, ", against %s", report->is_live ? "it as it runs" : "the command as it was");
    text_printf(&line, "; overturned by: %s", report->made->overturns);
    add_labelled(page, "Experiment", text_string(&line));
    add_labelled(page, report->is_one_look ? "  of" : "  A", report->command_a);
    if (!report->is_one_look)
        add_labelled(page, "  B", report->command_b);
    if (report->directory)
        add_labelled(page, "  in", report->directory);
}

static void add_seconds(struct text *out, double seconds)
{
    if (seconds < 120)
        text_printf(out, "%.3g s", seconds);
    else
        text_printf(out, "%.0f minutes", seconds / 60);
}

/* The command is run again, often: how often, and how long that takes. */
static void add_plan(struct page *page, const struct confirmation_report *report)
{
    const struct confirmation_plan *plan = &report->plan;
    scoped_text struct text line = {0};
    if (!report->made)
        return;
    if (report->is_live) {
        add_labelled(page, "Cost", "some seconds on the running process, which goes on meanwhile");
        return;
    }
    if (report->is_one_look) {
        if (plan->looks > 1)
            text_printf(&line, "the command is run %zu times more, which takes about %.3g s (--time)", plan->looks,
                        (double)plan->looks * plan->run_s.value);
        else
            text_add(&line, "the command is run once more, for 5 s at the most (--time)");
        add_labelled(page, "Cost", text_string(&line));
        return;
    }
    size_t least = plan->blocks_least * plan->runs_a_block, most = plan->blocks_most * plan->runs_a_block;
    text_printf(&line, "the command is run again %zu times at least", least);
    if (most > least)
        text_printf(&line, ", %zu at the most", most);
    if (plan->seconds_most > 0)
        text_printf(&line, ", as many as start within %.3g s", plan->seconds_most);
    if (plan->budget_s > 0)
        text_printf(&line, ", none beginning after %.3g s (--budget) once there are %d blocks", plan->budget_s,
                    COMPARISON_PAIRS_LEAST);
    if (plan->run_s.known) {
        text_add(&line, "; a run took ");
        add_seconds(&line, plan->run_s.value);
        text_add(&line, " in the case, so that is ");
        add_seconds(&line, plan->run_s.value * (double)least);
        text_add(&line, " or more");
    }
    add_labelled(page, "Cost", text_string(&line));
}

static void add_measure(struct page *page, const struct confirmation *confirmation)
{
    bool is_share = confirmation->measure == CONFIRMATION_SHARE;
    const struct interval *foretold = &confirmation->foretold, *realised = &confirmation->realised;
    text_printf(page->out, "\n  %s  %6.1f %%  [%.1f .. %.1f]\n", is_share ? "claimed share     " : "foretold slow-down",
                100 * foretold->mid, 100 * foretold->low, 100 * foretold->high);
    if (realised->known && is_share)
        text_printf(page->out, "  possible share      at most %.1f %%\n", 100 * realised->high);
    else if (realised->known)
        text_printf(page->out, "  slow-down           %6.1f %%  [%.1f .. %.1f]\n", 100 * realised->mid,
                    100 * realised->low, 100 * realised->high);
    if (confirmation->noise_ratio.known)
        text_printf(page->out, "  noise floor         %6.1f %%  A against itself, at the most\n",
                    100 * confirmation->noise_ratio.value);
    text_add(page->out, "\n");
}

static void add_expected(struct text *out, const struct confirmation *confirmation)
{
    const struct interval *expected = &confirmation->expected, *extent = &confirmation->extent;
    text_printf(out, "    of which      %6.1f %%  [%.1f .. %.1f]   for what took hold, %.0f %% [%.0f .. %.0f]\n",
                100 * expected->mid, 100 * expected->low, 100 * expected->high, 100 * extent->mid, 100 * extent->low,
                100 * extent->high);
}

static void add_gains(struct page *page, const struct confirmation_report *report)
{
    if (report->confirmation->measure != CONFIRMATION_GAIN) {
        add_measure(page, report->confirmation);
        return;
    }
    const struct confirmation *confirmation = report->confirmation;
    const struct foretold *foretold = &report->foretold;
    const char *label = report->comparison->decisive.quantity->label;
    text_add(page->out, "\n");
    if (foretold->kind == FORETOLD_GAIN)
        text_printf(page->out, "  predicted gain  %6.1f %%  [%.1f .. %.1f]\n", 100 * foretold->gain.mid,
                    100 * foretold->gain.low, 100 * foretold->gain.high);
    else
        text_printf(page->out, "  predicted gain  at most %.1f %%\n", 100 * foretold->gain.high);
    if (is_in_part(report))
        add_expected(page->out, confirmation);
    if (is_not_made(report))
        text_add(page->out, "  realised gain   not measured, because the change did not take hold\n");
    else if (confirmation->realised.known && confirmation->pair_count < 2)
        text_printf(page->out, "  realised gain   %6.1f %%  of one pair of runs: no interval\n",
                    100 * confirmation->realised.mid);
    else if (confirmation->realised.known)
        text_printf(page->out, "  realised gain   %6.1f %%  [%.1f .. %.1f]   %s\n", 100 * confirmation->realised.mid,
                    100 * confirmation->realised.low, 100 * confirmation->realised.high,
                    report->comparison->too_few_pairs ? "the range, no interval" : label);
    if (confirmation->noise_ratio.known)
        text_printf(page->out, "  noise floor     %6.1f %%  A against itself, at the most\n",
                    100 * confirmation->noise_ratio.value);
    text_add(page->out, "\n");
}

static void add_sign(struct page *page, const struct confirmation_report *report)
{
    scoped_text struct text line = {0};
    if (!report->sign)
        return;
    text_printf(&line, "%s: ", report->sign->label);
    if (report->sign_a.known && report->sign_b.known) {
        char a[32], b[32];
        run_value_print(a, sizeof(a), report->sign_a.value, report->sign->unit);
        run_value_print(b, sizeof(b), report->sign_b.value, report->sign->unit);
        text_printf(&line, "%s in A, %s in B", a, b);
    } else {
        text_printf(&line, "not measured, because %s",
                    report->sign_a.known ? report->sign_b.why_not : report->sign_a.why_not);
    }
    add_labelled(page, "Took hold", text_string(&line));
}

static void add_result(struct page *page, const struct confirmation_report *report)
{
    static const enum page_meaning meanings[] = {[CONFIRMATION_CONFIRMED] = PAGE_GOOD,
                                                 [CONFIRMATION_MORE] = PAGE_GOOD,
                                                 [CONFIRMATION_OVERTURNED] = PAGE_BAD,
                                                 [CONFIRMATION_INCONCLUSIVE] = PAGE_WARNING};
    scoped_text struct text line = {0};
    add_gains(page, report);
    add_sign(page, report);
    if (report->block_count)
        text_printf(&line, "%zu block%s in ", report->block_count, report->block_count == 1 ? "" : "s");
    text_printf(&line, "%.1f s: %s", report->elapsed_s, report->stopped ? report->stopped : "done");
    add_labelled(page, "Ran", text_string(&line));
    text_clear(&line);
    confirmation_sentence(&line, report);
    page_printf(page, meanings[report->confirmation->verdict], "\n  ");
    page_paragraph(page, meanings[report->confirmation->verdict], 2, 2, text_string(&line));
}

static void add_others(struct page *page, const struct confirmation_report *report)
{
    bool any = false;
    for (size_t at = 0; at < report->option_count; at++) {
        const struct confirmation_option *option = &report->options[at];
        if (option == report->made)
            continue;
        scoped_text struct text line = {0};
        text_printf(&line, "%s: %s", option->name, option->why_not ? option->why_not : "dearer than the one above");
        add_labelled(page, any ? "" : "Not made", text_string(&line));
        any = true;
    }
}

void confirmation_text(struct page *page, const struct confirmation_report *report)
{
    add_verdict_under_test(page, report);
    add_experiment(page, report);
    if (!report->comparison)
        add_plan(page, report);
    for (size_t at = 0; at < report->note_count; at++)
        add_labelled(page, at ? "" : "Note", report->notes[at]);
    if (report->comparison)
        add_result(page, report);
    text_add(page->out, "\n");
    add_others(page, report);
}

/* ---- JSON ---- */

static void json_foretold(struct json_writer *json, const struct confirmation_report *report)
{
    static const char *const kinds[] = {
        [FORETOLD_GAIN] = "gain", [FORETOLD_BOUND] = "at_most", [FORETOLD_NONE] = "none"};
    json_object_open(json, "under_test");
    json_string(json, "finding", report->finding);
    json_string(json, "verdict", report->finding_verdict);
    json_string(json, "sentence", report->sentence);
    json_string(json, "of", report->of);
    json_double(json, "effect", report->foretold.effect);
    json_string(json, "foretells", kinds[report->foretold.kind]);
    json_interval(json, "predicted_gain", report->foretold.gain);
    json_object_close(json);
}

static void json_plan(struct json_writer *json, const struct confirmation_report *report)
{
    if (report->is_live || report->is_one_look) {
        json_null(json, "plan");
        return;
    }
    json_object_open(json, "plan");
    json_u64(json, "blocks_least", report->plan.blocks_least);
    json_u64(json, "blocks_most", report->plan.blocks_most);
    json_u64(json, "runs_a_block", report->plan.runs_a_block);
    if (report->plan.budget_s > 0)
        json_double(json, "budget_s", report->plan.budget_s);
    else
        json_null(json, "budget_s");
    json_measured(json, "run_s", report->plan.run_s);
    json_object_close(json);
}

static void json_result(struct json_writer *json, const struct confirmation_report *report)
{
    const struct confirmation *confirmation = report->confirmation;
    scoped_text struct text sentence = {0};
    confirmation_sentence(&sentence, report);
    json_string(json, "verdict", confirmation_verdict_name(confirmation->verdict));
    json_string(json, "sentence", text_string(&sentence));
    json_string(json, "quantity", report->comparison->decisive.quantity->name);
    static const char *const measures[] = {
        [CONFIRMATION_GAIN] = "gain", [CONFIRMATION_SLOWDOWN] = "slow_down", [CONFIRMATION_SHARE] = "share_at_most"};
    bool is_gain = confirmation->measure == CONFIRMATION_GAIN;
    json_string(json, "measure", measures[confirmation->measure]);
    json_interval(json, "foretold", is_gain ? report->foretold.gain : confirmation->foretold);
    json_interval(json, "measured", confirmation->realised);
    json_interval(json, "realised_gain",
                  is_gain && !is_not_made(report) ? confirmation->realised : (struct interval){0});
    json_bool(json, "is_range", report->comparison->too_few_pairs);
    json_measured(json, "noise_floor", confirmation->noise_ratio);
    json_u64(json, "pairs", confirmation->pair_count);
    if (confirmation->pairs_needed > 0)
        json_double(json, "pairs_needed", confirmation->pairs_needed);
    else
        json_null(json, "pairs_needed");
    json_string(json, "took_hold", report->took_hold);
    json_interval(json, "took_hold_share", confirmation->extent);
    json_interval(json, "expected_gain", confirmation->expected);
    json_string(json, "sign", report->sign ? report->sign->label : NULL);
    json_measured(json, "sign_a", report->sign_a);
    json_measured(json, "sign_b", report->sign_b);
    json_double(json, "elapsed_s", report->elapsed_s);
    json_string(json, "stopped", report->stopped);
}

void confirmation_json(struct text *out, const struct confirmation_report *report)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_string(&json, "format", "plumb confirmation");
    json_u64(&json, "schema", 1);
    json_string(&json, "made_by", "plumb " PLUMB_VERSION);
    json_foretold(&json, report);
    json_string(&json, "experiment", report->made ? report->made->name : NULL);
    json_string(&json, "change", report->made ? report->made->change : NULL);
    json_string(&json, "overturned_by", report->made ? report->made->overturns : NULL);
    json_string(&json, "a", report->command_a);
    json_string(&json, "b", report->command_b);
    json_string(&json, "directory", report->directory);
    json_plan(&json, report);
    if (report->comparison)
        json_result(&json, report);
    json_array_open(&json, "notes");
    for (size_t at = 0; at < report->note_count; at++)
        json_string(&json, NULL, report->notes[at]);
    json_array_close(&json);
    json_array_open(&json, "not_made");
    for (size_t at = 0; at < report->option_count; at++) {
        const struct confirmation_option *option = &report->options[at];
        if (option == report->made)
            continue;
        json_object_open(&json, NULL);
        json_string(&json, "experiment", option->name);
        json_string(&json, "change", option->change);
        json_string(&json, "why", option->why_not ? option->why_not : "dearer than the one that was made");
        json_object_close(&json);
    }
    json_array_close(&json);
    json_object_close(&json);
}
