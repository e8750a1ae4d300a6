/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did a section hold before it was compressed (SHF_COMPRESSED)?
 *
 * Why not libelf, which unpacks as well: of zstd it knows from elfutils 0.189 on. zlib and zstd are loaded when a
 * section asks for them. Does not support: the older .zdebug_ sections.
 * Source: the generic ABI, "Section Compression".
 */
#ifndef PLUMB_SYMBOL_ELF_PACKED_SECTION_H
#define PLUMB_SYMBOL_ELF_PACKED_SECTION_H

#include "base/arena.h"
#include "symbol/elf/elf_file.h"

/*
 * The section's bytes: as they are in the file, or unpacked. Owner: the file, or arena.
 * Errors: ERROR_UNSUPPORTED without the library; ERROR_FORMAT for damage, and for more than such a section can hold.
 */
MUST_CHECK bool packed_section_read(const struct elf_file *elf, const struct elf_section *section, struct arena *arena,
                                    struct bytes_view *ret_bytes, struct error *err);

#endif
