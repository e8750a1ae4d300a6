/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The GNU build id of an ELF file, from its notes alone: for mappings that stood before recording began, and
 * for kernels that don't put build ids into their mmap records.
 *
 * Reads at most the program headers and 64 KiB of notes. (symbol/ has the full ELF reader.)
 */
#ifndef PLUMB_SOURCE_RECORDER_ELF_BUILD_ID_H
#define PLUMB_SOURCE_RECORDER_ELF_BUILD_ID_H

#include "decode/record.h"

#include <stddef.h>

/* False when the file has none, isn't ELF, or can't be read. */
bool elf_build_id_read(int fd, struct build_id *ret_id);
/* The same from a note section's bytes (/sys/kernel/notes, /sys/module/NAME/notes/…). */
bool elf_build_id_of_notes(const void *notes, size_t size_bytes, bool swapped, struct build_id *ret_id);

#endif
