/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is this text a tracepoint's format as the kernel writes it?
 *
 * libtraceevent expects nothing else: a format cut short or changed may end it with a signal. So each line has to be of
 * the kernel's form, and the print format has to be closed, balanced and modest in what it nests.
 * Does not support: whether the print format's expressions mean anything.
 */
#ifndef PLUMB_DECODE_TRACEPOINT_FORMAT_H
#define PLUMB_DECODE_TRACEPOINT_FORMAT_H

#include "base/text.h"

#include <stdint.h>

/* The tracepoint's number when it is. */
bool tracepoint_format_check(struct view format, uint64_t *ret_id);

#endif
