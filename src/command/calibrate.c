/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb calibrate: this machine's own ceilings, measured now. */
#include "base/scope.h"
#include "command/command_table.h"
#include "command/options.h"
#include "probe/calibration/calibration.h"
#include "render/calibration.h"
#include "source/live/target.h"
#include "system/machine.h"

#include <errno.h>
#include <sched.h>

struct calibrate_options {
    bool json;
    uint64_t largest_mib, seed;
    const char *cpus;
};

#define FIELD(member) offsetof(struct calibrate_options, member)

static const struct option_row option_rows[] = {
    {'C', "cpu", OPTION_TEXT, FIELD(cpus), "LIST", "measure on these CPUs (default: those this process may use)"},
    {0, "largest", OPTION_U64, FIELD(largest_mib), "MIB", "largest working set, a power of two from 1 to 1024 (default 128)"},
    {0, "seed", OPTION_U64, FIELD(seed), "N", "of the random order (default 1)"},
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

static bool calibrate_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct calibrate_options options = {.largest_mib = 128, .seed = 1};
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
    struct calibration calibration;
    struct calibration_labels labels;
    struct calibration_request request = {
        .largest_bytes = (size_t)options.largest_mib << 20,
        .issue_slots = machine.cpu.microarchitecture ? machine.cpu.microarchitecture->slots : 0,
        .seed = options.seed,
    };
    scoped_text struct text out = {0};
    struct page page = page_for(&out, context->out);
    calibration_measure(&calibration, context->root, &request);
    labels_take(&labels, &machine);
    if (options.json)
        calibration_json(&out, &calibration, &labels);
    else
        calibration_text(&page, &calibration, &labels);
    fputs(text_string(&out), context->out);
    machine_done(&machine);
    return true;
}

const struct command command_calibrate = {
    .name = "calibrate",
    .summary = "measure what this machine can do just now: clock, issue width, latency, bandwidth",
    .usage = "plumb calibrate [options]",
    .options = option_rows,
    .run = calibrate_run,
};
