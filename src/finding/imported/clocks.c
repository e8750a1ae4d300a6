/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What counts of two runs say of the clock: as many cycles, more time and no more waiting are a lower clock. Why it was
 * lower they don't say.
 */
#include "analyse/imported_window.h"
#include "base/vec.h"
#include "finding/family.h"
#include "base/share_names.h"
#include "finding/imported/event_costs.h"
#include "finding/imported/evidence.h"
#include "finding/wording.h"

#include <math.h>
#include <string.h>

/* No clock falls further for wide vectors, by Intel's turbo tables: more than that is something else. */
static const double FALL_FOR_VECTORS = 0.25;

/* Wide vectors, or somebody who thinks of them, are what the runs differ by: their own hypothesis knows more. */
static bool is_of_vectors(const struct results *results, const struct imported_pair *pair)
{
    static const char *const events[] = {"core_power.lvl1_turbo_license", "core_power.lvl2_turbo_license"};
    static const double LEAST = 0.01;
    for (size_t at = 0; at < results->told->trial_count; at++)
        if (results->told->trials[at].treatment == TREATMENT_NARROW)
            return true;
    for (size_t at = 0; at < sizeof(events) / sizeof(events[0]); at++) {
        struct measured lowered =
            measured_ratio(imported_arm_count(&pair->slow, events[at]), imported_arm_count(&pair->slow, "cycles"));
        if (lowered.known && lowered.value >= LEAST)
            return true;
    }
    return false;
}

bool imported_counts_heat(const struct imported_table *table, const struct imported_row *row)
{
    if (table->kind == IMPORTED_STAT)
        return imported_is_counted(row) &&
               (strcasestr(row->name, "thermal") || strcasestr(row->name, "throttle_count") ||
                strcasestr(row->name, "prochot"));
    return table->kind == IMPORTED_TURBOSTAT && strcmp(row->name, "CoreThr") == 0;
}

/* Heat's own counts, all added up; not measured: there are none. */
static struct measured heat_in(const struct imported_table *table, const char **ret_event)
{
    struct measured sum = not_measured("no count of heat was imported");
    for (size_t at = 0; at < table->count; at++) {
        if (!imported_counts_heat(table, &table->rows[at]))
            continue;
        sum = measured_as((sum.known ? sum.value : 0) + table->rows[at].number);
        *ret_event = table->rows[at].name;
    }
    return sum;
}

static struct measured heat_of(const struct imported_arm *arm, const char **ret_event)
{
    return heat_in(arm->table, ret_event);
}

/* Of the causes of a lower clock that one, unless it was counted and isn't there. */
static const char *vectors_words(const struct imported_pair *pair)
{
    bool counted = imported_arm_count(&pair->slow, "core_power.lvl2_turbo_license").known;
    return counted ? "" : "wide vectors, ";
}

static const char *gigahertz(struct measured hertz, struct arena *arena)
{
    return arena_printf(arena, "%.3g", hertz.value * 1e-9);
}

static void say_clocks(struct finding *finding, const struct imported_pair *pair, const char **member, const char *key)
{
    const struct imported_part *clock = &pair->parts[FACTOR_CLOCK];
    struct value values[] = {
        VALUE_TEXT("slow", gigahertz(clock->slow, finding->arena)),
        VALUE_TEXT("fast", gigahertz(clock->fast, finding->arena)),
        VALUE_TEXT("drop", arena_printf(finding->arena, "%.1f %%", (1 - clock->slow.value / clock->fast.value) * 100)),
        VALUE_TEXT("vectors", vectors_words(pair)),
        VALUE_TEXT("waited", imported_wait_words(pair, finding->arena)),
        VALUE_TEXT("gain", arena_printf(finding->arena, "%.1f %%", pair->gap.value * 100)),
        VALUE_TEXT("took", pair->is_window ? "takes for as much work" : "took"),
        VALUE_TEXT("title", finding->hypothesis->title),
        VALUE_TEXT("cycles", arena_printf(finding->arena, pair->is_window ? "%s for each instruction" : "%s",
                                          imported_cycles_words(pair, finding->arena))),
        VALUE_TEXT("file", pair->slow.table->file),
        VALUE_TEXT("origin", IMPORTED_WORDS)};
    if (member)
        finding_set_add(finding, member, key, values, sizeof(values) / sizeof(values[0]));
    else
        finding_evidence_add(finding, finding->verdict == VERDICT_SUPPORTED ? WEIGHT_FOR : WEIGHT_CONTEXT,
                             ORIGIN_STATEMENT, key, values, sizeof(values) / sizeof(values[0]));
}

static void support(struct finding *finding, const struct imported_pair *pair, double most)
{
    finding->verdict = VERDICT_SUPPORTED;
    finding->gain_unmeasured = true; /* of one run each nobody knows how far runs differ */
    finding->recoverable = interval_of(0, most / 2, most);
    finding->is_own_doing = true; /* somebody measured it because it was slow */
    say_clocks(finding, pair, NULL, "imported-clocks");
    say_clocks(finding, pair, &finding->headline, "imported-clocks-headline");
    imported_advise(finding);
}

static void frequency_decide(struct finding *finding, const struct imported_pair *pair, double drop, bool is_hot)
{
    static const double DEEP = FALL_FOR_VECTORS + 0.05;
    const char *event = NULL;
    if (drop < DEEP || is_hot || pair->is_of_user) {
        say_clocks(finding, pair, NULL, "imported-clocks");
        say_clocks(finding, pair, &finding->reason, pair->is_of_user ? "imported-clocks-user" : "imported-clocks-open");
        return;
    }
    support(finding, pair, fmin(pair->gap.value, drop));
    finding_leave_open(finding, "imported-clocks-why", NO_VALUES);
    if (!heat_of(&pair->slow, &event).known)
        finding_set(finding, not_separated, "imported-not-separated", NO_VALUES);
}

/* The kernel's log says that heat throttled a CPU: nothing else that anybody imported lowers the slower run's clock. */
static bool log_decides(const struct results *results, struct finding *finding, const struct imported_pair *pair,
                        double drop)
{
    const char *file = NULL;
    if (pair->is_of_user || !imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_HEAT_LOGGED, &file))
        return false;
    support(finding, pair, fmin(pair->gap.value, drop));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-heat-log", VALUE_TEXT("file", file),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_leave_open(finding, "imported-heat-log-open", NO_VALUES);
    return true;
}

static void heat_decide(const struct results *results, struct finding *finding, const struct imported_pair *pair,
                        double drop, struct measured heat, const char *event)
{
    const char *ignored = NULL;
    struct measured other = heat_of(&pair->fast, &ignored);
    if (!pair->is_of_user && heat.known && heat.value > 0 && other.known && other.value < heat.value) {
        support(finding, pair, fmin(pair->gap.value, drop));
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-heat", VALUE_TEXT("event", event),
                         VALUE_COUNT("count", heat.value), VALUE_COUNT("others", other.value),
                         VALUE_TEXT("file", pair->slow.table->file), VALUE_TEXT("origin", IMPORTED_WORDS));
        return;
    }
    if (!heat.known && log_decides(results, finding, pair, drop))
        return;
    say_clocks(finding, pair, NULL, "imported-clocks");
    say_clocks(finding, pair, &finding->reason, pair->is_of_user ? "imported-clocks-user" : "imported-clocks-open");
}

/* By turbostat of one run alone: a limit of power isn't among its counts, and no other run's clock stands beside it. */
static void leave_to_power(struct finding *finding, const char *event)
{
    struct value values[] = {VALUE_TEXT("event", event), VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-no-heat-alone", values, 2);
    finding_set_add(finding, &finding->reason, "imported-no-heat-alone", values, 2);
}

/* Heat was counted, and none came: whatever the clock did, it was not that. */
static bool no_heat_test(const struct results *results, struct finding *finding)
{
    const char *event = NULL;
    size_t of_turbostat = 0, others = 0;
    for (size_t at = 0; at < results->imported->count; at++) {
        struct measured heat = heat_in(&results->imported->tables[at], &event);
        if (heat.known && heat.value > 0)
            return false;
        *(results->imported->tables[at].kind == IMPORTED_TURBOSTAT ? &of_turbostat : &others) += heat.known;
    }
    if (!(of_turbostat + others) || !finding_is(finding, "thermal-power"))
        return false;
    if (of_turbostat == 1 && !others) {
        leave_to_power(finding, event);
        return true;
    }
    finding->verdict = VERDICT_RULED_OUT;
    finding->recoverable = interval_exactly(0);
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    struct value values[] = {VALUE_TEXT("event", event), VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-no-heat", values, 2);
    finding_set_add(finding, &finding->reason, "imported-no-heat", values, 2);
    return true;
}

/* A clock below the nominal one, at which reference cycles are counted on Intel's and AMD's. */
static bool reference_test(const struct results *results, struct finding *finding)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    double most = 0;
    const char *file = NULL;
    for (size_t at = 0, count = imported_arms_of(results->imported, arms); at < count; at++) {
        struct measured ratio =
            measured_ratio(imported_arm_count(&arms[at], "cycles"), imported_arm_count(&arms[at], "ref-cycles"));
        if (!ratio.known || 1 - ratio.value <= most)
            continue;
        most = 1 - ratio.value;
        file = arms[at].table->file;
    }
    if (most < results->effect || !finding_is(finding, "frequency"))
        return false;
    finding_decide_fact(finding, interval_exactly(most), results->effect);
    finding->of = OF_CPU_TIME;
    finding->is_own_doing = true;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    imported_say(finding, "1 - cycles / ref-cycles, by which its clock was below the nominal one,",
                 interval_exactly(most), file);
    finding_leave_open(finding, "imported-clocks-why", NO_VALUES);
    if (!imported_heat_is_ruled_out(results, finding->arena))
        finding_set(finding, not_separated, "imported-not-separated", NO_VALUES);
    imported_advise(finding);
    return true;
}

static bool clocks_test(const struct results *results, struct finding *finding)
{
    struct imported_pair pair;
    const char *event = NULL;
    bool is_heat = finding_is(finding, "thermal-power");
    if ((!is_heat && !finding_is(finding, "frequency")) || !imported_pair_of(results->imported, &pair) ||
        pair.gap.value < results->effect || imported_pair_most(&pair) != FACTOR_CLOCK || is_of_vectors(results, &pair))
        return false;
    struct measured heat = heat_of(&pair.slow, &event);
    double drop = 1 - pair.parts[FACTOR_CLOCK].slow.value / pair.parts[FACTOR_CLOCK].fast.value;
    finding_decide_bound(finding, drop, results->effect);
    finding->verdict = VERDICT_UNDECIDED;
    finding->of = pair.by_time ? OF_ELAPSED : OF_CPU_TIME;
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS | 1u << ORIGIN_RUNS;
    if (is_heat)
        heat_decide(results, finding, &pair, drop, heat, event);
    else
        frequency_decide(finding, &pair, drop, heat.known && heat.value > 0);
    return true;
}

static struct measured cycles_rate(const struct imported_arm *arm)
{
    return measured_ratio(imported_arm_count(arm, "cycles"), imported_arm_length(arm));
}

static bool is_heat_counted(const struct imported_pair *pair)
{
    const char *ignored = NULL;
    struct measured slow = heat_of(&pair->slow, &ignored), fast = heat_of(&pair->fast, &ignored);
    return (slow.known && slow.value > 0) || (fast.known && fast.value > 0);
}

/*
 * Of two runs with the same clock a lower one isn't what they differ by. Where the clock isn't told, as many cycles a
 * second say so, too, unless the one waited for just what the other's clock was lower by; whether it was lowered in
 * both for wide vectors is another thing.
 */
static bool same_clock_test(const struct results *results, struct finding *finding)
{
    static const double ALIKE = 0.02;
    struct imported_pair pair;
    bool is_of_vectors = finding_is(finding, "avx512-licence"), is_heat = finding_is(finding, "thermal-power");
    if ((!is_of_vectors && !is_heat && !finding_is(finding, "frequency")) ||
        !imported_pair_of(results->imported, &pair) || !pair.is_only || !pair.by_time || pair.is_of_user ||
        pair.gap.value < results->effect || (is_heat && is_heat_counted(&pair)))
        return false;
    struct measured slow = pair.parts[FACTOR_CLOCK].slow, fast = pair.parts[FACTOR_CLOCK].fast;
    bool by_clock = slow.known && fast.known;
    if (!by_clock && !is_of_vectors) {
        slow = cycles_rate(&pair.slow);
        fast = cycles_rate(&pair.fast);
    }
    double drop = slow.known && fast.known && fast.value > 0 ? 1 - slow.value / fast.value : 1;
    if (fabs(drop) >= fmin(ALIKE, results->effect))
        return false;
    finding_decide_bound(finding, fmax(drop, 0), results->effect);
    finding->of = OF_ELAPSED;
    finding->is_estimate = false;
    finding->remedy = NULL;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS | 1u << ORIGIN_RUNS;
    struct value values[] = {VALUE_TEXT("slow", arena_printf(finding->arena, "%.4g", slow.value * 1e-9)),
                             VALUE_TEXT("fast", arena_printf(finding->arena, "%.4g", fast.value * 1e-9)),
                             VALUE_TEXT("file", pair.slow.table->file), VALUE_TEXT("origin", IMPORTED_WORDS)};
    const char *key = by_clock ? "imported-same-clock" : "imported-same-rate";
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, key, values, sizeof(values) / sizeof(*values));
    finding_set_add(finding, &finding->reason, key, values, sizeof(values) / sizeof(*values));
    return true;
}

/* ---- by turbostat ---- */

static struct measured busy_mhz_of(const struct imported_table *table)
{
    for (size_t row = 0; row < table->count && table->kind == IMPORTED_TURBOSTAT; row++)
        if (strcmp(table->rows[row].name, "Bzy_MHz") == 0 && table->rows[row].number > 0)
            return measured_as(table->rows[row].number);
    return not_measured("it tells no clock");
}

/* What the CPUs ran at while they were busy, by the only two tables that tell it; false: there aren't two. */
static bool busy_clocks_find(const struct imported *imported, double ret_mhz[2], const char **ret_file)
{
    size_t count = 0;
    for (size_t at = 0; at < imported->count; at++) {
        struct measured mhz = busy_mhz_of(&imported->tables[at]);
        if (mhz.known && count++ < 2) {
            ret_mhz[count - 1] = mhz.value;
            *ret_file = imported->tables[at].file;
        }
    }
    return count == 2;
}

/* Of the timed runs that they stand beside. */
static double timed_gap_of(const struct imported *imported)
{
    struct imported_two two;
    struct measured gap = imported_gap_of(imported);
    return gap.known ? gap.value : imported_two_of(imported, &two) ? two.gap : 0;
}

/*
 * Of two runs the one at the higher clock took longer: what lowers it in the other (wide vectors, more busy cores) may
 * be what makes that one faster.
 */
static bool lower_is_faster(const struct results *results, struct finding *finding)
{
    static const double HIGHER = 1.01;
    struct imported_pair pair;
    double mhz[2] = {0};
    const char *file = "";
    if (!busy_clocks_find(results->imported, mhz, &file) || !imported_pair_of(results->imported, &pair) ||
        !pair.is_only || !pair.by_time || pair.gap.value < results->effect)
        return false;
    struct measured slow = cycles_rate(&pair.slow), fast = cycles_rate(&pair.fast);
    if (!slow.known || !fast.known || slow.value < HIGHER * fast.value)
        return false;
    struct value values[] = {
        VALUE_TEXT("low", arena_printf(finding->arena, "%.4g", fmin(mhz[0], mhz[1]))),
        VALUE_TEXT("high", arena_printf(finding->arena, "%.4g", fmax(mhz[0], mhz[1]))),
        VALUE_TEXT("more", arena_printf(finding->arena, "%.3g %%", 100 * (slow.value / fast.value - 1))),
        VALUE_TEXT("gap", arena_printf(finding->arena, "%.3g %%", pair.gap.value * 100)),
        VALUE_TEXT("file", file), VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS | 1u << ORIGIN_RUNS;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-lower-faster", values,
                         array_count(values));
    finding_set_add(finding, &finding->reason, "imported-lower-faster", values, array_count(values));
    return true;
}

/* What would be the cause where it differs is none of a difference where it doesn't. */
static bool same_busy_clock(const struct results *results, struct finding *finding)
{
    static const double ALIKE = 0.02;
    double mhz[2] = {0};
    const char *file = "";
    if (!busy_clocks_find(results->imported, mhz, &file) || timed_gap_of(results->imported) < results->effect)
        return false;
    double apart = fabs(1 - fmin(mhz[0], mhz[1]) / fmax(mhz[0], mhz[1]));
    if (apart >= fmin(ALIKE, results->effect))
        return false;
    finding_decide_bound(finding, apart, results->effect);
    finding->of = OF_ELAPSED;
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS | 1u << ORIGIN_RUNS;
    struct value values[] = {
        VALUE_TEXT("one", arena_printf(finding->arena, "%.4g", mhz[0])),
        VALUE_TEXT("other", arena_printf(finding->arena, "%.4g", mhz[1])),
        VALUE_TEXT("gap", arena_printf(finding->arena, "%.3g %%", timed_gap_of(results->imported) * 100)),
        VALUE_TEXT("file", file), VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-same-busy", values,
                         sizeof(values) / sizeof(values[0]));
    finding_set_add(finding, &finding->reason, "imported-same-busy", values, sizeof(values) / sizeof(values[0]));
    return true;
}

bool imported_busy_clock_test(const struct results *results, struct finding *finding)
{
    return same_busy_clock(results, finding) || lower_is_faster(results, finding);
}

/* ---- how much heat took ---- */

static double number_in(const struct imported_table *table, const char *column)
{
    for (size_t row = 0; row < table->count; row++)
        if (strcmp(table->rows[row].name, column) == 0)
            return table->rows[row].number;
    return 0;
}

struct heated {
    const struct imported_table *hot, *cool; /* NULL: there is none */
};

/* Of one machine, by its TSC: the slowest time in which heat throttled it, and the fastest in which it did so less. */
static struct heated heated_of(const struct imported *imported)
{
    struct heated heated = {0};
    for (size_t at = 0; at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        if (busy_mhz_of(table).known && number_in(table, "CoreThr") > 0 &&
            (!heated.hot || busy_mhz_of(table).value < busy_mhz_of(heated.hot).value))
            heated.hot = table;
    }
    for (size_t at = 0; heated.hot && at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        bool is_cooler = table != heated.hot && busy_mhz_of(table).known &&
                         number_in(table, "CoreThr") < number_in(heated.hot, "CoreThr") &&
                         number_in(table, "TSC_MHz") == number_in(heated.hot, "TSC_MHz");
        if (is_cooler && (!heated.cool || busy_mhz_of(table).value > busy_mhz_of(heated.cool).value))
            heated.cool = table;
    }
    return heated;
}

/* By what it ran at while it was cool. */
static bool cool_beside(const struct results *results, struct finding *finding)
{
    struct heated heated = heated_of(results->imported);
    if (!heated.hot || !heated.cool)
        return false;
    double hot = busy_mhz_of(heated.hot).value, cool = busy_mhz_of(heated.cool).value;
    if (1 - hot / cool < results->effect)
        return false;
    finding_decide_fact(finding, interval_exactly(1 - hot / cool), results->effect);
    struct value values[] = {VALUE_TEXT("hot", arena_printf(finding->arena, "%.4g", hot)),
                             VALUE_TEXT("cool", arena_printf(finding->arena, "%.4g", cool)),
                             VALUE_SHARE("share", interval_exactly(1 - hot / cool)),
                             VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_TEXT("one", heated.hot->file),
                             VALUE_TEXT("other", heated.cool->file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-heat-clock", values,
                         sizeof(values) / sizeof(values[0]));
    finding_set_add(finding, &finding->headline, "imported-heat-headline", values, sizeof(values) / sizeof(values[0]));
    return true;
}

void imported_heat_beside(const struct results *results, struct finding *finding)
{
    struct imported_pair pair;
    bool is_asked =
        finding_is(finding, "thermal-power") && finding->verdict == VERDICT_SUPPORTED && !finding->recoverable.known;
    if (!is_asked || cool_beside(results, finding) || !imported_pair_of(results->imported, &pair) || pair.is_of_user ||
        pair.gap.value < results->effect || imported_pair_most(&pair) != FACTOR_CLOCK || is_of_vectors(results, &pair))
        return;
    double drop = 1 - pair.parts[FACTOR_CLOCK].slow.value / pair.parts[FACTOR_CLOCK].fast.value;
    finding_decide_fact(finding, interval_exactly(drop), results->effect);
    finding->imported_kinds |= 1u << ORIGIN_RUNS;
    say_clocks(finding, &pair, NULL, "imported-clocks");
}

bool imported_pair_test(const struct results *results, struct finding *finding)
{
    return no_heat_test(results, finding) || clocks_test(results, finding) || reference_test(results, finding) ||
           same_clock_test(results, finding);
}

bool imported_heat_is_ruled_out(const struct results *results, struct arena *arena)
{
    struct finding heat = {.hypothesis = &hypothesis_clock_limits, .arena = arena};
    return imported_pair_test(results, &heat) && heat.verdict == VERDICT_RULED_OUT;
}

/* Where wide vectors are what the clock falls for, that it fell is no cause beside them; heat, where it was counted. */
bool imported_clock_of_vectors_test(const struct results *results, struct finding *finding)
{
    struct finding vectors = {.hypothesis = &hypothesis_avx512_licence, .arena = finding->arena},
                   by_clock = {.hypothesis = finding->hypothesis, .arena = finding->arena};
    bool is_heat = finding_is(finding, "thermal-power");
    if (!imported_licence_test(results, &vectors) || vectors.verdict != VERDICT_SUPPORTED || !vectors.headline ||
        (is_heat && vectors.not_separated))
        return false;
    if (imported_pair_test(results, &by_clock) && by_clock.verdict == VERDICT_RULED_OUT)
        return is_heat && imported_pair_test(results, finding);
    struct value values[] = {VALUE_TEXT("vectors", vectors.headline)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding_set_add(finding, &finding->reason, "imported-clocks-of-vectors", values, 1);
    return true;
}
