/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which change does it tell by a size that grew or fell: "16 threads instead of 256", "raised -Xmx from 8g to 16g",
 * "resized the VM to 16 GiB"?
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_SIZE_H
#define PLUMB_ANALYSE_TOLD_TOLD_SIZE_H

#include "analyse/told/told_change.h"

/* Of a plain sentence; CHANGE_NONE also of changes that have no size. */
enum change_reading told_size_of(const char *plain, enum treatment treatment);
/* How many threads there were behind it, of those before: 0.5 of "half the threads"; 0: it isn't told. */
double told_threads_ratio(const char *plain);
/* A limit of processor time was raised by so little ("from 2 to 2.5") that it may stop as much as before. */
bool told_is_small_raise(const char *plain, enum treatment treatment);

#endif
