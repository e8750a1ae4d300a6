/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "model/threads.h"

/* Samples of threads that were waited for have their process's id and -1: perf adds them up as one. */
Test(threads, gone_ones_are_one)
{
    struct threads threads = {0};
    uint32_t gone = threads_get(&threads, 15467, TID_GONE);
    cr_assert_eq(threads_get(&threads, 20393, TID_GONE), gone);
    cr_assert_eq(threads_get(&threads, UINT32_MAX, TID_GONE), gone);
    cr_assert_eq(threads.items[gone].pid, UINT32_MAX);
    threads_done(&threads);
}

Test(threads, another_process_under_a_tid_is_new)
{
    struct threads threads = {0};
    uint32_t first = threads_get(&threads, 7, 8), second = threads_get(&threads, 9, 8);
    cr_assert_neq(first, second);
    cr_assert_eq(threads_get(&threads, UINT32_MAX, 8), second);
    threads_done(&threads);
}
