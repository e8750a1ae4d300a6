/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/known_work.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * The loops are whole functions in assembler: their first and last addresses, the register that holds the magic number
 * and the number of instructions are then facts, whatever the compiler and its options. They keep a frame pointer, so
 * that a kernel that unwinds by it finds the caller.
 */
#if defined(__x86_64__)
#define LOOPS 1
__asm__(".text\n"
        ".p2align 6\n.globl plumb_work_chain\n.hidden plumb_work_chain\n.type plumb_work_chain, @function\n"
        "plumb_work_chain:\n"
        "  mov $3, %eax\n"
        "1: imul %rax, %rax\n  sub $1, %rdi\n  jnz 1b\n"
        "  ret\n.size plumb_work_chain, .-plumb_work_chain\n"

        ".p2align 6\n.globl plumb_work_loads\n.hidden plumb_work_loads\n.type plumb_work_loads, @function\n"
        "plumb_work_loads:\n"
        "1: mov (%rsi), %rax\n  sub $1, %rdi\n  jnz 1b\n"
        "  ret\n.size plumb_work_loads, .-plumb_work_loads\n"

        ".p2align 6\n.globl plumb_work_spin\n.hidden plumb_work_spin\n.type plumb_work_spin, @function\n"
        "plumb_work_spin:\n"
        "  push %rbp\n  mov %rsp, %rbp\n"
        ".globl plumb_work_spin_begin\n.hidden plumb_work_spin_begin\nplumb_work_spin_begin:\n"
        "1: imul %rax, %rax\n  sub $1, %rdi\n  jnz 1b\n"
        ".globl plumb_work_spin_end\n.hidden plumb_work_spin_end\nplumb_work_spin_end:\n"
        "  pop %rbp\n  ret\n.size plumb_work_spin, .-plumb_work_spin\n"

        ".p2align 6\n.globl plumb_work_sparse\n.hidden plumb_work_sparse\n.type plumb_work_sparse, @function\n"
        "plumb_work_sparse:\n"
        "1: .rept 62\n  nop\n  .endr\n  sub $1, %rdi\n"
        ".globl plumb_work_sparse_branch\n.hidden plumb_work_sparse_branch\nplumb_work_sparse_branch:\n"
        "  jnz 1b\n"
        ".globl plumb_work_sparse_end\n.hidden plumb_work_sparse_end\nplumb_work_sparse_end:\n"
        "  ret\n.size plumb_work_sparse, .-plumb_work_sparse\n"

        ".p2align 6\n.globl plumb_work_sparse_loads\n.hidden plumb_work_sparse_loads\n"
        ".type plumb_work_sparse_loads, @function\n"
        "plumb_work_sparse_loads:\n"
        "1: .rept 30\n  nop\n  .endr\n"
        ".globl plumb_work_sparse_load\n.hidden plumb_work_sparse_load\nplumb_work_sparse_load:\n"
        "  mov (%rsi), %rax\n"
        "  .rept 30\n  nop\n  .endr\n  sub $1, %rdi\n  jnz 1b\n"
        "  ret\n.size plumb_work_sparse_loads, .-plumb_work_sparse_loads\n");
#elif defined(__aarch64__)
#define LOOPS 1
__asm__(".text\n"
        ".p2align 6\n.globl plumb_work_chain\n.hidden plumb_work_chain\n.type plumb_work_chain, %function\n"
        "plumb_work_chain:\n"
        "  mov x2, #3\n"
        "1: mul x2, x2, x2\n  subs x0, x0, #1\n  b.ne 1b\n"
        "  ret\n.size plumb_work_chain, .-plumb_work_chain\n"

        ".p2align 6\n.globl plumb_work_loads\n.hidden plumb_work_loads\n.type plumb_work_loads, %function\n"
        "plumb_work_loads:\n"
        "1: ldr x2, [x1]\n  subs x0, x0, #1\n  b.ne 1b\n"
        "  ret\n.size plumb_work_loads, .-plumb_work_loads\n"

        ".p2align 6\n.globl plumb_work_spin\n.hidden plumb_work_spin\n.type plumb_work_spin, %function\n"
        "plumb_work_spin:\n"
        "  stp x29, x30, [sp, #-16]!\n  mov x29, sp\n"
        ".globl plumb_work_spin_begin\n.hidden plumb_work_spin_begin\nplumb_work_spin_begin:\n"
        "1: mul x2, x2, x2\n  subs x0, x0, #1\n  b.ne 1b\n"
        ".globl plumb_work_spin_end\n.hidden plumb_work_spin_end\nplumb_work_spin_end:\n"
        "  ldp x29, x30, [sp], #16\n  ret\n.size plumb_work_spin, .-plumb_work_spin\n"

        ".p2align 6\n.globl plumb_work_sparse\n.hidden plumb_work_sparse\n.type plumb_work_sparse, %function\n"
        "plumb_work_sparse:\n"
        "1: .rept 62\n  nop\n  .endr\n  subs x0, x0, #1\n"
        ".globl plumb_work_sparse_branch\n.hidden plumb_work_sparse_branch\nplumb_work_sparse_branch:\n"
        "  b.ne 1b\n"
        ".globl plumb_work_sparse_end\n.hidden plumb_work_sparse_end\nplumb_work_sparse_end:\n"
        "  ret\n.size plumb_work_sparse, .-plumb_work_sparse\n"

        ".p2align 6\n.globl plumb_work_sparse_loads\n.hidden plumb_work_sparse_loads\n"
        ".type plumb_work_sparse_loads, %function\n"
        "plumb_work_sparse_loads:\n"
        "1: .rept 30\n  nop\n  .endr\n"
        ".globl plumb_work_sparse_load\n.hidden plumb_work_sparse_load\nplumb_work_sparse_load:\n"
        "  ldr x2, [x1]\n"
        "  .rept 30\n  nop\n  .endr\n  subs x0, x0, #1\n  b.ne 1b\n"
        "  ret\n.size plumb_work_sparse_loads, .-plumb_work_sparse_loads\n");
#endif

#ifdef LOOPS
void plumb_work_chain(uint64_t iterations);
void plumb_work_loads(uint64_t iterations, const uint64_t *where);
void plumb_work_spin(uint64_t iterations, uint64_t magic);
void plumb_work_sparse(uint64_t iterations);
void plumb_work_sparse_loads(uint64_t iterations, const uint64_t *where);
extern const char plumb_work_spin_begin[], plumb_work_spin_end[], plumb_work_sparse_branch[], plumb_work_sparse_end[],
    plumb_work_sparse_load[];

bool known_work_is_exact(void)
{
    return true;
}

void known_work_chain(uint64_t iterations)
{
    plumb_work_chain(iterations);
}

void known_work_loads(uint64_t iterations, const uint64_t *where)
{
    plumb_work_loads(iterations, where);
}

void known_work_spin(uint64_t iterations, uint64_t magic)
{
    plumb_work_spin(iterations, magic);
}

bool known_work_in_spin(uint64_t ip)
{
    return ip >= (uintptr_t)plumb_work_spin_begin && ip <= (uintptr_t)plumb_work_spin_end;
}

void known_work_sparse_branches(uint64_t iterations)
{
    plumb_work_sparse(iterations);
}

uint64_t known_work_sparse_branch_addr(void)
{
    return (uintptr_t)plumb_work_sparse_branch;
}

bool known_work_in_sparse(uint64_t ip)
{
    return ip >= (uintptr_t)plumb_work_sparse && ip <= (uintptr_t)plumb_work_sparse_end;
}

void known_work_sparse_loads(uint64_t iterations, const uint64_t *where)
{
    plumb_work_sparse_loads(iterations, where);
}

uint64_t known_work_sparse_load_addr(void)
{
    return (uintptr_t)plumb_work_sparse_load;
}
#else
bool known_work_is_exact(void)
{
    return false;
}

void known_work_chain(uint64_t iterations)
{
    for (uint64_t at = 0; at < iterations; at++)
        __asm__ volatile("" ::: "memory");
}

void known_work_loads(uint64_t iterations, const uint64_t *where)
{
    const volatile uint64_t *each = where;
    for (uint64_t at = 0; at < iterations; at++)
        (void)*each;
}

__attribute__((noinline)) void known_work_spin(uint64_t iterations, uint64_t magic)
{
    for (uint64_t at = 0; at < iterations; at++)
        __asm__ volatile("" ::"r"(magic) : "memory");
}

bool known_work_in_spin(uint64_t ip)
{
    return ip >= (uintptr_t)known_work_spin && ip < (uintptr_t)known_work_spin + 256;
}

void known_work_sparse_branches(uint64_t iterations)
{
    known_work_chain(iterations);
}

uint64_t known_work_sparse_branch_addr(void)
{
    return 0;
}

bool known_work_in_sparse(uint64_t ip)
{
    (void)ip;
    return false;
}

void known_work_sparse_loads(uint64_t iterations, const uint64_t *where)
{
    known_work_loads(iterations, where);
}

uint64_t known_work_sparse_load_addr(void)
{
    return 0;
}
#endif

__attribute__((noinline)) static void inner(uint64_t iterations, uint64_t magic, uint64_t *ret_return_addr)
{
    *ret_return_addr = (uintptr_t)__builtin_return_address(0);
    known_work_spin(iterations, magic);
    __asm__ volatile("" ::: "memory"); /* no tail call: the frame must stay */
}

__attribute__((noinline)) void known_work_nested(uint64_t iterations, uint64_t magic, uint64_t *ret_return_addr)
{
    inner(iterations, magic, ret_return_addr);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void known_work_called(void)
{
    __asm__ volatile("" ::: "memory");
}

void known_work_calls(uint64_t calls)
{
    void (*volatile called)(void) = known_work_called; /* volatile: no inlining, one call each */
    for (uint64_t at = 0; at < calls; at++)
        called();
}

void known_work_system_calls(uint64_t calls)
{
    for (uint64_t at = 0; at < calls; at++)
        syscall(SYS_getppid);
}

bool known_work_touch_pages(size_t pages)
{
    const size_t page = 4096;
    size_t step = (size_t)sysconf(_SC_PAGESIZE);
    step = step < page ? page : step;
    char *memory = mmap(NULL, pages * step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    madvise(memory, pages * step, MADV_NOHUGEPAGE); /* fails where there are no huge pages: just as well */
    for (size_t at = 0; at < pages; at++)
        ((volatile char *)memory)[at * step] = 1;
    munmap(memory, pages * step);
    return true;
}

void known_work_sleeps(unsigned times)
{
    for (unsigned at = 0; at < times; at++)
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}
