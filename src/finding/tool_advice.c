/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/tool_advice.h"

#include "finding/family.h"
#include "finding/wording.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64 };

/* "/usr/bin/clang++-14" is clang++, "bzip2" itself. */
static const char *advice_for(const char *path, size_t length)
{
    const char *slash = memrchr(path, '/', length);
    char name[NAME_BYTES];
    snprintf(name, sizeof(name), "%.*s", (int)(slash ? path + length - slash - 1 : (ptrdiff_t)length),
             slash ? slash + 1 : path);
    const char *advice = name[0] ? wording_find("tools", name) : NULL;
    size_t end = strlen(name);
    while (end && (isdigit((unsigned char)name[end - 1]) || name[end - 1] == '.' || name[end - 1] == '-'))
        end--;
    name[end] = '\0';
    return advice || !end ? advice : wording_find("tools", name);
}

/* The program's own binary, libraries apart, that has most samples; NULL: none has any. */
static const char *hottest_binary(const struct stalls *stalls)
{
    const char *hottest = NULL;
    uint64_t most = 0;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const char *dso = stalls->functions[at].dso;
        uint64_t samples = 0;
        if (stalls->functions[at].is_kernel || !dso || strstr(dso, ".so"))
            continue;
        for (size_t other = at; other < stalls->function_count; other++)
            samples += !stalls->functions[other].is_kernel && stalls->functions[other].dso &&
                               strcmp(stalls->functions[other].dso, dso) == 0
                           ? stalls->functions[other].samples
                           : 0;
        hottest = samples > most ? dso : hottest;
        most = samples > most ? samples : most;
    }
    return hottest;
}

const char *tool_advice(const struct results *results)
{
    const char *binary = results->stalls ? hottest_binary(results->stalls) : NULL;
    const char *advice = binary ? advice_for(binary, strlen(binary)) : NULL;
    if (advice || !results->command)
        return advice;
    return advice_for(results->command, strcspn(results->command, " "));
}

const char *foreign_advice(const struct results *results)
{
    const char *known = tool_advice(results), *script = known ? NULL : script_advice_beside(results);
    return known ? known : script ? script : wording_find("common", "advice-foreign");
}
