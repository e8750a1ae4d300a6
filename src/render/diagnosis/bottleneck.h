/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The estimated bottleneck, as lines of a page and as JSON (doc/schema-diagnose.md, "bottleneck"). */
#ifndef PLUMB_RENDER_DIAGNOSIS_BOTTLENECK_H
#define PLUMB_RENDER_DIAGNOSIS_BOTTLENECK_H

#include "analyse/bottleneck/bottleneck.h"
#include "base/json/json_writer.h"

enum { BOTTLENECK_LINES_MOST = 13 };

struct bottleneck_line {
    const char *label; /* "" goes on with the line before */
    const char *text;
    bool is_head;
};

/* measured: what probes say that removing its cause returns; NULL: nothing. Returns how many. Owner: arena. */
size_t bottleneck_lines(struct bottleneck_line lines[BOTTLENECK_LINES_MOST], const struct bottleneck *bottleneck,
                        const char *why, const char *measured, double cpu_s, struct arena *arena);
/* What limits one phase, as a line. Owner: arena. */
const char *bottleneck_line_of(const struct bottleneck_verdict *verdict, struct arena *arena);
/* "memory (bandwidth)"; the same with its share, as a part of a sentence. Owner: arena. */
const char *bottleneck_kind(const struct bottleneck_verdict *verdict, struct arena *arena);
const char *bottleneck_brief(const struct bottleneck_verdict *verdict, struct arena *arena);
/* The members of a verdict, of an object that the caller opens. */
void bottleneck_verdict_json(struct json_writer *json, const struct bottleneck_verdict *verdict);
/* NULL: hardware counters decide, or nothing was sampled; null. */
void bottleneck_json(struct json_writer *json, const struct bottleneck *bottleneck);

#endif
