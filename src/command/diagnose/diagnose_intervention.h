/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The probes that touch the target itself (--probe LIST): when each is due, on whom, and what becomes of it in the
 * case.
 *
 * Nothing here is an error of the diagnosis: what can't be done is a result with its reason.
 */
#ifndef PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_INTERVENTION_H
#define PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_INTERVENTION_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include "analyse/probes/probe_results.h"

struct collection;
struct interventions;

/* "step,collapse" as PROBE_BITs. Errors: ERROR_USAGE names the one that isn't known. */
MUST_CHECK bool probe_list_parse(const char *list, unsigned *ret_kinds, struct error *err);

struct interventions *interventions_new(unsigned kinds); /* NULL: none asked for */
void interventions_free(struct interventions *interventions);
/* While the target is watched: whatever is due now. began_s: since when. */
void interventions_look(struct collection *collection);
/* diagnose_trials: the kinds that change something, from the samples that the case has by now. */
void trials_run(struct collection *collection, unsigned kinds, struct probe_results *results);
/* Run those; then write probes.json, when a probe was asked for. */
MUST_CHECK bool interventions_write(struct collection *collection, struct error *err);

#endif
