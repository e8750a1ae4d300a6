/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did a document say of being a guest? The reader of what guest_costs_members writes; apart, because the static
 * core reads no JSON.
 */
#ifndef PLUMB_STATISTICS_GUEST_COSTS_READ_H
#define PLUMB_STATISTICS_GUEST_COSTS_READ_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json/json_reader.h"
#include "statistics/guest_costs.h"

/*
 * A figure that is missing or impossible isn't known. Errors: ERROR_FORMAT: it can't be such a document. Owner of
 * strings: arena.
 */
MUST_CHECK bool guest_costs_read(struct guest_costs *costs, struct json_value object, struct arena *arena,
                                 struct error *err);

#endif
