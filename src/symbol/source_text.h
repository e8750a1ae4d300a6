/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What does a source line say? Files are read once, when a line of theirs is first asked for. */
#ifndef PLUMB_SYMBOL_SOURCE_TEXT_H
#define PLUMB_SYMBOL_SOURCE_TEXT_H

#include "base/text.h"
#include "system/sysroot.h"

struct source_text;

/*
 * folder: where the recorded machine's files are (symfs) and are looked for first, or NULL. Owner: the caller
 * (source_text_free).
 */
struct source_text *source_text_new(const struct sysroot *root, const char *folder);
void source_text_free(struct source_text *source);
/*
 * Absolute paths are looked for as prefix and what follows their first `strip` folders, before all else. prefix must
 * stay.
 */
void source_text_move(struct source_text *source, const char *prefix, unsigned strip);
/* Line number `line` (from 1) of a file; false when there is no such file or line. Owner of the text: source. */
bool source_text_line(struct source_text *source, const char *path, uint32_t line, struct view *ret_line);

#endif
