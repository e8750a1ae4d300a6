/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/tracepoint_format.h"

#include <limits.h>
#include <string.h>

enum {
    FORMAT_BYTES_MOST = 256 << 10,
    NESTING_MOST = 48,
    OPERATORS_MOST = 8192, /* outside of strings; the library calls itself for some */
    RUN_MOST = 4           /* of operators: "~!-(" */
};

static bool is_word(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '_';
}

static bool all_of(struct view text, const char *others)
{
    for (size_t at = 0; at < text.length; at++)
        if (!is_word(text.text[at]) && (!text.text[at] || !strchr(others, text.text[at])))
            return false;
    return text.length > 0;
}

/* "name:" or "ID: " and what stands behind it up to the line's end. */
static bool read_line(struct view *rest, const char *begin, struct view *ret_value)
{
    struct view line;
    if (!view_line(rest, &line) || !view_starts(line, begin))
        return false;
    *ret_value = view_skip(line, strlen(begin));
    return true;
}

static bool read_number_part(struct view *line, const char *begin, uint64_t most)
{
    uint64_t value;
    struct view part = view_cut(line, ';');
    if (!view_starts(part, begin))
        return false;
    return view_u64(view_skip(part, strlen(begin)), 10, &value) && value <= most;
}

/* "unsigned long args[6]", "__data_loc char[] path", "struct task_struct * task". */
static bool declaration_is_sound(struct view text)
{
    if (!all_of(text, " *[]()&,+-") || text.text[0] == ' ' || !is_word(text.text[0]))
        return false;
    int open = 0;
    unsigned words = 0;
    char before = ' ';
    for (size_t at = 0; at < text.length; at++) {
        char letter = text.text[at];
        open += letter == '[' ? 1 : letter == ']' ? -1 : 0;
        words += is_word(letter) && !is_word(before) && !open;
        before = letter;
        if (open < 0 || open > 1)
            return false;
    }
    return !open && words >= 2 && (is_word(before) || before == ']');
}

static bool field_is_sound(struct view line)
{
    struct view declared = view_cut(&line, ';');
    return view_starts(declared, "\tfield:") && declaration_is_sound(view_skip(declared, 7)) &&
           read_number_part(&line, "\toffset:", UINT16_MAX) && read_number_part(&line, "\tsize:", UINT16_MAX) &&
           read_number_part(&line, "\tsigned:", 1) && line.length == 0;
}

/* Fields up to an empty line. */
static bool read_fields(struct view *rest)
{
    for (struct view line; view_line(rest, &line);) {
        if (!line.length)
            return true;
        if (!field_is_sound(line))
            return false;
    }
    return false;
}

struct expression {
    char open[NESTING_MOST + 1]; /* what closes each bracket that is open */
    unsigned depth, operators, run;
    char last;
};

static bool expression_bracket(struct expression *expression, char letter)
{
    static const char opening[] = "([{", closing[] = ")]}";
    const char *opens = strchr(opening, letter);
    if (opens) {
        if (expression->depth >= NESTING_MOST)
            return false;
        expression->open[expression->depth++] = closing[opens - opening];
        return true;
    }
    return expression->depth && expression->open[--expression->depth] == letter;
}

static bool expression_letter(struct expression *expression, char letter)
{
    if (letter == ' ' || letter == '\t' || letter == '\n')
        return true;
    bool bracket = strchr("()[]{}", letter), operator = strchr("?:!~-+*/%&|^<>=,", letter);
    if (!bracket && !operator && !is_word(letter) && letter != '"' && letter != '\'' && letter != '.')
        return false;
    expression->operators += bracket || operator;
    expression->run = operator ? expression->run + 1 : 0;
    expression->last = letter;
    return expression->operators <= OPERATORS_MOST && expression->run <= RUN_MOST &&
           (!bracket || expression_bracket(expression, letter));
}

/* A quoted text's end, or 0 when there is none. */
static size_t quoted_end(struct view text, size_t at)
{
    char quote = text.text[at];
    for (at++; at < text.length; at++) {
        if (text.text[at] == '\\')
            at++;
        else if (text.text[at] == quote)
            return at;
        else if (text.text[at] == 0)
            return 0;
    }
    return 0;
}

/* "format", then values: closed, balanced, and with something between all commas. */
static bool print_is_sound(struct view text)
{
    if (!text.length || text.text[0] != '"')
        return false;
    struct expression expression = {.last = ' '};
    for (size_t at = 0; at < text.length; at++) {
        char letter = text.text[at];
        if (!letter || !expression_letter(&expression, letter))
            return false;
        if (letter == '"' || letter == '\'') {
            at = quoted_end(text, at);
            if (!at)
                return false;
        }
    }
    return !expression.depth && (is_word(expression.last) || strchr("\")]'", expression.last));
}

bool tracepoint_format_check(struct view format, uint64_t *ret_id)
{
    struct view rest = format, name, id, none;
    if (format.length > FORMAT_BYTES_MOST || format.length == 0 || memchr(format.text, 0, format.length))
        return false;
    if (!read_line(&rest, "name: ", &name) || !all_of(name, "") || !read_line(&rest, "ID: ", &id) ||
        !view_u64(id, 10, ret_id) || *ret_id > INT_MAX || !read_line(&rest, "format:", &none) || none.length)
        return false;
    return read_fields(&rest) && read_fields(&rest) && view_starts(rest, "print fmt: ") && view_ends(rest, "\n") &&
           print_is_sound(view_trim(view_skip(rest, strlen("print fmt: "))));
}
