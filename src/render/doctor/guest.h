/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What plumb doctor --guest found, as text for the eye and as JSON (GUEST_JSON_VERSION, doc/schema-guest.md).
 */
#ifndef PLUMB_RENDER_DOCTOR_GUEST_H
#define PLUMB_RENDER_DOCTOR_GUEST_H

#include "probe/capability/capability.h"
#include "render/page.h"
#include "statistics/guest_costs.h"
#include "system/cpu/silicon_flags.h"

enum { GUEST_JSON_VERSION = 1 };

struct guest_report {
    const struct machine *machine;
    const struct capabilities *capabilities; /* NULL unless it is a guest */
    const struct guest_costs *costs;         /* the same */
    const struct silicon_missing *missing;
    /* of all CPU time: while doctor looked; since boot */
    struct fact_number steal_now_millionths, steal_boot_millionths;
    bool verbose; /* text: with every source */
};

void guest_text(struct page *page, const struct guest_report *report);
void guest_json(struct text *out, const struct guest_report *report);

#endif
