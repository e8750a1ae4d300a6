/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis/text/sections.h"

#include "base/scope.h"
#include "finding/wording.h"

/* Of the function what it called, where, and who called it. */
static void wait_call(struct sheet *sheet, const struct wait_row *row)
{
    scoped_text struct text line = {0};
    if (!row->call)
        return;
    text_add(sheet->out, "      ");
    text_fitted(&line, row->call, sheet_width(sheet) < SHEET_WIDTH ? sheet_width(sheet) - 6 : SHEET_WIDTH - 6);
    while (line.length && line.bytes[line.length - 1] == ' ')
        line.bytes[--line.length] = '\0';
    sheet_coloured(sheet, SHEET_DIM, text_string(&line));
    text_add_char(sheet->out, '\n');
}

static void wait_note(struct sheet *sheet, const char *note)
{
    text_add(sheet->out, sheet_code(sheet, SHEET_DIM));
    text_add(sheet->out, "  ");
    sheet_paragraph(sheet, note, 2, 2);
    text_add(sheet->out, sheet_code(sheet, SHEET_PLAIN));
}

/* Less than so much of the elapsed time, and that no thread ran is not what is to be told. */
static const double IDLE_LEAST = 0.05;

/* Woken up is not yet running. */
static void wait_note_ready(struct sheet *sheet, const struct wait_rows *waits, const struct run_time *run)
{
    struct time_shares shares = time_shares_of(run, sheet->diagnosis->results->activity, waits);
    double asleep_s = shares.known ? shares.waiting.high * run->elapsed_s.value : waits->idle_s;
    if (asleep_s > 0.9 * waits->idle_s)
        return;
    scoped_text struct text line = {0};
    text_add(&line, "of that it was asleep for ");
    print_seconds(&line, asleep_s);
    text_add(&line, " at most: the rest of it one was ready, and had no CPU");
    wait_note(sheet, text_string(&line));
}

static void wait_notes(struct sheet *sheet, const struct wait_rows *waits, const struct run_time *run)
{
    if (waits->idle_s >= IDLE_LEAST * run->elapsed_s.value)
        wait_note_ready(sheet, waits, run);
    /* A wait lasts until the thread runs again: being ready, but without a CPU, is in it. */
    if (run->run_delay_s.known && run->run_delay_s.value >= 0.05 * waits->idle_s) {
        scoped_text struct text line = {0};
        text_add(&line, "until it ran again: for ");
        print_seconds(&line, run_time_delay_proven(run).value);
        text_printf(&line, "%s, added up, it was ready, but had no CPU; what came after a wait is in that wait",
                    run->run_delay_is_least ? " or more" : "");
        wait_note(sheet, text_string(&line));
    }
    if (waits->spread_s >= 0.01 * waits->waiting_s && waits->spread_s > 0) {
        scoped_text struct text line = {0};
        text_printf(&line, "stacks of %llu of %llu waits were taken; ", (unsigned long long)waits->stack_count,
                    (unsigned long long)waits->wait_count);
        print_seconds(&line, waits->spread_s);
        text_add(&line, " of the others stand with waits like them (estimated)");
        wait_note(sheet, text_string(&line));
    }
}

/* What the rows are shares of: the time in which none ran, or where that is next to nothing, their own waits. */
static double wait_row_share(const struct wait_rows *waits, const struct wait_row *row, double elapsed_s)
{
    bool by_idle = waits->idle_s >= IDLE_LEAST * elapsed_s;
    double whole_s = by_idle ? waits->idle_s : waits->waiting_s;
    return whole_s > 0 ? (by_idle ? row->idle_s : row->total_s) / whole_s : 0;
}

/* Threads with nothing to do wait so, for any length; others wait for what their work needs. */
static bool wait_is_of_work(enum wait_kind kind)
{
    static const enum wait_kind kinds[] = {WAIT_LOCK, WAIT_DISK, WAIT_FAULT, WAIT_CHILD};
    for (size_t at = 0; at < array_count(kinds); at++)
        if (kind == kinds[at])
            return true;
    return false;
}

/*
 * What held everybody up; what held up single threads while others ran; and beside the long waits of idle threads, what
 * work waited for. Those whose stacks were not taken say nothing where they held nobody up.
 */
static bool wait_is_shown(const struct wait_rows *waits, const struct wait_row *row, double elapsed_s)
{
    static const double WORK_LEAST = 0.02;
    bool held_up = row->idle_s >= 0.02 * waits->idle_s;
    if (strcmp(row->function, WAIT_NOT_TAKEN) == 0 && waits->idle_s >= IDLE_LEAST * elapsed_s)
        return held_up && row->idle_s > 0;
    return held_up || row->total_s >= 0.1 * waits->waiting_s ||
           (wait_is_of_work(row->kind) && row->total_s >= WORK_LEAST * elapsed_s);
}

static bool waits_matter(const struct wait_rows *waits, double elapsed_s)
{
    for (size_t at = 0; at < waits->count; at++)
        if (waits->items[at].kind == WAIT_LOCK && waits->items[at].total_s >= 0.05 * elapsed_s)
            return true;
    return waits->idle_s >= IDLE_LEAST * elapsed_s;
}

static void wait_row_lines(struct sheet *sheet, const struct wait_rows *waits, const struct wait_row *row,
                           double elapsed_s)
{
    scoped_text struct text line = {0};
    print_seconds(&line, row->total_s);
    text_printf(&line, " in %llu wait%s, longest ", (unsigned long long)row->count, row->count == 1 ? "" : "s");
    print_seconds(&line, row->longest_s);
    scoped_text struct text label = {0};
    if (strcmp(row->function, WAIT_NOT_TAKEN) == 0)
        text_add(&label, row->function);
    else
        text_printf(&label, "%s: %s", wait_kind_name(row->kind), row->function);
    sheet_share_line(sheet, text_string(&label), wait_row_share(waits, row, elapsed_s), SHEET_DIM, text_string(&line));
    wait_call(sheet, row);
}

void sheet_wait_section(struct sheet *sheet)
{
    enum { SHOWN_MOST = 6 };
    const struct wait_rows *waits = sheet->diagnosis->results->waits;
    const struct run_time *run = sheet->diagnosis->results->run;
    if (!waits || !run || !run->elapsed_s.known || !waits_matter(waits, run->elapsed_s.value))
        return;
    scoped_text struct text aside = {0};
    bool by_idle = waits->idle_s >= IDLE_LEAST * run->elapsed_s.value;
    print_seconds(&aside, by_idle ? waits->idle_s : waits->waiting_s);
    text_add(&aside, by_idle ? " in which all waited at once, by the wait that ended it; beside it each place's waits"
                             : " of its threads added up; next to none in which all of them waited at once");
    sheet_heading(sheet, "WAITING", text_string(&aside));
    wait_notes(sheet, waits, run);
    if (waits->wait_count && !waits->stack_count)
        wait_note(sheet, "no stacks of them could be taken: who asked for them isn't known");
    for (size_t at = 0, shown = 0; at < waits->count && shown < SHOWN_MOST; at++) {
        if (!wait_is_shown(waits, &waits->items[at], run->elapsed_s.value))
            continue;
        wait_row_lines(sheet, waits, &waits->items[at], run->elapsed_s.value);
        shown++;
    }
}
