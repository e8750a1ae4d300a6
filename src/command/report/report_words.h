/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What do the words of report's --sort, --fields and --call-graph mean? Unknown ones are told with the nearest. */
#ifndef PLUMB_COMMAND_REPORT_REPORT_WORDS_H
#define PLUMB_COMMAND_REPORT_REPORT_WORDS_H

#include "base/error.h"
#include "command/report/report_traits.h"
#include "render/hotspots.h"

struct column_list {
    enum hotspot_column items[HOTSPOT_COLUMNS_MOST];
    size_t count;
};

struct tree_options {
    enum tree_style style;
    enum tree_value value;
    double percent_least;
    uint32_t most; /* branches of a node; 0: all */
    bool callers_first, least_given;
    bool addresses, lines; /* tell instructions, or source lines, apart */
};

bool column_listed(const struct column_list *list, enum hotspot_column column);
void column_list_add(struct column_list *list, enum hotspot_column column);
/* Add the columns named in text; keys_only: the words of --sort. */
/* … and, where traits isn't NULL, those that it knows; then any other word may be a tracepoint's field. */
MUST_CHECK bool columns_parse(const char *text, const char *what, bool keys_only, struct report_traits *traits,
                              struct column_list *list, struct error *err);
/* The error that a sort key of no recording's is. Always false. */
bool sort_key_unknown(struct view word, struct error *err);
/* --column-widths: numbers, of the first column and those behind it; 0: as wide as needed. */
MUST_CHECK bool column_widths_parse(const char *text, uint32_t ret_widths[HOTSPOT_COLUMNS_MOST], struct error *err);
/* --time-quantum: "500us", "10ms", "2s"; at least a microsecond. */
MUST_CHECK bool time_slice_parse(const char *text, uint64_t *ret_slice_ns, struct error *err);
MUST_CHECK bool tree_options_parse(const char *text, struct tree_options *tree, struct error *err);

#endif
