/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/running_cpu.h"

#include "base/scope.h"

#include <string.h>

enum {
    THREADS_MOST = 48
};

/* proc(5) stat: the name ends at the last ')'; then the state, field 3; processor is field 39. */
static bool thread_running_cpu(const struct sysroot *root, pid_t pid, const char *tid, uint32_t *ret_cpu)
{
    char line[1024];
    int64_t cpu;
    if (!sysroot_line(root, line, sizeof(line), "/proc/%d/task/%s/stat", (int)pid, tid))
        return false;
    const char *end = strrchr(line, ')');
    struct view rest = view_of(end ? end + 1 : "");
    if (!view_equal(view_word(&rest), "R"))
        return false;
    struct view word = VIEW("");
    for (int field = 4; field <= 39; field++)
        word = view_word(&rest);
    if (!view_i64(word, &cpu) || cpu < 0 || cpu > UINT32_MAX)
        return false;
    *ret_cpu = (uint32_t)cpu;
    return true;
}

bool process_running_cpu(const struct sysroot *root, pid_t pid, unsigned turn, uint32_t *ret_cpu)
{
    uint32_t found[THREADS_MOST];
    unsigned count = 0, looked = 0;
    scoped_dir DIR *tasks = sysroot_opendir(root, "/proc/%d/task", (int)pid);
    struct dirent *entry;
    while (tasks && looked < THREADS_MOST && (entry = readdir(tasks)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        looked++;
        count += thread_running_cpu(root, pid, entry->d_name, &found[count]);
    }
    if (!count)
        return false;
    *ret_cpu = found[turn % count];
    return true;
}
