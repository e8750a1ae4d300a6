/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/tally_ahead.h"

#include "base/arena.h"
#include "base/cache_line.h"
#include "base/vec.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    SAMPLES_AT_ONCE = 1 << 12, /* worth a thread */
    ASIDE_MOST = 1 << 17,
};

struct laid {
    struct tally_item *items;
    size_t count, capacity;
};

struct tally_ahead {
    struct laid aside; /* the reader's */
    char apart[CACHE_LINE_BYTES];
    pthread_mutex_t lock; /* of all below */
    struct laid handed;   /* earlier than all that lies aside */
    struct sample_tally *tally;
    struct names_follower follower;
};

static void laid_add_up(struct tally_ahead *ahead, struct laid *laid)
{
    sample_tally_add_items(ahead->tally, laid->items, laid->count);
    laid->count = 0;
}

static bool waits(void *context)
{
    return tally_ahead_waits(context);
}

static void learn(void *context)
{
    tally_ahead_hand_over(context);
}

static void work(void *context, const struct names_ahead *names, struct recording *known, struct symboliser *symboliser)
{
    (void)names, (void)known, (void)symboliser;
    tally_ahead_enter(context);
    tally_ahead_leave(context);
}

struct tally_ahead *tally_ahead_begin(struct sample_tally *tally)
{
    struct tally_ahead *ahead = memory_alloc(sizeof(*ahead));
    *ahead = (struct tally_ahead){
        .tally = tally, .lock = PTHREAD_MUTEX_INITIALIZER, .follower = {ahead, waits, learn, work}};
    return ahead;
}

const struct names_follower *tally_ahead_follower(const struct tally_ahead *ahead)
{
    return &ahead->follower;
}

void tally_ahead_free(struct tally_ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_destroy(&ahead->lock);
    vec_done(&ahead->aside);
    vec_done(&ahead->handed);
    free(ahead);
}

void tally_ahead_add(struct tally_ahead *ahead, const struct sample *sample, uint32_t traits)
{
    *vec_push(&ahead->aside) = sample_tally_item(ahead->tally, sample, traits);
    if (ahead->aside.count >= ASIDE_MOST)
        tally_ahead_settle(ahead);
}

bool tally_ahead_waits(const struct tally_ahead *ahead)
{
    return ahead->aside.count >= SAMPLES_AT_ONCE;
}

void tally_ahead_hand_over(struct tally_ahead *ahead)
{
    struct laid added_up = ahead->handed;
    ahead->handed = ahead->aside;
    ahead->aside = added_up;
}

void tally_ahead_settle(struct tally_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    laid_add_up(ahead, &ahead->handed);
    laid_add_up(ahead, &ahead->aside);
    sample_tally_settle(ahead->tally);
    pthread_mutex_unlock(&ahead->lock);
}

const struct sample_tally *tally_ahead_enter(struct tally_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    laid_add_up(ahead, &ahead->handed);
    return ahead->tally;
}

void tally_ahead_leave(struct tally_ahead *ahead)
{
    pthread_mutex_unlock(&ahead->lock);
}
