/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions does a stripped binary name in .gnu_debugdata, a small ELF file packed with xz inside it? */
#ifndef PLUMB_SYMBOL_ELF_MINI_DEBUGINFO_H
#define PLUMB_SYMBOL_ELF_MINI_DEBUGINFO_H

#include "base/arena.h"
#include "symbol/elf/elf_file.h"

/*
 * Unpack it (by liblzma). Owner of the bytes: the arena. elf_file_close(ret_mini) frees the rest.
 * Errors: ERROR_NOT_FOUND when there is none; ERROR_UNSUPPORTED without liblzma; ERROR_FORMAT; ERROR_LIMIT.
 */
MUST_CHECK bool mini_debuginfo_open(const struct elf_file *elf, struct arena *arena, struct elf_file *ret_mini,
                                    struct error *err);

#endif
