/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds to a case what others measured or said, labelled with its origin; makes the case when there is none yet. */
#ifndef PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_IMPORT_H
#define PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_IMPORT_H

#include "command/options.h"

/*
 * files: texts of other tools; sayings: what a person says. Parts statements.json and imports.json: what the case has
 * is kept. Errors: a file that can't be read, a part that breaks its format, the folder can't be written.
 */
MUST_CHECK bool diagnose_import(const char *folder, const struct option_texts *files,
                                const struct option_texts *sayings, struct error *err);

#endif
