/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/schedule/topdown_form.h"

#include "base/vec.h"

#include <stdio.h>
#include <string.h>

#define SAYS_TWO_LEVELS "where the slots of the pipeline go, to the second level"
#define SAYS_ONE_LEVEL  "where the slots of the pipeline go, to the first level"

/* Sources: intel/perfmon metrics; PerfSpect's form without PERF_METRICS; Intel SDM 3B 20.2.1 (architectural events). */
static const struct topdown_form forms[] = {
    {"PERF_METRICS, two levels", 2, 8, 0, {NULL}, {NULL}, SAYS_TWO_LEVELS, "nothing more of these levels"},
    {"PERF_METRICS, one level",
     1,
     4,
     0,
     {NULL},
     {NULL},
     SAYS_ONE_LEVEL,
     "the second level from PERF_METRICS: it takes counters"},
    {"general counters, two levels",
     2,
     0,
     3,
     {"SPR", "EMR", "GNR"},
     {"topdown.slots_p", "idq_bubbles.core", "int_misc.uop_dropping", "topdown.backend_bound_slots",
      "uops_retired.slots", "topdown.memory_bound_slots", "uops_retired.heavy", "topdown.br_mispredict_slots",
      "idq_bubbles.cycles_0_uops_deliv.core"},
     SAYS_TWO_LEVELS,
     "two levels at the same time: nine events take two groups"},
    {"general counters, one level",
     1,
     0,
     3,
     {"SPR", "EMR", "GNR"},
     {"topdown.slots_p", "idq_bubbles.core", "int_misc.uop_dropping", "topdown.backend_bound_slots",
      "uops_retired.slots"},
     SAYS_ONE_LEVEL,
     "the second level"},
    {"slots by cycles, one level",
     1,
     0,
     4,
     {"SKX", "CLX", "CPX"},
     {"cpu_clk_unhalted.thread", "idq_uops_not_delivered.core", "uops_issued.any", "uops_retired.retire_slots",
      "int_misc.recovery_cycles"},
     SAYS_ONE_LEVEL,
     "a task's own slots while the core's other thread runs: the core is counted"},
    {"architectural events",
     0,
     0,
     1,
     {NULL},
     {"cpu-cycles", "instructions"},
     "instructions per cycle; with what else opens: the mean clock (ref-cycles), misses of the last cache and of "
     "branches per "
     "1000 instructions",
     "any share of the pipeline's slots: a miss rate says how often, not what it costs"},
    {"nothing", 0, 0, 0, {NULL}, {NULL}, "nothing from counters", "anything that a counter must say"},
};
_Static_assert(array_count(forms) <= TOPDOWN_FORMS_MOST, "passed_over holds one for each");

static bool has_model(const struct topdown_form *form, const char *model)
{
    if (!form->models[0])
        return true;
    for (size_t at = 0; at < TOPDOWN_FORM_MODELS_MOST && form->models[at]; at++)
        if (model && strcmp(form->models[at], model) == 0)
            return true;
    return false;
}

/* Whether the rung holds; else why not. */
static bool form_holds(const struct topdown_form *form, const struct topdown_means *means, char *why, size_t why_size)
{
    if (form->fields > means->topdown_fields) {
        snprintf(why, why_size, "PERF_METRICS has %u of its %u fields here", means->topdown_fields, form->fields);
        return false;
    }
    if (!has_model(form, means->model)) {
        snprintf(why, why_size, "%s has no such events",
                 means->model ? means->model : "this processor, which isn't known,");
        return false;
    }
    if (form->general > means->general) {
        snprintf(why, why_size, "it needs %u counters at the same time, of which %u are free", form->general,
                 means->general);
        return false;
    }
    for (size_t at = 0; at < TOPDOWN_FORM_EVENTS_MOST && form->events[at]; at++)
        if (!means->countable(means->context, form->events[at])) {
            snprintf(why, why_size, "%s can't be counted here", form->events[at]);
            return false;
        }
    return true;
}

void topdown_form_choose(struct topdown_choice *choice, const struct topdown_means *means)
{
    *choice = (struct topdown_choice){0};
    for (size_t at = 0; at < array_count(forms) && !choice->form; at++) {
        char *why = choice->passed_over[choice->passed_over_count].why;
        if (form_holds(&forms[at], means, why, sizeof(choice->passed_over[0].why)))
            choice->form = &forms[at];
        else
            choice->passed_over[choice->passed_over_count++].form = &forms[at];
    }
}

size_t topdown_forms(const struct topdown_form **ret_forms)
{
    *ret_forms = forms;
    return array_count(forms);
}
