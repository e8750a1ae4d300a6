/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/recording/tracepoint_reader.h"

#include "base/arena.h"
#include "base/scope.h"
#include "system/sysroot.h"

/* This machine's own format of an event that the recording has none of, when it is the same tracepoint here. */
static bool format_from_here(struct tracepoint_text *tracepoints, const struct source_event *event)
{
    struct sysroot root;
    sysroot_init(&root, NULL);
    const char *tracefs = sysroot_tracefs(&root);
    struct view rest = view_of(event->name), system = view_cut(&rest, ':');
    scoped_text struct text format = {0};
    scoped_free char *system_name = memory_printf("%.*s", (int)system.length, system.text);
    uint64_t id;
    return tracefs && view_find(rest, "/") < 0 && rest.length &&
           sysroot_u64(&root, &id, "%s/events/%s/%s/id", tracefs, system_name, rest.text) &&
           id == event->attr.config &&
           sysroot_read(&root, &format, NULL, "%s/events/%s/%s/format", tracefs, system_name, rest.text) &&
           tracepoint_text_add(tracepoints, system_name, text_view(&format));
}

static void reader_begin(struct tracepoint_reader *reader, const struct source *source, struct error *err)
{
    const struct source_facts *facts = &source->facts;
    struct tracing_data data;
    reader->tried = true;
    if (!tracepoint_text_new(&reader->text, err))
        return;
    if (facts->tracing_data.size_bytes &&
        tracing_data_read(facts->tracing_data.bytes, facts->tracing_data.size_bytes, &data, err))
        tracepoint_text_add_recorded(reader->text, &data);
    if (reader->function_at)
        tracepoint_text_names(reader->text, reader->function_at, reader->names);
}

void tracepoint_reader_done(struct tracepoint_reader *reader)
{
    tracepoint_text_free(reader->text);
    reader->text = NULL;
}

bool tracepoint_reader_learn(struct tracepoint_reader *reader, const struct source *source,
                             const struct source_event *event, struct error *err)
{
    struct error why = {0};
    if (!reader->tried)
        reader_begin(reader, source, &why);
    if (reader->text &&
        (tracepoint_text_knows(reader->text, event->attr.config) || format_from_here(reader->text, event)))
        return true;
    if (why.message[0])
        return (*err = why, false);
    return error_set(err, ERROR_NOT_FOUND, "there is no format that can be read, here or in the recording");
}
