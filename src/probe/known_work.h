/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work of a known amount, against which a counter or a sampler proves itself.
 *
 * Each function does exactly what its comment counts, in instructions the compiler cannot change. The loops exist for
 * x86-64 and AArch64; elsewhere known_work_is_exact() is false and the amounts are lower bounds only.
 */
#ifndef PLUMB_PROBE_KNOWN_WORK_H
#define PLUMB_PROBE_KNOWN_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool known_work_is_exact(void);

/* iterations times: a multiplication that waits for the one before, a subtraction, a taken branch. */
void known_work_chain(uint64_t iterations);
enum { KNOWN_WORK_CHAIN_INSTRUCTIONS = 3, KNOWN_WORK_CHAIN_BRANCHES = 1 }; /* an iteration */

/* iterations times: one load from where, a subtraction, a branch. */
void known_work_loads(uint64_t iterations, const uint64_t *where);

/*
 * A loop of that many iterations that keeps `magic` in the register KNOWN_WORK_MAGIC_REGISTER (as perf numbers the
 * user registers) all the time; known_work_in_spin tells its addresses.
 */
void known_work_spin(uint64_t iterations, uint64_t magic);
bool known_work_in_spin(uint64_t ip);

#if defined(__x86_64__)
/* si, ip, sp: asm/perf_regs.h */
enum { KNOWN_WORK_MAGIC_REGISTER = 4, KNOWN_WORK_IP_REGISTER = 8, KNOWN_WORK_SP_REGISTER = 7 };
#elif defined(__aarch64__)
enum { KNOWN_WORK_MAGIC_REGISTER = 1, KNOWN_WORK_IP_REGISTER = 32, KNOWN_WORK_SP_REGISTER = 31 };
#else
enum { KNOWN_WORK_MAGIC_REGISTER = -1, KNOWN_WORK_IP_REGISTER = -1, KNOWN_WORK_SP_REGISTER = -1 };
#endif

/* Call spin from two nested functions with frame pointers; tells where the inner one returns to. */
void known_work_nested(uint64_t iterations, uint64_t magic, uint64_t *ret_return_addr);

/* iterations times: some sixty no-operations, then the one taken branch at known_work_sparse_branch_addr(). */
void known_work_sparse_branches(uint64_t iterations);
uint64_t known_work_sparse_branch_addr(void); /* 0: not on this architecture */
bool known_work_in_sparse(uint64_t ip);

/* iterations times: one load from where among some sixty no-operations, at known_work_sparse_load_addr(). */
void known_work_sparse_loads(uint64_t iterations, const uint64_t *where);
uint64_t known_work_sparse_load_addr(void);

/* Call known_work_called exactly `calls` times. */
void known_work_calls(uint64_t calls);
void known_work_called(void);

/* Call getppid(2), which always enters the kernel, `calls` times. */
void known_work_system_calls(uint64_t calls);

/* Touch `pages` fresh 4 KiB pages that no huge page may back; false when memory could not be mapped. */
bool known_work_touch_pages(size_t pages);

/* Sleep `times` times for a moment, so that the scheduler switches away at least as often. */
void known_work_sleeps(unsigned times);


#endif
