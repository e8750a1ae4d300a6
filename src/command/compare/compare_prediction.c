/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/compare/compare_prediction.h"

#include "base/json/json_reader.h"
#include "base/scope.h"
#include "base/text.h"
#include "capture/case/case_folder.h"

#include <stdio.h>
#include <string.h>

static bool prediction_parse(const char *text, struct interval *ret_gain, struct error *err)
{
    struct view rest = view_of(text), low = view_cut(&rest, ','), mid = view_cut(&rest, ',');
    struct interval gain = {.known = true};
    bool good = view_double(low, &gain.low) && view_double(mid, &gain.mid) && view_double(rest, &gain.high) &&
                gain.low <= gain.mid && gain.mid <= gain.high && gain.high <= 100;
    if (!good)
        return error_set(err, ERROR_USAGE, "--predicted expects LOW,MID,HIGH in percent, rising, not '%s'", text);
    *ret_gain = interval_scaled(gain, 0.01);
    return true;
}

/* The asked finding, or the first, which is the leading one. */
static struct json_value finding_in(struct json_value findings, const char *id)
{
    for (size_t at = 0; id && at < json_count(findings); at++)
        if (strcmp(json_text_or(json_member(json_item(findings, at), "id"), ""), id) == 0)
            return json_item(findings, at);
    return id ? (struct json_value){0} : json_item(findings, 0);
}

/*
 * The case foretells a share of its own run, of the CPU time or of the elapsed time: compared by another one, it says
 * nothing, because it can't be known what else ran meanwhile. User and system time are parts that no finding speaks of.
 */
static bool gain_of_finding(struct json_value finding, const char *quantity, struct prediction *ret_prediction,
                            struct error *err)
{
    struct json_value ratio = json_member(finding, "recoverable_ratio");
    const char *of = json_text_or(json_member(finding, "of"), "");
    const char *by = strcmp(of, "CPU time") == 0 ? "cpu" : "wall";
    struct interval gain = {.known = true};
    if (quantity && strcmp(quantity, by) != 0)
        return error_set(err, ERROR_USAGE, "the finding foretells a share of the %s: compare --by %s", of, by);
    if (!json_number(json_member(ratio, "low"), &gain.low) || !json_number(json_member(ratio, "mid"), &gain.mid) ||
        !json_number(json_member(ratio, "high"), &gain.high))
        return error_set(err, ERROR_NOT_FOUND, "its finding says no recoverable time");
    ret_prediction->gain = gain;
    ret_prediction->quantity = by;
    return true;
}

static bool prediction_of_case(const struct prediction_options *options, const char *quantity,
                               struct prediction *ret_prediction, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    if (!case_part_json(options->case_folder, "findings.json", &document, err))
        return error_wrap(err, "reading the prediction of case '%s'", options->case_folder);
    struct json_value root = json_root(document);
    struct json_value finding = finding_in(json_member(root, "findings"), options->finding);
    const char *id = json_text_or(json_member(finding, "id"), options->finding ? options->finding : "");
    const char *verdict = json_text_or(json_member(finding, "verdict"), "not in the case");
    struct prediction prediction = {0};
    if (strcmp(verdict, "supported") != 0)
        return error_set(err, ERROR_NOT_FOUND, "case '%s' foretells nothing by finding '%s': it is %s",
                         options->case_folder, id, verdict);
    if (!gain_of_finding(finding, quantity, &prediction, err))
        return error_wrap(err, "case '%s'", options->case_folder);
    snprintf(prediction.source, sizeof(prediction.source), "by finding %s of the case", id);
    *ret_prediction = prediction;
    return true;
}

bool prediction_choose(const struct prediction_options *options, const char *quantity,
                       struct prediction *ret_prediction, struct error *err)
{
    if (options->typed && options->case_folder)
        return error_set(err, ERROR_USAGE, "--predicted and --predicted-by exclude each other");
    if (options->finding && !options->case_folder)
        return error_set(err, ERROR_USAGE, "--finding goes with --predicted-by");
    if (options->case_folder)
        return prediction_of_case(options, quantity, ret_prediction, err);
    snprintf(ret_prediction->source, sizeof(ret_prediction->source), "given by --predicted");
    return !options->typed || prediction_parse(options->typed, &ret_prediction->gain, err);
}
