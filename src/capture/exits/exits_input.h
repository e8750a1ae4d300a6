/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What left the guests, as a file tells it: a recording of kvm's tracepoints (perf kvm stat record, plumb record), a
 * trace's text, a table of another tool, or what `plumb exits --json` wrote. Told apart by content.
 */
#ifndef PLUMB_CAPTURE_EXITS_EXITS_INPUT_H
#define PLUMB_CAPTURE_EXITS_EXITS_INPUT_H

#include "base/error.h"
#include "base/json/json_writer.h"
#include "model/exits.h"

/* Add the words that a tracepoint's format has for reasons; formats of others add nothing. */
void exits_words_read(struct exits *exits, struct view format);

struct exits_input {
    const char *kind; /* "recording", "trace", "table", "plumb exits" */
    uint64_t lines_unread;   /* of a text: neither an event, a row nor a remark */
    uint64_t rows_again;     /* of a table: rows whose key came before: there are several tables, added up */
    bool has_parts;          /* of a table: keys of several parts */
    const char *part;        /* "port accesses": the table is of these alone; NULL: of all exits */
    uint64_t broken;         /* events of a recording whose bytes end before their fields do */
    char broken_off[400];    /* why a recording was read no further; "": it was read to its end */
    char layout[200];        /* a tracepoint of the recording whose fields aren't what plumb reads; "": none */
};

/* Errors: ERROR_NOT_FOUND; ERROR_FORMAT when it tells of no exits. */
MUST_CHECK bool exits_read(struct exits *exits, struct exits_input *ret_input, const char *path, struct error *err);

/* As they were gathered, as members of an object that the caller opens: exits_read reads them again. */
void exits_write_json(struct json_writer *json, const struct exits *exits);

/* The parts, for tests. */
bool exits_read_text(struct exits *exits, struct exits_input *input, struct view text);
MUST_CHECK bool exits_read_json(struct exits *exits, struct exits_input *input, struct view text, struct error *err);
MUST_CHECK bool exits_read_recording(struct exits *exits, struct exits_input *input, const char *path,
                                     struct error *err);

#endif
