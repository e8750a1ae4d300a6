/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hogs' own self-test: it says nothing where it can't be alone on a CPU. */
#include "test.h"

#include "probe/bandwidth_hog.h"

#include <string.h>

enum { NO_SUCH_CPU = 1000 };

Test(bandwidth_hog, work_that_cannot_be_bound_is_not_measured)
{
    struct bandwidth_hogs *hogs;
    struct interval slowdown;
    struct error err = {0};
    if (!bandwidth_hogs_new(&hogs, NO_SUCH_CPU, &err))
        cr_skip_test("%s", err.message);
    cr_assert_not(bandwidth_hogs_control(hogs, &slowdown, &err));
    cr_assert_eq(err.kind, ERROR_UNSUPPORTED);
    cr_assert(strstr(err.message, "can't be bound to CPU 1000"), "%s", err.message);
    bandwidth_hogs_free(hogs);
}
