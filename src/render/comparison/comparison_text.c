/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "base/vec.h"
#include "render/comparison/comparison.h"
#include "render/comparison/run_value.h"

#include <math.h>
#include <string.h>

static void add_remark(struct page *page, enum page_meaning meaning, const char *text)
{
    text_add(page->out, "  ");
    page_paragraph(page, meaning, 2, 2, text);
}

/* Columns of the longest label, within reason. */
static int label_columns(const struct comparison_report *report)
{
    enum {
        LEAST = 10,
        MOST = 23
    };
    int columns = LEAST;
    for (size_t at = 0; at < report->arm_count; at++) {
        int length = (int)strnlen(report->table->arms[at].label, MOST);
        columns = length > columns ? length : columns;
    }
    return columns;
}

static void add_arms(struct page *page, const struct comparison_report *report)
{
    int columns = label_columns(report);
    for (size_t at = 0; at < report->arm_count; at++) {
        const struct comparison *item = &report->items[at ? at - 1 : 0];
        const struct interval *time = at ? &item->decisive.b : &item->decisive.a;
        enum run_unit unit = item->decisive.quantity->unit;
        char mid[32] = "not measured", low[32] = "", high[32] = "", label[24];
        if (time->known) {
            run_value_print(mid, sizeof(mid), time->mid, unit);
            run_value_print(low, sizeof(low), time->low, unit);
            run_value_print(high, sizeof(high), time->high, unit);
        }
        snprintf(label, sizeof(label), "%s", report->table->arms[at].label);
        page_printf(page, PAGE_STRONG, "  %-*s", columns, label);
        page_printf(page, PAGE_PLAIN, " %12s", mid);
        if (time->known && item->decisive.pair_count == 1)
            page_printf(page, PAGE_FAINT, "   of one run");
        else if (time->known)
            page_printf(page, PAGE_FAINT, "   quartiles %s .. %s", low, high);
        text_add(page->out, "\n");
        text_add_repeated(page->out, " ", 13);
        page_paragraph(page, PAGE_FAINT, 13, 13, report->table->arms[at].command);
    }
}

/* The interval of the ratio beside "no difference". */
static void add_strip(struct page *page, const struct interval *ratio)
{
    enum {
        HALF = 30
    };
    double reach = fmax(fabs(ratio->low - 1), fabs(ratio->high - 1));
    if (!page->unicode || !(reach > 0) || !isfinite(reach))
        return;
    double scale = HALF / reach;
    int low = HALF + (int)lround((ratio->low - 1) * scale), high = HALF + (int)lround((ratio->high - 1) * scale);
    int mid = HALF + (int)lround((ratio->mid - 1) * scale);
    text_add_repeated(page->out, " ", 13);
    for (int at = 0; at <= 2 * HALF; at++) {
        const char *mark = at == mid ? "●" : at == low ? "├" : at == high ? "┤" : at > low && at < high ? "─" : " ";
        text_add(page->out, at == HALF && (at < low || at > high) ? "│" : mark);
    }
    text_printf(page->out, "\n%*sfaster %*s│ 0%*sslower\n", 13, "", HALF - 7, "", HALF - 8, "");
}

/* A steadier time to decide by than the one that decided. */
static const char *steadier_than(const char *key)
{
    static const struct {
        const char *key, *by;
    } steadier[] = {{"wall", "--by cpu or user, "}, {"cpu", "--by user, "}};
    for (size_t at = 0; at < array_count(steadier); at++)
        if (strcmp(steadier[at].key, key) == 0)
            return steadier[at].by;
    return "";
}

/* More pairs than anyone waits for. */
static const double hopeless_pairs = 2000;

/* Elapsed time has the noise of all who share the machine; CPU time often tells what it can't. */
static void add_by_cpu(struct page *page, const struct comparison *item)
{
    for (size_t at = 0; at < item->effect_count && strcmp(item->decisive.quantity->name, "wall") == 0; at++) {
        const struct quantity_effect *effect = &item->effects[at];
        if (strcmp(effect->quantity->name, "cpu") != 0 || !effect_differs(effect) || !effect->ratio.known)
            continue;
        text_printf(page->out,
                    "             Its %s does differ: %+.1f %% [%+.1f .. %+.1f]; --by cpu decides by that.\n",
                    effect->quantity->label, 100 * (effect->ratio.mid - 1), 100 * (effect->ratio.low - 1),
                    100 * (effect->ratio.high - 1));
    }
}

static void add_undecided(struct page *page, const struct comparison *item)
{
    const struct interval *ratio = &item->ratio;
    double effect = 100 * item->request.effect_ratio;
    size_t pairs = item->decisive.pair_count;
    page_printf(page, PAGE_WARNING, "  undecided: %s / %s = %.4f", item->b->label, item->a->label, ratio->mid);
    if (pairs == 1) {
        text_printf(page->out,
                    ", of one run of each: how far that can be trusted isn't known; an interval that is %.3g %% sure "
                    "needs %zu\n",
                    100 * (1 - item->request.alpha), item->pairs_least);
        return;
    }
    page_printf(page, PAGE_WARNING, " [%.4f .. %.4f]", ratio->low, ratio->high);
    if (item->too_few_pairs) {
        text_printf(page->out, ", the range of %zu pairs; an interval that is %.3g %% sure needs %zu\n", pairs,
                    100 * (1 - item->request.alpha), item->pairs_least);
        return;
    }
    if (item->lost_in_noise) {
        text_printf(page->out, ", but %s differs from itself as much\n", item->a->label);
        return;
    }
    text_printf(page->out, ", which holds both no difference and more than %.3g %%\n", effect);
    double most_pairs = item->pairs_for_seen > 0 ? item->pairs_for_seen : item->pairs_needed;
    if (most_pairs > hopeless_pairs) {
        text_printf(
            page->out,
            "             Nothing can be said of so small a difference in this noise: about %.0f pairs would tell.\n"
            "             What helps: %smore work a run, --cpu LIST, a quieter machine",
            most_pairs, steadier_than(item->decisive.quantity->name));
        if (item->detectable < 0.5)
            text_printf(page->out, "; or --effect %.0f", ceil(100 * item->detectable));
        text_add(page->out, ".\n");
    }
    else if (item->pairs_for_seen > 0)
        text_printf(page->out, "             about %.0f pairs would tell, if the difference is the one that it seems\n",
                    most_pairs);
    else if (most_pairs > 0)
        text_printf(page->out, "             about %.0f pairs would tell\n", most_pairs);
    add_by_cpu(page, item);
}

static void add_verdict(struct page *page, const struct comparison *item)
{
    const struct interval *ratio = &item->ratio;
    const char *what = item->decisive.quantity->label, *a = item->a->label, *b = item->b->label;
    double level = 100 * (1 - item->request.alpha);
    if (!ratio->known) {
        page_printf(page, PAGE_WARNING, "  no ratio of %s and %s: %s\n", b, a,
                    item->decisive.why_not ? item->decisive.why_not : "a run took nothing measurable");
        return;
    }
    switch (item->verdict) {
    case COMPARISON_FASTER:
        page_printf(page, PAGE_GOOD, "  %s takes %.1f %% less %s than %s", b, 100 * (1 - ratio->mid), what, a);
        text_printf(page->out, "   [%.1f .. %.1f %%, %.3g %% sure]\n", 100 * (1 - ratio->high), 100 * (1 - ratio->low),
                    level);
        break;
    case COMPARISON_SLOWER:
        page_printf(page, PAGE_BAD, "  %s takes %.1f %% more %s than %s", b, 100 * (ratio->mid - 1), what, a);
        text_printf(page->out, "   [%.1f .. %.1f %%, %.3g %% sure]\n", 100 * (ratio->low - 1), 100 * (ratio->high - 1),
                    level);
        break;
    case COMPARISON_EQUIVALENT:
        page_printf(page, PAGE_GOOD, "  %s is the same as %s within %.3g %%", b, a, 100 * item->request.effect_ratio);
        text_printf(page->out, ": ratio %.4f [%.4f .. %.4f, %.3g %% sure]\n", ratio->mid, ratio->low, ratio->high,
                    level);
        break;
    case COMPARISON_UNDECIDED:
        add_undecided(page, item);
        break;
    }
    add_strip(page, ratio);
}

static void add_steadiness(struct page *page, const struct comparison_report *report)
{
    const struct steadiness *steadiness = report->steadiness;
    const struct comparison *first = &report->items[0];
    const struct interval *floor = &first->noise_floor;
    scoped_text struct text line = {0};
    if (floor->known)
        text_printf(&line, "%s against itself: %+.1f %% [%+.1f .. %+.1f]%s. ", first->a->label, 100 * (floor->mid - 1),
                    100 * (floor->low - 1), 100 * (floor->high - 1),
                    first->self_differs ? ", a difference that isn't one: trust none as small" : "");
    if (first->detectable > 0)
        text_printf(&line, "As many runs show a difference of %s %% four times in five. ",
                    short_number_of(100 * first->detectable).text);
    if (steadiness->trend.known && steadiness->trend.p < 0.01)
        text_printf(&line, "The machine drifted: %s's runs changed by %+.0f %% from first to last; pairs cancel that. ",
                    first->a->label, 100 * expm1(steadiness->trend.change));
    if (steadiness->resemblance.known && steadiness->resemblance.beyond_chance)
        text_printf(&line, "Neighbouring runs resemble each other (%.2f).", steadiness->resemblance.correlation);
    if (!line.length)
        return;
    page_printf(page, PAGE_STRONG, "\n  Noise      ");
    page_paragraph(page, first->self_differs ? PAGE_WARNING : PAGE_PLAIN, 13, 13, text_string(&line));
}

static bool holds(const struct interval *interval, double value)
{
    return interval->low <= value && value <= interval->high;
}

static const char *prediction_verdict(const struct interval *predicted, const struct interval *realised)
{
    if (realised->high < predicted->low)
        return "less than predicted";
    if (realised->low > predicted->high)
        return "more than predicted";
    if (holds(predicted, realised->mid))
        return "as predicted";
    if (holds(realised, predicted->mid))
        return "agrees with the prediction within its interval";
    return "unresolved: the intervals overlap, their middles don't";
}

static void add_prediction(struct page *page, const struct comparison_report *report)
{
    const struct interval *predicted = &report->predicted_gain;
    struct interval realised = interval_complement(report->items[0].ratio);
    if (!predicted->known || !realised.known)
        return;
    text_printf(page->out, "\n  predicted gain  %5.1f %%  [%.1f .. %.1f]   (%s)\n", 100 * predicted->mid,
                100 * predicted->low, 100 * predicted->high, report->prediction_source);
    text_printf(page->out, "  realised gain   %5.1f %%  [%.1f .. %.1f]   %s\n", 100 * realised.mid, 100 * realised.low,
                100 * realised.high, prediction_verdict(predicted, &realised));
}

static void add_effect(struct page *page, const struct quantity_effect *effect)
{
    char a[32], b[32];
    run_value_print(a, sizeof(a), effect->a.mid, effect->quantity->unit);
    run_value_print(b, sizeof(b), effect->b.mid, effect->quantity->unit);
    text_printf(page->out, "  %-32s %12s %12s", effect->quantity->label, a, b);
    if (effect->ratio.known)
        text_printf(page->out, "   %+8.1f %%  [%+.1f .. %+.1f]", 100 * (effect->ratio.mid - 1),
                    100 * (effect->ratio.low - 1), 100 * (effect->ratio.high - 1));
    text_add(page->out, "\n");
}

static void add_names(struct page *page, const char *heading, const struct text *names)
{
    if (!names->length)
        return;
    page_printf(page, PAGE_STRONG, "  %-13s ", heading);
    page_paragraph(page, PAGE_FAINT, 16, 16, text_string(names));
}

/* Those of the effects that `belongs` picks and that explain no time, under a heading; whether there were any. */
static bool add_effects(struct page *page, const struct comparison *item, const struct explanation *explanation,
                        const char *heading, bool (*belongs)(const struct quantity_effect *))
{
    bool any = false;
    for (size_t at = 0; at < item->effect_count; at++) {
        const struct quantity_effect *effect = &item->effects[at];
        if (effect->why_not || explanation_has(explanation, effect) || !belongs(effect))
            continue;
        if (!any) {
            page_heading(page, heading);
            text_printf(page->out, "  %-32s %12.12s %12.12s\n", "", item->a->label, item->b->label);
        }
        any = true;
        add_effect(page, effect);
    }
    return any;
}

/* Counts that have no time of their own: what differs, what may, and what nobody could tell apart. */
static void add_others(struct page *page, const struct comparison *item, const struct explanation *explanation)
{
    scoped_text struct text alike = {0};
    for (size_t at = 0; at < item->effect_count; at++) {
        const struct quantity_effect *effect = &item->effects[at];
        if (!effect->why_not && !explanation_has(explanation, effect) && !effect_differs(effect) &&
            !effect_may_differ(effect))
            text_printf(&alike, "%s%s", alike.length ? ", " : "to differ: ", effect->quantity->label);
    }
    add_effects(page, item, explanation, explanation->count ? "DIFFERS AS WELL" : "WHAT ELSE DIFFERS", effect_differs);
    add_effects(page, item, explanation,
                "MAY DIFFER (each alone would count; of as many figures some do so by chance: more runs tell)",
                effect_may_differ);
    text_add(page->out, "\n");
    add_names(page, "not shown", &alike);
}

static void add_gaps(struct page *page, const struct comparison *item)
{
    scoped_text struct text line = {0};
    const char *reason = NULL;
    for (size_t at = 0; at < item->effect_count; at++) {
        const struct quantity_effect *effect = &item->effects[at];
        if (!effect->why_not)
            continue;
        if (reason && strcmp(reason, effect->why_not) != 0)
            text_printf(&line, " (%s); ", reason);
        else
            text_add(&line, reason ? ", " : "");
        text_add(&line, effect->quantity->label);
        reason = effect->why_not;
    }
    if (reason)
        text_printf(&line, " (%s)", reason);
    add_names(page, "not measured", &line);
}

/* What explains it. */

static const char *const view_names[] = {
    [EXPLANATION_TIME] = "time",       [EXPLANATION_FUNCTION] = "function", [EXPLANATION_INSTRUCTION] = "instruction",
    [EXPLANATION_WIDTH] = "vectors",   [EXPLANATION_RATE] = "rate",
};

enum {
    ITEMS_MOST = 16,
    INSTRUCTIONS_MOST = 5 /* of these */
};

/* Not worth a line: below this share of the difference. */
static const double share_least = 0.02;

/* A share that is so far below none, and another so far above all, are one thing in two places. */
static const double cancel_least = 0.2;

/* Behind the columns that precede it; a name that is longer is cut in its brackets, what follows it stays. */
static void add_what(struct page *page, const struct explanation_item *item)
{
    enum { BEFORE = 64, LEAST = 40 };
    size_t room = page->width > BEFORE + LEAST ? page->width - BEFORE : LEAST;
    const char *rest = item->view == EXPLANATION_INSTRUCTION ? strstr(item->what, "+0x") : NULL;
    bool is_code = item->view == EXPLANATION_INSTRUCTION || item->view == EXPLANATION_FUNCTION;
    size_t length = rest ? (size_t)(rest - item->what) : strlen(item->what);
    if (!is_code || length <= room) {
        text_add(page->out, item->what);
        return;
    }
    scoped_text struct text name = {0};
    text_printf(&name, "%.*s", (int)length, item->what);
    text_add_name(page->out, text_string(&name), room);
    text_add(page->out, rest ? rest : "");
}

static void add_item(struct page *page, const struct explanation_item *item)
{
    char a[32], b[32], interval[48];
    run_value_print(a, sizeof(a), item->a.mid, item->unit);
    run_value_print(b, sizeof(b), item->b.mid, item->unit);
    snprintf(interval, sizeof(interval), "[%.0f .. %.0f]", 100 * item->share.low, 100 * item->share.high);
    page_printf(page, PAGE_STRONG, "  %4.0f %%", 100 * item->share.mid);
    page_printf(page, PAGE_FAINT, " %-14s", interval);
    text_printf(page->out, " %-11s %12s %12s  ", view_names[item->view], a, b);
    add_what(page, item);
    if (*item->where)
        page_printf(page, PAGE_FAINT, "  %s", item->where);
    text_add(page->out, "\n");
}

static void add_items(struct page *page, const struct comparison *item, const struct explanation *explanation)
{
    char heading[200];
    snprintf(heading, sizeof(heading), "EXPLAINED BY (share of the difference in %s, 95 %% sure)",
             item->decisive.quantity->label);
    page_heading(page, heading);
    text_printf(page->out, "  %-33s %12.12s %12.12s\n", "", item->a->label, item->b->label);
    size_t shown = 0, instructions = 0;
    bool gains = false, losses = false;
    for (size_t at = 0; at < explanation->count && shown < ITEMS_MOST; at++) {
        const struct explanation_item *row = &explanation->items[at];
        instructions += row->view == EXPLANATION_INSTRUCTION;
        if (fabs(row->share.mid) < share_least ||
            (row->view == EXPLANATION_INSTRUCTION && instructions > INSTRUCTIONS_MOST))
            continue;
        add_item(page, row);
        shown++;
        gains |= row->share.high < -cancel_least;
        losses |= row->share.low > 1 + cancel_least;
    }
    if (gains && losses)
        page_printf(page, PAGE_FAINT, "  Shares of opposite sign cancel: time that moved from one to the other.\n");
}

/* Where no function was found to differ: the one that looks most like it. */
static void add_unsure(struct page *page, const struct comparison_report *report)
{
    const struct run_profiles *profiles = report->profiles;
    for (size_t at = 0; profiles && at < report->explanations[0].count; at++)
        if (report->explanations[0].items[at].view == EXPLANATION_FUNCTION)
            return;
    scoped_text struct text line = {0};
    bool decided = report->items[0].verdict == COMPARISON_FASTER || report->items[0].verdict == COMPARISON_SLOWER;
    if (!decided || (!profiles && !report->why_no_profile))
        return;
    if (!profiles || !profiles->functions.row_count) {
        text_printf(&line, "By function: not measured, because %s.",
                    report->why_no_profile ? report->why_no_profile : "no run was sampled");
    } else if (!report->explanations[0].functions_known) {
        text_printf(&line, "By function: the %zu runs of each under the sampler don't show that difference.",
                    profiles->functions.block_count);
    } else {
        char difference[32];
        run_value_print(difference, sizeof(difference), profiles->functions.rows[0].mean_difference_s, RUN_SECONDS);
        text_printf(&line,
                    "By function: none differs surely in %zu runs of each under the sampler; most in %s (%s a run).",
                    profiles->functions.block_count, profiles->functions.rows[0].function, difference);
    }
    add_remark(page, PAGE_FAINT, text_string(&line));
}

static void add_facts(struct page *page, const struct comparison_report *report)
{
    if (!report->fact_count)
        return;
    page_heading(page, "AROUND THEM");
    for (size_t at = 0; at < report->fact_count; at++) {
        const struct fact_difference *fact = &report->facts[at];
        page_printf(page, fact->voids ? PAGE_WARNING : PAGE_PLAIN, "  %s: %s | %s%s\n", fact->name, fact->a, fact->b,
                    fact->voids ? "   (undeclared)" : "");
    }
}

static void add_explanation(struct page *page, const struct comparison_report *report, size_t index)
{
    if (report->explanations[index].count)
        add_items(page, &report->items[index], &report->explanations[index]);
    if (index == 0)
        add_unsure(page, report);
}

/* Work. */

static void add_work(struct page *page, const struct comparison *item, const struct work_done *work)
{
    for (size_t at = 0; at < work->count; at++) {
        const struct work_sign *sign = &work->signs[at];
        const struct run_quantity *quantity = sign->effect->quantity;
        const struct interval *own = sign->varies_in_b ? &sign->effect->b : &sign->effect->a;
        char first[32], second[32];
        run_value_print(first, sizeof(first), sign->is_unequal ? sign->effect->a.mid : own->low, quantity->unit);
        run_value_print(second, sizeof(second), sign->is_unequal ? sign->effect->b.mid : own->high, quantity->unit);
        scoped_text struct text line = {0};
        if (sign->is_unequal)
            text_printf(&line, "Not the same work, as it seems: %s %s in %s, %s in %s.", quantity->label, first,
                        item->a->label, second, item->b->label);
        else
            text_printf(&line, "Is it the same work in each run? %s of %s: quartiles %s and %s.", quantity->label,
                        sign->varies_in_b ? item->b->label : item->a->label, first, second);
        page_printf(page, PAGE_STRONG, "\n  Work       ");
        page_paragraph(page, PAGE_WARNING, 13, 13, text_string(&line));
    }
}

/* "12 bytes", or "12 to 14 bytes": exactly, since little is another output too. */
static void output_size_add(struct text *line, const struct output_seen *seen)
{
    text_printf(line, "%llu", (unsigned long long)seen->bytes_least);
    if (seen->bytes_least != seen->bytes_most)
        text_printf(line, " to %llu", (unsigned long long)seen->bytes_most);
    text_add(line, seen->bytes_most == 1 ? " byte" : " bytes");
}

static void add_output_line(struct page *page, const struct text *line)
{
    page_printf(page, PAGE_STRONG, "\n  Output     ");
    page_paragraph(page, PAGE_WARNING, 13, 13, text_string(line));
}

static void add_output_verdict(struct page *page, const struct comparison *item, const struct output_likeness *output,
                               bool with_a)
{
    scoped_text struct text line = {0};
    bool of_a = output->a.varies && with_a;
    const struct output_seen *varying = of_a ? &output->a : &output->b;
    if (output->verdict == OUTPUT_VARIES && varying->varies) {
        text_printf(&line, "What %s prints varies from run to run (", of_a ? item->a->label : item->b->label);
        output_size_add(&line, varying);
        text_printf(&line, "%s), so that whether both do the same work isn't told by it.",
                    varying->bytes_least == varying->bytes_most ? ", with other content" : "");
    } else if (output->verdict == OUTPUT_OTHER) {
        text_printf(&line, "They don't print the same: %s ", item->a->label);
        output_size_add(&line, &output->a);
        text_printf(&line, ", %s ", item->b->label);
        output_size_add(&line, &output->b);
        text_printf(&line, "%s%s.", output->a.bytes_least == output->b.bytes_least ? ", with other content" : "",
                    output->a.runs < 2 && output->b.runs < 2 ? "; whether one's varies from run to run isn't known"
                                                             : "");
    }
    if (line.length)
        add_output_line(page, &line);
}

static void add_output_unread(struct page *page, const char *label, const struct output_seen *seen,
                              const struct interval *written)
{
    scoped_text struct text line = {0};
    if (!seen->is_less_unread)
        return;
    text_printf(&line, "%s prints ", label);
    output_size_add(&line, seen);
    text_printf(
        &line,
        " when they are read, and wrote %.0f into /dev/null, where measured runs print: it may do less work then. "
        "--shell 'COMMAND | cat' has it do all.",
        written->mid);
    add_output_line(page, &line);
}

/* What they print, as far as that says that times can't be compared; of A, which all are held against, once. */
static void add_output(struct page *page, const struct comparison *item, const struct output_likeness *output,
                       bool with_a)
{
    const struct quantity_effect *written = output_written(item);
    add_output_verdict(page, item, output, with_a);
    if (with_a && written)
        add_output_unread(page, item->a->label, &output->a, &written->a);
    if (written)
        add_output_unread(page, item->b->label, &output->b, &written->b);
}

/* Runs that are no pair, or whose time may mean nothing. */

/* Of saved sets one may have fewer than another. */
static size_t runs_of(const struct run_table *table, size_t arm)
{
    size_t runs = 0;
    for (size_t block = 0; block < table->block_count; block++) {
        bool any = false;
        for (size_t quantity = 0; quantity < table->quantity_count && !any; quantity++)
            any = run_table_cell(table, block, arm, quantity).known;
        runs += any;
    }
    return runs;
}

static void add_failed(struct page *page, const struct run_table *table)
{
    scoped_text struct text line = {0};
    for (size_t arm = 0; arm < table->arm_count; arm++)
        if (table->arms[arm].failed_runs)
            text_printf(&line, "%s%zu of %zu runs of %s", line.length ? ", " : "", table->arms[arm].failed_runs,
                        runs_of(table, arm), table->arms[arm].label);
    if (!line.length || !table->block_count)
        return;
    text_add(&line, " ended with a status other than 0: they count, though they may have done other work.");
    page_printf(page, PAGE_STRONG, "\n  Failed     ");
    page_paragraph(page, PAGE_WARNING, 13, 13, text_string(&line));
}

static void add_left_out(struct page *page, const struct comparison_report *report)
{
    if (report->suspended_blocks)
        page_printf(page, PAGE_WARNING,
                    "  %zu block%s left out and run again: the machine was suspended for %.0f s meanwhile\n",
                    report->suspended_blocks, report->suspended_blocks == 1 ? " was" : "s were", report->suspended_s);
    if (!report->unfinished || !report->unfinished->block_count)
        return;
    scoped_text struct text line = {0};
    size_t quantity = run_table_quantity(report->unfinished, report->items[0].decisive.quantity->name);
    for (size_t arm = 0; arm < report->unfinished->arm_count; arm++) {
        struct measured cell = run_table_cell(report->unfinished, 0, arm, quantity);
        char value[32];
        if (!cell.known)
            continue;
        run_value_print(value, sizeof(value), cell.value, report->items[0].decisive.quantity->unit);
        text_printf(&line, "%s%s %s", line.length ? ", " : "", report->unfinished->arms[arm].label, value);
    }
    page_printf(page, PAGE_FAINT, "  of a block that was not finished, and doesn't count: %s\n", text_string(&line));
}

static void add_heading(struct page *page, const struct comparison_report *report)
{
    const char *label = report->items[0].decisive.quantity->label;
    if (report->saved && report->paired) {
        text_printf(page->out, "saved runs, in the %zu blocks that they were made in, %s\n\n",
                    report->table->block_count, label);
        return;
    }
    if (report->saved) {
        text_printf(page->out,
                    "saved runs, not made in pairs, %s: what changed on the machine between them is not cancelled\n\n",
                    label);
        return;
    }
    text_printf(page->out, "%zu block%s of %zu runs in random order (seed %llu), %s; %.1f s: %s\n\n",
                report->table->block_count, report->table->block_count == 1 ? "" : "s", report->table->arm_count,
                (unsigned long long)report->seed, label,
                report->elapsed_s, report->stopped);
}

static void add_surroundings(struct page *page, const struct comparison_report *report)
{
    if (report->surroundings_unknown)
        add_remark(page, PAGE_WARNING,
                   "Not every file says on what machine it was made: whether they were alike is not known.");
    if (report->only_means)
        add_remark(
            page, PAGE_WARNING,
            "A file has means of runs and no runs (perf stat -r): one value each, from which no interval can be had. "
            "Several files of single runs, or -j without -r in a loop, can be judged.");
    for (size_t at = 0; at < report->difference_count; at++)
        page_printf(page, PAGE_WARNING, "  %s differs: %s, %s\n", report->differences[at].name,
                    report->differences[at].a, report->differences[at].b);
}

/* Of several, whose figures follow. */
static void add_pair(struct page *page, const struct comparison_report *report, size_t at)
{
    scoped_text struct text line = {0};
    if (report->count < 2)
        return;
    text_printf(&line, "%s AGAINST %s", report->items[at].b->label, report->items[at].a->label);
    page_heading(page, text_string(&line));
}

/* Each is measured against the first alone: who wants to know of the others with one another has to ask. */
static void add_uncompared(struct page *page, const struct comparison_report *report)
{
    scoped_text struct text line = {0};
    if (report->count < 2)
        return;
    const char *first = report->items[0].a->label, *one = report->items[0].b->label, *other = report->items[1].b->label;
    text_printf(&line, "Each is compared with %s alone. How %s and %s differ, plumb compare of those two says.",
                first, one, other);
    add_remark(page, PAGE_FAINT, text_string(&line));
}

void comparison_text(struct page *page, const struct comparison_report *report)
{
    add_heading(page, report);
    add_arms(page, report);
    add_left_out(page, report);
    text_add(page->out, "\n");
    for (size_t at = 0; at < report->count; at++)
        add_verdict(page, &report->items[at]);
    add_prediction(page, report);
    add_steadiness(page, report);
    add_failed(page, report->table);
    add_surroundings(page, report);
    for (size_t at = 0; at < report->count; at++)
        add_work(page, &report->items[at], &report->works[at]);
    for (size_t at = 0; at < report->count; at++)
        add_output(page, &report->items[at], &report->outputs[at], at == 0);
    add_uncompared(page, report);
    for (size_t at = 0; at < report->count; at++) {
        add_pair(page, report, at);
        add_explanation(page, report, at);
        if (at == 0)
            add_facts(page, report);
        add_others(page, &report->items[at], &report->explanations[at]);
    }
    add_gaps(page, &report->items[0]);
}
