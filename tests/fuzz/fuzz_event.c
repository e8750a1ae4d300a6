/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event names as anybody types them, on a machine whose sysfs says anything: names, a format, an alias, by line. */
#include "base/scope.h"
#include "metric/event.h"

#include <ftw.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void file_write(const char *folder, const char *name, struct view content)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices/cpu/%s", folder, name);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    scoped_file FILE *file = fopen(path, "we");
    if (!file || fwrite(content.text, 1, content.length, file) != content.length)
        abort();
}

static char folder[32]; /* made once: thousands of runs share it */

static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

static void folder_remove(void)
{
    nftw(folder, entry_remove, 8, FTW_DEPTH | FTW_PHYS);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct view rest = {(const char *)bytes, size_bytes}, names = {0}, format = {0}, alias = {0};
    struct event_list list = {0};
    struct arena arena = {0};
    struct sysroot root;
    struct error err = {0};
    if (!folder[0]) {
        /* in memory where possible: replacing a file's content makes some file systems write it out at once */
        snprintf(folder, sizeof(folder), "%s/plumb-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        if (!mkdtemp(folder))
            abort();
        atexit(folder_remove);
        file_write(folder, "type", VIEW("4\n"));
    }
    if (!view_line(&rest, &names))
        return 0;
    if (view_line(&rest, &format))
        file_write(folder, "format/event", format);
    if (view_line(&rest, &alias))
        file_write(folder, "events/stalls", alias);
    sysroot_init(&root, folder);
    char *text = arena_string_n(&arena, names.text, names.length);
    if (!event_list_parse(&list, text, &root, &arena, &err) && (!err.kind || !err.message[0] || list.count))
        abort(); /* the contract: a refusal says why, and nothing of a refused list stays */
    for (size_t at = 0; at < list.count; at++)
        if (!list.items[at].name || list.items[at].group >= list.group_count)
            abort();
    event_list_done(&list);
    arena_done(&arena);
    return 0;
}
