/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "base/vec.h"
#include "finding/wording.h"
#include "render/diagnosis/diagnosis.h"
#include "render/diagnosis/bottleneck.h"
#include "render/diagnosis/diagnosis_measures.h"
#include "render/diagnosis/phase_section.h"
#include "render/diagnosis/topdown_section.h"

#include <math.h>

enum {
    WIDTH = 100,      /* where nothing else is known */
    BAR_MOST = 20,
    BAR_LEAST = 8,    /* on narrow terminals */
    NARROW = 80,
    NAME_LEAST = 14,
    SENTENCE_NAME_MOST = 60,
};

enum colour {
    PLAIN,
    BOLD,
    DIM,
    RED,    /* a cause */
    YELLOW, /* perhaps */
    GREEN,  /* ruled out */
    CYAN    /* names */
};

struct page {
    struct text *out;
    const struct text_style *style;
    const struct diagnosis *diagnosis;
};

static size_t width_of(const struct page *page)
{
    return page->style->width ? page->style->width : WIDTH;
}

static size_t bar_of(const struct page *page)
{
    return width_of(page) < NARROW ? BAR_LEAST : BAR_MOST;
}

/* A column that is so wide on WIDTH columns: it takes what others leave. */
static size_t column_of(const struct page *page, size_t usual)
{
    size_t have = width_of(page) + BAR_MOST - bar_of(page);
    size_t lacking = have < WIDTH ? WIDTH - have : 0;
    return lacking + NAME_LEAST < usual ? usual - lacking : NAME_LEAST;
}

static const char *code_of(const struct page *page, enum colour colour)
{
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[1;31m", "\033[33m", "\033[32m", "\033[36m"};
    return page->style->colour ? codes[colour] : "";
}

static void coloured(struct page *page, enum colour colour, const char *text)
{
    text_printf(page->out, "%s%s%s", code_of(page, colour), text, code_of(page, PLAIN));
}

/* A name cut to the columns it may take; line breaks and other control characters become blanks. */
static void fitted(struct text *out, const char *name, size_t width)
{
    scoped_text struct text clean = {0};
    for (const char *at = name; *at; at++)
        text_add_char(&clean, (unsigned char)*at < ' ' || *at == 127 ? ' ' : *at);
    name = text_string(&clean);
    size_t columns = text_columns(name);
    if (columns <= width) {
        text_add(out, name);
        text_add_repeated(out, " ", width - columns);
        return;
    }
    size_t shown = 0;
    for (const char *at = name; *at && shown + 2 < width;) {
        size_t length = 1;
        while ((at[length] & 0xc0) == 0x80)
            length++;
        text_append(out, at, length);
        at += length;
        shown++;
    }
    text_add(out, "..");
}

/* The same at the end of a line: without blanks up to there. */
static void shortened(struct text *out, const char *words, size_t width)
{
    if (text_columns(words) > width)
        fitted(out, words, width);
    else
        text_add(out, words);
}

static void heading(struct page *page, const char *title, const char *aside)
{
    text_add_char(page->out, '\n');
    coloured(page, BOLD, title);
    if (aside && aside[0]) {
        scoped_text struct text cut = {0};
        size_t room = width_of(page) > text_columns(title) + 2 ? width_of(page) - text_columns(title) - 2 : 0;
        if (text_columns(aside) > room) {
            fitted(&cut, aside, room);
            aside = text_string(&cut);
        }
        size_t used = text_columns(title) + text_columns(aside);
        text_add_repeated(page->out, " ", used + 2 < width_of(page) ? width_of(page) - used : 2);
        coloured(page, DIM, aside);
    }
    text_add_char(page->out, '\n');
}

/* A paragraph in lines of at most the page's columns; the first begins at `first` columns that stand already. */
static void paragraph(struct page *page, const char *text, size_t indent, size_t first)
{
    struct view rest = view_of(text);
    size_t column = first;
    bool begun = false;
    for (struct view word = view_word(&rest); word.length; word = view_word(&rest)) {
        scoped_text struct text one = {0};
        text_append(&one, word.text, word.length);
        size_t width = text_columns(text_string(&one));
        if (begun && column + 1 + width > width_of(page)) {
            text_add_char(page->out, '\n');
            text_add_repeated(page->out, " ", indent);
            column = indent;
        } else if (begun) {
            text_add_char(page->out, ' ');
            column++;
        }
        text_append(page->out, word.text, word.length);
        column += width;
        begun = true;
    }
    text_add_char(page->out, '\n');
}

static void labelled(struct page *page, enum colour colour, const char *label, const char *text, size_t indent)
{
    coloured(page, colour, label);
    size_t width = text_columns(label);
    if (width < indent)
        text_add_repeated(page->out, " ", indent - width);
    paragraph(page, text, indent, width < indent ? indent : width);
}

static void bar(struct page *page, double share, enum colour colour)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (share < 0 || !isfinite(share))
        share = 0;
    size_t most = bar_of(page);
    double cells = share > 1 ? (double)most : share * (double)most;
    size_t full = (size_t)cells;
    text_add(page->out, code_of(page, colour));
    text_add_repeated(page->out, page->style->unicode ? "█" : "#", full);
    size_t used = full;
    if (page->style->unicode && full < most) {
        const char *part = eighths[(size_t)((cells - (double)full) * 8)];
        text_add(page->out, part);
        used += part[0] != '\0';
    }
    text_add(page->out, code_of(page, PLAIN));
    text_add_repeated(page->out, " ", most - used);
}

static void share_line(struct page *page, const char *label, double share, enum colour colour, const char *aside)
{
    text_add(page->out, "  ");
    fitted(page->out, label, 26);
    bar(page, share, colour);
    text_printf(page->out, " %5.1f %%", share * 100);
    size_t used = 2 + 26 + bar_of(page) + 8 + 2;
    if (aside && aside[0] && used + NAME_LEAST < width_of(page)) {
        scoped_text struct text cut = {0};
        shortened(&cut, aside, width_of(page) - used);
        text_add(page->out, "  ");
        coloured(page, DIM, text_string(&cut));
    }
    text_add_char(page->out, '\n');
}

/* ---- the verdict ---- */

/* As far as the bar goes: what is known of it, not all that may be such, too. */
static double drawn_of(const struct finding *finding)
{
    return finding->shown.known ? finding->shown.high : finding->recoverable.known ? finding->recoverable.high : 0;
}

static void print_gain(struct text *out, const struct finding *finding)
{
    if (!finding->recoverable.known) {
        text_add(out, "not bounded");
        return;
    }
    struct value share = VALUE_SHARE("", finding->gain_unmeasured ? interval_exactly(finding->recoverable.high)
                                                                   : finding->recoverable);
    if (finding->shown.known)
        share.number = interval_exactly(finding->shown.high);
    text_add(out, finding->gain_unmeasured ? "up to " : "");
    value_print(out, &share);
}

/* What came of the experiment on it, or on another of its findings. */
static void confirmed_line(struct page *page)
{
    const struct diagnosis_confirmed *confirmed = page->diagnosis->confirmed;
    if (!confirmed)
        return;
    scoped_text struct text line = {0};
    text_printf(&line, "%s: %s (plumb confirm: %s", confirmed->finding, confirmed->sentence, confirmed->experiment);
    if (confirmed->predicted.known)
        text_printf(&line, "; predicted gain %.1f to %.1f %%", 100 * confirmed->predicted.low, 100 * confirmed->predicted.high);
    if (confirmed->realised.known)
        text_printf(&line, "; realised %.1f to %.1f %%", 100 * confirmed->realised.low, 100 * confirmed->realised.high);
    text_add_char(&line, ')');
    labelled(page, BOLD, "  Tested       ", text_string(&line), 15);
}

static void try_line(struct page *page, size_t at, const char *text)
{
    char number[32];
    snprintf(number, sizeof(number), at ? "            %zu. " : "  Try       %zu. ", at + 1);
    labelled(page, BOLD, number, text, 15);
}

/* Where phases are limited by different things, no one sentence is true of all. */
static void phases_line(struct page *page)
{
    struct arena arena;
    arena_init(&arena);
    const char *text = phases_differ(page->diagnosis, &arena);
    if (text)
        labelled(page, BOLD, "  Phases       ", text, 15);
    arena_done(&arena);
}

static void verdict_section(struct page *page)
{
    const struct overall *overall = page->diagnosis->overall;
    bool is_cause = overall->kind == OVERALL_CULPRIT || overall->kind == OVERALL_WAITS;
    text_add_char(page->out, '\n');
    text_add(page->out, code_of(page, is_cause ? RED : YELLOW));
    text_add(page->out, "  ");
    paragraph(page, overall->sentence, 2, 2);
    text_add(page->out, code_of(page, PLAIN));
    const struct finding *culprit = overall->culprit;
    if (culprit && culprit->confidence != CONFIDENCE_NONE) {
        static const char *const shouted[] = {"", "LOW", "MEDIUM", "HIGH"};
        scoped_text struct text line = {0};
        text_printf(&line, "%s%s: %s%s.", shouted[culprit->confidence], overall->culprit_is_small ? " in that small cause" : "",
                    culprit->confidence_reason, culprit->gain_unmeasured ? "; what removing it returns is not measured" : "");
        labelled(page, BOLD, "  Confidence   ", text_string(&line), 15);
    }
    for (size_t at = 0, shown = 0; at < page->diagnosis->findings->count && shown < 3; at++) {
        const struct finding *finding = &page->diagnosis->findings->items[at];
        if (finding == culprit || finding == overall->disturbance || finding == overall->larger || finding->verdict != VERDICT_SUPPORTED ||
            overall->kind == OVERALL_WAITS || overall->kind == OVERALL_TOO_SHORT)
            continue;
        scoped_text struct text line = {0};
        text_add(&line, finding->headline ? finding->headline : finding->hypothesis->title);
        if (!finding->gain_unmeasured) {
            text_printf(&line, "; %s would return ", finding->returner ? finding->returner : "removing that");
            print_gain(&line, finding);
        }
        text_add_char(&line, '.');
        labelled(page, BOLD, shown ? "               " : "  Also         ", text_string(&line), 15);
        shown++;
    }
    phases_line(page);
    if (overall->ruled_out && overall->kind != OVERALL_TOO_SHORT)
        labelled(page, BOLD, "  Ruled out    ", overall->ruled_out, 15);
    for (size_t at = 0; at < overall->open_count; at++)
        labelled(page, BOLD, at ? "               " : "  Left open    ", overall->open[at], 15);
    const char *tries[OVERALL_TRIES_MOST];
    size_t tried = overall_tries(overall, tries);
    for (size_t at = 0; at < tried; at++)
        try_line(page, at, tries[at]);
    const char *confirm = culprit ? culprit->confirm : overall->confirm;
    if (confirm)
        labelled(page, BOLD, "  Check        ", confirm, 15);
    confirmed_line(page);
}

static void bottleneck_section(struct page *page)
{
    const struct results *results = page->diagnosis->results;
    struct bottleneck_line lines[BOTTLENECK_LINES_MOST];
    struct arena arena;
    if (!results->bottleneck)
        return;
    arena_init(&arena);
    double cpu_s = results->run && results->run->cpu_s.known ? results->run->cpu_s.value : 0;
    bool counted = diagnosis_basis_of(page->diagnosis) == BASIS_COUNTERS;
    size_t count = bottleneck_lines(lines, results->bottleneck, counted ? "no top-down tree" : "no PMU", cpu_s, &arena);
    for (size_t at = 0; at < count; at++) {
        char label[32];
        snprintf(label, sizeof(label), "  %s", lines[at].label);
        labelled(page, lines[at].is_head ? BOLD : PLAIN, label, lines[at].text, 15);
    }
    arena_done(&arena);
}

/* Names, shares and bars stand in columns of their own: as wide as they are. */
static struct topdown_section_style topdown_style_of(const struct page *page)
{
    return (struct topdown_section_style){page->style->colour, page->style->unicode, page->style->verbose, width_of(page)};
}

static void topdown_section(struct page *page)
{
    const struct topdown_counted *counted = page->diagnosis->results->topdown;
    if (!counted)
        return;
    heading(page, "TOP-DOWN", counted->origin);
    const struct topdown_section_style style = topdown_style_of(page);
    topdown_section_lines(page->out, counted, &style);
}

/* ---- where the time went ---- */

static const double PART_SHOWN = 0.005, PART_OPEN = 0.01;

/* A part whose borders are open says so beside its middle. */
static void part_line(struct page *page, const char *label, struct interval share, enum colour colour)
{
    scoped_text struct text range = {0};
    struct value value = VALUE_SHARE("", share);
    value_print(&range, &value);
    share_line(page, label, share.mid, colour, share.high - share.low >= PART_OPEN ? text_string(&range) : "");
}


/* What is neither running nor certain to wait. */
static void off_cpu_lines(struct page *page, const struct time_shares *shares)
{
    bool throttled = shares->throttled.mid >= PART_SHOWN, ready = shares->ready.mid >= PART_SHOWN;
    if (throttled)
        part_line(page, "ready, but throttled", shares->throttled, RED);
    if (ready)
        part_line(page, "ready, but others ran", shares->ready, RED);
    bool held = shares->held.high >= PART_SHOWN;
    if (held)
        part_line(page, "held by plumb's own probe", shares->held, DIM);
    part_line(page, throttled || ready || held ? "waiting" : "no thread running", shares->waiting, DIM);
}

/* Of a handful of samples each is a large share, and says next to nothing. */
static bool enough_samples(const struct results *results)
{
    return results->stalls && results->stalls->sample_count >= OVERALL_SAMPLES_LEAST;
}

/* Those that ran, which are fewer than it has where some slept throughout. */
static void threads_words(struct text *out, uint32_t ran, uint32_t at_once)
{
    text_add(out, out->length ? ", " : "");
    if (at_once > ran)
        text_printf(out, "%u of %u threads ran", ran, at_once);
    else
        text_printf(out, "%u thread%s", ran, ran == 1 ? "" : "s");
}

static void time_section(struct page *page)
{
    const struct results *results = page->diagnosis->results;
    const struct run_time *run = results->run;
    if (!run || (!run->elapsed_s.known && !run->cpu_s.known && !run->threads_seen))
        return;
    scoped_text struct text aside = {0};
    if (run->elapsed_s.known) {
        print_seconds(&aside, run->elapsed_s.value);
        text_add(&aside, " elapsed");
    }
    if (run->cpu_s.known) {
        text_add(&aside, aside.length ? ", " : "");
        print_seconds(&aside, run->cpu_s.value);
        text_add(&aside, " of CPU time");
    }
    const struct process_starts *starts = results->kernel ? &results->kernel->starts : NULL;
    bool several = starts && starts->process_count > 1;
    if (several)
        text_printf(&aside, "%s%llu processes", aside.length ? ", " : "", (unsigned long long)starts->process_count);
    if (run->threads_seen && (!several || run->threads_seen > starts->process_count))
        threads_words(&aside, run->threads_seen, results->activity ? results->activity->threads_at_once : 0);
    heading(page, "WHERE THE TIME WENT", text_string(&aside));
    double on_cpu = run->on_cpu_ratio.known ? run->on_cpu_ratio.value : 0;
    if (run->on_cpu_ratio.known) {
        double user = 1, kernel = 0;
        bool sampled = enough_samples(results) && results->kernel;
        if (sampled) {
            kernel = (double)results->stalls->kernel_samples / (double)results->stalls->sample_count;
            user = 1 - kernel;
        } else if (run->cpu_s.known && run->cpu_s.value > 0 && run->system_s.known) {
            kernel = run->system_s.value / run->cpu_s.value; /* ticks of /proc over a finer clock: of little time too much */
            kernel = kernel < 1 ? kernel : 1;
            user = 1 - kernel;
        }
        share_line(page, sampled || kernel > 0 ? "running, its own code" : "running", on_cpu * user, CYAN, "");
        if (sampled || kernel > 0)
            share_line(page, "running, in the kernel", on_cpu * kernel, YELLOW, "");
        struct time_shares shares = time_shares_of(run, results->activity, results->waits);
        off_cpu_lines(page, &shares);
    }
    scoped_text struct text facts = {0};
    if (run->run_delay_s.known) {
        text_add(&facts, run->threads_seen > 1 ? "its threads together waited " : "waited ");
        print_seconds(&facts, run_time_delay_proven(run).value);
        text_printf(&facts, " for a CPU%s", run->run_delay_is_least ? " at least" : "");
    }
    if (results->activity && results->activity->throttled_s.known && results->activity->throttled_s.value > 0) {
        text_add(&facts, facts.length ? ", its group was throttled " : "its group was throttled ");
        print_seconds(&facts, results->activity->throttled_s.value);
    }
    if (results->activity && results->activity->steal_ratio.known)
        text_printf(&facts, "%s%.1f %% of the machine stolen", facts.length ? ", " : "",
                    results->activity->steal_ratio.value * 100);
    if (run->migrations.known)
        text_printf(&facts, "%s%.0f move%s between CPUs", facts.length ? ", " : "", run->migrations.value,
                    run->migrations.value == 1 ? "" : "s");
    if (facts.length) {
        text_add(page->out, "  ");
        paragraph(page, text_string(&facts), 2, 2);
    }
    scoped_text struct text core = {0};
    ceilings_line(&core, results->ceilings);
    if (core.length) {
        text_add(page->out, code_of(page, ceilings_are_shared(results->ceilings) ? YELLOW : DIM));
        text_add(page->out, "  ");
        paragraph(page, text_string(&core), 2, 2);
        text_add(page->out, code_of(page, PLAIN));
    }
    const struct kernel_time *kernel = results->kernel;
    if (kernel && enough_samples(results) && kernel->kernel_samples * 20 > kernel->sample_count) {
        scoped_text struct text line = {0};
        double total = (double)kernel->sample_count;
        text_printf(&line, "of the CPU time, in the kernel: page faults %.1f %%", 100 * (double)kernel->fault_samples / total);
        for (size_t at = 0; at < kernel->entry_count && at < 4; at++)
            text_printf(&line, ", %s %.1f %%", kernel->entries[at].name, 100 * (double)kernel->entries[at].samples / total);
        text_printf(&line, ", interrupts %.1f %%", 100 * (double)kernel->interrupt_samples / total);
        if (kernel->exec_samples)
            text_printf(&line, ", starting and ending processes %.1f %%", 100 * (double)kernel->exec_samples / total);
        text_add(page->out, "  ");
        paragraph(page, text_string(&line), 2, 2);
    }
}

enum { PROFILER_NAMES_SHOWN = 4 };
static const double SHOWN_LEAST = 0.0005;

/* Of CPUs that were watched: whose time it was, each sample once. */
static void host_section(struct page *page)
{
    static const enum colour colours[] = {[HOST_GUEST] = CYAN, [HOST_GUEST_ENTRY] = CYAN, [HOST_GUEST_EXITS] = YELLOW, [HOST_PROFILER] = RED,
                                          [HOST_IDLE] = DIM, [HOST_KERNEL] = YELLOW, [HOST_USER] = CYAN};
    const struct host_profile *host = page->diagnosis->host;
    if (!host)
        return;
    heading(page, "WHOSE TIME", "each sample once");
    text_add(page->out, "  ");
    scoped_text struct text whole = {0};
    text_printf(&whole, "100 %% is %s", page->diagnosis->host_denominator);
    paragraph(page, text_string(&whole), 2, 2);
    for (enum host_part part = 0; part < HOST_PART_COUNT; part++) {
        scoped_text struct text aside = {0};
        bool guests = part == HOST_GUEST || part == HOST_GUEST_ENTRY || part == HOST_GUEST_EXITS;
        if (guests && !host_profile_has_guests(host))
            continue;
        if (part == HOST_PROFILER)
            for (size_t at = 0; at < host->profiler_count && at < PROFILER_NAMES_SHOWN && host->profiler[at].weight >= SHOWN_LEAST * host->total; at++)
                text_printf(&aside, "%s%s %.1f %%", at ? ", " : "", host->profiler[at].name, 100 * host->profiler[at].weight / host->total);
        if (part == HOST_GUEST_ENTRY)
            text_add(&aside, "guests' time is found there, too");
        share_line(page, host_part_words(part), host_profile_share(host, part), colours[part], text_string(&aside));
    }
    const struct activity *activity = page->diagnosis->results->activity;
    if (activity && activity->guest_ratio.known && activity->guest_ratio.value > 0)
        text_printf(page->out, "  by /proc/stat, guests ran in %.1f %% of the machine's CPU time\n", 100 * activity->guest_ratio.value);
}

enum { PROGRAMS_SHOWN = 6 };
static const double PROGRAM_SHOWN_LEAST = 0.01;

/* Where several programs or processes ran: a build, a pipeline, a machine. */
static void programs_section(struct page *page)
{
    const struct program_shares *programs = page->diagnosis->programs;
    const struct run_time *run = page->diagnosis->results->run;
    size_t shown = 0;
    uint32_t processes = 0;
    for (size_t at = 0; programs && at < programs->count && programs->items[at].share >= PROGRAM_SHOWN_LEAST; at++, shown++)
        processes += programs->items[at].processes;
    if (processes < 2)
        return;
    heading(page, "PROGRAMS", "share of the samples, by thread name");
    for (size_t at = 0; at < shown && at < PROGRAMS_SHOWN; at++) {
        const struct program_share *program = &programs->items[at];
        scoped_text struct text aside = {0};
        text_printf(&aside, "%u process%s", program->processes, program->processes == 1 ? "" : "es");
        if (program->processes > 1 && run && run->cpu_s.known) {
            text_add(&aside, ", ");
            struct value each = VALUE_SECONDS("", interval_exactly(program->share * run->cpu_s.value / program->processes));
            value_print(&aside, &each);
            text_add(&aside, " each");
        }
        share_line(page, program->name, program->share, CYAN, text_string(&aside));
    }
    if (shown > PROGRAMS_SHOWN)
        text_printf(page->out, "  and %zu more of 1 %% at least\n", shown - PROGRAMS_SHOWN);
}

static void measures_section(struct page *page)
{
    const struct counter_summary *counters = page->diagnosis->results->counters;
    scoped_text struct text runs = {0}, counts = {0}, gain = {0}, probes = {0};
    runs_lines(&runs, page->diagnosis->results->runs);
    counters_lines(&counts, counters);
    probes_lines(&probes, page->diagnosis->results->probes);
    imported_gain_lines(&gain, page->diagnosis->results->imported, page->diagnosis->results->effect);
    struct {
        const char *title, *aside;
        struct text *lines;
    } sections[] = {{"RUNS", page->diagnosis->results->runs ? page->diagnosis->results->runs->origin : "", &runs},
                    {"COUNTERS", counters ? counters->origin : "", &counts},
                    {"PROBES", "tried on the target itself", &probes},
                    {"RUNS OF OTHERS", "imported, not measured by plumb", &gain}};
    for (size_t at = 0; at < array_count(sections); at++) {
        struct view rest = text_view(sections[at].lines), line;
        if (rest.length)
            heading(page, sections[at].title, sections[at].aside);
        while (view_line(&rest, &line))
            text_printf(page->out, "  %.*s\n", (int)line.length, line.text);
    }
}

/* Of the function what it called, where, and who called it. */
static void wait_call(struct page *page, const struct wait_row *row)
{
    scoped_text struct text line = {0};
    if (!row->call)
        return;
    text_add(page->out, "      ");
    fitted(&line, row->call, width_of(page) < WIDTH ? width_of(page) - 6 : WIDTH - 6);
    while (line.length && line.bytes[line.length - 1] == ' ')
        line.bytes[--line.length] = '\0';
    coloured(page, DIM, text_string(&line));
    text_add_char(page->out, '\n');
}

static void wait_note(struct page *page, const char *note)
{
    text_add(page->out, "  ");
    coloured(page, DIM, note);
    text_add_char(page->out, '\n');
}

/* Less than so much of the elapsed time, and that no thread ran is not what is to be told. */
static const double IDLE_LEAST = 0.05;

/* Woken up is not yet running. */
static void wait_note_ready(struct page *page, const struct wait_rows *waits, const struct run_time *run)
{
    struct time_shares shares = time_shares_of(run, page->diagnosis->results->activity, waits);
    double asleep_s = shares.known ? shares.waiting.high * run->elapsed_s.value : waits->idle_s;
    if (asleep_s > 0.9 * waits->idle_s)
        return;
    scoped_text struct text line = {0};
    text_add(&line, "of that it was asleep for ");
    print_seconds(&line, asleep_s);
    text_add(&line, " at most: the rest of it one was ready, and had no CPU");
    wait_note(page, text_string(&line));
}

static void wait_notes(struct page *page, const struct wait_rows *waits, const struct run_time *run)
{
    if (waits->idle_s >= IDLE_LEAST * run->elapsed_s.value)
        wait_note_ready(page, waits, run);
    /* A wait lasts until the thread runs again: being ready, but without a CPU, is in it. */
    if (run->run_delay_s.known && run->run_delay_s.value >= 0.05 * waits->idle_s) {
        scoped_text struct text line = {0};
        text_add(&line, "until it ran again: for ");
        print_seconds(&line, run_time_delay_proven(run).value);
        text_printf(&line, "%s, added up, it was ready, but had no CPU; what came after a wait is in that wait",
                    run->run_delay_is_least ? " or more" : "");
        wait_note(page, text_string(&line));
    }
    if (waits->spread_s >= 0.01 * waits->waiting_s && waits->spread_s > 0) {
        scoped_text struct text line = {0};
        text_printf(&line, "stacks of %llu of %llu waits were taken; ", (unsigned long long)waits->stack_count,
                    (unsigned long long)waits->wait_count);
        print_seconds(&line, waits->spread_s);
        text_add(&line, " of the others stand with waits like them (estimated)");
        wait_note(page, text_string(&line));
    }
}

/* What the rows are shares of: the time in which none ran, or where that is next to nothing, their own waits. */
static double wait_row_share(const struct wait_rows *waits, const struct wait_row *row, double elapsed_s)
{
    bool by_idle = waits->idle_s >= IDLE_LEAST * elapsed_s;
    double whole_s = by_idle ? waits->idle_s : waits->waiting_s;
    return whole_s > 0 ? (by_idle ? row->idle_s : row->total_s) / whole_s : 0;
}

/* What held everybody up; and what held up single threads while others ran. */
static bool wait_is_shown(const struct wait_rows *waits, const struct wait_row *row)
{
    return row->idle_s >= 0.02 * waits->idle_s || row->total_s >= 0.1 * waits->waiting_s;
}

static bool waits_matter(const struct wait_rows *waits, double elapsed_s)
{
    for (size_t at = 0; at < waits->count; at++)
        if (waits->items[at].kind == WAIT_LOCK && waits->items[at].total_s >= 0.05 * elapsed_s)
            return true;
    return waits->idle_s >= IDLE_LEAST * elapsed_s;
}

static void wait_row_lines(struct page *page, const struct wait_rows *waits, const struct wait_row *row, double elapsed_s)
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
    share_line(page, text_string(&label), wait_row_share(waits, row, elapsed_s), DIM, text_string(&line));
    wait_call(page, row);
}

static void wait_section(struct page *page)
{
    enum { SHOWN_MOST = 6 };
    const struct wait_rows *waits = page->diagnosis->results->waits;
    const struct run_time *run = page->diagnosis->results->run;
    if (!waits || !run || !run->elapsed_s.known || !waits_matter(waits, run->elapsed_s.value))
        return;
    scoped_text struct text aside = {0};
    bool by_idle = waits->idle_s >= IDLE_LEAST * run->elapsed_s.value;
    print_seconds(&aside, by_idle ? waits->idle_s : waits->waiting_s);
    text_add(&aside, by_idle ? " in which all waited at once, by the wait that ended it; beside it each place's waits"
                             : " of its threads added up; next to none in which all of them waited at once");
    heading(page, "WAITING", text_string(&aside));
    wait_notes(page, waits, run);
    if (waits->wait_count && !waits->stack_count)
        wait_note(page, "no stacks of them could be taken: who asked for them isn't known");
    for (size_t at = 0, shown = 0; at < waits->count && shown < SHOWN_MOST; at++) {
        if (!wait_is_shown(waits, &waits->items[at]))
            continue;
        wait_row_lines(page, waits, &waits->items[at], run->elapsed_s.value);
        shown++;
    }
}

/* ---- hot code ---- */

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void row_line(struct page *page, const struct stall_row *row, double total)
{
    scoped_text struct text line = {0};
    double share = (double)row->samples / total;
    text_printf(&line, "      %5.1f %%  ", share * 100);
    size_t aside = width_of(page) < WIDTH ? width_of(page) / 3 : 38, used = 15;
    fitted(&line, row->text, width_of(page) < WIDTH ? width_of(page) - used - aside : 46);
    text_add(page->out, text_string(&line));
    scoped_text struct text where = {0};
    if (row->path)
        text_printf(&where, "  %s:%u", file_of(row->path), row->line);
    if (row->inlined)
        text_printf(&where, " (%s)", row->inlined);
    if (row->is_stack)
        text_add(&where, "  stack");
    scoped_text struct text cut = {0};
    fitted(&cut, text_string(&where), aside);
    coloured(page, DIM, text_string(&cut));
    while (page->out->length && page->out->bytes[page->out->length - 1] == ' ')
        page->out->length--;
    text_add_char(page->out, '\n');
}

/* Where nothing names it, the binary is in the name already: then that has the room of both. */
static void name_and_binary(struct page *page, const struct stall_function *function)
{
    size_t length = strlen(function->dso), used = 2 + 8 + 2 + bar_of(page);
    scoped_text struct text name = {0};
    if (strncmp(function->name, function->dso, length) == 0 && function->name[length] == '+') {
        shortened(&name, function->name, width_of(page) > used + NAME_LEAST ? width_of(page) - used : NAME_LEAST);
        coloured(page, BOLD, text_string(&name));
    } else {
        fitted(&name, function->name, column_of(page, 42));
        coloured(page, BOLD, text_string(&name));
        text_add(page->out, "  ");
        coloured(page, DIM, function->dso);
    }
    text_add_char(page->out, '\n');
}

/* By what, and how far behind the instruction that stalled samples land: shown by the self-test beside the run. */
static void sampling_line(struct page *page, const struct stalls *stalls)
{
    const struct access_costs *costs = page->diagnosis->results->costs;
    struct interval share = !costs ? (struct interval){0} : costs->exact ? costs->exact_ratio : costs->behind_ratio;
    if (!stalls->event || !stalls->attributed || !share.known)
        return;
    scoped_text struct text line = {0};
    text_printf(&line, "sampled by %s; %.0f to %.0f %% of the self-test's samples land %s", stalls->event, share.low * 100, share.high * 100,
                stalls->exact ? "on what stalled" : "one instruction behind the stall");
    labelled(page, DIM, "  ", text_string(&line), 2);
}

static void callers_text(struct text *line, const struct stall_caller *callers, uint32_t count, uint64_t stacks)
{
    static const double LEAST = 0.05;
    for (uint32_t at = 0; at < count; at++) {
        double share = (double)callers[at].stacks / (double)stacks;
        if (at && share < LEAST)
            break;
        text_printf(line, "%s%s", at ? ", " : "", callers[at].name);
        if (callers[at].path)
            text_printf(line, " (%s:%u)", file_of(callers[at].path), callers[at].line);
        if (share < 1 - LEAST)
            text_printf(line, " %.0f %%", share * 100);
    }
}

/* By the stacks that were copied; a handful says nothing. */
static void callers_line(struct page *page, const struct stall_function *function)
{
    enum { STACKS_LEAST = 5 };
    if (function->stacks < STACKS_LEAST || !function->caller_count)
        return;
    scoped_text struct text line = {0};
    text_add(&line, "called by ");
    callers_text(&line, function->callers, function->caller_count, function->stacks);
    if (function->owner_count) {
        text_add(&line, "; for ");
        callers_text(&line, function->owners, function->owner_count, function->stacks);
    }
    text_add(page->out, "        ");
    paragraph(page, text_string(&line), 10, 8);
}

static void code_section(struct page *page)
{
    const struct stalls *stalls = page->diagnosis->results->stalls;
    if (!stalls || !stalls->sample_count)
        return;
    scoped_text struct text aside = {0};
    text_printf(&aside, "%llu samples%s; instructions: %s", (unsigned long long)stalls->sample_count,
                page->diagnosis->results->sampled.known ? " of user code alone" : "",
                stalls->attributed ? "those that stalled" : "those that were interrupted");
    heading(page, "HOT CODE", text_string(&aside));
    sampling_line(page, stalls);
    double total = (double)stalls->sample_count;
    for (size_t at = 0; at < stalls->function_count && at < page->style->functions_most; at++) {
        const struct stall_function *function = &stalls->functions[at];
        double share = (double)function->samples / total;
        if (share < 0.01 && at)
            break;
        text_printf(page->out, "  %5.1f %%  ", share * 100);
        bar(page, share, CYAN);
        text_add(page->out, "  ");
        name_and_binary(page, function);
        if (at < 3)
            callers_line(page, function);
        size_t rows = at == 0 ? 5 : at < 3 ? 2 : 0;
        for (size_t row = 0; row < function->row_count && row < rows; row++)
            if ((double)function->rows[row].samples >= 0.02 * total)
                row_line(page, &function->rows[row], total);
    }
}

static void memory_section(struct page *page)
{
    const struct results *results = page->diagnosis->results;
    const struct stalls *stalls = results->stalls;
    if (!stalls || !stalls->group_count || stalls->groups[0].share.mid < 0.02)
        return;
    heading(page, "DATA IT WAITS FOR", "share of all samples; addresses from sampled registers");
    for (uint32_t at = 0; at < stalls->group_count && at < 4; at++) {
        const struct stall_group *group = &stalls->groups[at];
        const struct access_cost *cost = access_costs_of_group(results->costs, at);
        const struct set_size *pages = &group->set.pages;
        if (group->share.mid < 0.02)
            break;
        scoped_text struct text line = {0};
        text_printf(&line, "%s in %s: ", stalls->functions[group->function].name, group->area);
        if (group->set.address_count < WORKING_SET_ADDRESSES_LEAST) {
            text_add(&line, "too few addresses to size it");
        } else {
            text_add(&line, pages->known ? "about " : "at least ");
            print_bytes(&line, pages->known ? pages->bytes : pages->at_least_bytes);
            text_add(&line, " of pages");
        }
        if (group->set.stride_bytes && !group->in_order) { /* a walk in order is met at steps of the sampling */
            text_add(&line, group->set.one_place_in_stride ? ", one place in every " : ", in steps of ");
            print_bytes(&line, (double)group->set.stride_bytes);
        }
        double sized = (double)(group->base_hits + group->huge_hits);
        if (sized > 0)
            text_printf(&line, "; %.0f %% on 4 KiB pages", 100 * (double)group->base_hits / sized);
        else
            text_add(&line, "; page sizes not known");
        if (group->in_order)
            text_add(&line, "; gone through in order");
        else if (cost && cost->known)
            text_printf(&line, "; such an access%s costs %.3g ns here, %.3g ns on 2 MiB pages",
                        cost->work_instructions ? " with the work around it" : "", cost->ns_small.mid,
                        cost->ns_huge.mid);
        char label[32];
        snprintf(label, sizeof(label), "  %5.1f %%  ", group->share.mid * 100);
        labelled(page, PLAIN, label, text_string(&line), 11);
    }
}

static void vector_section(struct page *page)
{
    const struct stalls *stalls = page->diagnosis->results->stalls;
    if (!stalls || !stalls->attributed || !enough_samples(page->diagnosis->results))
        return;
    double total = (double)stalls->sample_count, user = (double)stalls->attributed_samples;
    double widths[] = {(double)stalls->scalar_fp_samples, (double)stalls->vector_samples[0], (double)stalls->vector_samples[1],
                       (double)stalls->vector_samples[2]};
    static const char *const labels[] = {"one number at a time", "128 bits", "256 bits", "512 bits"};
    double any = widths[0] + widths[1] + widths[2] + widths[3];
    if (any < 0.02 * total) {
        if (user >= (double)stalls->user_samples / 2) /* of code that can't be read nothing is known */
            heading(page, "VECTOR WIDTH OF THE HOT CODE", "none: general registers alone");
        else
            heading(page, "VECTOR WIDTH OF THE HOT CODE", "not known: most of the hot instructions couldn't be read");
        return;
    }
    heading(page, "VECTOR WIDTH OF THE HOT CODE", "share of all samples at such instructions");
    share_line(page, "no vectors", (user > any ? user - any : 0) / total, DIM, "general registers, counting, jumps");
    for (size_t at = 0; at < array_count(widths); at++)
        if (widths[at] > 0)
            share_line(page, labels[at], widths[at] / total, at ? CYAN : YELLOW, "");
}

/* What limits each phase: what the whole run's numbers average away. */
static void phase_limits(struct page *page)
{
    struct phase_line lines[PHASE_LINES_MOST];
    struct arena arena;
    arena_init(&arena);
    size_t count = phase_lines(lines, page->diagnosis, &arena);
    const struct topdown_section_style style = topdown_style_of(page);
    for (size_t at = 0; at < count; at++) {
        labelled(page, BOLD, lines[at].label, lines[at].text, 5);
        if (lines[at].tree)
            topdown_section_lines(page->out, lines[at].tree, &style);
    }
    arena_done(&arena);
}

static void phase_section(struct page *page)
{
    const struct phase_rows *phases = page->diagnosis->phases;
    if (!phases || phases->count < 2)
        return;
    char aside[64];
    snprintf(aside, sizeof(aside), "%u different mixes in %zu stretches", phases->phase_count, phases->count);
    heading(page, "PHASES", aside);
    for (size_t at = 0; at < phases->count; at++) {
        const struct phase_row *row = &phases->items[at];
        scoped_text struct text line = {0};
        for (size_t function = 0; function < row->function_count && (!function || row->functions[function].share >= 0.01); function++) {
            text_add(&line, function ? ", " : "");
            text_add_name(&line, row->functions[function].name, SENTENCE_NAME_MOST);
            text_printf(&line, " %.0f %%", row->functions[function].share * 100);
        }
        char label[64];
        snprintf(label, sizeof(label), "%3u  %6.2f to %6.2f s   ", row->phase + 1, row->from_s, row->until_s);
        labelled(page, PLAIN, label, text_string(&line), 25);
    }
    phase_limits(page);
}

/* ---- findings ---- */

static void finding_details(struct page *page, const struct finding *finding)
{
    for (size_t at = 0; at < finding->evidence_count; at++) {
        static const char *const signs[] = {"     + ", "     - ", "       "};
        labelled(page, DIM, signs[finding->evidence[at].weight], finding->evidence[at].text, 7);
    }
    if (finding->reason && finding->verdict == VERDICT_UNDECIDED) /* of others it stands behind the title */
        labelled(page, DIM, "       ", finding->reason, 7);
    if (finding->gain_unmeasured && finding->verdict == VERDICT_SUPPORTED && finding->reason)
        labelled(page, DIM, "       ", finding->reason, 7);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_reason(const struct finding *a, const struct finding *b)
{
    return a->verdict == b->verdict && a->reason && same_text(a->reason, b->reason) && same_text(a->remedy, b->remedy);
}

/* One reason for many (no recording at all) is said once, behind all that it keeps from being tested. */
static bool not_testable_together(struct page *page, size_t first)
{
    enum { TOGETHER_LEAST = 3 };
    const struct findings *findings = page->diagnosis->findings;
    const struct finding *finding = &findings->items[first];
    scoped_text struct text line = {0};
    size_t count = 0;
    for (size_t at = 0; at < findings->count; at++) {
        if (!same_reason(finding, &findings->items[at]))
            continue;
        if (at < first)
            return true; /* said with that one, if it was */
        text_printf(&line, "%s%s", count ? ", " : "", findings->items[at].hypothesis->title);
        count++;
    }
    if (count < TOGETHER_LEAST)
        return false;
    text_printf(&line, ": %s", finding->reason);
    if (finding->remedy)
        text_printf(&line, "; %s", finding->remedy);
    text_printf(page->out, "  %s ", page->style->unicode ? "·" : ".");
    paragraph(page, text_string(&line), 4, 4);
    return true;
}

/* Name and bound of each from the one at `first` on, as a paragraph; why stands in -v. */
static void findings_shortly(struct page *page, enum verdict verdict, size_t first, enum colour colour, const char *mark)
{
    const struct findings *findings = page->diagnosis->findings;
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
        labelled(page, colour, text_string(&label), text_string(&line), 4);
    }
}

/* Code without names leaves a dozen open: the largest get a line each, unless that is hardly shorter. */
enum {
    UNDECIDED_SHOWN = 5,
    UNDECIDED_MOST = 7
};

/* Before its bar; on a narrow terminal in a line of its own, rather than cut. */
static void finding_title(struct page *page, const char *title)
{
    size_t room = column_of(page, 46);
    if (text_columns(title) <= room) {
        fitted(page->out, title, room);
        text_add_char(page->out, ' ');
        return;
    }
    paragraph(page, title, 4, 4);
    text_add_repeated(page->out, " ", 4 + room + 1);
}

static void findings_of(struct page *page, enum verdict verdict, const char *title, enum colour colour)
{
    static const char *const marks[] = {"●", "○", "✓", "·"}, *const plain[] = {"*", "?", "-", "."};
    size_t count = 0;
    for (size_t at = 0; at < page->diagnosis->findings->count; at++)
        count += page->diagnosis->findings->items[at].verdict == verdict;
    if (!count)
        return;
    static const char *const asides[] = {"", "-v: what is missing", "-v: why", "-v: how to test them"};
    heading(page, title, page->style->verbose ? "" : asides[verdict]);
    const char *mark = page->style->unicode ? marks[verdict] : plain[verdict];
    if (verdict == VERDICT_RULED_OUT && !page->style->verbose) {
        findings_shortly(page, verdict, 0, colour, mark);
        return;
    }
    size_t shown = 0;
    for (size_t at = 0; at < page->diagnosis->findings->count; at++) {
        const struct finding *finding = &page->diagnosis->findings->items[at];
        if (finding->verdict != verdict)
            continue;
        if (verdict == VERDICT_UNDECIDED && !page->style->verbose && count > UNDECIDED_MOST && shown == UNDECIDED_SHOWN) {
            findings_shortly(page, verdict, at, colour, mark);
            return;
        }
        shown++;
        if (verdict == VERDICT_NOT_TESTABLE && !page->style->verbose && not_testable_together(page, at))
            continue;
        text_printf(page->out, "  %s%s%s ", code_of(page, colour), mark, code_of(page, PLAIN));
        scoped_text struct text gain = {0};
        if (verdict == VERDICT_SUPPORTED || verdict == VERDICT_UNDECIDED) {
            finding_title(page, finding->hypothesis->title);
            bar(page, drawn_of(finding), colour);
            print_gain(&gain, finding);
            if (finding->recoverable.known)
                text_printf(page->out, "  %s of %s\n", text_string(&gain), denominator_name(finding->of));
            else
                text_printf(page->out, "  %s\n", text_string(&gain));
            if (verdict == VERDICT_SUPPORTED || page->style->verbose)
                finding_details(page, finding);
            continue;
        }
        scoped_text struct text line = {0};
        text_printf(&line, "%s: %s", finding->hypothesis->title, finding->reason ? finding->reason : "");
        if (verdict == VERDICT_NOT_TESTABLE && finding->remedy && page->style->verbose)
            text_printf(&line, "; to test it: %s", finding->remedy);
        paragraph(page, text_string(&line), 4, 4);
        if (page->style->verbose)
            finding_details(page, finding);
    }
}

static void statements_section(struct page *page)
{
    const struct statements *statements = page->diagnosis->statements;
    if (!statements)
        return;
    heading(page, "NOT OURS", "said or imported, not measured by plumb");
    for (size_t at = 0; at < statements->count; at++) {
        scoped_text struct text line = {0};
        text_printf(&line, "%s: %s", statements->items[at].origin, statements->items[at].text);
        text_add(page->out, "  ");
        paragraph(page, text_string(&line), 4, 2);
    }
}

static void gaps_section(struct page *page)
{
    if (!page->diagnosis->gap_count)
        return;
    heading(page, "NOT MEASURED HERE", "");
    for (size_t at = 0; at < page->diagnosis->gap_count; at++) {
        const char *why = page->diagnosis->gaps[at].why;
        const char *places = page->style->verbose ? NULL : strstr(why, ": tried '"); /* where debug files were looked for */
        scoped_text struct text line = {0};
        text_printf(&line, "%s: ", page->diagnosis->gaps[at].what);
        text_append(&line, why, places ? (size_t)(places - why) : strlen(why));
        text_add(page->out, "  ");
        paragraph(page, text_string(&line), 4, 2);
    }
}

void diagnosis_text(struct text *out, const struct diagnosis *diagnosis, const struct text_style *style)
{
    struct page page = {out, style, diagnosis};
    const struct surroundings *machine = diagnosis->results->surroundings;
    static const char *const marks[] = {[BASIS_COUNTERS] = "", [BASIS_ESTIMATE] = "  ESTIMATED (no PMU)", [BASIS_IMPORTED] = "  IMPORTED (not ours)"};
    const char *mark = marks[diagnosis_basis_of(diagnosis)];
    scoped_text struct text title = {0};
    text_printf(&title, "plumb diagnose  %s", diagnosis->subject);
    scoped_text struct text cut = {0};
    fitted(&cut, text_string(&title), width_of(&page) - strlen(mark));
    coloured(&page, BOLD, text_string(&cut));
    if (mark[0])
        coloured(&page, YELLOW, mark);
    text_add_char(out, '\n');
    if (machine && machine->cpu[0]) {
        scoped_text struct text line = {0};
        text_printf(&line, "%s%s%s%s%s", machine->cpu, machine->microarchitecture[0] ? ", " : "",
                    machine->microarchitecture, machine->is_guest ? ", guest of " : ", ", machine->hypervisor);
        scoped_text struct text shown = {0};
        shortened(&shown, text_string(&line), width_of(&page));
        coloured(&page, DIM, text_string(&shown));
        text_add_char(out, '\n');
    }
    verdict_section(&page);
    bottleneck_section(&page);
    if (style->quiet)
        return;
    topdown_section(&page);
    time_section(&page);
    host_section(&page);
    programs_section(&page);
    measures_section(&page);
    wait_section(&page);
    code_section(&page);
    memory_section(&page);
    vector_section(&page);
    phase_section(&page);
    findings_of(&page, VERDICT_SUPPORTED, "SUPPORTED", RED);
    findings_of(&page, VERDICT_UNDECIDED, "UNDECIDED", YELLOW);
    findings_of(&page, VERDICT_RULED_OUT, "RULED OUT", GREEN);
    findings_of(&page, VERDICT_NOT_TESTABLE, "NOT TESTABLE HERE", DIM);
    statements_section(&page);
    gaps_section(&page);
    if (diagnosis->case_folder) {
        text_printf(out, "\nThe case is in %s; plumb diagnose --case %s shows it again.\n", diagnosis->case_folder,
                    diagnosis->case_folder);
    }
}
