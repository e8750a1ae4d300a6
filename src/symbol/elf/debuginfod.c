/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/debuginfod.h"

#include "base/library.h"
#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct debuginfod_client;

/* debuginfod_find_debuginfo(3); declared here so that building needs no header of it. */
struct debuginfod {
    struct debuginfod_client *(*begin)(void);
    void (*end)(struct debuginfod_client *client);
    int (*find_executable)(struct debuginfod_client *client, const unsigned char *build_id, int size_bytes,
                           char **path);
    int (*find_debuginfo)(struct debuginfod_client *client, const unsigned char *build_id, int size_bytes,
                          char **path);
};

static const struct library library = {{"libdebuginfod.so.1"}, "libdebuginfod1", "fetching debug files"};
static const struct library_symbol symbols[] = {
    LIBRARY_SYMBOL(struct debuginfod, begin, "debuginfod_begin"),
    LIBRARY_SYMBOL(struct debuginfod, end, "debuginfod_end"),
    LIBRARY_SYMBOL(struct debuginfod, find_executable, "debuginfod_find_executable"),
    LIBRARY_SYMBOL(struct debuginfod, find_debuginfo, "debuginfod_find_debuginfo"),
};

bool debuginfod_fetch(const struct build_id *build_id, enum debuginfod_kind kind, char **ret_path, struct error *err)
{
    struct debuginfod api;
    const char *urls = getenv("DEBUGINFOD_URLS");
    if (!urls || !*urls) {
        error_set(err, ERROR_NOT_FOUND, "DEBUGINFOD_URLS names no server");
        return error_hint(err, "set DEBUGINFOD_URLS to your distribution's debuginfod server");
    }
    if (!library_load(&library, symbols, array_count(symbols), &api, err))
        return false;
    struct debuginfod_client *client = api.begin();
    if (!client)
        return error_set(err, ERROR_SYSTEM, "debuginfod can't start");
    int fd = (kind == DEBUGINFOD_EXECUTABLE ? api.find_executable : api.find_debuginfo)(
        client, build_id->bytes, build_id->size_bytes, ret_path);
    api.end(client);
    if (fd < 0)
        return error_system(err, -fd, "debuginfod doesn't have it");
    close(fd);
    return true;
}
