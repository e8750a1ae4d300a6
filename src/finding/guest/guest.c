/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does being a guest hold it back: ways out to the hypervisor, ticks, small pages behind huge ones?
 *
 * Nobody can count exits from in here. What can be counted is what leads to them; each kind times what it costs here
 * (statistics/guest_costs) bounds them from above.
 */
#include "finding/guest/guest.h"

#include "analyse/code/code_origin.h"
#include "finding/family.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

/* ---- what happened on the CPUs it used ---- */

/*
 * Interrupts a second of CPU time, on CPUs that were busy for more than a tenth as long as the busiest; negative: not
 * counted.
 */
struct interrupt_rates {
    double timer, others;
};

static struct interrupt_rates rates_of(const struct activity *activity)
{
    struct interrupt_rates none = {-1, -1}, rates = {0, 0};
    double most_s = 0, busy_s = 0, whole_s = activity && activity->elapsed_s.known ? activity->elapsed_s.value : 0;
    for (uint32_t at = 0; activity && at < activity->cpu_count; at++)
        most_s = activity->cpus[at].busy_s > most_s ? activity->cpus[at].busy_s : most_s;
    for (uint32_t at = 0; activity && at < activity->cpu_count; at++) {
        const struct activity_cpu *cpu = &activity->cpus[at];
        if (cpu->busy_s < most_s / 10 || cpu->busy_s <= 0)
            continue;
        if (cpu->timer_per_s < 0)
            return none;
        busy_s += cpu->busy_s;
        rates.timer += cpu->timer_per_s * whole_s;
        rates.others += cpu->others_per_s * whole_s;
    }
    if (busy_s <= 0 || whole_s <= 0)
        return none;
    return (struct interrupt_rates){rates.timer / busy_s, rates.others / busy_s};
}

/* ---- timer tick ---- */

/*
 * Ticks a second of CPU time: as many as the kernel is built for, unless fewer timer interrupts than half of these were
 * counted.
 */
static double ticks_per_s(const struct guest_costs *guest, const struct interrupt_rates *rates)
{
    double hz = guest->kernel_hz.value.known ? guest->kernel_hz.value.mid : -1;
    return hz > 0 && rates->timer >= 0 && rates->timer < hz / 2 ? rates->timer : hz;
}

static void tick_not_measured(const struct results *results, struct finding *finding, const char *why_not)
{
    const struct guest_costs *guest = results->guest;
    if (!guest->cpu_count) {
        finding_not_testable(finding, "", NULL);
        finding_set(finding, reason, "not", VALUE_TEXT("why", why_not ? why_not : "it was not tried"));
        return;
    }
    double lost = guest->cpus[0].lost_ratio;
    finding_bound_share(finding, results, share_of(OF_CPU_TIME, interval_of(0, lost / 2, lost)));
    finding_set(finding, reason, "all-interruptions", VALUE_SHARE("lost", interval_exactly(lost)),
                VALUE_TEXT("why", why_not));
}

static void timer_tick_test(const struct results *results, struct finding *finding)
{
    const struct guest_costs *guest = results->guest;
    const struct guest_value *cost = &guest->costs[GUEST_COST_TICK];
    struct interrupt_rates rates = rates_of(results->activity);
    double ticks = ticks_per_s(guest, &rates);
    if (!cost->value.known || ticks < 0) {
        tick_not_measured(results, finding, cost->value.known ? guest->kernel_hz.why_not : cost->why_not);
        return;
    }
    struct interval share = interval_clamped(interval_scaled(cost->value, ticks * 1e-9), 0, 1);
    finding_decide_share(finding, results, share_of(OF_CPU_TIME, share));
    finding->is_estimate = true;
    finding_evidence(finding, finding->verdict == VERDICT_RULED_OUT ? WEIGHT_AGAINST : WEIGHT_FOR, ORIGIN_PROBE,
                     "measured", VALUE_COUNT("hz", ticks), VALUE_SECONDS("cost", interval_scaled(cost->value, 1e-9)),
                     VALUE_SHARE("share", share));
    if (rates.timer >= 0)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_COUNTERS, "counted", VALUE_COUNT("timers", rates.timer));
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", finding->recoverable);
        return;
    }
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline", VALUE_COUNT("hz", ticks),
                    VALUE_SHARE("share", finding->recoverable));
    else
        finding_reason_bound(finding, "undecided", finding->recoverable);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_timer_tick = {
    .id = "timer-tick",
    .family = "system",
    .title = "the kernel's timer tick",
    .rule = "supported when ticks a second times the probed cost of one take the effect, or when a trial without the "
            "tick closed the gap; ruled out below it, or when a trial "
            "without the tick left the time as it was",
    .gain = "ticks times probed cost",
    .overturn = "a CPU in nohz_full against one that isn't",
    .needs = RESULT_BIT(RESULT_GUEST) | RESULT_BIT(RESULT_RUN),
    .uses = RESULT_BIT(RESULT_ACTIVITY),
    .test = timer_tick_test,
};

/* ---- exits ---- */

static const struct statement *exits_statement(const struct statements *statements)
{
    for (size_t at = 0; statements && at < statements->count; at++)
        if (strstr(statements->items[at].origin, "table of exits"))
            return &statements->items[at];
    return NULL;
}

/* Instructions that leave a guest wherever they stand; RDTSC only where it was measured to. */
static bool row_leaves(const struct stall_row *row, bool clock_leaves)
{
    static const char *const always[] = {"cpuid", "in",     "out",     "ins", "outs", "insb", "insl", "outsb",
                                         "outsl", "vmcall", "vmmcall", "hlt", "inb",  "inl",  "outb", "outl"};
    size_t length = row->text ? strcspn(row->text, " \t") : 0;
    for (size_t at = 0; at < array_count(always); at++)
        if (strlen(always[at]) == length && strncmp(row->text, always[at], length) == 0)
            return true;
    return clock_leaves && length >= 5 && strncmp(row->text, "rdtsc", 5) == 0;
}

/* Seconds of one kind, low to high; what isn't known bounds nothing. */
struct exit_parts {
    struct interval instructions; /* share of what the finding counts in */
    struct interval interrupted, sent, woken, touched; /* the same, from seconds */
    const char *why_open; /* NULL: all are bounded */
    const struct stall_row *hottest;
    bool by_loader; /* it is the dynamic loader's, which asks the processor for its features as a program starts */
};

/* Samples at instructions that leave, in all; the hottest one, and whether the dynamic loader executes it. */
static double samples_leaving(const struct stalls *stalls, bool clock_leaves, struct exit_parts *parts)
{
    double samples = 0;
    for (size_t function = 0; function < stalls->function_count; function++)
        for (size_t at = 0; at < stalls->functions[function].row_count; at++) {
            const struct stall_row *row = &stalls->functions[function].rows[at];
            if (!row_leaves(row, clock_leaves))
                continue;
            samples += (double)row->samples;
            if (parts->hottest && row->samples <= parts->hottest->samples)
                continue;
            parts->hottest = row;
            parts->by_loader = code_is_loader(stalls->functions[function].dso);
        }
    return samples;
}

/* As a share of the finding's whole, never above 1: such times may overlap. */
static struct interval part_of(const struct finding *finding, const struct results *results, enum denominator of,
                               double low_s, double mid_s, double high_s)
{
    struct share_scale scale = share_scale_of(results);
    struct measured whole = share_whole_s(of, &scale);
    if (!whole.known || whole.value <= 0)
        return (struct interval){0};
    struct interval part =
        interval_clamped(interval_of(low_s / whole.value, mid_s / whole.value, high_s / whole.value), 0, 1);
    return of == finding->of ? part : share_as(share_of(of, part), finding->of, &scale);
}

/*
 * Whatever interrupts a thread that computes, this kernel's ticks included, as a spinning one saw it; by so few or many
 * of them.
 */
static struct interval interrupted_part(const struct results *results, const struct finding *finding)
{
    const struct guest_cpu *cpu = &results->guest->cpus[0];
    struct share_scale scale = share_scale_of(results);
    if (!results->guest->cpu_count)
        return (struct interval){0};
    double count = cpu->gaps_per_s * cpu->span_s, spread = count > 4 ? 2 / sqrt(count) : 1;
    struct interval part = interval_clamped(interval_of(0, cpu->lost_ratio, cpu->lost_ratio * (1 + spread)), 0, 1);
    return share_as(share_of(OF_CPU_TIME, part), finding->of, &scale);
}

/* Interrupts of other CPUs and devices where it ran, each as dear as asking another CPU and having its answer. */
static struct interval sent_part(const struct results *results, const struct finding *finding)
{
    struct interrupt_rates rates = rates_of(results->activity);
    struct interval cost = guest_cost(results->guest, GUEST_COST_IPI);
    struct interval other = guest_cost(results->guest, GUEST_COST_INTERRUPTION);
    struct share_scale scale = share_scale_of(results);
    if (!cost.known || (other.known && other.high > cost.high))
        cost = other;
    if (rates.others < 0 || !cost.known)
        return (struct interval){0};
    struct interval part =
        interval_clamped(interval_of(0, rates.others * cost.mid * 1e-9, rates.others * cost.high * 1e-9), 0, 1);
    return share_as(share_of(OF_CPU_TIME, part), finding->of, &scale);
}

/* One thread that slept in turns waits no longer to be woken than it was off the CPUs by itself. */
static struct interval woken_by_the_clock(const struct results *results, const struct finding *finding)
{
    struct time_shares shares = shares_of_time(results);
    if (!shares.known || !results->run->elapsed_s.known || results->run->threads_seen > 1)
        return (struct interval){0};
    double most_s = shares.waiting.high * results->run->elapsed_s.value;
    return part_of(finding, results, finding->of, 0, 0, most_s);
}

/*
 * Where waking a halted CPU could not be measured, as from one that others kept busy: by what waking, or asking another
 * CPU, took at most.
 */
static struct interval wake_cost(const struct guest_costs *guest)
{
    struct interval idle = guest_cost(guest, GUEST_COST_WAKE_IDLE), polled = guest_cost(guest, GUEST_COST_WAKE_POLLED);
    struct interval asked = guest_cost(guest, GUEST_COST_IPI);
    double most = polled.known && polled.high > asked.high ? polled.high : asked.high;
    return idle.known ? idle : polled.known && asked.known ? interval_of(0, most, most) : (struct interval){0};
}

static struct interval woken_part(const struct results *results, const struct finding *finding)
{
    struct interval cost = wake_cost(results->guest), clock = woken_by_the_clock(results, finding);
    if (!cost.known) /* one CPU only: what wakes it is its timer, or a device */
        cost = guest_cost(results->guest, GUEST_COST_TIMER_IDLE);
    struct measured switches = results->activity ? results->activity->voluntary_switches : not_measured("");
    if (switches.known && switches.value == 0)
        return interval_exactly(0);
    if (!switches.known || !cost.known)
        return clock;
    /* Of a wake-up the way out is a part; beyond the median stand those that found the CPU busy. */
    struct interval counted =
        part_of(finding, results, finding->of, 0, switches.value * cost.low * 0.5e-9, switches.value * cost.mid * 1e-9);
    return clock.known && (!counted.known || clock.high < counted.high) ? clock : counted;
}

/* Each fault may meet memory that the host has none for; a huge one, 512 such pages. */
static struct interval touched_part(const struct results *results, const struct finding *finding)
{
    enum { SMALL_OF_HUGE = 512 };
    const struct guest_costs *guest = results->guest;
    const struct activity *activity = results->activity;
    if (!activity || !activity->minor_faults.known)
        return (struct interval){0};
    double pages = activity->minor_faults.value +
                   (activity->huge_faults.known ? activity->huge_faults.value * (SMALL_OF_HUGE - 1) : 0);
    struct interval slow = guest_cost(guest, GUEST_COST_HOST_FAULT), share = guest->host_fault_share;
    struct interval used = guest_cost(guest, GUEST_COST_TOUCH_USED), old = guest_cost(guest, GUEST_COST_TOUCH_OLD);
    double most_ns, mid_ns = 0;
    if (slow.known && share.known) {
        most_ns = slow.high * share.high;
        mid_ns = slow.mid * share.mid;
    } else if (used.known && old.known) {
        most_ns = old.high > used.mid ? old.high - used.mid : 0;
    } else {
        return (struct interval){0};
    }
    mid_ns = mid_ns < most_ns ? mid_ns : most_ns;
    return part_of(finding, results, OF_CPU_TIME, 0, pages * mid_ns * 1e-9, pages * most_ns * 1e-9);
}

static struct interval instructions_part(const struct results *results, struct finding *finding,
                                         struct exit_parts *parts)
{
    const struct stalls *stalls = results->stalls;
    if (!stalls || !stalls->sample_count || stalls->why_no_code)
        return (struct interval){0};
    bool clock_leaves = guest_cost_leaves(results->guest, GUEST_COST_CLOCK) == GUEST_LEAVES_YES;
    double hits = samples_leaving(stalls, clock_leaves, parts);
    return share_of_stalls(results, finding, hits);
}

static void parts_take(struct exit_parts *parts, const struct results *results, struct finding *finding)
{
    *parts = (struct exit_parts){0};
    parts->instructions = instructions_part(results, finding, parts);
    parts->interrupted = interrupted_part(results, finding);
    parts->sent = sent_part(results, finding);
    parts->woken = woken_part(results, finding);
    parts->touched = touched_part(results, finding);
    parts->why_open = !parts->instructions.known  ? "which instructions it runs"
                      : !parts->interrupted.known ? "how often its CPU is interrupted"
                      : !parts->woken.known       ? "how often it slept, or what waking costs"
                      : !parts->touched.known     ? "what the first touch of its pages costs"
                                                  : NULL;
}

static struct interval sum_of(const struct exit_parts *parts)
{
    const struct interval *const all[] = {&parts->instructions, &parts->interrupted, &parts->sent, &parts->woken,
                                          &parts->touched};
    double low = 0, mid = 0, high = 0;
    for (size_t at = 0; at < array_count(all); at++)
        if (all[at]->known) {
            low += all[at]->low;
            mid += all[at]->mid;
            high += all[at]->high;
        }
    return interval_clamped(interval_of(low, mid, high), 0, 1);
}

bool guest_exit_shares_of(const struct results *results, enum denominator of, struct guest_exit_shares *ret_shares)
{
    struct finding whole = {.of = of};
    struct exit_parts parts;
    if (!results->guest || !results->run)
        return false;
    parts_take(&parts, results, &whole);
    *ret_shares = (struct guest_exit_shares){.instructions = parts.instructions,
                                             .interrupted = parts.interrupted,
                                             .sent = parts.sent,
                                             .woken = parts.woken,
                                             .touched = parts.touched,
                                             .sum = sum_of(&parts),
                                             .why_open = parts.why_open};
    return true;
}

static void part_say(struct finding *finding, const char *key, struct interval part, enum origin origin)
{
    if (part.known)
        finding_evidence(finding, WEIGHT_CONTEXT, origin, key,
                         VALUE_SHARE("share", interval_of(0, part.mid, part.high)));
}

static void exits_bound(const struct results *results, struct finding *finding)
{
    struct exit_parts parts;
    parts_take(&parts, results, finding);
    struct interval sum = sum_of(&parts);
    if (parts.why_open && sum.low < results->effect) {
        finding_not_testable(finding, "", NULL);
        finding_set(finding, reason, "open", VALUE_TEXT("what", parts.why_open));
        finding_set(finding, remedy, "remedy", NO_VALUES);
        return;
    }
    if (parts.why_open)
        sum.high = 1;
    finding_decide(finding, sum, results->effect);
    finding->is_estimate = true;
    struct interval cpuid = guest_cost(results->guest, GUEST_COST_CPUID);
    if (parts.hottest && parts.instructions.known && parts.instructions.low > 0)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "instruction",
                         VALUE_TEXT("instruction", parts.hottest->text), VALUE_SHARE("share", parts.instructions));
    part_say(finding, "interrupted", parts.interrupted, ORIGIN_PROBE);
    part_say(finding, "sent", parts.sent, ORIGIN_COUNTERS);
    part_say(finding, "woken", parts.woken, ORIGIN_SCHEDULER);
    part_say(finding, "touched", parts.touched, ORIGIN_PROBE);
    if (cpuid.known)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_PROBE, "cost",
                         VALUE_SECONDS("cost", interval_scaled(cpuid, 1e-9)));
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", sum);
        return;
    }
    if (finding->verdict == VERDICT_SUPPORTED) {
        finding->subject = parts.hottest ? parts.hottest->text : NULL;
        struct value instruction = VALUE_TEXT("instruction", parts.hottest ? parts.hottest->text : "?");
        finding_set(finding, headline, parts.by_loader ? "headline-loader" : "headline", instruction,
                    VALUE_SHARE("share", parts.instructions));
        finding_advise(finding, parts.by_loader ? "advice-loader" : "advice", instruction);
        finding_set(finding, confirm, parts.by_loader ? "confirm-loader" : "confirm", NO_VALUES);
    } else if (parts.why_open) {
        finding_set(finding, reason, "open", VALUE_TEXT("what", parts.why_open));
    } else {
        finding_reason_bound(finding, "undecided-inside", sum);
    }
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

static void vm_exits_test(const struct results *results, struct finding *finding)
{
    if (!results->surroundings->is_guest) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "not-a-guest", NO_VALUES);
        return;
    }
    const struct statement *table = exits_statement(results->statements);
    if (table) {
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "statement", VALUE_TEXT("origin", table->origin),
                         VALUE_TEXT("text", table->text));
        finding_set(finding, reason, "undecided", NO_VALUES);
        return;
    }
    if (results->guest && results->run) {
        exits_bound(results, finding);
        return;
    }
    finding_not_testable(finding, "", NULL);
    finding_set(finding, reason, "not", NO_VALUES);
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_vm_exits = {
    .id = "vm-exits",
    .family = "system",
    .title = "exits to the hypervisor",
    .rule =
        "ruled out on bare metal, when what leads to exits, at what each costs here, stays below the effect, or when a "
        "trial with fewer exits left the time as it was; supported by samples at instructions that leave, or by "
        "another tool's times of exits where it is told over which time and on how many virtual CPUs",
    .gain = "counts times probed costs, an upper bound; samples at leaving instructions, measured",
    .overturn = "the instruction left out, or the tick off: the time must fall as the exits do",
    .needs = RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_STATEMENTS) | RESULT_BIT(RESULT_GUEST) | RESULT_BIT(RESULT_RUN) |
            RESULT_BIT(RESULT_ACTIVITY) | RESULT_BIT(RESULT_STALLS),
    .is_capacity = true,
    .test = vm_exits_test,
};

/* ---- pages behind it ---- */

/* A second TLB of today holds this much of 4 KiB pages; what lies within is walked for seldom. */
static const double REACH_BYTES = 1024 * 4096;

/* Samples that waited for memory of stretches beyond that, or of unknown ones. */
static double samples_beyond_reach(const struct stalls *stalls)
{
    double samples = (double)stalls->memory_samples;
    for (size_t at = 0; at < stalls->group_count; at++) {
        const struct stall_group *group = &stalls->groups[at];
        if (!group->is_stack && group->set.pages.known && group->set.pages.bytes < REACH_BYTES &&
            group->set.span_bytes < REACH_BYTES)
            samples -= (double)group->samples;
    }
    return samples > 0 ? samples : 0;
}

static void backing_say(struct finding *finding, const struct host_backing *backing)
{
    if (!backing->ratio.known)
        return;
    struct interval ratio = interval_clamped(backing->ratio, 0, 1);
    finding_evidence(finding,
                     backing->verdict == HOST_BACKING_SMALL  ? WEIGHT_FOR
                     : backing->verdict == HOST_BACKING_HUGE ? WEIGHT_AGAINST
                                                             : WEIGHT_CONTEXT,
                     ORIGIN_PROBE, "chased", VALUE_SECONDS("dense", interval_scaled(backing->dense_ns, 1e-9)),
                     VALUE_SECONDS("huge", interval_scaled(backing->huge_ns, 1e-9)),
                     VALUE_SECONDS("small", interval_scaled(backing->small_ns, 1e-9)), VALUE_SHARE("ratio", ratio),
                     VALUE_SHARE("likely", backing->likely));
}

static void host_pages_test(const struct results *results, struct finding *finding)
{
    const struct host_backing *backing = results->guest ? &results->guest->backing : NULL;
    if (!results->surroundings->is_guest) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "not-a-guest", NO_VALUES);
        return;
    }
    bool told = results->stalls && results->stalls->attributed && results->stalls->sample_count;
    struct interval waits =
        told ? share_of_stalls(results, finding, samples_beyond_reach(results->stalls)) : interval_of(0, 0.5, 1);
    if (backing)
        backing_say(finding, backing);
    if (told && waits.high < results->effect) {
        finding_decide_bound(finding, waits.high, results->effect);
        finding_reason_bound(finding, "bound", waits);
        return;
    }
    if (!backing || backing->verdict == HOST_BACKING_UNKNOWN) {
        finding_not_testable(finding, "", NULL);
        finding_set(
            finding, reason, "not",
            VALUE_TEXT("why", backing && backing->why_not ? backing->why_not : "the case has no such measurement"));
        finding_set(finding, remedy, "remedy", NO_VALUES);
        return;
    }
    /*
     * Of the waits, at most the part of walks that huge pages in here keep; where these are small, a wait may be all
     * walk.
     */
    double part = backing->verdict == HOST_BACKING_HUGE && backing->ratio.high > 0 ? backing->ratio.high
                  : backing->verdict == HOST_BACKING_HUGE                          ? 0
                                                                                   : 1;
    finding_decide_bound(finding, waits.high * part, results->effect);
    finding->is_estimate = true;
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound-huge", interval_exactly(waits.high * part));
        return;
    }
    finding_reason_bound(finding, backing->verdict == HOST_BACKING_SMALL ? "small" : "bound-huge",
                         interval_exactly(waits.high * part));
    finding_set(finding, remedy, "remedy", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_host_pages = {
    .id = "host-small-pages",
    .family = "system",
    .title = "small pages on the host behind this guest",
    .rule = "ruled out on bare metal, when what waits beyond the TLB's reach stays below the effect, or when the "
            "host's pages "
            "were probed to be huge; supported by a trial that changed them alone",
    .gain = "0 to the waits for memory beyond the TLB's reach",
    .overturn = "the same guest on a host with huge pages behind it, the guest's own left as they are",
    .needs = RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_GUEST),
    .is_capacity = true,
    .test = host_pages_test,
};
