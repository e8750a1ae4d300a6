/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/normal.h"

#include <math.h>

double normal_density(double z)
{
    return exp(-z * z / 2) * M_SQRT1_2 * M_2_SQRTPI / 2;
}

double normal_below(double z)
{
    return erfc(-z * M_SQRT1_2) / 2;
}

double normal_quantile(double probability)
{
    double low = -40, high = 40; /* beyond, a double's probability is 0 or 1 */
    while (high - low > 1e-13 * (1 + fabs(low))) {
        double mid = (low + high) / 2;
        if (normal_below(mid) < probability)
            low = mid;
        else
            high = mid;
    }
    return (low + high) / 2;
}
