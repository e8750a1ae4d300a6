/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/script/script_record.h"

#include "base/vec.h"

#include <inttypes.h>
#include <sys/mman.h>

bool script_record_is_shown(const struct script_records *wanted, enum record_kind kind)
{
    switch (kind) {
    case RECORD_COMM:
    case RECORD_FORK:
    case RECORD_EXIT:
        return wanted->tasks;
    case RECORD_MMAP:
        return wanted->mappings;
    case RECORD_NAMESPACES:
        return wanted->namespaces;
    case RECORD_CGROUP:
        return wanted->cgroups;
    case RECORD_SWITCH:
        return wanted->switches;
    case RECORD_LOST:
        return wanted->lost;
    case RECORD_KSYMBOL:
    case RECORD_BPF_EVENT:
        return wanted->bpf;
    default:
        return false;
    }
}

/* The process and thread that it is about. */
static void subject_of(const struct record *record, uint32_t *ret_pid, uint32_t *ret_tid)
{
    switch (record->kind) {
    case RECORD_COMM:
        *ret_pid = record->comm.pid;
        *ret_tid = record->comm.tid;
        return;
    case RECORD_FORK:
    case RECORD_EXIT:
        *ret_pid = record->task.pid;
        *ret_tid = record->task.tid;
        return;
    case RECORD_MMAP:
        *ret_pid = record->mmap.pid;
        *ret_tid = record->mmap.tid;
        return;
    case RECORD_NAMESPACES:
        *ret_pid = record->namespaces.pid;
        *ret_tid = record->namespaces.tid;
        return;
    default:
        *ret_pid = record->who.pid;
        *ret_tid = record->who.tid;
    }
}

uint32_t script_record_thread(const struct record *record)
{
    uint32_t pid, tid;
    subject_of(record, &pid, &tid);
    return tid;
}

void script_record_complete(struct record *record)
{
    subject_of(record, &record->who.pid, &record->who.tid);
    record->who.cpu = 0;
    record->who.time = record->kind == RECORD_FORK || record->kind == RECORD_EXIT ? record->task.time : 0;
}

/* ---- text ---- */

static void add_mmap(struct text *out, const struct record *record)
{
    const struct record_mmap *map = &record->mmap;
    text_printf(out, " %" PRId32 "/%" PRId32 ": [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64, (int32_t)map->pid,
                (int32_t)map->tid, map->start, map->size_bytes, map->file_offset);
    if (!map->has_details) {
        text_printf(out, "]: %c %s\n", map->is_data ? 'r' : 'x', map->path);
        return;
    }
    if (map->build_id.size_bytes) {
        text_add(out, " <");
        for (size_t at = 0; at < map->build_id.size_bytes; at++)
            text_printf(out, "%02x", map->build_id.bytes[at]);
        text_add_char(out, '>');
    } else {
        text_printf(out, " %02" PRIx32 ":%02" PRIx32 " %" PRIu64 " %" PRIu64, map->device_major, map->device_minor,
                    map->inode, map->inode_generation);
    }
    text_printf(out, "]: %c%c%c%c %s\n", map->protection & PROT_READ ? 'r' : '-',
                map->protection & PROT_WRITE ? 'w' : '-', map->protection & PROT_EXEC ? 'x' : '-',
                map->flags & MAP_SHARED ? 's' : 'p', map->path);
}

/* Four in a line: "0/net: 4/0xf0000075". */
static void add_namespaces(struct text *out, const struct record *record)
{
    /* NET_NS_INDEX and so on */
    static const char *const names[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
    const struct u64_view *links = &record->namespaces.links;
    uint32_t count = links->count / 2;
    text_printf(out, " %" PRId32 "/%" PRId32 " - nr_namespaces: %" PRIu32 "\n\t\t[", (int32_t)record->namespaces.pid,
                (int32_t)record->namespaces.tid, count);
    for (uint32_t at = 0; at < count; at++) {
        if (at && at % 4 == 0)
            text_add(out, "\n\t\t ");
        text_printf(out, "%" PRIu32 "/%s: %" PRIu64 "/%#" PRIx64 "%s", at,
                    at < array_count(names) ? names[at] : "unknown", u64_view_at(links, 2 * at),
                    u64_view_at(links, 2 * at + 1), at + 1 < count ? ", " : "");
    }
    text_add(out, "]\n");
}

static void add_switch(struct text *out, const struct record *record)
{
    const struct record_switch *change = &record->context_switch;
    const char *how = !change->out ? "IN         " : change->preempted ? "OUT preempt" : "OUT        ";
    text_printf(out, " %s", how);
    if (change->has_other)
        text_printf(out, "  %s pid/tid: %5" PRId32 "/%-5" PRId32, change->out ? "next" : "prev",
                    (int32_t)change->other_pid, (int32_t)change->other_tid);
    text_add_char(out, '\n');
}

void script_record_text(struct text *out, const struct record *record)
{
    text_printf(out, "PERF_RECORD_%s", record_type_name(record->type));
    switch (record->kind) {
    case RECORD_COMM:
        text_printf(out, "%s: %s:%" PRId32 "/%" PRId32 "\n", record->comm.is_exec ? " exec" : "", record->comm.comm,
                    (int32_t)record->comm.pid, (int32_t)record->comm.tid);
        return;
    case RECORD_FORK:
    case RECORD_EXIT:
        text_printf(out, "(%" PRId32 ":%" PRId32 "):(%" PRId32 ":%" PRId32 ")\n", (int32_t)record->task.pid,
                    (int32_t)record->task.tid, (int32_t)record->task.parent_pid, (int32_t)record->task.parent_tid);
        return;
    case RECORD_MMAP:
        return add_mmap(out, record);
    case RECORD_NAMESPACES:
        return add_namespaces(out, record);
    case RECORD_CGROUP:
        text_printf(out, " cgroup: %" PRIu64 " %s\n", record->cgroup.id, record->cgroup.path);
        return;
    case RECORD_SWITCH:
        return add_switch(out, record);
    case RECORD_LOST:
        text_printf(out, " lost %" PRIu64 "\n", record->lost.count);
        return;
    case RECORD_KSYMBOL:
        text_printf(out, " addr %" PRIx64 " len %" PRIu32 " type %u flags 0x%x name %s\n", record->ksymbol.addr,
                    record->ksymbol.size_bytes, (unsigned)record->ksymbol.ksym_type, (unsigned)record->ksymbol.flags,
                    record->ksymbol.name);
        return;
    case RECORD_BPF_EVENT:
        text_printf(out, " type %u, flags %u, id %" PRIu32 "\n", (unsigned)record->bpf.type,
                    (unsigned)record->bpf.flags, record->bpf.id);
        return;
    default:
        text_add_char(out, '\n');
    }
}
