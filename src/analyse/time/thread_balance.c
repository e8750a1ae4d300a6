/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/thread_balance.h"

#include "base/scope.h"
#include "base/vec.h"

#include <string.h>

/* Fewer samples than that say little of where a thread spends its time. */
static const uint64_t SAMPLES_LEAST = 20;

/* Times its even part. */
static const double UNEVEN_LEAST = 1.25;

struct tally { /* of one thread */
    uint64_t samples, in_function;
    uint64_t first_ns, last_ns; /* within the function, as is the weight: what else it does isn't shared */
    double weight;
};

static bool counts_time(const struct recording *recording, const struct sample *sample)
{
    return sample->event < recording->event_count && sample->thread < recording->threads.count &&
           sample->location < recording->samples.location_count && !recording->events[sample->event].counts_again &&
           !recorded_event_is_switch(&recording->events[sample->event]);
}

/* The function that has more than half of all weight, if one has. */
static const struct bundle_function *hottest_of(const struct recording *recording,
                                                const struct bundle_function *const *functions)
{
    const struct samples *samples = &recording->samples;
    const struct bundle_function *leader = NULL;
    double votes = 0; /* of a majority more are left than the others can take */
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        const struct bundle_function *here = functions[sample->location];
        if (!counts_time(recording, sample))
            continue;
        votes += here == leader ? (double)sample->period : -(double)sample->period;
        if (votes < 0) {
            leader = here;
            votes = -votes;
        }
    }
    return leader;
}

static bool is_alike(const struct tally *tally)
{
    return tally->samples >= SAMPLES_LEAST && 2 * tally->in_function >= tally->samples;
}

static struct thread_balance balance_of(const struct threads *threads, const struct tally *tallies)
{
    struct thread_balance balance = {0};
    const struct thread *busiest = NULL;
    double most = 0, sum = 0;
    uint64_t others_ns = 0, busiest_ns = 0, began_ns = 0;
    for (size_t at = 0; at < threads->count; at++)
        if (is_alike(&tallies[at]) && tallies[at].weight > most) {
            most = tallies[at].weight;
            busiest = &threads->items[at];
            busiest_ns = tallies[at].last_ns;
            began_ns = tallies[at].first_ns;
        }
    for (size_t at = 0; busiest && at < threads->count; at++) {
        const struct thread *thread = &threads->items[at];
        if (thread->pid != busiest->pid || !is_alike(&tallies[at]))
            continue;
        balance.threads++;
        sum += tallies[at].weight;
        if (thread != busiest && tallies[at].last_ns > others_ns)
            others_ns = tallies[at].last_ns;
    }
    balance.busiest_tid = busiest ? busiest->tid : 0;
    balance.busiest_share = sum > 0 ? most / sum : 0;
    /* One after the other, they don't share work; and about as much each is even. */
    balance.known =
        balance.threads > 1 && began_ns < others_ns && balance.busiest_share * balance.threads >= UNEVEN_LEAST;
    balance.alone_s = balance.known && busiest_ns > others_ns ? (double)(busiest_ns - others_ns) * 1e-9 : 0;
    return balance;
}

static bool takes_part(const struct tally *tally)
{
    return tally->in_function >= SAMPLES_LEAST;
}

/* How far apart samples of a thread lie that is at it all the time: as near as those of any thread do on average. */
static uint64_t period_of(const struct tally *tallies, size_t count)
{
    uint64_t least_ns = 0;
    for (size_t at = 0; at < count; at++) {
        uint64_t apart_ns =
            takes_part(&tallies[at]) ? (tallies[at].last_ns - tallies[at].first_ns) / (tallies[at].in_function - 1) : 0;
        least_ns = apart_ns && (!least_ns || apart_ns < least_ns) ? apart_ns : least_ns;
    }
    return least_ns;
}

/* Of the process that has most of it. */
static void rounds_find(struct thread_balance *balance, const struct recording *recording, const struct tally *tallies,
                        const struct bundle_function *const *functions, const struct bundle_function *hottest)
{
    enum { PERIODS = 5 }; /* a thread that runs has samples in nearly every slot so long */
    const struct samples *samples = &recording->samples;
    const struct threads *threads = &recording->threads;
    vec(struct thread_moment) moments = {0};
    size_t most = 0;
    for (size_t at = 1; at < threads->count; at++)
        most = tallies[at].in_function > tallies[most].in_function ? at : most;
    uint32_t pid = threads->count ? threads->items[most].pid : 0;
    for (size_t at = 0; at < threads->count; at++)
        balance->round_threads += takes_part(&tallies[at]) && threads->items[at].pid == pid;
    if (balance->round_threads < 2)
        return;
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (counts_time(recording, sample) && functions[sample->location] == hottest &&
            takes_part(&tallies[sample->thread]) && threads->items[sample->thread].pid == pid)
            *vec_push(&moments) = (struct thread_moment){sample->time_ns, sample->thread};
    }
    balance->rounds =
        thread_rounds_of(moments.items, moments.count, PERIODS * period_of(tallies, recording->threads.count));
    vec_done(&moments);
}

struct thread_balance thread_balance_of(const struct recording *recording, const struct code_bundle *bundle)
{
    const struct samples *samples = &recording->samples;
    scoped_free const struct bundle_function **functions =
        memory_alloc((samples->location_count + 1) * sizeof(*functions));
    scoped_free struct tally *tallies = memory_alloc((recording->threads.count + 1) * sizeof(*tallies));
    memset(tallies, 0, (recording->threads.count + 1) * sizeof(*tallies));
    for (uint32_t at = 0; at < samples->location_count; at++)
        functions[at] =
            samples->locations[at].cpu_mode == CPU_MODE_KERNEL ? NULL : code_bundle_find(bundle, recording, at);
    const struct bundle_function *hottest = hottest_of(recording, functions);
    for (size_t at = 0; hottest && at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (!counts_time(recording, sample) || recording->threads.items[sample->thread].tid == 0)
            continue;
        struct tally *tally = &tallies[sample->thread];
        uint64_t each = 1 + (uint64_t)sample->alike;
        tally->samples += each;
        if (functions[sample->location] != hottest)
            continue;
        tally->first_ns = !tally->in_function || sample->time_ns < tally->first_ns ? sample->time_ns : tally->first_ns;
        tally->in_function += each;
        tally->weight += (double)sample->period;
        tally->last_ns = sample->time_ns > tally->last_ns ? sample->time_ns : tally->last_ns;
    }
    struct thread_balance balance = balance_of(&recording->threads, tallies);
    if (hottest)
        rounds_find(&balance, recording, tallies, functions, hottest);
    balance.function = hottest ? hottest->name : NULL;
    return balance;
}
