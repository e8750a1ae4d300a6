/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "command/command_table.h"
#include "command/options.h"

struct values {
    bool all, group;
    int verbose;
    const char *output, *compress, *pids;
    uint64_t interval;
    struct option_texts events;
    bool no_code, code_sizes;
};

static const struct option_row rows[] = {
    {'a', "all-cpus", OPTION_FLAG, offsetof(struct values, all), NULL, "every CPU"},
    {'g', "group", OPTION_FLAG, offsetof(struct values, group), NULL, "group"},
    {'v', "verbose", OPTION_COUNT, offsetof(struct values, verbose), NULL, "more"},
    {'o', "output", OPTION_TEXT, offsetof(struct values, output), "FILE", "file"},
    {'z', "compress", OPTION_OPTIONAL, offsetof(struct values, compress), "LEVEL", "zstd"},
    {'I', "interval", OPTION_U64, offsetof(struct values, interval), "MS", "interval"},
    {'e', "event", OPTION_TEXTS, offsetof(struct values, events), "EVENT", "event"},
    {'p', "pid", OPTION_LIST, offsetof(struct values, pids), "PID[,PID]", "processes"},
    {0, "no-code", OPTION_FLAG, offsetof(struct values, no_code), NULL, "an option that starts with no-"},
    {0, "code-sizes", OPTION_FLAG, offsetof(struct values, code_sizes), NULL, "what it is no opposite of"},
    {0},
};

Test(options, letters_join_and_the_program_keeps_its_own)
{
    char *argv[] = {"stat", "-avve", "cycles", "--output=x", "-I100", "-z", "--no-group", "--", "ls", "-a", NULL};
    struct values values = {.group = true};
    struct error err = {0};
    int first = 0;
    cr_assert(options_parse(rows, OPTIONS_STOP_AT_OPERAND, 10, argv, &values, &first, &err), "%s", err.message);
    cr_assert(values.all && values.verbose == 2 && !values.group);
    cr_assert_eq(values.events.count, 1);
    cr_assert_str_eq(values.events.items[0], "cycles");
    cr_assert_str_eq(values.output, "x");
    cr_assert_str_eq(values.compress, "");
    cr_assert_eq(values.interval, 100);
    cr_assert_str_eq(argv[first], "ls");
    vec_done(&values.events);
}

static const struct option_row report_like_rows[] = {
    {'T', "trees", OPTION_FLAG, offsetof(struct values, all), NULL, "an option whose letter perf's command has, too"},
    {0, "no-code", OPTION_FLAG, offsetof(struct values, no_code), NULL, "no code"},
    OPTION_ROW_PEER(PEER_REPORT),
    {0},
};

static struct error refusal_of(const char *word)
{
    char *argv[] = {"report", (char *)word, NULL};
    struct values values = {0};
    struct error err = {0};
    int first;
    cr_assert(!options_parse(report_like_rows, OPTIONS_ANYWHERE, 2, argv, &values, &first, &err));
    return err;
}

Test(options, what_only_perf_has_says_what_serves_instead)
{
    struct error err = refusal_of("--tui");
    cr_assert_str_eq(err.message, "plumb has no option '--tui'");
    cr_assert(strstr(err.hint, "pager"), "%s", err.hint);
    err = refusal_of("-D");
    cr_assert(strstr(err.hint, "plumb script"), "%s", err.hint);
    err = refusal_of("--tu");
    cr_assert(strstr(err.message, "unknown option"), "only whole names: %s", err.message);
    err = refusal_of("--aio");
    cr_assert(strstr(err.message, "unknown option"), "perf record's, not perf report's: %s", err.message);

    char *argv[] = {"report", "-T", NULL};
    struct values values = {0};
    int first;
    cr_assert(options_parse(report_like_rows, OPTIONS_ANYWHERE, 2, argv, &values, &first, &err), "its own comes first: %s", err.message);
    cr_assert(values.all);
}

Test(options, no_option_that_is_had_is_refused)
{
    static const struct command *const commands[] = {&command_annotate, &command_diff, &command_record, &command_report, &command_script, &command_stat};
    for (size_t at = 0; at < array_count(commands); at++) {
        const struct option_row *peer = commands[at]->options;
        while (peer->kind != OPTION_END && peer->kind != OPTION_PEER)
            peer++;
        cr_assert_eq(peer->kind, OPTION_PEER, "%s", commands[at]->name);
        for (const struct option_row *row = commands[at]->options; row->kind != OPTION_END; row++)
            if (option_is_listed(row) && row->name)
                cr_assert_null(peer_option_instead(peer->offset, 0, view_of(row->name)), "%s --%s", commands[at]->name, row->name);
    }
}

Test(options, a_list_given_again_grows)
{
    char *argv[] = {"stat", "-p", "1,2", "--pid=3", "-p4", NULL};
    struct values values = {0};
    struct error err = {0};
    int first = 0;
    cr_assert(options_parse(rows, OPTIONS_ANYWHERE, 5, argv, &values, &first, &err), "%s", err.message);
    cr_assert_str_eq(values.pids, "1,2,3,4");
    options_done(rows, &values);
    cr_assert_null(values.pids);
}

Test(options, a_name_that_starts_with_no_is_a_name)
{
    char *argv[] = {"record", "--no-code", "--no-code-sizes", NULL};
    struct values values = {.code_sizes = true};
    struct error err = {0};
    int first = 0;
    cr_assert(options_parse(rows, OPTIONS_ANYWHERE, 3, argv, &values, &first, &err), "%s", err.message);
    cr_assert(values.no_code && !values.code_sizes);
}

Test(options, operands_anywhere_move_behind_the_options)
{
    char *argv[] = {"report", "file", "-a", "--output", "x", "other", NULL};
    struct values values = {0};
    struct error err = {0};
    int first = 0;
    cr_assert(options_parse(rows, OPTIONS_ANYWHERE, 6, argv, &values, &first, &err));
    cr_assert_eq(first, 4);
    cr_assert_str_eq(argv[4], "file");
    cr_assert_str_eq(argv[5], "other");
}

Test(options, mistakes_are_named)
{
    static const struct {
        const char *word, *message, *hint;
    } cases[] = {
        {"--outptu", "unknown option '--outptu'", "did you mean --output?"},
        {"--outptu=x", "unknown option '--outptu=x'", "did you mean --output?"},
        {"--outputting", "unknown option '--outputting'", "did you mean --output?"},
        {"--interval=x", "option '--interval=x' expects a number, not 'x'", ""},
        {"-o", "option '-o' expects a value", ""},
        {"--all-cpus=1", "option '--all-cpus' takes no value", ""},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        char word[64];
        snprintf(word, sizeof(word), "%s", cases[at].word);
        char *argv[] = {"stat", word, NULL};
        struct values values = {0};
        struct error err = {0};
        int first;
        cr_assert_not(options_parse(rows, OPTIONS_ANYWHERE, 2, argv, &values, &first, &err), "%s", word);
        cr_assert_eq(err.kind, ERROR_USAGE);
        cr_assert_str_eq(err.message, cases[at].message);
        cr_assert_str_eq(err.hint, cases[at].hint);
    }
}

Test(options, help_is_asked_for_behind_other_options_too)
{
    static const struct {
        const char *words[5];
        bool asked;
    } cases[] = {
        {{"stat", "-a", "--help"}, true},
        {{"stat", "-a", "-h"}, true},
        {{"stat", "-o", "--help"}, false}, /* a value */
        {{"stat", "ls", "--help"}, false}, /* the program's own */
        {{"stat", "--", "--help"}, false},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        char *argv[6] = {0};
        int argc = 0;
        while (argc < 5 && cases[at].words[argc]) {
            argv[argc] = (char *)cases[at].words[argc];
            argc++;
        }
        struct values values = {0};
        struct error err = {0};
        int first;
        bool parsed = options_parse(rows, OPTIONS_STOP_AT_OPERAND, argc, argv, &values, &first, &err);
        cr_assert_eq(parsed, !cases[at].asked, "case %zu", at);
        cr_assert_eq(err.kind, cases[at].asked ? ERROR_HELP : ERROR_NONE, "case %zu", at);
    }
}
