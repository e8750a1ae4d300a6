/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/page_coverage.h"
#include "base/clock.h"
#include "base/scope.h"
#include "command/pages/pages.h"
#include "render/pages/page_watch.h"
#include "source/live/workload.h"

#include <errno.h>
#include <time.h>

enum { STEP_MS = 20 };

struct page_watch {
    const struct pages_take *take;
    pid_t pid;
    struct workload *workload; /* NULL: it was running before */
    FILE *file;
    double began_s;
    struct page_events before;
    bool printed;
};

static void row_print(struct page_watch *watch, const struct page_watch_row *row)
{
    scoped_text struct text out = {0};
    struct page page = page_for(&out, watch->file);
    if (watch->take->options->json) {
        page_watch_json(&out, row);
    } else {
        if (!watch->printed)
            page_watch_heading(&page);
        page_watch_text(&page, row);
    }
    watch->printed = true;
    text_write_file(&out, watch->file);
    fflush(watch->file);
}

/* False: the process is gone. */
static bool look(struct page_watch *watch)
{
    struct arena arena;
    struct process_pages pages;
    struct page_events now;
    struct error err = {0};
    arena_init(&arena);
    page_events_read(&now, watch->take->context->root, watch->pid);
    bool there = process_pages_read_split(watch->take->context->root, watch->take->context->kernel, watch->pid, &pages,
                                          &arena, &err) &&
                 pages.area_count;
    if (there) {
        struct page_coverage coverage = page_coverage_of(&pages, NULL, NULL, &arena);
        row_print(watch, &(struct page_watch_row){clock_s(CLOCK_MONOTONIC) - watch->began_s, coverage.sizes,
                                                  &watch->before, &now});
        watch->before = now;
    }
    arena_done(&arena);
    return there;
}

/* Sleeps until the next look. True: it is over (the user's wish, the program's end). */
static bool pause_ends(const struct page_watch *watch, double until_s)
{
    for (double left_s; (left_s = until_s - clock_s(CLOCK_MONOTONIC)) > 0 && !workload_stop_requested();) {
        double step_s = left_s < STEP_MS * 1e-3 ? left_s : STEP_MS * 1e-3;
        if (watch->workload && workload_wait(watch->workload, (int64_t)(step_s * 1e9)))
            return true;
        if (!watch->workload)
            nanosleep(&(struct timespec){.tv_nsec = (long)(step_s * 1e9)}, NULL);
    }
    return workload_stop_requested();
}

bool pages_watch(struct pages_take *take, pid_t pid, struct workload *workload, FILE *file, struct error *err)
{
    const struct pages_options *options = take->options;
    struct page_watch watch = {
        .take = take, .pid = pid, .workload = workload, .file = file, .began_s = clock_s(CLOCK_MONOTONIC)};
    double next_s = watch.began_s, end_s = options->seconds > 0 ? watch.began_s + options->seconds : 0;
    page_events_read(&watch.before, take->context->root, pid);
    workload_forward_signals(workload);
    while (look(&watch)) {
        next_s += options->interval_ms * 1e-3;
        next_s = next_s < clock_s(CLOCK_MONOTONIC) ? clock_s(CLOCK_MONOTONIC) : next_s;
        if ((end_s && next_s > end_s) || pause_ends(&watch, next_s))
            break;
    }
    if (workload)
        (void)workload_wait(workload, -1);
    workload_forward_signals(NULL);
    return watch.printed || error_set(err, ERROR_NOT_FOUND, "process %d had ended, or its memory can't be read", pid);
}
