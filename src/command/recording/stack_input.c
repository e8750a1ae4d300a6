/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/recording/stack_input.h"

#include "analyse/profile/tally_ahead.h"
#include "base/scope.h"
#include "base/vec.h"
#include "command/recording/reading_progress.h"
#include "command/recording/recording_header.h"

#include <errno.h>
#include <string.h>

struct reading {
    const struct stack_input *input;
    const struct context *context;
    const struct stack_use *use;
    struct source *source;
    struct capture capture;
    struct recording_names names;
    struct sample_tally tally;
    struct tally_ahead *tally_ahead; /* NULL: samples are added up as they are read */
    struct thread_series series; /* where times are asked for */
    vec(struct series_loss) losses;
};

static bool count_sample(void *context, struct capture *capture, const struct record *record,
                         const struct sample *sample)
{
    struct reading *reading = context;
    recording_names_tell(&reading->names);
    if (sample && reading->tally_ahead)
        tally_ahead_add(reading->tally_ahead, sample, TRAITS_NONE);
    else if (sample)
        sample_tally_add(&reading->tally, sample);
    if (sample && reading->input->with_times)
        thread_series_add(&reading->series, &capture->recording, sample);
    if (sample)
        return true;
    if ((record->kind == RECORD_LOST || record->kind == RECORD_LOST_SAMPLES) && record->who.has_time)
        *vec_push(&reading->losses) = (struct series_loss){record->who.time, record->lost.count};
    return true;
}

static bool event_named(const struct reading *reading, uint32_t *ret_event, struct error *err)
{
    const struct recording *recording = &reading->capture.recording;
    scoped_text struct text names = {0};
    for (uint32_t event = 0; event < recording->event_count; event++) {
        if (strcmp(recording->events[event].name, reading->input->event) == 0) {
            *ret_event = event;
            return recording->events[event].sample_count ||
                   error_set(err, ERROR_NOT_FOUND, "event '%s' has no samples", reading->input->event);
        }
        text_printf(&names, "%s%s", event ? ", " : "", recording->events[event].name);
    }
    return error_set(err, ERROR_USAGE, "the recording has no event '%s', but %s", reading->input->event,
                     text_string(&names));
}

/* Which events' samples: the one that was named, all, or the first where numbers of several can't be told apart. */
static bool event_choose(const struct reading *reading, FILE *talk, uint32_t *ret_event, struct error *err)
{
    const struct recording *recording = &reading->capture.recording;
    if (reading->input->event)
        return event_named(reading, ret_event, err);
    *ret_event = PROFILE_ALL_EVENTS;
    for (uint32_t event = 0; reading->input->of_one_event && event < recording->event_count; event++) {
        if (!recording->events[event].sample_count)
            continue;
        if (*ret_event == PROFILE_ALL_EVENTS)
            *ret_event = event;
        else if (!reading->input->quiet)
            fprintf(talk, "note: samples of '%s' only; those of '%s' are left out (--event)\n",
                    recording->events[*ret_event].name, recording->events[event].name);
    }
    return true;
}

bool result_open(const struct context *context, const char *path, FILE **ret_file, struct error *err)
{
    *ret_file = path ? fopen(path, "we") : context->out;
    return *ret_file || error_system(err, errno, "can't write '%s'", path);
}

bool result_write(const struct context *context, const char *path, struct text *out, struct error *err)
{
    FILE *file;
    return result_open(context, path, &file, err) && result_close(file, path, out, err);
}

bool result_close(FILE *file, const char *path, struct text *out, struct error *err)
{
    bool written = text_write_file(out, file) && fflush(file) == 0 && !ferror(file);
    int write_errno = errno;
    if (path && fclose(file) != 0 && written) {
        written = false;
        write_errno = errno;
    }
    return written || (!path && write_errno == EPIPE) ||
           error_system(err, write_errno, "can't write '%s'", path ? path : "the result");
}

static bool stacks_use(struct reading *reading, struct symboliser *symboliser, struct error *err)
{
    const struct stack_input *input = reading->input;
    uint32_t event = PROFILE_ALL_EVENTS;
    if (!reading->tally.count)
        return error_set(err, ERROR_NOT_FOUND, "'%s' holds no samples", recording_input_path(&input->recording));
    if (!event_choose(reading, reading->context->talk, &event, err))
        return false;
    struct places places;
    struct stack_profile profile;
    places_init(&places, &reading->capture.recording, symboliser, (struct places_options){.inlines = input->inlines});
    stack_profile_build(&profile, &reading->tally, &reading->capture.recording, &places);
    if (input->with_times) {
        thread_series_build(&reading->series, &reading->capture.recording, &places, event);
        reading->series.losses = reading->losses.items;
        reading->series.loss_count = reading->losses.count;
    }
    struct stacks stacks = {&profile, input->with_times ? &reading->series : NULL, event};
    bool done = reading->use->use(reading->use->context, &stacks, err);
    stack_profile_done(&profile);
    places_done(&places);
    return done;
}

static bool stacks_read(struct reading *reading, struct error *err)
{
    struct recording_names *names = &reading->names;
    struct capture_unwinder unwinder = recording_names_unwinder(names);
    struct capture_watch watch = {reading, count_sample};
    struct reading_progress progress;
    struct capture_options options = {
        .watch = &watch,
        .unwinder = &unwinder,
        .callers_apart = !reading->input->with_times,
        .any_order = reading->input->any_order,
        .keep_switches = reading->input->with_times,
        .progress = reading_progress_begin(&progress, reading->context->talk, reading->input->quiet)};
    struct error trouble = {0};
    const char *path = recording_input_path(&reading->input->recording);
    bool complete = capture_fill_with(&reading->capture, reading->source, &options, &trouble);
    reading_progress_end(&progress);
    if (reading->tally_ahead)
        tally_ahead_settle(reading->tally_ahead);
    sample_tally_settle(&reading->tally);
    if (!complete && !reading->tally.count)
        return (*err = trouble, error_wrap(err, "'%s'", path));
    if (!recording_names_begin(names, err))
        return false;
    if (!reading->input->quiet)
        recording_losses_report(reading->context->talk, &reading->capture.losses);
    if (!stacks_use(reading, names->symboliser, err))
        return false;
    /* Damage in the middle doesn't hide what came before it. */
    return complete || (*err = trouble, error_wrap(err, "'%s' is damaged, the result holds what came before", path));
}

/* On another core, while the recording is read. */
static void names_begin(struct reading *reading)
{
    struct names_wanted wanted = {.inlines = reading->input->inlines};
    if (!recording_names_go_ahead(&reading->names))
        return;
    reading->tally_ahead = tally_ahead_begin(&reading->tally);
    wanted.follower = tally_ahead_follower(reading->tally_ahead);
    recording_names_ahead(&reading->names, wanted);
}

bool stack_input_read(const struct stack_input *input, const struct context *context, const struct stack_use *use,
                      struct error *err)
{
    struct reading reading = {.input = input, .context = context, .use = use};
    if (!recording_input_open(&input->recording, &reading.source, err))
        return false;
    reading.names = (struct recording_names){
        .input = &input->recording, .context = context, .capture = &reading.capture, .source = reading.source};
    capture_init(&reading.capture);
    names_begin(&reading);
    bool done = stacks_read(&reading, err);
    recording_names_done(&reading.names);
    tally_ahead_free(reading.tally_ahead);
    sample_tally_done(&reading.tally);
    thread_series_done(&reading.series);
    vec_done(&reading.losses);
    capture_done(&reading.capture);
    reading.source->ops->close(reading.source);
    return done;
}
