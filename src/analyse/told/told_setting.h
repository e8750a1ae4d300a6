/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which change does it tell by the file of a setting and the value that is put into it: "echo never >
 * …/transparent_hugepage/enabled", "…/enabled said never. Set it to always"?
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_SETTING_H
#define PLUMB_ANALYSE_TOLD_TOLD_SETTING_H

#include "analyse/told/told_change.h"

/* Of plain sentences. ret_treatment: untouched where no value is told. */
enum change_reading told_setting_of(const char *plain, enum treatment *ret_treatment);
/* It names such a file. */
bool told_names_setting(const char *plain);

#endif
