/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/student.h"

#include "base/vec.h"

#include <math.h>

/* For 1, 2, … degrees; beyond, Cornish and Fisher's expansion is closer than 0.1 %. */
static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};

double student_quantile_95(double freedom)
{
    const double z = 1.959964;
    if (!(freedom >= 1))
        return few[0];
    if (freedom < (double)array_count(few) + 1)
        return few[(unsigned)freedom - 1];
    if (isinf(freedom))
        return z;
    double cube = z * z * z, fifth = cube * z * z, seventh = fifth * z * z;
    double first = (cube + z) / (4 * freedom), second = (5 * fifth + 16 * cube + 3 * z) / (96 * freedom * freedom);
    return z + first + second + (3 * seventh + 19 * fifth + 17 * cube - 15 * z) / (384 * freedom * freedom * freedom);
}

double student_p(double t, double freedom)
{
    /* With t = sqrt(freedom) tan(angle), the density is a power of the cosine; Simpson's rule over the tail. */
    enum { STEPS = 2000 };
    const double quarter = acos(0);
    if (!(freedom >= 1) || isnan(t))
        return 1;
    if (isinf(freedom) || freedom > 1e6)
        return erfc(fabs(t) / sqrt(2));
    double from = atan(fabs(t) / sqrt(freedom)), step = (quarter - from) / STEPS, sum = 0;
    for (int at = 0; at <= STEPS; at++)
        sum += pow(fmax(cos(from + at * step), 0), freedom - 1) * (at == 0 || at == STEPS ? 1 : at % 2 ? 4 : 2);
    double scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(2 * quarter);
    return fmin(1, 2 * scale * sum * step / 3);
}
