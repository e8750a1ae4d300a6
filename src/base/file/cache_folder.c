/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file/cache_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    NAME_MOST = 72
};

bool cache_folder(char ret_folder[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = cache && cache[0] == '/' ? snprintf(ret_folder, PATH_MAX, "%s/plumb", cache)
                 : home && home[0] == '/' ? snprintf(ret_folder, PATH_MAX, "%s/.cache/plumb", home)
                                          : -1;
    return length > 0 && length < PATH_MAX - NAME_MOST;
}

void cache_folder_make(const char *folder)
{
    char parent[PATH_MAX];
    if (snprintf(parent, sizeof(parent), "%s", folder) >= (int)sizeof(parent))
        return;
    char *slash = strrchr(parent, '/');
    if (!slash)
        return;
    *slash = 0;
    (void)mkdir(parent, 0700);
    (void)mkdir(folder, 0700);
}

const char *home_folder(void)
{
    const char *home = getenv("HOME");
    return home && *home ? home : "/root";
}
