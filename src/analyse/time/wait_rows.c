/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/wait_rows.h"

#include "base/vec.h"

#include <stdlib.h>

struct rows {
    struct wait_row *items;
    size_t count, capacity;
};

static bool is_wrapper(const struct recording *recording, uint32_t location)
{
    static const char *const wrappers[] = {"libc.so", "libc-", "libpthread", "ld-linux", "ld-musl", "[vdso]"};
    const struct location *where = &recording->samples.locations[location];
    const char *name = strings_text(&recording->strings, recording->spaces.dsos[where->dso].name);
    for (size_t at = 0; at < array_count(wrappers); at++)
        if (view_starts(view_of(name), wrappers[at]))
            return true;
    return false;
}

static void site_read(const struct recording *recording, const struct code_bundle *bundle, uint32_t stack_id,
                      enum wait_kind *kind, const char **function)
{
    *kind = WAIT_UNKNOWN;
    *function = "[unknown]";
    if (stack_id == STACK_NONE)
        return;
    const struct samples *samples = &recording->samples;
    const struct stack *stack = &samples->stacks[stack_id];
    for (uint32_t depth = 0; depth < stack->count; depth++) {
        uint32_t location = samples->frames[stack->first + depth];
        const struct bundle_function *named = code_bundle_find(bundle, recording, location);
        if (samples->locations[location].cpu_mode == CPU_MODE_KERNEL) {
            if (*kind == WAIT_UNKNOWN && named)
                *kind = wait_kind_of_function(named->name);
            continue;
        }
        if (!named)
            continue;
        *function = named->name;
        /* The kernel knows a futex only; what it stands for is known to who asked. */
        if (*kind == WAIT_LOCK && wait_kind_of_function(named->name) == WAIT_THREAD)
            *kind = WAIT_THREAD;
        if (!is_wrapper(recording, location))
            return;
    }
}

static void rows_add(struct rows *rows, enum wait_kind kind, const char *function, const struct wait_site *site)
{
    struct wait_row *row = NULL;
    for (size_t at = 0; at < rows->count && !row; at++)
        if (rows->items[at].kind == kind && strcmp(rows->items[at].function, function) == 0)
            row = &rows->items[at];
    if (!row) {
        row = vec_push(rows);
        *row = (struct wait_row){.kind = kind, .function = function};
    }
    row->total_s += (double)site->total_ns * 1e-9;
    row->idle_s += (double)site->idle_ns * 1e-9;
    row->count += site->count;
    if ((double)site->longest_ns * 1e-9 > row->longest_s)
        row->longest_s = (double)site->longest_ns * 1e-9;
}

static int row_compare(const void *a, const void *b)
{
    const struct wait_row *left = a, *right = b;
    if (left->idle_s != right->idle_s)
        return left->idle_s < right->idle_s ? 1 : -1;
    if (left->total_s != right->total_s)
        return left->total_s < right->total_s ? 1 : -1;
    return strcmp(left->function, right->function);
}

struct wait_rows wait_rows_of(const struct recording *recording, const struct code_bundle *bundle,
                              struct arena *arena)
{
    struct waiting waiting = {0};
    waiting_analyse(recording, NULL, &waiting, arena);
    struct wait_rows result = {
        .known = waiting.known,
        .waiting_s = (double)waiting.waiting_ns * 1e-9,
        .unattributed_s = (double)waiting.unattributed_ns * 1e-9,
        .idle_s = (double)waiting.idle_ns * 1e-9,
        .preempted_s = (double)waiting.runnable_ns * 1e-9,
    };
    struct rows rows = {0};
    for (size_t at = 0; at < waiting.site_count; at++) {
        enum wait_kind kind;
        const char *function;
        if (waiting.sites[at].stack == STACK_NONE)
            continue;
        site_read(recording, bundle, waiting.sites[at].stack, &kind, &function);
        rows_add(&rows, kind, function, &waiting.sites[at]);
    }
    if (rows.count)
        qsort(rows.items, rows.count, sizeof(*rows.items), row_compare);
    for (size_t at = 0; at < rows.count && at < WAIT_ROWS_MOST; at++)
        result.items[result.count++] = rows.items[at];
    vec_done(&rows);
    return result;
}
