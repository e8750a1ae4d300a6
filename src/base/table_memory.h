/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does a large table live? Slots are met in no order: on 4 KiB pages nearly each look-up costs a walk of the page
 * tables besides, on huge pages it doesn't. Small tables come from the heap as all else does.
 */
#ifndef PLUMB_BASE_TABLE_MEMORY_H
#define PLUMB_BASE_TABLE_MEMORY_H

#include <stddef.h>

/* Zeroed; free() gives it back. */
void *table_memory_alloc(size_t count, size_t slot_bytes);

#endif
