/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis/text/sections.h"

#include "base/arena.h"
#include "base/scope.h"
#include "finding/wording.h"
#include "render/diagnosis/bottleneck.h"
#include "render/diagnosis/phase_section.h"
#include "render/diagnosis/topdown_section.h"

void sheet_gain(struct text *out, const struct finding *finding)
{
    if (!finding->recoverable.known) {
        text_add(out, "not bounded");
        return;
    }
    struct value share =
        VALUE_SHARE("", finding->gain_unmeasured ? interval_exactly(finding->recoverable.high) : finding->recoverable);
    if (finding->shown.known)
        share.number = interval_exactly(finding->is_at_least ? finding->shown.low : finding->shown.high);
    text_add(out, finding->is_at_least ? "at least " : finding->gain_unmeasured ? "up to " : "");
    value_print(out, &share);
}

/* What came of the experiment on it, or on another of its findings. */
static void confirmed_line(struct sheet *sheet)
{
    const struct diagnosis_confirmed *confirmed = sheet->diagnosis->confirmed;
    if (!confirmed)
        return;
    scoped_text struct text line = {0};
    text_printf(&line, "%s: %s (plumb confirm: %s", confirmed->finding, confirmed->sentence, confirmed->experiment);
    if (confirmed->predicted.known)
        text_printf(&line, "; predicted gain %.1f to %.1f %%", 100 * confirmed->predicted.low,
                    100 * confirmed->predicted.high);
    if (confirmed->realised.known)
        text_printf(&line, "; realised %.1f to %.1f %%", 100 * confirmed->realised.low, 100 * confirmed->realised.high);
    text_add_char(&line, ')');
    sheet_labelled(sheet, SHEET_BOLD, "  Tested       ", text_string(&line), 15);
}

static void try_line(struct sheet *sheet, size_t at, const char *text)
{
    char number[32];
    snprintf(number, sizeof(number), at ? "            %zu. " : "  Try       %zu. ", at + 1);
    sheet_labelled(sheet, SHEET_BOLD, number, text, 15);
}

/* Where phases are limited by different things, no one sentence is true of all. */
static void phases_line(struct sheet *sheet)
{
    struct arena arena;
    arena_init(&arena);
    const char *text = phases_differ(sheet->diagnosis, &arena);
    if (text)
        sheet_labelled(sheet, SHEET_BOLD, "  Phases       ", text, 15);
    arena_done(&arena);
}

static void confidence_line(struct sheet *sheet)
{
    struct arena arena;
    arena_init(&arena);
    const char *text = overall_confidence(sheet->diagnosis->overall, &arena);
    if (text)
        sheet_labelled(sheet, SHEET_BOLD, "  Confidence   ", arena_printf(&arena, "%s.", text), 15);
    arena_done(&arena);
}

void sheet_verdict_section(struct sheet *sheet)
{
    const struct overall *overall = sheet->diagnosis->overall;
    bool is_cause = overall->kind == OVERALL_CULPRIT || overall->kind == OVERALL_WAITS;
    text_add_char(sheet->out, '\n');
    text_add(sheet->out, sheet_code(sheet, is_cause ? SHEET_RED : SHEET_YELLOW));
    text_add(sheet->out, "  ");
    struct sheet whole = *sheet; /* whose the numbers are stands here */
    whole.is_imported = false;
    sheet_paragraph(&whole, overall->lead, 2, 2);
    text_add(sheet->out, sheet_code(sheet, SHEET_PLAIN));
    if (*overall->rest) {
        text_add(sheet->out, "  ");
        sheet_paragraph(&whole, overall->rest, 2, 2);
    }
    confidence_line(sheet);
    const struct finding *also[OVERALL_ALSO_MOST];
    size_t also_count = overall_also(overall, sheet->diagnosis->findings, also);
    for (size_t at = 0; at < also_count; at++) {
        const struct finding *finding = also[at];
        scoped_text struct text line = {0};
        text_add(&line, finding->headline ? finding->headline : finding->hypothesis->title);
        if (!finding->gain_unmeasured) {
            text_printf(&line, "; %s would return ", finding->returner ? finding->returner : "removing that");
            sheet_gain(&line, finding);
        }
        text_add_char(&line, '.');
        sheet_labelled(sheet, SHEET_BOLD, at ? "               " : "  Also         ", text_string(&line), 15);
    }
    if (overall->loops)
        sheet_labelled(sheet, SHEET_BOLD, "  Its loops    ", overall->loops, 15);
    phases_line(sheet);
    if (overall->ruled_out && overall->kind != OVERALL_TOO_SHORT)
        sheet_labelled(sheet, SHEET_BOLD, "  Ruled out    ", overall->ruled_out, 15);
    for (size_t at = 0; at < overall->open_count; at++)
        sheet_labelled(sheet, SHEET_BOLD, at ? "               " : "  Left open    ", overall->open[at], 15);
    const char *tries[OVERALL_TRIES_MOST];
    size_t tried = overall_tries(overall, tries);
    for (size_t at = 0; at < tried; at++)
        try_line(sheet, at, tries[at]);
    const char *confirm = overall_check(overall);
    if (confirm)
        sheet_labelled(sheet, SHEET_BOLD, "  Check        ", confirm, 15);
    confirmed_line(sheet);
}

/* One thing has one number: what was measured of its cause stands above, and goes before what such causes returned. */
static const char *measured_return(const struct findings *findings, const struct bottleneck_verdict *verdict,
                                   struct arena *arena)
{
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (finding->verdict == VERDICT_SUPPORTED && finding->recoverable.known && !finding->gain_unmeasured &&
            verdict->cause != CAUSE_UNKNOWN && finding->hypothesis->causes & 1u << verdict->cause)
            return arena_printf(arena,
                                "What removing it returns was measured by a probe and stands with '%s'; this estimate "
                                "says how much of the time it leads in.",
                                finding->hypothesis->title);
    }
    return NULL;
}

void sheet_bottleneck_section(struct sheet *sheet)
{
    const struct results *results = sheet->diagnosis->results;
    struct bottleneck_line lines[BOTTLENECK_LINES_MOST];
    struct arena arena;
    if (!results->bottleneck)
        return;
    arena_init(&arena);
    double cpu_s = results->run && results->run->cpu_s.known ? results->run->cpu_s.value : 0;
    bool counted = diagnosis_basis_of(sheet->diagnosis) == BASIS_COUNTERS;
    size_t count = bottleneck_lines(lines, results->bottleneck, counted ? "no top-down tree" : "no PMU",
                                    measured_return(sheet->diagnosis->findings, &results->bottleneck->program, &arena),
                                    cpu_s, &arena);
    for (size_t at = 0; at < count; at++) {
        char label[32];
        snprintf(label, sizeof(label), "  %s", lines[at].label);
        sheet_labelled(sheet, lines[at].is_head ? SHEET_BOLD : SHEET_PLAIN, label, lines[at].text, 15);
    }
    arena_done(&arena);
}

/* Names, shares and bars stand in columns of their own: as wide as they are. */
void sheet_topdown_tree(struct sheet *sheet, const struct topdown_counted *counted)
{
    const struct topdown_section_style style = {sheet->style->colour, sheet->style->unicode, sheet->style->verbose,
                                                sheet_width(sheet)};
    topdown_section_lines(sheet->out, counted, &style);
}

void sheet_topdown_section(struct sheet *sheet)
{
    const struct topdown_counted *counted = sheet->diagnosis->results->topdown;
    if (!counted)
        return;
    sheet_heading(sheet, "TOP-DOWN", counted->origin);
    sheet_topdown_tree(sheet, counted);
}
