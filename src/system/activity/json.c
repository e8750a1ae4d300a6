/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json/json_measured.h"
#include "base/vec.h"
#include "system/activity/activity.h"

#include <string.h>

static const struct field {
    const char *name;
    size_t offset;
} fields[] = {
#define FIELD(member) {#member, offsetof(struct activity, member)}
    FIELD(elapsed_s),
    FIELD(user_s),
    FIELD(system_s),
    FIELD(run_delay_s),
    FIELD(seen_run_s),
    FIELD(ready_ratio),
    FIELD(stopped_ratio),
    FIELD(blocked_ratio),
    FIELD(minor_faults),
    FIELD(major_faults),
    FIELD(voluntary_switches),
    FIELD(involuntary_switches),
    FIELD(block_io_delay_s),
    FIELD(read_bytes),
    FIELD(write_bytes),
    FIELD(resident_most_bytes),
    FIELD(swapped_bytes),
    FIELD(cpus_allowed),
    FIELD(quota_cpus),
    FIELD(throttled_s),
    FIELD(period_s),
    FIELD(group_usage_s),
    FIELD(group_others),
    FIELD(throttled_periods),
    FIELD(periods),
    FIELD(cpus_online),
    FIELD(busy_ratio),
    FIELD(steal_ratio),
    FIELD(iowait_ratio),
    FIELD(interrupt_ratio),
    FIELD(runnable_mean),
    FIELD(huge_faults),
    FIELD(huge_fault_fallbacks),
    FIELD(swap_ins),
    FIELD(swap_outs),
    FIELD(interrupts),
    FIELD(guest_ratio),
#undef FIELD
};

static void write_thread(struct json_writer *json, const struct activity_thread *thread)
{
    json_object_open(json, NULL);
    json_u64(json, "pid", thread->pid);
    json_u64(json, "tid", thread->tid);
    json_string(json, "comm", thread->comm);
    json_double(json, "user_s", thread->user_s);
    json_double(json, "system_s", thread->system_s);
    json_measured(json, "run_s", thread->run_s);
    json_measured(json, "run_delay_s", thread->run_delay_s);
    json_u64(json, "seen", thread->seen);
    json_u64(json, "seen_running", thread->seen_running);
    json_u64(json, "seen_sleeping", thread->seen_sleeping);
    json_u64(json, "seen_disk", thread->seen_disk);
    if (thread->cpus[0])
        json_string(json, "cpus_allowed_list", thread->cpus);
    json_array_open(json, "waits");
    for (size_t at = 0; at < ACTIVITY_WAITS_MOST && thread->waits[at].count; at++) {
        json_object_open(json, NULL);
        json_string(json, "place", thread->waits[at].place);
        json_u64(json, "count", thread->waits[at].count);
        json_object_close(json);
    }
    json_array_close(json);
    json_object_close(json);
}

static void write_children(struct json_writer *json, const struct activity *activity)
{
    json_array_open(json, "children");
    for (size_t at = 0; at < activity->child_count; at++) {
        json_object_open(json, NULL);
        json_u64(json, "pid", activity->children[at].pid);
        json_u64(json, "parent", activity->children[at].parent);
        json_string(json, "comm", activity->children[at].comm);
        json_double(json, "cpu_s", activity->children[at].cpu_s);
        json_object_close(json);
    }
    json_array_close(json);
}

static void write_files(struct json_writer *json, const struct activity *activity)
{
    json_array_open(json, "files_written");
    for (size_t at = 0; at < activity->file_count; at++) {
        json_object_open(json, NULL);
        json_string(json, "path", activity->files[at].path);
        json_double(json, "bytes", activity->files[at].bytes);
        json_object_close(json);
    }
    json_array_close(json);
}

static void write_cpu(struct json_writer *json, const struct activity_cpu *cpu)
{
    json_object_open(json, NULL);
    json_u64(json, "cpu", cpu->cpu);
    json_double(json, "busy_s", cpu->busy_s);
    json_double(json, "steal_s", cpu->steal_s);
    if (cpu->timer_per_s >= 0) {
        json_double(json, "timer_interrupts_per_s", cpu->timer_per_s);
        json_double(json, "other_interrupts_per_s", cpu->others_per_s);
    }
    json_object_close(json);
}

void activity_write(const struct activity *activity, struct text *out)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    for (size_t at = 0; at < array_count(fields); at++)
        json_measured(&json, fields[at].name,
                      *(const struct measured *)(const void *)((const char *)activity + fields[at].offset));
    json_string(&json, "cgroup", activity->cgroup);
    json_u64(&json, "cgroup_version", (uint64_t)activity->cgroup_version);
    json_u64(&json, "thread_count", activity->thread_count);
    json_u64(&json, "process_count", activity->process_count);
    json_u64(&json, "threads_at_once", activity->threads_at_once);
    json_u64(&json, "look_count", activity->look_count);
    json_array_open(&json, "threads");
    for (size_t at = 0; at < activity->thread_count && at < ACTIVITY_THREADS_KEPT; at++)
        write_thread(&json, &activity->threads[at]);
    json_array_close(&json);
    write_children(&json, activity);
    write_files(&json, activity);
    json_array_open(&json, "cpus");
    for (size_t at = 0; at < activity->cpu_count; at++)
        write_cpu(&json, &activity->cpus[at]);
    json_array_close(&json);
    json_object_close(&json);
}

static void read_thread(struct activity_thread *thread, struct json_value value, struct arena *arena)
{
    *thread = (struct activity_thread){
        .pid = (uint32_t)json_unsigned_or(json_member(value, "pid"), 0),
        .tid = (uint32_t)json_unsigned_or(json_member(value, "tid"), 0),
        .user_s = json_number_or(json_member(value, "user_s"), 0),
        .system_s = json_number_or(json_member(value, "system_s"), 0),
        .run_delay_s = json_measured_or(json_member(value, "run_delay_s"), arena),
        .run_s = json_measured_or(json_member(value, "run_s"), arena),
        .seen = (uint32_t)json_unsigned_or(json_member(value, "seen"), 0),
        .seen_running = (uint32_t)json_unsigned_or(json_member(value, "seen_running"), 0),
        .seen_sleeping = (uint32_t)json_unsigned_or(json_member(value, "seen_sleeping"), 0),
        .seen_disk = (uint32_t)json_unsigned_or(json_member(value, "seen_disk"), 0),
    };
    snprintf(thread->comm, sizeof(thread->comm), "%s", json_text_or(json_member(value, "comm"), ""));
    const char *cpus = json_text_or(json_member(value, "cpus_allowed_list"), "");
    if (strlen(cpus) < sizeof(thread->cpus))
        memcpy(thread->cpus, cpus, strlen(cpus) + 1);
    struct json_value waits = json_member(value, "waits");
    for (size_t at = 0; at < ACTIVITY_WAITS_MOST && at < json_count(waits); at++) {
        struct json_value item = json_item(waits, at);
        snprintf(thread->waits[at].place, sizeof(thread->waits[at].place), "%s",
                 json_text_or(json_member(item, "place"), ""));
        thread->waits[at].count = (uint32_t)json_unsigned_or(json_member(item, "count"), 0);
    }
}

static const double RATE_MOST = 1e9; /* no CPU takes an interrupt a nanosecond */

/* Times that can't be are left out: then that CPU isn't known. */
static void read_cpus(struct activity *activity, struct json_value cpus, struct arena *arena)
{
    activity->cpus = arena_array(arena, struct activity_cpu, json_count(cpus) + 1);
    for (size_t at = 0; at < json_count(cpus); at++) {
        struct json_value item = json_item(cpus, at);
        struct activity_cpu cpu = {
            .cpu = (uint32_t)json_unsigned_or(json_member(item, "cpu"), UINT32_MAX),
            .busy_s = json_number_or(json_member(item, "busy_s"), -1),
            .steal_s = json_number_or(json_member(item, "steal_s"), -1),
            .timer_per_s = json_number_or(json_member(item, "timer_interrupts_per_s"), -1),
            .others_per_s = json_number_or(json_member(item, "other_interrupts_per_s"), -1),
        };
        if (!(cpu.timer_per_s >= 0 && cpu.timer_per_s < RATE_MOST && cpu.others_per_s >= 0 &&
              cpu.others_per_s < RATE_MOST))
            cpu.timer_per_s = cpu.others_per_s = -1;
        if (cpu.busy_s >= 0 && cpu.steal_s >= 0)
            activity->cpus[activity->cpu_count++] = cpu;
    }
}

static void read_children(struct activity *activity, struct json_value children)
{
    for (size_t at = 0; at < ACTIVITY_CHILDREN_MOST && at < json_count(children); at++) {
        struct json_value item = json_item(children, at);
        struct activity_child *child = &activity->children[activity->child_count++];
        *child = (struct activity_child){
            .pid = (uint32_t)json_unsigned_or(json_member(item, "pid"), 0),
            .parent = (uint32_t)json_unsigned_or(json_member(item, "parent"), 0),
            .cpu_s = json_number_or(json_member(item, "cpu_s"), 0),
        };
        snprintf(child->comm, sizeof(child->comm), "%s", json_text_or(json_member(item, "comm"), ""));
    }
}

static void read_files(struct activity *activity, struct json_value files)
{
    for (size_t at = 0; at < ACTIVITY_FILES_MOST && at < json_count(files); at++) {
        struct json_value item = json_item(files, at);
        struct activity_file file = {.bytes = json_number_or(json_member(item, "bytes"), 0)};
        snprintf(file.path, sizeof(file.path), "%s", json_text_or(json_member(item, "path"), ""));
        if (file.path[0] && file.bytes > 0)
            activity->files[activity->file_count++] = file;
    }
}

bool activity_read(struct activity *activity, struct json_value root, struct arena *arena, struct error *err)
{
    if (!json_is_record(root))
        return error_set(err, ERROR_FORMAT, "activity is not an object");
    *activity = (struct activity){0};
    for (size_t at = 0; at < array_count(fields); at++)
        *(struct measured *)(void *)((char *)activity + fields[at].offset) =
            json_measured_or(json_member(root, fields[at].name), arena);
    snprintf(activity->cgroup, sizeof(activity->cgroup), "%s", json_text_or(json_member(root, "cgroup"), ""));
    activity->cgroup_version = (int)json_unsigned_or(json_member(root, "cgroup_version"), 0);
    activity->process_count = (uint32_t)json_unsigned_or(json_member(root, "process_count"), 0);
    activity->threads_at_once = (uint32_t)json_unsigned_or(json_member(root, "threads_at_once"), 0);
    activity->look_count = (uint32_t)json_unsigned_or(json_member(root, "look_count"), 0);
    read_cpus(activity, json_member(root, "cpus"), arena);
    read_children(activity, json_member(root, "children"));
    read_files(activity, json_member(root, "files_written"));
    struct json_value threads = json_member(root, "threads");
    activity->thread_count = (uint32_t)json_count(threads);
    activity->threads = arena_array(arena, struct activity_thread, activity->thread_count + 1);
    for (size_t at = 0; at < activity->thread_count; at++)
        read_thread(&activity->threads[at], json_item(threads, at), arena);
    return true;
}
