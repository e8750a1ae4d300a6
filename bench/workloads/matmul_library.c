// SPDX-License-Identifier: GPL-3.0-or-later
#include "matmul_library.h"

#include <stdlib.h>

#ifdef HAVE_DNNL

#include <dlfcn.h>
#include <dnnl.h>
#include <stddef.h>

#define LIBRARY_FILE "libdnnl.so.2"

/* Each entry has its function's own type, so the compiler checks our calls although the linker never sees
 * libdnnl. */
#define LIBRARY_FUNCTIONS(X)                                                                                 \
    X(dnnl_engine_create)                                                                                    \
    X(dnnl_engine_destroy)                                                                                   \
    X(dnnl_stream_create)                                                                                    \
    X(dnnl_stream_destroy)                                                                                   \
    X(dnnl_stream_wait)                                                                                      \
    X(dnnl_memory_desc_init_by_strides)                                                                      \
    X(dnnl_memory_create)                                                                                    \
    X(dnnl_memory_destroy)                                                                                   \
    X(dnnl_matmul_desc_init)                                                                                 \
    X(dnnl_eltwise_forward_desc_init)                                                                        \
    X(dnnl_primitive_desc_create)                                                                            \
    X(dnnl_primitive_desc_destroy)                                                                           \
    X(dnnl_primitive_create)                                                                                 \
    X(dnnl_primitive_destroy)                                                                                \
    X(dnnl_primitive_execute)

struct library {
    void *handle;
#define MEMBER(name) __typeof__(&name) name;
    LIBRARY_FUNCTIONS(MEMBER)
#undef MEMBER
};

struct library_job {
    struct library library;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_memory_t memory[3];
    dnnl_exec_arg_t arguments[3];
    int argument_count;
};

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
#define SYMBOL(name) {#name, offsetof(struct library, name)},
    LIBRARY_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

static bool library_open(struct library *library, const char **ret_reason)
{
    library->handle = dlopen(LIBRARY_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!library->handle) {
        *ret_reason = dlerror();
        return false;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(library->handle, symbols[i].name);
        if (!address) {
            *ret_reason = dlerror();
            return false;
        }
        *(void **)((char *)library + symbols[i].offset) = address; // POSIX: dlsym's void * holds a function
    }
    return true;
}

static bool memory_attach(struct library_job *job, int argument, const int64_t dims[2],
                          const int64_t strides[2], float *data, dnnl_memory_desc_t *ret_desc)
{
    const struct library *l = &job->library;
    dnnl_dims_t d = {dims[0], dims[1]}, s = {strides[0], strides[1]};
    dnnl_memory_t *memory = &job->memory[job->argument_count];

    if (l->dnnl_memory_desc_init_by_strides(ret_desc, 2, d, dnnl_f32, s) != dnnl_success ||
        l->dnnl_memory_create(memory, ret_desc, job->engine, data) != dnnl_success)
        return false;
    job->arguments[job->argument_count++] = (dnnl_exec_arg_t){.arg = argument, .memory = *memory};
    return true;
}

static bool primitive_make(struct library_job *job, const_dnnl_op_desc_t operation)
{
    const struct library *l = &job->library;
    dnnl_primitive_desc_t desc;

    if (l->dnnl_primitive_desc_create(&desc, operation, NULL, job->engine, NULL) != dnnl_success)
        return false;
    bool made = l->dnnl_primitive_create(&job->primitive, desc) == dnnl_success;
    l->dnnl_primitive_desc_destroy(desc);
    return made;
}

static bool job_prepare(struct library_job *job, enum library_operation operation, const struct prb *prb,
                        float *src, float *wei, float *dst)
{
    const struct library *l = &job->library;
    dnnl_memory_desc_t src_desc, wei_desc, dst_desc;

    if (l->dnnl_engine_create(&job->engine, dnnl_cpu, 0) != dnnl_success ||
        l->dnnl_stream_create(&job->stream, job->engine, dnnl_stream_default_flags) != dnnl_success)
        return false;

    if (operation == LIBRARY_RELU) {
        dnnl_eltwise_desc_t relu;
        const int64_t dims[2] = {prb->m, prb->n};
        return memory_attach(job, DNNL_ARG_SRC, dims, prb->src_strides, src, &src_desc) &&
               memory_attach(job, DNNL_ARG_DST, dims, prb->dst_strides, dst, &dst_desc) &&
               l->dnnl_eltwise_forward_desc_init(&relu, dnnl_forward_inference, dnnl_eltwise_relu, &src_desc,
                                                 0, 0) == dnnl_success &&
               primitive_make(job, &relu);
    }

    dnnl_matmul_desc_t matmul;
    const int64_t src_dims[2] = {prb->m, prb->k}, wei_dims[2] = {prb->k, prb->n},
                  dst_dims[2] = {prb->m, prb->n};
    return memory_attach(job, DNNL_ARG_SRC, src_dims, prb->src_strides, src, &src_desc) &&
           memory_attach(job, DNNL_ARG_WEIGHTS, wei_dims, prb->wei_strides, wei, &wei_desc) &&
           memory_attach(job, DNNL_ARG_DST, dst_dims, prb->dst_strides, dst, &dst_desc) &&
           l->dnnl_matmul_desc_init(&matmul, &src_desc, &wei_desc, NULL, &dst_desc) == dnnl_success &&
           primitive_make(job, &matmul);
}

struct library_job *library_job_new(enum library_operation operation, const struct prb *prb, float *src,
                                    float *wei, float *dst, const char **ret_reason)
{
    struct library_job *job = calloc(1, sizeof *job);

    if (!job) {
        *ret_reason = "out of memory";
        return NULL;
    }
    if (!library_open(&job->library, ret_reason)) {
        free(job);
        return NULL;
    }
    if (!job_prepare(job, operation, prb, src, wei, dst)) {
        *ret_reason = "oneDNN refused this shape or these layouts";
        library_job_free(job);
        return NULL;
    }
    return job;
}

bool library_job_run(struct library_job *job, const char **ret_reason)
{
    const struct library *l = &job->library;

    if (l->dnnl_primitive_execute(job->primitive, job->stream, job->argument_count, job->arguments) ==
            dnnl_success &&
        l->dnnl_stream_wait(job->stream) == dnnl_success)
        return true;
    *ret_reason = "oneDNN failed to execute the primitive";
    return false;
}

void library_job_free(struct library_job *job)
{
    if (!job)
        return;
    const struct library *l = &job->library;
    if (job->primitive)
        l->dnnl_primitive_destroy(job->primitive);
    for (int i = 0; i < 3; i++)
        if (job->memory[i])
            l->dnnl_memory_destroy(job->memory[i]);
    if (job->stream)
        l->dnnl_stream_destroy(job->stream);
    if (job->engine)
        l->dnnl_engine_destroy(job->engine);
    free(job); // libdnnl stays open: its OpenMP threads outlive us
}

#else

struct library_job *library_job_new(enum library_operation operation, const struct prb *prb, float *src,
                                    float *wei, float *dst, const char **ret_reason)
{
    (void)operation, (void)prb, (void)src, (void)wei, (void)dst;
    *ret_reason = "this program was built without oneDNN's headers (libdnnl-dev)";
    return NULL;
}

bool library_job_run(struct library_job *job, const char **ret_reason)
{
    (void)job;
    *ret_reason = "built without oneDNN";
    return false;
}

void library_job_free(struct library_job *job)
{
    free(job);
}

#endif
