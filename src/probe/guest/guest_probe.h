/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does being a guest cost here? Measures a struct guest_costs (statistics/guest_costs.h), without rights and
 * counters.
 *
 * On a thread of its own, which may be moved without moving the caller. The quick form, some 0.2 s, is made beside a
 * diagnosis; the whole one, about 1 s, looks longer and at CPUs of each kind (isolated, nohz_full). On bare metal the
 * same figures are the machine's own.
 */
#ifndef PLUMB_PROBE_GUEST_GUEST_PROBE_H
#define PLUMB_PROBE_GUEST_GUEST_PROBE_H

#include "statistics/guest_costs.h"
#include "system/sysroot.h"

struct guest_probe_request {
    bool quick, is_guest;
    const char *isolated, *nohz_full; /* lists of CPUs; NULL or "": none */
};

void guest_probe_measure(struct guest_costs *costs, const struct sysroot *root,
                         const struct guest_probe_request *request);

#endif
