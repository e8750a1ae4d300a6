/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is the name of an exit's reason, and of which class is it? data/exit_reasons.tsv.
 *
 * Reasons that nobody has named keep their number. The running kernel's words come before these (exit_names).
 */
#ifndef PLUMB_ANALYSE_EXITS_EXIT_REASON_H
#define PLUMB_ANALYSE_EXITS_EXIT_REASON_H

#include "model/exits.h"

enum exit_class {
    EXIT_CLASS_OTHER,
    EXIT_CLASS_INTERRUPT, /* of the host, most by its timer */
    EXIT_CLASS_TIMER,     /* the guest's, by the preemption timer */
    EXIT_CLASS_ARMING,    /* an access that may arm the guest's timer */
    EXIT_CLASS_IDLE,      /* the guest has nothing to do */
    EXIT_CLASS_COUNT
};

struct exit_reason {
    enum exit_isa isa; /* NONE: KVM_EXIT_*, why it returned to the virtual machine monitor */
    enum exit_class class;
    uint32_t number;
    const char *name;
    const char *also; /* older names, with blanks between them; NULL: none */
};

extern const struct exit_reason exit_reason_rows[];
extern const size_t exit_reason_row_count;

/* NULL: nobody has named it. */
const struct exit_reason *exit_reason_find(enum exit_isa isa, uint64_t number);
/*
 * By name, with or without EXIT_REASON_, in capitals or not; of a known isa, or of any (EXIT_ISA_NONE: VMX first for
 * capitals, SVM first for others). NULL: nobody has that name.
 */
const struct exit_reason *exit_reason_named(enum exit_isa isa, const char *name);
const char *exit_class_name(enum exit_class class); /* "timer" */

#endif
