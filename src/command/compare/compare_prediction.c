/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/compare/compare_prediction.h"

#include "base/json_reader.h"
#include "base/scope.h"
#include "base/text.h"
#include "capture/case_folder.h"

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
 * The case foretells seconds of its own run; as a share of the time that is compared they hold for another machine's
 * pace too. User and system time are parts of CPU time that no finding speaks of.
 */
static bool gain_of_finding(struct json_value run, struct json_value finding, const char *quantity,
                            struct interval *ret_gain, struct error *err)
{
    struct json_value seconds = json_member(finding, "recoverable_s");
    bool by_wall = strcmp(quantity, "wall") == 0, by_cpu = strcmp(quantity, "cpu") == 0;
    const char *whole_name = by_wall ? "elapsed_s" : "cpu_s";
    struct json_value whole = json_member(run, whole_name);
    struct interval gain = {.known = true};
    double whole_s = 0;
    if (!by_wall && !by_cpu)
        return error_set(err, ERROR_USAGE, "--predicted-by goes with --by wall or cpu");
    if (!json_number(whole, &whole_s))
        json_number(json_member(whole, "value"), &whole_s);
    if (!(whole_s > 0) || !json_number(json_member(seconds, "low"), &gain.low) ||
        !json_number(json_member(seconds, "mid"), &gain.mid) || !json_number(json_member(seconds, "high"), &gain.high))
        return error_set(err, ERROR_NOT_FOUND, "its finding says no recoverable time, or its run no %s", whole_name);
    *ret_gain = interval_scaled(gain, 1 / whole_s);
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
    if (!gain_of_finding(json_member(root, "run"), finding, quantity, &prediction.gain, err))
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
