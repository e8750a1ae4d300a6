/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In which form can the top-down tree be had here, and why not in a better one?
 *
 * A ladder, the best first: PERF_METRICS; general counters alone; the form of processors without slots; the seven
 * architectural events, which give no tree; nothing. A rung is taken when this model has it, the PMU has the fields and
 * counters, and every event of it opens.
 * Does not support: asking PERF_METRICS or fixed counter 3 by opening them: in some guests that crashes the kernel. The
 * caller takes topdown_fields from sysfs (events/slots and events/topdown-retiring; -heavy-ops for eight).
 */
#ifndef PLUMB_METRIC_SCHEDULE_TOPDOWN_FORM_H
#define PLUMB_METRIC_SCHEDULE_TOPDOWN_FORM_H

#include <stdbool.h>
#include <stddef.h>

enum { TOPDOWN_FORM_EVENTS_MOST = 10, TOPDOWN_FORM_MODELS_MOST = 4, TOPDOWN_FORMS_MOST = 8 };

struct topdown_form {
    const char *name;         /* "general counters, two levels" */
    unsigned levels;          /* of the tree that it gives: 0 none */
    unsigned fields;          /* of PERF_METRICS that it needs */
    unsigned general;         /* general counters that its widest ratio needs at the same time */
    const char *models[TOPDOWN_FORM_MODELS_MOST];      /* keys; none: any */
    const char *events[TOPDOWN_FORM_EVENTS_MOST];      /* that must open; in perfmon's names, lower case */
    const char *says, *says_not; /* what its user learns, and what not */
};

struct topdown_means {
    const char *model;       /* key, or NULL: not known */
    unsigned topdown_fields; /* 0, 4, 8 */
    unsigned general;        /* counters that are ours */
    /* Whether an event opens here; architectural ones are asked by the kernel's names ("cpu-cycles"). */
    bool (*countable)(void *context, const char *event);
    void *context;
};

struct topdown_choice {
    const struct topdown_form *form; /* the last rung, "nothing", always holds */
    struct {
        const struct topdown_form *form;
        char why[120];
    } passed_over[TOPDOWN_FORMS_MOST]; /* better forms, the best first */
    size_t passed_over_count;
};

void topdown_form_choose(struct topdown_choice *choice, const struct topdown_means *means);

/* All rungs, the best first. */
size_t topdown_forms(const struct topdown_form **ret_forms);

#endif
