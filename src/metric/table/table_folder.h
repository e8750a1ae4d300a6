/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the JSON tables that others publish: intel/perfmon (mapfile.csv, CPU/events, CPU/metrics) and the Linux
 * kernel's tools/perf/pmu-events/arch/ARCH (mapfile.csv, a folder for each model, shared ArchStdEvent files).
 *
 * The folder may be the publisher's root, with or without its mapfile.csv, or one model's folder. Which layout a file
 * has is told by what is in it. Does not support: compressed files, tables of more than 64 MiB a file.
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_FOLDER_H
#define PLUMB_METRIC_TABLE_TABLE_FOLDER_H

#include "metric/table/table.h"
#include "metric/table/table_cpu.h"

/* Which of perfmon's two forms of the same formula to take. */
enum table_form {
    TABLE_FORM_READABLE, /* BaseFormula, which names other metrics; Formula where there is none */
    TABLE_FORM_EXPANDED  /* Formula over aliases of raw events */
};

/* Errors: ERROR_NOT_FOUND with the CPUs that the folder has; ERROR_FORMAT naming the file. Owner: the caller. */
MUST_CHECK bool metric_table_load(struct metric_table *table, const char *folder, const struct table_cpu *cpu,
                                  enum table_form form, struct error *err);

/* The same from texts in memory, for tests and fuzzing: each is a JSON file's content. */
MUST_CHECK bool metric_table_load_texts(struct metric_table *table, const struct view *texts, size_t count,
                                        enum table_form form, struct error *err);

#endif
