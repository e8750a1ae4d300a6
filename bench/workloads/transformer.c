// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Inference of a small language model on the CPU: what does it wait for, first with a whole prompt, then token by token?
 *
 *     transformer [--layers N] [--width N] [--prompt N] [--tokens N] [--pages 4k|thp|default]
 *
 * A decoder of the usual form (norm, attention over all before, norm, two products with a ReLU between), its weights made up, in f32. Products with
 * weights are oneDNN's, on one thread unless OMP_NUM_THREADS says more; attention and norms are plain loops. Prefill multiplies each weight with
 * every token of the prompt while it is near; decoding reads all weights for one token. Prints how long each part took and a sum over the result.
 * Status 77: there is no oneDNN here.
 */
#include "arguments.h"
#include "buffer.h"
#include "matmul_library.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEAD_WIDTH = 64, WIDER = 4, NOT_HERE = 77 };

/* The products of a layer: from how many columns to how many, in widths of the model. */
enum product { QUERY, KEY, VALUE, OUT, UP, DOWN, PRODUCT_COUNT };
static const struct {
    int64_t from, to;
} shapes[PRODUCT_COUNT] = {[QUERY] = {1, 1}, [KEY] = {1, 1}, [VALUE] = {1, 1}, [OUT] = {1, 1}, [UP] = {1, WIDER}, [DOWN] = {WIDER, 1}};

struct layer {
    struct library_job *prefill[PRODUCT_COUNT], *decode[PRODUCT_COUNT];
    float *keys, *values; /* of all tokens so far; keys by column, so that a query meets them in order */
};

struct model {
    int64_t layers, width, prompt, tokens;
    struct layer *layer;
    float *stream, *normed, *query, *new_key, *new_value, *mixed, *raised, *scores;
    struct buffer weights, memory;
};

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- attention and norms ---- */

__attribute__((noinline)) static void layer_norm(const float *from, float *to, int64_t rows, int64_t width)
{
    for (int64_t row = 0; row < rows; row++, from += width, to += width) {
        float squares = 0;
        for (int64_t at = 0; at < width; at++)
            squares += from[at] * from[at];
        float scale = 1 / sqrtf(squares / (float)width + 1e-6f);
        for (int64_t at = 0; at < width; at++)
            to[at] = from[at] * scale;
    }
}

static void softmax(float *scores, int64_t count)
{
    float most = scores[0], sum = 0;
    for (int64_t at = 1; at < count; at++)
        most = scores[at] > most ? scores[at] : most;
    for (int64_t at = 0; at < count; at++)
        sum += scores[at] = expf(scores[at] - most);
    for (int64_t at = 0; at < count; at++)
        scores[at] /= sum;
}

/* One token's query against the keys of all up to it; their values, weighted, go to `to`. */
__attribute__((noinline)) static void attend(const struct model *model, const struct layer *layer, const float *query, float *to, int64_t seen)
{
    const int64_t all = model->prompt + model->tokens, width = model->width;
    for (int64_t head = 0; head < width; head += HEAD_WIDTH) {
        memset(model->scores, 0, (size_t)seen * sizeof(float));
        for (int64_t column = head; column < head + HEAD_WIDTH; column++) {
            const float *keys = layer->keys + column * all, weight = query[column] / sqrtf(HEAD_WIDTH);
            for (int64_t token = 0; token < seen; token++)
                model->scores[token] += weight * keys[token];
        }
        softmax(model->scores, seen);
        memset(to + head, 0, HEAD_WIDTH * sizeof(float));
        for (int64_t token = 0; token < seen; token++) {
            const float *values = layer->values + token * width + head, weight = model->scores[token];
            for (int64_t column = 0; column < HEAD_WIDTH; column++)
                to[head + column] += weight * values[column];
        }
    }
}

/* ---- the model ---- */

static void product_run(struct library_job *job)
{
    const char *reason;
    if (library_job_run(job, &reason))
        return;
    fprintf(stderr, "transformer: %s\n", reason);
    exit(1);
}

static void keep(const struct model *model, struct layer *layer, int64_t first, int64_t rows)
{
    const int64_t all = model->prompt + model->tokens, width = model->width;
    memcpy(layer->values + first * width, model->new_value, (size_t)(rows * width) * sizeof(float));
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < width; column++)
            layer->keys[column * all + first + row] = model->new_key[row * width + column];
}

static void add(float *to, const float *what, int64_t count)
{
    for (int64_t at = 0; at < count; at++)
        to[at] += what[at];
}

/* `rows` tokens behind the first `first` through all layers. */
static void forward(struct model *model, int64_t first, int64_t rows)
{
    const int64_t width = model->width;
    for (int64_t at = 0; at < model->layers; at++) {
        struct layer *layer = &model->layer[at];
        struct library_job **jobs = rows == 1 ? layer->decode : layer->prefill;
        layer_norm(model->stream, model->normed, rows, width);
        product_run(jobs[QUERY]);
        product_run(jobs[KEY]);
        product_run(jobs[VALUE]);
        keep(model, layer, first, rows);
        for (int64_t row = 0; row < rows; row++)
            attend(model, layer, model->query + row * width, model->mixed + row * width, first + row + 1);
        product_run(jobs[OUT]);
        add(model->stream, model->query, rows * width);
        layer_norm(model->stream, model->normed, rows, width);
        product_run(jobs[UP]);
        for (int64_t each = 0; each < rows * width * WIDER; each++)
            model->raised[each] = model->raised[each] > 0 ? model->raised[each] : 0;
        product_run(jobs[DOWN]);
        add(model->stream, model->query, rows * width);
    }
}

static struct library_job *product_new(const struct model *model, enum product product, int64_t rows, float *weights)
{
    float *from[PRODUCT_COUNT] = {model->normed, model->normed, model->normed, model->mixed, model->normed, model->raised};
    float *to[PRODUCT_COUNT] = {model->query, model->new_key, model->new_value, model->query, model->raised, model->query};
    int64_t k = shapes[product].from * model->width, n = shapes[product].to * model->width;
    const struct prb prb = {.m = rows, .k = k, .n = n, .src_strides = {k, 1}, .wei_strides = {n, 1}, .dst_strides = {n, 1}};
    const char *reason;
    struct library_job *job = library_job_new(LIBRARY_MATMUL, &prb, from[product], weights, to[product], &reason);
    if (job)
        return job;
    fprintf(stderr, "transformer: %s\n", reason);
    exit(NOT_HERE);
}

/* Uniform numbers around 0 from a generator of our own: the same everywhere. */
__attribute__((noinline)) static void weights_fill(float *weights, int64_t count, float spread)
{
    uint32_t state = 2463534242u;
    for (int64_t at = 0; at < count; at++) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        weights[at] = ((float)state * 0x1p-32f - 0.5f) * spread;
    }
}

static float *taken(float **rest, int64_t count)
{
    float *here = *rest;
    *rest += count;
    return here;
}

static void model_make(struct model *model, enum page_policy pages)
{
    const int64_t width = model->width, rows = model->prompt, all = rows + model->tokens, layer_weights = width * width * (4 + 2 * WIDER);
    buffer_init(&model->weights, (size_t)(model->layers * layer_weights) * sizeof(float), pages);
    buffer_init(&model->memory, (size_t)(rows * width * (6 + WIDER) + all + model->layers * 2 * all * width) * sizeof(float), pages);
    float *weights = model->weights.data, *rest = model->memory.data;
    weights_fill(weights, model->layers * layer_weights, sqrtf(12 / (float)width));
    model->stream = taken(&rest, rows * width);
    model->normed = taken(&rest, rows * width);
    model->query = taken(&rest, rows * width);
    model->new_key = taken(&rest, rows * width);
    model->new_value = taken(&rest, rows * width);
    model->mixed = taken(&rest, rows * width);
    model->raised = taken(&rest, rows * width * WIDER);
    model->scores = taken(&rest, all);
    model->layer = calloc((size_t)model->layers, sizeof(*model->layer));
    for (int64_t at = 0; model->layer && at < model->layers; at++) {
        model->layer[at].keys = taken(&rest, all * width);
        model->layer[at].values = taken(&rest, all * width);
        for (int product = 0; product < PRODUCT_COUNT; product++) {
            float *own = taken(&weights, width * width * shapes[product].from * shapes[product].to);
            model->layer[at].prefill[product] = product_new(model, (enum product)product, rows, own);
            model->layer[at].decode[product] = product_new(model, (enum product)product, 1, own);
        }
    }
}

/* The next token is made up, too: what came out, shifted. */
static void next_token(struct model *model, const float *last)
{
    for (int64_t at = 0; at < model->width; at++)
        model->stream[at] = last[(at + 1) % model->width] / (1 + fabsf(last[at]));
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"layers", 1, NULL, 'l'}, {"width", 1, NULL, 'w'}, {"prompt", 1, NULL, 'p'},
                                            {"tokens", 1, NULL, 't'}, {"pages", 1, NULL, 'g'}, {0}};
    struct model model = {.layers = 4, .width = 1024, .prompt = 512, .tokens = 64};
    enum page_policy pages = PAGES_DEFAULT;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (option) {
        case 'l': model.layers = (int64_t)argument_size("--layers", optarg, 1, 64); break;
        case 'w': model.width = (int64_t)argument_size("--width", optarg, HEAD_WIDTH, 8192) / HEAD_WIDTH * HEAD_WIDTH; break;
        case 'p': model.prompt = (int64_t)argument_size("--prompt", optarg, 2, 8192); break;
        case 't': model.tokens = (int64_t)argument_size("--tokens", optarg, 1, 8192); break;
        case 'g': pages = page_policy_parse(optarg); break;
        default: return 2;
        }
    setenv("OMP_NUM_THREADS", "1", 0);
    double began = now_s();
    model_make(&model, pages);
    double made = now_s();
    weights_fill(model.stream, model.prompt * model.width, 2);
    forward(&model, 0, model.prompt);
    double filled = now_s();
    next_token(&model, model.stream + (model.prompt - 1) * model.width);
    for (int64_t token = 0; token < model.tokens; token++) {
        forward(&model, model.prompt + token, 1);
        next_token(&model, model.stream);
    }
    double ended = now_s(), sum = 0;
    for (int64_t at = 0; at < model.width; at++)
        sum += (double)model.stream[at];
    printf("made %.3f s, prefill %.3f s for %lld tokens, decode %.3f s for %lld, sum %g\n", made - began, filled - made, (long long)model.prompt,
           ended - filled, (long long)model.tokens, sum);
}
