/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Page maps as a part of a case: written once, read back to the same answers. */
#ifndef PLUMB_SYSTEM_MEMORY_PROCESS_PAGES_JSON_H
#define PLUMB_SYSTEM_MEMORY_PROCESS_PAGES_JSON_H

#include "base/json/json_reader.h"
#include "system/memory/process_pages.h"

void process_pages_write(const struct process_pages *pages, size_t count, struct text *out);
/* Errors: ERROR_FORMAT. Owner: arena. */
MUST_CHECK bool process_pages_parse(struct process_pages **ret_pages, size_t *ret_count, struct json_value root,
                                    struct arena *arena, struct error *err);

#endif
