/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands just before the name of a change, in its clause: "we turned off ", "we never enabled "? */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_NEAR_H
#define PLUMB_ANALYSE_TOLD_TOLD_NEAR_H

#include "analyse/told/told_words.h"

enum { NEAR_MOST = 24 };

struct near {
    char text[NEAR_MOST + 1]; /* empty: what stands there is of another thing ("no benefit from huge pages") */
};

/* Of a plain sentence, up to this place. */
struct near near_of(const char *plain, const char *place);
bool near_has(const char *plain, const char *place, enum words group);
/* "we never enabled it", "not because of it" */
bool near_is_denied(const char *plain, const char *place);

#endif
