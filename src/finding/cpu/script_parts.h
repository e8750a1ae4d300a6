/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What do the compiled functions of an interpreter do for its script, by names (data/named_work.txt)? */
#ifndef PLUMB_FINDING_CPU_SCRIPT_PARTS_H
#define PLUMB_FINDING_CPU_SCRIPT_PARTS_H

#include "finding/finding.h"
#include "finding/results.h"

static const double SCRIPT_PART_SHOWN_LEAST = 0.02; /* of all samples */

struct script_parts {
    /* "sorting 24 %, interpreting 9.0 %", largest first, of that binary's language; NULL: untold. Owner: arena */
    const char *said;
    double nameless; /* samples of the binary's functions without a name that nobody with one was seen to call */
};

/* dso: the interpreter's binary. */
struct script_parts script_parts_of(const struct results *results, const struct finding *finding, const char *dso);

#endif
