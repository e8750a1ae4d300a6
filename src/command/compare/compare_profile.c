/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/compare/compare_profile.h"

#include "analyse/code/hottest.h"
#include "base/scope.h"
#include "capture/capture.h"
#include "command/recording_input.h"
#include "experiment/profiling_runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FREQUENCY = 2000
};

static const char *const labels[] = {"A", "B"};

static bool folder_new(char **ret_folder, struct error *err)
{
    const char *place = getenv("TMPDIR");
    scoped_free char *folder = memory_printf("%s/plumb-compare.XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder))
        return error_system(err, errno, "can't make a folder for profiles ('%s')", folder);
    *ret_folder = memory_string(folder);
    return true;
}

static void folder_remove(const struct profiling_setup *setup, const struct profile_request *request)
{
    for (size_t block = 0; block < request->blocks; block++) {
        scoped_free char *of_a = profiling_runner_path(setup, block, labels[0]);
        scoped_free char *of_b = profiling_runner_path(setup, block, labels[1]);
        unlink(of_a);
        unlink(of_b);
    }
    rmdir(setup->folder);
}

/* The program itself has the same name in both: two builds of it in files of different names are what one compares. */
static const char *file_shown(const char *dso, const struct experiment_arm *arm)
{
    const char *slash = strrchr(arm->argv[0], '/');
    return strcmp(dso, slash ? slash + 1 : arm->argv[0]) == 0 ? "(the program)" : dso;
}

static void add_symbols(struct profile_difference *difference, size_t block, bool is_b, const struct capture *capture,
                        struct symboliser *symboliser, const struct experiment_arm *arm)
{
    const struct recording *recording = &capture->recording;
    struct hot_symbol *symbols = NULL;
    size_t count = hot_symbols(recording, symboliser, EVENT_ANY, &symbols);
    for (size_t at = 0; at < count; at++) {
        uint32_t index = recording->samples.locations[symbols[at].location].dso;
        const struct dso *dso = &recording->spaces.dsos[index];
        bool named = symbols[at].symbol_id != SYMBOL_NONE;
        const char *name = named ? symboliser_symbol(symboliser, symbols[at].symbol_id)->name : "(unnamed code)";
        profile_difference_add(difference, block, is_b, name,
                               file_shown(strings_text(&recording->strings, dso->name), arm), (double)symbols[at].samples / FREQUENCY);
    }
    free(symbols);
}

static bool add_profile(const struct context *context, struct profile_difference *difference, size_t block, bool is_b,
                        const char *path, const struct experiment_arm *arm, struct error *err)
{
    struct recording_input input = RECORDING_INPUT_DEFAULTS;
    struct source *source = NULL;
    struct capture capture;
    struct capture_options options = {.keep_samples = true, .without_stacks = true};
    input.path = path;
    if (!recording_input_open(&input, &source, err))
        return false;
    capture_init(&capture);
    struct recording_names names = {.input = &input, .context = context, .capture = &capture, .source = source};
    bool good = capture_fill_with(&capture, source, &options, err) && recording_names_begin(&names, err);
    if (good)
        add_symbols(difference, block, is_b, &capture, names.symboliser, arm);
    recording_names_done(&names);
    capture_done(&capture);
    source->ops->close(source);
    return good;
}

static bool read_profiles(const struct context *context, const struct profiling_setup *setup,
                          const struct profile_request *request, size_t blocks,
                          struct profile_difference *difference, struct error *err)
{
    for (size_t block = 0; block < blocks; block++) {
        scoped_free char *of_a = profiling_runner_path(setup, block, labels[0]);
        scoped_free char *of_b = profiling_runner_path(setup, block, labels[1]);
        if (!add_profile(context, difference, block, false, of_a, request->a, err) ||
            !add_profile(context, difference, block, true, of_b, request->b, err))
            return false;
    }
    profile_difference_finish(difference, blocks);
    return true;
}

bool compare_profile(const struct context *context, const struct profile_request *request,
                     struct profile_difference *difference, struct error *err)
{
    scoped_free char *folder = NULL;
    if (!folder_new(&folder, err))
        return false;
    size_t blocks = request->blocks;
    struct experiment_arm arms[] = {*request->a, *request->b};
    arms[0].label = labels[0]; /* the files' names: the user's may differ in what no file name can hold */
    arms[1].label = labels[1];
    struct profiling_setup setup = {.kernel = context->kernel,
                                    .root = context->root,
                                    .folder = folder,
                                    .prepare = request->prepare,
                                    .frequency = FREQUENCY};
    struct experiment_request experiment = {.arms = arms,
                                            .arm_count = 2,
                                            .seed = request->seed,
                                            .keep_failed = request->keep_failed,
                                            .runner = profiling_runner_interface(&setup),
                                            .policy = experiment_policy_fixed(&blocks)};
    scoped(experiment_result_done) struct experiment_result result = {0};
    bool good = experiment_run_blocks(&experiment, &result, err) &&
                read_profiles(context, &setup, request, result.table.block_count, difference, err);
    folder_remove(&setup, request);
    return good;
}
