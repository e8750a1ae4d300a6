/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints counts as `perf stat` does, field by field: text for people, lines of fields (-x), a JSON object per
 * line (-j), so that whatever reads perf's output reads ours.
 *
 * Layouts follow perf 6.12; metric-value in JSON is a bare number as in 6.1, which parsers of both read.
 */
#ifndef PLUMB_RENDER_EVENT_COUNTS_H
#define PLUMB_RENDER_EVENT_COUNTS_H

#include "analyse/counts/event_counts.h"
#include "base/text.h"

enum count_format {
    COUNT_TEXT,
    COUNT_FIELDS,
    COUNT_JSON,
};

struct count_style {
    enum count_format format;
    const char *separator;  /* COUNT_FIELDS */
    bool group_thousands;   /* COUNT_TEXT: 1,234,567 */
    bool several_runs;      /* a noise column */
    bool interval;          /* each line starts with the window's end */
    bool summary;           /* the lines that follow intervals, marked so in COUNT_FIELDS */
    bool metric_only;       /* --metric-only: a line of metrics for each place, without the counts */
    bool skip_zero_threads; /* every thread of the machine is counted: most do nothing */
    int unit_width;         /* of the longest unit, at least 4 */
};

/* What the header and footer tell beside the counts. */
struct count_caption {
    const char *subject;        /* "'sleep 1'", "'system wide'", "process id '12'" */
    bool has_usage;
    double user_seconds, system_seconds;
    const double *run_seconds;  /* --table: one per run, or NULL */
    bool nothing_counted;       /* no events asked */
};

int count_unit_width(const struct count_report *report);
/* COUNT_TEXT: what stands above the lines; nothing in the other formats. */
void count_header_render(struct text *out, const struct count_report *report, const struct count_caption *caption,
                         const struct count_style *style);
void count_interval_header_render(struct text *out, const struct count_report *report,
                                  const struct count_style *style);
void count_lines_render(struct text *out, const struct count_report *report, uint64_t window_end_ns,
                        const struct count_style *style);
/* COUNT_TEXT: elapsed, user and system time. */
void count_footer_render(struct text *out, const struct count_report *report, const struct count_caption *caption,
                         const struct count_style *style);

#endif
