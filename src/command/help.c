/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/help.h"

#include "base/text.h"
#include "command/command_table.h"
#include "command/options.h"

enum { FORM_COLUMNS = 26 };

const struct command *command_find(const char *name)
{
    for (const struct command *const *command = command_table; *command; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}

bool command_unknown(const char *word, struct error *err)
{
    error_set(err, ERROR_USAGE, "unknown command '%s'", word);
    char nearest[200] = "";
    for (const struct command *const *command = command_table; *command; command++) {
        size_t used = strlen(nearest);
        bool prefix = strlen(word) >= 2 && strncmp((*command)->name, word, strlen(word)) == 0;
        if (prefix || text_is_slip((*command)->name, word))
            snprintf(nearest + used, sizeof(nearest) - used, "%s%s", used ? ", " : "", (*command)->name);
    }
    return nearest[0] ? error_hint(err, "did you mean %s?", nearest)
                      : error_hint(err, "plumb help lists the commands");
}

void help_first_use(FILE *out)
{
    fputs("plumb finds out why a program is slow on the CPU, and proves it. Type:\n\n"
          "  plumb diagnose -- CMD       run CMD; where its time goes, why, what to try, how to check\n"
          "  plumb diagnose -p PID       the same of what runs already (--cgroup PATH, -a)\n"
          "  plumb compare A -- B        which of two commands is faster, and what explains it\n"
          "  plumb stat -- CMD           count events; plumb record, report, annotate: sample; as perf's\n"
          "  plumb pages -p PID          which page sizes back its memory; plumb exits: why guests exit\n"
          "  plumb doctor                what can be measured here, and what stands in the way\n\n"
          "plumb help lists all commands, plumb COMMAND --help its options.\n",
          out);
}

void help_overview(FILE *out)
{
    fputs("usage: plumb COMMAND [options]\n\n"
          "Finds out why a program is slow on the CPU, and proves it.\n\n"
          "commands:\n",
          out);
    for (const struct command *const *command = command_table; *command; command++)
        fprintf(out, "  %-10s %s\n", (*command)->name, (*command)->summary);
    fputs("\nplumb COMMAND --help lists a command's options; man plumb-COMMAND, once installed, explains them.\n"
          "exit status: 0 ok, 1 failed, 2 usage, 3 a finding or regression, 4 inconclusive;\n"
          "a measured program's own exit status is passed on.\n",
          out);
}

/* Of UTF-8 without wide or combining characters, as in "NAME,…". */
static size_t columns_of(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += (*text & 0xc0) != 0x80;
    return columns;
}

static void help_row(FILE *out, const struct option_row *row)
{
    if (row->kind == OPTION_HEADING) {
        fprintf(out, "\n%s:\n", row->help);
        return;
    }
    char form[120];
    size_t used = 0;
    if (row->letter && row->also)
        used = (size_t)snprintf(form, sizeof(form), "-%c, -%c%s", row->letter, row->also, row->name ? ", " : "");
    else if (row->letter)
        used = (size_t)snprintf(form, sizeof(form), "-%c%s", row->letter, row->name ? ", " : "");
    else
        used = (size_t)snprintf(form, sizeof(form), "    ");
    if (row->name)
        used += (size_t)snprintf(form + used, sizeof(form) - used, "--%s", row->name);
    if (row->argument && row->kind == OPTION_OPTIONAL)
        snprintf(form + used, sizeof(form) - used, "[=%s]", row->argument);
    else if (row->argument)
        snprintf(form + used, sizeof(form) - used, " %s", row->argument);
    size_t columns = columns_of(form);
    if (columns > FORM_COLUMNS)
        fprintf(out, "  %s\n  %*s %s\n", form, FORM_COLUMNS, "", row->help);
    else
        fprintf(out, "  %s%*s %s\n", form, (int)(FORM_COLUMNS - columns), "", row->help);
}

void help_command(FILE *out, const struct command *command)
{
    fprintf(out, "usage: %s\n\n%s\n", command->usage, command->summary);
    if (command->options && command->options->kind != OPTION_END) {
        if (command->options->kind != OPTION_HEADING)
            fputs("\noptions:\n", out);
        for (const struct option_row *row = command->options; row->kind != OPTION_END; row++)
            if (row->kind != OPTION_PEER)
                help_row(out, row);
    }
    fprintf(out, "\nman plumb-%s, once installed, explains them.\n", command->name);
}

static bool help_run(struct context *context, int argc, char **argv, struct error *err)
{
    if (argc < 2) {
        help_overview(context->out);
        return true;
    }
    const struct command *command = command_find(argv[1]);
    if (!command)
        return command_unknown(argv[1], err);
    help_command(context->out, command);
    return true;
}

const struct command command_help = {
    .name = "help",
    .summary = "list the commands, or one command's options",
    .usage = "plumb help [COMMAND]",
    .run = help_run,
};
