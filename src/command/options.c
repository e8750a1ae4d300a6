/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/options.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/text.h"

#include <stdlib.h>

struct parser {
    const struct option_row *rows;
    char **argv;
    int argc, at; /* argv[at] is the word being read */
    char *values;
};

bool option_is_listed(const struct option_row *row)
{
    return row->kind != OPTION_HEADING && row->kind != OPTION_PEER;
}

static const struct option_row *row_by_letter(const struct option_row *rows, char letter)
{
    for (const struct option_row *row = rows; row->kind != OPTION_END; row++)
        if (option_is_listed(row) && letter && (row->letter == letter || row->also == letter))
            return row;
    return NULL;
}

/* One begins with the other, or they differ by a slip of the fingers. */
static bool looks_like(const char *word, const char *name)
{
    const size_t least = 3, length = strlen(word), name_length = strlen(name);
    const size_t shorter = length < name_length ? length : name_length;
    return length >= least && ((shorter >= least && strncmp(word, name, shorter) == 0) || text_is_slip(name, word));
}

/* What serves instead of an option that only perf has; NULL: it hasn't either. */
static const char *instead_of(const struct option_row *rows, char letter, struct view name)
{
    for (const struct option_row *row = rows; row->kind != OPTION_END; row++)
        if (row->kind == OPTION_PEER)
            return peer_option_instead(row->offset, letter, name);
    return NULL;
}

static bool refused_option(const char *instead, const char *word, struct error *err)
{
    error_set(err, ERROR_USAGE, "plumb has no option '%s'", word);
    return error_hint(err, "%s", instead);
}

/* Add the long options nearest to word to the message as a hint. */
static bool unknown_option(const struct option_row *rows, const char *word, struct error *err)
{
    error_set(err, ERROR_USAGE, "unknown option '%s'", word);
    char bare[80], nearest[200] = "";
    const char *name = word + strspn(word, "-");
    snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(name, "="), name);
    for (const struct option_row *row = rows; row->kind != OPTION_END; row++) {
        if (!option_is_listed(row) || !row->name)
            continue;
        size_t used = strlen(nearest);
        if (looks_like(bare, row->name))
            snprintf(nearest + used, sizeof(nearest) - used, "%s--%s", used ? ", " : "", row->name);
    }
    return nearest[0] ? error_hint(err, "did you mean %s?", nearest) : error_hint(err, "--help lists the options");
}

/* Whether an option has exactly that long name. */
static bool row_called(const struct option_row *rows, struct view name)
{
    for (const struct option_row *row = rows; row->kind != OPTION_END; row++)
        if (option_is_listed(row) && row->name && view_equal(name, row->name))
            return true;
    return false;
}

static bool row_by_name(const struct option_row *rows, struct view name, const struct option_row **ret_row,
                        const char *word, struct error *err)
{
    const struct option_row *prefix = NULL;
    int prefixes = 0;
    for (const struct option_row *row = rows; row->kind != OPTION_END; row++) {
        if (!option_is_listed(row) || !row->name)
            continue;
        if (view_equal(name, row->name)) {
            *ret_row = row;
            return true;
        }
        if (name.length && strncmp(row->name, name.text, name.length) == 0) {
            prefix = row;
            prefixes++;
        }
    }
    if (prefixes == 0)
        return unknown_option(rows, word, err);
    if (prefixes > 1) {
        unknown_option(rows, word, NULL);
        error_set(err, ERROR_USAGE, "option '%s' is ambiguous", word);
        return error_hint(err, "write it in full; --help lists the options");
    }
    *ret_row = prefix;
    return true;
}

static bool store_number(const struct option_row *row, void *member, const char *value, const char *word,
                         struct error *err)
{
    bool good = row->kind == OPTION_U64 ? view_u64(view_of(value), 0, member) : view_double(view_of(value), member);
    return good || error_set(err, ERROR_USAGE, "option '%s' expects a number, not '%s'", word, value);
}

/* -p A -p B is -p A,B. */
static void list_extend(char **list, const char *more)
{
    scoped_free char *before = *list;
    *list = before ? memory_printf("%s,%s", before, more) : memory_printf("%s", more);
}

static bool store(struct parser *parser, const struct option_row *row, const char *value, bool negated,
                  const char *word, struct error *err)
{
    void *member = parser->values + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)member = !negated;
        return true;
    case OPTION_COUNT:
        *(int *)member += 1;
        return true;
    case OPTION_TEXT:
        *(const char **)member = value;
        return true;
    case OPTION_LIST:
        list_extend(member, value);
        return true;
    case OPTION_OPTIONAL:
    case OPTION_LAST_OPTIONAL:
        *(const char **)member = value ? value : "";
        return true;
    case OPTION_TEXTS:
        *vec_push((struct option_texts *)member) = value;
        return true;
    case OPTION_TEXTS_NAMED:
        *vec_push((struct option_texts *)member) = row->name;
        *vec_push((struct option_texts *)member) = value;
        return true;
    case OPTION_U64:
    case OPTION_DOUBLE:
        return store_number(row, member, value, word, err);
    default:
        return true;
    }
}

static bool takes_value(const struct option_row *row)
{
    return row->kind == OPTION_TEXT || row->kind == OPTION_LAST_OPTIONAL || row->kind == OPTION_TEXTS ||
           row->kind == OPTION_TEXTS_NAMED || row->kind == OPTION_LIST || row->kind == OPTION_U64 ||
           row->kind == OPTION_DOUBLE;
}

static bool next_word(struct parser *parser, const struct option_row *row, const char *word, const char **ret_value,
                      struct error *err)
{
    bool last = parser->at + 1 >= parser->argc || parser->argv[parser->at + 1][0] == '-';
    if (row->kind == OPTION_LAST_OPTIONAL && last) {
        *ret_value = "";
        return true;
    }
    if (parser->at + 1 >= parser->argc)
        return error_set(err, ERROR_USAGE, "option '%s' expects a value", word);
    *ret_value = parser->argv[++parser->at];
    return true;
}

static bool parse_long(struct parser *parser, struct error *err)
{
    const char *word = parser->argv[parser->at];
    struct view rest = view_of(word + 2);
    const char *equals = strchr(word, '=');
    struct view name = view_cut(&rest, '=');
    const char *value = equals ? equals + 1 : NULL;
    const struct option_row *row = NULL;
    bool negated = false;
    bool named = row_called(parser->rows, name); /* "--no-inherit" is an option, not the opposite of one */
    const char *instead = named ? NULL : instead_of(parser->rows, 0, name);
    if (instead)
        return refused_option(instead, word, err);
    if (!named && view_starts(name, "no-")) {
        struct error ignored;
        negated = row_by_name(parser->rows, view_skip(name, 3), &row, word, &ignored) && row->kind == OPTION_FLAG;
        row = negated ? row : NULL;
    }
    if (!row && !row_by_name(parser->rows, name, &row, word, err))
        return false;
    if (!takes_value(row) && row->kind != OPTION_OPTIONAL && value)
        return error_set(err, ERROR_USAGE, "option '--%s' takes no value", row->name);
    if (takes_value(row) && !value && !next_word(parser, row, word, &value, err))
        return false;
    return store(parser, row, value, negated, word, err);
}

static bool parse_letters(struct parser *parser, struct error *err)
{
    const char *word = parser->argv[parser->at];
    for (const char *letter = word + 1; *letter; letter++) {
        const struct option_row *row = row_by_letter(parser->rows, *letter);
        const char *instead = row ? NULL : instead_of(parser->rows, *letter, (struct view){0});
        if (instead)
            return refused_option(instead, word, err);
        if (!row)
            return unknown_option(parser->rows, word, err);
        const char *value = letter[1] ? letter + 1 : NULL;
        bool valued = takes_value(row) || row->kind == OPTION_OPTIONAL;
        if (takes_value(row) && !value && !next_word(parser, row, word, &value, err))
            return false;
        if (!store(parser, row, value, false, word, err))
            return false;
        if (valued)
            return true;
    }
    return true;
}

/* Move argv[from] to position to, shifting what lies between. */
static void move_word(char **argv, int from, int to)
{
    char *word = argv[from];
    for (int at = from; at > to; at--)
        argv[at] = argv[at - 1];
    argv[to] = word;
}

/* --help, or -h where that means nothing else: as the first word main answers it, and here behind other options. */
static bool asks_for_help(const struct option_row *rows, const char *word)
{
    return strcmp(word, "--help") == 0 || (strcmp(word, "-h") == 0 && !row_by_letter(rows, 'h'));
}

bool options_parse(const struct option_row *rows, enum options_mode mode, int argc, char **argv, void *values,
                   int *ret_first_operand, struct error *err)
{
    struct parser parser = {.rows = rows, .argv = argv, .argc = argc, .at = 1, .values = values};
    int options_end = 1; /* options seen so far are argv[1 .. options_end) */
    for (; parser.at < argc; parser.at++) {
        char *word = argv[parser.at];
        int first = parser.at;
        bool ends = strcmp(word, "--") == 0;
        bool operand = word[0] != '-' || word[1] == '\0';
        if (operand && mode == OPTIONS_STOP_AT_OPERAND)
            break;
        if (operand)
            continue;
        if (asks_for_help(rows, word))
            return error_set(err, ERROR_HELP, "the options are asked for");
        if (!ends && !(word[1] == '-' ? parse_long(&parser, err) : parse_letters(&parser, err)))
            return false;
        for (; first <= parser.at; first++)
            move_word(argv, first, options_end++);
        if (ends)
            break;
    }
    *ret_first_operand = options_end;
    return true;
}

void options_done(const struct option_row *rows, void *values)
{
    for (const struct option_row *row = rows; row->kind != OPTION_END; row++) {
        void *member = (char *)values + row->offset;
        if (row->kind == OPTION_TEXTS)
            vec_done((struct option_texts *)member);
        if (row->kind == OPTION_LIST) {
            free(*(char **)member);
            *(char **)member = NULL;
        }
    }
}
