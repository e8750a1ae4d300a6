/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

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

Test(perf_data_pipe, without_rounds_memory_stays_bounded_and_order_holds)
{
    int ends[2];
    cr_assert(pipe(ends) == 0);
    pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        write_recording(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    cr_assert(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    close(ends[0]);
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
