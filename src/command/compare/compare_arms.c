/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/compare/compare_arms.h"

#include "base/text.h"
#include "base/vec.h"
#include "command/compare/compare_treatment.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Words of one command. */
struct words {
    char **items;
    size_t count;
};

static bool is_assignment(const char *word)
{
    const char *at = word;
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    return at > word && *at == '=' && !isdigit((unsigned char)*word);
}

static char *words_joined(const struct words *words, struct arena *arena)
{
    char *line = arena_string(arena, "");
    for (size_t at = 0; at < words->count; at++)
        line = arena_printf(arena, "%s%s%s", line, at ? " " : "", words->items[at]);
    return line;
}

static char **argv_of(const struct words *words, bool shell, struct arena *arena)
{
    char **argv = arena_array(arena, char *, words->count + 4);
    if (shell) {
        argv[0] = arena_string(arena, "sh");
        argv[1] = arena_string(arena, "-c");
        argv[2] = words_joined(words, arena);
        return argv;
    }
    for (size_t at = 0; at < words->count; at++)
        argv[at] = words->items[at];
    return argv;
}

/* For all first, so that a command's own words win. */
static char **environment_of(const struct option_texts *for_all, const struct words *own, struct arena *arena)
{
    char **environment = arena_array(arena, char *, for_all->count + own->count + 1);
    for (size_t at = 0; at < for_all->count; at++)
        environment[at] = arena_string(arena, for_all->items[at]);
    for (size_t at = 0; at < own->count; at++)
        environment[for_all->count + at] = own->items[at];
    return environment;
}

static const char *label_of(size_t index, const struct compare_arms_options *options, const char *alternative,
                            struct arena *arena)
{
    if (index < options->labels.count)
        return options->labels.items[index];
    return alternative ? alternative : arena_printf(arena, "%c", 'A' + (char)index);
}

static bool arm_add(struct compare_arms *arms, struct words words, const char *alternative,
                    const struct compare_arms_options *options, struct arena *arena, struct error *err)
{
    size_t index = arms->count;
    if (index == COMPARE_ARMS_MOST)
        return error_set(err, ERROR_USAGE, "more than %d commands are too many to compare", COMPARE_ARMS_MOST);
    struct words own = {words.items, 0};
    while (!options->shell && own.count < words.count && is_assignment(words.items[own.count]))
        own.count++;
    words.items += own.count;
    words.count -= own.count;
    if (!words.count)
        return error_set(err, ERROR_USAGE, "command %zu is empty", index + 1);
    arms->items[arms->count++] = (struct experiment_arm){
        .label = label_of(index, options, alternative, arena),
        .argv = argv_of(&words, options->shell, arena),
        .environment = environment_of(&options->environment, &own, arena),
    };
    return true;
}

/* Alternatives: {a,b} in words of a single command; a blank ends them as it does in a shell, which code has there. */

struct braces {
    size_t word;
    struct view before, inside, after;
};

static bool braces_find(const struct words *words, struct braces *ret_braces)
{
    for (size_t at = 0; at < words->count; at++) {
        struct view word = view_of(words->items[at]);
        ptrdiff_t open = view_find(word, "{");
        if (open < 0)
            continue;
        struct view behind = view_skip(word, (size_t)open + 1);
        ptrdiff_t close = view_find(behind, "}");
        struct view inside = {behind.text, close < 0 ? 0 : (size_t)close};
        if (close < 0 || view_find(inside, ",") < 0 || view_find(inside, " ") >= 0)
            continue;
        *ret_braces = (struct braces){at, {word.text, (size_t)open}, inside, view_skip(behind, (size_t)close + 1)};
        return true;
    }
    return false;
}

/* The words with one alternative in place of the first braces. */
static struct words words_with(const struct words *words, const struct braces *braces, struct view alternative,
                               struct arena *arena)
{
    struct words chosen = {arena_array(arena, char *, words->count), words->count};
    for (size_t at = 0; at < words->count; at++)
        chosen.items[at] = words->items[at];
    chosen.items[braces->word] =
        arena_printf(arena, "%.*s%.*s%.*s", (int)braces->before.length, braces->before.text, (int)alternative.length,
                     alternative.text, (int)braces->after.length, braces->after.text);
    return chosen;
}

static bool alternatives_add(struct compare_arms *arms, struct words words, const char *label,
                             const struct compare_arms_options *options, struct arena *arena, struct error *err)
{
    struct braces braces;
    if (!braces_find(&words, &braces))
        return arm_add(arms, words, label, options, arena, err);
    struct view rest = braces.inside;
    for (bool more = true; more;) {
        more = view_find(rest, ",") >= 0;
        struct view alternative = view_cut(&rest, ',');
        const char *word =
            alternative.length ? arena_printf(arena, "%.*s", (int)alternative.length, alternative.text) : "(none)";
        const char *name = label ? arena_printf(arena, "%s,%s", label, word) : word;
        if (!alternatives_add(arms, words_with(&words, &braces, alternative, arena), name, options, arena, err))
            return false;
    }
    return true;
}

static size_t separators_in(char *const *argv)
{
    size_t count = 0;
    for (char *const *word = argv; *word; word++)
        count += strcmp(*word, "--") == 0;
    return count;
}

static bool environment_check(const struct option_texts *environment, struct error *err)
{
    for (size_t at = 0; at < environment->count; at++)
        if (!is_assignment(environment->items[at]))
            return error_set(err, ERROR_USAGE, "--env expects NAME=VALUE, not '%s'", environment->items[at]);
    return true;
}

bool compare_word_is_line(const char *word)
{
    return word && strpbrk(word, " \t") && access(word, F_OK) != 0;
}

/* "A -- -L name B" would run a program called -L. */
static bool command_check(struct words words, struct error *err)
{
    if (!words.count || words.items[0][0] != '-')
        return true;
    error_set(err, ERROR_USAGE, "'%s' stands where a command begins", words.items[0]);
    return error_hint(
        err, "options stand before the first command, a label for each in their order: plumb compare -L A -L B A -- B");
}

bool compare_arms_parse(struct compare_arms *arms, char *const *argv, const struct compare_arms_options *options,
                        const struct sysroot *root, struct arena *arena, struct error *err)
{
    *arms = (struct compare_arms){0};
    if (!environment_check(&options->environment, err))
        return false;
    /* a single command that is compared under several settings stays as it is */
    bool expands = separators_in(argv) == 0 && !treatments_have_values(&options->treatments);
    char **word = (char **)argv;
    for (bool more = true; more; word++) {
        struct words words = {word, 0};
        for (; *word && strcmp(*word, "--") != 0; word++)
            words.count++;
        more = *word != NULL;
        if (!command_check(words, err))
            return false;
        if (expands ? !alternatives_add(arms, words, NULL, options, arena, err)
                   : !arm_add(arms, words, NULL, options, arena, err))
            return false;
    }
    if (!treatments_apply(arms, &options->treatments, &options->labels, root, arena, err))
        return false;
    if (arms->count >= 2 && options->labels.count > arms->count)
        return error_set(err, ERROR_USAGE, "--label is given %zu times for %zu commands", options->labels.count,
                         arms->count);
    for (size_t at = 1; at < arms->count; at++)
        for (size_t before = 0; before < at; before++)
            if (strcmp(arms->items[at].label, arms->items[before].label) == 0)
                return error_set(err, ERROR_USAGE, "two commands are called '%s': -L gives them names",
                                 arms->items[at].label);
    if (arms->count < 2) {
        error_set(err, ERROR_USAGE,
                  "at least two commands are needed, with -- between them, '{alternatives}' in quotes, or --treatment "
                  "KEY=VALUE,VALUE");
        return error_hint(
            err,
            compare_word_is_line(argv[0])
                ? "a command with its arguments in one word is a line for the shell: plumb compare --shell 'A' -- 'B'"
                : "plumb compare [options] A [arguments] -- B [arguments]");
    }
    return true;
}
