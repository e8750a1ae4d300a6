/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/fact.h"

#include "base/scope.h"

#include <errno.h>
#include <unistd.h>

enum { PATH_MOST = 512 };

void fact_number_set(struct fact_number *fact, int64_t value)
{
    *fact = (struct fact_number){.known = true, .value = value};
}

void fact_number_absent(struct fact_number *fact, const char *format, ...)
{
    va_list args;
    *fact = (struct fact_number){.known = false};
    va_start(args, format);
    vsnprintf(fact->why, sizeof(fact->why), format, args);
    va_end(args);
}

void fact_word_set(struct fact_word *fact, struct view text)
{
    text = view_trim(text);
    *fact = (struct fact_word){.known = true};
    size_t length = text.length < sizeof(fact->text) ? text.length : sizeof(fact->text) - 1;
    if (length)
        memcpy(fact->text, text.text, length);
}

void fact_word_absent(struct fact_word *fact, const char *format, ...)
{
    va_list args;
    *fact = (struct fact_word){.known = false};
    va_start(args, format);
    vsnprintf(fact->why, sizeof(fact->why), format, args);
    va_end(args);
}

/* The first line of a file, or the sentence that says why there is none. */
static bool line_read(const struct sysroot *root, const char *path, char *line, size_t line_size, char *why,
                      size_t why_size)
{
    scoped_fd int fd = sysroot_open(root, "%s", path);
    ssize_t got = fd < 0 ? -1 : read(fd, line, line_size - 1);
    if (got < 0) {
        int cause = errno;
        if (cause == ENOENT || cause == ENOTDIR)
            snprintf(why, why_size, "'%s' isn't there", path);
        else
            snprintf(why, why_size, "'%s': %s", path, strerror(cause));
        return false;
    }
    line[got] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return true;
}

#define FORMAT_PATH(path, format)                                                                                 \
    char path[PATH_MOST];                                                                                         \
    {                                                                                                             \
        va_list args_;                                                                                            \
        va_start(args_, format);                                                                                  \
        vsnprintf(path, sizeof(path), format, args_);                                                             \
        va_end(args_);                                                                                            \
    }

void fact_number_read(struct fact_number *fact, const struct sysroot *root, const char *path, ...)
{
    FORMAT_PATH(full, path)
    char line[64];
    *fact = (struct fact_number){.known = false};
    if (!line_read(root, full, line, sizeof(line), fact->why, sizeof(fact->why)))
        return;
    struct view text = view_trim(view_of(line));
    uint64_t hexadecimal;
    if (view_i64(text, &fact->value))
        fact->known = true;
    else if (view_starts(text, "0x") && view_u64(text, 0, &hexadecimal))
        fact_number_set(fact, (int64_t)hexadecimal);
    else
        fact_number_absent(fact, "'%s' holds '%.20s', which is no number", full, line);
}

void fact_word_read(struct fact_word *fact, const struct sysroot *root, const char *path, ...)
{
    FORMAT_PATH(full, path)
    char line[sizeof(fact->text)];
    *fact = (struct fact_word){.known = false};
    if (line_read(root, full, line, sizeof(line), fact->why, sizeof(fact->why)))
        fact_word_set(fact, view_of(line));
}

void fact_word_read_choice(struct fact_word *fact, const struct sysroot *root, const char *path, ...)
{
    FORMAT_PATH(full, path)
    char line[256];
    *fact = (struct fact_word){.known = false};
    if (!line_read(root, full, line, sizeof(line), fact->why, sizeof(fact->why)))
        return;
    const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    if (close)
        fact_word_set(fact, (struct view){open + 1, (size_t)(close - open - 1)});
    else
        fact_word_absent(fact, "'%s' holds '%.20s', no [choice]", full, line);
}

bool fact_is(const struct fact_word *fact, const char *text)
{
    return fact->known && strcmp(fact->text, text) == 0;
}

bool fact_equals(const struct fact_number *fact, int64_t value)
{
    return fact->known && fact->value == value;
}
