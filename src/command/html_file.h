/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file that --html (or another option) names: can it be written, before anything is measured for it, and then whole
 * or not at all?
 */
#ifndef PLUMB_COMMAND_HTML_FILE_H
#define PLUMB_COMMAND_HTML_FILE_H

#include "base/error.h"
#include "base/text.h"

/* Whether the file could be written. Leaves what is there as it is. Errors: ERROR_SYSTEM. */
MUST_CHECK bool html_file_try(const char *path, struct error *err);
/* Empties the page. Errors: ERROR_SYSTEM. */
MUST_CHECK bool html_file_write(const char *path, struct text *page, struct error *err);

#endif
