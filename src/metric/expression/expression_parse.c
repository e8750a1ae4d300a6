/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hashmap.h"
#include "base/vec.h"
#include "metric/expression/expression.h"
#include "metric/expression/expression_step.h"

#include <ctype.h>

/* Formulas as published nest 30 deep; this much fits any stack. */
enum { DEPTH_MOST = 200, TEXT_MOST = 1 << 20 };

struct parser {
    struct view whole, rest;
    enum expression_dialect dialect;
    struct arena *arena;
    struct error *err;
    vec(struct expression_step) steps;
    vec(struct expression_name) names;
    size_t depth, held, held_most;
};

static bool fail(struct parser *parser, const char *expected)
{
    size_t column = parser->whole.length - parser->rest.length + 1;
    struct view near = parser->rest;
    if (near.length > 40)
        near.length = 40;
    if (!near.length)
        return error_set(parser->err, ERROR_FORMAT, "%s was expected at the end of the formula", expected);
    return error_set(parser->err, ERROR_FORMAT, "%s was expected at column %zu, at '%.*s'", expected, column,
                     (int)near.length, near.text);
}

static void blanks_skip(struct parser *parser)
{
    while (parser->rest.length && isspace((unsigned char)parser->rest.text[0]))
        parser->rest = view_skip(parser->rest, 1);
}

/* Take a mark whose characters may stand apart ("> ="). */
static bool mark_take(struct parser *parser, const char *mark)
{
    struct view before = parser->rest;
    for (; *mark; mark++) {
        blanks_skip(parser);
        if (!parser->rest.length || parser->rest.text[0] != *mark) {
            parser->rest = before;
            return false;
        }
        parser->rest = view_skip(parser->rest, 1);
    }
    return true;
}

/* Add a step that takes `taken` values and gives one. */
static void step_add(struct parser *parser, enum expression_operation operation, size_t taken)
{
    *vec_push(&parser->steps) = (struct expression_step){.operation = operation};
    parser->held = parser->held - taken + 1;
    if (parser->held > parser->held_most)
        parser->held_most = parser->held;
}

static void number_add(struct parser *parser, double number)
{
    step_add(parser, STEP_NUMBER, 0);
    parser->steps.items[parser->steps.count - 1].number = number;
}

static void name_add(struct parser *parser, const char *name, enum expression_use use)
{
    size_t at = 0;
    while (at < parser->names.count &&
           (parser->names.items[at].use != use || strcmp(parser->names.items[at].name, name)))
        at++;
    if (at == parser->names.count)
        *vec_push(&parser->names) = (struct expression_name){name, use};
    step_add(parser, STEP_NAME, 0);
    parser->steps.items[parser->steps.count - 1].name = (uint32_t)at;
}

static bool is_name_char(const struct parser *parser, size_t at, bool in_modifiers)
{
    char c = parser->rest.text[at];
    if (isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':')
        return true;
    if (parser->dialect == EXPRESSION_LINUX)
        return c == '@' || c == '?';
    return c == '[' || c == ']' || (in_modifiers && c == '=' && at + 1 < parser->rest.length &&
                                     isalnum((unsigned char)parser->rest.text[at + 1]));
}

/* How long the name is that starts here. */
static size_t name_length(const struct parser *parser)
{
    size_t at = 0;
    bool in_modifiers = false;
    while (at < parser->rest.length) {
        size_t escaped = at;
        while (parser->dialect == EXPRESSION_LINUX && escaped < parser->rest.length &&
               parser->rest.text[escaped] == '\\')
            escaped++;
        if (escaped > at && escaped < parser->rest.length && isprint((unsigned char)parser->rest.text[escaped]))
            at = escaped + 1;
        else if (is_name_char(parser, at, in_modifiers))
            in_modifiers |= parser->rest.text[at++] == ':';
        else
            break;
    }
    return at;
}

/* Digits, a point, an exponent: how long the number is that starts here. */
static size_t number_length(struct view text)
{
    size_t at = 0, digits = 0;
    for (; at < text.length && (isdigit((unsigned char)text.text[at]) || text.text[at] == '.'); at++)
        digits += text.text[at] != '.';
    if (!digits)
        return 0;
    size_t exponent = at;
    if (exponent < text.length && (text.text[exponent] == 'e' || text.text[exponent] == 'E')) {
        exponent++;
        if (exponent < text.length && (text.text[exponent] == '-' || text.text[exponent] == '+'))
            exponent++;
        if (exponent < text.length && isdigit((unsigned char)text.text[exponent]))
            for (at = exponent; at < text.length && isdigit((unsigned char)text.text[at]); at++)
                ;
    }
    return at;
}

/* The name's text without its escapes: "\-" is "-", and so is "\\-", for JSON text is sometimes escaped twice. */
static const char *name_text(struct parser *parser, struct view name)
{
    char *text = arena_string_n(parser->arena, name.text, name.length), *to = text;
    for (size_t at = 0; at < name.length; at++)
        if (name.text[at] != '\\' || parser->dialect != EXPRESSION_LINUX)
            *to++ = name.text[at];
    *to = '\0';
    return text;
}

static bool if_parse(struct parser *parser);

static bool closing_take(struct parser *parser)
{
    return mark_take(parser, ")") || fail(parser, "')'");
}

/* (a, b) */
static bool pair_parse(struct parser *parser, enum expression_operation operation)
{
    if (!if_parse(parser))
        return false;
    if (!mark_take(parser, ","))
        return fail(parser, "','");
    if (!if_parse(parser) || !closing_take(parser))
        return false;
    step_add(parser, operation, 2);
    return true;
}

/* (NAME) */
static bool name_argument_parse(struct parser *parser, enum expression_use use)
{
    blanks_skip(parser);
    struct view name = {parser->rest.text, name_length(parser)};
    if (!name.length)
        return fail(parser, "a name");
    parser->rest = view_skip(parser->rest, name.length);
    name_add(parser, name_text(parser, name), use);
    return closing_take(parser);
}

static const struct {
    const char *name;
    enum expression_operation operation; /* of two values; or */
    enum expression_use use;             /* of a name, when not EXPRESSION_USE_VALUE */
} functions[] = {
    {"min", STEP_MINIMUM, EXPRESSION_USE_VALUE},
    {"max", STEP_MAXIMUM, EXPRESSION_USE_VALUE},
    {"d_ratio", STEP_DIVIDE, EXPRESSION_USE_VALUE},
    {"has_event", STEP_NAME, EXPRESSION_USE_HAS_EVENT},
    {"source_count", STEP_NAME, EXPRESSION_USE_SOURCE_COUNT},
    {"strcmp_cpuid_str", STEP_NAME, EXPRESSION_USE_CPU_MATCHES},
};

static bool name_parse(struct parser *parser, struct view name)
{
    struct view behind = view_skip(parser->rest, name.length);
    if (view_equal(name, "if") || view_equal(name, "else"))
        return fail(parser, "a value");
    parser->rest = behind;
    if (view_equal(name, "NaN") || view_equal(name, "nan")) {
        step_add(parser, STEP_UNKNOWN, 0);
        return true;
    }
    for (size_t at = 0; at < array_count(functions); at++)
        if (view_equal(name, functions[at].name) && mark_take(parser, "("))
            return functions[at].use == EXPRESSION_USE_VALUE ? pair_parse(parser, functions[at].operation)
                                                             : name_argument_parse(parser, functions[at].use);
    name_add(parser, name_text(parser, name), EXPRESSION_USE_VALUE);
    return true;
}

/* "#smt_on" and its kin: letters, digits, _ . - behind a '#'. */
static bool literal_parse(struct parser *parser)
{
    size_t length = 1;
    while (length < parser->rest.length && (isalnum((unsigned char)parser->rest.text[length]) ||
                                            (parser->rest.text[length] && strchr("_.-", parser->rest.text[length]))))
        length++;
    if (length == 1)
        return fail(parser, "a name behind '#'");
    struct view name = {parser->rest.text, length};
    parser->rest = view_skip(parser->rest, length);
    name_add(parser, arena_string_n(parser->arena, name.text, name.length), EXPRESSION_USE_VALUE);
    return true;
}

static bool group_parse(struct parser *parser)
{
    if (!if_parse(parser))
        return false;
    return closing_take(parser);
}

static bool primary_parse(struct parser *parser)
{
    blanks_skip(parser);
    if (parser->rest.length && parser->rest.text[0] == '#')
        return literal_parse(parser);
    if (mark_take(parser, "("))
        return group_parse(parser);
    size_t digits = number_length(parser->rest), length = name_length(parser);
    double number;
    if (digits && digits >= length) { /* longest match: 128b is a name */
        if (!view_double((struct view){parser->rest.text, digits}, &number))
            return fail(parser, "a number");
        parser->rest = view_skip(parser->rest, digits);
        number_add(parser, number);
        return true;
    }
    return length ? name_parse(parser, (struct view){parser->rest.text, length}) : fail(parser, "a value");
}

/* Signs in front are counted, not nested: a long row of them is no depth. */
static bool unary_parse(struct parser *parser)
{
    blanks_skip(parser);
    if (mark_take(parser, "-")) {
        if (++parser->depth > DEPTH_MOST)
            return fail(parser, "less nesting");
        if (!unary_parse(parser))
            return false;
        parser->depth--;
        step_add(parser, STEP_NEGATE, 1);
        return true;
    }
    if (parser->rest.length && parser->rest.text[0] == '!' && mark_take(parser, "!")) {
        if (++parser->depth > DEPTH_MOST)
            return fail(parser, "less nesting");
        if (!unary_parse(parser))
            return false;
        parser->depth--;
        step_add(parser, STEP_NOT, 1);
        return true;
    }
    return primary_parse(parser);
}

/* Binary operators from loosest to tightest; longer marks before their beginnings. */
static const struct {
    const char *mark;
    unsigned level;
    enum expression_operation operation;
} operators[] = {
    {"||", 0, STEP_OR},      {"|", 0, STEP_OR},           {"^", 1, STEP_XOR},           {"&&", 2, STEP_AND},
    {"&", 2, STEP_AND},      {"<=", 3, STEP_LESS_EQUAL},  {">=", 3, STEP_GREATER_EQUAL}, {"==", 3, STEP_EQUAL},
    {"!=", 3, STEP_UNEQUAL}, {"<", 3, STEP_LESS},         {">", 3, STEP_GREATER},       {"+", 4, STEP_ADD},
    {"-", 4, STEP_SUBTRACT}, {"*", 5, STEP_MULTIPLY},     {"/", 5, STEP_DIVIDE},        {"%", 5, STEP_REMAINDER},
};

enum { LEVEL_COUNT = 6 };

/* The operator of this level that stands here, or the table's length. */
static size_t operator_take(struct parser *parser, unsigned level)
{
    for (size_t at = 0; at < array_count(operators); at++)
        if (operators[at].level == level && mark_take(parser, operators[at].mark))
            return at;
    return array_count(operators);
}

static bool binary_parse(struct parser *parser, unsigned level)
{
    if (level == LEVEL_COUNT)
        return unary_parse(parser);
    if (!binary_parse(parser, level + 1))
        return false;
    for (size_t found; (found = operator_take(parser, level)) < array_count(operators);) {
        if (!binary_parse(parser, level + 1))
            return false;
        step_add(parser, operators[found].operation, 2);
    }
    return true;
}

static bool word_take(struct parser *parser, const char *word)
{
    blanks_skip(parser);
    size_t length = strlen(word);
    if (!view_starts(parser->rest, word))
        return false;
    char next = parser->rest.length > length ? parser->rest.text[length] : ' ';
    if (isalnum((unsigned char)next) || next == '_' || next == '.')
        return false;
    parser->rest = view_skip(parser->rest, length);
    return true;
}

/* a, or "a if c else b", whose b may be another. */
static bool if_parse(struct parser *parser)
{
    if (++parser->depth > DEPTH_MOST)
        return fail(parser, "less nesting");
    if (!binary_parse(parser, 0))
        return false;
    if (word_take(parser, "if")) {
        if (!binary_parse(parser, 0))
            return false;
        if (!word_take(parser, "else"))
            return fail(parser, "'else'");
        if (!if_parse(parser))
            return false;
        step_add(parser, STEP_CHOOSE, 3);
    }
    parser->depth--;
    return true;
}

bool expression_parse(struct expression *expression, struct view text, enum expression_dialect dialect,
                      struct arena *arena, struct error *err)
{
    struct parser parser = {.whole = text, .rest = text, .dialect = dialect, .arena = arena, .err = err};
    bool good = text.length < TEXT_MOST || error_set(err, ERROR_LIMIT, "a formula of %zu bytes", text.length);
    good = good && if_parse(&parser);
    blanks_skip(&parser);
    if (good && parser.rest.length)
        good = fail(&parser, "an operator");
    if (good)
        *expression = (struct expression){
            .steps = arena_copy(arena, parser.steps.items, parser.steps.count * sizeof(*parser.steps.items)),
            .step_count = parser.steps.count,
            .names = arena_copy(arena, parser.names.items, parser.names.count * sizeof(*parser.names.items)),
            .name_count = parser.names.count,
            .stack_most = parser.held_most,
        };
    vec_done(&parser.steps);
    vec_done(&parser.names);
    return good;
}
