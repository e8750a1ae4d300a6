/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis/text/sections.h"

#include "base/scope.h"
#include "finding/share.h"
#include "finding/wording.h"
#include "render/diagnosis/diagnosis_measures.h"

static const double PART_SHOWN = 0.005, PART_OPEN = 0.01;

/* A part whose borders are open says so beside its middle. */
static void part_line(struct sheet *sheet, const char *label, struct interval share, enum sheet_colour colour)
{
    scoped_text struct text range = {0};
    struct value value = VALUE_SHARE("", share);
    value_print(&range, &value);
    sheet_share_line(sheet, label, share.mid, colour, share.high - share.low >= PART_OPEN ? text_string(&range) : "");
}

/* What is neither running nor certain to wait. */
static void off_cpu_lines(struct sheet *sheet, const struct time_shares *shares)
{
    bool throttled = shares->throttled.mid >= PART_SHOWN, ready = shares->ready.mid >= PART_SHOWN;
    if (throttled)
        part_line(sheet, "ready, but throttled", shares->throttled, SHEET_RED);
    if (ready)
        part_line(sheet, "ready, but others ran", shares->ready, SHEET_RED);
    bool held = shares->held.high >= PART_SHOWN;
    if (held)
        part_line(sheet, "held by plumb's own probe", shares->held, SHEET_DIM);
    part_line(sheet, throttled || ready || held ? "waiting" : "no thread running", shares->waiting, SHEET_DIM);
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

/* "3.51 s elapsed, 3.49 s of CPU time, 1 thread" */
static void time_aside(struct text *out, const struct results *results)
{
    const struct run_time *run = results->run;
    if (run->elapsed_s.known) {
        print_seconds(out, run->elapsed_s.value);
        text_add(out, " elapsed");
    }
    if (run->cpu_s.known) {
        text_add(out, out->length ? ", " : "");
        print_seconds(out, run->cpu_s.value);
        text_add(out, " of CPU time");
    }
    const struct process_starts *starts = results->kernel ? &results->kernel->starts : NULL;
    bool several = starts && starts->process_count > 1;
    if (several)
        text_printf(out, "%s%llu processes", out->length ? ", " : "", (unsigned long long)starts->process_count);
    if (run->threads_seen && (!several || run->threads_seen > starts->process_count))
        threads_words(out, run->threads_seen, results->activity ? results->activity->threads_at_once : 0);
}

static void on_cpu_lines(struct sheet *sheet, const struct results *results)
{
    double on_cpu = results->run->on_cpu_ratio.value;
    struct measured kernel = kernel_share_of_cpu(results);
    double own = kernel.known ? 1 - kernel.value : 1;
    sheet_share_line(sheet, kernel.known ? "running, its own code" : "running", on_cpu * own, SHEET_CYAN, "");
    if (kernel.known)
        sheet_share_line(sheet, "running, in the kernel", on_cpu * kernel.value, SHEET_YELLOW, "");
}

/* What kept its threads from a CPU, or moved them. */
static void scheduling_line(struct sheet *sheet, const struct run_time *run, const struct activity *activity)
{
    scoped_text struct text facts = {0};
    if (run->run_delay_s.known) {
        text_add(&facts, run->threads_seen > 1 ? "its threads together waited " : "waited ");
        print_seconds(&facts, run_time_delay_proven(run).value);
        text_printf(&facts, " for a CPU%s", run->run_delay_is_least ? " at least" : "");
    }
    if (activity && activity->throttled_s.known && activity->throttled_s.value > 0) {
        text_add(&facts, facts.length ? ", its group was throttled " : "its group was throttled ");
        print_seconds(&facts, activity->throttled_s.value);
    }
    if (activity && activity->steal_ratio.known)
        text_printf(&facts, "%s%.1f %% of the machine stolen", facts.length ? ", " : "",
                    activity->steal_ratio.value * 100);
    if (run->migrations.known)
        text_printf(&facts, "%s%.0f move%s between CPUs", facts.length ? ", " : "", run->migrations.value,
                    run->migrations.value == 1 ? "" : "s");
    if (!facts.length)
        return;
    text_add(sheet->out, "  ");
    sheet_paragraph(sheet, text_string(&facts), 2, 2);
}

static void core_line(struct sheet *sheet, const struct ceilings *ceilings)
{
    scoped_text struct text core = {0};
    ceilings_line(&core, ceilings);
    if (!core.length)
        return;
    text_add(sheet->out, sheet_code(sheet, ceilings_are_shared(ceilings) ? SHEET_YELLOW : SHEET_DIM));
    text_add(sheet->out, "  ");
    sheet_paragraph(sheet, text_string(&core), 2, 2);
    text_add(sheet->out, sheet_code(sheet, SHEET_PLAIN));
}

static void kernel_line(struct sheet *sheet, const struct kernel_time *kernel)
{
    if (!kernel || !sheet_has_samples(sheet) || kernel->kernel_samples * 20 <= kernel->sample_count)
        return;
    scoped_text struct text line = {0};
    double total = (double)kernel->sample_count;
    text_printf(&line, "of the CPU time, in the kernel: page faults %.1f %%",
                100 * (double)kernel->fault_samples / total);
    for (size_t at = 0; at < kernel->entry_count && at < 4; at++)
        text_printf(&line, ", %s %.1f %%", kernel->entries[at].name, 100 * (double)kernel->entries[at].samples / total);
    text_printf(&line, ", interrupts %.1f %%", 100 * (double)kernel->interrupt_samples / total);
    if (kernel->exec_samples)
        text_printf(&line, ", starting and ending processes %.1f %%", 100 * (double)kernel->exec_samples / total);
    text_add(sheet->out, "  ");
    sheet_paragraph(sheet, text_string(&line), 2, 2);
}

void sheet_time_section(struct sheet *sheet)
{
    const struct results *results = sheet->diagnosis->results;
    const struct run_time *run = results->run;
    if (!run || (!run->elapsed_s.known && !run->cpu_s.known && !run->threads_seen))
        return;
    scoped_text struct text aside = {0};
    time_aside(&aside, results);
    sheet_heading(sheet, "WHERE THE TIME WENT", text_string(&aside));
    if (run->on_cpu_ratio.known) {
        on_cpu_lines(sheet, results);
        struct time_shares shares = time_shares_of(run, results->activity, results->waits);
        off_cpu_lines(sheet, &shares);
    }
    scheduling_line(sheet, run, results->activity);
    core_line(sheet, results->ceilings);
    kernel_line(sheet, results->kernel);
}

enum { PROFILER_NAMES_SHOWN = 4 };
static const double SHOWN_LEAST = 0.0005;

/* "for iperf3 31.2 %, etcd 6.0 %": the largest of them. */
static void names_aside(struct text *out, const char *before, const struct host_name *names, size_t count, double total)
{
    for (size_t at = 0; at < count && at < PROFILER_NAMES_SHOWN && names[at].weight >= SHOWN_LEAST * total; at++)
        text_printf(out, "%s%s %.1f %%", at ? ", " : before, names[at].name, 100 * names[at].weight / total);
}

/* Of CPUs that were watched: whose time it was, each sample once. */
void sheet_host_section(struct sheet *sheet)
{
    static const enum sheet_colour colours[] = {
        [HOST_GUEST] = SHEET_CYAN,   [HOST_GUEST_ENTRY] = SHEET_CYAN, [HOST_GUEST_EXITS] = SHEET_YELLOW,
        [HOST_PROFILER] = SHEET_RED, [HOST_IDLE] = SHEET_DIM,         [HOST_KERNEL] = SHEET_YELLOW,
        [HOST_USER] = SHEET_CYAN};
    const struct host_profile *host = sheet->diagnosis->host;
    if (!host)
        return;
    sheet_heading(sheet, "WHOSE TIME", "each sample once");
    text_add(sheet->out, "  ");
    scoped_text struct text whole = {0};
    text_printf(&whole, "100 %% is %s", sheet->diagnosis->host_denominator);
    sheet_paragraph(sheet, text_string(&whole), 2, 2);
    for (enum host_part part = 0; part < HOST_PART_COUNT; part++) {
        scoped_text struct text aside = {0};
        bool guests = part == HOST_GUEST || part == HOST_GUEST_ENTRY || part == HOST_GUEST_EXITS;
        if (guests && !host_profile_has_guests(host))
            continue;
        if (part == HOST_PROFILER)
            names_aside(&aside, "", host->profiler, host->profiler_count, host->total);
        if (part == HOST_KERNEL)
            names_aside(&aside, "for ", host->callers, host->caller_count, host->total);
        if (part == HOST_GUEST_ENTRY)
            text_add(&aside, "guests' time is found there, too");
        bool is_all = part == HOST_KERNEL && !host_profile_has_guests(host);
        sheet_share_line(sheet, is_all ? "the kernel" : host_part_words(part), host_profile_share(host, part),
                         colours[part], text_string(&aside));
    }
    const struct activity *activity = sheet->diagnosis->results->activity;
    if (activity && activity->guest_ratio.known && activity->guest_ratio.value > 0)
        text_printf(sheet->out, "  by /proc/stat, guests ran in %.1f %% of the machine's CPU time\n",
                    100 * activity->guest_ratio.value);
}

enum { PROGRAMS_SHOWN = 6 };
static const double PROGRAM_SHOWN_LEAST = 0.01;

/* Where several programs or processes ran: a build, a pipeline, a machine. */
void sheet_programs_section(struct sheet *sheet)
{
    const struct program_shares *programs = sheet->diagnosis->programs;
    const struct run_time *run = sheet->diagnosis->results->run;
    size_t shown = 0;
    uint32_t processes = 0;
    for (size_t at = 0; programs && at < programs->count && programs->items[at].share >= PROGRAM_SHOWN_LEAST;
         at++, shown++)
        processes += programs->items[at].processes;
    if (processes < 2)
        return;
    sheet_heading(sheet, "PROGRAMS", "share of the samples, by thread name");
    for (size_t at = 0; at < shown && at < PROGRAMS_SHOWN; at++) {
        const struct program_share *program = &programs->items[at];
        scoped_text struct text aside = {0};
        text_printf(&aside, "%u process%s", program->processes, program->processes == 1 ? "" : "es");
        if (program->processes > 1 && run && run->cpu_s.known) {
            text_add(&aside, ", ");
            struct value each =
                VALUE_SECONDS("", interval_exactly(program->share * run->cpu_s.value / program->processes));
            value_print(&aside, &each);
            text_add(&aside, " on average");
        }
        sheet_share_line(sheet, program->name, program->share, SHEET_CYAN, text_string(&aside));
    }
    if (shown > PROGRAMS_SHOWN)
        text_printf(sheet->out, "  and %zu more of 1 %% at least\n", shown - PROGRAMS_SHOWN);
}

/* What follows a sentence's first line stands further in. */
static void measures_line(struct sheet *sheet, struct view line, bool is_prose)
{
    size_t indent = 2;
    if (!is_prose) {
        text_printf(sheet->out, "  %.*s\n", (int)line.length, line.text);
        return;
    }
    scoped_text struct text words = {0};
    for (; line.length && line.text[0] == ' '; line = view_skip(line, 1))
        indent++;
    text_append(&words, line.text, line.length);
    text_add_repeated(sheet->out, " ", indent);
    sheet_paragraph(sheet, text_string(&words), indent + 2, indent);
}

void sheet_measures_section(struct sheet *sheet)
{
    const struct counter_summary *counters = sheet->diagnosis->results->counters;
    scoped_text struct text runs = {0}, counts = {0}, gain = {0}, probes = {0};
    runs_lines(&runs, sheet->diagnosis->results->runs);
    counters_lines(&counts, counters);
    probes_lines(&probes, sheet->diagnosis->results->probes);
    imported_gain_lines(&gain, sheet->diagnosis->results);
    struct {
        const char *title, *aside;
        struct text *lines;
        bool is_prose; /* sentences, not columns */
    } sections[] = {{"RUNS", sheet->diagnosis->results->runs ? sheet->diagnosis->results->runs->origin : "", &runs},
                    {"COUNTERS", counters ? counters->origin : "", &counts},
                    {"PROBES", "tried on the target itself", &probes, true},
                    {"RUNS OF OTHERS", "imported, not measured by plumb", &gain}};
    for (size_t at = 0; at < array_count(sections); at++) {
        struct view rest = text_view(sections[at].lines), line;
        if (rest.length)
            sheet_heading(sheet, sections[at].title, sections[at].aside);
        while (view_line(&rest, &line))
            measures_line(sheet, line, sections[at].is_prose);
    }
}
