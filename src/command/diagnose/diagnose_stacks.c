/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "capture/stack_settling.h"
#include "command/diagnose/diagnose_collection.h"
#include "command/recording/recording_input.h"
#include "source/perf_data/perf_data.h"

static bool settle(const struct collection *collection, const char *path, struct error *err)
{
    struct recording_input input = RECORDING_INPUT_DEFAULTS;
    struct source *source = NULL;
    struct capture capture;
    if (!perf_data_open(&source, path, err))
        return false;
    capture_init(&capture);
    struct recording_names names = {
        .input = &input, .context = collection->context, .capture = &capture, .source = source};
    struct capture_unwinder unwinder = recording_names_unwinder(&names);
    bool good = stacks_settle(&capture, source, path, &unwinder, err);
    if (good && names.failed)
        good = error_set(err, ERROR_UNSUPPORTED, "the stacks can't be unwound: %s", names.trouble.message);
    recording_names_done(&names);
    capture_done(&capture);
    source->ops->close(source);
    return good;
}

void stacks_unwind(struct collection *collection)
{
    for (unsigned number = 1; number <= collection->recordings; number++) {
        scoped_free char *name = case_recording_name(number);
        struct error err = {0};
        if (!case_part_exists(collection->folder, name))
            continue;
        scoped_free char *path = memory_printf("%s/%s", collection->folder, name);
        progress_say(collection, "plumb: unwinding the copied stacks");
        if (!settle(collection, path, &err))
            case_manifest_gap(&collection->manifest, &collection->arena, "callers", err.message);
    }
}
