// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * How long does a matrix product (or a ReLU) take, by plain loops and by oneDNN, on small pages and on huge
 * ones? The command line has the form of oneDNN's own benchmark, so that a line from a bug report can be
 * pasted here.
 */
#include "arguments.h"
#include "buffer.h"
#include "matmul_library.h"
#include "matmul_reference.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_REPEATS   1000000
#define MOST_THREADS   256
#define MOST_DIMENSION ((int64_t)1 << 31)

enum mode { MODE_REFERENCE, MODE_LIBRARY, MODE_BOTH };
enum source { SOURCE_REFERENCE, SOURCE_LIBRARY };

struct options {
    enum library_operation operation;
    enum mode mode;
    enum page_policy pages;
    char src_tag, wei_tag, dst_tag; // 'a': ab, rows are contiguous; 'b': ba, columns are
    int threads;
    int verbosity;
    uint64_t repeats;
    double seconds;                // 0: count repeats instead
    int64_t max_rows, max_columns; // 0: all
    const char *shape;
};

struct tensors {
    struct prb prb; // what is computed: the shape, or its first rows and columns
    struct buffer src, wei, dst;
};

struct timings {
    double wall_seconds[1000]; // the first thousand: more add nothing to a median
    size_t count;
    uint64_t repeats;
    double cpu_seconds;
};

static const struct shape {
    const char *shape;
    bool relu;
    const char *what;
} shapes[] = {
    {"1x8192:8192x8208", false,
     "wei 256 MiB in rows of 32832 bytes: every step of k is on another page (the demo)"},
    {"1x8192:8192x12304", false, "wei 384 MiB in rows of 49216 bytes"},
    {"1x4096:4096x50400", false,
     "wei 788 MiB in rows of 201600 bytes: the output layer of a language model, one token"},
    {"1x16384:16384x4096", false,
     "wei 256 MiB in rows of 16384 bytes: cache sets collide and hide the page walks"},
    {"16x4096:4096x1000", false,
     "wei 16 MiB, rows of 4000 bytes: 16 rows of a 1024x4096:4096x1000 training layer"},
    {"16x1024:1024x1024", false, "wei 4 MiB, rows of 4 KiB: every page fits the second-level TLB"},
    {"1024x1024", true, "ReLU of 4 MiB to 4 MiB, out of place"},
};

static const char usage[] =
    "Usage: matmul [--matmul | --relu] [options] [SHAPE]\n"
    "SHAPE is MxK:KxN for --matmul (a trailing _n\"name\" is ignored) and RxC for --relu.\n"
    "  --mode=reference|library|both  plain loops (default), oneDNN, or both and compare every element\n"
    "  --stag=ab|ba --wtag=.. --dtag=..  memory layout of src, wei and dst: row-major (ab) or column-major\n"
    "  --pages=4k|thp|default         page size asked for the tensors\n"
    "  --threads=N                    rows are split among N threads; oneDNN gets OMP_NUM_THREADS=N\n"
    "  --repeats=N | --seconds=S      how often: N times (default 1), or until S seconds have passed\n"
    "  --max-rows=N --max-columns=N   compute only the first rows and columns of dst; the tensors keep their "
    "size\n"
    "  --list-shapes                  shapes worth trying; the first is the default\n"
    "  -v[N]                          print every repeat\n"
    "Also accepted: --repeats-per-prb=N (as --repeats), --ctx-exe=N (as --threads), --ctx-init=N "
    "(ignored).\n";

static double now_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int64_t dimension_parse(const char **cursor, const char *shape)
{
    int64_t value = 0;
    const char *c = *cursor;

    for (; *c >= '0' && *c <= '9' && value < MOST_DIMENSION; c++)
        value = value * 10 + (*c - '0');
    if (c == *cursor || value < 1 || value > MOST_DIMENSION)
        errx(2, "shape '%s': a dimension is not a number between 1 and 2^31", shape);
    *cursor = c;
    return value;
}

static void expect(const char **cursor, char wanted, const char *shape)
{
    if (**cursor != wanted)
        errx(2, "shape '%s': expected '%c' at '%s'", shape, wanted, *cursor);
    ++*cursor;
}

static void strides_set(int64_t strides[2], char tag, int64_t rows, int64_t columns)
{
    strides[0] = tag == 'a' ? columns : 1;
    strides[1] = tag == 'a' ? 1 : rows;
}

/* The whole problem, with the strides of its tensors. */
static struct prb problem_parse(const struct options *o)
{
    struct prb prb = {0};
    const char *c = o->shape;

    prb.m = dimension_parse(&c, o->shape);
    expect(&c, 'x', o->shape);
    prb.k = dimension_parse(&c, o->shape);
    if (o->operation == LIBRARY_MATMUL) {
        expect(&c, ':', o->shape);
        if (dimension_parse(&c, o->shape) != prb.k)
            errx(2, "shape '%s': src's columns must equal wei's rows", o->shape);
        expect(&c, 'x', o->shape);
        prb.n = dimension_parse(&c, o->shape);
    } else {
        prb.n = prb.k;
    }
    if (*c && strncmp(c, "_n", 2) != 0)
        errx(2, "shape '%s': '%s' is not understood", o->shape, c);

    strides_set(prb.src_strides, o->src_tag, prb.m, prb.k);
    strides_set(prb.wei_strides, o->wei_tag, prb.k, prb.n);
    strides_set(prb.dst_strides, o->operation == LIBRARY_RELU ? o->src_tag : o->dst_tag, prb.m, prb.n);
    return prb;
}

static int64_t limited(int64_t value, int64_t most)
{
    return most && value > most ? most : value;
}

/* Small whole numbers: their sums are exact in f32 for k up to 2^20, so any order of summation gives the same
 * result. */
static void fill(struct buffer *buffer, uint64_t seed)
{
    float *values = buffer->data;
    uint64_t x = seed;

    for (size_t i = 0; i < buffer->size_bytes / sizeof *values; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        values[i] = (float)((int)(x >> 61) - 4);
    }
}

static double checksum(const struct buffer *dst)
{
    const float *values = dst->data;
    double sum = 0;

    for (size_t i = 0; i < dst->size_bytes / sizeof *values; i++)
        sum += (double)values[i] * (double)(i % 61 + 1);
    return sum;
}

static size_t tensor_bytes(int64_t rows, int64_t columns)
{
    return (size_t)rows * (size_t)columns * sizeof(float); // both at most 2^31: no overflow
}

static void tensors_init(struct tensors *t, const struct options *o)
{
    struct prb whole = problem_parse(o);

    t->prb = whole;
    t->prb.m = limited(whole.m, o->max_rows);
    t->prb.n = limited(whole.n, o->max_columns);
    buffer_init(&t->src, tensor_bytes(whole.m, whole.k), o->pages);
    buffer_init(&t->dst, tensor_bytes(whole.m, whole.n), o->pages);
    fill(&t->src, 1);
    memset(t->dst.data, 0, t->dst.size_bytes);
    if (o->operation == LIBRARY_MATMUL) {
        buffer_init(&t->wei, tensor_bytes(whole.k, whole.n), o->pages);
        fill(&t->wei, 2);
    }
}

static void tensors_done(struct tensors *t)
{
    buffer_done(&t->src);
    buffer_done(&t->wei);
    buffer_done(&t->dst);
}

static void pages_report(const char *name, const struct buffer *buffer)
{
    if (!buffer->data)
        return;
    long long huge = buffer_huge_bytes(buffer);
    double mib = (double)buffer->size_bytes / 1048576;
    if (huge < 0)
        fprintf(stderr, "%s: %.1f MiB, huge pages unknown (/proc/self/smaps can't be read)\n", name, mib);
    else
        fprintf(stderr, "%s: %.1f MiB, %.1f MiB of it in huge pages\n", name, mib, (double)huge / 1048576);
}

struct part {
    const struct options *options;
    struct tensors *tensors;
    int64_t begin, end;
    pthread_t thread;
};

static void *part_run(void *argument)
{
    struct part *p = argument;
    struct tensors *t = p->tensors;

    if (p->options->operation == LIBRARY_RELU)
        compute_ref_relu(t->src.data, t->dst.data, p->begin * t->prb.n, p->end * t->prb.n);
    else
        compute_ref_matmul(&t->prb, t->src.data, t->wei.data, t->dst.data, p->begin, p->end);
    return NULL;
}

static void reference_run(const struct options *o, struct tensors *t)
{
    struct part parts[MOST_THREADS];
    int64_t rows = t->prb.m;
    int count = o->threads < rows ? o->threads : (int)rows;

    for (int i = 0; i < count; i++)
        parts[i] = (struct part){
            .options = o, .tensors = t, .begin = rows * i / count, .end = rows * (i + 1) / count};
    for (int i = 1; i < count; i++)
        if ((errno = pthread_create(&parts[i].thread, NULL, part_run, &parts[i])) != 0)
            err(1, "starting thread %d", i);
    part_run(&parts[0]);
    for (int i = 1; i < count; i++)
        pthread_join(parts[i].thread, NULL);
}

static bool timings_add(struct timings *t, const struct options *o, double wall_seconds,
                        double elapsed_seconds)
{
    if (t->count < sizeof t->wall_seconds / sizeof *t->wall_seconds)
        t->wall_seconds[t->count++] = wall_seconds;
    t->repeats++;
    return o->seconds > 0 ? elapsed_seconds < o->seconds : t->repeats < o->repeats;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void result_print(const struct options *o, const struct tensors *t, enum source source,
                         struct timings *times)
{
    double *s = times->wall_seconds;
    size_t middle = times->count / 2;
    const struct prb *prb = &t->prb;

    qsort(s, times->count, sizeof *s, compare_doubles);
    double median = times->count % 2 ? s[middle] : (s[middle - 1] + s[middle]) / 2;

    printf("%s mode=%s%s%s shape=%s rows=%" PRId64 " columns=%" PRId64 " pages=%s threads=%d repeats=%" PRIu64
           " median_seconds=%.6f min_seconds=%.6f max_seconds=%.6f cpu_seconds=%.6f checksum=%.0f\n",
           o->operation == LIBRARY_RELU ? "relu" : "matmul",
           source == SOURCE_LIBRARY ? "library" : "reference",
           source == SOURCE_LIBRARY ? "" : " build=", source == SOURCE_LIBRARY ? "" : reference_build(),
           o->shape, prb->m, prb->n, page_policy_name(o->pages), o->threads, times->repeats, median, s[0],
           s[times->count - 1], times->cpu_seconds, checksum(&t->dst));
    fflush(stdout);
}

static void measure(const struct options *o, struct tensors *t, enum source source)
{
    struct timings times = {0};
    struct library_job *job = NULL;
    const char *reason = NULL;

    if (source == SOURCE_LIBRARY) {
        job = library_job_new(o->operation, &t->prb, t->src.data, t->wei.data, t->dst.data, &reason);
        if (!job)
            errx(1, "oneDNN can't be used: %s. --mode=reference works without it.", reason);
    }

    double cpu_start = now_seconds(CLOCK_PROCESS_CPUTIME_ID), start = now_seconds(CLOCK_MONOTONIC);
    double before = start, after;
    do {
        if (job) {
            if (!library_job_run(job, &reason))
                errx(1, "%s", reason);
        } else {
            reference_run(o, t);
        }
        after = now_seconds(CLOCK_MONOTONIC);
        if (o->verbosity > 0)
            printf("repeat=%" PRIu64 " seconds=%.6f\n", times.repeats + 1, after - before);
        if (!timings_add(&times, o, after - before, after - start))
            break;
        before = now_seconds(CLOCK_MONOTONIC);
    } while (true);
    times.cpu_seconds = now_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;

    result_print(o, t, source, &times);
    library_job_free(job);
}

/* Runs both over the same tensors and compares every element. */
static bool check(const struct options *o, struct tensors *t)
{
    measure(o, t, SOURCE_REFERENCE);

    size_t count = t->dst.size_bytes / sizeof(float), wrong = 0, first = 0;
    float *expected = malloc(t->dst.size_bytes);
    if (!expected)
        err(1, "keeping the reference's result");
    memcpy(expected, t->dst.data, t->dst.size_bytes);
    memset(t->dst.data, 0, t->dst.size_bytes);

    measure(o, t, SOURCE_LIBRARY);

    const float *got = t->dst.data;
    for (size_t i = 0; i < count; i++)
        if (!(got[i] == expected[i]) && wrong++ == 0)
            first = i;
    printf("check=%s elements=%zu different=%zu\n", wrong ? "failed" : "passed", count, wrong);
    if (wrong)
        fprintf(stderr, "element %zu: expected %g, oneDNN gave %g\n", first, (double)expected[first],
                (double)got[first]);
    free(expected);
    return wrong == 0;
}

static char tag_parse(const char *option, const char *text)
{
    if (strcmp(text, "ab") != 0 && strcmp(text, "ba") != 0)
        errx(2, "%s: '%s' is neither ab nor ba", option, text);
    return text[0];
}

static enum mode mode_parse(const char *text)
{
    static const char *const names[] = {
        [MODE_REFERENCE] = "reference", [MODE_LIBRARY] = "library", [MODE_BOTH] = "both"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return (enum mode)i;
    errx(2, "--mode: '%s' is none of reference, library, both", text);
}

static void shapes_print(void)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        printf("%-8s %-22s %s\n", shapes[i].relu ? "--relu" : "--matmul", shapes[i].shape, shapes[i].what);
}

static const char *default_shape(enum library_operation operation)
{
    size_t i = 0;
    while (shapes[i].relu != (operation == LIBRARY_RELU))
        i++;
    return shapes[i].shape;
}

enum option_value {
    OPT_MATMUL = 256,
    OPT_RELU,
    OPT_MODE,
    OPT_STAG,
    OPT_WTAG,
    OPT_DTAG,
    OPT_PAGES,
    OPT_THREADS,
    OPT_REPEATS,
    OPT_SECONDS,
    OPT_MAX_ROWS,
    OPT_MAX_COLUMNS,
    OPT_LIST_SHAPES,
    OPT_IGNORED,
};

static const struct option long_options[] = {
    {"matmul", no_argument, NULL, OPT_MATMUL},
    {"relu", no_argument, NULL, OPT_RELU},
    {"mode", required_argument, NULL, OPT_MODE},
    {"stag", required_argument, NULL, OPT_STAG},
    {"wtag", required_argument, NULL, OPT_WTAG},
    {"dtag", required_argument, NULL, OPT_DTAG},
    {"pages", required_argument, NULL, OPT_PAGES},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"ctx-exe", required_argument, NULL, OPT_THREADS},
    {"ctx-init", required_argument, NULL, OPT_IGNORED},
    {"repeats", required_argument, NULL, OPT_REPEATS},
    {"repeats-per-prb", required_argument, NULL, OPT_REPEATS},
    {"seconds", required_argument, NULL, OPT_SECONDS},
    {"max-rows", required_argument, NULL, OPT_MAX_ROWS},
    {"max-columns", required_argument, NULL, OPT_MAX_COLUMNS},
    {"list-shapes", no_argument, NULL, OPT_LIST_SHAPES},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static struct options options_parse(int argc, char **argv)
{
    struct options o = {.src_tag = 'a', .wei_tag = 'a', .dst_tag = 'a', .threads = 1, .repeats = 1};
    int c;

    while ((c = getopt_long(argc, argv, "hv::", long_options, NULL)) != -1) {
        switch (c) {
        case OPT_MATMUL:
        case OPT_RELU:
            o.operation = c == OPT_RELU ? LIBRARY_RELU : LIBRARY_MATMUL;
            break;
        case OPT_MODE:
            o.mode = mode_parse(optarg);
            break;
        case OPT_STAG:
            o.src_tag = tag_parse("--stag", optarg);
            break;
        case OPT_WTAG:
            o.wei_tag = tag_parse("--wtag", optarg);
            break;
        case OPT_DTAG:
            o.dst_tag = tag_parse("--dtag", optarg);
            break;
        case OPT_PAGES:
            o.pages = page_policy_parse(optarg);
            break;
        case OPT_THREADS:
            o.threads = (int)argument_size("--threads", optarg, 1, MOST_THREADS);
            break;
        case OPT_REPEATS:
            o.repeats = argument_size("--repeats", optarg, 1, MOST_REPEATS);
            break;
        case OPT_SECONDS:
            o.seconds = argument_seconds("--seconds", optarg);
            break;
        case OPT_MAX_ROWS:
            o.max_rows = (int64_t)argument_size("--max-rows", optarg, 1, (uint64_t)MOST_DIMENSION);
            break;
        case OPT_MAX_COLUMNS:
            o.max_columns = (int64_t)argument_size("--max-columns", optarg, 1, (uint64_t)MOST_DIMENSION);
            break;
        case OPT_LIST_SHAPES:
            shapes_print();
            exit(0);
        case OPT_IGNORED:
            break;
        case 'v':
            o.verbosity = optarg ? (int)argument_size("-v", optarg, 0, 100) : 1;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            exit(2);
        }
    }
    if (optind + 1 < argc)
        errx(2, "one shape at a time: '%s' is too much", argv[optind + 1]);
    if (o.operation == LIBRARY_RELU && (o.max_rows || o.max_columns))
        errx(2, "--max-rows and --max-columns are for --matmul");
    o.shape = optind < argc ? argv[optind] : default_shape(o.operation);
    return o;
}

int main(int argc, char **argv)
{
    struct options o = options_parse(argc, argv);
    struct tensors t = {0};
    char threads[16];
    bool passed = true;

    snprintf(threads, sizeof threads, "%d", o.threads);
    setenv("OMP_NUM_THREADS", threads, 1);

    tensors_init(&t, &o);
    if (o.mode != MODE_LIBRARY && o.threads > t.prb.m)
        fprintf(stderr, "only %" PRId64 " rows to split: the reference uses as many threads\n", t.prb.m);
    pages_report("src", &t.src);
    pages_report("wei", &t.wei);
    pages_report("dst", &t.dst);

    if (o.mode == MODE_BOTH)
        passed = check(&o, &t);
    else
        measure(&o, &t, o.mode == MODE_LIBRARY ? SOURCE_LIBRARY : SOURCE_REFERENCE);

    tensors_done(&t);
    return passed ? 0 : 1;
}
