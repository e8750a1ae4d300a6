/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/maker.h"

#include "base/vec.h"
#include "finding/family.h"

#include <string.h>

enum { BINARIES_MOST = 3 };

/* The last is any other. */
static const struct maker_row {
    const char *binaries[BINARIES_MOST];
    bool serves_others; /* C calls it, or it is C itself: its own functions are no sign of that */
    bool is_image;      /* holds compiled code of the runtime's language */
    struct code_maker maker;
} makers[] = {
    {.binaries = {"libjvm"},
     .maker = {.memory = "advice-java",
               .order = "advice-java-order",
               .pages = "advice-java-pages",
               .confirm_pages = "confirm-java-pages",
               .names = "names-java",
               .own_heap = true}},
    {.binaries = {"node", "nodejs", "libnode"},
     .maker = {.memory = "advice-javascript",
               .order = "advice-javascript-order",
               .names = "names-javascript",
               .own_heap = true}},
    {.binaries = {"libcoreclr", "libclrjit"},
     .maker =
         {.memory = "advice-dotnet", .order = "advice-generated-order", .names = "names-dotnet", .own_heap = true}},
    {.binaries = {"libdnnl", "libmkldnn"},
     .serves_others = true,
     .maker = {.memory = "advice-onednn", .order = "advice-onednn-layout", .names = "names-onednn"}},
    {.binaries = {"libguile"},
     .serves_others = true,
     .maker = {.memory = "advice-generated", .order = "advice-generated-order", .names = "names-guile"}},
    {.binaries = {"luajit", "libluajit"},
     .serves_others = true,
     .maker = {.memory = "advice-generated", .order = "advice-generated-order", .names = "names-luajit"}},
    {.binaries = {"php"},
     .serves_others = true,
     .maker = {.memory = "advice-generated", .order = "advice-generated-order", .names = "names-php"}},
    {.binaries = {"postgres"},
     .serves_others = true,
     .maker = {.memory = "advice-generated", .order = "advice-generated-order", .names = "names-postgresql"}},
    {.binaries = {"beam.smp"},
     .serves_others = true,
     .maker = {.memory = "advice-generated", .order = "advice-generated-order", .names = "names-erlang"}},
    {.binaries = {"sbcl.core"},
     .is_image = true,
     .maker = {.memory = "advice-generated", .order = "advice-generated-order", .names = "names-sbcl"}},
    {.maker = {.memory = "advice-generated", .order = "advice-generated-order", .names = "names-generated"}},
};

bool function_is_generated(const struct stall_function *function)
{
    return !function->is_kernel && (strncmp(function->name, "[JIT]", 5) == 0 ||
                                    (function->dso_path && strncmp(function->dso_path, "//anon", 6) == 0));
}

static const struct maker_row *maker_by_binary(const struct stall_function *function)
{
    for (size_t at = 0; at < array_count(makers); at++)
        for (size_t binary = 0; binary < BINARIES_MOST && makers[at].binaries[binary] && !function->is_kernel; binary++)
            if (function_has_name(function, &(struct name_pattern){.dso = makers[at].binaries[binary]}))
                return &makers[at];
    return NULL;
}

bool function_is_of_image(const struct stall_function *function)
{
    const struct maker_row *row = maker_by_binary(function);
    return row && row->is_image;
}

/* The runtime at work beside it: the hottest one that is one. */
static const struct maker_row *maker_beside(const struct stalls *stalls)
{
    for (size_t at = 0; stalls && at < stalls->function_count; at++) {
        const struct maker_row *row = maker_by_binary(&stalls->functions[at]);
        if (row)
            return row;
    }
    return &makers[array_count(makers) - 1];
}

const struct code_maker *code_maker_of(const struct results *results, const struct stall_function *function)
{
    if (function_is_generated(function))
        return &maker_beside(results->stalls)->maker;
    const struct maker_row *row = maker_by_binary(function);
    return row && !row->serves_others ? &row->maker : NULL;
}
