/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures what the access patterns found in a case cost on this machine, and whether stalls can be told apart here. */
#ifndef PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_PROBE_H
#define PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_PROBE_H

#include "capture/case/case_folder.h"
#include "command/command.h"
#include "probe/skid.h"

/*
 * Writes costs.json into the case; event: what its samples were taken by; samples: how many, as of too few nothing is
 * made; sparing: of as many patterns, the leading one first, as some CPU time allows, over less memory. ret_is_wide:
 * its code may lower the clock of its core by wide vectors. Errors: the folder can't be read or written.
 */
MUST_CHECK bool diagnose_probe(struct context *context, const char *folder, enum skid_event event, uint64_t samples,
                               bool sparing, struct case_manifest *manifest, struct arena *arena, bool *ret_is_wide,
                               struct error *err);

#endif
