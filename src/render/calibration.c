/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/calibration.h"

#include "base/json/json_writer.h"
#include "base/scope.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>

static const struct {
    const char *label, *unit;
    double factor; /* from the figure to the unit */
    int decimals;
} figures[] = {
    [CALIBRATION_CLOCK] = {"clock", "GHz", 1e-9, 2},
    [CALIBRATION_ISSUE] = {"instructions issued", "a cycle", 1, 2},
    [CALIBRATION_FMA_128] = {"multiply-adds, 128 bits", "a cycle", 1, 2},
    [CALIBRATION_FMA_256] = {"multiply-adds, 256 bits", "a cycle", 1, 2},
    [CALIBRATION_FMA_512] = {"multiply-adds, 512 bits", "a cycle", 1, 2},
    [CALIBRATION_FMA_LATENCY] = {"from one to a dependent one", "cycles", 1, 1},
    [CALIBRATION_BRANCH_MISS] = {"a wrongly guessed branch", "cycles", 1, 1},
    [CALIBRATION_CPUID] = {"CPUID (in a guest: an exit)", "ns", 1, 0},
    [CALIBRATION_READ_ONE] = {"memory read, one core", "GB/s", 1e-9, 1},
    [CALIBRATION_WRITE_ONE] = {"memory written, one core", "GB/s", 1e-9, 1},
    [CALIBRATION_READ_ALL] = {"memory read, all cores", "GB/s", 1e-9, 1},
    [CALIBRATION_PAGE_WALK] = {"address translation on 4 KiB pages", "ns a load", 1, 1},
    [CALIBRATION_CLOCK_HEAVY_256] = {"behind 256-bit multiply-adds", "% of it", 100, 0},
    [CALIBRATION_CLOCK_LIGHT_512] = {"behind 512-bit integer additions", "% of it", 100, 0},
    [CALIBRATION_CLOCK_HEAVY_512] = {"behind 512-bit multiply-adds", "% of it", 100, 0},
};
_Static_assert(array_count(figures) == CALIBRATION_FIGURES, "a row per figure");

static void add_figure(struct page *page, enum calibration_figure figure, const struct calibration_value *value)
{
    double factor = figures[figure].factor;
    int decimals = figures[figure].decimals;
    text_printf(page->out, "  %-36s", figures[figure].label);
    if (!value->value.known) {
        page_paragraph(page, PAGE_FAINT, 38, 38, value->why_not);
        return;
    }
    text_printf(page->out, "%9.*f %-10s", decimals, value->value.mid * factor, figures[figure].unit);
    page_printf(page, PAGE_FAINT, " %.*f .. %.*f\n", decimals, value->value.low * factor, decimals,
                value->value.high * factor);
}

static void size_print(char *out, size_t size, size_t bytes)
{
    if (bytes >= 1024 * 1024)
        snprintf(out, size, "%zu MiB", bytes >> 20);
    else
        snprintf(out, size, "%zu KiB", bytes >> 10);
}

static void add_latency(struct page *page, const struct calibration_value *value)
{
    if (value->value.known)
        text_printf(page->out, "%8.1f  [%6.1f .. %6.1f]", value->value.mid, value->value.low, value->value.high);
    else
        text_printf(page->out, "%-27s", "  not measured");
}

static void add_curve(struct page *page, const struct calibration *calibration)
{
    const char *why_not = NULL;
    page_heading(page, "A LOAD THAT WAITS FOR THE ONE BEFORE, ns");
    text_printf(page->out, "  %10s   %-27s   %s\n", "over", "on 4 KiB pages", "on 2 MiB pages");
    for (size_t at = 0; at < calibration->step_count; at++) {
        const struct calibration_step *step = &calibration->steps[at];
        char size[24];
        size_print(size, sizeof(size), step->bytes);
        text_printf(page->out, "  %10s  ", size);
        add_latency(page, &step->on_4k);
        text_add(page->out, "   ");
        add_latency(page, &step->on_2m);
        text_add(page->out, "\n");
        why_not = step->on_2m.value.known ? step->on_4k.why_not : step->on_2m.why_not;
    }
    if (why_not)
        page_paragraph(page, PAGE_FAINT, 0, 2, why_not);
}

static bool had_to_wait(const struct calibration *calibration)
{
    static const double worth_saying = 0.1;
    return calibration->waited_ratio.known && calibration->waited_ratio.value >= worth_saying;
}

static void add_share(struct page *page, const struct calibration *calibration, bool is_kept)
{
    const struct interval *share = &calibration->share;
    scoped_text struct text line = {0};
    if (!share->known) {
        text_add(&line,
                 "Whether the core is shared can't be told: the issue width of this microarchitecture isn't tabled.");
        page_paragraph(page, PAGE_FAINT, 0, 0, text_string(&line));
        return;
    }
    if (share->mid >= CALIBRATION_SHARED_BELOW) {
        text_printf(&line, "The core %s yours%s: it issue%s %.0f %% of its %u instructions a cycle.",
                    is_kept ? "was" : "is",
                    !had_to_wait(calibration) ? ""
                    : is_kept                 ? " while you had it"
                                              : " while you have it",
                    is_kept ? "d" : "s", 100 * share->mid, calibration->issue_slots);
        page_paragraph(page, PAGE_GOOD, 0, 0, text_string(&line));
        return;
    }
    text_printf(&line,
                "Your core %s: %.0f %% [%.0f .. %.0f] of its issue width %s gone (%.2f of %u instructions "
                "a cycle). Most likely the other hardware thread of the core runs something; what is bound by "
                "throughput is slowed, what waits is not.",
                is_kept ? "was shared then" : "is being shared", 100 * (1 - share->mid), 100 * (1 - share->high),
                100 * (1 - share->low), is_kept ? "was" : "is",
                share->mid * calibration->issue_slots, calibration->issue_slots);
    page_paragraph(page, PAGE_WARNING, 0, 0, text_string(&line));
}

/*
 * Figures of the core are of the CPU time we had; who else runs on the CPU shows in how long that took, and in caches
 * and memory.
 */
static void add_waited(struct page *page, const struct calibration *calibration, bool is_kept)
{
    scoped_text struct text line = {0};
    if (!had_to_wait(calibration))
        return;
    text_printf(&line,
                "Other programs %s on its CPUs: %.0f %% of the time this was ready to measure and %s. The core's "
                "figures are of the time "
                "it had; caches and memory %s shared with them.",
                is_kept ? "ran" : "run", 100 * calibration->waited_ratio.value, is_kept ? "waited" : "had to wait",
                is_kept ? "were" : "are");
    page_paragraph(page, PAGE_WARNING, 0, 0, text_string(&line));
}

/* Quartiles of few slices are hardly more than their range. */
static void add_rounds(struct page *page, const struct calibration *calibration)
{
    scoped_text struct text line = {0};
    if (!calibration->rounds_ratio.known || calibration->rounds_ratio.value >= 1)
        return;
    text_printf(&line, "The time was up after %.0f %% of its rounds: medians and quartiles are of fewer slices.",
                100 * calibration->rounds_ratio.value);
    page_paragraph(page, PAGE_WARNING, 0, 0, text_string(&line));
}

static void age_add(struct text *out, double age_s)
{
    static const struct {
        double s;
        const char *name;
    } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    size_t at = 0;
    while (at + 1 < array_count(units) && age_s < units[at].s)
        at++;
    double count = floor(age_s / units[at].s);
    text_printf(out, "%.0f %s%s", count, units[at].name, count == 1 ? "" : "s");
}

static void add_cpus(struct page *page, const struct calibration *calibration)
{
    enum { SHOWN_MOST = 16 };
    if (!calibration_cpus_differ(calibration))
        return;
    page_heading(page, "THE CPUS DIFFER");
    for (size_t at = 0; at < calibration->cpu_count && at < SHOWN_MOST; at++) {
        const struct calibration_cpu *cpu = &calibration->cpus[at];
        text_printf(page->out, "  CPU %-4u %6.2f GHz [%.2f .. %.2f]   %5.2f instructions a cycle [%.2f .. %.2f]\n",
                    cpu->cpu, cpu->clock_hz.mid * 1e-9, cpu->clock_hz.low * 1e-9, cpu->clock_hz.high * 1e-9,
                    cpu->issue.mid, cpu->issue.low, cpu->issue.high);
    }
    if (calibration->cpu_count > SHOWN_MOST)
        page_printf(page, PAGE_FAINT, "  and %zu more, in --json\n", calibration->cpu_count - SHOWN_MOST);
}

/* Outside one another's quartiles and by more than a twentieth. */
static bool figure_moved(struct interval now, struct interval then)
{
    if (!now.known || !then.known || (now.low <= then.high && then.low <= now.high))
        return false;
    return fabs(now.mid - then.mid) > fabs(then.mid) / 20;
}

static void add_changes(struct page *page, const struct calibration *calibration,
                        const struct calibration_labels *labels)
{
    scoped_text struct text line = {0};
    text_add(&line, "Since the last one, ");
    age_add(&line, labels->age_s);
    text_add(&line, " ago:");
    size_t lead = line.length;
    for (size_t at = 0; at < CALIBRATION_FIGURES; at++) {
        struct interval now = calibration->figures[at].value, then = labels->last->figures[at].value;
        if (figure_moved(now, then))
            text_printf(&line, "%s %s %.*f to %.*f %s", line.length > lead ? ";" : "", figures[at].label,
                        figures[at].decimals, then.mid * figures[at].factor, figures[at].decimals,
                        now.mid * figures[at].factor, figures[at].unit);
    }
    text_add(&line, line.length > lead ? "." : " no figure moved by more than its spread and a twentieth.");
    text_add_char(page->out, '\n');
    page_paragraph(page, PAGE_PLAIN, 0, 0, text_string(&line));
}

void calibration_text(struct page *page, const struct calibration *calibration,
                      const struct calibration_labels *labels)
{
    scoped_text struct text aside = {0};
    text_printf(&aside, "   median and quartiles, %.1f s", calibration->elapsed_s);
    if (labels->is_kept) {
        text_add(&aside, ", measured ");
        age_add(&aside, labels->age_s);
        text_add(&aside, " ago");
    }
    page_printf(page, PAGE_STRONG, "%s%s%s%s", labels->cpu, *labels->microarchitecture ? ", " : "",
                labels->microarchitecture, labels->is_guest ? ", a guest" : "");
    page_printf(page, PAGE_FAINT, "%s\n\n", text_string(&aside));
    add_share(page, calibration, labels->is_kept);
    add_waited(page, calibration, labels->is_kept);
    add_rounds(page, calibration);
    add_cpus(page, calibration);
    page_heading(page, "THE CORE");
    for (size_t at = CALIBRATION_CLOCK; at <= CALIBRATION_CPUID; at++)
        add_figure(page, (enum calibration_figure)at, &calibration->figures[at]);
    page_heading(page, "THE CLOCK, AGAINST THAT OF SCALAR CODE");
    for (size_t at = CALIBRATION_CLOCK_HEAVY_256; at <= CALIBRATION_CLOCK_HEAVY_512; at++)
        add_figure(page, (enum calibration_figure)at, &calibration->figures[at]);
    page_heading(page, "MEMORY");
    for (size_t at = CALIBRATION_READ_ONE; at <= CALIBRATION_PAGE_WALK; at++)
        add_figure(page, (enum calibration_figure)at, &calibration->figures[at]);
    add_curve(page, calibration);
    if (labels->last)
        add_changes(page, calibration, labels);
    if (labels->kept_in)
        page_printf(page, PAGE_FAINT, "%sKept in %s; plumb calibrate --cached shows it.\n", labels->last ? "" : "\n",
                    labels->kept_in);
}

void calibration_json(struct text *out, const struct calibration *calibration,
                      const struct calibration_labels *labels)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_string(&json, "schema", "plumb-calibrate-1");
    json_string(&json, "cpu", labels->cpu);
    json_string(&json, "microarchitecture", labels->microarchitecture);
    json_bool(&json, "is_guest", labels->is_guest);
    json_double(&json, "age_s", labels->is_kept ? labels->age_s : 0);
    json_string(&json, "kept_in", labels->kept_in);
    json_bool(&json, "cpus_differ", calibration_cpus_differ(calibration));
    calibration_members(calibration, &json);
    json_object_close(&json);
}
