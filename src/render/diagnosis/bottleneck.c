/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis/bottleneck.h"

#include "base/json/json_measured.h"
#include "base/scope.h"
#include "finding/wording.h"

/* ---- the page ---- */

static const char *class_words(enum bottleneck_class class)
{
    static const char *const words[BOTTLENECK_CLASS_COUNT] = {
        [BOTTLENECK_UNKNOWN] = "unknown",
        [BOTTLENECK_MEMORY] = "memory",
        [BOTTLENECK_CORE] = "core",
        [BOTTLENECK_BAD_SPECULATION] = "bad speculation",
        [BOTTLENECK_FRONTEND] = "front end",
        [BOTTLENECK_RETIRING] = "retiring",
        [BOTTLENECK_MIXED] = "mixed",
    };
    return words[class];
}

static const char *cause_words(enum bottleneck_cause cause)
{
    static const char *const words[CAUSE_COUNT] = {
        [CAUSE_LATENCY] = "cache misses, each waits for the one before",
        [CAUSE_BANDWIDTH] = "bandwidth",
        [CAUSE_PARALLEL_MISSES] = "cache misses, several at a time",
        [CAUSE_TLB] = "address translation",
        [CAUSE_L2] = "the second cache",
        [CAUSE_LATENCY_CHAIN] = "a chain of dependent instructions",
        [CAUSE_DIVIDE] = "the divider",
        [CAUSE_FP] = "floating-point units",
        [CAUSE_PORTS] = "one kind of unit",
        [CAUSE_STORE_FORWARDING] = "stores loaded again at once",
        [CAUSE_L1_LATENCY] = "a chain of loads that hit the first cache",
        [CAUSE_ATOMIC] = "atomic operations and fences",
        [CAUSE_CONDITIONAL] = "conditional branches guessed wrong",
        [CAUSE_INDIRECT] = "targets of jumps guessed wrong",
        [CAUSE_FOOTPRINT] = "more hot code than its caches hold",
        [CAUSE_RETIRING] = "it is busy with its instructions, no wait was seen",
    };
    return words[cause];
}

static const char *class_and_cause(enum bottleneck_class class, enum bottleneck_cause cause, struct arena *arena)
{
    return cause_words(cause) ? arena_printf(arena, "%s (%s)", class_words(class), cause_words(cause))
                              : class_words(class);
}

/* A class is named after its largest cause alone where that is most of it: "core (the divider 8 %, and more)". */
static const char *part_words(enum bottleneck_class class, enum bottleneck_cause cause, double part, double share,
                              struct arena *arena)
{
    static const double MOST = 0.75;
    return cause_words(cause) && part > 0 && part < MOST * share
               ? arena_printf(arena, "%s (%s %.0f %%, and more)", class_words(class), cause_words(cause), part * 100)
               : class_and_cause(class, cause, arena);
}

static const char *second_words(const struct bottleneck_second *second, struct arena *arena)
{
    return part_words(second->class, second->cause, second->cause_share, second->share.mid, arena);
}

static const char *verdict_kind(const struct bottleneck_verdict *verdict, struct arena *arena)
{
    return verdict->busy_is_shown
               ? "retiring (it is busy with its instructions, nothing is waited for)"
               : part_words(verdict->class, verdict->cause, verdict->cause_share, verdict->share.mid, arena);
}

static const char *share_text(struct interval share, struct arena *arena)
{
    scoped_text struct text out = {0};
    struct value value = VALUE_SHARE("", share);
    value_print(&out, &value);
    return arena_string(arena, text_string(&out));
}

static const char *seconds_text(struct interval seconds, struct arena *arena)
{
    scoped_text struct text out = {0};
    struct value value = VALUE_SECONDS("", seconds);
    value_print(&out, &value);
    return arena_string(arena, text_string(&out));
}

static const char *head_text(const struct bottleneck_verdict *verdict, struct arena *arena)
{
    static const char *const shouted[] = {"NONE", "LOW", "MEDIUM", "HIGH"};
    if (verdict->class == BOTTLENECK_UNKNOWN)
        return arena_printf(arena, "unknown: %s.", verdict->why_not);
    const char *class = verdict_kind(verdict, arena);
    const char *share = share_text(verdict->share, arena);
    if (verdict->class != BOTTLENECK_MIXED)
        return arena_printf(arena, "%s, %s of the CPU time. Confidence in this estimate: %s.", class, share,
                            shouted[verdict->confidence]);
    return arena_printf(arena, "mixed, %s of the CPU time together. Confidence in this estimate: %s.", share,
                        shouted[verdict->confidence]);
}

const char *bottleneck_kind(const struct bottleneck_verdict *verdict, struct arena *arena)
{
    return verdict->class == BOTTLENECK_MIXED ? "no one thing" : verdict_kind(verdict, arena);
}

const char *bottleneck_brief(const struct bottleneck_verdict *verdict, struct arena *arena)
{
    const char *kind = bottleneck_kind(verdict, arena);
    return verdict->class == BOTTLENECK_MIXED
               ? arena_printf(arena, "by estimate %s", kind)
               : arena_printf(arena, "by estimate %s, %s", kind, share_text(verdict->share, arena));
}

const char *bottleneck_line_of(const struct bottleneck_verdict *verdict, struct arena *arena)
{
    const char *head = head_text(verdict, arena);
    const char *what = verdict->class == BOTTLENECK_UNKNOWN || !verdict->function
                           ? head
                           : arena_printf(arena, "%s In %s.", head, verdict->function);
    return verdict->second.class ? arena_printf(arena, "%s %s %s, %s.", what,
                                                verdict->class == BOTTLENECK_MIXED ? "With" : "Beside it",
                                                second_words(&verdict->second, arena),
                                                share_text(verdict->second.share, arena))
                                 : what;
}

static const double SHOWN_LEAST = 0.005; /* what rounds to 0 % says nothing */

/* What the interval holds beside the error of the samples. */
static const char *border_text(const struct bottleneck_verdict *verdict, struct arena *arena)
{
    const char *border = verdict->at_border >= SHOWN_LEAST
                             ? arena_printf(arena,
                                            "%.0f %% of the CPU time was laid by figures near a threshold, and "
                                            "another run may lay it elsewhere",
                                            verdict->at_border * 100)
                             : "";
    const char *untold = verdict->not_told >= SHOWN_LEAST
                             ? arena_printf(arena, "of %.0f %% nothing could be told", verdict->not_told * 100)
                             : "";
    return arena_printf(arena, "interval: by the samples alone %s; %s%s%s", share_text(verdict->sampled, arena), border,
                        *border && *untold ? ", " : "", untold);
}

size_t bottleneck_lines(struct bottleneck_line lines[BOTTLENECK_LINES_MOST], const struct bottleneck *bottleneck,
                        const char *why, const char *measured, double cpu_s, struct arena *arena)
{
    const struct bottleneck_verdict *verdict = &bottleneck->program;
    size_t count = 0;
    lines[count++] = (struct bottleneck_line){
        "Bottleneck", arena_printf(arena, "ESTIMATED (%s): %s", why, head_text(verdict, arena)), true};
    if (verdict->class == BOTTLENECK_UNKNOWN)
        return count;
    if (verdict->function)
        lines[count++] = (struct bottleneck_line){
            "", verdict->instruction ? arena_printf(arena, "in %s, at %s", verdict->function, verdict->instruction)
                                     : arena_printf(arena, "in %s", verdict->function), false};
    for (size_t at = 0; at < verdict->evidence_count; at++)
        lines[count++] = (struct bottleneck_line){
            "", arena_printf(arena, "%s: %s", verdict->evidence[at].origin, verdict->evidence[at].text), false};
    if (verdict->second.class)
        lines[count++] = (struct bottleneck_line){
            "", arena_printf(arena, "%s %s, %s", verdict->class == BOTTLENECK_MIXED ? "with" : "beside it",
                             second_words(&verdict->second, arena),
                             share_text(verdict->second.share, arena)), false};
    if (verdict->sampled.known && (verdict->at_border >= SHOWN_LEAST || verdict->not_told >= SHOWN_LEAST))
        lines[count++] = (struct bottleneck_line){"", border_text(verdict, arena), false};
    const char *returns =
        measured ? measured
        : verdict->recoverable.known
            ? arena_printf(arena, "Remedies, from a modest one to a good one, return %s of the CPU time%s: %s.",
                           share_text(verdict->recoverable, arena),
                           cpu_s > 0 ? arena_printf(arena, " (%s)",
                                                    seconds_text(interval_scaled(verdict->recoverable, cpu_s), arena))
                                     : "",
                           verdict->recoverable_how)
            : arena_printf(arena, "Recoverable time: not known, because %s.", verdict->recoverable_why);
    lines[count++] = (struct bottleneck_line){"", returns, false};
    return count;
}

/* ---- JSON ---- */

static void write_interval(struct json_writer *json, const char *key, struct interval interval)
{
    if (!interval.known) {
        json_null(json, key);
        return;
    }
    json_array_open(json, key);
    json_double(json, NULL, interval.low);
    json_double(json, NULL, interval.mid);
    json_double(json, NULL, interval.high);
    json_array_close(json);
}

static void write_bytes(struct json_writer *json, const char *key, double bytes)
{
    if (bytes > 0)
        json_double(json, key, bytes);
    else
        json_null(json, key);
}

static void write_second(struct json_writer *json, const struct bottleneck_second *second)
{
    if (!second->class) {
        json_null(json, "second");
        return;
    }
    json_object_open(json, "second");
    json_string(json, "class", bottleneck_class_name(second->class));
    json_string(json, "subclass", bottleneck_subclass_name(second->cause));
    write_interval(json, "share", second->share);
    json_object_close(json);
}

void bottleneck_verdict_json(struct json_writer *json, const struct bottleneck_verdict *verdict)
{
    bool single = verdict->class != BOTTLENECK_MIXED && verdict->class != BOTTLENECK_UNKNOWN;
    json_bool(json, "estimated", true);
    json_string(json, "class", bottleneck_class_name(verdict->class));
    json_string(json, "subclass", single ? bottleneck_subclass_name(verdict->cause) : NULL);
    json_string(json, "level", bottleneck_level_name(verdict->level));
    json_string(json, "confidence", bottleneck_confidence_name(verdict->confidence));
    write_interval(json, "share", verdict->share);
    write_interval(json, "share_sampled", verdict->sampled.known ? verdict->sampled : verdict->share);
    json_double(json, "at_border", verdict->at_border);
    json_double(json, "not_told", verdict->not_told);
    write_interval(json, "recoverable", verdict->recoverable);
    json_string(json, "recoverable_how", verdict->recoverable_how);
    json_string(json, "recoverable_why", verdict->recoverable_why);
    write_second(json, &verdict->second);
    json_string(json, "function", verdict->function);
    json_string(json, "instruction", verdict->instruction);
    json_object_open(json, "working_set");
    write_bytes(json, "lines_bytes", verdict->set.lines_bytes);
    write_bytes(json, "pages_bytes", verdict->set.pages_bytes);
    write_bytes(json, "at_least_bytes", verdict->set.at_least_bytes);
    write_interval(json, "bytes", verdict->set.bytes);
    json_bool(json, "goes_once", verdict->set.goes_once);
    json_object_close(json);
    json_array_open(json, "evidence");
    for (size_t at = 0; at < verdict->evidence_count; at++) {
        json_object_open(json, NULL);
        json_string(json, "origin", verdict->evidence[at].origin);
        json_string(json, "text", verdict->evidence[at].text);
        json_object_close(json);
    }
    json_array_close(json);
    json_string(json, "why_not", verdict->why_not);
}

static void write_masses(struct json_writer *json, const double *masses)
{
    json_object_open(json, "causes");
    for (int cause = 0; cause < CAUSE_COUNT; cause++) {
        const char *name = bottleneck_subclass_name((enum bottleneck_cause)cause);
        if (masses[cause] > 0)
            json_double(json, name ? name : cause == CAUSE_RETIRING ? "retiring" : "unknown", masses[cause]);
    }
    json_object_close(json);
}

static void write_loop(struct json_writer *json, const struct bottleneck_loop *loop)
{
    char address[24];
    json_object_open(json, NULL);
    snprintf(address, sizeof(address), "0x%llx", (unsigned long long)loop->first_addr);
    json_string(json, "first_address", address);
    snprintf(address, sizeof(address), "0x%llx", (unsigned long long)loop->last_addr);
    json_string(json, "last_address", address);
    json_u64(json, "samples", loop->samples);
    bottleneck_verdict_json(json, &loop->verdict);
    write_masses(json, loop->masses);
    json_double(json, "evenness", loop->evenness);
    json_measured(json, "rate_per_s", loop->rate_per_s);
    json_measured(json, "bound_cycles", loop->bound_cycles);
    json_measured(json, "measured_cycles", loop->measured_cycles);
    json_measured(json, "bytes_per_iteration", loop->bytes_per_turn);
    json_measured(json, "extra_memory_trips", loop->extra_memory_trips);
    json_object_close(json);
}

void bottleneck_json(struct json_writer *json, const struct bottleneck *bottleneck)
{
    if (!bottleneck) {
        json_null(json, "bottleneck");
        return;
    }
    json_object_open(json, "bottleneck");
    bottleneck_verdict_json(json, &bottleneck->program);
    write_masses(json, bottleneck->masses);
    json_array_open(json, "loops");
    for (size_t at = 0; at < bottleneck->loop_count; at++)
        write_loop(json, &bottleneck->loops[at]);
    json_array_close(json);
    json_object_close(json);
}
