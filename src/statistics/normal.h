/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The standard normal distribution, from the C library's erfc. */
#ifndef PLUMB_STATISTICS_NORMAL_H
#define PLUMB_STATISTICS_NORMAL_H

double normal_density(double z);
/* P(Z <= z). */
double normal_below(double z);
/* The z that normal_below maps to probability, which lies in (0, 1); to 1e-12. */
double normal_quantile(double probability);

#endif
