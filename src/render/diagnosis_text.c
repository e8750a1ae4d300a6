/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis.h"

#include "base/vec.h"
#include "finding/wording.h"

enum {
    BAR_COLUMNS = 20,
    ROWS_SHOWN = 6, /* instructions of a function */
};

static const double row_share_least = 0.02;

static const struct {
    const char *label;
    enum page_meaning meaning;
} verdicts[] = {
    [VERDICT_SUPPORTED] = {"SUPPORTED", PAGE_BAD},
    [VERDICT_UNDECIDED] = {"UNDECIDED", PAGE_WARNING},
    [VERDICT_RULED_OUT] = {"RULED OUT", PAGE_GOOD},
    [VERDICT_NOT_TESTABLE] = {"NOT TESTABLE", PAGE_FAINT},
};
_Static_assert(array_count(verdicts) == VERDICT_COUNT, "a label for each verdict");

static void add_share(struct text *out, double ratio)
{
    text_printf(out, "%5.1f %%", 100 * ratio);
}

/* A bar of BAR_COLUMNS for a share, in eighths of a column where the terminal can show them. */
static void add_bar(struct page *page, enum page_meaning meaning, double ratio)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    struct text bar = {0};
    double length = BAR_COLUMNS * (ratio < 0 ? 0 : ratio > 1 ? 1 : ratio);
    size_t whole = (size_t)length, part = (size_t)((length - (double)whole) * 8);
    text_add_repeated(&bar, page->unicode ? "█" : "#", whole);
    if (page->unicode)
        text_add(&bar, eighths[part]);
    page_add(page, meaning, text_string(&bar));
    size_t columns = text_columns(text_string(&bar));
    text_add_repeated(page->out, " ", columns < BAR_COLUMNS + 1 ? BAR_COLUMNS + 1 - columns : 1);
    text_done(&bar);
}

static void add_interval(struct text *out, const struct finding *finding)
{
    value_print(out, &VALUE_SHARE("", finding->recoverable));
    text_printf(out, " of the %s", denominator_name(finding->of));
    if (finding->of_seconds <= 0)
        return;
    text_add(out, " (");
    value_print(out, &VALUE_SECONDS("", interval_scaled(finding->recoverable, finding->of_seconds)));
    text_add_char(out, ')');
}

static const struct finding *leading(const struct diagnosis *diagnosis)
{
    const struct findings *findings = diagnosis->findings;
    return findings->count && findings->items[0].verdict == VERDICT_SUPPORTED ? &findings->items[0] : NULL;
}

static const char *headline_of(const struct finding *finding)
{
    return finding->headline ? finding->headline : finding->hypothesis->title;
}

void diagnosis_sentence(struct text *out, const struct diagnosis *diagnosis)
{
    const struct finding *lead = leading(diagnosis);
    if (!lead) {
        text_add(out, "no cause is supported by the evidence");
        return;
    }
    text_add(out, headline_of(lead));
    text_add(out, lead->gain_unmeasured ? "; removing it could return up to " : "; removing it would return ");
    if (lead->gain_unmeasured)
        value_print(out, &VALUE_SHARE("", interval_exactly(lead->recoverable.high)));
    else
        add_interval(out, lead);
    if (lead->gain_unmeasured)
        text_printf(out, " of the %s (how much of it was not measured)", denominator_name(lead->of));
}

static void add_verdict(struct page *page, const struct diagnosis *diagnosis)
{
    const struct finding *lead = leading(diagnosis);
    scoped_text struct text sentence = {0};
    diagnosis_sentence(&sentence, diagnosis);
    page_add(page, PAGE_STRONG, "VERDICT  ");
    page_paragraph(page, lead ? PAGE_BAD : PAGE_WARNING, 9, 9, text_string(&sentence));
    if (!lead)
        return;
    scoped_text struct text more = {0};
    text_printf(&more, "Confidence %s: %s.", confidence_name(lead->confidence),
                lead->confidence_reason ? lead->confidence_reason : "not rated");
    if (lead->is_estimate && !diagnosis->has_pmu)
        text_add(&more, " ESTIMATED (no PMU): inferred from samples, code and probes, not from hardware counters.");
    text_add_repeated(page->out, " ", 9);
    page_paragraph(page, PAGE_PLAIN, 9, 9, text_string(&more));
}

static void add_measured_s(struct page *page, const char *name, struct measured value, struct measured of)
{
    text_printf(page->out, "  %-22s", name);
    if (!value.known) {
        scoped_text struct text why = {0};
        text_printf(&why, "not measured: %s", value.why_not ? value.why_not : "no reason was recorded");
        page_paragraph(page, PAGE_FAINT, 24, 24, text_string(&why));
        return;
    }
    struct measured ratio = measured_ratio(value, of);
    if (ratio.known) {
        add_share(page->out, ratio.value);
        text_add(page->out, "  ");
        add_bar(page, PAGE_PLAIN, ratio.value);
    }
    print_seconds(page->out, value.value);
    text_add_char(page->out, '\n');
}

static void add_run(struct page *page, const struct diagnosis *diagnosis)
{
    const struct run_time *run = diagnosis->results->run;
    page_heading(page, "Is it a CPU problem?");
    if (!run) {
        page_add(page, PAGE_FAINT, "  not measured\n");
        return;
    }
    struct measured elapsed = run->elapsed_s;
    text_add(page->out, "  elapsed               ");
    if (elapsed.known)
        print_seconds(page->out, elapsed.value);
    else
        text_add(page->out, "not measured");
    text_printf(page->out, ", %u thread%s seen\n", run->threads_seen, run->threads_seen == 1 ? "" : "s");
    struct measured on_cpu = run->on_cpu_ratio;
    if (on_cpu.known && elapsed.known)
        on_cpu.value *= elapsed.value;
    add_measured_s(page, "on a CPU", on_cpu, elapsed);
    add_measured_s(page, "CPU time, user", run->user_s, run->cpu_s);
    add_measured_s(page, "CPU time, kernel", run->system_s, run->cpu_s);
    add_measured_s(page, "wanted a CPU, had none", run->run_delay_s, elapsed);
    if (diagnosis->results->activity)
        add_measured_s(page, "held by its CPU quota", diagnosis->results->activity->throttled_s, elapsed);
}

static void add_waits(struct page *page, const struct diagnosis *diagnosis)
{
    enum {
        SHOWN = 5
    };
    if (!diagnosis->waiting_known || diagnosis->wait_count == 0)
        return;
    text_add(page->out, "  waited (threads' times added up): ");
    print_seconds(page->out, diagnosis->waiting_s);
    text_add_char(page->out, '\n');
    for (size_t at = 0; at < diagnosis->wait_count && at < SHOWN; at++) {
        const struct wait_line *wait = &diagnosis->waits[at];
        double share = diagnosis->waiting_s > 0 ? wait->total_s / diagnosis->waiting_s : 0;
        text_printf(page->out, "    %-20s", wait->kind);
        add_share(page->out, share);
        text_add(page->out, "  ");
        add_bar(page, PAGE_PLAIN, share);
        print_seconds(page->out, wait->total_s);
        text_printf(page->out, ", %llu times", (unsigned long long)wait->count);
        if (wait->place[0])
            text_printf(page->out, ", in %s", wait->place);
        text_add_char(page->out, '\n');
    }
}

static void add_row(struct page *page, const struct stall_row *row, uint64_t total)
{
    double share = total ? (double)row->samples / (double)total : 0;
    text_add(page->out, "      ");
    add_share(page->out, share);
    text_printf(page->out, "  %8llx  %-40s", (unsigned long long)row->shown_addr, row->text ? row->text : "?");
    if (row->path) {
        const char *file = strrchr(row->path, '/');
        text_add(page->out, "  ");
        page_printf(page, PAGE_FAINT, "%s:%u", file ? file + 1 : row->path, row->line);
    }
    text_add_char(page->out, '\n');
}

static void add_function(struct page *page, const struct stalls *stalls, const struct stall_function *function)
{
    text_add(page->out, "  ");
    add_share(page->out, function->share.mid);
    text_add(page->out, "  ");
    add_bar(page, function->is_kernel ? PAGE_WARNING : PAGE_STRONG, function->share.mid);
    text_printf(page->out, "%s", function->name ? function->name : "[unknown]");
    page_printf(page, PAGE_FAINT, "  %s", function->dso ? function->dso : "");
    text_add_char(page->out, '\n');
    for (size_t at = 0; at < function->row_count && at < ROWS_SHOWN; at++)
        if ((double)function->rows[at].samples >= row_share_least * (double)stalls->sample_count)
            add_row(page, &function->rows[at], stalls->sample_count);
}

static void add_code(struct page *page, const struct diagnosis *diagnosis)
{
    const struct stalls *stalls = diagnosis->results->stalls;
    page_heading(page, "Hot code");
    if (!stalls) {
        const char *why = diagnosis->results->why[RESULT_STALLS];
        text_add(page->out, "  ");
        page_paragraph(page, PAGE_FAINT, 2, 2, why ? why : "no samples");
        return;
    }
    text_printf(page->out, "  share of %llu %s samples; ", (unsigned long long)stalls->sample_count,
                diagnosis->sampled_event);
    text_add(page->out, stalls->attributed ? "an instruction's share is that of the samples it held up\n"
                                           : "an instruction's share is that of the samples that fell on it\n");
    for (size_t at = 0; at < stalls->function_count && at < diagnosis->top; at++)
        add_function(page, stalls, &stalls->functions[at]);
    if (stalls->why_no_code) {
        text_add(page->out, "  ");
        page_paragraph(page, PAGE_FAINT, 2, 2, stalls->why_no_code);
    }
}

static void add_group(struct page *page, const struct stalls *stalls, const struct stall_group *group)
{
    uint64_t hits = group->base_hits + group->huge_hits + group->unknown_hits;
    text_add(page->out, "  ");
    add_share(page->out, group->share.mid);
    text_printf(page->out, "  %s in %s", stalls->functions[group->function].name,
                group->area && group->area[0] ? group->area : "anonymous memory");
    if (group->area_known) {
        text_add(page->out, " (");
        print_bytes(page->out, (double)group->area_bytes);
        text_add(page->out, ")");
    }
    if (group->base_share.known) {
        text_add(page->out, ": ");
        value_print(page->out, &VALUE_SHARE("", group->base_share));
        text_add(page->out, " on base pages");
    } else if (hits) {
        text_add(page->out, ": page size not known");
    }
    if (group->set.stride_bytes)
        text_printf(page->out, ", stride %llu B", (unsigned long long)group->set.stride_bytes);
    if (group->set.pages.known) {
        text_add(page->out, ", ");
        print_bytes(page->out, group->set.pages.bytes);
        text_add(page->out, " of pages");
    }
    text_add_char(page->out, '\n');
}

static void add_pages(struct page *page, const struct stalls *stalls)
{
    enum {
        SHOWN = 5
    };
    if (!stalls || !stalls->group_count)
        return;
    page_heading(page, "Memory it waits for, by mapping");
    for (size_t at = 0; at < stalls->group_count && at < SHOWN; at++)
        add_group(page, stalls, &stalls->groups[at]);
}

static void add_widths(struct page *page, const struct stalls *stalls)
{
    if (!stalls || !stalls->user_samples)
        return;
    double total = (double)stalls->user_samples;
    const struct {
        const char *name;
        uint64_t samples;
    } widths[] = {
        {"scalar floating point", stalls->scalar_fp_samples},
        {"128-bit vectors", stalls->vector_samples[0]},
        {"256-bit vectors", stalls->vector_samples[1]},
        {"512-bit vectors", stalls->vector_samples[2]},
    };
    page_heading(page, "Vector width of the hot code");
    bool any = false;
    for (size_t at = 0; at < array_count(widths); at++) {
        if (!widths[at].samples)
            continue;
        any = true;
        text_add(page->out, "  ");
        add_share(page->out, (double)widths[at].samples / total);
        text_printf(page->out, "  of the user samples in %s\n", widths[at].name);
    }
    if (!any)
        text_add(page->out, "  no sample in floating-point or vector instructions\n");
}

static void add_phases(struct page *page, const struct diagnosis *diagnosis)
{
    if (diagnosis->phase_count < 2)
        return;
    page_heading(page, "Phases: the mix of hot code changes");
    for (size_t at = 0; at < diagnosis->phase_count; at++) {
        const struct phase_line *line = &diagnosis->phases[at];
        text_printf(page->out, "  %7.2f to %7.2f s  %c ", line->start_s, line->end_s, (char)('A' + line->phase % 26));
        for (size_t function = 0; function < line->function_count; function++)
            text_printf(page->out, "%s %s %.0f %%", function ? "," : "", line->functions[function].name,
                        100 * line->functions[function].share_ratio);
        text_add_char(page->out, '\n');
    }
}

static void add_labelled(struct page *page, const char *label, const char *text)
{
    text_printf(page->out, "      %-9s", label);
    page_paragraph(page, PAGE_PLAIN, 15, 15, text);
}

static void add_evidence(struct page *page, const struct finding *finding)
{
    static const char *const marks[] = {[WEIGHT_FOR] = "+", [WEIGHT_AGAINST] = "-", [WEIGHT_CONTEXT] = " "};
    for (size_t at = 0; at < finding->evidence_count; at++) {
        const struct evidence *evidence = &finding->evidence[at];
        text_printf(page->out, "      %s ", marks[evidence->weight]);
        page_paragraph(page, PAGE_PLAIN, 8, 8, evidence->text);
    }
}

static void add_full_finding(struct page *page, const struct diagnosis *diagnosis, const struct finding *finding)
{
    scoped_text struct text line = {0};
    text_add(&line, headline_of(finding));
    if (finding->recoverable.known) {
        text_add(&line, finding->gain_unmeasured ? "; at most " : "; recoverable ");
        if (finding->gain_unmeasured) {
            value_print(&line, &VALUE_SHARE("", interval_exactly(finding->recoverable.high)));
            text_printf(&line, " of the %s", denominator_name(finding->of));
        } else {
            add_interval(&line, finding);
        }
    }
    text_add(page->out, "    ");
    page_paragraph(page, PAGE_STRONG, 4, 6, text_string(&line));
    if (finding->reason)
        add_labelled(page, "because", finding->reason);
    if (finding->verdict == VERDICT_SUPPORTED || diagnosis->verbose)
        add_evidence(page, finding);
    for (size_t at = 0; at < finding->advice_count; at++)
        add_labelled(page, at ? "then" : "try", finding->advice[at]);
    if (finding->confirm)
        add_labelled(page, "check", finding->confirm);
    if (finding->remedy)
        add_labelled(page, "to know", finding->remedy);
}

static void add_short_finding(struct page *page, const struct finding *finding)
{
    scoped_text struct text line = {0};
    text_add(&line, finding->hypothesis->title);
    if (finding->verdict == VERDICT_RULED_OUT && finding->recoverable.known) {
        text_add(&line, ": at most ");
        value_print(&line, &VALUE_SHARE("", interval_exactly(finding->recoverable.high)));
        text_printf(&line, " of the %s", denominator_name(finding->of));
    }
    if (finding->reason)
        text_printf(&line, "%s%s", finding->verdict == VERDICT_RULED_OUT ? "; " : ": ", finding->reason);
    text_add(page->out, "    ");
    page_paragraph(page, PAGE_PLAIN, 4, 6, text_string(&line));
}

static void add_findings(struct page *page, const struct diagnosis *diagnosis)
{
    page_heading(page, "Findings");
    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        size_t count = 0;
        for (size_t at = 0; at < diagnosis->findings->count; at++)
            count += (int)diagnosis->findings->items[at].verdict == verdict;
        if (!count)
            continue;
        text_add(page->out, "  ");
        page_printf(page, verdicts[verdict].meaning, "%s (%zu)", verdicts[verdict].label, count);
        text_add_char(page->out, '\n');
        for (size_t at = 0; at < diagnosis->findings->count; at++) {
            const struct finding *finding = &diagnosis->findings->items[at];
            bool full = verdict == VERDICT_SUPPORTED || verdict == VERDICT_UNDECIDED || diagnosis->verbose;
            if ((int)finding->verdict != verdict)
                continue;
            if (full)
                add_full_finding(page, diagnosis, finding);
            else
                add_short_finding(page, finding);
        }
    }
}

static void add_notes(struct page *page, const struct diagnosis *diagnosis)
{
    if (!diagnosis->note_count)
        return;
    page_heading(page, "Not measured here, and warnings");
    for (size_t at = 0; at < diagnosis->note_count; at++) {
        text_add(page->out, "  - ");
        page_paragraph(page, PAGE_PLAIN, 4, 4, diagnosis->notes[at]);
    }
}

void diagnosis_text(const struct diagnosis *diagnosis, struct page *page)
{
    page_add(page, PAGE_FAINT, "plumb diagnose: ");
    page_paragraph(page, PAGE_PLAIN, 16, 16, diagnosis->subject);
    text_add_char(page->out, '\n');
    add_verdict(page, diagnosis);
    add_run(page, diagnosis);
    add_waits(page, diagnosis);
    add_code(page, diagnosis);
    add_pages(page, diagnosis->results->stalls);
    add_widths(page, diagnosis->results->stalls);
    add_phases(page, diagnosis);
    add_findings(page, diagnosis);
    add_notes(page, diagnosis);
}
