/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb calibrate: this machine's own ceilings, measured now, or as they were kept. */
#include "base/scope.h"
#include "command/command_table.h"
#include "command/options.h"
#include "probe/calibration/calibration.h"
#include "probe/calibration/calibration_cache.h"
#include "render/calibration.h"
#include "source/live/target.h"
#include "source/live/workload.h"
#include "system/machine.h"

#include <errno.h>
#include <sched.h>

struct calibrate_options {
    bool json, cached;
    uint64_t largest_mib, seed;
    const char *cpus;
};

#define FIELD(member) offsetof(struct calibrate_options, member)

static const struct option_row option_rows[] = {
    {'C', "cpu", OPTION_TEXT, FIELD(cpus), "LIST", "measure on these CPUs (default: those this process may use)"},
    {0, "largest", OPTION_U64, FIELD(largest_mib), "MIB",
     "largest working set, a power of two from 1 to 1024 (default 128)"},
    {0, "seed", OPTION_U64, FIELD(seed), "N", "of the random order (default 1)"},
    {0, "cached", OPTION_FLAG, FIELD(cached), NULL,
     "show the last one kept of this machine and these CPUs, measure nothing"},
    {0, "json", OPTION_FLAG, FIELD(json), NULL, "print one JSON document"},
    {0},
};

static bool options_check(const struct calibrate_options *options, struct error *err)
{
    uint64_t mib = options->largest_mib;
    if (mib < 1 || mib > 1024 || (mib & (mib - 1)))
        return error_set(err, ERROR_USAGE, "--largest expects a power of two from 1 to 1024, in MiB");
    return true;
}

static void labels_take(struct calibration_labels *labels, const struct machine *machine)
{
    const struct cpu_identity *cpu = &machine->cpu;
    *labels = (struct calibration_labels){
        .cpu = cpu->model_name.known ? cpu->model_name.text : "",
        .microarchitecture = cpu->microarchitecture ? cpu->microarchitecture->name : "",
        .is_guest = cpu_identity_has_flag(cpu, "hypervisor"),
    };
}

enum {
    LARGEST_MIB = 128 /* by default; what reaches less far isn't kept in its place */
};

/* What is shown: the one measured now, or kept; and the one kept before. */
struct calibrating {
    struct calibration shown, last;
    struct calibration_labels labels;
};

static bool kept_take(struct calibrating *calibrating, const struct calibration_key *key, struct arena *arena,
                      struct error *err)
{
    if (!calibration_cache_read(key, &calibrating->shown, &calibrating->labels.age_s, arena))
        return error_set(err, ERROR_NOT_FOUND, "no calibration of this machine on CPUs %s is kept", key->cpus) ||
               error_hint(err, "measure it: plumb calibrate");
    calibrating->labels.is_kept = true;
    return true;
}

static void measure(struct calibrating *calibrating, const struct calibrate_options *options,
                    const struct calibration_key *key, const struct context *context, struct machine *machine)
{
    struct calibration_labels *labels = &calibrating->labels;
    const struct calibration_request request = {
        .largest_bytes = (size_t)options->largest_mib << 20,
        .core = machine->cpu.microarchitecture,
        .seed = options->seed,
        .stop = workload_stop_requested,
    };
    workload_forward_signals(NULL); /* an interrupt raises a flag: what was measured is shown */
    bool had_last = calibration_cache_read(key, &calibrating->last, &labels->age_s, &machine->arena);
    calibration_measure(&calibrating->shown, context->root, &request);
    calibrating->shown.cpu_list = key->cpus;
    labels->last = had_last ? &calibrating->last : NULL;
    const struct calibration *shown = &calibrating->shown;
    bool whole = shown->step_count && shown->steps[shown->step_count - 1].on_4k.value.known;
    if (options->largest_mib >= LARGEST_MIB && whole && !workload_stop_requested())
        labels->kept_in = calibration_cache_write(key, &calibrating->shown, &machine->arena);
}

static bool show(struct context *context, const struct calibrating *calibrating, bool as_json, struct error *err)
{
    scoped_text struct text out = {0};
    struct page page = page_for(&out, context->out);
    if (as_json)
        calibration_json(&out, &calibrating->shown, &calibrating->labels);
    else
        calibration_text(&page, &calibrating->shown, &calibrating->labels);
    return text_write_file(&out, context->out) || error_system(err, errno, "can't write the result");
}

static bool calibrate_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct calibrate_options options = {.largest_mib = LARGEST_MIB, .seed = 1};
    struct machine machine;
    int first = 0;
    if (!options_parse(option_rows, OPTIONS_ANYWHERE, argc, argv, &options, &first, err) ||
        !options_check(&options, err))
        return false;
    if (first < argc)
        return error_set(err, ERROR_USAGE, "calibrate takes no '%s': it measures this machine", argv[first]);
    if (options.cpus && !cpus_pin(options.cpus, context->root, err))
        return false;
    if (!machine_read(context->root, NULL, &machine, err))
        return false;
    struct calibrating calibrating = {0};
    struct calibration_key key;
    bool done = true;
    calibration_key_take(&key, context->root, &machine.cpu, &machine.arena);
    labels_take(&calibrating.labels, &machine);
    if (options.cached)
        done = kept_take(&calibrating, &key, &machine.arena, err);
    else
        measure(&calibrating, &options, &key, context, &machine);
    done = done && show(context, &calibrating, options.json, err);
    if (done && workload_stop_requested()) {
        fputs("plumb calibrate: interrupted: what is missing was not measured, and nothing is kept\n", context->talk);
        context->exit_code = EXIT_CODE_INCONCLUSIVE;
    }
    machine_done(&machine);
    return done;
}

const struct command command_calibrate = {
    .name = "calibrate",
    .summary = "measure what this machine can do just now: clock, issue width, latency, bandwidth",
    .usage = "plumb calibrate [options]",
    .options = option_rows,
    .run = calibrate_run,
};
