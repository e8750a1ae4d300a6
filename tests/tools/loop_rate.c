/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests: rate, bound and traffic of the loop with the most samples in a piece of code, from a recording with user registers.
 * Usage: loop_rate PERF.DATA CORE FILE OFFSET SIZE. A line: accepted=0|1 rate=… why='…' cycles=… bytes=….
 */
#include "analyse/loop/loop_bound.h"
#include "analyse/loop/loop_rate.h"
#include "analyse/loop/loop_traffic.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "source/perf_data/perf_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct code {
    struct instruction *items;
    size_t count, capacity;
};

static bool code_read(struct code *rows, const char *path, uint64_t offset, size_t size, struct arena *arena)
{
    struct disassembler *disassembler;
    struct error err = {0};
    uint8_t *bytes = arena_alloc(arena, size + 1);
    FILE *file = fopen(path, "rb");
    bool good = file && !fseek(file, (long)offset, SEEK_SET) && fread(bytes, 1, size, file) == size &&
                disassembler_new(&disassembler, "x86_64", SYNTAX_ATT, &err);
    struct instruction row;
    for (size_t at = 0; good && at < size && disassembler_next(disassembler, bytes + at, size - at, offset + at, &row); at += row.length)
        *vec_push(rows) = row;
    if (good)
        disassembler_free(disassembler);
    if (file)
        fclose(file);
    return good;
}

static uint32_t row_of(const struct code *rows, uint64_t addr)
{
    for (uint32_t at = 0; at < rows->count; at++)
        if (rows->items[at].addr == addr)
            return at;
    return LOOP_ROW_OUTSIDE;
}

static struct loop_rows hottest_loop(const struct code *rows, const double *weights)
{
    uint32_t best = 0;
    struct loop_rows loop = {UINT32_MAX, UINT32_MAX};
    for (uint32_t at = 0; at < rows->count; at++)
        best = weights[at] > weights[best] ? at : best;
    if (!code_loop_around(rows->items, rows->count, best, &loop))
        loop.first = UINT32_MAX;
    return loop;
}

struct inputs {
    struct code rows;
    struct capture capture;
    struct loop_sample *samples;
    size_t sample_count;
    double *weights; /* one a row */
    struct arena arena;
};

static void samples_give(struct inputs *in)
{
    const struct samples *samples = &in->capture.recording.samples;
    in->sample_count = samples->count;
    in->samples = arena_array(&in->arena, struct loop_sample, samples->count + 1);
    in->weights = arena_array(&in->arena, double, in->rows.count);
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        struct loop_sample *given = &in->samples[at];
        *given = (struct loop_sample){.time_ns = sample->time_ns, .thread = sample->thread, .event = sample->event,
                                      .row = row_of(&in->rows, samples->locations[sample->location].dso_addr)};
        if (given->row != LOOP_ROW_OUTSIDE)
            in->weights[given->row]++;
        if (sample->registers != REGISTERS_NONE) {
            given->mask = samples->registers[sample->registers].mask;
            given->values = samples->register_values + samples->registers[sample->registers].first;
        }
    }
}

static void loop_tell(struct inputs *in, struct loop_rows loop, const char *core)
{
    const struct instruction *rows = in->rows.items;
    struct loop_rate rate;
    struct loop_bound bound;
    struct loop_traffic traffic;
    struct loop_bound_request bound_request = {.rows = rows, .loop = loop, .row_weights = in->weights, .core = core_costs_find(core)};
    struct loop_rate_request rate_request = {.rows = rows, .row_count = in->rows.count, .loop = loop, .samples = in->samples,
                                             .sample_count = in->sample_count};
    struct loop_path path = loop_path_of(rows, loop, in->weights, &in->arena);
    loop_bound_of_path(&bound, &path, &bound_request);
    loop_rate_find(&rate, &rate_request);
    loop_traffic_of(&traffic, &path, NULL);
    printf("accepted=%d rate=%.6g cost=%.0f why='%s' cycles=%.2f limit='%s' approximate=%d lower=%d bytes=%.1f least=%.1f trips=%u of %u loop=%#llx-%#llx samples=%zu\n",
           rate.accepted, rate.rate_per_s, rate.sample_cost_ns, rate.why_not ? rate.why_not : "", bound.cycles,
           loop_limit_name(bound.limit), bound.is_approximate, bound.is_lower, traffic.bytes, traffic.least_bytes, traffic.trips, traffic.least_trips,
           (unsigned long long)rows[loop.first].addr, (unsigned long long)rows[loop.last].addr, in->sample_count);
    for (int at = 0; at < LOOP_SCALES && getenv("SCALES"); at++)
        printf("  distance %.0f spread %.2f pairs %u left %u backward %u contrary %u agreeing %u rate %.5g\n", rate.scales[at].distance_ns, rate.scales[at].spread,
               rate.scales[at].pairs, rate.scales[at].left, rate.scales[at].backward, rate.scales[at].contrary, rate.scales[at].agreeing, rate.scales[at].rate_per_s);
}

static bool recording_read(struct inputs *in, const char *path, struct error *err)
{
    struct source *source;
    if (!perf_data_open(&source, path, err))
        return false;
    bool good = capture_fill(&in->capture, source, NULL, true, err);
    source->ops->close(source);
    return good;
}

static int answer(struct inputs *in, char **argv)
{
    struct error err = {0};
    if (!code_read(&in->rows, argv[3], strtoull(argv[4], NULL, 0), strtoull(argv[5], NULL, 0), &in->arena) || !in->rows.count ||
        !recording_read(in, argv[1], &err)) {
        fprintf(stderr, "loop_rate: %s\n", err.message[0] ? err.message : "no such code");
        return 2;
    }
    samples_give(in);
    struct loop_rows loop = hottest_loop(&in->rows, in->weights);
    if (loop.first == UINT32_MAX)
        printf("accepted=0 why='no loop' samples=%zu\n", in->sample_count);
    else
        loop_tell(in, loop, argv[2]);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return 2;
    struct inputs in = {0};
    arena_init(&in.arena);
    capture_init(&in.capture);
    int status = answer(&in, argv);
    capture_done(&in.capture);
    vec_done(&in.rows);
    arena_done(&in.arena);
    return status;
}
