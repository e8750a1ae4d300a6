/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Was another thing changed together with what a sentence names: "nohz_full and kernel 6.9", "two vCPUs and huge
 * pages", "with half the load"?
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_BESIDE_H
#define PLUMB_ANALYSE_TOLD_TOLD_BESIDE_H

#include <stdbool.h>

/* Of a plain sentence that names a change. */
bool told_changes_another(const char *plain);
/* Of any: something else was done as well, or there was less to do ("the input was smaller that day"). */
bool told_admits_another(const char *plain);

#endif
