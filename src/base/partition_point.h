/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many items at the front of a sorted array hold? `holds` says it of `item`, a pointer to one; behind the first
 * that doesn't hold none does.
 *
 *     size_t behind = partition_point(rows, row_count, item->addr <= addr);
 *     // rows[behind - 1] is the last that begins at addr or before
 */
#ifndef PLUMB_BASE_PARTITION_POINT_H
#define PLUMB_BASE_PARTITION_POINT_H

#include <stddef.h>

#define partition_point(items, count, holds)                                                                      \
    __extension__({                                                                                               \
        size_t low_ = 0, high_ = (count);                                                                         \
        while (low_ < high_) {                                                                                    \
            size_t middle_ = low_ + (high_ - low_) / 2;                                                           \
            __auto_type item = &(items)[middle_];                                                                 \
            if (holds)                                                                                            \
                low_ = middle_ + 1;                                                                               \
            else                                                                                                  \
                high_ = middle_;                                                                                  \
        }                                                                                                         \
        low_;                                                                                                     \
    })

#endif
