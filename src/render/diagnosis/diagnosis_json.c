/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/vector_width.h"
#include "base/json/json_measured.h"
#include "finding/share.h"
#include "render/diagnosis/diagnosis.h"
#include "render/diagnosis/bottleneck.h"
#include "render/diagnosis/phase_section.h"
#include "render/diagnosis/topdown_section.h"
#include "render/diagnosis/diagnosis_measures.h"
#include "statistics/json_interval.h"

static void write_value(struct json_writer *json, const struct value *value)
{
    if (value->unit == UNIT_TEXT) {
        json_string(json, value->name, value->text);
        return;
    }
    json_object_open(json, value->name);
    json_string(json, "unit", unit_name(value->unit));
    json_interval(json, "value", value->number);
    json_object_close(json);
}

static void write_evidence(struct json_writer *json, const struct evidence *evidence)
{
    json_object_open(json, NULL);
    json_string(json, "key", evidence->key);
    json_string(json, "weight", weight_name(evidence->weight));
    json_string(json, "origin", origin_name(evidence->origin));
    json_string(json, "text", evidence->text);
    json_object_open(json, "values");
    for (size_t at = 0; at < evidence->value_count; at++)
        write_value(json, &evidence->values[at]);
    json_object_close(json);
    json_object_close(json);
}

static void write_finding(struct json_writer *json, const struct finding *finding)
{
    json_object_open(json, NULL);
    json_string(json, "id", finding->hypothesis->id);
    json_string(json, "family", finding->hypothesis->family);
    json_string(json, "title", finding->hypothesis->title);
    json_string(json, "verdict", verdict_name(finding->verdict));
    json_string(json, "confidence", confidence_name(finding->confidence));
    json_string(json, "confidence_reason", finding->confidence_reason);
    json_bool(json, "estimated", finding->is_estimate);
    const struct interval unknown = {0};
    struct interval gain = finding->gain_unmeasured ? unknown : finding->recoverable;
    json_string(json, "of", denominator_name(finding->of));
    json_interval(json, "recoverable_ratio", gain);
    json_interval(json, "recoverable_s",
                   finding->of_seconds > 0 && gain.known ? interval_scaled(gain, finding->of_seconds) : unknown);
    if (finding->recoverable.known && !finding->is_at_least)
        json_double(json, "recoverable_ratio_at_most", finding->recoverable.high);
    else
        json_null(json, "recoverable_ratio_at_most");
    json_interval(json, "shown_ratio", finding->shown);
    json_string(json, "subject", finding->subject);
    json_string(json, "headline", finding->headline);
    json_string(json, "reason", finding->reason);
    json_string(json, "remedy", finding->remedy);
    json_array_open(json, "evidence");
    for (size_t at = 0; at < finding->evidence_count; at++)
        write_evidence(json, &finding->evidence[at]);
    json_array_close(json);
    json_array_open(json, "advice");
    for (size_t at = 0; at < finding->advice_count; at++)
        json_string(json, NULL, finding->advice[at]);
    json_array_close(json);
    json_string(json, "confirm", finding->confirm);
    json_object_close(json);
}

static void write_row(struct json_writer *json, const struct stall_row *row)
{
    char address[24];
    snprintf(address, sizeof(address), "0x%llx", (unsigned long long)row->shown_addr);
    json_object_open(json, NULL);
    json_string(json, "address", address);
    json_string(json, "instruction", row->text);
    json_string(json, "class", instruction_class_name(row->class));
    json_u64(json, "samples", row->samples);
    json_string(json, "source", row->path);
    if (row->path)
        json_u64(json, "line", row->line);
    json_bool(json, "stack", row->is_stack);
    json_u64(json, "vector_bits", row->vector_bits);
    json_object_close(json);
}

static void write_callers(struct json_writer *json, const char *key, const struct stall_caller *callers, uint32_t count)
{
    json_array_open(json, key);
    for (uint32_t at = 0; at < count; at++) {
        json_object_open(json, NULL);
        json_string(json, "function", callers[at].name);
        json_string(json, "dso", callers[at].dso);
        json_string(json, "source", callers[at].path);
        if (callers[at].path)
            json_u64(json, "line", callers[at].line);
        json_u64(json, "stacks", callers[at].stacks);
        json_object_close(json);
    }
    json_array_close(json);
}

static void write_function(struct json_writer *json, const struct stall_function *function)
{
    json_object_open(json, NULL);
    json_string(json, "function", function->name);
    json_string(json, "dso", function->dso_path);
    json_bool(json, "kernel", function->is_kernel);
    json_u64(json, "samples", function->samples);
    json_interval(json, "share", function->share);
    json_string(json, "producer", function->producer);
    json_u64(json, "stacks", function->stacks);
    write_callers(json, "callers", function->callers, function->caller_count);
    write_callers(json, "owners", function->owners, function->owner_count);
    json_array_open(json, "instructions");
    for (size_t at = 0; at < function->row_count && at < 10; at++)
        write_row(json, &function->rows[at]);
    json_array_close(json);
    json_object_close(json);
}

static void write_size(struct json_writer *json, const char *key, const struct set_size *size)
{
    json_object_open(json, key);
    if (size->known)
        json_double(json, "bytes", size->bytes);
    else
        json_null(json, "bytes");
    json_double(json, "at_least_bytes", size->at_least_bytes);
    json_object_close(json);
}

static void write_group(struct json_writer *json, const struct stalls *stalls, const struct access_costs *costs,
                        uint32_t index)
{
    const struct stall_group *group = &stalls->groups[index];
    const struct access_cost *cost = access_costs_of_group(costs, index);
    json_object_open(json, NULL);
    json_string(json, "function", stalls->functions[group->function].name);
    json_string(json, "instruction", group->row.text);
    json_string(json, "area", group->area);
    json_interval(json, "share", group->share);
    json_u64(json, "base_page_hits", group->base_hits);
    json_u64(json, "huge_page_hits", group->huge_hits);
    json_u64(json, "unknown_page_hits", group->unknown_hits);
    json_u64(json, "span_bytes", group->set.span_bytes);
    json_u64(json, "stride_bytes", group->set.stride_bytes);
    write_size(json, "lines", group->said.is_known ? &group->said.lines : &group->set.lines);
    write_size(json, "pages", group->said.is_known ? &group->said.pages : &group->set.pages);
    json_bool(json, "dependent", group->dependent_samples * 2 > group->samples);
    json_bool(json, "in_order", group->in_order);
    if (cost && cost->known && !group->in_order) {
        json_interval(json, "ns_small_pages", cost->ns_small);
        json_interval(json, "ns_huge_pages", cost->ns_huge);
        json_interval(json, "ns_near_caches", cost->ns_near);
    }
    json_object_close(json);
}

/* As the terminal shows it; null: which instructions were waited for isn't known. */
static void write_vector_width(struct json_writer *json, const struct stalls *stalls)
{
    static const char *const states[] = {
        [VECTOR_WIDTH_UNKNOWN] = "not_known", [VECTOR_WIDTH_NONE] = "none", [VECTOR_WIDTH_SHARES] = "shares"};
    if (!stalls->attributed) {
        json_null(json, "vector_width");
        return;
    }
    struct vector_width width = vector_width_of(stalls);
    json_object_open(json, "vector_width");
    json_string(json, "state", states[width.state]);
    json_double(json, "no_vectors", width.no_vectors);
    for (size_t at = 0; at < VECTOR_WIDTH_COUNT; at++)
        json_double(json, vector_width_key(at), width.shares[at]);
    json_object_close(json);
}

static void write_profile(struct json_writer *json, const struct results *results)
{
    const struct stalls *stalls = results->stalls;
    if (!stalls) {
        json_object_open(json, "profile");
        json_string(json, "not_measured", results->why[RESULT_STALLS]);
        json_object_close(json);
        return;
    }
    json_object_open(json, "profile");
    json_u64(json, "samples", stalls->sample_count);
    json_u64(json, "user_samples", stalls->user_samples);
    if (results->kernel)
        json_u64(json, "kernel_samples", stalls->kernel_samples);
    else
        json_null(json, "kernel_samples");
    json_bool(json, "stalls_attributed", stalls->attributed);
    json_object_open(json, "sampling");
    json_string(json, "event", stalls->event);
    json_string(json, "lands", !stalls->attributed ? NULL : stalls->exact ? "on" : "one_behind");
    json_interval(json, "share",
                  !results->costs ? (struct interval){0}
                  : stalls->exact ? results->costs->exact_ratio
                                  : results->costs->behind_ratio);
    json_object_close(json);
    json_object_open(json, "vector_samples");
    json_u64(json, "scalar_fp", stalls->scalar_fp_samples);
    json_u64(json, "bits_128", stalls->vector_samples[0]);
    json_u64(json, "bits_256", stalls->vector_samples[1]);
    json_u64(json, "bits_512", stalls->vector_samples[2]);
    json_object_close(json);
    write_vector_width(json, stalls);
    json_array_open(json, "functions");
    for (size_t at = 0; at < stalls->function_count && at < 20; at++)
        write_function(json, &stalls->functions[at]);
    json_array_close(json);
    json_array_open(json, "memory");
    for (uint32_t at = 0; at < stalls->group_count; at++)
        write_group(json, stalls, results->costs, at);
    json_array_close(json);
    json_object_close(json);
}

/* As the page's table has it; absent where it isn't known whether any of its threads ran. */
static void write_time_shares(struct json_writer *json, const struct time_shares *shares, struct measured kernel)
{
    if (!shares->known)
        return;
    json_object_open(json, "time_shares");
    json_interval(json, "running", shares->running);
    if (kernel.known) {
        json_interval(json, "own_code", interval_scaled(shares->running, 1 - kernel.value));
        json_interval(json, "in_kernel", interval_scaled(shares->running, kernel.value));
    } else {
        json_null(json, "own_code");
        json_null(json, "in_kernel");
    }
    json_interval(json, "throttled", shares->throttled);
    json_interval(json, "ready", shares->ready);
    json_interval(json, "held", shares->held);
    json_interval(json, "waiting", shares->waiting);
    json_object_close(json);
}

static void write_run(struct json_writer *json, const struct results *results)
{
    const struct run_time *run = results->run;
    json_object_open(json, "run");
    json_measured(json, "elapsed_s", run->elapsed_s);
    json_measured(json, "cpu_s", run->cpu_s);
    json_measured(json, "user_s", run->user_s);
    json_measured(json, "system_s", run->system_s);
    json_measured(json, "on_cpu_ratio", run->on_cpu_ratio);
    json_measured(json, "cpus_used", run->cpus_used);
    json_measured(json, "run_delay_s", run_time_delay_proven(run));
    json_bool(json, "run_delay_is_least", run->run_delay_is_least);
    json_measured(json, "migrations", run->migrations);
    json_u64(json, "threads", run->threads_seen);
    struct time_shares shares = time_shares_of(run, results->activity, results->waits);
    write_time_shares(json, &shares, kernel_share_of_cpu(results));
    json_object_close(json);
}

static void write_waits(struct json_writer *json, const struct wait_rows *waits)
{
    json_array_open(json, "waits");
    for (size_t at = 0; waits && at < waits->count; at++) {
        json_object_open(json, NULL);
        json_string(json, "kind", wait_kind_name(waits->items[at].kind));
        json_string(json, "function", waits->items[at].function);
        json_double(json, "idle_s", waits->items[at].idle_s);
        json_double(json, "total_s", waits->items[at].total_s);
        json_double(json, "longest_s", waits->items[at].longest_s);
        json_u64(json, "count", waits->items[at].count);
        json_double(json, "share", waits->waiting_s > 0 ? waits->items[at].total_s / waits->waiting_s : 0);
        json_double(json, "spread_s", waits->items[at].spread_s);
        json_string(json, "asked", waits->items[at].asked);
        json_string(json, "file", waits->items[at].path);
        if (waits->items[at].path)
            json_u64(json, "line", waits->items[at].line);
        else
            json_null(json, "line");
        json_array_open(json, "callers");
        for (uint32_t caller = 0; caller < waits->items[at].caller_count; caller++)
            json_string(json, NULL, waits->items[at].callers[caller]);
        json_array_close(json);
        json_object_close(json);
    }
    json_array_close(json);
}

static void write_host(struct json_writer *json, const struct diagnosis *diagnosis)
{
    const struct host_profile *host = diagnosis->host;
    if (!host) {
        json_null(json, "host_profile");
        return;
    }
    json_object_open(json, "host_profile");
    json_string(json, "of", diagnosis->host_denominator);
    json_object_open(json, "shares");
    for (enum host_part part = 0; part < HOST_PART_COUNT; part++)
        json_double(json, host_part_key(part), host_profile_share(host, part));
    json_object_close(json);
    json_double(json, "guest_kernel", host->guest_kernel / host->total);
    json_double(json, "guest_user", host->guest_user / host->total);
    json_array_open(json, "profiler");
    for (size_t at = 0; at < host->profiler_count; at++) {
        json_object_open(json, NULL);
        json_string(json, "function", host->profiler[at].name);
        json_double(json, "share", host->profiler[at].weight / host->total);
        json_object_close(json);
    }
    json_array_close(json);
    json_object_close(json);
}

static void write_programs(struct json_writer *json, const struct program_shares *programs)
{
    json_array_open(json, "programs");
    for (size_t at = 0; programs && at < programs->count; at++) {
        json_object_open(json, NULL);
        json_string(json, "name", programs->items[at].name);
        json_double(json, "share", programs->items[at].share);
        json_u64(json, "processes", programs->items[at].processes);
        json_object_close(json);
    }
    json_array_close(json);
}

static void write_also(struct json_writer *json, const struct diagnosis *diagnosis)
{
    const struct finding *also[OVERALL_ALSO_MOST];
    size_t count = overall_also(diagnosis->overall, diagnosis->findings, also);
    json_array_open(json, "also");
    for (size_t at = 0; at < count; at++)
        json_string(json, NULL, also[at]->hypothesis->id);
    json_array_close(json);
}

static void write_confidence(struct json_writer *json, const struct overall *overall)
{
    struct arena arena;
    arena_init(&arena);
    json_string(json, "confidence", overall_confidence(overall, &arena));
    json_bool(json, "culprit_is_small", overall->culprit_is_small);
    arena_done(&arena);
}

/* What to try and to check, as the page says it. */
static void write_next(struct json_writer *json, const struct overall *overall)
{
    json_string(json, "larger", overall->larger ? overall->larger->hypothesis->id : NULL);
    json_string(json, "disturbance", overall->disturbance ? overall->disturbance->hypothesis->id : NULL);
    json_array_open(json, "advice");
    const char *tries[OVERALL_TRIES_MOST];
    size_t tried = overall_tries(overall, tries);
    for (size_t at = 0; at < tried; at++)
        json_string(json, NULL, tries[at]);
    json_array_close(json);
    json_string(json, "confirm", overall_check(overall));
    write_confidence(json, overall);
}

static void write_processes(struct json_writer *json, const struct kernel_time *kernel, const char *why_not)
{
    json_object_open(json, "processes");
    if (!kernel) {
        json_string(json, "not_measured", why_not ? why_not : "no samples were taken");
        json_object_close(json);
        return;
    }
    const struct process_starts *starts = &kernel->starts;
    json_u64(json, "count", starts->process_count);
    json_u64(json, "threads", starts->thread_count);
    json_u64(json, "short", starts->short_count);
    json_array_open(json, "short_commands");
    for (size_t at = 0; at < starts->command_count; at++) {
        json_object_open(json, NULL);
        json_string(json, "command", starts->commands[at].name);
        json_u64(json, "count", starts->commands[at].count);
        json_object_close(json);
    }
    json_array_close(json);
    json_object_close(json);
}

static void write_confirmed(struct json_writer *json, const struct diagnosis_confirmed *confirmed)
{
    if (!confirmed) {
        json_null(json, "confirmation");
        return;
    }
    json_object_open(json, "confirmation");
    json_string(json, "finding", confirmed->finding);
    json_string(json, "experiment", confirmed->experiment);
    json_string(json, "verdict", confirmed->verdict);
    json_string(json, "sentence", confirmed->sentence);
    json_interval(json, "predicted_gain", confirmed->predicted);
    json_interval(json, "realised_gain", confirmed->realised);
    json_object_close(json);
}

enum diagnosis_basis diagnosis_basis_of(const struct diagnosis *diagnosis)
{
    const struct results *results = diagnosis->results;
    if ((results->topdown && results->topdown->has_first_level) || counter_summary_has_hardware(results->counters))
        return BASIS_COUNTERS;
    return !results->stalls && (results->imported || diagnosis->statements) ? BASIS_IMPORTED : BASIS_ESTIMATE;
}

static const char *const basis_names[] = {
    [BASIS_COUNTERS] = "counters", [BASIS_ESTIMATE] = "estimate", [BASIS_IMPORTED] = "imported"};
_Static_assert(array_count(basis_names) == BASIS_COUNT, "a name for each basis");

static void write_differing_phases(struct json_writer *json, const struct diagnosis *diagnosis)
{
    struct arena arena;
    arena_init(&arena);
    json_string(json, "phases", phases_differ(diagnosis, &arena));
    arena_done(&arena);
}

void diagnosis_json(struct text *out, const struct diagnosis *diagnosis)
{
    struct json_writer json;
    const struct overall *overall = diagnosis->overall;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_string(&json, "format", "plumb diagnosis");
    json_u64(&json, "schema", DIAGNOSIS_SCHEMA);
    json_string(&json, "made_by", "plumb " PLUMB_VERSION);
    json_string(&json, "subject", diagnosis->subject);
    json_string(&json, "basis", basis_names[diagnosis_basis_of(diagnosis)]);
    json_double(&json, "effect", diagnosis->results->effect);
    json_object_open(&json, "verdict");
    json_string(&json, "kind", overall_kind_name(overall->kind));
    json_string(&json, "sentence", overall->sentence);
    json_string(&json, "lead", overall->lead);
    json_string(&json, "rest", overall->rest);
    json_string(&json, "loops", overall->loops);
    write_differing_phases(&json, diagnosis);
    json_string(&json, "culprit", overall->culprit ? overall->culprit->hypothesis->id : NULL);
    json_string(&json, "ruled_out", overall->ruled_out);
    json_array_open(&json, "open");
    for (size_t at = 0; at < overall->open_count; at++)
        json_string(&json, NULL, overall->open[at]);
    json_array_close(&json);
    write_also(&json, diagnosis);
    write_next(&json, overall);
    json_object_close(&json);
    bottleneck_json(&json, diagnosis->results->bottleneck);
    topdown_section_json(&json, diagnosis->results->topdown);
    write_confirmed(&json, diagnosis->confirmed);
    if (diagnosis->results->run)
        write_run(&json, diagnosis->results);
    write_processes(&json, diagnosis->results->kernel, diagnosis->results->why[RESULT_KERNEL]);
    runs_json(&json, diagnosis->results->runs);
    counters_json(&json, diagnosis->results->counters);
    ceilings_json(&json, diagnosis->results->ceilings, diagnosis->results->why[RESULT_CEILINGS]);
    probes_json(&json, diagnosis->results->probes);
    write_profile(&json, diagnosis->results);
    write_waits(&json, diagnosis->results->waits);
    phases_json(&json, diagnosis);
    write_programs(&json, diagnosis->programs);
    write_host(&json, diagnosis);
    json_array_open(&json, "findings");
    for (size_t at = 0; at < diagnosis->findings->count; at++)
        write_finding(&json, &diagnosis->findings->items[at]);
    json_array_close(&json);
    imported_json(&json, diagnosis->results->imported);
    json_array_open(&json, "statements");
    for (size_t at = 0; diagnosis->statements && at < diagnosis->statements->count; at++) {
        json_object_open(&json, NULL);
        json_string(&json, "origin", diagnosis->statements->items[at].origin);
        json_string(&json, "text", diagnosis->statements->items[at].text);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_array_open(&json, "not_measured");
    for (size_t at = 0; at < diagnosis->gap_count; at++) {
        json_object_open(&json, NULL);
        json_string(&json, "what", diagnosis->gaps[at].what);
        json_string(&json, "why", diagnosis->gaps[at].why);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_object_close(&json);
}
