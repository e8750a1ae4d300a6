/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/imported/callers.h"

#include "analyse/stall/stalls.h"
#include "analyse/time/library_frames.h"
#include "base/vec.h"
#include "finding/family.h"

#include <string.h>

static bool begins_with_any(const char *name, const char *const *begins, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (strncmp(name, begins[at], strlen(begins[at])) == 0)
            return true;
    return false;
}

/* The frames of a chain, one after the other. */
struct frames {
    struct view rest;
    char name[256]; /* without versions; a longer one is cut */
};

static struct frames frames_of(const struct imported_row *row)
{
    return (struct frames){.rest = view_of(row->callers ? row->callers : "")};
}

/* False: there are no more. */
static bool frame_next(struct frames *frames)
{
    struct view frame = view_trim(view_cut(&frames->rest, ';')), name = view_cut(&frame, '@');
    size_t length = name.length < sizeof(frames->name) ? name.length : sizeof(frames->name) - 1;
    if (length)
        memcpy(frames->name, name.text, length);
    frames->name[length] = '\0';
    return length > 0;
}

static const char *const entries[] = {"entry_SYSCALL", "do_syscall_64", "x64_sys_call",   "el0_svc",
                                      "el0t_64_sync",  "do_el0_svc",    "invoke_syscall", "asm_exc_"},
                         *const calls[] = {"__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_", "ksys_"};

/* "openat" of "__x64_sys_openat"; NULL: it is no call's. */
static const char *call_named(const char *frame)
{
    for (size_t at = 0; at < array_count(calls); at++)
        if (strncmp(frame, calls[at], strlen(calls[at])) == 0)
            return frame + strlen(calls[at]);
    return NULL;
}

const char *imported_called_for(const struct imported_row *row, struct arena *arena)
{
    struct frames frames = frames_of(row);
    const char *call = NULL, *named;
    while (frame_next(&frames))
        call = (named = call_named(frames.name)) ? arena_string(arena, named) : call;
    return call;
}

bool imported_is_allocating(const char *frame)
{
    struct stall_function function = {.name = frame, .dso = ""};
    return hypothesis_allocation.has_function(&function);
}

/* Where a thread or a program begins, or what nobody has a name for. */
static bool is_nobodys(const char *frame)
{
    static const char *const names[] = {"_start", "start_thread", "clone", "[", "0x"};
    return begins_with_any(frame, names, array_count(names));
}

const char *imported_called_by(const struct imported_row *row, struct arena *arena)
{
    struct frames frames = frames_of(row);
    bool in_kernel = strstr(row->where, "kernel") || row->where[0] == '[';
    const char *nearest = NULL;
    while (frame_next(&frames)) {
        const char *frame = frames.name;
        bool is_entry = call_named(frame) || begins_with_any(frame, entries, array_count(entries));
        in_kernel &= !is_entry;
        nearest = is_entry ? NULL : nearest; /* what stood before it was the kernel's, too: a fault of its own */
        if (!in_kernel && !is_entry && !nearest && !frame_is_library_function(frame) &&
            !imported_is_allocating(frame) && !is_nobodys(frame))
            nearest = arena_string(arena, frame);
    }
    return nearest;
}

bool imported_is_librarys_lock(const char *function)
{
    static const char *const names[] = {"__lll_lock_wait_private", "__lll_lock_wake_private"};
    return begins_with_any(function, names, array_count(names));
}

bool imported_is_allocators_lock(const struct imported_row *row)
{
    static const char *const locks[] = {"__lll_lock_", "do_futex", "futex_", "__futex_"};
    struct frames frames = frames_of(row);
    bool is_locked = begins_with_any(row->name, locks, array_count(locks));
    while (frame_next(&frames)) {
        const char *frame = frames.name;
        bool is_lock = begins_with_any(frame, locks, array_count(locks));
        bool is_entry = call_named(frame) || begins_with_any(frame, entries, array_count(entries));
        is_locked |= is_lock;
        if (is_locked && !is_lock && !is_entry)
            return imported_is_allocating(frame);
    }
    return false;
}

/* What the lock is of, in words. */
#define DENTRY     "a dentry, the kernel's entry of a file or directory, which several threads look up at once"
#define FREE_PAGES "the lists of free pages of a memory zone"
#define USED_PAGES "the lists of pages in use (LRU) of a memory node or group"

struct kernel_lock imported_kernel_lock_of(const struct imported_row *row, struct arena *arena)
{
    static const struct {
        const char *caller;
        struct kernel_lock lock;
    } table[] = {
        {"lockref_", {DENTRY, NULL, "advice-names"}},
        {"d_alloc", {DENTRY, NULL, "advice-names"}},
        {"d_lookup", {DENTRY, NULL, "advice-names"}},
        {"__d_lookup", {DENTRY, NULL, "advice-names"}},
        {"dput", {DENTRY, NULL, "advice-names"}},
        {"futex_",
         {"the list of threads that wait at a futex, which is a lock or a condition in user space", NULL,
          "advice-futex"}},
        {"rwsem_down_", {"the lock of an address space or a file (rw_semaphore)", NULL, "advice"}},
        {"rmqueue", {FREE_PAGES, NULL, "advice-zone"}},
        {"free_pcppages_bulk", {FREE_PAGES, NULL, "advice-zone"}},
        {"folio_lruvec_lock", {USED_PAGES, NULL, "advice-zone"}},
        {"pagevec_lru_move_fn", {USED_PAGES, NULL, "advice-zone"}},
        {"folio_batch_move_lru", {USED_PAGES, NULL, "advice-zone"}},
    };
    struct frames frames = frames_of(row);
    while (frame_next(&frames))
        for (size_t at = 0; at < array_count(table); at++)
            if (strncmp(frames.name, table[at].caller, strlen(table[at].caller)) == 0)
                return (struct kernel_lock){table[at].lock.of, arena_string(arena, frames.name), table[at].lock.advice};
    return (struct kernel_lock){NULL, NULL, NULL};
}
