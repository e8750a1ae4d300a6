/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/source_text.h"

#include "base/arena.h"
#include "base/hashmap.h"
#include "base/vec.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

struct source_file {
    struct text text;
    vec(struct view) lines;
};

struct source_text {
    const struct sysroot *root;
    const char *folder;
    const char *prefix; /* of where absolute paths were moved to, or NULL … */
    unsigned strip;     /* … without so many of their folders */
    struct strings paths; /* ids are indexes into files, which has one for each */
    vec(struct source_file) files;
};

struct source_text *source_text_new(const struct sysroot *root, const char *folder)
{
    struct source_text *source = memory_alloc(sizeof(*source));
    *source = (struct source_text){.root = root, .folder = folder};
    strings_init(&source->paths);
    *vec_push(&source->files) = (struct source_file){0}; /* id 0 is the empty path */
    return source;
}

void source_text_free(struct source_text *source)
{
    if (!source)
        return;
    vec_for_each(&source->files, file)
    {
        text_done(&file->text);
        vec_done(&file->lines);
    }
    vec_done(&source->files);
    strings_done(&source->paths);
    free(source);
}

void source_text_move(struct source_text *source, const char *prefix, unsigned strip)
{
    source->prefix = prefix;
    source->strip = strip;
}

/* Debug information may name anything: a pipe would block, a device never end. */
static bool plain_file_read(const struct source_text *source, const char *folder, const char *path,
                            struct text *ret_text)
{
    char full[2 * PATH_MAX];
    struct stat status;
    int length = snprintf(full, sizeof(full), "%s%s%s", source->root->prefix, folder, path);
    return length > 0 && (size_t)length < sizeof(full) && stat(full, &status) == 0 && S_ISREG(status.st_mode) &&
           sysroot_read(source->root, ret_text, NULL, "%s%s", folder, path);
}

/* What is left of an absolute path, with its slash, when as many folders as asked are gone; at the least its name. */
static const char *stripped(const char *path, unsigned folders)
{
    const char *slash;
    for (; folders && (slash = strchr(path + 1, '/')); folders--)
        path = slash;
    return path;
}

static bool read_somewhere(const struct source_text *source, const char *path, struct text *ret_text)
{
    if (source->prefix && path[0] == '/' &&
        plain_file_read(source, source->prefix, stripped(path, source->strip), ret_text))
        return true;
    return (source->folder && plain_file_read(source, source->folder, path, ret_text)) ||
           plain_file_read(source, "", path, ret_text);
}

/* Where it was moved to, beside the binaries of another machine, or where it was compiled: here. */
static struct source_file *file_of(struct source_text *source, const char *path)
{
    static const char scheme[] = "file://"; /* as JavaScript's modules are named */
    path += strncmp(path, scheme, strlen(scheme)) == 0 ? strlen(scheme) : 0;
    uint32_t id = strings_intern(&source->paths, path);
    while (id >= source->files.count) {
        struct source_file file = {0};
        struct view line;
        if (read_somewhere(source, path, &file.text)) {
            struct view rest = text_view(&file.text);
            while (view_line(&rest, &line))
                *vec_push(&file.lines) = line;
        }
        *vec_push(&source->files) = file;
    }
    return &source->files.items[id];
}

bool source_text_line(struct source_text *source, const char *path, uint32_t line, struct view *ret_line)
{
    if (!path[0] || !line)
        return false;
    const struct source_file *file = file_of(source, path);
    if (line > file->lines.count)
        return false;
    *ret_line = file->lines.items[line - 1];
    return true;
}
