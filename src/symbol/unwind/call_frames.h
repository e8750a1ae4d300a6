/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where is a function's caller, and what did the caller's registers hold? A frame description is a small program
 * (DWARF 5, section 6.4); for one instruction of the function it comes to a rule for each register.
 *
 * Does not support: descriptions of other machines' register windows.
 */
#ifndef PLUMB_SYMBOL_UNWIND_CALL_FRAMES_H
#define PLUMB_SYMBOL_UNWIND_CALL_FRAMES_H

#include "symbol/elf/frame_table.h"

#define FRAME_REGISTERS 34 /* DWARF numbers: x86-64 has 17, AArch64 33 that matter */

enum frame_rule_kind {
    FRAME_SAME,      /* the caller's value is still in the register */
    FRAME_UNDEFINED, /* lost; for the return address: there is no caller */
    FRAME_AT,        /* in memory at CFA + offset */
    FRAME_IS,        /* CFA + offset itself */
    FRAME_REGISTER,  /* in another register */
    FRAME_AT_EXPRESSION,
    FRAME_IS_EXPRESSION,
};

struct frame_rule {
    enum frame_rule_kind kind;
    int64_t offset; /* or the other register's number */
    struct bytes expression;
};

/* The CFA is the value of the stack pointer before the call. */
struct frame_rules {
    bool cfa_is_expression;
    uint32_t cfa_register;
    int64_t cfa_offset;
    struct bytes cfa_expression;
    struct frame_rule registers[FRAME_REGISTERS];
    uint32_t return_register;
    bool is_signal;
};

/* Run the description up to the instruction at addr. False when it is damaged or uses what we don't know. */
bool frame_rules_at(const struct frame_description *description, uint64_t addr, struct frame_rules *ret_rules);

/* Memory and registers that an expression may ask for; each returns false when it isn't known. */
struct frame_memory {
    void *context;
    bool (*word)(void *context, uint64_t addr, uint64_t *ret_value);
    bool (*number)(void *context, uint32_t dwarf_register, uint64_t *ret_value);
};

/* Evaluate a DWARF expression; start (if not NULL) is pushed first. */
bool frame_expression(struct bytes expression, const uint64_t *start, const struct frame_memory *memory,
                      uint64_t *ret_value);

#endif
