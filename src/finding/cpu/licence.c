/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clock that wide vectors lower. Some Intel server cores run at one of three clocks, by the widest and heaviest
 * code of the last 0.7 ms: everything that runs on the core is slower then.
 *
 * How much of that clock is lost, by the best there is: the core's licence counters; the mean clock (aperf/mperf, or
 * cycles over CPU time) and glimpses at its CPUs, against scalar code of ours beside the run. What wide code costs of
 * the clock: blocks of it in turns with scalar code, here. A clock is lowered for other reasons, too; only the counters
 * name this one.
 */
#include "analyse/code/wide_code.h"
#include "finding/family.h"

/* Without blocks: the deepest licence costs a quarter of the clock, the first one 15 %, by Intel's turbo tables. */
static const double FALL_MOST_LVL1 = 0.15, FALL_MOST_LVL2 = 0.25;
/* So little is the measuring's own scatter. */
static const double FALL_LEAST = 0.02;
/* 256-bit code lowers the clock only where it comes densely: a stray sample is no sign of that. */
static const double NARROW_SHARE_LEAST = 0.05;

/* ---- what is known ---- */

struct licence {
    struct wide_code code;
    enum wide_kind kind;          /* the one that lowers the clock most of those that it has */
    struct interval fall[WIDE_KINDS]; /* of the clock, 0..1, behind such code; unknown: not measured */
    struct interval worst;        /* of the kinds that it has */
    double scalar_hz, lowered_hz; /* of our scalar code; the mean while it ran. 0: not known */
    struct interval lost;         /* of its time, by the lowered clock, whatever lowered it; unknown: not measured */
    struct interval lowered;      /* share of glimpses */
};

static struct interval fall_of(const struct ceilings *ceilings, enum calibration_figure figure)
{
    struct interval left = ceilings_figure(ceilings, figure);
    return left.known ? interval_clamped(interval_of(1 - left.high, 1 - left.mid, 1 - left.low), 0, 1) : left;
}

/* Blocks measured while a neighbour held the clock down would say that wide code costs none. */
static bool blocks_were_free(const struct ceilings *ceilings, double scalar_hz)
{
    static const double UNLOWERED = 0.95;
    bool beside = ceilings && calibration_figure(&ceilings->after, CALIBRATION_CLOCK_HEAVY_512).known;
    struct interval clock = calibration_figure(!ceilings ? NULL : beside ? &ceilings->after : &ceilings->kept,
                                               CALIBRATION_CLOCK);
    return clock.known && clock.high > UNLOWERED * scalar_hz;
}

static void falls_take(struct licence *licence, const struct ceilings *ceilings)
{
    if (!blocks_were_free(ceilings, licence->scalar_hz))
        return;
    licence->fall[WIDE_HEAVY_256] = fall_of(ceilings, CALIBRATION_CLOCK_HEAVY_256);
    licence->fall[WIDE_LIGHT_512] = fall_of(ceilings, CALIBRATION_CLOCK_LIGHT_512);
    licence->fall[WIDE_HEAVY_512] = fall_of(ceilings, CALIBRATION_CLOCK_HEAVY_512);
}

/* Of what it has. A heavy instruction now and then is run as a light one: from the least fall of these to the most. */
static void worst_take(struct licence *licence, const struct stalls *stalls)
{
    const struct wide_code *code = &licence->code;
    double narrow = stalls->sample_count ? (double)code->samples[WIDE_HEAVY_256] / (double)stalls->sample_count : 0;
    for (int kind = WIDE_HEAVY_256; kind < WIDE_KINDS; kind++) {
        bool has = kind == WIDE_HEAVY_256 ? narrow >= NARROW_SHARE_LEAST : code->stands[kind];
        if (!has)
            continue;
        licence->kind = (enum wide_kind)kind;
        struct interval fall = licence->fall[kind], light = licence->fall[WIDE_LIGHT_512];
        if (fall.known && kind == WIDE_HEAVY_512 && light.known && light.low < fall.low)
            fall.low = light.low;
        if (fall.known && (!licence->worst.known || fall.high > licence->worst.high))
            licence->worst = fall;
    }
}

static double higher(double most_hz, const struct calibration *calibration)
{
    struct interval clock = calibration_figure(calibration, CALIBRATION_CLOCK);
    return clock.known && clock.high > most_hz ? clock.high : most_hz;
}

/*
 * The clock that the program's CPUs could have run at: the highest that was seen. A neighbour's wide code lowers that
 * of our scalar code, too, just before, just after, or both.
 */
static double scalar_clock(const struct ceilings *ceilings)
{
    double most_hz = 0;
    if (!ceilings)
        return 0;
    most_hz = ceilings->has_before ? higher(most_hz, &ceilings->before) : most_hz;
    most_hz = ceilings->has_after ? higher(most_hz, &ceilings->after) : most_hz;
    most_hz = ceilings->has_kept ? higher(most_hz, &ceilings->kept) : most_hz;
    for (size_t at = 0; at < ceilings->glimpse_count; at++)
        most_hz = ceilings->glimpses[at].clock_hz > most_hz ? ceilings->glimpses[at].clock_hz : most_hz;
    return most_hz;
}

/*
 * Whether others ran on its CPUs: then what a glimpse finds may be the clock that they left behind, and a full one
 * proves nothing.
 */
static bool others_ran(const struct run_time *run)
{
    static const double DELAYED_MOST = 0.05;
    if (!run || !run->run_delay_s.known || !run->cpu_s.known)
        return true;
    return run->run_delay_s.value > DELAYED_MOST * (run->run_delay_s.value + run->cpu_s.value);
}

/* Time lost at a clock, as a share: what took t at this clock takes t * clock / scalar at that one. */
static double lost_at(double clock_hz, double scalar_hz)
{
    double lost = 1 - clock_hz / scalar_hz;
    return lost > 0 ? lost : 0;
}

static void glimpses_take(struct licence *licence, const struct results *results)
{
    const struct ceilings *ceilings = results->ceilings;
    size_t count = ceilings ? ceilings->glimpse_count : 0, low = 0;
    double sum_hz = 0, lost = 0, fall = licence->worst.known ? licence->worst.low : FALL_LEAST;
    double most = licence->worst.known ? licence->worst.high : FALL_MOST_LVL2;
    if (count < CEILINGS_GLIMPSES_LEAST || licence->scalar_hz <= 0)
        return;
    fall = fall > FALL_LEAST ? fall : FALL_LEAST;
    for (size_t at = 0; at < count; at++) {
        double here = lost_at(ceilings->glimpses[at].clock_hz, licence->scalar_hz);
        sum_hz += ceilings->glimpses[at].clock_hz;
        low += here > fall / 2;
        lost += here > fall / 2 ? here : 0;
    }
    double each = low ? lost / (double)low : fall;
    each = each < most ? each : most;
    licence->lowered_hz = sum_hz / (double)count;
    licence->lowered = wilson_interval((double)low, (double)count, (double)count);
    licence->lost = interval_clamped(interval_scaled(licence->lowered, each), 0, 1);
    if (others_ran(results->run) && licence->lost.high < most)
        licence->lost.high = most;
}

/* The mean clock by counters, better than glimpses: it misses nothing. */
static const char *mean_clock(const struct counter_summary *counters, double *ret_hz)
{
    if (!counters || counters->imported)
        return NULL;
    struct measured aperf = counter_of(counters, "msr/aperf/"), mperf = counter_of(counters, "msr/mperf/");
    struct measured tsc = counter_of(counters, "msr/tsc/"), clock_ns = counter_of(counters, "task-clock");
    struct measured rate = measured_ratio(tsc, clock_ns), actual = measured_ratio(aperf, mperf);
    if (rate.known && actual.known) {
        *ret_hz = rate.value * 1e9 * actual.value;
        return "aperf/mperf";
    }
    struct measured cycles = counter_of(counters, "cycles"), per_ns = measured_ratio(cycles, clock_ns);
    for (size_t at = 0; at < counters->count; at++)
        if (strcmp(counters->items[at].name, "cycles") == 0 && counters->items[at].user_only)
            return NULL;
    if (!per_ns.known)
        return NULL;
    *ret_hz = per_ns.value * 1e9;
    return "cycles over CPU time";
}

static const char *gigahertz(struct finding *finding, double hz)
{
    return arena_printf(finding->arena, "%.2f GHz", hz * 1e-9);
}

static void mean_clock_take(const struct results *results, struct licence *licence, struct finding *finding)
{
    double hz = 0;
    const char *source = mean_clock(results->counters, &hz);
    if (!source || hz <= 0 || licence->scalar_hz <= 0)
        return;
    double lost = lost_at(hz, licence->scalar_hz);
    licence->lowered_hz = hz;
    licence->lost = interval_clamped(interval_of(lost - FALL_LEAST, lost, lost + FALL_LEAST), 0, 1);
    finding_evidence(finding, lost > FALL_LEAST ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_COUNTERS, "mean-clock",
                     VALUE_TEXT("clock", gigahertz(finding, hz)), VALUE_TEXT("source", source),
                     VALUE_TEXT("scalar", gigahertz(finding, licence->scalar_hz)));
}

/* ---- evidence ---- */

static void say_code(const struct results *results, const struct licence *licence, struct finding *finding)
{
    enum wide_kind kind = licence->kind;
    const struct wide_code *code = &licence->code;
    const struct stall_function *function = code->function[kind];
    if (kind == WIDE_NONE || !function)
        return;
    const char *mnemonic = code->mnemonic[kind] ? code->mnemonic[kind] : "?";
    finding->subject = arena_printf(finding->arena, "%s in %s", mnemonic, function->name);
    if (code->samples[kind])
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "wide",
                         VALUE_SHARE("share", share_of_samples(results, finding, (double)code->samples[kind])),
                         VALUE_TEXT("kind", wide_kind_words(kind)), VALUE_TEXT("function", function->name),
                         VALUE_TEXT("instruction", mnemonic));
    else
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "stands", VALUE_TEXT("kind", wide_kind_words(kind)),
                         VALUE_TEXT("function", function->name), VALUE_TEXT("instruction", mnemonic));
}

static void say_blocks(const struct results *results, const struct licence *licence, struct finding *finding)
{
    struct interval heavy = ceilings_figure(results->ceilings, CALIBRATION_CLOCK_HEAVY_512);
    struct interval light = ceilings_figure(results->ceilings, CALIBRATION_CLOCK_LIGHT_512);
    struct interval narrow = ceilings_figure(results->ceilings, CALIBRATION_CLOCK_HEAVY_256);
    if (!heavy.known || !light.known || !narrow.known || !licence->fall[WIDE_HEAVY_512].known) {
        const char *why = heavy.known ? "a neighbour held the clock down meanwhile"
                          : results->ceilings
                              ? results->ceilings->now.figures[CALIBRATION_CLOCK_HEAVY_512].why_not
                              : "the machine was not calibrated beside the run";
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_PROBE, "blocks-unmeasured",
                         VALUE_TEXT("why", why ? why : "it was not tried"));
        return;
    }
    bool falls = licence->worst.known && licence->worst.low > FALL_LEAST;
    finding_evidence(finding, falls ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_PROBE, "blocks", VALUE_SHARE("heavy", heavy),
                     VALUE_SHARE("light", light), VALUE_SHARE("narrow", narrow));
}

static void say_glimpses(const struct results *results, const struct licence *licence, struct finding *finding)
{
    if (!licence->lowered.known)
        return;
    finding_evidence(finding, licence->lowered.low > 0.5 ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_PROBE, "glimpses",
                     VALUE_SHARE("share", licence->lowered),
                     VALUE_COUNT("count", (double)results->ceilings->glimpse_count),
                     VALUE_TEXT("clock", gigahertz(finding, licence->lowered_hz)),
                     VALUE_TEXT("scalar", gigahertz(finding, licence->scalar_hz)));
}

/* ---- deciding ---- */

static const char *function_named(const struct licence *licence)
{
    const struct stall_function *function = licence->code.function[licence->kind];
    return function ? function->name : "its wide code";
}

/*
 * What a higher clock would return, less what the same work takes in narrower vectors: twice the instructions at most.
 * Waiting for memory doesn't depend on the clock.
 */
static struct interval gain_of(const struct results *results, const struct licence *licence,
                               const struct finding *finding, struct interval lost)
{
    double total = (double)results->stalls->sample_count;
    if (!results->stalls->attributed || total <= 0)
        return interval_of(0, lost.mid / 2, lost.high);
    struct interval wide =
        wilson_interval((double)wide_code_samples(&licence->code), total, total);
    struct interval waits = wilson_interval((double)results->stalls->memory_samples, total, total);
    double low = lost.low * (1 - waits.high) - wide.high, mid = lost.mid * (1 - waits.mid) - wide.mid;
    low = low > 0 ? low : 0;
    mid = mid > low ? mid : low;
    return share_of_run(results, finding, interval_of(low, mid, lost.high > mid ? lost.high : mid));
}

static void decide(const struct results *results, const struct licence *licence, struct finding *finding,
                   struct interval lost)
{
    struct interval gain = gain_of(results, licence, finding, lost);
    finding_decide(finding, gain, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", finding->recoverable);
        return;
    }
    bool narrow = licence->kind == WIDE_HEAVY_256;
    finding_advise(finding, narrow ? "advice-narrow" : "advice", VALUE_TEXT("function", function_named(licence)));
    finding_advise(finding, "advice-gather", NO_VALUES);
    finding_set(finding, confirm, "confirm", VALUE_SHARE("gain", finding->recoverable));
    if (finding->verdict == VERDICT_SUPPORTED) {
        finding_set(finding, headline, "headline", VALUE_TEXT("function", function_named(licence)));
        return;
    }
    struct interval blind = share_of_samples(results, finding, (double)results->stalls->blind_samples);
    finding_set(finding, reason, licence->kind == WIDE_NONE ? "undecided-blind" : "undecided",
                VALUE_SHARE("blind", blind), VALUE_SHARE("bound", interval_exactly(finding->recoverable.high)));
    finding_set(finding, remedy, narrow ? "remedy-narrow" : "remedy", NO_VALUES);
}

/* The core says itself how many of its cycles it spent at which licence. */
static bool test_by_events(const struct results *results, const struct licence *licence, struct finding *finding)
{
    const struct counter_summary *counters = results->counters;
    if (!counters || counters->imported)
        return false;
    struct measured levels[] = {counter_of(counters, "core_power.lvl0_turbo_license"),
                                counter_of(counters, "core_power.lvl1_turbo_license"),
                                counter_of(counters, "core_power.lvl2_turbo_license")};
    if (!levels[0].known || !levels[1].known || !levels[2].known)
        return false;
    /* Counted at the same moments, as cycles in a group of their own are not. */
    struct measured cycles = measured_as(levels[0].value + levels[1].value + levels[2].value);
    struct measured one = measured_ratio(levels[1], cycles), two = measured_ratio(levels[2], cycles);
    if (!one.known || !two.known)
        return false;
    struct interval first = licence->fall[WIDE_LIGHT_512], second = licence->fall[WIDE_HEAVY_512];
    first = first.known ? first : interval_of(0, FALL_MOST_LVL1 / 2, FALL_MOST_LVL1);
    second = second.known ? second : interval_of(0, FALL_MOST_LVL2 / 2, FALL_MOST_LVL2);
    struct interval lost = interval_clamped(interval_of(one.value * first.low + two.value * second.low,
                                                        one.value * first.mid + two.value * second.mid,
                                                        one.value * first.high + two.value * second.high), 0, 1);
    finding->is_estimate = false;
    finding_evidence(finding, lost.high >= results->effect ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_COUNTERS, "events",
                     VALUE_SHARE("one", interval_exactly(one.value)), VALUE_SHARE("two", interval_exactly(two.value)));
    say_code(results, licence, finding);
    say_blocks(results, licence, finding);
    decide(results, licence, finding, lost);
    return true;
}

static void test_without_wide_code(const struct results *results, const struct licence *licence,
                                   struct finding *finding, struct interval blind)
{
    finding_decide_bound(finding, 0, results->effect);
    if (licence->lowered.known && licence->lowered.low > 0.5)
        finding_set(finding, reason, "no-wide-lowered", VALUE_TEXT("clock", gigahertz(finding, licence->lowered_hz)),
                    VALUE_TEXT("scalar", gigahertz(finding, licence->scalar_hz)));
    else
        finding_set(finding, reason, "no-wide", VALUE_SHARE("blind", blind),
                    VALUE_SHARE("share", share_of_samples(results, finding,
                                                          (double)licence->code.samples[WIDE_HEAVY_256])));
}

/* Nothing was measured of any clock: an upper end, from the vendor's tables. */
static void test_by_tables(const struct results *results, struct finding *finding)
{
    struct interval wide = share_of_stalls(results, finding, (double)results->stalls->vector_samples[2]);
    finding_decide_bound(finding, FALL_MOST_LVL2, results->effect);
    finding_set(finding, reason, "undecided-clock", VALUE_SHARE("wide", wide));
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

static void test_by_clock(const struct results *results, struct licence *licence, struct finding *finding)
{
    if (licence->worst.known && licence->worst.high < results->effect) {
        finding_decide_bound(finding, licence->worst.high, results->effect);
        finding_set(finding, reason, "flat", VALUE_SHARE("left", interval_complement(licence->worst)));
        return;
    }
    glimpses_take(licence, results);
    mean_clock_take(results, licence, finding);
    if (!licence->worst.known && !licence->lost.known) {
        test_by_tables(results, finding);
        return;
    }
    if (licence->lost.known && licence->lost.high < results->effect) {
        finding_decide_bound(finding, licence->lost.high, results->effect);
        finding_set(finding, reason, "clock-bound", VALUE_TEXT("clock", gigahertz(finding, licence->lowered_hz)),
                    VALUE_TEXT("scalar", gigahertz(finding, licence->scalar_hz)),
                    VALUE_SHARE("bound", interval_exactly(licence->lost.high)));
        return;
    }
    say_code(results, licence, finding);
    say_blocks(results, licence, finding);
    say_glimpses(results, licence, finding);
    /* Not more than wide code costs here, and not more than was lost at all. */
    struct interval lost = licence->lost;
    double most = licence->worst.known ? licence->worst.high : FALL_MOST_LVL2;
    if (!lost.known)
        lost = interval_of(0, most / 2, most);
    else if (!licence->worst.known)
        lost.low = 0; /* that wide code lowers it was not seen */
    finding_set(finding, not_separated, "not-separated", NO_VALUES);
    decide(results, licence, finding, interval_clamped(lost, 0, most));
}

static void licence_test(const struct results *results, struct finding *finding)
{
    struct licence licence = {.scalar_hz = scalar_clock(results->ceilings)};
    if (!results->surroundings->has_avx512) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "no-avx512", NO_VALUES);
        return;
    }
    const struct stalls *stalls = results->stalls;
    licence.code = wide_code_of(stalls);
    falls_take(&licence, results->ceilings);
    worst_take(&licence, stalls);
    if (test_by_events(results, &licence, finding) || !stalls_are_attributed(results, finding))
        return;
    /* A short burst lowers the clock for most of a millisecond: that no sample met one proves nothing. */
    struct interval blind = share_of_samples(results, finding, (double)stalls->blind_samples);
    bool wide = stalls->vector_samples[2] || stalls->has_wide_code || licence.kind != WIDE_NONE;
    if (!wide && blind.high < results->effect) {
        glimpses_take(&licence, results);
        test_without_wide_code(results, &licence, finding, blind);
        return;
    }
    test_by_clock(results, &licence, finding);
}

const struct hypothesis hypothesis_avx512_licence = {
    .id = "avx512-licence",
    .family = "core",
    .title = "clock lowered for wide vectors",
    .rule = "supported when counted licence cycles, the mean clock or looks at the clock show at least the effect lost "
            "behind "
            "wide vectors, or when runs of others without them had no such cycles and took less time; ruled out when "
            "the CPU "
            "has none, no wide code ran, or the clock fell by less",
    .gain = "lost clock times the share that doesn't wait for memory, less what narrower code would take longer",
    .overturn = "the same program limited to 256 bits, in turns",
    .needs = RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_COUNTERS) | RESULT_BIT(RESULT_CEILINGS),
    .test = licence_test,
};
