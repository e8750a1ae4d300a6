/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion scripts for the shells, written from the table of commands, so that they can't fall behind it. */
#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "command/command_table.h"
#include "command/options.h"

#include <errno.h>

/* The words of a script that stay the same; what the table says goes between head and tail. */
struct shell {
    const char *name;
    const char *head, *tail;
    void (*add_command)(struct text *out, const struct command *command);
    void (*add_commands)(struct text *out); /* the list of all of them */
};

#define for_each_command(variable)                                                                                \
    for (const struct command *const *at_ = command_table, *variable = *at_; variable; variable = *++at_)

static const struct option_row no_rows[] = {{0}};

static const struct option_row *rows_of(const struct command *command)
{
    return command->options ? command->options : no_rows;
}

#define for_each_row(command, row)                                                                                \
    for (const struct option_row *row = rows_of(command); row->kind != OPTION_END; row++)                         \
        if (option_is_listed(row))

static bool takes_value(const struct option_row *row)
{
    return row->kind == OPTION_TEXT || row->kind == OPTION_LIST || row->kind == OPTION_TEXTS ||
           row->kind == OPTION_TEXTS_NAMED || row->kind == OPTION_U64 || row->kind == OPTION_DOUBLE ||
           row->kind == OPTION_LAST_OPTIONAL;
}

static bool is_repeated(const struct option_row *row)
{
    return row->kind == OPTION_LIST || row->kind == OPTION_TEXTS || row->kind == OPTION_TEXTS_NAMED ||
           row->kind == OPTION_COUNT;
}

/* Does its operand start a program with arguments of its own? The usage says so by the "--" before it. */
static bool runs_program(const struct command *command)
{
    return strstr(command->usage, "[--]") || strstr(command->usage, " -- ");
}

/* The words its operand may be, as the usage says: "bash|zsh|fish", or "COMMAND" for the commands; none: files. */
static void add_operand_words(struct text *out, const struct command *command)
{
    struct view rest = view_of(command->usage), word;
    while ((word = view_word(&rest)).length) {
        if (view_equal(word, "[COMMAND]"))
            for_each_command(each)
                text_printf(out, "%s ", each->name);
        if (view_find(word, "|") < 0 || word.text[0] == '[' || word.text[0] == '-')
            continue;
        while (word.length) {
            struct view one = view_cut(&word, '|');
            text_append(out, one.text, one.length);
            text_add_char(out, ' ');
        }
    }
}

/* Within single quotes; `escaped` characters also get a backslash. */
static void add_quoted(struct text *out, const char *string, const char *escaped)
{
    for (; *string; string++) {
        if (strchr(escaped, *string))
            text_add_char(out, '\\');
        if (*string == '\'')
            text_add(out, "'\\''");
        else
            text_add_char(out, *string);
    }
}

static bool is_pids(const struct option_row *row)
{
    return row->letter == 'p' && row->name && strcmp(row->name, "pid") == 0;
}

/* The words that an option's value may be, as its argument says: "samples|period", or "WHEN"; none: anything. */
static void add_value_words(struct text *out, const struct option_row *row)
{
    struct view words = view_of(row->argument ? row->argument : "");
    if (view_equal(words, "WHEN"))
        words = VIEW("auto|always|never");
    if (!takes_value(row) || view_find(words, "|") < 0)
        return;
    for (bool first = true; words.length; first = false) {
        struct view one = view_cut(&words, '|');
        text_printf(out, "%s%.*s", first ? "" : " ", (int)one.length, one.text);
    }
}

/* Every way to write the option: "-e", "--event"; returns how many. */
static size_t row_forms(const struct option_row *row, char forms[3][64])
{
    size_t count = 0;
    if (row->letter)
        snprintf(forms[count++], sizeof(forms[0]), "-%c", row->letter);
    if (row->also)
        snprintf(forms[count++], sizeof(forms[0]), "-%c", row->also);
    if (row->name)
        snprintf(forms[count++], sizeof(forms[0]), "--%s", row->name);
    return count;
}

static void add_forms(struct text *out, const struct command *command, bool only_valued)
{
    char forms[3][64];
    for_each_row(command, row)
        if (takes_value(row) || !only_valued)
            for (size_t at = 0, count = row_forms(row, forms); at < count; at++)
                text_printf(out, "%s ", forms[at]);
}

/* --- bash --- */

static const char bash_head[] =
    "# bash completion of plumb, made by: plumb completion bash\n"
    "_plumb()\n"
    "{\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} options='' valued='' operands='' runs='' at\n"
    "    local option=${COMP_WORDS[COMP_CWORD - 1]} values=''\n"
    "    [[ $option == = ]] && option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    [[ $current == = ]] && current=''\n"
    "    COMPREPLY=()\n";

static const char bash_tail[] =
    "    *) return ;;\n"
    "    esac\n"
    "    # Find the first operand; bash cuts --long=value into three words.\n"
    "    for ((at = 2; at < COMP_CWORD; at++)); do\n"
    "        case ${COMP_WORDS[at]} in\n"
    "        --) ((at++)); options=; break ;;\n"
    "        -*) if [[ ${COMP_WORDS[at + 1]-} == = ]]; then ((at += 2));\n"
    "            elif [[ $valued == *\" ${COMP_WORDS[at]} \"* ]]; then ((at++)); fi ;;\n"
    "        *) [[ $runs ]] && break ;;\n"
    "        esac\n"
    "    done\n"
    "    if ((at > COMP_CWORD)); then\n"
    "        [[ $values ]] && mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$current\")\n"
    "        return  # of any other option: bash completes file names\n"
    "    elif [[ $current == -* && $options ]] && ((at == COMP_CWORD)); then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
    "    elif [[ ! $runs ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$operands\" -- \"$current\")\n"
    "    elif declare -F _command_offset >/dev/null; then\n"
    "        _command_offset \"$at\"  # the measured program's own completion\n"
    "    elif ((at == COMP_CWORD)); then\n"
    "        mapfile -t COMPREPLY < <(compgen -c -- \"$current\")\n"
    "    fi\n"
    "}\n"
    "complete -o bashdefault -o default -F _plumb plumb\n";

static void bash_add_commands(struct text *out)
{
    text_add(out, "    if ((COMP_CWORD <= 1)); then\n        mapfile -t COMPREPLY < <(compgen -W '");
    for_each_command(command)
        text_printf(out, "%s ", command->name);
    text_add(out, "--help --version' -- \"$current\")\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
}

/* Which values go with the option before the word at hand. */
static void bash_add_values(struct text *out, const struct command *command)
{
    char forms[3][64];
    text_add(out, "        case $option in\n");
    for_each_row(command, row)
    {
        scoped_text struct text words = {0};
        add_value_words(&words, row);
        if (!words.length && !is_pids(row))
            continue;
        text_add(out, "        ");
        for (size_t at = 0, count = row_forms(row, forms); at < count; at++)
            text_printf(out, "%s%s", at ? "|" : "", forms[at]);
        if (is_pids(row))
            text_add(out, ") values=$(cd /proc && echo [1-9]*) ;;\n");
        else
            text_printf(out, ") values='%s' ;;\n", text_string(&words));
    }
    text_add(out, "        esac\n");
}

static void bash_add_command(struct text *out, const struct command *command)
{
    text_printf(out, "    %s)\n        options='", command->name);
    add_forms(out, command, false);
    text_add(out, "--help'\n        valued=' ");
    add_forms(out, command, true);
    text_add(out, "'\n        operands='");
    add_operand_words(out, command);
    text_printf(out, "'\n        runs=%s\n", runs_program(command) ? "yes" : "''");
    bash_add_values(out, command);
    text_add(out, "        ;;\n");
}

/* --- zsh --- */

static const char zsh_head[] = "#compdef plumb\n"
                               "# zsh completion of plumb, made by: plumb completion zsh\n"
                               "_plumb()\n"
                               "{\n"
                               "    local -a commands\n";

static const char zsh_tail[] = "    esac\n"
                               "}\n"
                               "if [[ $funcstack[1] == _plumb ]]; then _plumb \"$@\"; else compdef _plumb plumb; fi\n";

static void zsh_add_commands(struct text *out)
{
    text_add(out, "    commands=(\n");
    for_each_command(command) {
        text_printf(out, "        '%s:", command->name);
        add_quoted(out, command->summary, ":\\");
        text_add(out, "'\n");
    }
    text_add(out, "    )\n"
                  "    if ((CURRENT == 2)); then\n"
                  "        _describe -t commands command commands\n"
                  "        return\n"
                  "    fi\n"
                  "    shift words\n"
                  "    ((CURRENT--))\n"
                  "    case $words[1] in\n");
}

/* What _arguments wants behind the form: "+" and "=" let the value follow at once or as the next word. */
static const char *zsh_joint(const struct option_row *row, const char *form)
{
    bool is_long = form[1] == '-';
    if (row->kind == OPTION_OPTIONAL)
        return is_long ? "=-" : "-";
    return !takes_value(row) ? "" : is_long ? "=" : "+";
}

static void zsh_add_row(struct text *out, const struct option_row *row)
{
    char forms[3][64];
    size_t count = row_forms(row, forms);
    for (size_t at = 0; at < count; at++) {
        text_add(out, " \\\n            '");
        if (is_repeated(row))
            text_add(out, "*");
        else
            for (size_t other = 0; other < count; other++)
                text_printf(out, "%s%s%s", other ? " " : "(", forms[other], other + 1 == count ? ")" : "");
        text_printf(out, "%s%s[", forms[at], zsh_joint(row, forms[at]));
        add_quoted(out, row->help, "[]\\");
        text_add(out, "]");
        if (takes_value(row) || row->kind == OPTION_OPTIONAL) {
            text_add(out, row->kind == OPTION_OPTIONAL ? "::" : ":");
            add_quoted(out, row->argument ? row->argument : "value", ":\\");
            scoped_text struct text words = {0};
            add_value_words(&words, row);
            if (words.length)
                text_printf(out, ":(%s)", text_string(&words));
            else
                text_add(out, is_pids(row) ? ":_pids" : ":_default");
        }
        text_add(out, "'");
    }
}

static void zsh_add_command(struct text *out, const struct command *command)
{
    text_printf(out, "    %s)\n        _arguments -S -s", command->name);
    for_each_row(command, row)
        zsh_add_row(out, row);
    text_add(out, " \\\n            '(- *)--help[list the options]' \\\n            ");
    scoped_text struct text words = {0};
    add_operand_words(&words, command);
    if (runs_program(command))
        text_add(out, "'(-):program: _command_names -e' '*::arguments: _normal'");
    else if (words.length)
        text_printf(out, "'*:operand:(%s)'", text_string(&words));
    else
        text_add(out, "'*:file:_files'");
    text_add(out, "\n        ;;\n");
}

/* --- fish --- */

static const char fish_head[] = "# fish completion of plumb, made by: plumb completion fish\n"
                                "function __plumb_command\n"
                                "    set -l words (commandline -opc)\n"
                                "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
                                "end\n"
                                "complete -c plumb -n __fish_use_subcommand -x -l help -d 'list the commands'\n"
                                "complete -c plumb -n __fish_use_subcommand -x -l version -d 'print the version'\n";

static void fish_add_commands(struct text *out)
{
    for_each_command(command) {
        text_printf(out, "complete -c plumb -n __fish_use_subcommand -x -a %s -d '", command->name);
        add_quoted(out, command->summary, "\\");
        text_add(out, "'\n");
    }
}

static void fish_add_row(struct text *out, const struct command *command, const struct option_row *row)
{
    text_printf(out, "complete -c plumb -n '__plumb_command %s'", command->name);
    if (row->letter)
        text_printf(out, " -s %c", row->letter);
    if (row->also)
        text_printf(out, " -s %c", row->also);
    if (row->name)
        text_printf(out, " -l %s", row->name);
    scoped_text struct text words = {0};
    add_value_words(&words, row);
    if (words.length || is_pids(row))
        text_printf(out, " -x -a '%s' -d '", words.length ? text_string(&words) : "(__fish_complete_pids)");
    else
        text_printf(out, "%s -d '", takes_value(row) ? " -r" : "");
    add_quoted(out, row->help, "\\");
    text_add(out, "'\n");
}

static void fish_add_command(struct text *out, const struct command *command)
{
    for_each_row(command, row)
        fish_add_row(out, command, row);
    text_printf(out, "complete -c plumb -n '__plumb_command %s' -l help -d 'list the options'\n", command->name);
    scoped_text struct text words = {0};
    add_operand_words(&words, command);
    if (words.length)
        text_printf(out, "complete -c plumb -n '__plumb_command %s' -x -a '%s'\n", command->name, text_string(&words));
    if (runs_program(command))
        text_printf(out,
                    "complete -c plumb -n '__plumb_command %s' -x -a '(__fish_complete_subcommand --fcs-skip=2)'\n",
                    command->name);
}

static const struct shell shells[] = {
    {"bash", bash_head, bash_tail, bash_add_command, bash_add_commands},
    {"zsh", zsh_head, zsh_tail, zsh_add_command, zsh_add_commands},
    {"fish", fish_head, "", fish_add_command, fish_add_commands},
};

static const struct shell *shell_find(const char *name)
{
    for (size_t at = 0; at < array_count(shells); at++)
        if (strcmp(shells[at].name, name) == 0)
            return &shells[at];
    return NULL;
}

static bool completion_run(struct context *context, int argc, char **argv, struct error *err)
{
    int first;
    if (!options_parse(no_rows, OPTIONS_ANYWHERE, argc, argv, NULL, &first, err))
        return false;
    if (first + 1 != argc)
        return error_set(err, ERROR_USAGE, "which shell? bash, zsh or fish");
    const struct shell *shell = shell_find(argv[first]);
    if (!shell)
        return error_set(err, ERROR_USAGE, "no completion for '%s', only for bash, zsh and fish", argv[first]);
    scoped_text struct text out = {0};
    text_add(&out, shell->head);
    shell->add_commands(&out);
    for_each_command(command)
        shell->add_command(&out, command);
    text_add(&out, shell->tail);
    return text_write_file(&out, context->out) || error_system(err, errno, "can't write the script");
}

const struct command command_completion = {
    .name = "completion",
    .summary = "print a completion script for bash, zsh or fish",
    .usage = "plumb completion bash|zsh|fish",
    .run = completion_run,
};
