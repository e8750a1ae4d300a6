/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/compare/compare_gap.h"

#include "base/scope.h"
#include "base/vec.h"
#include "capture/case/case_command.h"

#include <stdarg.h>

void gap_note(struct gap_notes *notes, struct arena *arena, const char *format, ...)
{
    scoped_text struct text text = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    if (notes->count < array_count(notes->items))
        notes->items[notes->count++] = arena_string(arena, text_string(&text));
}

struct checking {
    const struct gap_case *host, *guest;
    bool force;
    struct gap_notes *notes;
    struct arena *arena;
    struct error *err;
};

/* An error, or with --force a note. */
__attribute__((format(printf, 3, 4))) static bool refuse(struct checking *checking, const char *hint,
                                                         const char *format, ...)
{
    scoped_text struct text text = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    if (checking->force) {
        gap_note(checking->notes, checking->arena, "forced: %s", text_string(&text));
        return true;
    }
    error_set(checking->err, ERROR_UNSUPPORTED, "%s", text_string(&text));
    return error_hint(checking->err, "%s", hint);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* ---- is each what it is given as ---- */

static bool guest_check(struct checking *checking)
{
    const struct surroundings *machine = checking->guest->loaded.results.surroundings;
    if (!machine)
        return refuse(checking, "plumb diagnose keeps them as machine.json; --force takes it for a guest's as it is",
                      "the guest's case '%s' has no machine facts: whether it was made in a guest isn't known",
                      checking->guest->folder);
    if (!machine->is_guest)
        return refuse(checking, "--host takes the case of a host; --force holds two hosts against each other",
                      "the guest's case '%s' was not made in a guest (%s)", checking->guest->folder,
                      machine->hypervisor[0] ? machine->hypervisor : "no hypervisor was seen");
    return true;
}

static bool host_check(struct checking *checking)
{
    const struct surroundings *machine = checking->host->loaded.results.surroundings;
    if (!machine)
        return refuse(checking, "plumb diagnose keeps them as machine.json; --force takes it for a host's as it is",
                      "the host's case '%s' has no machine facts: whether it was made on a host isn't known",
                      checking->host->folder);
    if (machine->is_guest)
        return refuse(checking, "--force holds two guests against each other: what the first pays is then taken off",
                      "the host's case '%s' was made in a guest, too (%s)", checking->host->folder,
                      machine->hypervisor);
    return true;
}

static bool end_check(struct checking *checking, const struct gap_case *side)
{
    const struct case_manifest *manifest = &side->loaded.manifest;
    if (strcmp(manifest->scope, "imported") == 0)
        return refuse(checking, "plumb diagnose --case DIR -- COMMAND measures one",
                      "the %s's case '%s' holds imported tables only: nothing of it was measured", side->name,
                      side->folder);
    if (!manifest->child_ended || manifest->child_exit_code == 0)
        return true;
    return refuse(checking, "--force splits the times all the same",
                  "the %s's program ended with status %d: its time means nothing", side->name,
                  manifest->child_exit_code);
}

/* ---- is it the same work ---- */

static bool words_are_alike(char *const *a, char *const *b)
{
    if (!a || !b || !a[0] || !b[0] || strcmp(base_name(a[0]), base_name(b[0])) != 0)
        return (!a || !a[0]) && (!b || !b[0]);
    size_t at = 1;
    while (a[at] && b[at] && strcmp(a[at], b[at]) == 0)
        at++;
    return !a[at] && !b[at];
}

static const char *line_of(const struct gap_case *side)
{
    const struct case_manifest *manifest = &side->loaded.manifest;
    return manifest->command[0]          ? manifest->command
           : manifest->target_options[0] ? manifest->target_options
                                         : "what ran already";
}

static const char *input_of(const struct case_command *command)
{
    return command->input == CASE_INPUT_FILE && command->input_file ? base_name(command->input_file)
           : command->input == CASE_INPUT_STREAM                    ? "a pipe"
           : command->input == CASE_INPUT_NONE                      ? "none"
                                                                    : NULL;
}

static void variables_compare(struct checking *checking, const struct case_command *a, const struct case_command *b)
{
    for (size_t at = 0; at < a->variable_count; at++)
        for (size_t other = 0; other < b->variable_count; other++) {
            const char *of_a = a->variables[at].value ? a->variables[at].value : "not set";
            const char *of_b = b->variables[other].value ? b->variables[other].value : "not set";
            bool paths = strcmp(a->variables[at].name, "PATH") == 0; /* finds the program, whose words were compared */
            if (!paths && strcmp(a->variables[at].name, b->variables[other].name) == 0 && strcmp(of_a, of_b) != 0)
                gap_note(checking->notes, checking->arena,
                         "environment differs: %s is '%s' on the host, '%s' in the guest", a->variables[at].name, of_a,
                         of_b);
        }
}

static bool command_check(struct checking *checking)
{
    const struct gap_case *host = checking->host, *guest = checking->guest;
    struct case_command a, b;
    if (strcmp(host->loaded.manifest.scope, guest->loaded.manifest.scope) != 0)
        return refuse(checking, "make both cases in the same way; --force splits the times all the same",
                      "the host's case is of a target that was %s, the guest's of one that was %s",
                      host->loaded.manifest.scope, guest->loaded.manifest.scope);
    if (!case_command_read(&a, host->folder, host->loaded.manifest.command, checking->arena, checking->err) ||
        !case_command_read(&b, guest->folder, guest->loaded.manifest.command, checking->arena, checking->err))
        return false;
    if (strcmp(host->loaded.manifest.scope, "started") == 0 && !words_are_alike(a.argv, b.argv))
        return refuse(checking, "both cases are to be of the same command; --force splits the times all the same",
                      "the commands differ: '%s' on the host, '%s' in the guest", line_of(host), line_of(guest));
    const char *input_a = input_of(&a), *input_b = input_of(&b);
    if (input_a && input_b && strcmp(input_a, input_b) != 0 &&
        !refuse(checking, "run both on the same input; --force splits the times all the same",
                "the inputs differ: standard input is '%s' on the host, '%s' in the guest", input_a, input_b))
        return false;
    variables_compare(checking, &a, &b);
    return true;
}

/* ---- what else differs ---- */

static bool is_same_build(const struct bundle_function *a, const struct bundle_function *b)
{
    return a->build_id.size_bytes == b->build_id.size_bytes &&
           memcmp(a->build_id.bytes, b->build_id.bytes, a->build_id.size_bytes) == 0;
}

/* The first function of each binary stands for it: functions are sorted by binary. */
static void binaries_compare(struct checking *checking)
{
    const struct code_bundle *a = &checking->host->loaded.bundle, *b = &checking->guest->loaded.bundle;
    for (size_t at = 0; checking->host->loaded.has_bundle && checking->guest->loaded.has_bundle && at < b->count;
         at++) {
        const struct bundle_function *here = &b->functions[at];
        if (here->is_kernel || !here->build_id.size_bytes || (at && strcmp(b->functions[at - 1].dso, here->dso) == 0))
            continue;
        const struct bundle_function *found = NULL;
        bool same = false;
        for (size_t other = 0; other < a->count; other++) {
            const struct bundle_function *there = &a->functions[other];
            if (there->is_kernel || !there->build_id.size_bytes ||
                strcmp(base_name(there->dso), base_name(here->dso)) != 0)
                continue;
            found = there;
            same |= is_same_build(here, there);
        }
        if (found && !same)
            gap_note(checking->notes, checking->arena,
                     "binaries differ: %s is another build on the host than in the guest (build ids)",
                     base_name(here->dso));
    }
}

/* What components and the header say already is left out. */
static void machines_compare(struct checking *checking)
{
    static const char *const said[] = {"hypervisor", "instruction_sets", "clocksource", "kernel",
                                       "cpu",        "mitigations",      "confidential"};
    const struct surroundings *a = checking->host->loaded.results.surroundings,
                              *b = checking->guest->loaded.results.surroundings;
    struct surroundings_difference found[24];
    size_t count = a && b ? surroundings_compare(a, b, found, array_count(found), checking->arena) : 0;
    for (size_t at = 0; at < count; at++) {
        bool known = false;
        for (size_t word = 0; word < array_count(said); word++)
            known |= strcmp(found[at].name, said[word]) == 0;
        if (!known)
            gap_note(checking->notes, checking->arena, "machines differ: %s is '%s' on the host, '%s' in the guest",
                     found[at].name, found[at].a, found[at].b);
    }
}

bool compare_gap_check(const struct gap_case *host, const struct gap_case *guest, bool force, struct gap_notes *notes,
                       struct arena *arena, struct error *err)
{
    struct checking checking = {host, guest, force, notes, arena, err};
    if (!end_check(&checking, guest) || !guest_check(&checking))
        return false;
    if (!host)
        return true;
    if (!end_check(&checking, host) || !host_check(&checking) || !command_check(&checking))
        return false;
    binaries_compare(&checking);
    machines_compare(&checking);
    return true;
}
