/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did the skid self-test say since this machine was booted? Remembered in $XDG_CACHE_HOME/plumb/skid (or
 * ~/.cache/plumb/skid), so that commands that want to answer at once don't measure each time.
 *
 * Only a verdict is kept that was reached; a file of another boot counts as none. Failing to write is no error.
 */
#ifndef PLUMB_PROBE_SKID_CACHE_H
#define PLUMB_PROBE_SKID_CACHE_H

#include "probe/skid.h"
#include "system/sysroot.h"

MUST_CHECK bool skid_cache_read(const struct sysroot *root, enum skid_verdict *ret_verdict);
void skid_cache_write(const struct sysroot *root, enum skid_verdict verdict);

#endif
