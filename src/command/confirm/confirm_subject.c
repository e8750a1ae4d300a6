/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/confirm/confirm_subject.h"

#include "base/scope.h"
#include "statistics/json_interval.h"

static const double effect_usual = 0.05;

static const char *kept(struct json_value text, const char *fallback, struct arena *arena)
{
    const char *found = json_text_or(text, fallback);
    return found ? arena_string(arena, found) : NULL;
}

static bool is_share(const struct interval *gain)
{
    return gain->low >= -1 && gain->high <= 1;
}

/* A supported or undecided finding without a least gain of its own is a bound; one that is ruled out foretells none. */
static bool foretold_take(struct confirm_subject *subject, struct json_value finding, struct error *err)
{
    struct foretold *foretold = &subject->foretold;
    double most;
    foretold->gain = json_interval_or_unknown(json_member(finding, "recoverable_ratio"));
    bool has_most = json_number(json_member(finding, "recoverable_ratio_at_most"), &most);
    bool ruled_out = strcmp(subject->verdict, "ruled_out") == 0;
    if (!foretold->gain.known && has_most)
        foretold->gain = interval_of(0, 0, most < 0 ? 0 : most);
    else if (foretold->gain.known && foretold->gain.low > 0 && !ruled_out)
        has_most = false;
    if (strcmp(subject->verdict, "not_testable") == 0 || (!foretold->gain.known && !has_most)) {
        error_set(err, ERROR_NOT_FOUND, "the finding '%s' (%s) foretells no gain to hold an experiment against",
                  subject->id, subject->verdict);
        return error_hint(err, "plumb compare tells what a change returns without a prediction");
    }
    if (!is_share(&foretold->gain))
        return error_set(err, ERROR_FORMAT, "'findings.json': the gain of finding '%s' is no share of a run",
                         subject->id);
    foretold->kind = ruled_out ? FORETOLD_NONE : foretold->gain.low > 0 ? FORETOLD_GAIN : FORETOLD_BOUND;
    return true;
}

static struct interval interval_from_list(struct json_value list)
{
    double low, mid, high;
    bool good = json_number(json_item(list, 0), &low) && json_number(json_item(list, 1), &mid) &&
                json_number(json_item(list, 2), &high);
    return good && low <= mid && mid <= high ? interval_of(low, mid, high) : (struct interval){0};
}

static bool finding_take(struct confirm_subject *subject, struct json_value finding, struct arena *arena,
                         struct error *err)
{
    subject->id = kept(json_member(finding, "id"), "", arena);
    subject->verdict = kept(json_member(finding, "verdict"), "", arena);
    const char *title = kept(json_member(finding, "title"), subject->id, arena);
    bool ruled_out = strcmp(subject->verdict, "ruled_out") == 0;
    subject->sentence = ruled_out ? title : kept(json_member(finding, "headline"), title, arena);
    subject->advice = kept(json_item(json_member(finding, "advice"), 0), NULL, arena);
    subject->of = kept(json_member(finding, "of"), "CPU time", arena);
    if (!foretold_take(subject, finding, err))
        return false;
    subject->share = subject->foretold.gain;
    subject->share_is_of_cpu = strcmp(subject->of, "CPU time") == 0;
    return true;
}

/* The estimate of what limits it: "memory" and "tlb" are "memory/tlb". */
static bool bottleneck_take(struct confirm_subject *subject, struct json_value bottleneck, struct arena *arena,
                            struct error *err)
{
    const char *class_name = json_text_or(json_member(bottleneck, "class"), "unknown");
    const char *subclass = json_text_or(json_member(bottleneck, "subclass"), NULL);
    subject->id = arena_printf(arena, "%s%s%s", class_name, subclass ? "/" : "", subclass ? subclass : "");
    subject->verdict = "estimated";
    subject->of = "CPU time";
    const char *function = json_text_or(json_member(bottleneck, "function"), NULL);
    subject->sentence = arena_printf(arena, "estimated bottleneck: %s%s%s", subject->id, function ? " in " : "",
                                     function ? function : "");
    struct interval gain = json_interval_or_unknown(json_member(bottleneck, "recoverable"));
    if (!gain.known)
        gain = interval_from_list(json_member(bottleneck, "recoverable"));
    subject->share = interval_from_list(json_member(bottleneck, "share"));
    subject->share_is_of_cpu = true;
    if (subject->share.known && !is_share(&subject->share))
        return error_set(err, ERROR_FORMAT, "'findings.json': the share of the bottleneck is no share of a run");
    if (!gain.known && subject->share.known) /* removing it returns no more than it takes */
        gain = interval_of(0, 0, subject->share.high);
    if (!gain.known || !is_share(&gain))
        return error_set(err, ERROR_NOT_FOUND, "the estimated bottleneck (%s) foretells no gain: %s", subject->id,
                         json_text_or(json_member(bottleneck, "recoverable_why"), "none is named"));
    subject->foretold.gain = gain;
    subject->foretold.kind = gain.low > 0 ? FORETOLD_GAIN : FORETOLD_BOUND;
    return true;
}

static struct json_value finding_named(struct json_value findings, const char *id)
{
    for (size_t at = 0; id && at < json_count(findings); at++)
        if (strcmp(json_text_or(json_member(json_item(findings, at), "id"), ""), id) == 0)
            return json_item(findings, at);
    return (struct json_value){0};
}

static bool foretells(struct json_value finding)
{
    return json_present(json_member(finding, "recoverable_ratio")) ||
           json_present(json_member(finding, "recoverable_ratio_at_most"));
}

static bool estimates(struct json_value bottleneck)
{
    const char *class_name = json_text_or(json_member(bottleneck, "class"), "unknown");
    return strcmp(class_name, "unknown") != 0 && strcmp(class_name, "mixed") != 0;
}

static void others_take(struct confirm_subject *subject, struct json_value findings, bool has_estimate,
                        struct arena *arena)
{
    for (size_t at = 0; at < json_count(findings) && subject->other_count < SUBJECT_OTHERS_MOST; at++) {
        struct json_value finding = json_item(findings, at);
        const char *id = json_text_or(json_member(finding, "id"), "");
        bool supported = strcmp(json_text_or(json_member(finding, "verdict"), ""), "supported") == 0;
        if (supported && foretells(finding) && strcmp(id, subject->id) != 0)
            subject->others[subject->other_count++] = arena_string(arena, id);
    }
    if (has_estimate && strcmp(subject->verdict, "estimated") != 0 && subject->other_count < SUBJECT_OTHERS_MOST)
        subject->others[subject->other_count++] = "bottleneck";
}

/* Those that foretell something, for whoever named another. */
static void names_add(struct text *out, struct json_value findings)
{
    for (size_t at = 0; at < json_count(findings); at++) {
        struct json_value finding = json_item(findings, at);
        if (foretells(finding))
            text_printf(out, "%s%s", out->length ? ", " : "", json_text_or(json_member(finding, "id"), ""));
    }
}

/*
 * An estimated finding of which no gain was measured claims its share all the same, where the estimate says it of the
 * same instruction: that is what an experiment may find too large.
 */
static void share_take(struct confirm_subject *subject, struct json_value finding, struct json_value bottleneck)
{
    const char *of_finding = json_text_or(json_member(finding, "subject"), ""),
               *of_estimate = json_text_or(json_member(bottleneck, "instruction"), "");
    struct interval share = interval_from_list(json_member(bottleneck, "share"));
    if (subject->foretold.kind == FORETOLD_BOUND && *of_finding && strcmp(of_finding, of_estimate) == 0 &&
        share.known && is_share(&share)) {
        subject->share = share;
        subject->share_is_of_cpu = true;
    }
}

static bool choose(struct confirm_subject *subject, struct json_value root, const char *asked, struct arena *arena,
                   struct error *err)
{
    struct json_value findings = json_member(root, "findings"), bottleneck = json_member(root, "bottleneck");
    if (!json_is_list(findings) || !json_is_record(json_member(root, "verdict")))
        return error_set(err, ERROR_FORMAT, "'findings.json' is no diagnosis: it has no verdict or no findings");
    const char *id = asked ? asked : json_text_or(json_member(json_member(root, "verdict"), "culprit"), NULL);
    struct json_value finding = finding_named(findings, id);
    if (json_is_record(finding)) {
        if (!finding_take(subject, finding, arena, err))
            return false;
        share_take(subject, finding, bottleneck);
        return true;
    }
    bool wants_estimate = !asked || strcmp(asked, "bottleneck") == 0;
    if (wants_estimate && estimates(bottleneck))
        return bottleneck_take(subject, bottleneck, arena, err);
    scoped_text struct text names = {0};
    names_add(&names, findings);
    if (asked)
        error_set(err, ERROR_NOT_FOUND, "the case has no finding '%s'", asked);
    else
        error_set(err, ERROR_NOT_FOUND, "the case names no cause, so there is no verdict to overturn");
    return names.length ? error_hint(err, "--finding NAME tests one of %s", text_string(&names)) : false;
}

/* Whose code is hot, each file once. */
static void files_take(struct confirm_subject *subject, struct json_value functions, struct arena *arena)
{
    for (size_t at = 0; at < json_count(functions) && subject->file_count < SUBJECT_FILES_MOST; at++) {
        const char *file = json_text_or(json_member(json_item(functions, at), "dso"), "");
        bool known = !file[0];
        for (size_t other = 0; other < subject->file_count; other++)
            known |= strcmp(subject->files[other], file) == 0;
        if (!known)
            subject->files[subject->file_count++] = arena_string(arena, file);
    }
}

bool confirm_subject_read(struct confirm_subject *subject, const char *folder, const char *finding, struct arena *arena,
                          struct error *err)
{
    scoped_json struct json_document *document = NULL;
    *subject = (struct confirm_subject){0};
    if (!case_part_json(folder, "findings.json", &document, err)) {
        if (err->kind == ERROR_NOT_FOUND)
            error_hint(err, "plumb diagnose --case %s diagnoses what it holds", folder);
        return false;
    }
    struct json_value root = json_root(document);
    subject->foretold.effect = json_number_or(json_member(root, "effect"), effect_usual);
    subject->threads = json_unsigned_or(json_member(json_member(root, "run"), "threads"), 0);
    files_take(subject, json_member(json_member(root, "profile"), "functions"), arena);
    if (!choose(subject, root, finding, arena, err))
        return false;
    subject->by_cpu = strcmp(subject->of, "CPU time") == 0;
    others_take(subject, json_member(root, "findings"), estimates(json_member(root, "bottleneck")), arena);
    return true;
}

void confirm_subject_settle(struct confirm_subject *subject, const struct case_manifest *manifest)
{
    struct measured elapsed = manifest->elapsed_s, user = manifest->user_s, system = manifest->system_s;
    if (subject->share_is_of_cpu || subject->threads != 1 || !elapsed.known || !user.known || !system.known)
        return;
    double cpu_s = user.value + system.value;
    if (!subject->share.known || !(cpu_s > 0) || !(elapsed.value > 0))
        return;
    double factor = elapsed.value > cpu_s ? elapsed.value / cpu_s : 1;
    struct interval share = interval_scaled(subject->share, factor);
    subject->share = interval_of(share.low < 1 ? share.low : 1, share.mid < 1 ? share.mid : 1,
                                 share.high < 1 ? share.high : 1);
    subject->share_is_of_cpu = true;
}
