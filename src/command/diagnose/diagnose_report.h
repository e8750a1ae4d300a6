/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The HTML report of a diagnosis (--html FILE): which parts of the case go into the page? */
#ifndef PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_REPORT_H
#define PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_REPORT_H

#include "command/diagnose/diagnose_case.h"

/* findings: the diagnosis as JSON. Source lines are read through root. Errors: ERROR_SYSTEM. */
MUST_CHECK bool diagnose_report_write(const char *path, const struct loaded_case *loaded, struct view findings,
                                      const struct sysroot *root, struct error *err);

#endif
