/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose code is it: told from where its file lies, and from names that every program has. */
#ifndef PLUMB_ANALYSE_CODE_CODE_ORIGIN_H
#define PLUMB_ANALYSE_CODE_CODE_ORIGIN_H

#include <stdbool.h>

/*
 * Of the distribution or of a package: whoever asks didn't write it. path: of a dso as recorded, or of a source; NULL
 * is no place.
 */
bool code_is_installed(const char *path);

/* The dynamic loader's: glibc's, on all of its machines, or musl's. dso: its file's name. */
bool code_is_loader(const char *dso);

/* What begins a thread or a program, inside the program itself when that is static. */
bool code_is_start(const char *function);

#endif
