/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of code that a JIT compiler made, and what else it says of it: its jitdump, its perf map. */
#include "symbol/names/jit_dump.h"
#include "symbol/names/name_giver.h"
#include "symbol/names/perf_map.h"

static bool jit_dump_serves(const struct naming *naming, const struct dso *dso)
{
    return dso->kind == DSO_ANONYMOUS;
}

static bool jit_dump_load(const struct naming *naming, uint32_t dso, struct names *names, struct error *err)
{
    uint32_t pid = naming->recording->spaces.dsos[dso].owner_pid;
    const char *path = jit_dump_path(naming->recording, pid);
    names->key = NAMES_BY_RUNTIME_ADDR;
    if (!path) /* most processes write none: no names, and nothing to say of it */
        return true;
    if (!jit_dump_open(naming->options->root, pid, path, &names->dump, err))
        return false;
    struct error damage = {0};
    if (jit_dump_parse(names->dump, &names->index, &names->jit_functions, &damage))
        return true;
    names->remark = arena_printf(&names->arena, "jitdump '%s': %s", path, damage.message);
    return names->index.symbols.count || error_set(err, damage.kind, "%s", names->remark);
}

const struct name_giver jit_dump_names = {.title = "jitdump", .serves = jit_dump_serves, .load = jit_dump_load};

static bool perf_map_serves(const struct naming *naming, const struct dso *dso)
{
    return dso->kind == DSO_ANONYMOUS;
}

static bool perf_map_load(const struct naming *naming, uint32_t dso, struct names *names, struct error *err)
{
    uint32_t pid = naming->recording->spaces.dsos[dso].owner_pid;
    names->key = NAMES_BY_RUNTIME_ADDR;
    if (!perf_map_read(naming->options->root, pid, &names->text, err))
        return false;
    size_t bad = perf_map_parse(text_view(&names->text), &names->index);
    if (bad)
        names->remark = arena_printf(&names->arena, "%zu lines of the perf map of process %u are not understood",
                                     bad, pid);
    return true;
}

const struct name_giver perf_map_names = {.title = "perf map", .serves = perf_map_serves, .load = perf_map_load};
