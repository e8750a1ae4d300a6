/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/wait_rows.h"

#include "analyse/code/code_origin.h"
#include "analyse/time/library_frames.h"
#include "analyse/time/wait_locks.h"
#include "base/vec.h"

#include <stdlib.h>

struct rows {
    struct wait_row *items;
    size_t count, capacity;
};

/* Reading one stack from its leaf on. */
struct site_reading {
    const struct recording *recording;
    const struct code_bundle *bundle;
    struct arena *arena;
    struct wait_row *row;
    bool in_library;  /* frames of a C library of its own were met: a name alone doesn't make one any more */
    bool is_complete; /* the function was found: its callers follow */
    bool is_call;     /* frames of the program's were met: this one stands behind a call */
    bool has_wrapper; /* the function is a wrapper within the program: better than none */
};

/*
 * Where a call returns to may be the next line's already: the call's own is that of the byte before, where it is known.
 */
static void take_line(struct site_reading *reading, const struct bundle_function *function, uint32_t location)
{
    uint64_t addr = reading->recording->samples.locations[location].dso_addr;
    const struct bundle_line *line = reading->is_call ? bundle_function_line(function, addr - 1, 1) : NULL;
    line = line ? line : bundle_function_line(function, addr, 1);
    if (!line)
        return;
    reading->row->path = line->path;
    reading->row->line = line->line;
}

/* What a thread runs may be nothing but such wrappers, with a lambda compiled into them: then that names it. */
static void take_wrapper(struct site_reading *reading, const struct bundle_function *named, uint32_t location)
{
    if (!reading->has_wrapper)
        take_line(reading, named, location);
    reading->row->function = named->name;
    reading->row->asked = reading->row->asked ? reading->row->asked : named->name;
    reading->has_wrapper = true;
}

/* Returns false when the rest says nothing more. */
static bool read_user_frame(struct site_reading *reading, const struct bundle_function *named, uint32_t location)
{
    struct wait_row *row = reading->row;
    bool by_place = frame_is_library(reading->recording, location);
    if (reading->is_complete) {
        bool goes_on = !by_place && !code_is_start(named->name) && row->caller_count < WAIT_CALLERS_MOST;
        if (goes_on && !frame_is_wrapper(named->name))
            row->callers[row->caller_count++] = named->name;
        return goes_on;
    }
    bool library =
        by_place || frame_is_wrapper(named->name) || (!reading->in_library && frame_is_library_function(named->name));
    reading->in_library |= by_place;
    if (!library) {
        row->function = named->name;
        row->path = NULL; /* a wrapper's */
        take_line(reading, named, location);
        reading->is_complete = true;
    } else if (code_is_start(named->name)) {
        return false;
    } else if (!by_place && frame_is_wrapper(named->name)) {
        take_wrapper(reading, named, location);
    } else if (!reading->has_wrapper) {
        row->function = named->name;
        row->asked = named->name;
    }
    return true;
}

static void describe_call(struct site_reading *reading)
{
    struct wait_row *row = reading->row;
    struct text call = {0};
    bool is_told = false;
    if (row->asked && (reading->is_complete || (reading->has_wrapper && row->asked != row->function))) {
        struct view plain = wait_plain_name(row->asked);
        row->asked =
            frame_is_wrapper(row->asked) ? row->asked : arena_string_n(reading->arena, plain.text, plain.length);
        text_printf(&call, "called %s", row->asked);
        is_told = true;
    } else {
        row->asked = NULL;
    }
    if (row->path) {
        const char *slash = strrchr(row->path, '/');
        text_printf(&call, "%s at %s:%u", is_told ? "" : "waited", slash ? slash + 1 : row->path, row->line);
        is_told = true;
    }
    for (uint32_t at = 0; at < row->caller_count; at++)
        text_printf(&call, "%s %s", at ? "," : is_told ? ", itself called by" : "was called by", row->callers[at]);
    row->call = call.length ? arena_string(reading->arena, text_string(&call)) : NULL;
    text_done(&call);
}

enum { USER_FRAMES_MOST = 16 }; /* that are asked for what they wait */

/* What a stack says of the wait that it began. */
static struct wait_row site_read(const struct recording *recording, const struct code_bundle *bundle, uint32_t stack_id,
                                 struct arena *arena)
{
    struct wait_row row = {.kind = WAIT_UNKNOWN, .function = "[unknown]"};
    struct site_reading reading = {.recording = recording, .bundle = bundle, .arena = arena, .row = &row};
    const struct samples *samples = &recording->samples;
    const struct stack *stack = &samples->stacks[stack_id];
    const char *names[USER_FRAMES_MOST];
    size_t name_count = 0;
    bool goes_on = true;
    for (uint32_t depth = 0; depth < stack->count; depth++) {
        uint32_t location = samples->frames[stack->first + depth];
        const struct bundle_function *named = code_bundle_find(bundle, recording, location);
        bool is_kernel = samples->locations[location].cpu_mode == CPU_MODE_KERNEL;
        if (is_kernel && named && row.kind == WAIT_UNKNOWN)
            row.kind = wait_kind_of_function(named->name);
        if (!is_kernel && name_count < USER_FRAMES_MOST)
            names[name_count++] = named ? named->name : NULL;
        if (!is_kernel && named && goes_on)
            goes_on = read_user_frame(&reading, named, location);
        reading.is_call |= !is_kernel;
    }
    struct wait_lock lock = wait_lock_of(row.kind, names, name_count);
    row.kind = lock.kind;
    row.global_lock = lock.global_lock;
    describe_call(&reading);
    return row;
}

/* Sites come with the longest first: the row's call is that one's. */
static void rows_add(struct rows *rows, const struct wait_row *read, const struct wait_site *site)
{
    struct wait_row *row = NULL;
    for (size_t at = 0; at < rows->count && !row; at++)
        if (rows->items[at].kind == read->kind && rows->items[at].global_lock == read->global_lock &&
            strcmp(rows->items[at].function, read->function) == 0)
            row = &rows->items[at];
    if (!row) {
        row = vec_push(rows);
        *row = *read;
    }
    row->total_s += (double)site->total_ns * 1e-9;
    row->spread_s += (double)site->spread_ns * 1e-9;
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
        .spread_s = (double)waiting.spread_ns * 1e-9,
        .wait_count = waiting.wait_count,
        .stack_count = waiting.stack_count,
    };
    struct rows rows = {0};
    for (size_t at = 0; at < waiting.site_count; at++) {
        bool taken = waiting.sites[at].stack != STACK_NONE;
        if (!taken && (!waiting.stack_count || !waiting.sites[at].total_ns))
            continue;
        const struct wait_row read = taken ? site_read(recording, bundle, waiting.sites[at].stack, arena)
                                           : (struct wait_row){.kind = WAIT_UNKNOWN, .function = WAIT_NOT_TAKEN};
        rows_add(&rows, &read, &waiting.sites[at]);
    }
    if (rows.count)
        qsort(rows.items, rows.count, sizeof(*rows.items), row_compare);
    for (size_t at = 0; at < rows.count && at < WAIT_ROWS_MOST; at++)
        result.items[result.count++] = rows.items[at];
    vec_done(&rows);
    return result;
}

static double without(double whole_s, double part_s)
{
    return whole_s > part_s ? whole_s - part_s : 0;
}

void wait_rows_take_held(struct wait_rows *waits)
{
    size_t kept = 0;
    for (size_t at = 0; at < waits->count; at++) {
        const struct wait_row *row = &waits->items[at];
        if (row->kind != WAIT_TRACED) {
            waits->items[kept++] = *row;
            continue;
        }
        waits->held_known = true;
        waits->held_idle_s += row->idle_s;
        waits->idle_s = without(waits->idle_s, row->idle_s);
        waits->waiting_s = without(waits->waiting_s, row->total_s);
        waits->spread_s = without(waits->spread_s, row->spread_s);
        waits->wait_count -= row->count < waits->wait_count ? row->count : waits->wait_count;
        waits->stack_count = waits->stack_count < waits->wait_count ? waits->stack_count : waits->wait_count;
    }
    waits->count = kept;
}
