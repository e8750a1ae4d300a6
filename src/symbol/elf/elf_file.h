/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does an ELF file say of itself? Its segments, sections, build id and links to debug files, read from
 * a mapping of the file with every offset checked.
 *
 * Both classes and both byte orders. Why not libelf: symbol tables are read in one pass over the mapped
 * file, and names work where libelf isn't installed. A file that shrinks while mapped reads as zeros
 * (base/file/file_fault.h). Does not support: extended section counts beyond the file's own size.
 * Invariant: every range handed out lies within the file.
 */
#ifndef PLUMB_SYMBOL_ELF_ELF_FILE_H
#define PLUMB_SYMBOL_ELF_ELF_FILE_H

#include "base/bytes.h"
#include "base/error.h"
#include "model/address_space.h"

#include <stdbool.h>
#include <stdint.h>

struct elf_section {
    const char *name; /* in the file; "" when it has none */
    uint32_t name_offset, type, link, info;
    uint64_t flags, addr, offset, size_bytes, entry_bytes;
};

struct elf_segment {
    uint32_t type, flags;
    uint64_t offset, addr, file_bytes, memory_bytes;
};

struct elf_file {
    const uint8_t *bytes;
    size_t size_bytes;
    bool is_mapped; /* by us: elf_file_close unmaps it */
    bool is_64, swapped;
    uint16_t type, machine;
    uint64_t entry_addr; /* where it starts to run; 0: nowhere */
    struct elf_section *sections;
    size_t section_count;
    struct elf_segment *segments;
    size_t segment_count;
};

/* Map the file open at fd (which the caller keeps). Errors: ERROR_FORMAT when it isn't ELF. */
MUST_CHECK bool elf_file_open(struct elf_file *ret_elf, int fd, struct error *err);
/* The same over bytes that the caller keeps. */
MUST_CHECK bool elf_file_of_bytes(struct elf_file *ret_elf, const void *bytes, size_t size_bytes, struct error *err);
void elf_file_close(struct elf_file *elf);

/* The section of that name, or NULL. */
const struct elf_section *elf_section_named(const struct elf_file *elf, const char *name);
const struct elf_section *elf_section_of_type(const struct elf_file *elf, uint32_t type);
/* The section's bytes in the file; empty for SHT_NOBITS and for ranges outside the file. */
struct bytes_view elf_section_bytes(const struct elf_file *elf, const struct elf_section *section);
/* A cursor over those bytes in the file's byte order. */
struct bytes elf_section_cursor(const struct elf_file *elf, const struct elf_section *section);

/* GNU build id from the notes; size_bytes 0 when it has none. */
struct build_id elf_build_id(const struct elf_file *elf);
/* .gnu_debuglink: a file name in the file's bytes and its CRC-32; false when there is none. */
bool elf_debug_link(const struct elf_file *elf, const char **ret_name, uint32_t *ret_crc);

/* File offset <-> virtual address by the loadable segments; false when no segment holds it. */
bool elf_addr_of_offset(const struct elf_file *elf, uint64_t file_offset, uint64_t *ret_addr);
/*
 * The same for data of a writable mapping: beyond a segment's bytes its zeros (.bss) follow, as if the file held them.
 */
bool elf_data_addr_of_offset(const struct elf_file *elf, uint64_t file_offset, uint64_t *ret_addr);
bool elf_offset_of_addr(const struct elf_file *elf, uint64_t addr, uint64_t *ret_file_offset);
/* Bytes in the file from addr to the end of what its segment has in the file, at most size_bytes. */
struct bytes_view elf_bytes_at(const struct elf_file *elf, uint64_t addr, uint64_t size_bytes);
/* Whether addr is in an executable section (or segment, when there are no sections). */
const struct elf_section *elf_code_section_at(const struct elf_file *elf, uint64_t addr);

/* "x86_64", "aarch64", "i686", …, or NULL. */
const char *elf_architecture(const struct elf_file *elf);

bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* Lower-case hex; text must hold 2 * BUILD_ID_BYTES_MOST + 1. */
void build_id_text(const struct build_id *build_id, char *text);

#endif
