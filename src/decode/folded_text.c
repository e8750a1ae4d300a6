/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/folded_text.h"

static bool line_read(struct view line, struct folded_line *ret_line)
{
    static const double count_most = 1e15;
    size_t blank = line.length;
    double count;
    while (blank && line.text[blank - 1] != ' ' && line.text[blank - 1] != '\t')
        blank--;
    struct view frames = view_trim((struct view){line.text, blank});
    if (!frames.length || !view_double(view_skip(line, blank), &count) || !(count >= 0 && count <= count_most))
        return false;
    *ret_line = (struct folded_line){frames, (uint64_t)(count + 0.5)};
    return true;
}

bool folded_text_next(struct view *rest, struct folded_line *ret_line, uint64_t *unread)
{
    struct view line;
    while (view_line(rest, &line)) {
        line = view_trim(line);
        if (!line.length)
            continue;
        if (line_read(line, ret_line))
            return true;
        ++*unread;
    }
    return false;
}

bool folded_frame_next(struct view *frames, struct view *ret_name, enum folded_mark *ret_mark)
{
    static const struct {
        const char *suffix;
        enum folded_mark mark;
    } marks[] = {{"_[k]", FOLDED_KERNEL}, {"_[j]", FOLDED_JIT}, {"_[i]", FOLDED_INLINED}};
    while (frames->length) {
        struct view name = view_cut(frames, ';');
        *ret_mark = FOLDED_UNMARKED;
        for (size_t at = 0; at < sizeof(marks) / sizeof(marks[0]); at++)
            if (view_ends(name, marks[at].suffix)) {
                name.length -= strlen(marks[at].suffix);
                *ret_mark = marks[at].mark;
                break;
            }
        if (name.length) {
            *ret_name = name;
            return true;
        }
    }
    return false;
}
