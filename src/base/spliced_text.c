/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/spliced_text.h"

#include "base/vec.h"

#include <assert.h>

enum {
    WRITTEN_AT_ONCE = 512 << 10 /* bytes: still in the cache that they were copied to */
};

void spliced_text_done(struct spliced_text *text)
{
    text_done(&text->own);
    vec_done(text);
}

void spliced_text_borrow(struct spliced_text *text, const char *from, size_t length)
{
    assert(text->own.length <= UINT32_MAX && length <= UINT32_MAX);
    *vec_push(text) = (struct splice){.from = from, .at = (uint32_t)text->own.length, .length = (uint32_t)length};
}

size_t spliced_text_bytes(const struct spliced_text *text)
{
    return text->own.length + text->count * sizeof(*text->items);
}

/* Room for so many further bytes, which may mean that those before them are written. */
static bool room_make(struct text *buffer, size_t more, FILE *file)
{
    if (buffer->length && buffer->length + more > WRITTEN_AT_ONCE && !text_write_file(buffer, file))
        return false;
    text_room(buffer, more + SPLICE_PADDING);
    return true;
}

static bool own_add(struct text *buffer, const struct spliced_text *text, size_t from, size_t to, FILE *file)
{
    if (from == to)
        return true;
    if (!room_make(buffer, to - from, file))
        return false;
    text_append(buffer, text->own.bytes + from, to - from);
    return true;
}

static bool borrowed_add(struct text *buffer, const struct splice *splice, FILE *file)
{
    if (!room_make(buffer, splice->length, file))
        return false;
    char *to = buffer->bytes + buffer->length;
    for (size_t at = 0; at < splice->length; at += SPLICE_PADDING)
        memcpy(to + at, splice->from + at, SPLICE_PADDING);
    buffer->length += splice->length;
    return true;
}

bool spliced_text_write_file(struct spliced_text *text, struct text *buffer, FILE *file)
{
    bool written = true;
    size_t from = 0;
    text_room(buffer, WRITTEN_AT_ONCE + SPLICE_PADDING);
    for (size_t at = 0; written && at < text->count; at++) {
        const struct splice *splice = &text->items[at];
        written = own_add(buffer, text, from, splice->at, file) && borrowed_add(buffer, splice, file);
        from = splice->at;
    }
    written = written && own_add(buffer, text, from, text->own.length, file) && text_write_file(buffer, file);
    text_clear(buffer);
    text_clear(&text->own);
    text->count = 0;
    return written;
}
