/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sysroot made up by a test: which files are in it? Made one by one, removed as a whole.
 */
#ifndef PLUMB_TESTS_MADE_FOLDER_H
#define PLUMB_TESTS_MADE_FOLDER_H

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Write folder + path, which begins with a slash, making the folders on the way. */
__attribute__((format(printf, 3, 4))) static inline void made_folder_put(const char *folder, const char *path, const char *format, ...)
{
    char full[512];
    va_list args;
    snprintf(full, sizeof(full), "%s%s", folder, path);
    for (char *slash = full + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    FILE *file = fopen(full, "we");
    cr_assert(file, "%s", full);
    va_start(args, format);
    vfprintf(file, format, args);
    va_end(args);
    fclose(file);
}

static inline int made_folder_entry_remove(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static inline void made_folder_remove(const char *folder)
{
    nftw(folder, made_folder_entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
