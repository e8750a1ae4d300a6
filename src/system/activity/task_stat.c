/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/activity/task_stat.h"

#include <string.h>

bool status_number(struct view text, const char *name, uint64_t *ret_value)
{
    struct view line;
    while (view_line(&text, &line)) {
        if (!view_starts(line, name))
            continue;
        line = view_skip(line, strlen(name));
        return view_u64(view_word(&line), 10, ret_value);
    }
    return false;
}

/* Fields of proc_pid_stat(5); comm may hold blanks and parentheses, so it ends at the last ')'. */
bool task_stat_parse(struct view text, double tick_s, struct task_stat *line)
{
    const char *open = text.length ? memchr(text.text, '(', text.length) : NULL;
    const char *close = text.length ? memrchr(text.text, ')', text.length) : NULL;
    if (!open || !close || close < open)
        return false;
    size_t length = (size_t)(close - open - 1);
    if (length > sizeof(line->comm) - 1)
        length = sizeof(line->comm) - 1;
    memcpy(line->comm, open + 1, length);
    line->comm[length] = '\0';
    struct view rest = view_skip(text, (size_t)(close - text.text) + 1);
    uint64_t fields[43] = {0};
    struct view state = view_word(&rest);
    line->state = state.length ? state.text[0] : '?';
    for (int field = 4; field <= 42; field++) {
        struct view word = view_word(&rest);
        int64_t value = 0;
        (void)!view_i64(word, &value);
        fields[field] = (uint64_t)value;
    }
    line->parent = (uint32_t)fields[4];
    line->session = (uint32_t)fields[6];
    line->counters.minor_faults = fields[10];
    line->counters.major_faults = fields[12];
    line->counters.user_s = (double)fields[14] * tick_s;
    line->counters.system_s = (double)fields[15] * tick_s;
    line->start_ticks = fields[22];
    line->counters.block_delay_s = (double)fields[42] * tick_s;
    return true;
}
