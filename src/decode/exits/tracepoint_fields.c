/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/exits/tracepoint_fields.h"

bool tracepoint_name_of(struct view format, struct view *ret_name, uint64_t *ret_id)
{
    struct view line, name = {0};
    uint64_t id;
    if (!view_line(&format, &line) || !view_starts(line, "name: "))
        return false;
    name = view_trim(view_skip(line, 6));
    if (!view_line(&format, &line) || !view_starts(line, "ID: ") || !view_u64(view_trim(view_skip(line, 4)), 10, &id))
        return false;
    *ret_name = name;
    *ret_id = id;
    return true;
}

static bool number_part(struct view *line, const char *begin, uint64_t *ret_value)
{
    struct view part = view_trim(view_cut(line, ';'));
    return view_starts(part, begin) && view_u64(view_skip(part, strlen(begin)), 10, ret_value);
}

/* The last word of "unsigned int exit_reason"; arrays and pointers to text have none. */
static bool declares(struct view declared, const char *name)
{
    size_t at = declared.length;
    while (at > 0 && declared.text[at - 1] != ' ' && declared.text[at - 1] != '\t')
        at--;
    return view_equal(view_skip(declared, at), name);
}

struct tracepoint_field tracepoint_field_find(struct view format, const char *name)
{
    struct view line;
    while (name && view_line(&format, &line) && !view_starts(line, "print fmt:")) {
        line = view_trim(line);
        uint64_t offset, bytes, is_signed;
        struct view declared = view_trim(view_cut(&line, ';'));
        if (!view_starts(declared, "field:") || !declares(view_skip(declared, 6), name) ||
            !number_part(&line, "offset:", &offset) || !number_part(&line, "size:", &bytes) ||
            !number_part(&line, "signed:", &is_signed))
            continue;
        if (offset > 4096 || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
            break;
        return (struct tracepoint_field){(uint16_t)offset, (uint8_t)bytes, is_signed == 1};
    }
    return (struct tracepoint_field){0};
}

uint64_t tracepoint_field_read(const struct tracepoint_field *field, struct bytes *record)
{
    struct bytes in = *record;
    bytes_take(&in, field->offset);
    uint64_t value = field->bytes == 1   ? read_u8(&in)
                     : field->bytes == 2 ? read_u16(&in)
                     : field->bytes == 4 ? read_u32(&in)
                                         : read_u64(&in);
    record->failed |= in.failed;
    unsigned unused = 64 - 8u * field->bytes;
    return field->is_signed && unused ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

/* "0x040 + 3", "77", "-1", "0x80000000". */
static bool number_of(struct view text, uint64_t *ret_number)
{
    struct view rest = view_trim(text), first = view_trim(view_cut(&rest, '+'));
    uint64_t a, b = 0;
    int64_t negative;
    rest = view_trim(rest);
    if (view_starts(first, "-") && view_i64(first, &negative)) {
        *ret_number = (uint32_t)negative;
        return true;
    }
    if (!view_u64(first, 0, &a) || (rest.length && !view_u64(rest, 0, &b)))
        return false;
    *ret_number = a + b;
    return true;
}

/* The words of one pair's text, which may stand in several literals: "KVM_EXIT_" "IO". */
static bool literal_read(struct view *rest, char *word, size_t size, size_t *ret_length)
{
    size_t length = 0;
    bool any = false;
    *rest = view_trim(*rest);
    while (view_starts(*rest, "\"")) {
        *rest = view_skip(*rest, 1);
        struct view part = view_cut(rest, '"');
        if (part.length > size - length)
            return false;
        memcpy(word + length, part.text, part.length);
        length += part.length;
        *rest = view_trim(*rest);
        any = true;
    }
    *ret_length = length;
    return any;
}

size_t tracepoint_words(struct view format, unsigned list,
                        void (*visit)(void *context, uint64_t number, struct view word), void *context)
{
    size_t count = 0;
    static const char begin[] = "__print_symbolic(";
    for (unsigned at = 0; at <= list; at++) {
        ptrdiff_t found = view_find(format, begin);
        if (found < 0)
            return 0;
        format = view_skip(format, (size_t)found + sizeof(begin) - 1);
    }
    view_cut(&format, ',');
    for (format = view_trim(format); view_starts(format, "{"); format = view_trim(format)) {
        char word[64];
        size_t length;
        uint64_t number;
        format = view_skip(format, 1);
        struct view numeral = view_cut(&format, ',');
        bool known = number_of(numeral, &number);
        if (!literal_read(&format, word, sizeof(word), &length) || !view_starts(format, "}"))
            break;
        format = view_trim(view_skip(format, 1));
        if (known) {
            visit(context, number, (struct view){word, length});
            count++;
        }
        if (!view_starts(format, ","))
            break;
        format = view_skip(format, 1);
    }
    return count;
}
