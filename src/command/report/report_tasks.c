/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/report/report_records.h"

#include "base/scope.h"
#include "base/vec.h"
#include "capture/capture.h"

#include <inttypes.h>
#include <sys/mman.h>

/* A thread of the model, and what tasks are told of it. */
struct task {
    uint32_t parent, first_child, last_child, next; /* threads, THREAD_NONE: none */
    uint32_t parent_tid; /* UINT32_MAX: not seen to begin */
    bool is_told; /* by a record about tasks, not by its samples alone */
};

/* Of a mapping, what the model doesn't keep. */
struct mapping_detail {
    uint64_t bias, since_ns, inode; /* bias: start less file offset, the same of what is left when it is cut */
    uint32_t dso;
    bool is_shared;
};

struct tasks {
    vec(struct task) items; /* by thread */
    vec(struct mapping_detail) details;
    struct hashmap detail_of;
    bool mappings;
};

static struct task *task_of(struct tasks *tasks, uint32_t thread)
{
    while (tasks->items.count <= thread)
        *vec_push(&tasks->items) = (struct task){.parent = THREAD_NONE,
                                                 .first_child = THREAD_NONE,
                                                 .last_child = THREAD_NONE,
                                                 .next = THREAD_NONE,
                                                 .parent_tid = UINT32_MAX};
    return &tasks->items.items[thread];
}

static void tell(struct tasks *tasks, const struct recording *recording, uint32_t tid)
{
    uint32_t thread = threads_find(&recording->threads, tid);
    if (thread != THREAD_NONE)
        task_of(tasks, thread)->is_told = true;
}

static void tell_fork(struct tasks *tasks, const struct recording *recording, const struct record_task *record)
{
    uint32_t thread = threads_find(&recording->threads, record->tid),
             parent = threads_find(&recording->threads, record->parent_tid);
    tell(tasks, recording, record->tid);
    tell(tasks, recording, record->parent_tid);
    if (thread == THREAD_NONE || thread == parent || task_of(tasks, thread)->parent_tid != UINT32_MAX)
        return;
    task_of(tasks, thread)->parent = parent;
    task_of(tasks, thread)->parent_tid = record->parent_tid;
}

/* What ran before the recording is listed in any order: a parent may follow its children. */
static void find_parent(struct tasks *tasks, const struct recording *recording, uint32_t thread)
{
    struct task *items = tasks->items.items;
    if (items[thread].parent_tid == UINT32_MAX || items[thread].parent != THREAD_NONE)
        return;
    uint32_t parent = threads_find(&recording->threads, items[thread].parent_tid);
    for (uint32_t above = parent; above != THREAD_NONE; above = items[above].parent)
        if (above == thread)
            return; /* a damaged recording: nobody began himself */
    items[thread].parent = parent;
    if (parent != THREAD_NONE)
        items[parent].is_told = true;
}

static void link_tasks(struct tasks *tasks, const struct recording *recording)
{
    uint32_t count = (uint32_t)recording->threads.count;
    if (count)
        task_of(tasks, count - 1);
    struct task *items = tasks->items.items;
    for (uint32_t thread = 0; thread < count; thread++)
        find_parent(tasks, recording, thread);
    for (uint32_t thread = 0; thread < count; thread++) {
        if (items[thread].parent == THREAD_NONE)
            continue;
        struct task *parent = &items[items[thread].parent];
        *(parent->last_child == THREAD_NONE ? &parent->first_child : &items[parent->last_child].next) = thread;
        parent->last_child = thread;
    }
}

/* ---- mappings ---- */

static bool is_detail(const void *context, uint32_t id, const void *key)
{
    const struct mapping_detail *detail = &((const struct tasks *)context)->details.items[id];
    const struct mapping *mapping = key;
    return detail->bias == mapping->start - mapping->file_offset && detail->since_ns == mapping->since_ns &&
           detail->dso == mapping->dso;
}

static uint64_t detail_hash(const struct mapping *mapping)
{
    return hash_combine(hash_combine(mapping->start - mapping->file_offset, mapping->since_ns), mapping->dso);
}

static void keep_detail(struct tasks *tasks, const struct recording *recording, const struct record_mmap *record)
{
    uint32_t thread = threads_find(&recording->threads, record->pid);
    tell(tasks, recording, record->tid);
    if (thread == THREAD_NONE)
        return;
    const struct mapping *mapping =
        address_spaces_find(&recording->spaces, recording->threads.items[thread].space, record->start);
    if (!mapping || hashmap_find(&tasks->detail_of, detail_hash(mapping), is_detail, tasks, mapping) != HASHMAP_ABSENT)
        return;
    hashmap_add(&tasks->detail_of, detail_hash(mapping), (uint32_t)tasks->details.count);
    *vec_push(&tasks->details) = (struct mapping_detail){.bias = mapping->start - mapping->file_offset,
                                                         .since_ns = mapping->since_ns,
                                                         .dso = mapping->dso,
                                                         .inode = record->inode,
                                                         .is_shared = record->flags & MAP_SHARED};
}

/* perf's users know code that was compiled at run time by the file that may name it. */
static void add_path(struct text *out, const struct recording *recording, const struct dso *dso, bool is_code)
{
    const char *path = strings_text(&recording->strings, dso->path);
    if (is_code && dso->kind == DSO_ANONYMOUS && strncmp(path, "//anon", 6) == 0)
        text_printf(out, "/tmp/perf-%" PRIu32 ".map\n", dso->owner_pid);
    else
        text_printf(out, "%s\n", path);
}

static void add_mapping(struct text *out, const struct tasks *tasks, const struct recording *recording,
                        const struct mapping *mapping, int indent)
{
    const struct dso *dso = &recording->spaces.dsos[mapping->dso];
    uint32_t id = hashmap_find(&tasks->detail_of, detail_hash(mapping), is_detail, tasks, mapping);
    const struct mapping_detail none = {0}, *detail = id == HASHMAP_ABSENT ? &none : &tasks->details.items[id];
    int protection = mapping->protection ? (int)mapping->protection : PROT_EXEC; /* what isn't recorded is code */
    text_printf(out, "%*s  %" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " %" PRIu64 " ", indent, "", mapping->start,
                mapping->end, protection & PROT_READ ? 'r' : '-', protection & PROT_WRITE ? 'w' : '-',
                protection & PROT_EXEC ? 'x' : '-', detail->is_shared ? 's' : 'p',
                dso->kind == DSO_VDSO ? 0 : mapping->file_offset, detail->inode);
    add_path(out, recording, dso, protection & PROT_EXEC);
}

/* ---- text ---- */

static void add_task(struct text *out, const struct tasks *tasks, const struct recording *recording, uint32_t thread,
                     int level)
{
    const struct thread *of = &recording->threads.items[thread];
    uint32_t parent = tasks->items.items[thread].parent;
    uint32_t parent_tid =
        parent == THREAD_NONE ? tasks->items.items[thread].parent_tid : recording->threads.items[parent].tid;
    const char *comm = strings_text(&recording->strings, of->comm);
    size_t begin = out->length;
    text_printf(out, "  %8" PRId32 " %8" PRId32 " %8" PRId32 " |%*s", (int32_t)of->pid, (int32_t)of->tid,
                (int32_t)parent_tid, level, "");
    int indent = (int)(out->length - begin);
    if (comm[0])
        text_printf(out, "%s\n", comm);
    else
        text_printf(out, ":%" PRId32 "\n", (int32_t)of->tid);
    const struct address_space *space = &recording->spaces.items[of->space];
    for (size_t at = 0; tasks->mappings && at < space->count; at++)
        add_mapping(out, tasks, recording, &space->mappings[at], indent);
}

/* A task and those below it, each begun by the one above it: as deep as they are, without a call for each. */
static void add_tree(struct text *out, const struct tasks *tasks, const struct recording *recording, uint32_t root)
{
    const struct task *items = tasks->items.items;
    int level = 0;
    for (uint32_t thread = root; thread != THREAD_NONE;) {
        add_task(out, tasks, recording, thread, level);
        if (items[thread].first_child != THREAD_NONE) {
            thread = items[thread].first_child;
            level++;
            continue;
        }
        while (thread != root && items[thread].next == THREAD_NONE) {
            thread = items[thread].parent;
            level--;
        }
        thread = thread == root ? THREAD_NONE : items[thread].next;
    }
}

/* The idle task: every machine has it, and nobody begins it. */
static uint32_t idle_thread(struct recording *recording)
{
    uint32_t id = threads_get(&recording->threads, 0, 0);
    struct thread *idle = &recording->threads.items[id];
    if (idle->space == UINT32_MAX)
        idle->space = address_spaces_begin(&recording->spaces, 0);
    if (!idle->comm)
        idle->comm = strings_intern(&recording->strings, "swapper");
    return id;
}

static void add_tasks(struct text *out, struct tasks *tasks, struct recording *recording)
{
    uint32_t idle = idle_thread(recording);
    text_printf(out, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
    link_tasks(tasks, recording);
    add_tree(out, tasks, recording, idle);
    for (uint32_t thread = 0; thread < recording->threads.count; thread++)
        if (thread != idle && task_of(tasks, thread)->is_told && tasks->items.items[thread].parent == THREAD_NONE)
            add_tree(out, tasks, recording, thread);
}

/* ---- reading ---- */

static bool tasks_record(void *context, struct capture *capture, const struct record *record,
                         const struct sample *sample)
{
    struct tasks *tasks = context;
    (void)sample;
    switch (record->kind) {
    case RECORD_COMM:
        tell(tasks, &capture->recording, record->comm.tid);
        return true;
    case RECORD_EXIT:
        tell(tasks, &capture->recording, record->task.tid);
        return true;
    case RECORD_FORK:
        tell_fork(tasks, &capture->recording, &record->task);
        return true;
    case RECORD_MMAP:
        if (tasks->mappings)
            keep_detail(tasks, &capture->recording, &record->mmap);
        return true;
    default:
        return true;
    }
}

bool report_tasks_text(struct text *out, struct source *source, bool mappings, struct error *err)
{
    struct tasks tasks = {.mappings = mappings};
    struct capture capture;
    struct capture_watch watch = {&tasks, tasks_record};
    struct capture_options options = {.watch = &watch, .stacks = STACKS_NONE, .frames_only = true};
    capture_init(&capture);
    bool complete = capture_fill_with(&capture, source, &options, err);
    add_tasks(out, &tasks, &capture.recording);
    vec_done(&tasks.items);
    vec_done(&tasks.details);
    hashmap_done(&tasks.detail_of);
    capture_done(&capture);
    return complete;
}
