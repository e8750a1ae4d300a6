/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/pid_namespace.h"

#include "base/scope.h"
#include "base/text.h"

uint32_t pid_innermost(const struct sysroot *root, uint32_t pid)
{
    scoped_text struct text status = {0};
    if (!sysroot_read(root, &status, NULL, "/proc/%u/status", pid))
        return pid;
    struct view rest = {text_string(&status), status.length}, line;
    while (view_line(&rest, &line)) {
        if (!view_starts(line, "NSpid:"))
            continue;
        line = view_skip(line, strlen("NSpid:"));
        uint64_t number = pid;
        for (struct view word; (word = view_word(&line)).length;)
            if (!view_u64(word, 10, &number))
                return pid;
        return (uint32_t)number;
    }
    return pid;
}
