/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/topdown/metric_quality.h"

#include "statistics/student.h"

#include <math.h>

/* Beyond this share of its whole a value is suspect, below it may be noise. Source: toplev's range of valid values. */
static const double valid_margin = 0.05;
/* Time that differs by less is the kernel's own switching. */
static const double seen_all = 0.999;
static const double step = 1.0 / 255;

/* ---- over windows ------------------------------------------------------------------------------------------ */

static struct measured value_without(const struct quality_question *question, int part, size_t window)
{
    return question->value(question->context, part, window);
}

/* Jackknife variance of one part's windows; false: a value without one of them isn't known. */
static bool part_variance(const struct quality_question *question, size_t part, double *ret_variance)
{
    size_t count = question->parts[part].window_count;
    double mean = 0, squares = 0;
    for (size_t window = 0; window < count; window++) {
        struct measured value = value_without(question, (int)part, window);
        if (!value.known)
            return false;
        double difference = value.value - mean;
        mean += difference / (double)(window + 1);
        squares += difference * (value.value - mean);
    }
    *ret_variance = squares * (double)(count - 1) / (double)count;
    return true;
}

struct spread {
    double variance;
    double freedom; /* degrees, of the part that has the fewest */
    bool known;
};

/*
 * Of what was not seen, only. Said of other runs, too: what differs from window to window will differ from run to run.
 */
static struct spread windows_spread(const struct quality_question *question)
{
    struct spread spread = {.known = true, .freedom = INFINITY};
    for (size_t part = 0; part < question->part_count; part++) {
        double unseen = question->parts[part].seen >= seen_all ? 0 : 1 - question->parts[part].seen, variance = 0;
        double weight = question->run_spread > 0 ? 1 + unseen : unseen;
        if (weight <= 0 || (question->parts[part].window_count < 2 && unseen <= 0))
            continue;
        if (question->parts[part].window_count < 2 || !part_variance(question, part, &variance)) {
            spread.known = false;
            continue;
        }
        spread.variance += weight * variance;
        spread.freedom = fmin(spread.freedom, (double)question->parts[part].window_count - 1);
    }
    return spread;
}

/*
 * A share read from a register of 8 bits is off by up to one step; whether it is rounded or cut off isn't published.
 * The mean of many reads is off by half a step at most, and by what is left of the rest.
 */
static double steps_half_width(const struct quality_question *question)
{
    if (question->step_weight <= 0)
        return 0;
    double reads = question->step_reads ? (double)question->step_reads : 1;
    double half = step / 2 + 1.96 * step / sqrt(12 * reads);
    return question->step_weight * fmin(half, step);
}

/* Between runs: counts vary by what the controls showed. */
static double runs_half_width(const struct quality_question *question, double value)
{
    if (question->run_spread <= 0)
        return 0;
    double share = student_quantile_95(question->run_freedom) * question->run_spread;
    return fmax(share * fabs(value), question->moves ? question->moves(question->context, share) : 0);
}

/* ---- the question ------------------------------------------------------------------------------------------ */

static void parts_summarise(struct metric_quality *quality, const struct quality_question *question)
{
    quality->seen = 1;
    quality->windows = SIZE_MAX;
    for (size_t part = 0; part < question->part_count; part++) {
        quality->seen = fmin(quality->seen, question->parts[part].seen);
        if (question->parts[part].window_count < quality->windows)
            quality->windows = question->parts[part].window_count;
    }
    quality->windows = quality->windows == SIZE_MAX ? 0 : quality->windows;
    quality->marks |= quality->seen < seen_all ? QUALITY_SCALED : 0;
    quality->marks |= question->step_weight > 0 ? QUALITY_STEPS : 0;
}

static unsigned share_marks(double value)
{
    if (value < -valid_margin || value > 1 + valid_margin)
        return QUALITY_SUSPECT;
    return value < 0 ? QUALITY_ABOUT_ZERO : 0;
}

void metric_quality_find(struct metric_quality *quality, const struct quality_question *question)
{
    *quality = (struct metric_quality){.marks = question->marks};
    quality->value = value_without(question, QUALITY_NOTHING_LEFT_OUT, 0);
    parts_summarise(quality, question);
    if (!quality->value.known)
        return;
    double value = quality->value.value;
    quality->marks |= question->is_share ? share_marks(value) : 0;
    struct spread spread = windows_spread(question);
    if (!spread.known) {
        quality->marks |= QUALITY_ONE_WINDOW;
        return;
    }
    double windows = student_quantile_95(spread.freedom) * sqrt(spread.variance);
    double runs = runs_half_width(question, value);
    double half = fmax(windows, runs) + steps_half_width(question);
    quality->interval = interval_of(value - half, value, value + half);
}

/* ---- one ratio --------------------------------------------------------------------------------------------- */

struct ratio_sums {
    const struct ratio_question *question;
    double numerator, denominator; /* each window's scaled to all of its time */
};

static double window_scale(const struct ratio_window *window)
{
    return window->running_ns ? (double)window->enabled_ns / (double)window->running_ns : 0;
}

/* `counted` windows have been on the counters; the caller's number leaves out the others. */
static const struct ratio_window *window_counted(const struct ratio_question *question, size_t counted)
{
    for (size_t at = 0; at < question->window_count; at++)
        if (question->windows[at].running_ns && counted-- == 0)
            return &question->windows[at];
    return NULL;
}

static struct measured ratio_value(void *context, int part, size_t left_out)
{
    const struct ratio_sums *sums = context;
    double numerator = sums->numerator, denominator = sums->denominator;
    if (part != QUALITY_NOTHING_LEFT_OUT) {
        const struct ratio_window *window = window_counted(sums->question, left_out);
        numerator -= window ? window->numerator * window_scale(window) : 0;
        denominator -= window ? window->denominator * window_scale(window) : 0;
    }
    if (!(denominator > 0))
        return not_measured("there was nothing to divide by");
    return measured_as(sums->question->factor * numerator / denominator);
}

/* Events counted so rarely that none may have been seen though there are some: three, at 95 %. */
static double rare_allowance(const struct ratio_sums *sums, double seen, double counted)
{
    if (seen >= seen_all || counted >= 10 || !(sums->denominator > 0) || !(seen > 0))
        return 0;
    return (1 - seen) * (3 + 2 * sqrt(counted)) / seen / sums->denominator * fabs(sums->question->factor);
}

void ratio_quality_find(struct metric_quality *quality, const struct ratio_question *question)
{
    struct ratio_sums sums = {.question = question};
    struct quality_part part = {0};
    double enabled = 0, running = 0, counted = 0;
    for (size_t at = 0; at < question->window_count; at++) {
        const struct ratio_window *window = &question->windows[at];
        enabled += (double)window->enabled_ns;
        running += (double)window->running_ns;
        part.window_count += window->running_ns > 0;
        counted += fabs(window->numerator);
        sums.numerator += window->numerator * window_scale(window);
        sums.denominator += window->denominator * window_scale(window);
    }
    part.seen = enabled > 0 ? running / enabled : 0;
    struct quality_question general = {
        .value = ratio_value, .context = &sums, .parts = &part, .part_count = 1,
        .step_weight = question->fields * fabs(question->factor), .step_reads = part.window_count,
        .run_spread = question->run_spread, .run_freedom = question->run_freedom, .is_share = question->is_share};
    metric_quality_find(quality, &general);
    if (!running)
        quality->value = not_measured("its group was never on the counters: others hold them, or it ran too shortly");
    if (quality->interval.known)
        quality->interval.high += rare_allowance(&sums, part.seen, counted);
}

/* ---- decisions --------------------------------------------------------------------------------------------- */

enum decision threshold_decide(const struct metric_quality *quality, double threshold, enum threshold_side side)
{
    if (!quality->value.known || !quality->interval.known || (quality->marks & QUALITY_SUSPECT))
        return DECISION_UNDECIDED;
    bool all_above = quality->interval.low > threshold, all_below = quality->interval.high < threshold;
    bool exactly = quality->interval.low == quality->interval.high && quality->interval.low == threshold;
    if (side == THRESHOLD_ABOVE)
        return all_above ? DECISION_YES : all_below || exactly ? DECISION_NO : DECISION_UNDECIDED;
    return all_below ? DECISION_YES : all_above || exactly ? DECISION_NO : DECISION_UNDECIDED;
}

enum decision decision_and(enum decision a, enum decision b)
{
    return a < b ? a : b;
}

enum decision decision_or(enum decision a, enum decision b)
{
    return a > b ? a : b;
}
