/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/counters/event_trial.h"

#include "base/vec.h"
#include "source/live/counters.h"

bool event_trial_opens(const struct event_spec *spec, const struct kernel *kernel, const struct sysroot *root,
                       struct arena *arena, struct error *ret_reason)
{
    struct event_list list = {0};
    struct counters counters = {0};
    struct target self;
    target_of_workload(&self, 0, arena);
    self.kind = TARGET_THREADS;
    *vec_push(&list) = *spec;
    struct counter_request request = {.events = &list, .target = &self, .starts_later = true};
    bool good = counters_open(&counters, &request, kernel, root, arena, ret_reason);
    if (good && counters.items[0].refusal != REFUSAL_NONE) {
        counter_refusal_explain(&counters.items[0], root, ret_reason);
        good = false;
    }
    counters_close(&counters);
    event_list_done(&list);
    return good;
}
