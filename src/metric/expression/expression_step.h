/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parser hands to the evaluation: postfix steps over a stack of values. */
#ifndef PLUMB_METRIC_EXPRESSION_EXPRESSION_STEP_H
#define PLUMB_METRIC_EXPRESSION_EXPRESSION_STEP_H

#include <stdint.h>

enum expression_operation {
    STEP_NUMBER, /* push number */
    STEP_NAME,   /* push the value of name */
    STEP_UNKNOWN, /* push "not a number": NaN as a word of the grammar */
    STEP_NEGATE,
    STEP_NOT,
    STEP_ADD,
    STEP_SUBTRACT,
    STEP_MULTIPLY,
    STEP_DIVIDE,
    STEP_REMAINDER,
    STEP_LESS,
    STEP_GREATER,
    STEP_LESS_EQUAL,
    STEP_GREATER_EQUAL,
    STEP_EQUAL,
    STEP_UNEQUAL,
    STEP_AND,
    STEP_XOR,
    STEP_OR,
    STEP_MINIMUM,
    STEP_MAXIMUM,
    STEP_CHOOSE /* then, condition, else */
};

struct expression_step {
    enum expression_operation operation;
    uint32_t name; /* index, for STEP_NAME */
    double number; /* for STEP_NUMBER */
};

#endif
