/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/confirm/confirm_hogs.h"

#include "probe/bandwidth_hog.h"

#include <string.h>

bool confirm_hogs_begin(struct confirm_hogs *hogs, int cpu, struct error *err)
{
    struct interval control;
    *hogs = (struct confirm_hogs){0};
    if (!bandwidth_hogs_new(&hogs->hogs, cpu, err) || !bandwidth_hogs_power(hogs->hogs, &hogs->stream, err) ||
        !bandwidth_hogs_control(hogs->hogs, &control, err))
        return false;
    if (hogs->stream.low < HOG_POWER_LEAST)
        return error_set(err, ERROR_UNSUPPORTED,
                         "it has no power on this machine now: beside the hogs a stream of ours is %.2f times slower "
                         "(%.2f to %.2f), and "
                         "it takes %.1f",
                         hogs->stream.mid, hogs->stream.low, hogs->stream.high, HOG_POWER_LEAST);
    if (control.mid > HOG_CONTROL_MOST)
        return error_set(err, ERROR_UNSUPPORTED,
                         "it can't tell bandwidth from the core here: arithmetic of ours, which needs no memory, is "
                         "%.2f times slower "
                         "beside the hogs, too (CPUs that share a core, or others' load)",
                         control.mid);
    return true;
}

void confirm_hogs_done(struct confirm_hogs *hogs)
{
    bandwidth_hogs_free(hogs->hogs);
    hogs->hogs = NULL;
}

static bool run_beside(void *context, const struct experiment_arm *arm, size_t block, struct measured *ret_cells,
                       int *ret_exit_code, struct error *err)
{
    struct confirm_hogs *hogs = context;
    bool beside = strcmp(arm->label, "B") == 0;
    if (beside)
        bandwidth_hogs_let(hogs->hogs, true);
    bool ran = hogs->inner.run(hogs->inner.context, arm, block, ret_cells, ret_exit_code, err);
    if (beside)
        bandwidth_hogs_let(hogs->hogs, false);
    return ran;
}

struct experiment_runner confirm_hogs_runner(struct confirm_hogs *hogs, struct experiment_runner inner)
{
    hogs->inner = inner;
    inner.context = hogs;
    inner.run = run_beside;
    return inner;
}
