/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/case/case_folder.h"

#include "base/json/json_measured.h"
#include "base/scope.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    PART_BYTES_MOST = 256 << 20,
    ROOM_BYTES_LEAST = 32 << 20, /* for a case that nobody keeps */
};

static char *part_path(const char *folder, const char *file)
{
    return memory_printf("%s/%s", folder, file);
}

bool case_part_exists(const char *folder, const char *file)
{
    scoped_free char *path = part_path(folder, file);
    return access(path, R_OK) == 0;
}

/* What a case is made of, also one that came to no end. Others' files beside it would be taken for parts of it. */
static bool is_part_name(const char *name)
{
    size_t length = strlen(name);
    return name[0] == '.' || strncmp(name, "perf.data", strlen("perf.data")) == 0 ||
           (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

static bool has_only_parts(const char *folder, struct error *err)
{
    scoped_dir DIR *entries = opendir(folder);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (!is_part_name(entry->d_name)) {
            error_set(err, ERROR_USAGE, "'%s' is no case and not empty: '%s' is in it", folder, entry->d_name);
            return error_hint(err, "name a new folder, or an empty one");
        }
    return true;
}

bool case_folder_create(const char *folder, struct error *err)
{
    bool is_new = mkdir(folder, 0777) == 0;
    if (!is_new && errno != EEXIST)
        return error_system(err, errno, "can't create the case folder '%s'", folder);
    if (!is_new && !case_part_exists(folder, "manifest.json") && !has_only_parts(folder, err))
        return false;
    if (!case_part_exists(folder, "manifest.json"))
        return true;
    error_set(err, ERROR_USAGE, "'%s' already holds a case", folder);
    return error_hint(err, "name another folder, or remove it; plumb diagnose --case %s without a command replays it",
                      folder);
}

/* A full disk is better met before the program runs than after. */
static bool has_room(const char *folder, struct error *why)
{
    struct statvfs room;
    if (statvfs(folder, &room) != 0)
        return error_system(why, errno, "can't use '%s' for what is measured", folder);
    if ((uint64_t)room.f_bavail * room.f_frsize >= ROOM_BYTES_LEAST)
        return true;
    return error_set(why, ERROR_LIMIT, "'%s' has less than %d MiB free", folder, ROOM_BYTES_LEAST >> 20);
}

static char *folder_below(const char *place, struct error *why)
{
    scoped_free char *folder = memory_printf("%s/plumb-case-XXXXXX", place);
    if (!has_room(place, why))
        return NULL;
    if (mkdtemp(folder))
        return pointer_steal(&folder);
    (void)!error_system(why, errno, "can't create a folder like '%s'", folder);
    return NULL;
}

bool case_folder_temporary(char **ret_folder, struct error *err)
{
    /* An image made of one program has no /tmp: then here, for as long as it takes. */
    const char *asked = getenv("TMPDIR");
    const char *const places[] = {asked && asked[0] ? asked : "/tmp", "/tmp", "/var/tmp", "/dev/shm", "."};
    struct error first = {0};
    for (size_t at = 0; at < array_count(places); at++) {
        struct error why = {0};
        *ret_folder = folder_below(places[at], &why);
        if (*ret_folder)
            return true;
        first = at ? first : why;
    }
    *err = first;
    return error_hint(err, "set TMPDIR, or name a folder with --case");
}

char *case_recording_name(unsigned number)
{
    return number <= 1 ? memory_string("perf.data") : memory_printf("perf.data.%u", number);
}

void case_folder_remove(const char *folder)
{
    scoped_dir DIR *parts = opendir(folder);
    for (const struct dirent *part; parts && (part = readdir(parts));)
        unlinkat(dirfd(parts), part->d_name, 0);
    rmdir(folder);
}

bool case_part_write(const char *folder, const char *file, struct text *content, struct error *err)
{
    scoped_free char *path = part_path(folder, file);
    scoped_free char *begun = memory_printf("%s.begun", path);
    scoped_file FILE *out = fopen(begun, "we");
    if (!out)
        return error_system(err, errno, "can't write '%s'", path);
    if (text_write_file(content, out) && fflush(out) == 0 && rename(begun, path) == 0)
        return true;
    error_system(err, errno, "can't write '%s'", path);
    unlink(begun);
    return error_hint(err, "make room there, or name another folder (--case, TMPDIR)");
}

static bool read_whole(const char *path, struct text *out, struct error *err)
{
    scoped_file FILE *in = fopen(path, "re");
    if (!in)
        return errno == ENOENT ? error_set(err, ERROR_NOT_FOUND, "there is no '%s'", path)
                               : error_system(err, errno, "can't read '%s'", path);
    char buffer[1 << 16];
    size_t got;
    while ((got = fread(buffer, 1, sizeof(buffer), in)) > 0) {
        text_append(out, buffer, got);
        if (out->length > PART_BYTES_MOST)
            return error_set(err, ERROR_LIMIT, "'%s' is larger than a part of a case may be", path);
    }
    return ferror(in) ? error_system(err, errno, "can't read '%s'", path) : true;
}

bool case_part_json(const char *folder, const char *file, struct json_document **ret_document, struct error *err)
{
    scoped_free char *path = part_path(folder, file);
    scoped_text struct text content = {0};
    if (!read_whole(path, &content, err))
        return false;
    if (!json_document_parse(ret_document, text_view(&content), err))
        return error_wrap(err, "'%s'", path);
    return true;
}

void case_manifest_part(struct case_manifest *manifest, const char *file, const char *origin)
{
    if (manifest->part_count < CASE_PARTS_MOST)
        manifest->parts[manifest->part_count++] = (struct case_part){file, origin};
}

void case_manifest_gap(struct case_manifest *manifest, struct arena *arena, const char *what, const char *why)
{
    if (manifest->gap_count < CASE_GAPS_MOST)
        manifest->gaps[manifest->gap_count++] = (struct case_gap){what, arena_string(arena, why)};
}

const char *case_manifest_gap_of(const struct case_manifest *manifest, const char *what)
{
    for (size_t at = 0; at < manifest->gap_count; at++)
        if (strcmp(manifest->gaps[at].what, what) == 0)
            return manifest->gaps[at].why;
    return NULL;
}

bool case_manifest_write(const struct case_manifest *manifest, const char *folder, struct error *err)
{
    scoped_text struct text out = {0};
    struct json_writer json;
    json_begin(&json, &out);
    json_object_open(&json, NULL);
    json_string(&json, "format", "plumb case");
    json_u64(&json, "schema", CASE_SCHEMA);
    json_string(&json, "made_by", "plumb " PLUMB_VERSION);
    json_string(&json, "command", manifest->command);
    json_string(&json, "scope", manifest->scope);
    json_string(&json, "target", manifest->target_options);
    json_double(&json, "effect", manifest->effect);
    json_measured(&json, "elapsed_s", manifest->elapsed_s);
    json_measured(&json, "user_s", manifest->user_s);
    json_measured(&json, "system_s", manifest->system_s);
    json_bool(&json, "child_ended", manifest->child_ended);
    json_i64(&json, "child_exit_code", manifest->child_exit_code);
    json_u64(&json, "watcher_pid", manifest->watcher_pid);
    json_array_open(&json, "parts");
    for (size_t at = 0; at < manifest->part_count; at++) {
        json_object_open(&json, NULL);
        json_string(&json, "file", manifest->parts[at].file);
        json_string(&json, "origin", manifest->parts[at].origin);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_array_open(&json, "not_measured");
    for (size_t at = 0; at < manifest->gap_count; at++) {
        json_object_open(&json, NULL);
        json_string(&json, "what", manifest->gaps[at].what);
        json_string(&json, "why", manifest->gaps[at].why);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_object_close(&json);
    return case_part_write(folder, "manifest.json", &out, err);
}

static bool manifest_take(struct case_manifest *manifest, struct json_value root, struct arena *arena,
                          struct error *err)
{
    uint64_t schema = json_unsigned_or(json_member(root, "schema"), 0);
    if (schema < 1 || schema > CASE_SCHEMA)
        return error_set(err, ERROR_FORMAT, "schema %llu; this plumb reads up to %d", (unsigned long long)schema,
                         CASE_SCHEMA);
    *manifest = (struct case_manifest){
        .command = arena_string(arena, json_text_or(json_member(root, "command"), "")),
        .scope = arena_string(arena, json_text_or(json_member(root, "scope"), "attached")),
        .target_options = arena_string(arena, json_text_or(json_member(root, "target"), "")),
        .effect = json_number_or(json_member(root, "effect"), 0.05),
        .elapsed_s = json_measured_or(json_member(root, "elapsed_s"), arena),
        .user_s = json_measured_or(json_member(root, "user_s"), arena),
        .system_s = json_measured_or(json_member(root, "system_s"), arena),
        .child_ended = json_truth_or(json_member(root, "child_ended"), false),
        .child_exit_code = (int)json_number_or(json_member(root, "child_exit_code"), 0),
        .watcher_pid = (uint32_t)json_unsigned_or(json_member(root, "watcher_pid"), 0),
    };
    struct json_value parts = json_member(root, "parts"), gaps = json_member(root, "not_measured");
    for (size_t at = 0; at < json_count(parts); at++)
        case_manifest_part(manifest,
                           arena_string(arena, json_text_or(json_member(json_item(parts, at), "file"), "")),
                           arena_string(arena, json_text_or(json_member(json_item(parts, at), "origin"), "")));
    for (size_t at = 0; at < json_count(gaps); at++)
        case_manifest_gap(manifest, arena,
                          arena_string(arena, json_text_or(json_member(json_item(gaps, at), "what"), "")),
                          json_text_or(json_member(json_item(gaps, at), "why"), ""));
    return true;
}

bool case_manifest_read(struct case_manifest *manifest, const char *folder, struct arena *arena, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    if (!case_part_json(folder, "manifest.json", &document, err)) {
        if (err->kind == ERROR_NOT_FOUND)
            error_hint(err, "plumb diagnose --case %s -- COMMAND makes one", folder);
        return false;
    }
    return manifest_take(manifest, json_root(document), arena, err) || error_wrap(err, "'%s/manifest.json'", folder);
}
