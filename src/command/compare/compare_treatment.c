/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/compare/compare_treatment.h"

#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"

#include <string.h>

static struct view key_of(const char *treatment)
{
    struct view rest = view_of(treatment);
    return view_trim(view_cut(&rest, '='));
}

bool treatment_names(const char *treatment, const char *fact)
{
    scoped(arena_done) struct arena arena;
    arena_init(&arena);
    struct view key = key_of(treatment);
    const char *switched = run_settings_fact(arena_printf(&arena, "%.*s", (int)key.length, key.text));
    return view_equal(key, fact) || (switched && strcmp(switched, fact) == 0);
}

bool treatment_declares(const struct option_texts *treatments, const char *fact)
{
    for (size_t at = 0; at < treatments->count; at++)
        if (treatment_names(treatments->items[at], fact))
            return true;
    return false;
}

/* Settings for the arms. */

/* Commas part values, but where a value has commas itself, slashes do. */
static char separator_of(struct view values)
{
    return view_find(values, "/") >= 0 ? '/' : ',';
}

static size_t values_count(struct view values)
{
    size_t count = 1;
    for (size_t at = 0; at < values.length; at++)
        count += values.text[at] == separator_of(values);
    return count;
}

static bool arms_multiply(struct compare_arms *arms, size_t count, struct error *err)
{
    if (count > COMPARE_ARMS_MOST)
        return error_set(err, ERROR_USAGE, "more than %d commands are too many to compare", COMPARE_ARMS_MOST);
    for (size_t at = 1; at < count; at++)
        arms->items[at] = arms->items[0];
    for (size_t at = 0; at < count; at++)
        arms->items[at].label = NULL;
    arms->count = count;
    return true;
}

/* Of copies of one command: their settings tell them apart. */
static const char *label_with(const char *label, const char *key, const char *value, struct arena *arena)
{
    return label ? arena_printf(arena, "%s,%s", label, value) : arena_printf(arena, "%s=%s", key, value);
}

static bool treatment_apply(struct compare_arms *arms, struct run_settings *settings, struct view key,
                            struct view values, const struct sysroot *root, struct arena *arena, struct error *err)
{
    size_t count = values_count(values);
    const char *name = arena_printf(arena, "%.*s", (int)key.length, key.text);
    char separator = separator_of(values);
    if (arms->count == 1) {
        arms->of_one_command = true;
        if (!arms_multiply(arms, count, err))
            return false;
    }
    if (count != arms->count)
        return error_set(err, ERROR_USAGE, "--treatment %s has %zu value%s for %zu commands", name, count,
                         count == 1 ? "" : "s", arms->count);
    for (size_t at = 0; at < count; at++) {
        struct view value = view_trim(view_cut(&values, separator));
        const char *text = arena_printf(arena, "%.*s", (int)value.length, value.text);
        if (!run_settings_add(&settings[at], name, text, root, arena, err))
            return error_wrap(err, "--treatment");
        arms->items[at].settings = &settings[at];
        if (arms->of_one_command)
            arms->items[at].label = label_with(arms->items[at].label, name, text, arena);
    }
    return true;
}

bool treatments_have_values(const struct option_texts *treatments)
{
    for (size_t at = 0; at < treatments->count; at++)
        if (strchr(treatments->items[at], '='))
            return true;
    return false;
}

bool treatments_apply(struct compare_arms *arms, const struct option_texts *treatments,
                      const struct option_texts *labels, const struct sysroot *root, struct arena *arena,
                      struct error *err)
{
    struct run_settings *settings = arena_array(arena, struct run_settings, COMPARE_ARMS_MOST + 1);
    for (size_t at = 0; at < treatments->count; at++) {
        struct view rest = view_of(treatments->items[at]);
        bool has_values = view_find(rest, "=") >= 0;
        struct view key = view_trim(view_cut(&rest, '='));
        if (has_values && !treatment_apply(arms, settings, key, rest, root, arena, err))
            return false;
    }
    for (size_t at = 0; at < labels->count && at < arms->count; at++)
        arms->items[at].label = labels->items[at];
    return true;
}

/* What differs. */

static void difference_add(struct fact_differences *differences, struct fact_difference found)
{
    vec_for_each(differences, known)
        if (strcmp(known->name, found.name) == 0 && strcmp(known->a, found.a) == 0 && strcmp(known->b, found.b) == 0)
            return;
    *vec_push(differences) = found;
}

static const struct run_fact *fact_of_first(const struct run_fact *facts, size_t count, const char *name)
{
    for (size_t at = 0; at < count; at++)
        if (strcmp(facts[at].name, name) == 0)
            return &facts[at];
    return NULL;
}

void facts_compare(struct fact_differences *differences, const struct run_fact *facts, size_t count,
                   const struct option_texts *treatments, struct arena *arena)
{
    for (size_t at = 0; at < count; at++) {
        const struct run_fact *fact = &facts[at], *first = fact_of_first(facts, count, fact->name);
        const char *a = first->value, *b = fact->other ? fact->other : fact->value;
        bool declared = treatment_declares(treatments, fact->name);
        if (strcmp(a, b) != 0)
            difference_add(differences, (struct fact_difference){.name = fact->name,
                                                                 .a = arena_string(arena, a),
                                                                 .b = arena_string(arena, b),
                                                                 .declared = declared,
                                                                 .voids = fact->is_machine && !declared});
    }
}

static const char *setting_value(const struct run_settings *settings, const char *key)
{
    for (size_t at = 0; settings && at < settings->count; at++)
        if (strcmp(settings->items[at].key, key) == 0)
            return settings->items[at].value;
    return "as it was";
}

/* "NAME" of NAME=VALUE as the arm has it; the last counts. */
static const char *environment_value(char *const *environment, const char *name, size_t length)
{
    const char *value = "not set here";
    for (; environment && *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            value = *environment + length + 1;
    return value;
}

static void environment_compare(struct fact_differences *differences, const struct experiment_arm *a,
                                const struct experiment_arm *b, char *const *names, struct arena *arena)
{
    for (char *const *entry = names; entry && *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        const char *of_a = environment_value(a->environment, *entry, length);
        const char *of_b = environment_value(b->environment, *entry, length);
        if (strcmp(of_a, of_b) != 0)
            difference_add(
                differences,
                (struct fact_difference){
                    .name = arena_printf(arena, "%.*s", (int)length, *entry), .a = of_a, .b = of_b, .declared = true});
    }
}

void settings_compare(struct fact_differences *differences, const struct compare_arms *arms, struct arena *arena)
{
    const struct experiment_arm *first = &arms->items[0];
    for (size_t at = 1; at < arms->count; at++) {
        const struct experiment_arm *arm = &arms->items[at];
        for (size_t item = 0; arm->settings && item < arm->settings->count; item++) {
            const char *key = arm->settings->items[item].key;
            struct fact_difference found = {.name = key, .a = setting_value(first->settings, key),
                                            .b = setting_value(arm->settings, key), .declared = true};
            if (strcmp(found.a, found.b) != 0)
                difference_add(differences, found);
        }
        environment_compare(differences, first, arm, first->environment, arena);
        environment_compare(differences, first, arm, arm->environment, arena);
    }
}

size_t settings_list(const struct compare_arms *arms, size_t arm_count, struct arm_setting **ret_settings,
                     struct arena *arena)
{
    size_t count = 0, most = 0;
    for (size_t at = 0; at < arm_count; at++) {
        most += arms->items[at].settings ? arms->items[at].settings->count : 0;
        for (char *const *entry = arms->items[at].environment; entry && *entry; entry++)
            most++;
    }
    struct arm_setting *settings = arena_array(arena, struct arm_setting, most + 1);
    for (size_t at = 0; at < arm_count; at++) {
        const struct experiment_arm *arm = &arms->items[at];
        for (size_t item = 0; arm->settings && item < arm->settings->count; item++)
            settings[count++] =
                (struct arm_setting){at, arm->settings->items[item].key, arm->settings->items[item].value};
        for (char *const *entry = arm->environment; entry && *entry; entry++) {
            size_t length = strcspn(*entry, "=");
            settings[count++] =
                (struct arm_setting){at, arena_printf(arena, "%.*s", (int)length, *entry), *entry + length + 1};
        }
    }
    *ret_settings = settings;
    return count;
}

bool facts_check(const struct fact_differences *differences, struct error *err)
{
    scoped_text struct text line = {0};
    vec_for_each(differences, found)
        if (found->voids)
            text_printf(&line, "%s%s ('%s', '%s')", line.length ? ", " : "", found->name, found->a, found->b);
    if (!line.length)
        return true;
    error_set(err, ERROR_UNSUPPORTED,
              "the machine was not the same in all runs, so that times tell nothing of the programs: %s",
              text_string(&line));
    return error_hint(err, "--treatment NAME where that difference is what you want to see, or --force");
}
