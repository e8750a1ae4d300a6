/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trials of one kind each: of pages, which host and guest have, of the timer's tick, which makes exits, and of what
 * takes one cause away. Internal to finding/imported. Each decides the finding, or says that it has nothing to say of
 * it (false).
 */
#ifndef PLUMB_FINDING_IMPORTED_TRIAL_KINDS_H
#define PLUMB_FINDING_IMPORTED_TRIAL_KINDS_H

#include "finding/hypothesis.h"

bool trial_pages_test(const struct results *results, const struct told *told, struct finding *finding,
                      const struct told_trial *trial);
/* One without huge pages that helped; NULL: there is none, or what it brought may be chance. */
const struct told_trial *trial_pages_off(const struct results *results);
bool trial_pages_off_test(const struct results *results, struct finding *finding, const struct told_trial *trial);
bool trial_tick_test(const struct results *results, const struct told *told, struct finding *finding,
                     const struct told_trial *trial);
bool trial_change_test(const struct results *results, const struct told *told, struct finding *finding,
                       const struct told_trial *trial);

/* The imported tables of exits, one after the other; NULL: there are no more. */
const struct imported_table *trial_exits_table(const struct imported *imported, size_t wanted);
/* Two tables beside one another: how many exits each side had. */
void trial_say_exits(const struct results *results, struct finding *finding);
/* Pages that were missing behind the guest: many on one side alone go with small pages there. */
void trial_say_violations(const struct results *results, struct finding *finding);

#endif
