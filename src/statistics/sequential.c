/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/sequential.h"

#include "statistics/normal.h"

#include <math.h>
#include <string.h>

void sequential_begin(struct sequential *sequential, double alpha, size_t pairs_most)
{
    *sequential = (struct sequential){.alpha = alpha, .pairs_most = pairs_most};
}

static double spending(const struct sequential *sequential, size_t pairs, bool is_last)
{
    double share = (double)pairs / (double)sequential->pairs_most;
    if (is_last || share >= 1)
        return sequential->alpha;
    return sequential->alpha * log(1 + (M_E - 1) * share);
}

/* Simpson's weight of a grid point. */
static double weight(size_t at)
{
    return at == 0 || at == SEQUENTIAL_POINTS - 1 ? 1 : at % 2 ? 4 : 2;
}

static double grid_point(double edge, size_t at)
{
    return -edge + 2 * edge * (double)at / (SEQUENTIAL_POINTS - 1);
}

/* P(not stopped before, and |sum| > bound now), the sum having grown by `step` pairs. */
static double crossing(const struct sequential *sequential, double step, double bound)
{
    double scale = sqrt(step), sum = 0;
    if (!sequential->pairs)
        return 2 * normal_below(-bound / scale);
    double width = 2 * sequential->edge / (SEQUENTIAL_POINTS - 1) / 3;
    for (size_t at = 0; at < SEQUENTIAL_POINTS; at++) {
        double from = grid_point(sequential->edge, at);
        double beyond = normal_below((-bound - from) / scale) + normal_below((from - bound) / scale);
        sum += weight(at) * sequential->density[at] * beyond;
    }
    return sum * width;
}

static double bound_for(const struct sequential *sequential, double step, double probability)
{
    double low = 0, high = 12 * sqrt((double)sequential->pairs + step);
    for (int at = 0; at < 60; at++) {
        double mid = (low + high) / 2;
        if (crossing(sequential, step, mid) > probability)
            low = mid;
        else
            high = mid;
    }
    return high;
}

static double density_at(const struct sequential *sequential, double step, double to)
{
    double scale = sqrt(step), sum = 0;
    if (!sequential->pairs)
        return normal_density(to / scale) / scale;
    double width = 2 * sequential->edge / (SEQUENTIAL_POINTS - 1) / 3;
    for (size_t at = 0; at < SEQUENTIAL_POINTS; at++)
        sum += weight(at) * sequential->density[at] *
               normal_density((to - grid_point(sequential->edge, at)) / scale) / scale;
    return sum * width;
}

static void move_density(struct sequential *sequential, double step, double bound)
{
    /* Beyond 8 standard deviations there is nothing to integrate, and a wide grid would be a coarse one. */
    double edge = fmin(bound, 8 * sqrt((double)sequential->pairs + step));
    double density[SEQUENTIAL_POINTS];
    for (size_t at = 0; at < SEQUENTIAL_POINTS; at++)
        density[at] = density_at(sequential, step, grid_point(edge, at));
    memcpy(sequential->density, density, sizeof(density));
    sequential->edge = edge;
}

double sequential_look(struct sequential *sequential, size_t pairs, bool is_last)
{
    double step = (double)(pairs - sequential->pairs);
    double target = spending(sequential, pairs, is_last);
    double bound = bound_for(sequential, step, target - sequential->spent);
    move_density(sequential, step, bound);
    sequential->pairs = pairs;
    sequential->spent = target;
    return 2 * normal_below(-bound / sqrt((double)pairs));
}

size_t sequential_next(size_t pairs)
{
    return pairs + (pairs + 3) / 4;
}
