/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/cgroup_cpu.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/host/cgroup_place.h"
#include "system/key_value.h"

enum { PATH_SIZE = CGROUP_PATH_SIZE };

struct level {
    int64_t quota_us, period_us; /* quota -1: none */
    struct fact_number periods, throttled_periods, throttled, usage;
};

static bool level_read_v2(struct level *level, const struct sysroot *root, const char *folder)
{
    char line[128];
    const struct key_fact keys[] = {{"nr_periods", &level->periods},
                                    {"nr_throttled", &level->throttled_periods},
                                    {"throttled_usec", &level->throttled},
                                    {"usage_usec", &level->usage}};
    char path[PATH_SIZE * 2 + 16];
    snprintf(path, sizeof(path), "%s/cpu.stat", folder);
    key_facts_read(keys, array_count(keys), root, path);
    level->quota_us = level->period_us = -1;
    if (!sysroot_line(root, line, sizeof(line), "%s/cpu.max", folder))
        return level->periods.known;
    struct view rest = view_of(line), quota = view_word(&rest);
    if (!view_i64(quota, &level->quota_us) || !view_i64(view_word(&rest), &level->period_us))
        level->quota_us = -1;
    return true;
}

/* Version 1 counts CPU time in a hierarchy of its own, mounted together with cpu's nearly everywhere. */
static void usage_read_v1(struct fact_number *usage, const struct sysroot *root, const char *folder,
                          const char *accounts)
{
    int64_t usage_ns;
    fact_number_absent(usage, "no cpuacct.usage can be read in '%.60s'", accounts[0] ? accounts : folder);
    if (sysroot_i64(root, &usage_ns, "%s/cpuacct.usage", folder) ||
        (accounts[0] && sysroot_i64(root, &usage_ns, "%s/cpuacct.usage", accounts)))
        fact_number_set(usage, usage_ns / 1000);
}

static bool level_read_v1(struct level *level, const struct sysroot *root, const char *folder, const char *accounts)
{
    const struct key_fact keys[] = {{"nr_periods", &level->periods},
                                    {"nr_throttled", &level->throttled_periods},
                                    {"throttled_time", &level->throttled}};
    char path[PATH_SIZE * 2 + 16];
    snprintf(path, sizeof(path), "%s/cpu.stat", folder);
    key_facts_read(keys, array_count(keys), root, path);
    usage_read_v1(&level->usage, root, folder, accounts);
    if (level->throttled.known)
        level->throttled.value /= 1000; /* v1 counts nanoseconds */
    level->quota_us = level->period_us = -1;
    if (!sysroot_i64(root, &level->quota_us, "%s/cpu.cfs_quota_us", folder))
        return level->periods.known;
    if (!sysroot_i64(root, &level->period_us, "%s/cpu.cfs_period_us", folder))
        level->quota_us = -1;
    return true;
}

static void level_merge(struct cgroup_cpu *cgroup, const struct level *level, const char *below)
{
    double cpus = level->quota_us > 0 && level->period_us > 0 ? (double)level->quota_us / (double)level->period_us : 0;
    if (cpus > 0 && (!cgroup->limited || cpus < cgroup->quota_cpus)) {
        cgroup->limited = true;
        cgroup->quota_cpus = cpus;
        fact_number_set(&cgroup->quota_us, level->quota_us);
        fact_number_set(&cgroup->period_us, level->period_us);
        fact_word_set(&cgroup->quota_path, view_of(below[0] ? below : "/"));
    }
    if (!level->throttled_periods.known)
        return;
    if (!cgroup->throttled_periods.known || level->throttled_periods.value > cgroup->throttled_periods.value) {
        cgroup->periods = level->periods;
        cgroup->throttled_periods = level->throttled_periods;
        cgroup->throttled_us = level->throttled;
        cgroup->usage_us = level->usage;
    }
}

static void levels_read(struct cgroup_cpu *cgroup, const struct sysroot *root, const struct cgroup_place *place,
                        const char *below)
{
    char path[PATH_SIZE], folder[PATH_SIZE * 2], accounts[PATH_SIZE * 2] = "";
    bool any = false;
    struct cgroup_place accounting = {.found = false};
    if (cgroup->version == 1)
        accounting = cgroup_place_find(root, "cgroup", "cpuacct");
    snprintf(path, sizeof(path), "%s", below);
    fact_number_absent(&cgroup->quota_us, "no level of the group has a quota");
    fact_number_absent(&cgroup->period_us, "no level of the group has a quota");
    fact_word_absent(&cgroup->quota_path, "no level of the group has a quota");
    fact_number_absent(&cgroup->throttled_periods, "cpu.stat of '%.60s' counts no throttling", place->point);
    cgroup->periods = cgroup->throttled_us = cgroup->usage_us = cgroup->throttled_periods;
    for (;;) {
        struct level level;
        snprintf(folder, sizeof(folder), "%s%s", place->point, path);
        if (accounting.found)
            snprintf(accounts, sizeof(accounts), "%s%s", accounting.point, path);
        bool have = cgroup->version == 2 ? level_read_v2(&level, root, folder)
                                         : level_read_v1(&level, root, folder, accounts);
        any |= have;
        if (have)
            level_merge(cgroup, &level, path);
        char *slash = strrchr(path, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    if (!any)
        fact_number_absent(&cgroup->quota_us, "'%.80s' has no readable cpu controller files", folder);
}

static void pressure_read(struct fact_number *fact, const struct sysroot *root, const char *folder)
{
    char line[256];
    int64_t total;
    fact_number_absent(fact, "'%.100s/cpu.pressure' can't be read", folder);
    if (!sysroot_line(root, line, sizeof(line), "%s/cpu.pressure", folder))
        return;
    const char *text = strstr(line, "total=");
    if (text && view_i64(view_of(text + 6), &total))
        fact_number_set(fact, total);
}

/* cpuset.cpus.effective is empty or absent where the controller is off: then the parent's holds. */
static void cpuset_read(struct fact_word *fact, const struct sysroot *root, const struct cgroup_place *place,
                        const char *below, const char *file)
{
    char path[PATH_SIZE], line[160];
    snprintf(path, sizeof(path), "%s", below);
    fact_word_absent(fact, "no level has a readable %s", file);
    for (;;) {
        if (sysroot_line(root, line, sizeof(line), "%s%s/%s", place->point, path, file) && line[0]) {
            fact_word_set(fact, view_of(line));
            return;
        }
        char *slash = strrchr(path, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

static void group_read(struct cgroup_cpu *cgroup, const struct sysroot *root, const struct cgroup_place *place,
                       const char *path, pid_t pid)
{
    char folder[PATH_SIZE * 2], set_path[PATH_SIZE] = "";
    const char *below = cgroup_path_below(place, path);
    fact_word_set(&cgroup->mount, view_of(place->point));
    fact_word_set(&cgroup->path, view_of(path));
    levels_read(cgroup, root, place, below);
    snprintf(folder, sizeof(folder), "%s%s", place->point, below);
    snprintf(cgroup->folder, sizeof(cgroup->folder), "%s", folder);
    snprintf(cgroup->cpuset_folder, sizeof(cgroup->cpuset_folder), "%s", folder);
    if (cgroup->version == 2) {
        fact_number_read(&cgroup->weight, root, "%s/cpu.weight", folder);
        pressure_read(&cgroup->pressure_us, root, folder);
        cpuset_read(&cgroup->cpus, root, place, below, "cpuset.cpus.effective");
        return;
    }
    fact_number_read(&cgroup->weight, root, "%s/cpu.shares", folder);
    fact_number_absent(&cgroup->pressure_us, "cgroup v1 has no pressure files");
    struct cgroup_place sets = cgroup_place_find(root, "cgroup", "cpuset");
    fact_word_absent(&cgroup->cpus, "no cpuset hierarchy is mounted");
    if (!sets.found || !cgroup_path_find(root, pid, "cpuset", set_path, sizeof(set_path)))
        return;
    snprintf(cgroup->cpuset_folder, sizeof(cgroup->cpuset_folder), "%s%s", sets.point,
             cgroup_path_below(&sets, set_path));
    cpuset_read(&cgroup->cpus, root, &sets, cgroup_path_below(&sets, set_path), "cpuset.effective_cpus");
}

static void all_absent(struct cgroup_cpu *cgroup, const char *why)
{
    struct fact_number *const numbers[] = {
        &cgroup->quota_us,     &cgroup->period_us, &cgroup->periods, &cgroup->throttled_periods,
        &cgroup->throttled_us, &cgroup->usage_us,  &cgroup->weight,  &cgroup->pressure_us};
    struct fact_word *const words[] = {&cgroup->mount, &cgroup->path, &cgroup->quota_path, &cgroup->cpus};
    for (size_t at = 0; at < array_count(numbers); at++)
        fact_number_absent(numbers[at], "%s", why);
    for (size_t at = 0; at < array_count(words); at++)
        fact_word_absent(words[at], "%s", why);
}

/* path NULL: the group of pid. A v1 cpu hierarchy comes first: where it is mounted, v2 has no cpu controller. */
static void cgroup_read(struct cgroup_cpu *cgroup, const struct sysroot *root, pid_t pid, const char *path)
{
    char own[PATH_SIZE];
    *cgroup = (struct cgroup_cpu){.version = 0};
    struct cgroup_place v1 = cgroup_place_find(root, "cgroup", "cpu"), v2 = cgroup_place_find(root, "cgroup2", NULL);
    all_absent(cgroup, v1.found || v2.found ? "the process is in no CPU control group"
                                            : "no cgroup hierarchy with a CPU controller is mounted");
    if (v1.found && (path || cgroup_path_find(root, pid, "cpu", own, sizeof(own)))) {
        cgroup->version = 1;
        group_read(cgroup, root, &v1, path ? path : own, pid);
    } else if (v2.found && (path || cgroup_path_find(root, pid, NULL, own, sizeof(own)))) {
        cgroup->version = 2;
        group_read(cgroup, root, &v2, path ? path : own, pid);
    }
}

void cgroup_cpu_read(struct cgroup_cpu *cgroup, const struct sysroot *root, pid_t pid)
{
    cgroup_read(cgroup, root, pid, NULL);
}

void cgroup_cpu_read_path(struct cgroup_cpu *cgroup, const struct sysroot *root, const char *path)
{
    cgroup_read(cgroup, root, 0, path);
}
