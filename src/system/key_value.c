/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/key_value.h"

#include "base/scope.h"

static void line_take(const struct key_fact *keys, size_t count, struct view line)
{
    struct view key = view_word(&line), value = view_word(&line);
    int64_t number;
    if (key.length && key.text[key.length - 1] == ':')
        key.length--;
    for (size_t at = 0; at < count; at++)
        if (view_equal(key, keys[at].key) && view_i64(value, &number))
            fact_number_set(keys[at].fact, number);
}

void key_facts_read(const struct key_fact *keys, size_t count, const struct sysroot *root, const char *path)
{
    scoped_text struct text file = {0};
    struct error unread;
    bool have = sysroot_read(root, &file, &unread, "%s", path);
    for (size_t at = 0; at < count; at++) {
        if (have)
            fact_number_absent(keys[at].fact, "'%s' has no %s", path, keys[at].key);
        else
            fact_number_absent(keys[at].fact, "%.130s", unread.message);
    }
    struct view rest = {text_string(&file), have ? file.length : 0}, line;
    while (view_line(&rest, &line))
        line_take(keys, count, line);
}
