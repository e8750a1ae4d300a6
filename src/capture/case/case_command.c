/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/case/case_command.h"

#include "base/json/json_writer.h"
#include "base/scope.h"
#include "base/vec.h"
#include "capture/case/case_folder.h"
#include "capture/case/shell_line.h"
#include "system/host/process_list.h"

#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WORDS_MOST = 65536,
    VARIABLES_MOST = 512
};

/* Variables that change how fast a program runs, or which program or library that is. */
static const char *const patterns[] = {
    "ATEN_*",
    "DNNL_*",
    "GLIBC_TUNABLES",
    "GODEBUG",
    "GOGC",
    "GOMAXPROCS",
    "GOMEMLIMIT",
    "GOMP_*",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "KMP_*",
    "LANG",
    "LC_*",
    "LD_BIND_NOW",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "MALLOC_*",
    "MIMALLOC_*",
    "MKL_*",
    "NODE_OPTIONS",
    "NPY_*",
    "NUMEXPR_*",
    "OMP_*",
    "ONEDNN_*",
    "OPENBLAS_*",
    "PATH",
    "PYTHONHASHSEED",
    "PYTHONMALLOC",
    "PYTHONOPTIMIZE",
    "PYTHONPATH",
    "RUBYOPT",
    "TCMALLOC_*",
    "TZ",
    "VIRTUAL_ENV",
    "XZ_OPT",
    "ZSTD_*",
};

extern char **environ;

static bool is_kept(const char *name)
{
    for (size_t at = 0; at < array_count(patterns); at++)
        if (fnmatch(patterns[at], name, 0) == 0)
            return true;
    return false;
}

/* A name without * that is not set is worth knowing as well. */
static void variables_take(struct case_command *command, struct arena *arena)
{
    vec(struct case_variable) kept = {0};
    for (char **entry = environ; *entry && kept.count < VARIABLES_MOST; entry++) {
        char *name = arena_string_n(arena, *entry, strcspn(*entry, "="));
        if (name[0] && (*entry)[strlen(name)] == '=' && is_kept(name))
            *vec_push(&kept) = (struct case_variable){name, arena_string(arena, *entry + strlen(name) + 1)};
    }
    for (size_t at = 0; at < array_count(patterns); at++)
        if (!strchr(patterns[at], '*') && !getenv(patterns[at]))
            *vec_push(&kept) = (struct case_variable){patterns[at], NULL};
    command->variable_count = kept.count;
    command->variables = arena_copy(arena, kept.items, memory_product(kept.count, sizeof(*kept.items)));
    vec_done(&kept);
}

static void input_take(struct case_command *command, struct arena *arena)
{
    struct stat status;
    char path[PATH_MAX];
    command->input = CASE_INPUT_NONE;
    if (fstat(STDIN_FILENO, &status) != 0 || S_ISCHR(status.st_mode))
        return;
    command->input = CASE_INPUT_STREAM;
    if (!S_ISREG(status.st_mode))
        return;
    ssize_t length = readlink("/proc/self/fd/0", path, sizeof(path) - 1);
    if (length <= 0)
        return;
    command->input = CASE_INPUT_FILE;
    command->input_file = arena_string_n(arena, path, (size_t)length);
}

void case_command_take(struct case_command *command, char *const *argv, struct arena *arena)
{
    char directory[PATH_MAX];
    size_t count = 0;
    *command = (struct case_command){0};
    while (argv[count])
        count++;
    command->argv = arena_array(arena, char *, count + 1);
    for (size_t at = 0; at < count; at++)
        command->argv[at] = arena_string(arena, argv[at]);
    command->argv[count] = NULL;
    if (getcwd(directory, sizeof(directory)))
        command->directory = arena_string(arena, directory);
    input_take(command, arena);
    variables_take(command, arena);
}

void case_command_add_process(struct case_command *command, pid_t pid, const struct sysroot *root, struct arena *arena)
{
    struct process_entry entry;
    if (!process_entry_read(&entry, pid, root))
        return;
    struct case_process *grown = arena_array(arena, struct case_process, command->process_count + 1);
    for (size_t at = 0; at < command->process_count; at++)
        grown[at] = command->processes[at];
    grown[command->process_count++] = (struct case_process){pid, entry.start_ticks};
    command->processes = grown;
}

/* ---- the part ---- */

static const char *const input_names[] = {
    [CASE_INPUT_UNKNOWN] = "unknown",
    [CASE_INPUT_NONE] = "none",
    [CASE_INPUT_FILE] = "file",
    [CASE_INPUT_STREAM] = "stream",
};

bool case_command_write(const struct case_command *command, const char *folder, struct error *err)
{
    scoped_text struct text out = {0};
    struct json_writer json;
    json_begin(&json, &out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    if (command->argv) {
        json_array_open(&json, "argv");
        for (char **word = command->argv; *word; word++)
            json_string(&json, NULL, *word);
        json_array_close(&json);
        json_string(&json, "directory", command->directory);
        json_string(&json, "standard_input", input_names[command->input]);
        json_string(&json, "standard_input_file", command->input_file);
        json_array_open(&json, "environment");
        for (size_t at = 0; at < command->variable_count; at++) {
            json_object_open(&json, NULL);
            json_string(&json, "name", command->variables[at].name);
            json_string(&json, "value", command->variables[at].value);
            json_object_close(&json);
        }
        json_array_close(&json);
    }
    json_array_open(&json, "processes");
    for (size_t at = 0; at < command->process_count; at++) {
        json_object_open(&json, NULL);
        json_u64(&json, "pid", (uint64_t)command->processes[at].pid);
        json_u64(&json, "start_ticks", command->processes[at].start_ticks);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_object_close(&json);
    return case_part_write(folder, CASE_COMMAND_FILE, &out, err);
}

static bool argv_read(struct case_command *command, struct json_value words, struct arena *arena, struct error *err)
{
    size_t count = json_count(words);
    if (!count)
        return true;
    if (count > WORDS_MOST)
        return error_set(err, ERROR_FORMAT, "'%s': more than %d words", CASE_COMMAND_FILE, WORDS_MOST);
    char **argv = arena_array(arena, char *, count + 1);
    for (size_t at = 0; at < count; at++) {
        const char *word = json_text_or(json_item(words, at), NULL);
        if (!word || (at == 0 && !word[0]))
            return error_set(err, ERROR_FORMAT, "'%s': argv holds something else than words", CASE_COMMAND_FILE);
        argv[at] = arena_string(arena, word);
    }
    argv[count] = NULL;
    command->argv = argv;
    return true;
}

/* Values come from the file, names from our list: a case never sets a variable that we would not have kept. */
static void variables_read(struct case_command *command, struct json_value environment, struct arena *arena)
{
    vec(struct case_variable) kept = {0};
    for (size_t at = 0; at < json_count(environment) && kept.count < VARIABLES_MOST; at++) {
        const char *name = json_text_or(json_member(json_item(environment, at), "name"), "");
        const char *value = json_text_or(json_member(json_item(environment, at), "value"), NULL);
        if (is_kept(name))
            *vec_push(&kept) =
                (struct case_variable){arena_string(arena, name), value ? arena_string(arena, value) : NULL};
    }
    command->variable_count = kept.count;
    command->variables = arena_copy(arena, kept.items, memory_product(kept.count, sizeof(*kept.items)));
    vec_done(&kept);
}

static void processes_read(struct case_command *command, struct json_value processes, struct arena *arena)
{
    size_t count = json_count(processes);
    command->processes = arena_array(arena, struct case_process, count + 1);
    for (size_t at = 0; at < count; at++) {
        uint64_t pid = 0, start = 0;
        bool good = json_unsigned(json_member(json_item(processes, at), "pid"), &pid) && pid > 0 && pid < INT_MAX &&
                    json_unsigned(json_member(json_item(processes, at), "start_ticks"), &start);
        if (good)
            command->processes[command->process_count++] = (struct case_process){(pid_t)pid, start};
    }
}

bool case_command_parse(struct case_command *command, struct json_value root, struct arena *arena, struct error *err)
{
    const char *directory = json_text_or(json_member(root, "directory"), NULL);
    const char *file = json_text_or(json_member(root, "standard_input_file"), NULL);
    const char *input = json_text_or(json_member(root, "standard_input"), "");
    *command = (struct case_command){0};
    command->directory = directory ? arena_string(arena, directory) : NULL;
    command->input_file = file ? arena_string(arena, file) : NULL;
    for (size_t at = 0; at < array_count(input_names); at++)
        if (strcmp(input, input_names[at]) == 0)
            command->input = (enum case_input)at;
    if (command->input == CASE_INPUT_FILE && !command->input_file)
        command->input = CASE_INPUT_UNKNOWN;
    variables_read(command, json_member(root, "environment"), arena);
    processes_read(command, json_member(root, "processes"), arena);
    return argv_read(command, json_member(root, "argv"), arena, err);
}

bool case_command_read(struct case_command *command, const char *folder, const char *line, struct arena *arena,
                       struct error *err)
{
    scoped_json struct json_document *document = NULL;
    *command = (struct case_command){0};
    if (case_part_exists(folder, CASE_COMMAND_FILE))
        return case_part_json(folder, CASE_COMMAND_FILE, &document, err) &&
               case_command_parse(command, json_root(document), arena, err);
    command->argv = line[0] ? shell_words(line, arena) : NULL;
    return !line[0] || command->argv || error_set(err, ERROR_FORMAT, "the case's command has an open quote: %s", line);
}
