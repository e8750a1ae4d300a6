/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands in for parts that a case doesn't have: the manifest, and names and code of what was sampled?
 *
 * Nothing is invented: what can be told from the parts that are there is taken from them, and said in a gap.
 */
#ifndef PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_CASE_MISSING_H
#define PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_CASE_MISSING_H

#include "command/diagnose/diagnose_case.h"

/* The manifest; without a readable one, what the folder's other parts say. Errors: no case at all, a newer schema. */
MUST_CHECK bool case_manifest_find(struct loaded_case *loaded, const char *folder, struct error *err);
/* Name a part that can't be read, and go on without it. */
void case_part_leave_out(struct loaded_case *loaded, const char *file, const char *why);
/* After the recording was read, for a manifest that was made up: what was run, and of whom. */
void case_manifest_complete(struct loaded_case *loaded);
/* Names and code from this machine's binaries, whose build ids must be the recorded ones. */
void case_bundle_make(struct loaded_case *loaded);

#endif
