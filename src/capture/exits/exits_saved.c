/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exits as they were gathered, in the JSON of plumb exits: written and read again. */
#include "base/json/json_reader.h"
#include "base/json/json_writer.h"
#include "capture/exits/exits_input.h"

/* ---- written ---- */

static void where_json(struct json_writer *json, const struct exits *exits, enum exit_point point, enum exit_isa isa,
                       uint32_t name, uint32_t thread)
{
    json_string(json, "point", exit_points[point].name);
    json_string(json, "isa", exit_isa_name(isa));
    if (name)
        json_string(json, "text", strings_text(&exits->strings, name));
    json_u64(json, "tid", exits->threads[thread].tid);
    json_u64(json, "pid", exits->threads[thread].pid);
}

static void tally_json(struct json_writer *json, const struct exits *exits, const struct exit_tally *tally)
{
    json_object_open(json, NULL);
    where_json(json, exits, tally->point, tally->isa, tally->name, tally->thread);
    json_u64(json, "reason", tally->reason == UINT64_MAX ? 0 : tally->reason);
    if (tally->reason == UINT64_MAX)
        json_bool(json, "unnumbered", true);
    json_u64(json, "count", tally->count);
    json_u64(json, "timed", tally->timed);
    json_double(json, "total_ns", tally->total_ns);
    if (tally->has_range) {
        json_u64(json, "min_ns", tally->min_ns);
        json_u64(json, "max_ns", tally->max_ns);
    }
    json_array_open(json, "buckets");
    for (size_t at = 0; tally->buckets && at < EXIT_BUCKETS; at++) {
        if (!tally->buckets[at])
            continue;
        json_array_open(json, NULL);
        json_u64(json, NULL, at);
        json_u64(json, NULL, tally->buckets[at]);
        json_array_close(json);
    }
    json_array_close(json);
    json_object_close(json);
}

void exits_write_json(struct json_writer *json, const struct exits *exits)
{
    json_bool(json, "table", exits->is_table);
    json_bool(json, "kvm_exit_fires", exits->fires_exit);
    json_array_open(json, "watched");
    for (size_t at = 0; at < EXIT_POINT_COUNT; at++)
        if (exits->watches[at])
            json_string(json, NULL, exit_points[at].name);
    json_array_close(json);
    json_array_open(json, "words");
    for (size_t at = 0; at < exits->word_count; at++) {
        json_object_open(json, NULL);
        json_string(json, "isa", exit_isa_name(exits->words[at].isa));
        json_u64(json, "reason", exits->words[at].number);
        json_string(json, "word", strings_text(&exits->strings, exits->words[at].word));
        json_object_close(json);
    }
    json_array_close(json);
    json_array_open(json, "threads");
    for (size_t at = 0; at < exits->thread_count; at++) {
        const struct exit_thread *thread = &exits->threads[at];
        json_object_open(json, NULL);
        json_u64(json, "tid", thread->tid);
        json_u64(json, "pid", thread->pid);
        if (thread->vcpu >= 0)
            json_u64(json, "vcpu", (uint64_t)thread->vcpu);
        json_u64(json, "migrations", thread->migrations);
        json_object_close(json);
    }
    json_array_close(json);
    json_array_open(json, "tallies");
    for (size_t at = 0; at < exits->tally_count; at++)
        tally_json(json, exits, &exits->tallies[at]);
    json_array_close(json);
    json_array_open(json, "uses");
    for (size_t at = 0; at < exits->use_count; at++) {
        const struct exit_use *use = &exits->uses[at];
        char value[24];
        json_object_open(json, NULL);
        where_json(json, exits, use->point, use->isa, use->name, use->thread);
        json_u64(json, "reason", use->reason);
        snprintf(value, sizeof(value), "0x%llx", (unsigned long long)use->value); /* JSON's numbers end at 2^63 */
        json_string(json, "value", value);
        json_bool(json, "rip", use->is_rip);
        json_u64(json, "count", use->count);
        json_object_close(json);
    }
    json_array_close(json);
}

/* ---- read ---- */

static bool point_read(struct json_value item, enum exit_point *ret_point, enum exit_isa *ret_isa)
{
    *ret_point = exit_point_of(view_of(json_text_or(json_member(item, "point"), "")));
    *ret_isa = exit_isa_of(json_text_or(json_member(item, "isa"), ""));
    return *ret_point < EXIT_POINT_COUNT;
}

static uint32_t thread_read(struct exits *exits, struct json_value item)
{
    uint64_t tid = json_unsigned_or(json_member(item, "tid"), 0), pid = json_unsigned_or(json_member(item, "pid"), 0);
    return exits_thread(exits, tid <= INT32_MAX ? (uint32_t)tid : 0, pid <= INT32_MAX ? (uint32_t)pid : 0);
}

static uint32_t name_read(struct exits *exits, struct json_value item)
{
    const char *text = json_text_or(json_member(item, "text"), "");
    return text[0] ? exits_name(exits, view_of(text)) : 0;
}

static bool buckets_read(struct exits *exits, struct exit_tally *tally, struct json_value list)
{
    uint64_t sum = 0;
    for (size_t at = 0; at < json_count(list); at++) {
        uint64_t bucket, count;
        if (!json_unsigned(json_item(json_item(list, at), 0), &bucket) ||
            !json_unsigned(json_item(json_item(list, at), 1), &count) || bucket >= EXIT_BUCKETS ||
            __builtin_add_overflow(sum, count, &sum))
            return false;
        exits_buckets(exits, tally)[bucket] += count;
    }
    return !json_count(list) || sum == tally->timed;
}

static bool tally_read(struct exits *exits, struct json_value item)
{
    enum exit_point point;
    enum exit_isa isa;
    uint64_t reason, count, timed = json_unsigned_or(json_member(item, "timed"), 0);
    double total_ns = json_number_or(json_member(item, "total_ns"), 0);
    if (!point_read(item, &point, &isa) || !json_unsigned(json_member(item, "reason"), &reason) ||
        !json_unsigned(json_member(item, "count"), &count) || timed > count || total_ns < 0)
        return false;
    struct exit_tally *tally =
        exits_tally(exits, point, isa, json_truth_or(json_member(item, "unnumbered"), false) ? UINT64_MAX : reason,
                    name_read(exits, item), thread_read(exits, item));
    if (tally->count)
        return false;
    tally->count = count;
    tally->timed = timed;
    tally->total_ns = total_ns;
    tally->has_range = json_unsigned(json_member(item, "min_ns"), &tally->min_ns) &&
                       json_unsigned(json_member(item, "max_ns"), &tally->max_ns) && tally->min_ns <= tally->max_ns;
    return buckets_read(exits, tally, json_member(item, "buckets"));
}

static bool use_read(struct exits *exits, struct json_value item)
{
    struct exit_use use = {.is_rip = json_truth_or(json_member(item, "rip"), false)};
    if (!point_read(item, &use.point, &use.isa) || !json_unsigned(json_member(item, "reason"), &use.reason) ||
        !json_unsigned(json_member(item, "value"), &use.value) ||
        !json_unsigned(json_member(item, "count"), &use.count))
        return false;
    use.name = name_read(exits, item);
    use.thread = thread_read(exits, item);
    exits_use(exits, &use);
    return true;
}

static bool thread_facts_read(struct exits *exits, struct json_value item)
{
    uint32_t id = thread_read(exits, item);
    struct exit_thread *thread = &exits->threads[id];
    uint64_t vcpu;
    thread->seen = true;
    thread->vcpu = json_unsigned(json_member(item, "vcpu"), &vcpu) && vcpu < 1 << 20 ? (int64_t)vcpu : -1;
    thread->migrations = json_unsigned_or(json_member(item, "migrations"), 0);
    return true;
}

static bool each_read(struct exits *exits, struct json_value list, bool (*read)(struct exits *, struct json_value))
{
    for (size_t at = 0; at < json_count(list); at++)
        if (!read(exits, json_item(list, at)))
            return false;
    return true;
}

bool exits_read_json(struct exits *exits, struct exits_input *input, struct view text, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    if (!json_document_parse(&document, text, err))
        return false;
    struct json_value raw = json_member(json_root(document), "tallies"),
                      words = json_member(json_root(document), "words");
    input->kind = "plumb exits";
    exits->seconds = json_number_or(json_member(json_root(document), "seconds"), 0);
    exits->lost = json_unsigned_or(json_member(json_root(document), "lost"), 0);
    exits->lost_uses = json_unsigned_or(json_member(json_root(document), "lost_objects"), 0);
    exits->is_table = json_truth_or(json_member(json_root(document), "table"), false);
    for (size_t at = 0; at < json_count(words); at++) {
        struct json_value word = json_item(words, at);
        exits_word_add(exits, exit_isa_of(json_text_or(json_member(word, "isa"), "")),
                       json_unsigned_or(json_member(word, "reason"), 0),
                       view_of(json_text_or(json_member(word, "word"), "")));
    }
    struct json_value watched = json_member(json_root(document), "watched");
    for (size_t at = 0; at < json_count(watched); at++) {
        enum exit_point point = exit_point_of(view_of(json_text_or(json_item(watched, at), "")));
        if (point < EXIT_POINT_COUNT)
            exits->watches[point] = true;
    }
    exits->fires_exit = json_truth_or(json_member(json_root(document), "kvm_exit_fires"), false);
    if (json_is_list(raw) && exits->seconds >= 0 &&
        each_read(exits, json_member(json_root(document), "threads"), thread_facts_read) &&
        each_read(exits, raw, tally_read) && each_read(exits, json_member(json_root(document), "uses"), use_read))
        return true;
    return error_set(err, ERROR_FORMAT, "this JSON isn't what plumb exits --json writes");
}

