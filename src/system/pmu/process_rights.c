/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/pmu/process_rights.h"

#include "base/scope.h"
#include "base/vec.h"

/* linux/proc_ns.h: inode numbers of the namespaces the kernel starts with. */
#define FIRST_CGROUP_NAMESPACE "cgroup:[4026531835]"
#define FIRST_PID_NAMESPACE    "pid:[4026531836]"
#define FIRST_USER_NAMESPACE   "user:[4026531837]"

struct status_key {
    const char *key;
    int base, word; /* which word of the value */
    struct fact_number *fact;
};

static void status_read(struct process_rights *rights, const struct sysroot *root)
{
    const struct status_key keys[] = {
        {"Uid", 10, 1, &rights->user},
        {"CapEff", 16, 0, &rights->capabilities},
        {"CapBnd", 16, 0, &rights->bounding},
        {"Seccomp", 10, 0, &rights->seccomp_mode},
        {"Seccomp_filters", 10, 0, &rights->seccomp_filters},
        {"NoNewPrivs", 10, 0, &rights->no_new_privileges},
    };
    scoped_text struct text file = {0};
    struct error unread;
    bool have = sysroot_read(root, &file, &unread, "/proc/self/status");
    for (size_t at = 0; at < array_count(keys); at++) {
        fact_number_absent(keys[at].fact,
                           have ? "'/proc/self/status' has no %s" : "'/proc/self/status' can't be read (%s)",
                           keys[at].key);
        struct view rest = {text_string(&file), have ? file.length : 0}, line;
        while (view_line(&rest, &line)) {
            struct view value = line;
            uint64_t number;
            if (!view_equal(view_cut(&value, ':'), keys[at].key))
                continue;
            struct view word = view_word(&value);
            for (int skip = keys[at].word; skip > 0; skip--)
                word = view_word(&value);
            if (view_u64(word, keys[at].base, &number))
                fact_number_set(keys[at].fact, (int64_t)number);
        }
    }
}

static void limit_set(struct fact_number *fact, struct view word)
{
    uint64_t number;
    if (view_equal(word, "unlimited"))
        fact_number_set(fact, INT64_MAX);
    else if (view_u64(word, 10, &number))
        fact_number_set(fact, number > INT64_MAX ? INT64_MAX : (int64_t)number);
}

static void limits_read(struct process_rights *rights, const struct sysroot *root)
{
    const struct {
        const char *title;
        struct fact_number *soft, *hard;
    } rows[] = {
        {"Max open files", &rights->open_files_soft, &rights->open_files_hard},
        {"Max locked memory", &rights->locked_memory_soft, &rights->locked_memory_hard},
    };
    scoped_text struct text file = {0};
    struct error unread;
    bool have = sysroot_read(root, &file, &unread, "/proc/self/limits");
    for (size_t at = 0; at < array_count(rows); at++) {
        fact_number_absent(rows[at].soft, "'/proc/self/limits' does not tell");
        fact_number_absent(rows[at].hard, "'/proc/self/limits' does not tell");
        struct view rest = {text_string(&file), have ? file.length : 0}, line;
        while (view_line(&rest, &line)) {
            if (!view_starts(line, rows[at].title))
                continue;
            struct view values = view_skip(line, strlen(rows[at].title));
            limit_set(rows[at].soft, view_word(&values));
            limit_set(rows[at].hard, view_word(&values));
        }
    }
}

static void namespace_read(struct fact_number *fact, const struct sysroot *root, const char *name, const char *first)
{
    char target[64];
    if (sysroot_link(root, target, sizeof(target), "/proc/self/ns/%s", name))
        fact_number_set(fact, strcmp(target, first) == 0);
    else
        fact_number_absent(fact, "'/proc/self/ns/%s' can't be read", name);
}

void process_rights_read(struct process_rights *rights, const struct sysroot *root)
{
    *rights = (struct process_rights){0};
    status_read(rights, root);
    limits_read(rights, root);
    namespace_read(&rights->in_first_user_namespace, root, "user", FIRST_USER_NAMESPACE);
    namespace_read(&rights->in_first_pid_namespace, root, "pid", FIRST_PID_NAMESPACE);
    namespace_read(&rights->in_first_cgroup_namespace, root, "cgroup", FIRST_CGROUP_NAMESPACE);
}

bool process_has(const struct process_rights *rights, enum process_capability capability)
{
    bool elsewhere = fact_equals(&rights->in_first_user_namespace, 0);
    return rights->capabilities.known && !elsewhere && (rights->capabilities.value >> capability & 1);
}

bool process_has_perfmon(const struct process_rights *rights)
{
    return process_has(rights, PROCESS_CAP_PERFMON) || process_has(rights, PROCESS_CAP_SYS_ADMIN);
}
