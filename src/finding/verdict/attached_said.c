/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/attached_said.h"

#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"

#include <string.h>

#define COMMAND " -- CMD"
#define STARTS  "plumb compare"
#define STARTED " (CMD: what starts it)"

/* What takes a process as well as a command. */
static const char *const watchers[] = {"plumb record", "plumb diagnose", "perf record",
                                       "perf stat",    "py-spy record",  "strace"};

static const char *last_before(const char *text, const char *end, const char *word)
{
    const char *last = NULL;
    for (const char *at = strstr(text, word); at && at < end; at = strstr(at + 1, word))
        last = at;
    return last;
}

static bool is_watchers(const char *text, const char *command)
{
    const char *starts = last_before(text, command, STARTS);
    for (size_t at = 0; at < array_count(watchers); at++) {
        const char *watches = last_before(text, command, watchers[at]);
        if (watches && (!starts || watches > starts))
            return true;
    }
    return false;
}

const char *attached_said(const char *text, const struct results *results, struct arena *arena)
{
    bool is_attached = results->run && results->run->scope == RUN_ATTACHED && results->run->cpu_s.known;
    if (!text || !is_attached || (results->imported && !results->stalls) || !strstr(text, " CMD"))
        return text;
    scoped_text struct text out = {0};
    const char *from = text;
    for (const char *at = strstr(text, COMMAND); at; at = strstr(at + 1, COMMAND)) {
        if (!is_watchers(text, at))
            continue;
        text_append(&out, from, (size_t)(at - from));
        text_add(&out, " -p PID");
        from = at + strlen(COMMAND);
    }
    text_add(&out, from);
    bool is_started = strstr(text_string(&out), STARTS) && !strstr(text_string(&out), STARTED);
    return arena_printf(arena, "%s%s", text_string(&out), is_started ? STARTED : "");
}

void attached_findings(struct findings *findings, const struct results *results, struct arena *arena)
{
    for (size_t at = 0; at < findings->count; at++) {
        struct finding *finding = &findings->items[at];
        for (size_t advice = 0; advice < finding->advice_count; advice++)
            finding->advice[advice] = attached_said(finding->advice[advice], results, arena);
        finding->confirm = attached_said(finding->confirm, results, arena);
        finding->remedy = attached_said(finding->remedy, results, arena);
    }
}
