/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is it doing, on a terminal, while it works? */
#include "base/clock.h"
#include "base/scope.h"
#include "command/diagnose/diagnose_collection.h"

#include <unistd.h>

static const char *const erase = "\r\033[K";

void progress_say(const struct collection *collection, const char *what)
{
    if (!collection->request->progress)
        return;
    fprintf(collection->context->talk, "%s%s", erase, what);
    fflush(collection->context->talk);
}

void progress_tick(const struct collection *collection)
{
    const struct collect_request *request = collection->request;
    double elapsed_s = clock_s(CLOCK_MONOTONIC) - collection->began_s;
    /* A program of ours writes to the same terminal: its lines would be glued to this one. */
    if (!request->progress || (collection->has_workload && isatty(STDOUT_FILENO)))
        return;
    scoped_text struct text line = {0};
    text_printf(&line, "plumb: watching, %.1f ", elapsed_s);
    if (request->duration_s > 0)
        text_printf(&line, "of %.1f ", request->duration_s);
    text_add(&line, "s");
    if (request->runs > 1)
        text_printf(&line, ", run %zu of %llu", collection->runs.count + 1, (unsigned long long)request->runs);
    text_add(&line, " (Ctrl-C ends it)");
    progress_say(collection, text_string(&line));
}
