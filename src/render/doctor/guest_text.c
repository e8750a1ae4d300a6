/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/doctor/guest.h"

#include "base/scope.h"
#include "base/vec.h"
#include "probe/guest/typical_cost.h"

#include <math.h>

enum { LABEL_COLUMN = 2, VALUE_COLUMN = 18, FIGURE_COLUMN = 36, TYPICAL_COLUMN = 58 };

static void row(struct page *page, const char *label, const char *value)
{
    text_add_repeated(page->out, " ", LABEL_COLUMN);
    page_add(page, PAGE_FAINT, label);
    page_pad(page, label, VALUE_COLUMN - LABEL_COLUMN);
    page_paragraph(page, PAGE_PLAIN, VALUE_COLUMN, VALUE_COLUMN, value);
}

static void add_number(struct text *out, double number)
{
    text_printf(out, number < 10 ? "%.2g" : number < 100 ? "%.3g" : "%.0f", number);
}

/* In the unit of the larger one: "1.2 to 1.4 us". */
static void add_span(struct text *out, double low_ns, double high_ns)
{
    static const struct {
        double from_ns;
        const char *name;
    } units[] = {{1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t unit = high_ns >= 1e6 ? 0 : high_ns >= 1e3 ? 1 : 2;
    scoped_text struct text low = {0}, high = {0};
    add_number(&low, low_ns / units[unit].from_ns);
    add_number(&high, high_ns / units[unit].from_ns);
    if (strcmp(text_string(&low), text_string(&high)) == 0)
        text_printf(out, "%s %s", text_string(&high), units[unit].name);
    else
        text_printf(out, "%s to %s %s", text_string(&low), text_string(&high), units[unit].name);
}

/* ---- what it is ----------------------------------------------------------------------------------------- */

static void kind_rows(struct page *page, const struct machine *machine)
{
    scoped_text struct text line = {0};
    const struct virtualisation *place = &machine->virtualisation;
    text_printf(&line, "%s: %s", hypervisor_name(place->hypervisor), place->evidence);
    if (place->vendor.known && place->product.known)
        text_printf(&line, "; %s %s", place->vendor.text, place->product.text);
    row(page, "hypervisor", text_string(&line));
    text_clear(&line);
    bool plain = place->confidential == CONFIDENTIAL_NONE;
    text_printf(&line, "%s: %s", plain ? "plain guest" : confidential_name(place->confidential),
                place->confidential_evidence);
    row(page, "kind", text_string(&line));
}

/* ---- costs ---------------------------------------------------------------------------------------------- */

static const struct {
    enum guest_cost cost;
    const char *title;
} cost_titles[] = {
    {GUEST_COST_CPUID, "CPUID"},
    {GUEST_COST_CPUID_HOST, "CPUID, the hypervisor's leaf"},
    {GUEST_COST_CLOCK, "RDTSC"},
    {GUEST_COST_TOUCH_USED, "first touch, recycled page"},
    {GUEST_COST_TOUCH_OLD, "first touch, page free for long"},
    {GUEST_COST_HOST_FAULT, "  more where the host faults too"},
    {GUEST_COST_WAKE_POLLED, "wake-up, other CPU kept awake"},
    {GUEST_COST_WAKE_IDLE, "wake-up, other CPU halted"},
    {GUEST_COST_TIMER_POLLED, "late by a timer, CPU kept awake"},
    {GUEST_COST_TIMER_IDLE, "late by a timer, CPU halted"},
    {GUEST_COST_IPI, "IPI and its answer"},
    {GUEST_COST_TICK, "one tick of this kernel"},
    {GUEST_COST_INTERRUPTION, "one other interruption"},
};

static void typical_line(struct text *out, enum guest_cost cost)
{
    for (enum typical_place place = 0; place < TYPICAL_PLACES; place++) {
        const struct typical_cost *typical = typical_cost_find(guest_cost_key(cost), place);
        if (!typical)
            continue;
        text_printf(out, "%s%s ", out->length ? "; " : "", typical_place_name(place));
        if (typical->low_ns < 0)
            text_add(out, "not known");
        else
            add_span(out, typical->low_ns, typical->high_ns);
    }
}

static void cost_entry(struct page *page, const struct guest_costs *costs, enum guest_cost cost, const char *title)
{
    const struct guest_value *value = &costs->costs[cost];
    scoped_text struct text figure = {0}, typical = {0};
    text_add_repeated(page->out, " ", LABEL_COLUMN);
    text_add(page->out, title);
    page_pad(page, title, FIGURE_COLUMN - LABEL_COLUMN);
    if (!value->value.known) {
        text_printf(&figure, "not measured: %s", value->why_not ? value->why_not : "it was not tried");
        page_paragraph(page, PAGE_FAINT, FIGURE_COLUMN, FIGURE_COLUMN, text_string(&figure));
        return;
    }
    add_span(&figure, value->value.low, value->value.high);
    enum guest_leaves leaves = guest_cost_leaves(costs, cost);
    if (leaves != GUEST_LEAVES_UNKNOWN)
        text_add(&figure, leaves == GUEST_LEAVES_YES ? ", leaves" : ", stays");
    text_add(page->out, text_string(&figure));
    typical_line(&typical, cost);
    if (!typical.length)
        text_add(&typical, "-");
    page_pad(page, text_string(&figure), TYPICAL_COLUMN - FIGURE_COLUMN);
    page_paragraph(page, PAGE_FAINT, TYPICAL_COLUMN, TYPICAL_COLUMN, text_string(&typical));
}

static void sources(struct page *page)
{
    page_heading(page, "sources of the typical figures");
    for (size_t at = 0; at < typical_cost_row_count; at++) {
        const struct typical_cost *typical = &typical_cost_rows[at];
        scoped_text struct text line = {0};
        text_printf(&line, "%.*s, %s: %s", (int)strcspn(typical->key, "_"), typical->key,
                    typical_place_name(typical->place), typical->source);
        text_add_repeated(page->out, " ", LABEL_COLUMN);
        page_paragraph(page, PAGE_FAINT, LABEL_COLUMN, LABEL_COLUMN + 2, text_string(&line));
    }
}

static void own_cost(struct page *page, const struct guest_costs *costs)
{
    if (costs->own_cpu_s <= 0)
        return;
    text_add_repeated(page->out, " ", LABEL_COLUMN);
    page_printf(page, PAGE_FAINT, "Measuring took %.2f s, and %.2f s of CPU time.\n", costs->elapsed_s,
                costs->own_cpu_s);
}

static void costs_section(struct page *page, const struct guest_costs *costs)
{
    page_heading(page, "what leaving the guest costs from here");
    text_add_repeated(page->out, " ", FIGURE_COLUMN);
    page_add(page, PAGE_FAINT, "measured, quartiles");
    page_pad(page, "measured, quartiles", TYPICAL_COLUMN - FIGURE_COLUMN);
    page_add(page, PAGE_FAINT, "typical elsewhere (-v: sources)\n");
    for (size_t at = 0; at < array_count(cost_titles); at++)
        cost_entry(page, costs, cost_titles[at].cost, cost_titles[at].title);
    if (!costs->host_fault_share.known)
        return;
    scoped_text struct text line = {0};
    text_printf(&line, "%llu pages touched that were free for long; %.2g %% of them were slow.",
                (unsigned long long)costs->touched_pages, 100 * costs->host_fault_share.mid);
    text_add_repeated(page->out, " ", LABEL_COLUMN);
    page_paragraph(page, PAGE_FAINT, LABEL_COLUMN, LABEL_COLUMN, text_string(&line));
}

/* ---- time ----------------------------------------------------------------------------------------------- */

static void steal_row(struct page *page, const struct guest_report *report)
{
    scoped_text struct text line = {0};
    const struct fact_number *now = &report->steal_now_millionths, *boot = &report->steal_boot_millionths;
    if (boot->known && boot->value == 0)
        text_add(&line, "none since boot: the host took nothing, or doesn't tell (no steal clock)");
    else if (boot->known)
        text_printf(&line, "%.2g %% of all CPU time since boot", (double)boot->value * 1e-4);
    else
        text_printf(&line, "unknown: %s", boot->why);
    if (now->known && !(boot->known && boot->value == 0))
        text_printf(&line, "; %.2g %% while this was measured", (double)now->value * 1e-4);
    row(page, "steal", text_string(&line));
}

static void clocksource_row(struct page *page, const struct clocksource *clock)
{
    scoped_text struct text line = {0};
    if (!clock->current.known)
        text_printf(&line, "unknown: %s", clock->current.why);
    else
        text_printf(&line, "%s, %s", clock->current.text,
                    clocksource_is_fast(clock) ? "read without a system call"
                                               : "each reading of the time is a system call, and may leave the guest: "
                                                 "clocksource=tsc, if it is stable");
    if (clock->available.known)
        text_printf(&line, " (there are: %s)", clock->available.text);
    row(page, "clocksource", text_string(&line));
}

static bool tick_is_off(const struct guest_cpu *cpu, double hz)
{
    return cpu->timer_per_s >= 0 && hz > 0 && cpu->timer_per_s < hz / 10;
}

static void tick_row(struct page *page, const struct guest_cpu *cpu, double hz)
{
    scoped_text struct text line = {0};
    char label[24];
    snprintf(label, sizeof(label), "CPU %u", cpu->cpu);
    if (cpu->timer_per_s < 0)
        text_add(&line, "its timer interrupts can't be read (/proc/interrupts)");
    else if (tick_is_off(cpu, hz))
        text_printf(&line, "no tick while a thread computes: %.3g timer interrupts a second", cpu->timer_per_s);
    else
        text_printf(&line, "ticks while a thread computes: %.0f timer interrupts a second", cpu->timer_per_s);
    if (cpu->kind == GUEST_CPU_NOHZ_FULL && cpu->timer_per_s >= 0)
        text_add(&line, tick_is_off(cpu, hz) ? "; nohz_full is in force" : "; nohz_full is NOT in force");
    else
        text_printf(&line, " (%s)",
                    cpu->kind == GUEST_CPU_ORDINARY ? "not in nohz_full" : guest_cpu_kind_name(cpu->kind));
    if (cpu->timer_per_s > 1.2 * hz && hz > 0)
        text_add(&line, ", other programs' timers included");
    row(page, label, text_string(&line));
    text_clear(&line);
    text_printf(&line, "interrupted %.0f times a second for %.2g %% of its time", cpu->gaps_per_s,
                100 * cpu->lost_ratio);
    if (cpu->interrupts_per_s >= 0)
        text_printf(&line, "; this kernel counted %.0f interrupts a second", cpu->interrupts_per_s);
    if (cpu->host_hz > 0)
        text_printf(&line,
                    "; some come %.0f times a second, uncounted by this kernel's tick: most likely the host's tick",
                    cpu->host_hz);
    if (cpu->long_ratio > 0.001)
        text_printf(&line, "; others ran in %.2g %% of the time", 100 * cpu->long_ratio);
    row(page, "", text_string(&line));
}

static void isolation_row(struct page *page, const char *label, const struct fact_word *list,
                          const struct guest_costs *costs, enum guest_cpu_kind kind)
{
    scoped_text struct text line = {0};
    bool measured = false;
    for (uint32_t at = 0; at < costs->cpu_count; at++)
        measured |= costs->cpus[at].kind == kind;
    if (!list->known)
        text_printf(&line, "none that this kernel tells of: %s", list->why);
    else if (!list->text[0])
        text_add(&line, "no CPU");
    else
        text_printf(&line, "CPUs %s%s", list->text,
                    measured ? ", see below"
                             : "; not measured: this process may use none of them, or they were passed over");
    row(page, label, text_string(&line));
}

static void time_section(struct page *page, const struct guest_report *report)
{
    const struct guest_costs *costs = report->costs;
    const struct guest_value *hz = &costs->kernel_hz;
    scoped_text struct text line = {0};
    page_heading(page, "time");
    steal_row(page, report);
    clocksource_row(page, &report->machine->clocksource);
    if (hz->value.known)
        text_printf(&line, "%.0f a second, for which this kernel is built", hz->value.mid);
    else
        text_printf(&line, "rate unknown: %s", hz->why_not ? hz->why_not : "it was not tried");
    row(page, "tick", text_string(&line));
    isolation_row(page, "nohz_full", &report->machine->isolation.nohz_full, costs, GUEST_CPU_NOHZ_FULL);
    isolation_row(page, "isolated", &report->machine->isolation.isolated, costs, GUEST_CPU_ISOLATED);
    for (uint32_t at = 0; at < costs->cpu_count; at++)
        tick_row(page, &costs->cpus[at], hz->value.known ? hz->value.mid : 0);
    if (!costs->cpu_count) {
        text_clear(&line);
        text_printf(&line, "not measured: %s", costs->why_no_cpus ? costs->why_no_cpus : "it was not tried");
        row(page, "while computing", text_string(&line));
    }
}

/* ---- memory --------------------------------------------------------------------------------------------- */

static void backing_section(struct page *page, const struct host_backing *backing)
{
    scoped_text struct text line = {0};
    page_heading(page, "pages behind this guest's memory");
    switch (backing->verdict) {
    case HOST_BACKING_UNKNOWN:
        text_printf(&line, "can't tell, because %s", backing->why_not ? backing->why_not : "it was not tried");
        break;
    case HOST_BACKING_HUGE:
        text_add(&line, "huge, as far as the probe's memory shows: 2 MiB pages in here are no smaller out there");
        break;
    case HOST_BACKING_SMALL:
        text_add(
            &line,
            "small: the 2 MiB pages of this guest are mapped in smaller ones by the host, or by a hypervisor below it");
        break;
    }
    row(page, "verdict", text_string(&line));
    if (!backing->ratio.known)
        return;
    text_clear(&line);
    text_printf(&line, "in %.0f to %.0f %% of such rounds small pages show (%u rounds, 95 %%)",
                100 * backing->likely.low, 100 * backing->likely.high, backing->rounds);
    row(page, "how sure", text_string(&line));
    text_clear(&line);
    text_printf(&line,
                "a load of %llu lines in random order takes %.3g ns side by side, %.3g ns one a page on 2 MiB pages, "
                "%.3g ns on 4 KiB pages: ",
                (unsigned long long)backing->pages, backing->dense_ns.mid, backing->huge_ns.mid, backing->small_ns.mid);
    text_printf(&line, "huge pages keep %.0f to %.0f %% of the page walk that small ones cost",
                100 * fmax(backing->ratio.low, 0), 100 * fmax(backing->ratio.high, 0));
    row(page, "measured", text_string(&line));
    row(page, "means",
        "0 %: huge out there as well; much more: each walk goes on to a small page. Some of the memory was tried, not "
        "all");
    if (backing->verdict == HOST_BACKING_SMALL)
        row(page, "remedy",
            "on the host: huge pages for the monitor's memory (hugetlbfs, or madvise and transparent huge pages; TDX "
            "and SNP:"
            " guest_memfd with huge pages); plumb pages --vm there says why not");
}

/* ---- instructions and counters -------------------------------------------------------------------------- */

static void missing_section(struct page *page, const struct silicon_missing *missing)
{
    page_heading(page, "what this processor has and this guest doesn't show");
    if (!missing->set) {
        row(page, "unknown", missing->why_not);
        return;
    }
    for (enum silicon_weight weight = 0; weight < SILICON_WEIGHTS; weight++) {
        static const char *const labels[] = {"matters much", "matters some", "matters little"};
        scoped_text struct text line = {0};
        for (size_t at = 0; at < missing->count; at++)
            if (missing->flags[at]->weight == weight) {
                text_printf(&line, "%s%s", line.length ? "; " : "", missing->flags[at]->name);
                if (weight != SILICON_LITTLE)
                    text_printf(&line, " (%s)", missing->flags[at]->effect);
            }
        if (line.length)
            row(page, labels[weight], text_string(&line));
    }
    scoped_text struct text line = {0};
    text_printf(&line, "%s%s", missing->count ? "the rest of " : "nothing: all of ", missing->set->key);
    text_printf(&line, " as tabled is there (%s)", missing->set->source);
    row(page, missing->count ? "there" : "missing", text_string(&line));
}

static void counters_section(struct page *page, const struct capabilities *all)
{
    scoped_text struct text line = {0};
    page_heading(page, "hardware counters");
    text_printf(&line, "%s (%s); plumb doctor says more", pmu_tier_name(all->tier), all->tier_reason);
    row(page, "PMU", text_string(&line));
}

void guest_text(struct page *page, const struct guest_report *report)
{
    const struct machine *machine = report->machine;
    if (!report->costs) {
        scoped_text struct text line = {0};
        bool unknown = machine->virtualisation.hypervisor == HYPERVISOR_UNKNOWN;
        text_printf(&line, "%s: %s (%s)", unknown ? "It can't be told whether this is a guest" : "This is not a guest",
                    hypervisor_name(machine->virtualisation.hypervisor), machine->virtualisation.evidence);
        page_paragraph(page, PAGE_PLAIN, 0, 0, text_string(&line));
        return;
    }
    page_heading(page, "guest");
    kind_rows(page, machine);
    costs_section(page, report->costs);
    own_cost(page, report->costs);
    time_section(page, report);
    backing_section(page, &report->costs->backing);
    missing_section(page, report->missing);
    counters_section(page, report->capabilities);
    if (report->verbose)
        sources(page);
}
