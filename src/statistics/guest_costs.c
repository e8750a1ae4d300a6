/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/guest_costs.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *key;
    double own_most_ns; /* no processor takes longer by itself; 0: it isn't one instruction */
} cost_rows[] = {
    /*
     * 100 to 250 cycles of CPUID, 25 to 40 of RDTSC (data/exit_costs.tsv), at the lowest clock that servers run at: 1
     * GHz
     */
    [GUEST_COST_CPUID] = {"cpuid_ns", 300},
    [GUEST_COST_CPUID_HOST] = {"cpuid_hypervisor_ns", 300},
    [GUEST_COST_CLOCK] = {"rdtsc_ns", 100},
    [GUEST_COST_TOUCH_USED] = {"touch_used_ns", 0},
    [GUEST_COST_TOUCH_OLD] = {"touch_old_ns", 0},
    [GUEST_COST_HOST_FAULT] = {"host_fault_ns", 0},
    [GUEST_COST_WAKE_POLLED] = {"wake_polled_ns", 0},
    [GUEST_COST_WAKE_IDLE] = {"wake_idle_ns", 0},
    [GUEST_COST_TIMER_POLLED] = {"timer_polled_ns", 0},
    [GUEST_COST_TIMER_IDLE] = {"timer_idle_ns", 0},
    [GUEST_COST_IPI] = {"ipi_ns", 0},
    [GUEST_COST_TICK] = {"tick_ns", 0},
    [GUEST_COST_INTERRUPTION] = {"interruption_ns", 0},
};
_Static_assert(array_count(cost_rows) == GUEST_COSTS, "a row per cost");

static const char *const kind_names[] = {"ordinary", "isolated", "nohz_full"};
static const char *const verdict_names[] = {"unknown", "huge", "small"};

const char *guest_cost_key(enum guest_cost cost)
{
    return cost_rows[cost].key;
}

const char *guest_cpu_kind_name(enum guest_cpu_kind kind)
{
    return kind_names[kind];
}

const char *host_backing_name(enum host_backing_verdict verdict)
{
    return verdict_names[verdict];
}

struct interval guest_cost(const struct guest_costs *costs, enum guest_cost cost)
{
    return costs ? costs->costs[cost].value : (struct interval){0};
}

enum guest_leaves guest_cost_leaves(const struct guest_costs *costs, enum guest_cost cost)
{
    struct interval value = guest_cost(costs, cost);
    if (!value.known || cost_rows[cost].own_most_ns <= 0)
        return GUEST_LEAVES_UNKNOWN;
    return value.low > cost_rows[cost].own_most_ns   ? GUEST_LEAVES_YES
           : value.mid < cost_rows[cost].own_most_ns ? GUEST_LEAVES_NO
                                                     : GUEST_LEAVES_UNKNOWN;
}

/* ---- gaps ---- */

/* A tick is late by what it found running, and the thread sees the end of its gap: so far from its place, at most. */
static const double TOLERANCE_NS = 40e3;
/* So many of the periods must have a gap in their place: gaps at random fill few places of such width. */
static const double REGULAR_LEAST = 0.6;
/* Where others ran for more than that share of the time, too few gaps are left to find anything regular. */
static const double SHARED_MOST = 0.3;

enum { GAPS_JUDGED_MOST = 2000, PERIODS_LEAST = 8 };

/* How far a gap is from the place that others of that period have, and in which period it is. */
static double off_phase(double at_ns, double phase_ns, double period_ns, double *ret_turn)
{
    double turns = (at_ns - phase_ns) / period_ns;
    *ret_turn = floor(turns + 0.5);
    return fabs(turns - *ret_turn) * period_ns;
}

static size_t turns_hit(const struct guest_gap *gaps, const bool *taken, size_t count, double phase_ns,
                        double period_ns)
{
    size_t hits = 0;
    double last = -1e300, turn;
    for (size_t at = 0; at < count; at++)
        if (!taken[at] && off_phase(gaps[at].at_ns, phase_ns, period_ns, &turn) < TOLERANCE_NS && turn != last) {
            last = turn;
            hits++;
        }
    return hits;
}

/* Of Linux, and of others as far as known: fastest first, for each is also as regular as those it is a multiple of. */
static const double host_rates[] = {1000, 300, 250, 100};

/* As many hits a faster series alone would give there: it has as many one of its own periods on. */
static size_t turns_hit_faster(const struct guest_gap *gaps, const bool *taken, size_t count, double phase_ns,
                               double hz)
{
    size_t most = 0;
    for (size_t at = 0; at < array_count(host_rates); at++) {
        double times = host_rates[at] / hz;
        if (times < 1.5 || fabs(times - floor(times + 0.5)) > 0.01)
            continue;
        size_t hits = turns_hit(gaps, taken, count, phase_ns + 1e9 / host_rates[at], 1e9 / hz);
        most = hits > most ? hits : most;
    }
    return most;
}

/*
 * Mark the gaps that come once each period at the same place; false: none do. seen_ratio: of the span, the thread ran.
 */
static bool regular_find(const struct guest_gap *gaps, bool *taken, size_t count, double span_ns, double seen_ratio,
                         double hz, double *lengths, size_t *ret_lengths)
{
    double period_ns = 1e9 / hz, best_phase = 0, turn;
    size_t best = 0;
    /* Places of that width must be few among all, or anything looks regular. */
    if (span_ns / period_ns < PERIODS_LEAST || period_ns < 10 * TOLERANCE_NS)
        return false;
    for (size_t at = 0; at < count; at++) {
        size_t hits = taken[at] ? 0 : turns_hit(gaps, taken, count, gaps[at].at_ns, period_ns);
        if (hits > best && 2 * turns_hit_faster(gaps, taken, count, gaps[at].at_ns, hz) < hits) {
            best = hits;
            best_phase = gaps[at].at_ns;
        }
    }
    double filled = (double)count * 2 * TOLERANCE_NS / span_ns; /* places that gaps at random would fill */
    if (best < PERIODS_LEAST / 2 || (double)best < REGULAR_LEAST * seen_ratio * span_ns / period_ns || filled > 0.5)
        return false;
    *ret_lengths = 0;
    for (size_t at = 0; at < count; at++)
        if (!taken[at] && off_phase(gaps[at].at_ns, best_phase, period_ns, &turn) < TOLERANCE_NS) {
            taken[at] = true;
            lengths[(*ret_lengths)++] = gaps[at].length_ns;
        }
    return true;
}

static void others_judge(const struct guest_gap *gaps, bool *taken, size_t count, double span_ns, double *lengths,
                         struct guest_cpu *cpu, struct guest_value *ret_other)
{
    size_t found = 0;
    for (size_t at = 0; at < count; at++)
        if (!taken[at])
            lengths[found++] = gaps[at].length_ns;
    ret_other->value = quartile_interval(lengths, found);
    ret_other->why_not = found ? NULL : "nothing but its ticks interrupted a computing thread";
    for (size_t at = 0; at < array_count(host_rates) && !cpu->host_hz; at++)
        if (regular_find(gaps, taken, count, span_ns, 1 - cpu->long_ratio, host_rates[at], lengths, &found))
            cpu->host_hz = host_rates[at];
}

void guest_gaps_judge(const struct guest_gap *gaps, size_t count, double span_ns, double tick_hz,
                      struct guest_cpu *ret_cpu, struct guest_value *ret_tick, struct guest_value *ret_other)
{
    scoped_free struct guest_gap *kept = memory_alloc((count + 1) * sizeof(*kept));
    scoped_free bool *taken = memory_alloc((count + 1) * sizeof(*taken));
    scoped_free double *lengths = memory_alloc((count + 1) * sizeof(*lengths));
    double lost_ns = 0, long_ns = 0;
    size_t shorter = 0, found = 0;
    for (size_t at = 0; at < count; at++) {
        bool is_long = gaps[at].length_ns > GUEST_GAP_LONG_NS;
        *(is_long ? &long_ns : &lost_ns) += gaps[at].length_ns;
        if (!is_long) {
            taken[shorter] = false;
            kept[shorter++] = gaps[at];
        }
    }
    ret_cpu->span_s = span_ns * 1e-9;
    ret_cpu->gaps_per_s = (double)shorter / ret_cpu->span_s;
    ret_cpu->lost_ratio = long_ns < span_ns ? lost_ns / (span_ns - long_ns) : 0;
    ret_cpu->long_ratio = long_ns / span_ns;
    ret_cpu->host_hz = 0;
    shorter = shorter < GAPS_JUDGED_MOST ? shorter : GAPS_JUDGED_MOST;
    span_ns = shorter == GAPS_JUDGED_MOST ? kept[shorter - 1].at_ns : span_ns;
    bool shared = ret_cpu->long_ratio > SHARED_MOST;
    *ret_tick =
        (struct guest_value){.why_not = shared        ? "others used that CPU meanwhile"
                                        : tick_hz > 0 ? "its ticks could not be told from what else interrupted it"
                                                      : "the kernel's tick rate isn't known"};
    if (shared) {
        *ret_other = *ret_tick;
        return;
    }
    if (tick_hz > 0 && regular_find(kept, taken, shorter, span_ns, 1 - ret_cpu->long_ratio, tick_hz, lengths, &found))
        *ret_tick = (struct guest_value){.value = quartile_interval(lengths, found)};
    others_judge(kept, taken, shorter, span_ns, lengths, ret_cpu, ret_other);
}

/* ---- pages ---- */

/*
 * With huge pages behind it the ratio is noise around 0; with small ones measured 0.2 to 0.8 (bench/RESULTS.md): the
 * walk is a level shorter than that of a small page in here, never free.
 */
static const double RATIO_HUGE_BELOW = 0.12, RATIO_SMALL_ABOVE = 0.15;
/* The walk of small pages must show: of the time of a dense load, at least. */
static const double WALK_LEAST = 0.2;

enum { ROUNDS_LEAST = 6, ROUNDS_MOST = 64 };

static bool walk_shows(const double *dense_ns, const double *small_ns, size_t rounds)
{
    size_t shows = 0;
    for (size_t at = 0; at < rounds; at++)
        shows += small_ns[at] - dense_ns[at] > WALK_LEAST * dense_ns[at];
    return shows * 4 >= rounds * 3;
}

void host_backing_judge(const double *dense_ns, const double *huge_ns, const double *small_ns, size_t rounds,
                       struct host_backing *ret_pages)
{
    double ratios[ROUNDS_MOST];
    size_t used = 0, small = 0;
    rounds = rounds < ROUNDS_MOST ? rounds : ROUNDS_MOST;
    ret_pages->verdict = HOST_BACKING_UNKNOWN;
    ret_pages->rounds = (uint32_t)rounds;
    ret_pages->dense_ns = quartile_interval(dense_ns, rounds);
    ret_pages->huge_ns = quartile_interval(huge_ns, rounds);
    ret_pages->small_ns = quartile_interval(small_ns, rounds);
    if (rounds < ROUNDS_LEAST) {
        ret_pages->why_not = "too few rounds could be measured";
        return;
    }
    if (!walk_shows(dense_ns, small_ns, rounds)) {
        ret_pages->why_not =
            "even 4 KiB pages of this guest's own cost nothing that shows here: the probe has no power";
        return;
    }
    for (size_t at = 0; at < rounds; at++)
        if (small_ns[at] > dense_ns[at]) {
            ratios[used] = (huge_ns[at] - dense_ns[at]) / (small_ns[at] - dense_ns[at]);
            small += ratios[used++] > (RATIO_HUGE_BELOW + RATIO_SMALL_ABOVE) / 2;
        }
    ret_pages->ratio = median_interval(ratios, used);
    ret_pages->likely = wilson_interval((double)small, (double)used, (double)used);
    if (ret_pages->ratio.low > RATIO_SMALL_ABOVE)
        ret_pages->verdict = HOST_BACKING_SMALL;
    else if (ret_pages->ratio.high < RATIO_HUGE_BELOW)
        ret_pages->verdict = HOST_BACKING_HUGE;
    else
        ret_pages->why_not = "the rounds differ too much: other work shares this core, or the host's pages are mixed";
}

/* ---- as a document ---- */

static void value_write(struct json_writer *json, const char *key, struct interval value, const char *why_not)
{
    json_object_open(json, key);
    if (value.known) {
        json_double(json, "low", value.low);
        json_double(json, "mid", value.mid);
        json_double(json, "high", value.high);
    } else {
        json_string(json, "not_measured", why_not ? why_not : "it was not tried");
    }
    json_object_close(json);
}

static void cpus_write(const struct guest_costs *costs, struct json_writer *json)
{
    json_array_open(json, "cpus");
    for (size_t at = 0; at < costs->cpu_count; at++) {
        const struct guest_cpu *cpu = &costs->cpus[at];
        json_object_open(json, NULL);
        json_u64(json, "cpu", cpu->cpu);
        json_string(json, "kind", kind_names[cpu->kind]);
        json_double(json, "span_s", cpu->span_s);
        if (cpu->timer_per_s >= 0) {
            json_double(json, "timer_interrupts_per_s", cpu->timer_per_s);
            json_double(json, "interrupts_per_s", cpu->interrupts_per_s);
        } else {
            json_null(json, "timer_interrupts_per_s");
            json_null(json, "interrupts_per_s");
        }
        json_double(json, "interruptions_per_s", cpu->gaps_per_s);
        json_double(json, "lost_ratio", cpu->lost_ratio);
        json_double(json, "lost_to_long_ones_ratio", cpu->long_ratio);
        if (cpu->host_hz > 0)
            json_double(json, "host_tick_hz", cpu->host_hz);
        else
            json_null(json, "host_tick_hz");
        json_object_close(json);
    }
    json_array_close(json);
    if (!costs->cpu_count)
        json_string(json, "why_no_cpus", costs->why_no_cpus ? costs->why_no_cpus : "it was not tried");
}

static void pages_write(const struct host_backing *pages, struct json_writer *json)
{
    json_object_open(json, "host_pages");
    json_string(json, "verdict", verdict_names[pages->verdict]);
    json_string(json, "why_not", pages->verdict == HOST_BACKING_UNKNOWN ? pages->why_not : NULL);
    value_write(json, "dense_ns", pages->dense_ns, pages->why_not);
    value_write(json, "huge_ns", pages->huge_ns, pages->why_not);
    value_write(json, "small_ns", pages->small_ns, pages->why_not);
    value_write(json, "ratio", pages->ratio, pages->why_not);
    value_write(json, "likely_small", pages->likely, pages->why_not);
    json_u64(json, "rounds", pages->rounds);
    json_u64(json, "pages", pages->pages);
    json_object_close(json);
}

void guest_costs_members(const struct guest_costs *costs, struct json_writer *json)
{
    json_double(json, "taken_at_s", costs->taken_at_s);
    json_double(json, "elapsed_s", costs->elapsed_s);
    json_double(json, "own_cpu_s", costs->own_cpu_s);
    for (size_t at = 0; at < GUEST_COSTS; at++)
        value_write(json, cost_rows[at].key, costs->costs[at].value, costs->costs[at].why_not);
    value_write(json, "host_fault_share", costs->host_fault_share, costs->costs[GUEST_COST_TOUCH_OLD].why_not);
    json_u64(json, "touched_pages", costs->touched_pages);
    value_write(json, "kernel_hz", costs->kernel_hz.value, costs->kernel_hz.why_not);
    cpus_write(costs, json);
    pages_write(&costs->backing, json);
}
