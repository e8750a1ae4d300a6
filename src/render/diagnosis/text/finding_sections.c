/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis/text/sections.h"

#include "analyse/told/told.h"
#include "base/scope.h"
#include "finding/wording.h"

#include <string.h>

/* As far as the bar goes: what is known of it, not all that may be such, too. */
static double drawn_of(const struct finding *finding)
{
    return finding->shown.known ? finding->shown.high : finding->recoverable.known ? finding->recoverable.high : 0;
}

/* Its reason says the same, whatever file stands before it here and behind it there. */
static bool is_in_reason(const struct finding *finding, const struct evidence *evidence)
{
    const char *behind = strstr(evidence->text, "): "), *what = behind ? behind + strlen("): ") : evidence->text;
    return finding->reason && (strncmp(finding->reason, what, strlen(what)) == 0 ||
                               strncmp(finding->reason, evidence->text, strlen(evidence->text)) == 0);
}

static void finding_details(struct sheet *sheet, const struct finding *finding)
{
    for (size_t at = 0; at < finding->evidence_count; at++) {
        if (is_in_reason(finding, &finding->evidence[at]))
            continue;
        static const char *const signs[] = {"     + ", "     - ", "       "};
        sheet_labelled(sheet, SHEET_DIM, signs[finding->evidence[at].weight], finding->evidence[at].text, 7);
    }
    if (finding->reason && finding->verdict == VERDICT_UNDECIDED) /* of others it stands behind the title */
        sheet_labelled(sheet, SHEET_DIM, "       ", finding->reason, 7);
    if (finding->gain_unmeasured && finding->verdict == VERDICT_SUPPORTED && finding->reason)
        sheet_labelled(sheet, SHEET_DIM, "       ", finding->reason, 7);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_reason(const struct finding *a, const struct finding *b)
{
    return a->verdict == b->verdict && a->reason && same_text(a->reason, b->reason) && same_text(a->remedy, b->remedy);
}

/*
 * One reason for many (no recording at all) is said once, behind what it keeps from being tested: the first of them, in
 * -v all.
 */
static bool not_testable_together(struct sheet *sheet, size_t first)
{
    enum { TOGETHER_LEAST = 3, NAMED_MOST = 6 };
    const struct findings *findings = sheet->diagnosis->findings;
    const struct finding *finding = &findings->items[first];
    scoped_text struct text line = {0};
    size_t count = 0;
    for (size_t at = 0; at < findings->count; at++) {
        if (!same_reason(finding, &findings->items[at]))
            continue;
        if (at < first)
            return true; /* said with that one, if it was */
        if (count < NAMED_MOST || sheet->style->verbose)
            text_printf(&line, "%s%s", count ? ", " : "", findings->items[at].hypothesis->title);
        count++;
    }
    if (count < TOGETHER_LEAST)
        return false;
    if (count > NAMED_MOST && !sheet->style->verbose)
        text_printf(&line, " and %zu more", count - NAMED_MOST);
    text_printf(&line, ": %s", finding->reason);
    if (finding->remedy)
        text_printf(&line, "; %s", finding->remedy);
    text_printf(sheet->out, "  %s ", sheet->style->unicode ? "·" : ".");
    sheet_paragraph(sheet, text_string(&line), 4, 4);
    return true;
}

/* Name and bound of each from the one at `first` on, as a paragraph; why stands in -v. */
static void findings_shortly(struct sheet *sheet, enum verdict verdict, size_t first, enum sheet_colour colour,
                             const char *mark)
{
    const struct findings *findings = sheet->diagnosis->findings;
    for (enum denominator of = OF_ELAPSED; of <= OF_CPU_TIME; of++) {
        scoped_text struct text line = {0};
        for (size_t at = first; at < findings->count; at++) {
            const struct finding *finding = &findings->items[at];
            if (finding->verdict != verdict || finding->of != of)
                continue;
            struct value bound = VALUE_SHARE("", interval_exactly(finding->recoverable.high));
            text_add(&line, line.length ? ", " : "");
            text_printf(&line, "%s ", finding->hypothesis->title);
            if (finding->recoverable.known)
                value_print(&line, &bound);
            else
                text_add(&line, finding->by_trial ? "(by a trial)" : "(not bounded)");
        }
        if (!line.length)
            continue;
        scoped_text struct text label = {0};
        text_printf(&label, "  %s of %s at most: ", mark, denominator_name(of));
        sheet_labelled(sheet, colour, text_string(&label), text_string(&line), 4);
    }
}

/* Code without names leaves a dozen open: the largest get a line each, unless that is hardly shorter. */
enum {
    UNDECIDED_SHOWN = 5,
    UNDECIDED_MOST = 7
};

static size_t title_room(const struct sheet *sheet)
{
    return sheet_column(sheet, 46);
}

/* Before its bar; on a narrow terminal in a line of its own, rather than cut. */
static void finding_title(struct sheet *sheet, const char *title)
{
    size_t room = title_room(sheet);
    if (text_columns(title) <= room) {
        text_fitted(sheet->out, title, room);
        text_add_char(sheet->out, ' ');
        return;
    }
    sheet_paragraph(sheet, title, 4, 4);
    text_add_repeated(sheet->out, " ", 4 + room + 1);
}

/* Title, bar, what it would return; the evidence of what is supported. */
static void weighed_finding(struct sheet *sheet, const struct finding *finding, enum sheet_colour colour)
{
    scoped_text struct text gain = {0};
    sheet_gain(&gain, finding);
    if (finding->recoverable.known)
        text_printf(&gain, " of %s", denominator_name(finding->of));
    finding_title(sheet, finding->hypothesis->title);
    sheet_bar(sheet, drawn_of(finding), colour);
    size_t used = 4 + title_room(sheet) + 1 + sheet_bar_columns(sheet) + 2 + text_columns(text_string(&gain));
    text_printf(sheet->out, "%s%s\n", used > sheet_width(sheet) ? " " : "  ", text_string(&gain));
    if (finding->verdict == VERDICT_SUPPORTED || sheet->style->verbose)
        finding_details(sheet, finding);
}

/* Title and reason: of what is ruled out, or can't be tested. */
static void settled_finding(struct sheet *sheet, const struct finding *finding)
{
    scoped_text struct text line = {0};
    text_printf(&line, "%s: %s", finding->hypothesis->title, finding->reason ? finding->reason : "");
    if (finding->verdict == VERDICT_NOT_TESTABLE && finding->remedy && sheet->style->verbose)
        text_printf(&line, "; to test it: %s", finding->remedy);
    sheet_paragraph(sheet, text_string(&line), 4, 4);
    if (sheet->style->verbose)
        finding_details(sheet, finding);
}

static size_t findings_with(const struct findings *findings, enum verdict verdict)
{
    size_t count = 0;
    for (size_t at = 0; at < findings->count; at++)
        count += findings->items[at].verdict == verdict;
    return count;
}

void sheet_findings_section(struct sheet *sheet, enum verdict verdict, const char *title, enum sheet_colour colour)
{
    static const char *const marks[] = {"●", "○", "✓", "·"}, *const plain[] = {"*", "?", "-", "."};
    static const char *const asides[] = {"", "-v: what is missing", "-v: why", "-v: how to test them"};
    const struct findings *findings = sheet->diagnosis->findings;
    const char *mark = sheet->style->unicode ? marks[verdict] : plain[verdict];
    bool verbose = sheet->style->verbose;
    size_t count = findings_with(findings, verdict), most = count;
    if (!count)
        return;
    const char *label = sheet->is_imported ? "imported, not measured by plumb" : "";
    sheet_heading(sheet, title, verdict == VERDICT_SUPPORTED ? label : verbose ? "" : asides[verdict]);
    if (!verbose && verdict == VERDICT_RULED_OUT)
        most = 0;
    else if (!verbose && verdict == VERDICT_UNDECIDED && count > UNDECIDED_MOST)
        most = UNDECIDED_SHOWN;
    for (size_t at = 0, shown = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (finding->verdict != verdict)
            continue;
        if (shown++ == most) {
            findings_shortly(sheet, verdict, at, colour, mark);
            return;
        }
        if (!verbose && verdict == VERDICT_NOT_TESTABLE && not_testable_together(sheet, at))
            continue;
        text_printf(sheet->out, "  %s%s%s ", sheet_code(sheet, colour), mark, sheet_code(sheet, SHEET_PLAIN));
        if (verdict == VERDICT_SUPPORTED || verdict == VERDICT_UNDECIDED)
            weighed_finding(sheet, finding, colour);
        else
            settled_finding(sheet, finding);
    }
}

/* Sentences that may tell of a trial and decided nothing are among them. */
static bool has_unread(const struct statements *statements)
{
    bool has = false;
    for (size_t at = 0; at < statements->count; at++)
        has |= strcmp(statements->items[at].origin, TOLD_ORIGIN_UNREAD) == 0 ||
               strcmp(statements->items[at].origin, TOLD_ORIGIN_PASSED) == 0;
    return has;
}

void sheet_statements_section(struct sheet *sheet)
{
    const struct statements *statements = sheet->diagnosis->statements;
    if (!statements)
        return;
    sheet_heading(sheet, "NOT OURS", "said or imported, not measured by plumb");
    for (size_t at = 0; at < statements->count; at++) {
        scoped_text struct text line = {0};
        text_printf(&line, "%s: %s", statements->items[at].origin, statements->items[at].text);
        text_add(sheet->out, "  ");
        sheet_paragraph(sheet, text_string(&line), 4, 2);
    }
    if (has_unread(statements)) {
        text_add(sheet->out, "  ");
        sheet_paragraph(sheet, "To be sure that a trial is understood, write: " TOLD_FORM, 4, 2);
    }
}

void sheet_gaps_section(struct sheet *sheet)
{
    if (!sheet->diagnosis->gap_count)
        return;
    sheet_heading(sheet, "NOT MEASURED HERE", "");
    for (size_t at = 0; at < sheet->diagnosis->gap_count; at++) {
        const char *why = sheet->diagnosis->gaps[at].why;
        /* where debug files were looked for */
        const char *tried = strstr(why, ": tried '"), *places = sheet->style->verbose ? NULL : tried;
        scoped_text struct text line = {0};
        text_printf(&line, "%s: ", sheet->diagnosis->gaps[at].what);
        text_append(&line, why, places ? (size_t)(places - why) : strlen(why));
        if (tried)
            text_printf(&line, "; %s", wording_find("common", "remedy-names"));
        text_add(sheet->out, "  ");
        sheet_paragraph(sheet, text_string(&line), 4, 2);
    }
}
