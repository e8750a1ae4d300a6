/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time at instructions of some classes, which a class alone decides or bounds. Internal to finding/cpu. */
#ifndef PLUMB_FINDING_CPU_INSTRUCTION_CLASS_H
#define PLUMB_FINDING_CPU_INSTRUCTION_CLASS_H

#include "finding/hypothesis.h"

#define CLASS(name) (1u << INSTRUCTION_##name)

/* Samples at instructions of the classes of `mask`, of CLASS. */
double class_samples(const struct stalls *stalls, unsigned mask);
/* Time at these instructions is a fact; what removing them returns is not known. */
void class_test_fact(const struct results *results, struct finding *finding, unsigned mask);
/* Only an upper bound can be had without counters; the estimated bottleneck lays time at such causes, too. */
void class_test_bound(const struct results *results, struct finding *finding, unsigned mask, unsigned causes);

#endif
