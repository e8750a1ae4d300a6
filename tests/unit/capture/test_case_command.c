/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command line, written and parted again, and what a case keeps of how a program was run. */
#include "capture/case/case_command.h"
#include "capture/case/case_folder.h"
#include "capture/case/shell_line.h"
#include "made_folder.h"

#include "base/scope.h"
#include "base/vec.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

Test(case_command, lines_part_into_the_words_they_were_made_of)
{
    char *const commands[][5] = {
        {"true", NULL},
        {"sh", "-c", "echo 'a b' \"$1\"; exit", NULL},
        {"a", "", "with\nline", "it's", NULL},
        {"back\\slash", "*?[", "~", "$HOME", NULL},
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t at = 0; at < array_count(commands); at++) {
        char **words = shell_words(shell_line(commands[at], &arena), &arena);
        size_t count = 0;
        cr_assert_not_null(words);
        for (; commands[at][count] && words[count]; count++)
            cr_expect_str_eq(words[count], commands[at][count]);
        cr_expect_null(commands[at][count]);
        cr_expect_null(words[count]);
    }
    arena_done(&arena);
}

Test(case_command, broken_lines_have_no_words)
{
    struct arena arena;
    arena_init(&arena);
    cr_expect_null(shell_words("sh -c 'open", &arena));
    cr_expect_null(shell_words("\"", &arena));
    cr_expect_null(shell_words("  \t ", &arena));
    char **words = shell_words(" a\\ b  \"c 'd\"e ", &arena);
    cr_assert_not_null(words);
    cr_expect_str_eq(words[0], "a b");
    cr_expect_str_eq(words[1], "c 'de");
    cr_expect_null(words[2]);
    arena_done(&arena);
}

Test(case_command, secrets_are_neither_kept_nor_set)
{
    struct arena arena;
    struct case_command command;
    struct json_document *document = NULL;
    struct error err = {0};
    char *const argv[] = {"true", NULL};
    arena_init(&arena);
    setenv("MY_TOKEN", "hunter2", 1);
    setenv("OMP_NUM_THREADS", "3", 1);
    case_command_take(&command, argv, &arena);
    bool found = false;
    for (size_t at = 0; at < command.variable_count; at++) {
        cr_expect_str_neq(command.variables[at].name, "MY_TOKEN");
        found |= strcmp(command.variables[at].name, "OMP_NUM_THREADS") == 0 && strcmp(command.variables[at].value, "3") == 0;
    }
    cr_expect(found);
    const char *text = "{\"argv\": [\"a\"], \"environment\": [{\"name\": \"BASH_ENV\", \"value\": \"x\"}, {\"name\": \"PATH\", \"value\": null}]}";
    cr_assert(json_document_parse(&document, (struct view){text, strlen(text)}, &err));
    cr_assert(case_command_parse(&command, json_root(document), &arena, &err));
    cr_expect_eq(command.variable_count, 1);
    cr_expect_str_eq(command.variables[0].name, "PATH");
    cr_expect_null(command.variables[0].value);
    json_document_free(document);
    arena_done(&arena);
}

/* A full disk leaves what was there, and no empty part that a replay would stumble over. */
Test(case_folder, a_part_is_written_whole_or_not_at_all)
{
    char folder[] = "/tmp/plumb-part-XXXXXX";
    cr_assert(mkdtemp(folder));
    scoped_text struct text small = {0}, large = {0};
    struct error err = {0};
    text_add(&small, "{}");
    cr_assert(case_part_write(folder, "command.json", &small, &err), "%s", err.message);
    text_add_repeated(&large, "0123456789abcdef", 1 << 12);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 1 << 12, .rlim_max = RLIM_INFINITY});
    cr_assert_not(case_part_write(folder, "command.json", &large, &err));
    text_add_repeated(&large, "0123456789abcdef", 1 << 12);
    cr_assert_not(case_part_write(folder, "machine.json", &large, &err));
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY});
    scoped_json struct json_document *document = NULL;
    cr_assert(case_part_json(folder, "command.json", &document, &err), "%s", err.message);
    cr_expect_not(case_part_exists(folder, "machine.json"));
    made_folder_remove(folder);
}
