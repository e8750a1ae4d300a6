/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's instructions: from the running kernel's memory (/proc/kcore, root) when the recording is of this
 * boot, else from its vmlinux (as linked, before the kernel patched itself).
 */
#ifndef PLUMB_SYMBOL_KERNEL_CODE_H
#define PLUMB_SYMBOL_KERNEL_CODE_H

#include "symbol/dso_files.h"

struct kernel_code;

struct kernel_code *kernel_code_new(const struct symboliser_options *options, const struct recording *recording,
                                    struct dso_files *files);
void kernel_code_free(struct kernel_code *code);
/* See symboliser_move(). */
void kernel_code_move(struct kernel_code *code, const struct recording *recording);

/*
 * At most size_bytes (and 1 MiB) from the recorded address on.
 * Errors: what was tried. Owner of the bytes: code.
 */
MUST_CHECK bool kernel_code_read(struct kernel_code *code, uint64_t runtime_addr, uint64_t size_bytes,
                                 struct bytes_view *ret_bytes, const char **ret_path, struct error *err);
/* The address in vmlinux of a recorded kernel address; false without a vmlinux. */
bool kernel_code_elf_addr(struct kernel_code *code, uint64_t runtime_addr, uint64_t *ret_addr);

#endif
