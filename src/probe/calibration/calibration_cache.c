/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/calibration/calibration_cache.h"

#include "base/clock.h"
#include "base/scope.h"
#include "base/vec.h"
#include "base/file/cache_folder.h"
#include "system/host/virtualisation.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_BYTES_MOST = 1 << 20
};

static const char *const part_names[] = {"cpu", "microcode", "kernel", "hypervisor", "cpus"};
_Static_assert(array_count(part_names) == CALIBRATION_KEY_PARTS, "a name per part");

/* "0-3,8": the CPUs that this thread may use. */
static const char *cpus_allowed(struct arena *arena)
{
    cpu_set_t set;
    scoped_text struct text list = {0};
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return "";
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &set))
            continue;
        int last = cpu;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
            last++;
        text_printf(&list, last > cpu ? "%s%d-%d" : "%s%d", list.length ? "," : "", cpu, last);
        cpu = last;
    }
    return arena_string(arena, text_string(&list));
}

void calibration_key_take(struct calibration_key *key, const struct sysroot *root, const struct cpu_identity *identity,
                          struct arena *arena)
{
    struct virtualisation virtualisation;
    char kernel[160] = "";
    virtualisation_read(&virtualisation, root, identity);
    if (!sysroot_line(root, kernel, sizeof(kernel), "/proc/sys/kernel/osrelease"))
        kernel[0] = 0;
    key->cpus = cpus_allowed(arena);
    const char *const parts[] = {
        identity->model_name.known ? arena_string(arena, identity->model_name.text) : "",
        identity->microcode.known ? arena_string(arena, identity->microcode.text) : "",
        arena_string(arena, kernel),
        hypervisor_name(virtualisation.hypervisor),
        key->cpus,
    };
    memcpy(key->parts, parts, sizeof(parts));
}

/* FNV-1a over all parts; what it names is compared with the key all the same. */
static uint64_t key_hash(const struct calibration_key *key)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t part = 0; part < CALIBRATION_KEY_PARTS; part++)
        for (const char *at = key->parts[part];; at++) {
            hash = (hash ^ (unsigned char)*at) * 1099511628211u;
            if (!*at)
                break;
        }
    return hash;
}

static const char *cache_path(const struct calibration_key *key, const char *folder, struct arena *arena)
{
    return arena_printf(arena, "%s/calibration-%016llx.json", folder, (unsigned long long)key_hash(key));
}

static bool file_read(const char *path, struct text *out)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > FILE_BYTES_MOST)
        return false;
    char block[16384];
    ssize_t got;
    while ((got = read(fd, block, sizeof(block))) > 0 && out->length <= FILE_BYTES_MOST)
        text_append(out, block, (size_t)got);
    return got == 0;
}

static bool same_key(struct json_value root, const struct calibration_key *key)
{
    for (size_t part = 0; part < CALIBRATION_KEY_PARTS; part++) {
        const char *kept = json_text_or(json_member(root, part_names[part]), NULL);
        if (!kept || strcmp(kept, key->parts[part]) != 0)
            return false;
    }
    return true;
}

bool calibration_cache_read(const struct calibration_key *key, struct calibration *ret_calibration, double *ret_age_s,
                            struct arena *arena)
{
    char folder[PATH_MAX];
    scoped_text struct text content = {0};
    scoped_json struct json_document *document = NULL;
    struct calibration kept;
    struct error damaged;
    if (!cache_folder(folder) || !file_read(cache_path(key, folder, arena), &content) ||
        !json_document_parse(&document, text_view(&content), &damaged))
        return false;
    struct json_value root = json_root(document);
    if (json_unsigned_or(json_member(root, "schema"), 0) != 1 || !same_key(root, key) ||
        !calibration_read(&kept, json_member(root, "calibration"), arena, &damaged))
        return false;
    double age_s = clock_s(CLOCK_REALTIME) - kept.taken_at_s;
    if (kept.taken_at_s <= 0 || age_s < 0)
        return false;
    *ret_calibration = kept;
    *ret_age_s = age_s;
    return true;
}

static void document_write(const struct calibration_key *key, const struct calibration *calibration, struct text *out)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    for (size_t part = 0; part < CALIBRATION_KEY_PARTS; part++)
        json_string(&json, part_names[part], key->parts[part]);
    json_object_open(&json, "calibration");
    calibration_members(calibration, &json);
    json_object_close(&json);
    json_object_close(&json);
}

/* Under another name first, so that who reads meanwhile sees the old one or the new one whole. */
const char *calibration_cache_write(const struct calibration_key *key, const struct calibration *calibration,
                                    struct arena *arena)
{
    char folder[PATH_MAX];
    scoped_text struct text out = {0};
    if (!cache_folder(folder))
        return NULL;
    cache_folder_make(folder);
    document_write(key, calibration, &out);
    const char *path = cache_path(key, folder, arena);
    const char *fresh = arena_printf(arena, "%s/calibration.%ld", folder, (long)getpid());
    scoped_fd int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return NULL;
    bool written = write(fd, text_string(&out), out.length) == (ssize_t)out.length && rename(fresh, path) == 0;
    if (!written)
        (void)unlink(fresh);
    return written ? path : NULL;
}
