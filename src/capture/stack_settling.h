/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording with copies of stacks, unwound while the binaries are still there: afterwards its samples have call
 * chains and the copies are gone (source/perf_data/perf_data_settle.h). So a case stays small and replays anywhere.
 */
#ifndef PLUMB_CAPTURE_STACK_SETTLING_H
#define PLUMB_CAPTURE_STACK_SETTLING_H

#include "capture/capture.h"

/*
 * capture is an empty one that the unwinder's symboliser looks at while it is filled; only its address spaces are of
 * use afterwards. source reads the file at path, from its beginning.
 * Errors: what the source says of the file; it can't be written anew. The file is then as it was.
 */
MUST_CHECK bool stacks_settle(struct capture *capture, struct source *source, const char *path,
                              const struct capture_unwinder *unwinder, struct error *err);

#endif
