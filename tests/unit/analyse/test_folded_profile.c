/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/profile/folded_profile.h"
#include "base/vec.h"

static struct folded_stack stack(const char *frames, double weight)
{
    return (struct folded_stack){view_of(frames), weight};
}

Test(folded_profile, waits_by_what_they_are_for)
{
    const struct folded_stack stacks[] = {
        stack("svc;clone3;work;book_update;pthread_mutex_lock;__lll_lock_wait;-;entry_SYSCALL_64_after_hwframe;do_syscall_64;do_futex;futex_wait;schedule;__schedule;finish_task_switch.isra.0", 60),
        stack("svc;clone3;work;log_write;pthread_mutex_lock;__lll_lock_wait;entry_SYSCALL_64_after_hwframe_[k];do_futex_[k];futex_wait_[k];schedule_[k]", 15),
        stack("svc;clone3;work;epoll_wait;-;entry_SYSCALL_64_after_hwframe;do_syscall_64;ep_poll;schedule", 1000),
        stack("svc;clone3;work;fsync;-;entry_SYSCALL_64_after_hwframe;ext4_sync_file;jbd2_log_wait_commit;schedule", 20),
        stack("svc;clone3;work;[unknown];-;entry_SYSCALL_64_after_hwframe;do_futex;futex_wait;schedule", 5),
        stack(";;", 3),
    };
    struct folded_profile profile;
    struct folded_share shares[FOLDED_SHARES];
    struct arena arena;
    arena_init(&arena);
    folded_profile_of(stacks, array_count(stacks), false, &profile, &arena);
    cr_expect_float_eq(profile.off, 1100, 1e-9);
    cr_expect_float_eq(profile.on, 0, 1e-9);
    cr_assert_eq(folded_shares_of(&profile, shares), FOLDED_SHARES);
    cr_expect_str_eq(shares[0].name, FOLDED_LOCKS);
    cr_expect_float_eq(shares[0].share, 0.75, 1e-9, "a futex that no function of the program tells is none: %g", shares[0].share);
    cr_expect_str_eq(shares[0].who, "book_update");
    cr_expect_float_eq(shares[1].share, 0.2, 1e-9);
    folded_profile_of(stacks + 2, 1, false, &profile, &arena);
    cr_expect_eq(folded_shares_of(&profile, shares), 0, "idle alone");
    arena_done(&arena);
}

Test(folded_profile, functions_that_ran_by_their_own_share)
{
    const struct folded_stack stacks[] = {stack("main;scan;hash", 30), stack("main;hash", 40), stack("main;scan", 30)};
    struct folded_profile profile;
    struct arena arena;
    arena_init(&arena);
    folded_profile_of(stacks, array_count(stacks), false, &profile, &arena);
    cr_assert_eq(profile.function_count, 2);
    cr_expect_str_eq(profile.functions[0].name, "hash");
    cr_expect_float_eq(profile.functions[0].share, 0.7, 1e-9);
    cr_expect_float_eq(profile.on, 100, 1e-9);
    arena_done(&arena);
}

Test(folded_profile, waits_whose_scheduler_was_left_out)
{
    const struct folded_stack stacks[] = {stack("app;work;malloc;__lll_lock_wait_private;futex_wait", 70),
                                          stack("app;work;write;vfs_write;ext4_file_write_iter", 30)};
    struct folded_profile profile;
    struct arena arena;
    arena_init(&arena);
    folded_profile_of(stacks, array_count(stacks), false, &profile, &arena);
    cr_expect_float_eq(profile.off, 100, 1e-9);
    cr_expect_float_eq(profile.by_kind[WAIT_LOCK], 70, 1e-9);
    cr_expect_str_eq(profile.lock.name, "malloc");
    folded_profile_of(stacks + 1, 1, false, &profile, &arena);
    cr_expect_float_eq(profile.on, 30, 1e-9, "whose innermost function computes");
    folded_profile_of(stacks + 1, 1, true, &profile, &arena);
    cr_expect_float_eq(profile.off, 30, 1e-9, "unless its tool counts waits");
    arena_done(&arena);
}
