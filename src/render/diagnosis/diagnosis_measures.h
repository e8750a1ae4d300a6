/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was counted, and how far runs differ, what the machine could do: sections of a diagnosis, as text and as JSON.
 */
#ifndef PLUMB_RENDER_DIAGNOSIS_DIAGNOSIS_MEASURES_H
#define PLUMB_RENDER_DIAGNOSIS_DIAGNOSIS_MEASURES_H

#include "analyse/counts/counter_summary.h"
#include "analyse/imported.h"
#include "analyse/probes/probe_results.h"
#include "analyse/time/run_spread.h"
#include "base/json/json_writer.h"
#include "finding/results.h"
#include "statistics/ceilings.h"

/* Lines without indentation, each ended by '\n'; nothing when there is nothing to say. Either may be NULL. */
void counters_lines(struct text *out, const struct counter_summary *counters);
void runs_lines(struct text *out, const struct run_spread *runs);
/* What changed between two imported tables of runs, and which difference is asked about. */
void imported_gain_lines(struct text *out, const struct results *results);

/* One line: whether the core was shared, else at which clock it ran. */
void ceilings_line(struct text *out, const struct ceilings *ceilings);

/* What the probes of the target came to, one line each. NULL: none was asked for. */
void probes_lines(struct text *out, const struct probe_results *probes);
void probes_json(struct json_writer *json, const struct probe_results *probes);

void ceilings_json(struct json_writer *json, const struct ceilings *ceilings, const char *why_not);
void counters_json(struct json_writer *json, const struct counter_summary *counters);
void runs_json(struct json_writer *json, const struct run_spread *runs);
void imported_json(struct json_writer *json, const struct imported *imported);

#endif
