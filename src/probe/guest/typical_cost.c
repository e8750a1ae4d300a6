/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/guest/typical_cost.h"

#include <string.h>

static const char *const place_names[TYPICAL_PLACES] = {"bare metal", "KVM", "nested", "TDX", "SEV-SNP"};

const struct typical_cost *typical_cost_find(const char *key, enum typical_place place)
{
    for (size_t at = 0; at < typical_cost_row_count; at++)
        if (typical_cost_rows[at].place == place && strcmp(typical_cost_rows[at].key, key) == 0)
            return &typical_cost_rows[at];
    return NULL;
}

const char *typical_place_name(enum typical_place place)
{
    return place_names[place];
}
