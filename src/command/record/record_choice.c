/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whom to record and how, from plumb record's options. */
#include "command/record/record_options.h"
#include "command/record/record_words.h"

#include <stdlib.h>
#include <unistd.h>

#define DEFAULT_OUTPUT "perf.data"

static bool choose_target(const struct record_options *options, const struct context *context, struct arena *arena,
                          struct record_choice *choice, struct error *err)
{
    if (options->cgroups.count > 1)
        return error_set(err, ERROR_USAGE, "plumb records one cgroup at a time");
    struct target_request request = {.processes = options->processes,
                                     .threads = options->threads,
                                     .user = options->user,
                                     .cpus = options->cpus,
                                     .all_cpus = options->all_cpus,
                                     .cgroup = options->cgroups.count ? options->cgroups.items[0] : NULL};
    choice->target_given = request.processes || request.threads || request.user || request.cpus || request.all_cpus ||
                           request.cgroup;
    return !choice->target_given || target_resolve(&choice->target, &request, context->root, arena, err);
}

static bool choose_delay(const struct record_options *options, struct record_choice *choice, struct error *err)
{
    uint64_t ms = 0;
    if (!options->delay)
        return true;
    if (strcmp(options->delay, "-1") == 0) {
        choice->delay_ms = RECORD_DELAY_ENDLESS;
        if (options->control)
            return true;
        error_set(err, ERROR_USAGE, "-D -1 waits for a command that nobody can send");
        return error_hint(err, "--control fifo:PATH or fd:NUMBER takes \"enable\"");
    }
    if (!view_u64(view_of(options->delay), 10, &ms) || ms > 1000000000)
        return error_set(err, ERROR_USAGE, "option '-D' expects milliseconds, or -1 with --control, not '%s'",
                         options->delay);
    choice->delay_ms = (int64_t)ms;
    return true;
}

static bool exclusive_options_check(const struct record_options *options, struct error *err)
{
    if (options->user_only && options->kernel_only)
        return error_set(err, ERROR_USAGE, "--all-user and --all-kernel exclude each other");
    if (options->user_chains && options->kernel_chains)
        return error_set(err, ERROR_USAGE, "--user-callchains and --kernel-callchains exclude each other");
    if (options->duration_seconds < 0 || options->duration_seconds > 1e9)
        return error_set(err, ERROR_USAGE, "--duration expects seconds");
    if (options->priority > 99)
        return error_set(err, ERROR_USAGE, "option '-r' expects a priority from 1 to 99, not %llu",
                         (unsigned long long)options->priority);
    return true;
}

static bool choose_compression(const struct record_options *options, int *ret_level, struct error *err)
{
    uint64_t level = 1;
    if (options->compression && options->compression[0] &&
        (!view_u64(view_of(options->compression), 10, &level) || level < 1 || level > 22))
        return error_set(err, ERROR_USAGE, "option '-z' expects a level from 1 to 22, not '%s'", options->compression);
    *ret_level = options->compression ? (int)level : 0;
    return true;
}

bool record_choose(const struct record_options *options, const struct context *context, struct arena *arena,
                   struct record_choice *choice, struct recorder_request *request, struct error *err)
{
    *request = (struct recorder_request){
        .target = &choice->target,
        .output = options->output ? options->output : DEFAULT_OUTPUT,
        .pipe_fd = -1,
        .no_inherit = options->no_inherit,
        .per_thread = options->per_thread,
        .user_only = options->user_only,
        .kernel_only = options->kernel_only,
        .user_chains_only = options->user_chains,
        .kernel_chains_only = options->kernel_chains,
        .record_switches = options->switches,
        .record_data_mmaps = options->addresses,
        .record_cgroups = options->cgroup_records,
        .no_bpf_programs = options->no_bpf,
        .no_build_ids = options->no_build_ids,
        .clock_id = RECORDER_NO_CLOCK,
        .keep_code = !options->no_code,
        .keep_files = !options->no_files,
        .wake_fd = -1,
    };
    if (!exclusive_options_check(options, err) || !choose_delay(options, choice, err) ||
        !choose_compression(options, &request->compression_level, err) ||
        (options->pages && !ring_bytes_parse(options->pages, &request->ring_bytes, err)) ||
        (options->size_limit && !size_parse(options->size_limit, "--max-size", &choice->size_limit_bytes, err)) ||
        (options->clock && !clock_parse(options->clock, &request->clock_id, err)) ||
        !choose_target(options, context, arena, choice, err))
        return false;
    request->delayed = choice->delay_ms != 0;
    return true;
}

void record_choice_done(struct record_choice *choice)
{
    target_done(&choice->target);
    vec_done(&choice->events);
    event_list_done(&choice->parsed);
    vec_for_each(&choice->notes, note)
        free(*note);
    vec_done(&choice->notes);
}
