/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/compare/compare_saved.h"

#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "command/compare/compare_arms.h"
#include "command/compare/compare_treatment.h"

#include <string.h>

static bool files_read(struct saved_runs *runs, char *const *files, struct error *err)
{
    for (char *const *file = files; *file; file++)
        if (strcmp(*file, "--") != 0 && !saved_runs_read(runs, *file, err))
            return false;
    if (runs->arm_count > COMPARE_ARMS_MOST)
        return error_set(err, ERROR_USAGE, "more than %d sets of runs are too many to compare", COMPARE_ARMS_MOST);
    if (runs->arm_count < 2)
        return error_set(err, ERROR_USAGE, "--saved expects files that hold two sets of runs or more together");
    return true;
}

/* Two files may both hold an "A": then the file says which, unless the user does. */
static bool labels_tell_apart(struct saved_runs *runs, const struct option_texts *labels, struct error *err)
{
    for (size_t at = 0; at < labels->count && at < runs->arm_count; at++)
        runs->arms[at].label = labels->items[at];
    if (labels->count > runs->arm_count)
        return error_set(err, ERROR_USAGE, "--label is given %zu times for %zu sets of runs", labels->count,
                         runs->arm_count);
    for (size_t at = 1; at < runs->arm_count; at++)
        for (size_t before = 0; before < at; before++)
            if (strcmp(runs->arms[at].label, runs->arms[before].label) == 0)
                runs->arms[at].label =
                    arena_printf(&runs->arena, "%s of %s", runs->arms[at].label, runs->arms[at].file);
    return true;
}

/* Several arms of one file have the same machine. */
static void keep_distinct(struct compare_saved *saved, const struct surroundings_difference *found, size_t count)
{
    for (size_t at = 0; at < count && saved->difference_count < COMPARE_DIFFERENCES_MOST; at++) {
        bool known = false;
        for (size_t before = 0; before < saved->difference_count; before++)
            known |= strcmp(saved->differences[before].name, found[at].name) == 0 &&
                     strcmp(saved->differences[before].b, found[at].b) == 0;
        if (!known)
            saved->differences[saved->difference_count++] = found[at];
    }
}

static void machines_compare(struct compare_saved *saved, const struct saved_runs *runs, struct arena *arena)
{
    const struct saved_arm *first = &runs->arms[0];
    for (size_t at = 0; at < runs->arm_count; at++)
        saved->unknown |= !runs->arms[at].has_surroundings;
    for (size_t at = 1; at < runs->arm_count && first->has_surroundings; at++) {
        struct surroundings_difference found[COMPARE_DIFFERENCES_MOST];
        if (runs->arms[at].has_surroundings)
            keep_distinct(saved, found,
                          surroundings_compare(&first->surroundings, &runs->arms[at].surroundings, found,
                                               COMPARE_DIFFERENCES_MOST, arena));
    }
}

/* NULL: not told. */
static const char *setting_find(const struct saved_arm *arm, const char *name)
{
    for (size_t at = 0; at < arm->setting_count; at++)
        if (strcmp(arm->settings[at].name, name) == 0)
            return arm->settings[at].value;
    return NULL;
}

static const char *setting_of(const struct saved_arm *arm, const char *name)
{
    const char *value = setting_find(arm, name);
    return value ? value : arm->is_case ? SAVED_NOT_SET : "as it was";
}

/*
 * A case has its whole environment, which can be held against another case's alone; other files have what was declared.
 */
static bool are_settings_told(const struct saved_arm *arm, const struct saved_arm *other)
{
    return !arm->is_case || (other->is_case && other->setting_count);
}

/* What one file's arms were given was declared then; what differs between files is a difference of the machines. */
static void setting_compare(struct compare_saved *saved, const struct saved_arm *a, const struct saved_arm *b,
                            const char *name, struct arena *arena)
{
    const char *of_a = setting_of(a, name), *of_b = setting_of(b, name);
    if (strcmp(of_a, of_b) == 0)
        return;
    name = arena_string(arena, name);
    of_a = arena_string(arena, of_a);
    of_b = arena_string(arena, of_b);
    if (strcmp(a->file, b->file) == 0) {
        *vec_push(&saved->facts) = (struct fact_difference){.name = name, .a = of_a, .b = of_b, .declared = true};
    } else {
        struct surroundings_difference found = {name, of_a, of_b};
        keep_distinct(saved, &found, 1);
    }
}

static void settings_differ(struct compare_saved *saved, const struct saved_runs *runs, struct arena *arena)
{
    const struct saved_arm *first = &runs->arms[0];
    for (size_t at = 1; at < runs->arm_count; at++) {
        const struct saved_arm *arm = &runs->arms[at];
        for (size_t item = 0; item < arm->setting_count && are_settings_told(arm, first); item++)
            setting_compare(saved, first, arm, arm->settings[item].name, arena);
        for (size_t item = 0; item < first->setting_count && are_settings_told(first, arm); item++)
            if (!setting_find(arm, first->settings[item].name))
                setting_compare(saved, first, arm, first->settings[item].name, arena);
    }
}

static bool machines_check(const struct compare_saved *saved, const struct compare_saved_request *request,
                           struct error *err)
{
    scoped_text struct text line = {0};
    for (size_t at = 0; at < saved->difference_count; at++)
        if (!treatment_declares(request->treatments, saved->differences[at].name))
            text_printf(&line, "%s%s ('%s', '%s')", line.length ? ", " : "", saved->differences[at].name,
                        saved->differences[at].a, saved->differences[at].b);
    if (!line.length || request->force)
        return true;
    error_set(err, ERROR_UNSUPPORTED,
              "the machines, or what the programs were given, differ, so that times tell nothing of the programs: %s",
              text_string(&line));
    return error_hint(err, "--treatment NAME where that difference is what you want to see, or --force");
}

/* A fact that is declared and doesn't differ is a slip, or a comparison of something else than was meant. */
static bool treatments_check(const struct compare_saved *saved, const struct compare_saved_request *request,
                             struct error *err)
{
    for (size_t at = 0; at < request->treatments->count; at++) {
        bool differs = false;
        for (size_t other = 0; other < saved->difference_count; other++)
            differs |= treatment_names(request->treatments->items[at], saved->differences[other].name);
        if (!differs)
            return error_set(err, ERROR_USAGE, "--treatment %s: the files' machines don't differ in that",
                             request->treatments->items[at]);
    }
    return true;
}

bool compare_saved_read(struct compare_saved *saved, const struct compare_saved_request *request,
                        struct run_table *ret_table, struct arena *arena, struct error *err)
{
    scoped(saved_runs_done) struct saved_runs runs;
    saved_runs_init(&runs);
    if (!files_read(&runs, request->files, err) || !labels_tell_apart(&runs, request->labels, err))
        return false;
    machines_compare(saved, &runs, arena);
    settings_differ(saved, &runs, arena);
    saved->paired = saved_runs_are_paired(&runs);
    for (size_t at = 0; at < runs.arm_count; at++)
        saved->only_means |= runs.arms[at].only_means;
    if (runs.arms[0].is_case && runs.arms[1].is_case) {
        saved->case_a = arena_string(arena, runs.arms[0].file);
        saved->case_b = arena_string(arena, runs.arms[1].file);
    }
    for (size_t at = 0; at < saved->difference_count; at++) { /* they outlive the files */
        saved->differences[at].a = arena_string(arena, saved->differences[at].a);
        saved->differences[at].b = arena_string(arena, saved->differences[at].b);
    }
    saved_runs_table(&runs, ret_table);
    return machines_check(saved, request, err) && treatments_check(saved, request, err);
}
