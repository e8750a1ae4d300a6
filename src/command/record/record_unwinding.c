/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/record/record_unwinding.h"

#ifdef PLUMB_STATIC_CORE

bool record_unwinding_share(const struct recorder *recorder, const struct context *context,
                            struct unwound_share *ret_share, struct error *err)
{
    (void)recorder, (void)context, (void)ret_share;
    return error_set(err, ERROR_UNSUPPORTED, "this build doesn't unwind; plumb report tells");
}

#else

#include "base/scope.h"
#include "capture/capture.h"
#include "command/recording/recording_input.h"
#include "source/perf_data/perf_data.h"

#include <errno.h>
#include <sys/mman.h>

static bool unwind_all(struct source *source, const struct context *context, struct unwound_share *ret_share,
                       struct error *err)
{
    struct recording_input input = RECORDING_INPUT_DEFAULTS;
    struct capture capture;
    capture_init(&capture);
    struct recording_names names = {.input = &input, .context = context, .capture = &capture, .source = source};
    struct capture_unwinder unwinder = recording_names_unwinder(&names);
    struct capture_options options = {.unwinder = &unwinder};
    bool good = capture_fill_with(&capture, source, &options, err);
    if (good && names.failed) {
        *err = names.trouble;
        good = false;
    }
    struct unwinder_counts counts = unwinder_counts(names.unwinder);
    if (good)
        *ret_share = (struct unwound_share){counts.stacks, counts.at_root, counts.at_dump_end, counts.lost};
    recording_names_done(&names);
    capture_done(&capture);
    return good;
}

bool record_unwinding_share(const struct recorder *recorder, const struct context *context,
                            struct unwound_share *ret_share, struct error *err)
{
    scoped_fd int excerpt = memfd_create("plumb-excerpt", MFD_CLOEXEC);
    scoped_free char *path = NULL;
    struct source *source = NULL;
    if (excerpt < 0)
        return error_system(err, errno, "can't make room for an excerpt");
    path = memory_printf("/proc/self/fd/%d", excerpt);
    if (!recorder_excerpt_write(recorder, excerpt, err) || !perf_data_open(&source, path, err))
        return false;
    bool good = unwind_all(source, context, ret_share, err);
    source->ops->close(source);
    return good;
}

#endif
