/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where do a tracepoint's fields lie in its record, and which words does its format have for a field's numbers?
 *
 * Reads the format as the running kernel or a recording has it, so that a changed layout is followed, and a field that
 * is gone is absent. Does not support: fields of variable length; words of sums ("0x040 + 3" is understood, other
 * arithmetic is passed over).
 */
#ifndef PLUMB_DECODE_EXITS_TRACEPOINT_FIELDS_H
#define PLUMB_DECODE_EXITS_TRACEPOINT_FIELDS_H

#include "base/bytes.h"
#include "base/text.h"

struct tracepoint_field {
    uint16_t offset;
    uint8_t bytes; /* 1, 2, 4 or 8; 0: the format has no such field */
    bool is_signed;
};

/* The field of that name; bytes 0 when there is none, or none of a number's size. */
struct tracepoint_field tracepoint_field_find(struct view format, const char *name);
bool tracepoint_name_of(struct view format, struct view *ret_name, uint64_t *ret_id);
/* Its value in a record; 0 (in.failed) when the record is too short. */
uint64_t tracepoint_field_read(const struct tracepoint_field *field, struct bytes *record);

/*
 * Calls visit for each { number, "word" } of the print format's list at that position: 0 for the first
 * __print_symbolic, 1 for the second. Returns how many there were.
 */
size_t tracepoint_words(struct view format, unsigned list,
                        void (*visit)(void *context, uint64_t number, struct view word), void *context);

#endif
