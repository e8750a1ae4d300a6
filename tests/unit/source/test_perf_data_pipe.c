/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "capture/capture.h"
#include "source/perf_data/perf_data_internal.h"

#include <sys/wait.h>
#include <unistd.h>

enum {
    SAMPLES = 200000,
    PADDING_BYTES = 64,
    HELD_MOST_BYTES = 2 << 20
};

struct sample_record {
    struct perf_event_header header;
    uint64_t ip;
    uint32_t pid, tid;
    uint64_t time, padding[PADDING_BYTES / 8];
};

/* A recording in pipe format whose writer never ends a round; neighbours stand in the wrong order. */
static void write_recording(int fd)
{
    FILE *out = fdopen(fd, "w");
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .sample_id_all = 1,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME};
    struct perf_event_header head = {.type = 64, .size = sizeof(head) + sizeof(attr)};
    fwrite("PERFILE2\x10\0\0\0\0\0\0", 1, 16, out);
    fwrite(&head, sizeof(head), 1, out);
    fwrite(&attr, sizeof(attr), 1, out);
    for (uint64_t at = 0; at < SAMPLES; at++) {
        struct sample_record record = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(record)},
                                       .ip = 0x1000, .pid = 1, .tid = 1, .time = 1000 + (at ^ 1)};
        fwrite(&record, sizeof(record), 1, out);
    }
    fclose(out);
}

static void read_from_writer(void (*write)(int fd), pid_t *ret_writer)
{
    int ends[2];
    cr_assert(pipe(ends) == 0);
    *ret_writer = fork();
    if (*ret_writer == 0) {
        close(ends[0]);
        write(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    cr_assert(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    close(ends[0]);
}

Test(perf_data_pipe, without_rounds_memory_stays_bounded_and_order_holds)
{
    pid_t writer;
    read_from_writer(write_recording, &writer);
    struct source *source;
    struct error err = {0};
    cr_assert(perf_data_open(&source, "-", &err), "%s", err.message);
    struct perf_data *data = (struct perf_data *)source;
    data->held_most_bytes = HELD_MOST_BYTES;
    struct record record;
    uint64_t samples = 0, last = 0, most = 0;
    while (source->ops->next(source, &record, &err)) {
        most = data->queue.bytes_held > most ? data->queue.bytes_held : most;
        if (record.kind != RECORD_SAMPLE)
            continue;
        cr_assert_geq(record.who.time, last);
        last = record.who.time;
        samples++;
    }
    cr_assert_eq(err.kind, ERROR_NONE, "%s", err.message);
    cr_assert_eq(samples, SAMPLES);
    cr_assert_eq(source->losses.out_of_order, 0);
    cr_assert_leq(most, (uint64_t)2 * HELD_MOST_BYTES, "%lu bytes were held of %zu", most, SAMPLES * sizeof(struct sample_record));
    source->ops->close(source);
    waitpid(writer, NULL, 0);
}

/* ---- samples in any order ---- */

enum {
    ROUNDS = 20,
    RECORDS_A_ROUND = 600, /* of each CPU */
    THREADS = 3,
    NAMES = 7,
    PLACES = 5,
};

struct comm_record {
    struct perf_event_header header;
    uint32_t pid, tid;
    char name[8];
    uint32_t by_pid, by_tid; /* as samples have it */
    uint64_t time;
};

static void write_begin(FILE *out)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .sample_id_all = 1, .sample_period = 3,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME};
    struct perf_event_header head = {.type = 64, .size = sizeof(head) + sizeof(attr)};
    fwrite("PERFILE2\x10\0\0\0\0\0\0", 1, 16, out);
    fwrite(&head, sizeof(head), 1, out);
    fwrite(&attr, sizeof(attr), 1, out);
}

/* Of two CPUs, whose threads change their names all the time, some at the very time of the other CPU's samples. */
static void write_two_cpus(int fd)
{
    FILE *out = fdopen(fd, "w");
    uint64_t random = 5;
    write_begin(out);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (uint64_t cpu = 0; cpu < 2; cpu++)
            for (uint64_t at = 0; at < RECORDS_A_ROUND; at++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                uint64_t number = random >> 33, time = 1 + 2 * (round * RECORDS_A_ROUND + at) + cpu * (number >> 20 & 1);
                uint32_t tid = 1 + (uint32_t)(number % THREADS);
                struct sample_record sample = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample)},
                                               .ip = 0x1000 + number / THREADS % PLACES, .pid = tid, .tid = tid, .time = time};
                struct comm_record comm = {.header = {PERF_RECORD_COMM, 0, sizeof(comm)}, .pid = tid, .tid = tid, .by_pid = tid, .by_tid = tid, .time = time};
                snprintf(comm.name, sizeof(comm.name), "name%u", (unsigned)(number / THREADS % NAMES));
                if (number >> 10 & 15)
                    fwrite(&sample, sizeof(sample), 1, out);
                else
                    fwrite(&comm, sizeof(comm), 1, out);
            }
        struct perf_event_header end = {.type = 68, .size = sizeof(end)};
        fwrite(&end, sizeof(end), 1, out);
    }
    fclose(out);
}

struct counted_record {
    struct perf_event_header header;
    uint64_t ip;
    uint32_t pid, tid;
    uint64_t time, value, id;
};

/* One counter's values, read on two CPUs by turns: what it came on by is known in time order alone. */
static void write_counts(int fd)
{
    FILE *out = fdopen(fd, "w");
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .sample_id_all = 1, .sample_period = 3, .read_format = PERF_FORMAT_ID,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ};
    struct perf_event_header head = {.type = 64, .size = sizeof(head) + sizeof(attr) + 8}, end = {.type = 68, .size = sizeof(end)};
    uint64_t id = 77;
    fwrite("PERFILE2\x10\0\0\0\0\0\0", 1, 16, out);
    fwrite(&head, sizeof(head), 1, out);
    fwrite(&attr, sizeof(attr), 1, out);
    fwrite(&id, sizeof(id), 1, out);
    for (uint64_t cpu = 0; cpu < 2; cpu++)
        for (uint64_t at = 1 + cpu; at <= RECORDS_A_ROUND; at += 2) {
            struct counted_record record = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(record)},
                                            .ip = 0x1000, .pid = 1, .tid = 1, .time = at, .value = 10 * at, .id = id};
            fwrite(&record, sizeof(record), 1, out);
        }
    fwrite(&end, sizeof(end), 1, out);
    fclose(out);
}

struct named_samples {
    uint64_t counts[NAMES + 1][THREADS][PLACES], without_record; /* of the names the first: none yet */
};

static bool name_count(void *context, struct capture *capture, const struct record *record, const struct sample *sample)
{
    struct named_samples *counted = context;
    if (!sample)
        return true;
    const char *name = strings_text(&capture->recording.strings, sample->comm);
    size_t number = name[0] == 'n' ? (size_t)(name[4] - '0') + 1 : 0;
    cr_assert_lt(number, NAMES + 1);
    counted->counts[number][capture->recording.threads.items[sample->thread].tid - 1][sample->ip - 0x1000] += sample->alike + 1;
    cr_assert_eq(sample->period, 3 * ((uint64_t)sample->alike + 1));
    counted->without_record += !record;
    return true;
}

static void count_names(struct named_samples *ret_counted, bool any_order, bool add_up)
{
    pid_t writer;
    read_from_writer(write_two_cpus, &writer);
    *ret_counted = (struct named_samples){0};
    struct capture_watch watch = {ret_counted, name_count};
    struct capture_options options = {.watch = &watch, .any_order = any_order, .add_up_alike = add_up};
    struct capture capture;
    struct source *source;
    struct error err = {0};
    cr_assert(perf_data_open(&source, "-", &err), "%s", err.message);
    capture_init(&capture);
    cr_assert(capture_fill_with(&capture, source, &options, &err), "%s", err.message);
    capture_done(&capture);
    source->ops->close(source);
    waitpid(writer, NULL, 0);
}

Test(perf_data_pipe, samples_in_any_order_mean_the_same)
{
    struct named_samples ordered, any, added;
    count_names(&ordered, false, false);
    count_names(&any, true, false);
    count_names(&added, true, true);
    cr_assert_eq(ordered.without_record, 0);
    cr_assert_gt(any.without_record, ROUNDS * RECORDS_A_ROUND, "most come as heads");
    cr_assert_arr_eq(any.counts, ordered.counts, sizeof(any.counts));
    cr_assert_arr_eq(added.counts, ordered.counts, sizeof(added.counts));
}

static bool advance_add(void *context, struct capture *capture, const struct record *record, const struct sample *sample)
{
    (void)capture;
    (void)record;
    *(uint64_t *)context += sample ? sample->period : 0;
    return true;
}

Test(perf_data_pipe, counters_values_keep_their_order)
{
    pid_t writer;
    uint64_t advanced = 0;
    struct capture_watch watch = {&advanced, advance_add};
    struct capture_options options = {.watch = &watch, .any_order = true};
    struct capture capture;
    struct source *source;
    struct error err = {0};
    read_from_writer(write_counts, &writer);
    cr_assert(perf_data_open(&source, "-", &err), "%s", err.message);
    capture_init(&capture);
    cr_assert(capture_fill_with(&capture, source, &options, &err), "%s", err.message);
    cr_assert_eq(advanced, 10 * RECORDS_A_ROUND, "%lu", advanced);
    capture_done(&capture);
    source->ops->close(source);
    waitpid(writer, NULL, 0);
}
