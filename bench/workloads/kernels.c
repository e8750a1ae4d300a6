// SPDX-License-Identifier: GPL-3.0-or-later
/* Runs one kernel for a time, or for a number of iterations, and says what an iteration cost. */
#include "arguments.h"
#include "kernels.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_THREADS  256
#define CHUNK_SECONDS 0.005 // long enough that the loop around the kernel is never seen

static const struct family {
    const struct kernel *kernels;
    const size_t *count;
} families[] = {
    {memory_kernels, &memory_kernel_count},
    {core_kernels, &core_kernel_count},
    {frontend_kernels, &frontend_kernel_count},
    {system_kernels, &system_kernel_count},
};
#define FAMILY_COUNT (sizeof families / sizeof *families)

struct options {
    const struct kernel *kernel;
    double seconds;
    clockid_t clock;     // by which a thread's seconds pass
    uint64_t iterations; // 0: as many as fit in the time
    size_t size_bytes;   // 0: the kernel's own
    int threads;         // 0: the kernel's own
    enum page_policy pages;
    bool tells_pieces;
};

struct worker {
    struct kernel_run run;
    const struct kernel *kernel;
    double seconds;
    clockid_t clock;
    uint64_t wanted; // iterations; 0: until the time is over
    uint64_t done;
    bool tells_pieces;
    atomic_uint_fast64_t result; // keeps the kernels' work alive
    pthread_t thread;
};

static const char usage[] =
    "Usage: kernels NAME [options]\n"
    "  --seconds S            how long to run (default 2)\n"
    "  --cpu-seconds S        how much CPU time each thread takes, instead\n"
    "  --iterations N         a fixed amount of work instead\n"
    "  --size BYTES           of the kernel's data (K, M, G may follow)\n"
    "  --pages 4k|thp|default page size asked for it\n"
    "  --threads N            run it in N threads\n"
    "  --pieces               say of each piece of the first thread's work when it began, its iterations and CPU time\n"
    "  --list                 the kernels: name, data size, what limits each, and why\n";

static double now_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void list_print(void)
{
    for (size_t f = 0; f < FAMILY_COUNT; f++)
        for (size_t i = 0; i < *families[f].count; i++) {
            const struct kernel *k = &families[f].kernels[i];
            char size[24] = "-";
            if (k->size_bytes)
                snprintf(size, sizeof size, "%zuK", k->size_bytes >> 10);
            printf("%s\t%s\t%s\t%s\n", k->name, size, k->limit, k->why);
        }
}

static const struct kernel *kernel_find(const char *name)
{
    for (size_t f = 0; f < FAMILY_COUNT; f++)
        for (size_t i = 0; i < *families[f].count; i++)
            if (strcmp(families[f].kernels[i].name, name) == 0)
                return &families[f].kernels[i];
    errx(2, "no kernel is called '%s'; --list names them", name);
}

static void piece_tell(double begun, double cpu_seconds, uint64_t iterations)
{
    printf("piece begun=%.6f cpu_ns_per_iteration=%.3f iterations=%" PRIu64 "\n", begun, cpu_seconds * 1e9 / (double)iterations, iterations);
}

static void *worker_run(void *argument)
{
    struct worker *w = argument;
    double start = now_seconds(w->clock), before = start;
    uint64_t chunk = 1;

    while (w->wanted ? w->done < w->wanted : before - start < w->seconds) {
        uint64_t now = w->wanted && chunk > w->wanted - w->done ? w->wanted - w->done : chunk;
        double begun = w->tells_pieces ? now_seconds(CLOCK_MONOTONIC) : 0, cpu = w->tells_pieces ? now_seconds(CLOCK_THREAD_CPUTIME_ID) : 0;
        atomic_fetch_add_explicit(&w->result, w->kernel->run(&w->run, now), memory_order_relaxed);
        w->done += now;
        if (w->tells_pieces)
            piece_tell(begun, now_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu, now);
        double after = now_seconds(w->clock);
        if (after - before < CHUNK_SECONDS && chunk < UINT64_MAX / 4)
            chunk *= 2;
        before = after;
    }
    return NULL;
}

static void workers_init(struct worker *workers, const struct options *o, int threads)
{
    for (int i = 0; i < threads; i++) {
        struct worker *w = &workers[i];
        w->kernel = o->kernel;
        w->seconds = o->seconds;
        w->clock = o->clock;
        w->tells_pieces = o->tells_pieces && i == 0;
        w->wanted = o->iterations / (uint64_t)threads + ((uint64_t)i < o->iterations % (uint64_t)threads);
        w->run = (struct kernel_run){
            .size_bytes = o->size_bytes ? o->size_bytes : o->kernel->size_bytes,
            .pages = o->pages,
            .thread = i,
            .first = &workers[0].run,
        };
        if (o->kernel->init)
            o->kernel->init(&w->run);
    }
}

/* What the kernel gave, over all threads: -1 when there is no data or the kernel doesn't say. */
static long long huge_bytes(const struct worker *workers, int threads)
{
    long long total = -1;

    for (int i = 0; i < threads; i++)
        for (int j = 0; j < 2; j++) {
            const struct buffer *buffer = &workers[i].run.memory[j];
            long long bytes = buffer->data ? buffer_huge_bytes(buffer) : -1;
            if (bytes >= 0)
                total = (total < 0 ? 0 : total) + bytes;
        }
    return total;
}

static void run(const struct options *o)
{
    int threads = o->threads ? o->threads : o->kernel->threads ? o->kernel->threads : 1;
    if (o->iterations && o->iterations < (uint64_t)threads)
        errx(2, "--iterations: fewer than the %d threads", threads);
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    if (!workers)
        err(1, "preparing %d threads", threads);
    workers_init(workers, o, threads);

    double cpu_start = now_seconds(CLOCK_PROCESS_CPUTIME_ID), start = now_seconds(CLOCK_MONOTONIC);
    for (int i = 1; i < threads; i++)
        if ((errno = pthread_create(&workers[i].thread, NULL, worker_run, &workers[i])) != 0)
            err(1, "starting thread %d", i);
    worker_run(&workers[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    double wall = now_seconds(CLOCK_MONOTONIC) - start,
           cpu = now_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;

    uint64_t iterations = 0;
    for (int i = 0; i < threads; i++)
        iterations += workers[i].done;

    printf("kernel=%s iterations=%" PRIu64
           " cpu_ns_per_iteration=%.3f cpu_seconds=%.6f wall_seconds=%.6f threads=%d "
           "size_bytes=%zu pages=%s",
           o->kernel->name, iterations, cpu * 1e9 / (double)iterations, cpu, wall, threads,
           workers[0].run.size_bytes, page_policy_name(o->pages));
    long long huge = huge_bytes(workers, threads);
    if (huge >= 0)
        printf(" huge_bytes=%lld", huge);
    printf(" limit=\"%s\"\n", o->kernel->limit);

    for (int i = 0; i < threads; i++)
        for (int j = 0; j < 2; j++)
            buffer_done(&workers[i].run.memory[j]);
    free(workers);
}

static struct options options_parse(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"seconds", required_argument, NULL, 's'}, {"iterations", required_argument, NULL, 'i'},
        {"size", required_argument, NULL, 'b'},    {"pages", required_argument, NULL, 'p'},
        {"threads", required_argument, NULL, 't'}, {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},          {"cpu-seconds", required_argument, NULL, 'c'},
        {"pieces", no_argument, NULL, 'e'},        {0},
    };
    struct options o = {.seconds = 2, .clock = CLOCK_MONOTONIC};
    int c;

    while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        switch (c) {
        case 's':
            o.seconds = argument_seconds("--seconds", optarg);
            break;
        case 'c':
            o.seconds = argument_seconds("--cpu-seconds", optarg);
            o.clock = CLOCK_THREAD_CPUTIME_ID;
            break;
        case 'i':
            o.iterations = argument_size("--iterations", optarg, 1, UINT64_MAX / 4);
            break;
        case 'b':
            o.size_bytes = argument_size("--size", optarg, 4096, (uint64_t)1 << 40);
            break;
        case 'p':
            o.pages = page_policy_parse(optarg);
            break;
        case 't':
            o.threads = (int)argument_size("--threads", optarg, 1, MOST_THREADS);
            break;
        case 'e':
            o.tells_pieces = true;
            break;
        case 'l':
            list_print();
            exit(0);
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            exit(2);
        }
    }
    if (optind + 1 != argc) {
        fputs(usage, stderr);
        exit(2);
    }
    o.kernel = kernel_find(argv[optind]);
    return o;
}

int main(int argc, char **argv)
{
    struct options o = options_parse(argc, argv);

    if (o.kernel->supported && !o.kernel->supported())
        errx(1, "this CPU can't run '%s': it lacks the instructions", o.kernel->name);
    run(&o);
    return 0;
}
