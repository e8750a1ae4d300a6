/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb exits: what its files share. Internal to command/exits. */
#ifndef PLUMB_COMMAND_EXITS_EXITS_H
#define PLUMB_COMMAND_EXITS_EXITS_H

#include "analyse/exits/exit_table.h"
#include "base/vec.h"
#include "command/command.h"
#include "command/options.h"
#include "render/exits/exits.h"

struct exits_options {
    const char *input, *separator, *round_trip, *guest_kallsyms, *vcpu, *processes, *method;
    uint64_t vcpus, interval_ms;
    double seconds, effect_percent;
    bool compare, json, all, instructions;
    int verbose;
};

struct guest_symbols;

/* What is said beside a table. Strings: owner arena. */
struct exits_notes {
    struct arena *arena;
    const char **items;
    size_t count, capacity;
};
__attribute__((format(printf, 2, 3))) void exits_note(struct exits_notes *notes, const char *format, ...);

struct exit_table_options exits_table_options(const struct exits_options *options, const struct guest_symbols *symbols);
/* Print one table in the form that was asked for. */
MUST_CHECK bool exits_show(struct context *context, const struct exits_options *options, const struct exits *exits,
                           const struct exit_table_options *table_options, const struct exit_report *report,
                           struct error *err);

/* Watch this host. command: NULL-terminated words of a program to watch or to wait for; empty: none. */
MUST_CHECK bool exits_live(struct context *context, const struct exits_options *options,
                           const struct guest_symbols *symbols, char **command, struct error *err);

#endif
