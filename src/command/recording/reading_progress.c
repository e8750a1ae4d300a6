/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/recording/reading_progress.h"

#include "base/clock.h"
#include "base/scope.h"

#include <stdlib.h>
#include <unistd.h>

enum { BAR_COLUMNS = 24 };

static const double patience_s = 1, redrawn_after_s = 0.1;

void reading_progress_text(struct text *out, uint64_t read_bytes, uint64_t total_bytes, double elapsed_s)
{
    double read_mb = (double)read_bytes * 1e-6;
    if (!total_bytes || !read_bytes) {
        text_printf(out, "reading: %.1f MB", read_mb);
        return;
    }
    double share = read_bytes < total_bytes ? (double)read_bytes / (double)total_bytes : 1;
    size_t filled = (size_t)(share * BAR_COLUMNS);
    text_add(out, "reading: [");
    text_add_repeated(out, "#", filled);
    text_add_repeated(out, " ", BAR_COLUMNS - filled);
    text_printf(out, "] %.0f %%, %.0f of %.0f MB, %.0f s left", 100 * share, read_mb, (double)total_bytes * 1e-6,
                elapsed_s * (1 - share) / share);
}

static void draw(void *context, const struct source *source)
{
    struct reading_progress *progress = context;
    double now_s = clock_s(CLOCK_MONOTONIC), elapsed_s = now_s - progress->began_s;
    if (elapsed_s < patience_s || now_s - progress->drawn_s < redrawn_after_s)
        return;
    scoped_text struct text line = {0};
    reading_progress_text(&line, source->read_bytes, source->total_bytes, elapsed_s);
    fprintf(progress->talk, "\r\033[K%s", text_string(&line));
    fflush(progress->talk);
    progress->drawn_s = now_s;
}

static bool erases_lines(FILE *stream)
{
    const char *terminal = getenv("TERM");
    return isatty(fileno(stream)) && !(terminal && strcmp(terminal, "dumb") == 0);
}

struct capture_progress reading_progress_begin(struct reading_progress *progress, FILE *talk, bool quiet)
{
    *progress = (struct reading_progress){.talk = !quiet && erases_lines(talk) ? talk : NULL,
                                          .began_s = clock_s(CLOCK_MONOTONIC)};
    return (struct capture_progress){progress, progress->talk ? draw : NULL};
}

void reading_progress_end(struct reading_progress *progress)
{
    if (progress->drawn_s > 0) {
        fputs("\r\033[K", progress->talk);
        fflush(progress->talk);
    }
    progress->talk = NULL;
    progress->drawn_s = 0;
}
