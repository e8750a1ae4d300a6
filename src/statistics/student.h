/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How wide is 95 % when the spread itself is estimated from few values? Student's t. */
#ifndef PLUMB_STATISTICS_STUDENT_H
#define PLUMB_STATISTICS_STUDENT_H

/* The t below which |T| stays with 95 %; freedom: degrees, at least 1, INFINITY for a known spread. To 0.1 %. */
double student_quantile_95(double freedom);
/* P(|T| >= |t|), by numerical integration, to 1e-9; 1 with less than one degree. */
double student_p(double t, double freedom);

#endif
