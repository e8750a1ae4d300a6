/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/recording/recording_input.h"

#include "base/worker.h"
#include "source/perf_data/perf_data.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *recording_input_path(const struct recording_input *input)
{
    struct stat status;
    if (input->path)
        return input->path;
    bool piped = fstat(STDIN_FILENO, &status) == 0 && S_ISFIFO(status.st_mode);
    return piped && access("perf.data", R_OK) != 0 ? "-" : "perf.data";
}

bool recording_input_open(const struct recording_input *input, struct source **ret_source, struct error *err)
{
    const char *path = recording_input_path(input);
    if (perf_data_open(ret_source, path, err))
        return true;
    if (!input->path && err->kind == ERROR_NOT_FOUND)
        error_hint(err, "record one first: plumb record -- COMMAND; or name it with -i");
    return false;
}

static struct symboliser_options options_of(const struct recording_input *input, const struct context *context,
                                            const struct source *source)
{
    return (struct symboliser_options){
        .root = context->root,
        .symbol_folder = input->symfs,
        .kallsyms_path = input->kallsyms,
        .vmlinux_path = input->vmlinux,
        .kernel_release = source->facts.os_release,
        .demangle = input->demangle,
        .versions = input->versions,
        .debuginfod = input->debuginfod,
    };
}

bool recording_input_symboliser(const struct recording_input *input, const struct context *context,
                                const struct capture *capture, const struct source *source,
                                struct symboliser **ret_symboliser, struct error *err)
{
    struct symboliser_options options = options_of(input, context, source);
    return symboliser_new(ret_symboliser, &capture->recording, &options, err);
}

static struct symboliser_options names_options(const struct recording_names *names)
{
    struct symboliser_options options = options_of(names->input, names->context, names->source);
    options.kernel_ahead = names->kernel_ahead;
    return options;
}

static bool samples_kernel(const struct source *source)
{
    for (size_t at = 0; at < source->event_count; at++)
        if (!source->events[at].attr.exclude_kernel)
            return true;
    return false;
}

bool recording_names_go_ahead(const struct recording_names *names)
{
    enum { BYTES_WORTH_IT = 4 << 20 };
    return !names->source->facts.is_pipe && names->source->total_bytes >= BYTES_WORTH_IT && worker_has_core();
}

void recording_names_kernel_ahead(struct recording_names *names)
{
    const struct recording_input *input = names->input;
    char release[256];
    if (!recording_names_go_ahead(names))
        return;
    bool is_own = names->source->facts.os_release && !input->kallsyms && !input->vmlinux &&
                  sysroot_line(names->context->root, release, sizeof(release), "/proc/sys/kernel/osrelease") &&
                  strcmp(release, names->source->facts.os_release) == 0;
    if (is_own && samples_kernel(names->source))
        names->kernel_ahead = kernel_ahead_begin(names->context->root);
}

void recording_names_ahead(struct recording_names *names, struct names_wanted wanted)
{
    if (!recording_names_go_ahead(names))
        return;
    if (!wanted.kernel_bare)
        recording_names_kernel_ahead(names);
    struct symboliser_options options = names_options(names);
    names->ahead = names_ahead_begin(&options, wanted);
}

void recording_names_tell(struct recording_names *names)
{
    enum { RECORDS_A_TELLING = 64 };
    if (names->ahead && ++names->untold % RECORDS_A_TELLING == 0)
        names_ahead_tell(names->ahead, &names->capture->recording);
}

bool recording_names_begin(struct recording_names *names, struct error *err)
{
    if (names->symboliser)
        return true;
    if (names->ahead)
        names->symboliser = names_ahead_take(names->ahead, &names->capture->recording);
    struct symboliser_options options = names_options(names);
    return names->symboliser || symboliser_new(&names->symboliser, &names->capture->recording, &options, err);
}

void recording_names_done(struct recording_names *names)
{
    unwinder_free(names->unwinder);
    symboliser_free(names->binaries);
    symboliser_free(names->symboliser);
    names_ahead_free(names->ahead);
    kernel_ahead_free(names->kernel_ahead);
    names->ahead = NULL;
    names->kernel_ahead = NULL;
    names->unwinder = NULL;
    names->binaries = names->symboliser = NULL;
}

void recording_names_explain(FILE *talk, const struct recording_names *names)
{
    const struct recording *recording = &names->capture->recording;
    for (uint32_t dso = 0; dso < recording->spaces.dso_count; dso++) {
        const char *path = strings_text(&recording->strings, recording->spaces.dsos[dso].path);
        const char *nameless = symboliser_complaint(names->symboliser, dso),
                   *shallow = symboliser_inline_complaint(names->symboliser, dso);
        if (nameless)
            fprintf(talk, "%s: %s\n", path, nameless);
        if (shallow)
            fprintf(talk, "%s: %s\n", path, shallow);
    }
}

void recording_names_note_inlines(FILE *talk, const struct recording_names *names)
{
    const struct recording *recording = &names->capture->recording;
    for (uint32_t dso = 0; dso < recording->spaces.dso_count; dso++) {
        const char *shallow = symboliser_inline_complaint(names->symboliser, dso);
        if (shallow)
            fprintf(talk, "note: '%s': %s\n", strings_text(&recording->strings, recording->spaces.dsos[dso].path),
                    shallow);
    }
}

static bool unwinder_begin(struct recording_names *names)
{
    struct symboliser_options options = options_of(names->input, names->context, names->source);
    if (names->unwinder || names->failed)
        return !names->failed;
    names->failed = !symboliser_new(&names->binaries, &names->capture->recording, &options, &names->trouble);
    if (!names->failed)
        unwinder_new(&names->unwinder, names->binaries);
    return !names->failed;
}

static size_t names_unwind(void *context, const struct recording *recording, uint32_t space,
                           const struct record_sample *sample, uint64_t *ret_ips, size_t most)
{
    struct recording_names *names = context;
    return unwinder_begin(names) ? unwinder_unwind(names->unwinder, recording, space, sample, ret_ips, most) : 0;
}

struct capture_unwinder recording_names_unwinder(struct recording_names *names)
{
    return (struct capture_unwinder){.context = names, .unwind = names_unwind};
}

void recording_input_note_lines(FILE *talk)
{
    struct error missing = {0};
    if (!symboliser_reads_lines(&missing))
        fprintf(talk, "note: without source lines and inlined functions: %s%s%s%s\n", missing.message,
                missing.hint[0] ? " (" : "", missing.hint, missing.hint[0] ? ")" : "");
}
