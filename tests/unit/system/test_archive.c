/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Snapshots: what tar and a folder hold, and what is refused. */
#include "test.h"

#include "base/scope.h"
#include "base/text.h"
#include "system/snapshot/archive.h"

#include <fcntl.h>

static char *place(const char *name)
{
    static char folder[64];
    snprintf(folder, sizeof(folder), "/tmp/plumb-archive-XXXXXX");
    cr_assert(mkdtemp(folder));
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

Test(archive, a_tar_is_one_that_tar_unpacks)
{
    const char *path = place("a.tar");
    char long_name[210], command[600], content[8] = "";
    struct archive *archive;
    struct error err = {0};
    memset(long_name, 'd', sizeof(long_name));
    long_name[0] = long_name[120] = '/';
    long_name[209] = '\0';
    cr_assert(archive_open(&archive, path, &err), "%s", err.message);
    cr_assert(archive_add_file(archive, "/proc/stat", "cpu 1\n", 6, &err));
    cr_assert(archive_add_file(archive, long_name, "x", 1, &err), "%s", err.message);
    cr_assert(archive_add_link(archive, "/proc/self/ns/pid", "pid:[1]", &err));
    cr_assert_eq(archive_count(archive), 3u);
    cr_assert(archive_close(archive, &err), "%s", err.message);
    snprintf(command, sizeof(command), "cd %.*s && tar -xf a.tar && test \"$(readlink proc/self/ns/pid)\" = 'pid:[1]' && test -f %s && cat proc/stat",
             (int)(strrchr(path, '/') - path), path, long_name + 1);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    cr_assert(fgets(content, sizeof(content), pipe));
    cr_assert_str_eq(content, "cpu 1\n");
    cr_assert_eq(pclose(pipe), 0);
}

Test(archive, what_is_there_already_is_not_overwritten)
{
    const char *path = place("a.tar");
    struct archive *archive;
    struct error err = {0};
    close(open(path, O_CREAT | O_WRONLY, 0600));
    cr_assert_not(archive_open(&archive, path, &err));
    cr_assert_eq(err.kind, ERROR_USAGE);
    char folder[128];
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
    cr_assert_not(archive_open(&archive, folder, &err), "a folder that holds something");
    cr_assert_eq(err.kind, ERROR_USAGE);
}

Test(archive, a_name_too_long_for_tar_is_refused)
{
    struct archive *archive;
    struct error err = {0};
    char name[400];
    memset(name, 'n', sizeof(name));
    name[0] = '/';
    name[399] = '\0';
    const char *path = place("a.tar");
    cr_assert(archive_open(&archive, path, &err));
    cr_assert_not(archive_add_file(archive, name, "", 0, &err));
    cr_assert_eq(err.kind, ERROR_LIMIT);
    archive_abandon(archive);
    cr_assert_neq(access(path, F_OK), 0, "given up: no half file stays");
}
