/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas as anybody publishes them, in both spellings of names: what is parsed has a value, or a reason for none. */
#include "base/vec.h"
#include "metric/expression/expression.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static struct measured worth_of(void *context, size_t index)
{
    const struct expression *expression = context;
    if (index >= expression->name_count || !expression->names[index].name[0])
        abort();
    return index % 3 == 2 ? not_measured("it was not counted") : measured_as((double)index - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    for (int dialect = EXPRESSION_LINUX; dialect <= EXPRESSION_PERFMON; dialect++) {
        struct arena arena = {0};
        struct expression expression;
        struct error err = {0};
        if (expression_parse(&expression, (struct view){(const char *)bytes, size_bytes}, (enum expression_dialect)dialect,
                             &arena, &err)) {
            struct measured value = expression_value(&expression, worth_of, &expression);
            if (value.known ? !isfinite(value.value) : !value.why_not)
                abort();
        } else if (!err.kind || !err.message[0]) {
            abort();
        }
        arena_done(&arena);
    }
    return 0;
}
