/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/exits/exit_reason.h"

#include "base/vec.h"

#include <strings.h>

static const char *const class_names[] = {
    [EXIT_CLASS_OTHER] = "other",   [EXIT_CLASS_INTERRUPT] = "interrupt", [EXIT_CLASS_TIMER] = "timer",
    [EXIT_CLASS_ARMING] = "arming", [EXIT_CLASS_IDLE] = "idle",
};
_Static_assert(array_count(class_names) == EXIT_CLASS_COUNT, "a name for each class");

const char *exit_class_name(enum exit_class class)
{
    return class_names[class];
}

const struct exit_reason *exit_reason_find(enum exit_isa isa, uint64_t number)
{
    for (size_t at = 0; at < exit_reason_row_count; at++)
        if (exit_reason_rows[at].isa == isa && exit_reason_rows[at].number == number)
            return &exit_reason_rows[at];
    return NULL;
}

static bool is_called(const struct exit_reason *row, const char *name, bool exactly)
{
    if (exactly ? strcmp(row->name, name) == 0 : strcasecmp(row->name, name) == 0)
        return true;
    for (struct view also = view_of(row->also); also.length;) {
        struct view one = view_word(&also);
        if (exactly ? view_equal(one, name) : view_equal_caseless(one, name))
            return true;
    }
    return false;
}

const struct exit_reason *exit_reason_named(enum exit_isa isa, const char *name)
{
    static const char prefix[] = "EXIT_REASON_", of_svm[] = "SVM_EXIT_";
    if (strncmp(name, prefix, sizeof(prefix) - 1) == 0) {
        name += sizeof(prefix) - 1;
    } else if (strncmp(name, of_svm, sizeof(of_svm) - 1) == 0 && (isa == EXIT_ISA_NONE || isa == EXIT_ISA_SVM)) {
        name += sizeof(of_svm) - 1;
        isa = EXIT_ISA_SVM;
    }
    for (int exactly = 1; exactly >= 0; exactly--)
        for (size_t at = 0; at < exit_reason_row_count; at++) {
            const struct exit_reason *row = &exit_reason_rows[at];
            bool suits = isa == EXIT_ISA_NONE || row->isa == isa;
            if (suits && is_called(row, name, exactly))
                return row;
        }
    return NULL;
}
