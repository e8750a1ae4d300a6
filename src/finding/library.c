/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time in well-known helpers: allocation, copying, locks; told by the names of functions. */
#include "base/vec.h"
#include "finding/family.h"

static const struct name_pattern allocation_names[] = {
    {.prefix = "malloc"},      {.prefix = "_int_malloc"}, {.prefix = "_int_free"}, {.prefix = "free"},
    {.prefix = "cfree"},       {.prefix = "realloc"},     {.prefix = "_int_realloc"}, {.prefix = "calloc"},
    {.prefix = "operator new"}, {.prefix = "operator delete"}, {.prefix = "malloc_consolidate"},
    {.prefix = "unlink_chunk"}, {.dso = "libjemalloc"},   {.dso = "libtcmalloc"},  {.dso = "libmimalloc"},
    {.prefix = "_PyObject_Malloc"}, {.prefix = "_PyObject_Free"}, {.prefix = "sysmalloc"}, {.prefix = "__libc_malloc"},
    {.prefix = "tcache_"},
};

static void allocation_test(const struct results *results, struct finding *finding)
{
    test_function_names(results, finding, allocation_names, array_count(allocation_names));
}

const struct hypothesis hypothesis_allocation = {
    .id = "allocation",
    .family = "library",
    .title = "allocating and freeing memory",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = allocation_test,
};

static const struct name_pattern copying_names[] = {
    {.part = "memcpy"}, {.part = "memmove"}, {.part = "memset"}, {.part = "strcpy"}, {.part = "mempcpy"},
};

static void copying_test(const struct results *results, struct finding *finding)
{
    test_function_names(results, finding, copying_names, array_count(copying_names));
}

const struct hypothesis hypothesis_copying = {
    .id = "copying",
    .family = "library",
    .title = "copying and clearing memory",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = copying_test,
};

static const struct name_pattern spinning_names[] = {
    {.part = "spin_lock"},     {.part = "spinlock"},       {.part = "_spin_"},     {.prefix = "lll_lock"},
    {.part = "pthread_mutex"}, {.part = "gomp_barrier"},   {.part = "gomp_team_barrier"}, {.part = "kmp_wait"},
    {.part = "kmp_flag"},      {.part = "pthread_spin"},   {.part = "do_spin"},    {.part = "busy_wait"},
    {.part = "lll_lock_wait"},
};

static void spinning_test(const struct results *results, struct finding *finding)
{
    test_function_names(results, finding, spinning_names, array_count(spinning_names));
}

const struct hypothesis hypothesis_spinning = {
    .id = "spinning",
    .family = "library",
    .title = "locks and barriers in user space",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = spinning_test,
};
