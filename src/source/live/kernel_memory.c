/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/live/kernel_memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { ON_STACK = -KERNEL_MEMORY_AT_ONCE, WORDS = KERNEL_MEMORY_AT_ONCE / 8 };

static int program_load(const struct kernel *kernel)
{
    enum { R0, R1, R2, R3, CONTEXT = 6, FRAME = 10, MOST = 24 + 2 * WORDS };
    struct bpf_insn program[MOST];
    unsigned count = 0;
    const struct bpf_insn before[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = CONTEXT, .src_reg = R1},
        {.code = BPF_LDX | BPF_MEM | BPF_DW,
         .dst_reg = R3,
         .src_reg = CONTEXT,
         .off = offsetof(struct kernel_memory_context, address)},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = R2, .imm = KERNEL_MEMORY_AT_ONCE},
        {.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = R1, .src_reg = FRAME},
        {.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = R1, .imm = ON_STACK},
        {.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel},
        {.code = BPF_STX | BPF_MEM | BPF_DW,
         .dst_reg = CONTEXT,
         .src_reg = R0,
         .off = offsetof(struct kernel_memory_context, address)},
    };
    const struct bpf_insn after[] = {
        {.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task},
        {.code = BPF_STX | BPF_MEM | BPF_DW,
         .dst_reg = CONTEXT,
         .src_reg = R0,
         .off = offsetof(struct kernel_memory_context, task)},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = R0, .imm = 0},
        {.code = BPF_JMP | BPF_EXIT},
    };
    memcpy(program, before, sizeof(before));
    count = sizeof(before) / sizeof(*before);
    for (int word = 0; word < WORDS; word++) {
        program[count++] = (struct bpf_insn){
            .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = R1, .src_reg = FRAME, .off = (int16_t)(ON_STACK + 8 * word)};
        program[count++] =
            (struct bpf_insn){.code = BPF_STX | BPF_MEM | BPF_DW,
                              .dst_reg = CONTEXT,
                              .src_reg = R1,
                              .off = (int16_t)(offsetof(struct kernel_memory_context, bytes) + 8 * (size_t)word)};
    }
    memcpy(program + count, after, sizeof(after));
    count += sizeof(after) / sizeof(*after);
    union bpf_attr attr = {0};
    attr.prog_type = BPF_PROG_TYPE_SYSCALL;
    attr.prog_flags = BPF_F_SLEEPABLE;
    attr.insns = (uint64_t)(uintptr_t)program;
    attr.insn_cnt = count;
    attr.license = (uint64_t)(uintptr_t)"GPL";
    memcpy(attr.prog_name, "plumb_read", sizeof("plumb_read"));
    return kernel->bpf(kernel->context, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static bool run(const struct kernel_memory *memory, struct kernel_memory_context *context)
{
    union bpf_attr attr = {0};
    attr.test.prog_fd = (uint32_t)memory->program_fd;
    attr.test.ctx_in = (uint64_t)(uintptr_t)context;
    attr.test.ctx_size_in = sizeof(*context);
    return memory->kernel->bpf(memory->kernel->context, BPF_PROG_TEST_RUN, &attr, sizeof(attr)) == 0;
}

static bool refused(struct error *err, int number)
{
    bool rights = number == EPERM || number == EACCES;
    error_system(err, number, "the kernel refuses the program that reads what it keeps");
    err->kind = rights ? ERROR_PERMISSION : ERROR_UNSUPPORTED;
    return rights ? error_hint(err, "run as root, or with CAP_BPF and CAP_PERFMON; a kernel locked down for "
                                    "confidentiality refuses all")
                  : error_hint(err, "Linux 5.14 and later with CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS can");
}

bool kernel_memory_open(struct kernel_memory *memory, const struct kernel *kernel, struct error *err)
{
    struct kernel_memory_context context = {0};
    struct kernel_memory opened = {.kernel = kernel, .program_fd = program_load(kernel)};
    uint64_t word;
    if (opened.program_fd < 0)
        return refused(err, errno);
    errno = 0;
    /* Where reading is locked down, the helper refuses even what is surely there. */
    bool good = run(&opened, &context) && (opened.task = context.task) != 0;
    int number = errno;
    if (good && !kernel_memory_read(&opened, opened.task, &word, sizeof(word))) {
        good = false;
        number = EPERM;
    }
    if (!good) {
        kernel_memory_close(&opened);
        return refused(err, number);
    }
    *memory = opened;
    return true;
}

void kernel_memory_close(struct kernel_memory *memory)
{
    if (memory->program_fd >= 0)
        memory->kernel->close(memory->kernel->context, memory->program_fd);
    memory->program_fd = -1;
}

bool kernel_memory_read(const struct kernel_memory *memory, uint64_t address, void *ret_bytes, size_t count)
{
    struct kernel_memory_context context = {.address = address};
    if (count > KERNEL_MEMORY_AT_ONCE || !run(memory, &context) || context.address)
        return false;
    memcpy(ret_bytes, context.bytes, count);
    return true;
}
