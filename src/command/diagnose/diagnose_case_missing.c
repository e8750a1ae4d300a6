/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diagnose/diagnose_case_missing.h"

#include "base/scope.h"
#include "base/vec.h"
#include "capture/case/shell_line.h"
#include "symbol/code_bundle.h"
#include "symbol/symboliser.h"

#include <stdlib.h>
#include <string.h>

static const double CODE_LEAST_SHARE = 0.001;

/* What a folder must hold one of to be a case. */
static const char *const telling_parts[] = {"perf.data", "activity.json", "counters.json",
                                            "runs.json", "imports.json",  "statements.json"};

static bool folder_tells(const char *folder)
{
    for (size_t at = 0; at < array_count(telling_parts); at++)
        if (case_part_exists(folder, telling_parts[at]))
            return true;
    return false;
}

bool case_manifest_find(struct loaded_case *loaded, const char *folder, struct error *err)
{
    struct error unread = {0};
    scoped_json struct json_document *document = NULL;
    struct error ignored = {0};
    if (case_manifest_read(&loaded->manifest, folder, &loaded->arena, &unread))
        return true;
    bool is_there = case_part_exists(folder, "manifest.json");
    bool is_newer = is_there && case_part_json(folder, "manifest.json", &document, &ignored) &&
                    json_unsigned_or(json_member(json_root(document), "schema"), 0) > CASE_SCHEMA;
    if (is_newer || !folder_tells(folder)) {
        *err = unread;
        return false;
    }
    const double effect_usual = 0.05;
    loaded->manifest =
        (struct case_manifest){.command = "", .scope = "attached", .target_options = "", .effect = effect_usual};
    loaded->manifest_made_up = true;
    const char *why = "the case has no manifest.json";
    loaded->manifest.elapsed_s = loaded->manifest.user_s = loaded->manifest.system_s = not_measured(why);
    case_manifest_gap(&loaded->manifest, &loaded->arena, "what was run, and for how long",
                      is_there ? unread.message : why);
    for (unsigned number = 1; number <= CASE_RUNS_MOST; number++) {
        char *name = case_recording_name(number);
        bool has = case_part_exists(folder, name);
        if (has)
            case_manifest_part(&loaded->manifest, arena_string(&loaded->arena, name), "found in the folder");
        free(name);
        if (!has)
            break;
    }
    return true;
}

void case_part_leave_out(struct loaded_case *loaded, const char *file, const char *why)
{
    case_manifest_gap(&loaded->manifest, &loaded->arena, arena_printf(&loaded->arena, "%s of the case", file),
                      arena_printf(&loaded->arena, "it can't be read, and is left out: %s", why));
}

/* "-g -p 12" of "perf record -g -p 12": where the recorder's words end and the program's begin isn't kept. */
void case_manifest_complete(struct loaded_case *loaded)
{
    const struct source_facts *facts = &loaded->capture.facts;
    if (!loaded->manifest_made_up || !loaded->has_recording || !facts->command_line_count)
        return;
    char **words = arena_array(&loaded->arena, char *, facts->command_line_count + 1);
    size_t first = facts->command_line_count > 2 && strcmp(facts->command_line[1], "record") == 0 ? 2 : 0;
    for (size_t at = first; at < facts->command_line_count; at++)
        words[at - first] = arena_string(&loaded->arena, facts->command_line[at]);
    loaded->manifest.target_options = shell_line(words, &loaded->arena);
    struct host_scope scope = host_scope_of(facts->command_line, facts->command_line_count, &loaded->arena);
    if (host_scope_is_of_cpus(scope))
        loaded->manifest.scope = "machine";
}

void case_bundle_make(struct loaded_case *loaded)
{
    struct symboliser *symboliser = NULL;
    struct sysroot root;
    struct error why = {0};
    sysroot_init(&root, NULL);
    struct symboliser_options options = {
        .root = &root, .kernel_release = loaded->capture.facts.os_release, .demangle = true};
    if (!symboliser_new(&symboliser, &loaded->capture.recording, &options, &why)) {
        case_manifest_gap(&loaded->manifest, &loaded->arena, "names of functions", why.message);
        return;
    }
    code_bundle_make(&loaded->bundle, &loaded->capture.recording, symboliser, CODE_LEAST_SHARE, &loaded->arena);
    for (size_t at = 0; at < loaded->bundle.complaint_count && at < 4; at++)
        case_manifest_gap(&loaded->manifest, &loaded->arena, "some names", loaded->bundle.complaints[at]);
    symboliser_free(symboliser);
    loaded->has_bundle = true;
}
