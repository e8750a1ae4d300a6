/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many of the stack dumps of this recording can be followed to their thread's root? Told at its end from an
 * excerpt, unwound as plumb report would.
 *
 * The static core has no unwinder: there it is ERROR_UNSUPPORTED.
 */
#ifndef PLUMB_COMMAND_RECORD_RECORD_UNWINDING_H
#define PLUMB_COMMAND_RECORD_RECORD_UNWINDING_H

#include "command/command.h"
#include "source/recorder/recorder.h"

struct unwound_share {
    uint64_t stacks, at_root;
    uint64_t at_dump_end; /* needed more of the stack than was copied */
    uint64_t lost;        /* met code that nobody describes */
};

MUST_CHECK bool record_unwinding_share(const struct recorder *recorder, const struct context *context,
                                       struct unwound_share *ret_share, struct error *err);

#endif
