/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/table/table_folder.h"

#include "base/scope.h"
#include "metric/table/table_json.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MOST_BYTES = 64 << 20, FILES_MOST = 400 };

struct folder_load {
    struct table_json json;
    vec(struct text) texts;
    const struct table_cpu *cpu;
    size_t files;
    struct text models; /* what mapfile.csv has, for the message */
};

static bool file_take(struct text *text, const char *path, struct error *err)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0)
        return error_system(err, errno, "can't read '%s'", path);
    if (!S_ISREG(status.st_mode) || status.st_size > FILE_MOST_BYTES)
        return error_set(err, ERROR_FORMAT, "'%s' is no file, or too large to be a table", path);
    text->bytes = memory_alloc((size_t)status.st_size + 1);
    text->capacity = (size_t)status.st_size + 1;
    for (ssize_t got; text->length < (size_t)status.st_size; text->length += (size_t)got) {
        got = read(fd, text->bytes + text->length, (size_t)status.st_size - text->length);
        if (got < 0)
            return error_system(err, errno, "can't read '%s'", path);
        if (got == 0)
            break;
    }
    text->bytes[text->length] = '\0';
    return true;
}

/* Where the mark of the order of bytes stands, the text begins behind it. */
static struct view content_of(const struct text *text)
{
    struct view view = text_view(text);
    return view_starts(view, "\xef\xbb\xbf") ? view_skip(view, 3) : view;
}

static bool json_take(struct folder_load *load, const char *path, bool standard, struct error *err)
{
    struct text text = {0};
    if (load->files >= FILES_MOST)
        return error_set(err, ERROR_LIMIT, "more than %d files in the tables", FILES_MOST);
    bool good = file_take(&text, path, err);
    *vec_push(&load->texts) = text;
    load->files += !standard;
    return good && (table_json_add(&load->json, content_of(&text), standard, err) || error_wrap(err, "'%s'", path));
}

static int is_json(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && view_ends(view_of(entry->d_name), ".json");
}

/* Every JSON file of a folder, in the order of their names; a folder that isn't there has none. */
static bool folder_take(struct folder_load *load, const char *folder, bool standard, struct error *err)
{
    struct dirent **entries;
    char path[PATH_MAX];
    int count = scandir(folder, &entries, is_json, alphasort);
    bool good = true;
    for (int at = 0; at < count; at++) {
        snprintf(path, sizeof(path), "%s/%s", folder, entries[at]->d_name);
        good = good && json_take(load, path, standard, err);
        free(entries[at]);
    }
    if (count >= 0)
        free(entries);
    return good;
}

static bool path_is(const char *path, mode_t kind)
{
    struct stat status;
    return stat(path, &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

/* One model's folder: its files, and those in events/ and metrics/. */
static bool model_take(struct folder_load *load, const char *folder, struct error *err)
{
    char path[PATH_MAX];
    if (!folder_take(load, folder, false, err))
        return false;
    snprintf(path, sizeof(path), "%s/events", folder);
    if (!folder_take(load, path, false, err))
        return false;
    snprintf(path, sizeof(path), "%s/metrics", folder);
    return folder_take(load, path, false, err);
}

/* Whether a part of the path is the CPU's name. */
static bool path_names_cpu(struct view path, const char *name)
{
    while (path.length) {
        struct view part = view_cut(&path, '/');
        if (view_equal_caseless(part, name))
            return true;
    }
    return false;
}

static void model_note(struct folder_load *load, struct view file)
{
    char word[64];
    struct view rest = file, name = view_cut(&rest, '/');
    if (!name.length)
        name = view_cut(&rest, '/');
    snprintf(word, sizeof(word), "%.*s", (int)name.length, name.text);
    if (name.length && load->models.length < 250 && !strstr(text_string(&load->models), word))
        text_printf(&load->models, "%s%s", load->models.length ? ", " : "", word);
}

/* One row: pattern, version, file or folder, kind. */
static bool row_take(struct folder_load *load, const char *folder, struct view line, bool by_name, struct error *err)
{
    char path[PATH_MAX];
    struct view pattern = view_trim(view_cut(&line, ','));
    view_cut(&line, ',');
    struct view file = view_trim(view_cut(&line, ',')), kind = view_trim(view_cut(&line, ','));
    if (!file.length || view_starts(pattern, "#") || view_starts(pattern, "Family-model"))
        return true;
    model_note(load, file);
    bool meant = by_name ? path_names_cpu(file, load->cpu->name) : table_cpu_matches(load->cpu, pattern);
    if (!meant || view_equal(kind, "hybridcore"))
        return true;
    snprintf(path, sizeof(path), "%s/%.*s", folder, (int)file.length, file.text);
    if (view_find(file, "..") >= 0)
        return true;
    if (path_is(path, S_IFDIR))
        return load->files || model_take(load, path, err); /* a model's folder may stand in several rows */
    return !path_is(path, S_IFREG) || json_take(load, path, false, err);
}

static bool mapfile_take(struct folder_load *load, const char *folder, bool by_name, struct error *err)
{
    char path[PATH_MAX];
    scoped_text struct text text = {0};
    struct view line, rest;
    snprintf(path, sizeof(path), "%s/mapfile.csv", folder);
    if (!path_is(path, S_IFREG))
        return true;
    if (!file_take(&text, path, err))
        return false;
    for (rest = content_of(&text); view_line(&rest, &line);)
        if (!row_take(load, folder, line, by_name, err))
            return false;
    return true;
}

/* Entries that models build upon stand beside the mapfile.csv, in the folder or above it. */
static bool standards_take(struct folder_load *load, const char *folder, struct error *err)
{
    static const char *const ups[] = {"", "/..", "/../..", "/../../.."};
    char path[PATH_MAX];
    for (size_t at = 0; at < array_count(ups); at++) {
        snprintf(path, sizeof(path), "%s%s/mapfile.csv", folder, ups[at]);
        if (!path_is(path, S_IFREG))
            continue;
        snprintf(path, sizeof(path), "%s%s", folder, ups[at]);
        return folder_take(load, path, true, err);
    }
    return true;
}

static bool named_folder_take(struct folder_load *load, const char *folder, struct error *err)
{
    scoped_dir DIR *dir = opendir(folder);
    char path[PATH_MAX];
    if (!dir)
        return error_system(err, errno, "can't read the tables in '%s'", folder);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strcasecmp(entry->d_name, load->cpu->name) != 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (path_is(path, S_IFDIR))
            return model_take(load, path, err);
    }
    return true;
}

/*
 * The files that describe the CPU: by the mapfile's patterns, by a folder's name, or because the folder is one model's.
 */
static bool files_find(struct folder_load *load, const char *folder, struct error *err)
{
    char mapfile[PATH_MAX];
    snprintf(mapfile, sizeof(mapfile), "%s/mapfile.csv", folder);
    if (!standards_take(load, folder, err) || !mapfile_take(load, folder, false, err))
        return false;
    if (!load->files && !mapfile_take(load, folder, true, err))
        return false;
    if (!load->files && !named_folder_take(load, folder, err))
        return false;
    if (!load->files && !path_is(mapfile, S_IFREG) && !model_take(load, folder, err))
        return false;
    if (load->files)
        return true;
    error_set(err, ERROR_NOT_FOUND, "the tables in '%s' have nothing for the CPU '%s'", folder, load->cpu->name);
    return error_hint(
        err,
        load->models.length
            ? "they have %s; choose with --cpu"
            : "a folder as intel/perfmon or the kernel's tools/perf/pmu-events/arch publish it is expected%s",
        text_string(&load->models));
}

bool metric_table_load(struct metric_table *table, const char *folder, const struct table_cpu *cpu,
                       enum table_form form, struct error *err)
{
    *table = (struct metric_table){0};
    struct folder_load load = {.json = {.table = table, .form = form}, .cpu = cpu};
    bool good = files_find(&load, folder, err);
    if (good) {
        table->key = arena_string(&table->arena, cpu->name);
        table->source = arena_string(&table->arena, folder);
        table_json_finish(&load.json);
    }
    table_json_done(&load.json);
    vec_for_each(&load.texts, text)
        text_done(text);
    vec_done(&load.texts);
    text_done(&load.models);
    if (!good)
        metric_table_done(table);
    return good;
}

bool metric_table_load_texts(struct metric_table *table, const struct view *texts, size_t count, enum table_form form,
                             struct error *err)
{
    *table = (struct metric_table){.key = "", .source = ""};
    struct table_json json = {.table = table, .form = form};
    bool good = true;
    for (size_t at = 0; at < count && good; at++)
        good = table_json_add(&json, texts[at], false, err);
    if (good)
        table_json_finish(&json);
    table_json_done(&json);
    if (!good)
        metric_table_done(table);
    return good;
}
