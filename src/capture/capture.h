/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything measured in one run, filled from a source by one loop; the same for live events, files and
 * replay.
 */
#ifndef PLUMB_CAPTURE_CAPTURE_H
#define PLUMB_CAPTURE_CAPTURE_H

#include "base/error.h"
#include "model/recording.h"
#include "source/source.h"

struct capture_state;

struct capture {
    struct recording recording;
    struct capture_state *state; /* while and after filling */
    struct source_facts facts; /* strings copied to the recording's arena */
    struct source_losses losses;
    /* chains of user code, by frame pointers, among samples that could hold a stack dump */
    uint64_t stacks_without_dump;
};

void capture_init(struct capture *capture);
void capture_done(struct capture *capture);

/*
 * What a record adds beyond the model, for commands that print records one by one; may be NULL. sample is NULL
 * unless the record is a sample; record is NULL for samples that were added up (add_up_alike) or came in any order.
 * Returning false ends the filling, without an error.
 */
struct capture_watch {
    void *context;
    bool (*record)(void *context, struct capture *capture, const struct record *record, const struct sample *sample);
};

/*
 * Turns a sample's registers and stack dump into return addresses: symbol/'s unwinder, plugged in by a command.
 * Writes runtime addresses, leaf first, and returns how many; 0 when it can't.
 */
struct capture_unwinder {
    void *context;
    size_t (*unwind)(void *context, const struct recording *recording, uint32_t space,
                     const struct record_sample *sample, uint64_t *ret_ips, size_t most);
};

/* Told now and then how far the source is (read_bytes, total_bytes). */
struct capture_progress {
    void *context;
    void (*tick)(void *context, const struct source *source); /* may be NULL */
};

/* Which samples are looked at at all; may be NULL: all. The others are neither counted, kept nor watched. */
struct capture_sieve {
    void *context;
    bool (*passes)(void *context, const struct recording *recording, const struct sample *sample);
};

/* Of which samples call chains are looked at. */
enum capture_stacks {
    STACKS_ALL,
    STACKS_IN_KERNEL, /* the kernel's own frames of samples that were taken there: through which of its functions */
    STACKS_NONE       /* the leaf alone is wanted */
};

struct capture_options {
    const struct capture_watch *watch; /* may be NULL */
    const struct capture_sieve *sieve; /* may be NULL */
    struct capture_progress progress;
    const struct capture_unwinder *unwinder; /* NULL: stack dumps are left alone */
    enum capture_stacks stacks;
    bool keep_samples;
    /*
     * Samples alike in thread, event, place and stack come as one after the others, whose record is NULL (struct
     * sample's alike): for who adds them up, and asks for nothing else of them. The first of them comes in its own
     * turn.
     */
    bool add_up_alike;
    /* samples may come in whatever order between the records that change what they mean, and without their record */
    bool any_order;
    /* kept ones alike in place, event and exactness become one: for who asks neither when nor with what */
    bool merge_samples;
    bool keep_switches;
    bool frames_only; /* stacks aren't kept: watch->record asks for capture_frames */
    /* a sample's stack may be of its callers alone (struct stack), which far fewer samples tell apart */
    bool callers_apart;
};

/*
 * Pull the source to its end; a further source adds to what is there, and must have the same events (ERROR_FORMAT).
 * With watch, watch->record is called after each record has been applied; samples are kept only when keep_samples.
 * Errors: what the source says; whatever came before the error is in the capture.
 */
MUST_CHECK bool capture_fill(struct capture *capture, struct source *source, const struct capture_watch *watch,
                             bool keep_samples, struct error *err);
MUST_CHECK bool capture_fill_with(struct capture *capture, struct source *source,
                                  const struct capture_options *options, struct error *err);
/* The user part of the last sample's stack where its stack dump was unwound: runtime addresses, leaf first. */
size_t capture_unwound(const struct capture *capture, const uint64_t **ret_ips);
/* The last sample's stack, leaf first, where it is not kept (frames_only). */
struct capture_frames {
    const uint32_t *locations;
    const uint64_t *ips; /* where they really ran: a location remembers its first runtime address alone */
    size_t count;
};
struct capture_frames capture_frames(const struct capture *capture);
/* Names the location of a runtime address as the recording stands now, in that CPU mode. */
uint32_t capture_locate(struct capture *capture, uint32_t space, uint64_t runtime_addr, enum cpu_mode mode);

#endif
