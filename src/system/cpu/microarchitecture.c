/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/cpu/microarchitecture.h"

const struct microarchitecture *microarchitecture_find(enum microarchitecture_vendor vendor, uint32_t family,
                                                       uint32_t model, uint32_t stepping)
{
    for (size_t at = 0; at < microarchitecture_row_count; at++) {
        const struct microarchitecture *row = &microarchitecture_rows[at];
        if (row->vendor == vendor && row->family == family && model >= row->model_first && model <= row->model_last &&
            stepping >= row->stepping_first && stepping <= row->stepping_last)
            return row;
    }
    return NULL;
}
