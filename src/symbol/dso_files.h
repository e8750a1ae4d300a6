/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The binaries behind dsos: each is searched for once, when first asked for; the vdso is our own memory
 * image when it is the recorded one; the kernel is a vmlinux.
 */
#ifndef PLUMB_SYMBOL_DSO_FILES_H
#define PLUMB_SYMBOL_DSO_FILES_H

#include "symbol/elf/binary.h"
#include "symbol/symboliser.h"

struct dso_files;

struct dso_files *dso_files_new(const struct recording *recording, const struct symboliser_options *options);
void dso_files_free(struct dso_files *files);
/* See symboliser_move(). */
void dso_files_move(struct dso_files *files, const struct recording *recording);

/* The binary of a dso, or NULL with the reason in err. Owner: files. */
struct binary *dso_files_binary(struct dso_files *files, uint32_t dso, struct error *err);
/* The same, with its separate debug file searched for too (binary->debug). */
struct binary *dso_files_debug(struct dso_files *files, uint32_t dso, struct error *err);

/*
 * Bytes of a file that is no ELF file, as a runtime's image of compiled code is, at an offset of it: at most
 * size_bytes. Empty: it can't be read here. Owner: files.
 */
struct bytes_view dso_files_image(struct dso_files *files, uint32_t dso, uint64_t offset, uint64_t size_bytes);

/* Those that a symboliser has opened. Owner: the symboliser. */
struct dso_files *symboliser_files(struct symboliser *symboliser);

/* Address of the kernel's _text when it was recorded; false when the recording doesn't say. */
bool recorded_kernel_text(const struct recording *recording, uint64_t *ret_addr);
/* The kernel's dso, or DSO_NONE. */
uint32_t recorded_kernel_dso(const struct recording *recording);

#endif
