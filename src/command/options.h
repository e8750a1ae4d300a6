/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options as a const table per command; values land in a struct local to that command.
 *
 * A row's `offset` points into the values struct; which member type it must have depends on its kind (below).
 * Parsing stops at "--" or, with OPTIONS_STOP_AT_OPERAND, at the first operand (so that the measured
 * program keeps its own options). Accepted forms: -x VALUE, -xVALUE, -xyz (flags joined), --long VALUE,
 * --long=VALUE, unambiguous prefixes of long names, --no-long for OPTION_FLAG.
 */
#ifndef PLUMB_COMMAND_OPTIONS_H
#define PLUMB_COMMAND_OPTIONS_H

#include "base/error.h"
#include "base/vec.h"
#include "command/peer_options.h"

#include <stddef.h>

enum option_kind {
    OPTION_END = 0,
    OPTION_FLAG,       /* bool */
    OPTION_COUNT,      /* int, counted up: -vv */
    OPTION_TEXT,       /* const char * */
    OPTION_U64,        /* uint64_t */
    OPTION_DOUBLE,     /* double */
    OPTION_LIST,       /* const char *: a list with commas; given again, it grows. Owner: the values (options_done) */
    OPTION_TEXTS,      /* struct option_texts: every occurrence is kept, in order */
    OPTION_OPTIONAL,   /* const char *: "" when given without a value; a value only as --long=VALUE or -xVALUE */
    OPTION_LAST_OPTIONAL, /* const char *: as OPTION_TEXT, but "" when no word follows, or one that begins with - */
    OPTION_TEXTS_NAMED,   /* as OPTION_TEXTS, but each text is two items, the option's name first: for an option that
                             shares the list of another and refers to what stands before it */
    /*
     * no option: other options of perf's command of this `offset` (enum peer_command) are refused with what serves
     * instead
     */
    OPTION_PEER,
    OPTION_HEADING,    /* no option: `help` is a heading in --help */
};

struct option_texts {
    const char **items;
    size_t count, capacity;
};

struct option_row {
    char letter;           /* 0: none */
    const char *name;      /* long name without dashes; NULL: none */
    enum option_kind kind;
    size_t offset;
    const char *argument;  /* "MS", "FILE": shown in help */
    const char *help;      /* one sentence, lower case, no full stop */
    char also;             /* a second letter with the same meaning, 0: none */
};

#define OPTION_ROW_PEER(command) {.kind = OPTION_PEER, .offset = command}

enum options_mode {
    OPTIONS_STOP_AT_OPERAND,
    OPTIONS_ANYWHERE
};

/*
 * Parse argv[1..]; *ret_first_operand is the index of the first operand (operands are moved behind the
 * options when OPTIONS_ANYWHERE).
 * Errors: ERROR_USAGE naming the word and the nearest valid options; for one that only perf has, what to do instead.
 */
MUST_CHECK bool options_parse(const struct option_row *rows, enum options_mode mode, int argc, char **argv,
                              void *values, int *ret_first_operand, struct error *err);

/* Release what options_parse put into values; also after it failed. */
void options_done(const struct option_row *rows, void *values);

/* Whether help and completion list the row. */
bool option_is_listed(const struct option_row *row);

#endif
