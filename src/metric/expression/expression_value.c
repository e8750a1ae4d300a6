/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/vec.h"
#include "metric/expression/expression.h"
#include "metric/expression/expression_step.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char no_divisor[] = "there was nothing to divide by";
static const char beyond_range[] = "the result is beyond what a number holds";

/* What arithmetic gave, unless it is no number. */
static struct measured checked(double value)
{
    return isfinite(value) ? measured_as(value) : not_measured(beyond_range);
}

static bool is_true(struct measured value)
{
    return value.known && value.value != 0;
}

static bool is_false(struct measured value)
{
    return value.known && value.value == 0;
}

/* One decided side may settle it; else what is unknown stays so. */
static struct measured logical(enum expression_operation operation, struct measured a, struct measured b)
{
    if (operation == STEP_AND && (is_false(a) || is_false(b)))
        return measured_as(0);
    if (operation == STEP_OR && (is_true(a) || is_true(b)))
        return measured_as(1);
    if (!a.known || !b.known)
        return a.known ? b : a;
    return measured_as(operation == STEP_AND   ? is_true(a) && is_true(b)
                       : operation == STEP_OR ? is_true(a) || is_true(b)
                                              : is_true(a) != is_true(b));
}

static struct measured arithmetic(enum expression_operation operation, double a, double b)
{
    switch (operation) {
    case STEP_ADD: return checked(a + b);
    case STEP_SUBTRACT: return checked(a - b);
    case STEP_MULTIPLY: return checked(a * b);
    case STEP_DIVIDE: return b != 0 ? checked(a / b) : not_measured(no_divisor);
    case STEP_REMAINDER: return trunc(b) != 0 ? checked(fmod(trunc(a), trunc(b))) : not_measured(no_divisor);
    case STEP_LESS: return measured_as(a < b);
    case STEP_GREATER: return measured_as(a > b);
    case STEP_LESS_EQUAL: return measured_as(a <= b);
    case STEP_GREATER_EQUAL: return measured_as(a >= b);
    case STEP_EQUAL: return measured_as(a == b);
    case STEP_UNEQUAL: return measured_as(a != b);
    case STEP_MINIMUM: return measured_as(a < b ? a : b);
    case STEP_MAXIMUM: return measured_as(a > b ? a : b);
    default: return not_measured("plumb knows no such operation");
    }
}

static struct measured binary(enum expression_operation operation, struct measured a, struct measured b)
{
    if (operation == STEP_AND || operation == STEP_OR || operation == STEP_XOR)
        return logical(operation, a, b);
    if (!a.known || !b.known)
        return a.known ? b : a;
    return arithmetic(operation, a.value, b.value);
}

static struct measured choice(struct measured yes, struct measured condition, struct measured no)
{
    if (condition.known)
        return condition.value != 0 ? yes : no;
    return yes.known && no.known && yes.value == no.value ? yes : condition;
}

static struct measured unary(enum expression_operation operation, struct measured a)
{
    if (!a.known)
        return a;
    return measured_as(operation == STEP_NOT ? a.value == 0 : -a.value);
}

struct measured expression_value(const struct expression *expression, expression_lookup *lookup, void *context)
{
    struct measured fixed[64], *stack = fixed;
    size_t top = 0;
    if (expression->stack_most > array_count(fixed))
        stack = memory_alloc(memory_product(expression->stack_most, sizeof(*stack)));
    for (size_t at = 0; at < expression->step_count; at++) {
        const struct expression_step *step = &expression->steps[at];
        switch (step->operation) {
        case STEP_NUMBER: stack[top++] = checked(step->number); break;
        case STEP_NAME: stack[top++] = lookup(context, step->name); break;
        case STEP_UNKNOWN: stack[top++] = not_measured("the formula says that it has no value"); break;
        case STEP_NEGATE:
        case STEP_NOT: stack[top - 1] = unary(step->operation, stack[top - 1]); break;
        case STEP_CHOOSE:
            top -= 2;
            stack[top - 1] = choice(stack[top - 1], stack[top], stack[top + 1]);
            break;
        default:
            top--;
            stack[top - 1] = binary(step->operation, stack[top - 1], stack[top]);
        }
        assert(top <= expression->stack_most);
    }
    struct measured value = top == 1 ? stack[0] : not_measured("there is no formula");
    if (stack != fixed)
        free(stack);
    return value;
}

/* ---- what it depends on ------------------------------------------------------------------------------------- */

/* A part of the formula that was evaluated: its steps are [first, the top's end). */
struct part {
    struct measured value;
    size_t first;
};

static void steps_drop(bool *dropped, size_t first, size_t end)
{
    for (size_t at = first; at < end; at++)
        dropped[at] = true;
}

/* What is known needs nothing; of a choice, only the branch taken. parts: then, condition, else; end: of else. */
static struct part choice_part(const struct part *parts, size_t end, bool *dropped)
{
    struct part whole = {choice(parts[0].value, parts[1].value, parts[2].value), parts[0].first};
    if (parts[1].value.known) {
        steps_drop(dropped, parts[1].first, parts[2].first);
        if (parts[1].value.value != 0)
            steps_drop(dropped, parts[2].first, end);
        else
            steps_drop(dropped, parts[0].first, parts[1].first);
    }
    return whole;
}

static size_t part_add(const struct expression *expression, size_t at, struct part *parts, size_t top,
                       struct measured value, bool *dropped)
{
    const struct expression_step *step = &expression->steps[at];
    switch (step->operation) {
    case STEP_NUMBER: parts[top++] = (struct part){checked(step->number), at}; break;
    case STEP_NAME: parts[top++] = (struct part){value, at}; break;
    case STEP_UNKNOWN: parts[top++] = (struct part){not_measured("the formula says that it has no value"), at}; break;
    case STEP_NEGATE:
    case STEP_NOT: parts[top - 1].value = unary(step->operation, parts[top - 1].value); break;
    case STEP_CHOOSE:
        top -= 2;
        parts[top - 1] = choice_part(&parts[top - 1], at, dropped);
        break;
    default:
        top--;
        parts[top - 1].value = binary(step->operation, parts[top - 1].value, parts[top].value);
    }
    if (parts[top - 1].value.known)
        steps_drop(dropped, parts[top - 1].first, at + 1);
    return top;
}

void expression_names_needed(const struct expression *expression, expression_lookup *lookup, void *context,
                             bool *ret_needed)
{
    struct part *parts = memory_alloc(memory_product(expression->stack_most + 1, sizeof(*parts)));
    bool *dropped = memory_alloc(memory_product(expression->step_count + 1, sizeof(*dropped)));
    memset(dropped, 0, (expression->step_count + 1) * sizeof(*dropped));
    size_t top = 0;
    for (size_t at = 0; at < expression->step_count; at++) {
        const struct expression_step *step = &expression->steps[at];
        struct measured value = step->operation == STEP_NAME ? lookup(context, step->name) : not_measured("");
        top = part_add(expression, at, parts, top, value, dropped);
    }
    for (size_t at = 0; at < expression->step_count; at++)
        if (expression->steps[at].operation == STEP_NAME && !dropped[at])
            ret_needed[expression->steps[at].name] = true;
    free(parts);
    free(dropped);
}

enum expression_verdict expression_verdict_of(struct measured value)
{
    return !value.known ? EXPRESSION_UNKNOWN : value.value != 0 ? EXPRESSION_YES : EXPRESSION_NO;
}
