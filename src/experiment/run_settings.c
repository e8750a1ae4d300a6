/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/run_settings.h"

#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum setting_how {
    SETTING_FILE, /* of the machine */
    SETTING_THP,  /* "never" by prctl, the others of the machine */
    SETTING_CPU,
    SETTING_NICE,
    SETTING_NODE,
    SETTING_RANDOMISATION,
    SETTING_BOOT
};

struct setting_kind {
    const char *key;
    enum setting_how how;
    const char *path;   /* of SETTING_FILE; %d: of each CPU */
    const char *values; /* those allowed, for the message; NULL: what the kernel takes */
    const char *fact;   /* what system/surroundings calls it, or NULL */
};

#define THP "/sys/kernel/mm/transparent_hugepage/"

static const struct setting_kind kinds[] = {
    {"thp", SETTING_THP, THP "enabled", "always, madvise or never", "thp_enabled"},
    {"thp_defrag", SETTING_FILE, THP "defrag", NULL, "thp_defrag"},
    {"thp_shmem", SETTING_FILE, THP "shmem_enabled", NULL, "thp_shmem"},
    {"cpu", SETTING_CPU, NULL, "a list of CPUs", "cpus_allowed"},
    {"node", SETTING_NODE, NULL, "a memory node", NULL},
    {"nice", SETTING_NICE, NULL, "-20 to 19", "nice"},
    {"aslr", SETTING_RANDOMISATION, NULL, "on or off", NULL},
    {"governor", SETTING_FILE, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", NULL, "governor"},
    {"boost", SETTING_FILE, "/sys/devices/system/cpu/cpufreq/boost", NULL, NULL},
    {"no_turbo", SETTING_FILE, "/sys/devices/system/cpu/intel_pstate/no_turbo", NULL, NULL},
    {"numa_balancing", SETTING_FILE, "/proc/sys/kernel/numa_balancing", NULL, "numa_balancing"},
    {"kernel", SETTING_BOOT, NULL, NULL, "kernel"},
    {"nohz_full", SETTING_BOOT, NULL, NULL, "nohz_full"},
    {"isolcpus", SETTING_BOOT, NULL, NULL, "isolated_cpus"},
    {"mitigations", SETTING_BOOT, NULL, NULL, NULL},
    {"hypervisor", SETTING_BOOT, NULL, NULL, "hypervisor"},
};

static const struct setting_kind *kind_named(const char *key)
{
    for (size_t at = 0; at < array_count(kinds); at++)
        if (strcmp(kinds[at].key, key) == 0)
            return &kinds[at];
    return NULL;
}

void run_settings_keys(struct text *out)
{
    for (size_t at = 0; at < array_count(kinds); at++)
        if (kinds[at].how != SETTING_BOOT)
            text_printf(out, "%s%s", at ? ", " : "", kinds[at].key);
}

bool run_settings_known(const char *key)
{
    return kind_named(key) != NULL;
}

const char *run_settings_fact(const char *key)
{
    const struct setting_kind *kind = kind_named(key);
    return kind ? kind->fact : NULL;
}

/* Values. */

static bool value_wrong(const struct setting_kind *kind, const char *value, struct error *err)
{
    return error_set(err, ERROR_USAGE, "%s expects %s, not '%s'", kind->key, kind->values, value);
}

static bool cpus_take(struct run_setting *setting, const struct sysroot *root, struct arena *arena, struct error *err)
{
    scoped_free int *cpus = NULL, *online = NULL;
    size_t count = 0, online_count = 0;
    if (!cpu_list_parse(view_of(setting->value), &cpus, &count) || !count)
        return value_wrong(setting->kind, setting->value, err);
    if (!sysroot_online_cpus(root, &online, &online_count, err))
        return false;
    int *kept = arena_array(arena, int, count);
    for (size_t at = 0; at < count; at++) {
        bool found = false;
        for (size_t other = 0; other < online_count; other++)
            found |= online[other] == cpus[at];
        if (!found || cpus[at] >= CPU_SETSIZE)
            return error_set(err, ERROR_USAGE, "cpu=%s: CPU %d is not online here", setting->value, cpus[at]);
        kept[at] = cpus[at];
    }
    setting->cpus = kept;
    setting->cpu_count = count;
    return true;
}

static bool number_take(struct run_setting *setting, int64_t least, int64_t most, struct error *err)
{
    if (!view_i64(view_of(setting->value), &setting->number) || setting->number < least || setting->number > most)
        return value_wrong(setting->kind, setting->value, err);
    return true;
}

static bool word_check(const struct run_setting *setting, const char *const *words, struct error *err)
{
    for (; *words; words++)
        if (strcmp(*words, setting->value) == 0)
            return true;
    return value_wrong(setting->kind, setting->value, err);
}

static bool node_check(struct run_setting *setting, const struct sysroot *root, struct error *err)
{
    if (!number_take(setting, 0, 63, err))
        return false;
    return sysroot_exists(root, "/sys/devices/system/node/node%d", (int)setting->number) ||
           error_set(err, ERROR_USAGE, "node=%s: this machine has no such memory node", setting->value);
}

/* A file of the machine, or of its CPU `cpu`; false when it isn't there. */
static bool file_path(const struct setting_kind *kind, int cpu, const struct sysroot *root, struct text *path)
{
    const char *number = strstr(kind->path, "%d");
    text_clear(path);
    text_add(path, root->prefix);
    text_append(path, kind->path, number ? (size_t)(number - kind->path) : strlen(kind->path));
    if (number)
        text_printf(path, "%d%s", cpu, number + 2);
    return access(text_string(path), F_OK) == 0;
}

static bool files_check(const struct setting_kind *kind, const struct sysroot *root, struct error *err)
{
    scoped_text struct text path = {0};
    if (!file_path(kind, 0, root, &path))
        return error_set(err, ERROR_UNSUPPORTED, "%s can't be switched: this machine has no %s", kind->key,
                         text_string(&path));
    if (access(text_string(&path), W_OK) == 0)
        return true;
    error_set(err, ERROR_PERMISSION, "%s can't be switched: %s may not be written", kind->key, text_string(&path));
    return error_hint(err, "as root, or two saved runs with --saved --treatment %s",
                      kind->fact ? kind->fact : kind->key);
}

static bool needs_boot(const struct setting_kind *kind, struct error *err)
{
    error_set(err, ERROR_UNSUPPORTED, "%s can't be switched while the machine runs", kind->key);
    return error_hint(err, "plumb compare --json … >FILE on each, then plumb compare --saved --treatment %s FILE FILE",
                      kind->key);
}

static bool setting_check(struct run_setting *setting, const struct sysroot *root, struct arena *arena,
                          struct error *err)
{
    static const char *const sizes[] = {"always", "madvise", "never", NULL}, *const switches[] = {"on", "off", NULL};
    switch (setting->kind->how) {
    case SETTING_FILE:
        return files_check(setting->kind, root, err);
    case SETTING_THP:
        return word_check(setting, sizes, err) &&
               (strcmp(setting->value, "never") == 0 || files_check(setting->kind, root, err));
    case SETTING_CPU:
        return cpus_take(setting, root, arena, err);
    case SETTING_NICE:
        return number_take(setting, -20, 19, err);
    case SETTING_NODE:
        return node_check(setting, root, err);
    case SETTING_RANDOMISATION:
        return word_check(setting, switches, err);
    case SETTING_BOOT:
        break;
    }
    return needs_boot(setting->kind, err);
}

bool run_settings_add(struct run_settings *settings, const char *key, const char *value, const struct sysroot *root,
                      struct arena *arena, struct error *err)
{
    const struct setting_kind *kind = kind_named(key);
    if (!kind) {
        scoped_text struct text keys = {0};
        run_settings_keys(&keys);
        error_set(err, ERROR_USAGE, "nothing called '%s' can be switched", key);
        return error_hint(err, "what can: %s; an environment variable goes before its command", text_string(&keys));
    }
    if (settings->count == RUN_SETTINGS_MOST)
        return error_set(err, ERROR_USAGE, "more than %d settings are too many", RUN_SETTINGS_MOST);
    struct run_setting setting = {.kind = kind, .key = kind->key, .value = arena_string(arena, value)};
    if (!setting_check(&setting, root, arena, err))
        return false;
    settings->items[settings->count++] = setting;
    return true;
}

/* The machine's part. */

/* "always [madvise] never" is madvise. */
static void chosen_word(char *line)
{
    char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    if (!close)
        return;
    size_t length = (size_t)(close - open - 1);
    memmove(line, open + 1, length);
    line[length] = 0;
}

static bool file_read(const char *path, char *line, size_t size)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, line, size - 1);
    if (got < 0)
        return false;
    while (got > 0 && (line[got - 1] == '\n' || line[got - 1] == ' '))
        got--;
    line[got] = 0;
    chosen_word(line);
    return true;
}

static bool file_write(const char *path, const char *value)
{
    scoped_fd int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    size_t length = strlen(value);
    return fd >= 0 && write(fd, value, length) == (ssize_t)length;
}

/* Whether the setting is the machine's, not the process's. */
static bool is_of_machine(const struct run_setting *setting)
{
    bool of_process = setting->kind->how == SETTING_THP && strcmp(setting->value, "never") == 0;
    return setting->kind->path && !of_process;
}

/*
 * Two that switch the same file would each take the other's value for the one to put back. The kernel ends the lock
 * with who holds it.
 */
static bool file_lock(struct settings_lock *lock, const struct setting_kind *kind, const struct sysroot *root,
                      struct error *err)
{
    scoped_text struct text path = {0};
    if (!file_path(kind, 0, root, &path))
        return true; /* the run will say so */
    scoped_fd int fd = open(text_string(&path), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_system(err, errno, "can't open '%s'", text_string(&path));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        error_set(err, ERROR_LIMIT, "%s can't be switched now: another plumb does", kind->key);
        return error_hint(err, "two at once would undo each other's settings: begin when it has ended");
    }
    lock->kinds[lock->count] = kind;
    lock->fds[lock->count++] = fd_steal(&fd);
    return true;
}

bool settings_lock_add(struct settings_lock *lock, const struct run_settings *settings, const struct sysroot *root,
                       struct error *err)
{
    for (size_t at = 0; settings && at < settings->count; at++) {
        const struct setting_kind *kind = settings->items[at].kind;
        bool held = !is_of_machine(&settings->items[at]);
        for (size_t other = 0; other < lock->count; other++)
            held |= lock->kinds[other] == kind;
        if (!held && !file_lock(lock, kind, root, err))
            return false;
    }
    return true;
}

void settings_lock_done(struct settings_lock *lock)
{
    while (lock->count > 0)
        close(lock->fds[--lock->count]);
}

static bool switch_plan(struct settings_guard *guard, const char *path, const char *value, struct error *err)
{
    char before[256];
    if (!file_read(path, before, sizeof(before)))
        return error_system(err, errno, "can't read '%s'", path);
    if (strcmp(before, value) == 0)
        return true;
    guard->saved = vec_reserve_bytes(guard->saved, &guard->capacity, guard->count + 1, sizeof(*guard->saved));
    guard->saved[guard->count++] =
        (struct saved_setting){arena_string(&guard->arena, path), arena_string(&guard->arena, before), value};
    return true;
}

static bool setting_plan(const struct run_setting *setting, struct settings_guard *guard, const struct sysroot *root,
                         struct error *err)
{
    if (!is_of_machine(setting))
        return true;
    scoped_text struct text path = {0};
    bool per_cpu = strstr(setting->kind->path, "%d") != NULL, good = true;
    for (int cpu = 0; good && (per_cpu || cpu == 0) && file_path(setting->kind, cpu, root, &path); cpu++)
        good = switch_plan(guard, text_string(&path), setting->value, err);
    return good || error_wrap(err, "%s=%s", setting->key, setting->value);
}

static bool file_switch(const struct saved_setting *saved, struct error *err)
{
    char after[256];
    if (!file_write(saved->path, saved->wanted))
        return error_system(err, errno, "can't write '%s' to '%s'", saved->wanted, saved->path);
    if (!file_read(saved->path, after, sizeof(after)) || strcmp(after, saved->wanted) != 0)
        return error_set(err, ERROR_UNSUPPORTED, "'%s' doesn't become '%s'", saved->path, saved->wanted);
    return true;
}

static void all_put_back(void *context)
{
    const struct settings_guard *guard = context;
    for (size_t at = guard->count; at > 0; at--) {
        bool put_back = file_write(guard->saved[at - 1].path, guard->saved[at - 1].value);
        (void)put_back; /* it could be written a moment ago; nobody is left to be told */
    }
}

bool run_settings_enter(const struct run_settings *settings, const struct settings_lock *lock,
                        struct settings_guard *guard, const struct sysroot *root, struct error *err)
{
    *guard = (struct settings_guard){0};
    arena_init(&guard->arena);
    if (settings && settings->count)
        workload_forward_signals(NULL); /* from here on an interrupt raises a flag and ends nothing */
    for (size_t at = 0; settings && at < settings->count; at++)
        if (!setting_plan(&settings->items[at], guard, root, err))
            return false;
    if (!guard->count)
        return true;
    const struct guardian_request request = {
        .undo = all_put_back, .context = guard, .kept = lock ? lock->fds : NULL, .kept_count = lock ? lock->count : 0};
    if (!guardian_start(&guard->guardian, &request, err)) {
        guard->count = 0; /* nothing was written */
        return false;
    }
    for (size_t at = 0; at < guard->count; at++)
        if (!file_switch(&guard->saved[at], err))
            return false;
    return true;
}

void run_settings_leave(struct settings_guard *guard)
{
    all_put_back(guard);
    guardian_end(&guard->guardian);
    free(guard->saved);
    arena_done(&guard->arena);
    *guard = (struct settings_guard){0};
}

/* The process's part. Runs between fork and exec. */

static int apply_cpus(const struct run_setting *setting)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t at = 0; at < setting->cpu_count; at++)
        CPU_SET((size_t)setting->cpus[at], &set);
    return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : errno;
}

static int apply_node(const struct run_setting *setting)
{
    enum {
        BIND = 2 /* MPOL_BIND */
    };
    unsigned long mask = 1ul << setting->number;
    return syscall(SYS_set_mempolicy, BIND, &mask, 8 * sizeof(mask)) == 0 ? 0 : errno;
}

static int apply_randomisation(const struct run_setting *setting)
{
    unsigned long now = (unsigned long)personality(0xffffffff), bit = ADDR_NO_RANDOMIZE;
    return personality(strcmp(setting->value, "off") == 0 ? now | bit : now & ~bit) < 0 ? errno : 0;
}

static int apply_no_huge_pages(const struct run_setting *setting)
{
    bool never = strcmp(setting->value, "never") == 0;
    return prctl(PR_SET_THP_DISABLE, never, 0, 0, 0) == 0 ? 0 : errno;
}

static int setting_apply(const struct run_setting *setting)
{
    switch (setting->kind->how) {
    case SETTING_THP:
        return apply_no_huge_pages(setting);
    case SETTING_CPU:
        return apply_cpus(setting);
    case SETTING_NICE:
        return setpriority(PRIO_PROCESS, 0, (int)setting->number) == 0 ? 0 : errno;
    case SETTING_NODE:
        return apply_node(setting);
    case SETTING_RANDOMISATION:
        return apply_randomisation(setting);
    case SETTING_FILE:
    case SETTING_BOOT:
        break;
    }
    return 0;
}

int run_settings_apply(const void *context)
{
    const struct run_settings *settings = context;
    for (size_t at = 0; settings && at < settings->count; at++) {
        int failed = setting_apply(&settings->items[at]);
        if (failed)
            return failed;
    }
    return 0;
}
