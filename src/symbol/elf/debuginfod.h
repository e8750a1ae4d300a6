/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fetch a binary or its debug file by build id from the servers that $DEBUGINFOD_URLS names. Only when the
 * user asked for it: it is the one place where plumb touches the network.
 */
#ifndef PLUMB_SYMBOL_ELF_DEBUGINFOD_H
#define PLUMB_SYMBOL_ELF_DEBUGINFOD_H

#include "base/error.h"
#include "model/address_space.h"

enum debuginfod_kind {
    DEBUGINFOD_EXECUTABLE,
    DEBUGINFOD_DEBUG_FILE
};

/* Path of the file in the client's cache. Owner: the caller (free). */
MUST_CHECK bool debuginfod_fetch(const struct build_id *build_id, enum debuginfod_kind kind, char **ret_path,
                                 struct error *err);

#endif
