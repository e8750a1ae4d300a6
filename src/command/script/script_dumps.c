/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/script/script_dumps.h"

#include "base/arena.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool cannot_write(const struct script_dump *dump, struct error *err)
{
    return error_system(err, errno, "can't write '%s'", dump->path);
}

static bool is_taken(const struct script_dumps *dumps, const char *path)
{
    vec_for_each(&dumps->items, dump)
        if (strcmp(dump->path, path) == 0)
            return true;
    return false;
}

/* Events of one name are told apart by their numbers. */
static char *path_of(const struct script_dumps *dumps, const char *recording, const char *event)
{
    char *path = memory_printf("%s.%s.dump", recording, event);
    for (char *at = path + strlen(recording); *at; at++) /* cpu/event=0x3c/ names no folder */
        *at = *at == '/' ? '_' : *at;
    if (!is_taken(dumps, path))
        return path;
    char *other = memory_printf("%.*s.%zu.dump", (int)(strlen(path) - strlen(".dump")), path, dumps->items.count + 1);
    free(path);
    return other;
}

bool script_dumps_open(struct script_dumps *dumps, const char *recording, const struct source *source,
                       struct error *err)
{
    while (dumps->items.count < source->event_count) {
        struct script_dump dump = {.path = path_of(dumps, recording, source->events[dumps->items.count].name)};
        dump.file = fopen(dump.path, "we");
        *vec_push(&dumps->items) = dump;
        if (!dump.file)
            return cannot_write(&dump, err);
    }
    return true;
}

bool script_dumps_write(struct script_dumps *dumps, uint32_t event, struct spliced_text *text, struct error *err)
{
    struct script_dump *dump = &dumps->items.items[event];
    dump->samples++;
    return spliced_text_write_file(text, &dumps->buffer, dump->file) || cannot_write(dump, err);
}

bool script_dumps_finish(struct script_dumps *dumps, FILE *talk, struct error *err)
{
    vec_for_each(&dumps->items, dump)
    {
        if (!dump->file)
            continue;
        long bytes = ftell(dump->file);
        bool written = fclose(dump->file) == 0;
        dump->file = NULL;
        if (!written)
            return cannot_write(dump, err);
        if (talk)
            fprintf(talk, "plumb script: wrote %.3f MB, %" PRIu64 " samples, to '%s'\n", (double)bytes / 1e6,
                    dump->samples, dump->path);
    }
    return true;
}

void script_dumps_done(struct script_dumps *dumps)
{
    vec_for_each(&dumps->items, dump)
    {
        if (dump->file)
            fclose(dump->file);
        free(dump->path);
    }
    vec_done(&dumps->items);
    text_done(&dumps->buffer);
}
