/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Find the command, run it, print its error once, and leave with the right status. */
#include "command/help.h"

#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

static int exit_code_of(const struct error *err)
{
    switch (err->kind) {
    case ERROR_USAGE:
        return EXIT_CODE_USAGE;
    default:
        return EXIT_CODE_FAILED;
    }
}

static void print_error(const char *command, const struct error *err)
{
    fprintf(stderr, "plumb%s%s: %s\n", command ? " " : "", command ? command : "", err->message);
    if (err->hint[0])
        fprintf(stderr, "  hint: %s\n", err->hint);
}

static bool wants_help(int argc, char **argv)
{
    return argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

/* A result that did not reach its reader is a failure, also when only the last flush finds out. */
static int flush_result(int exit_code)
{
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE) { /* errno 0: an earlier write failed */
        fprintf(stderr, "plumb: can't write the result%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
        return exit_code ? exit_code : EXIT_CODE_FAILED;
    }
    return exit_code;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct sysroot root;
    sysroot_init(&root, NULL);
    struct context context = {.root = &root, .kernel = kernel_live(), .out = stdout, .talk = stderr};
    struct error err = {0};
    if (wants_help(argc, argv)) {
        help_command(stdout, command);
        return flush_result(EXIT_CODE_OK);
    }
    if (!command->run(&context, argc, argv, &err)) {
        if (err.kind == ERROR_HELP) {
            help_command(stdout, command);
            return flush_result(EXIT_CODE_OK);
        }
        fflush(stdout);
        print_error(command->name, &err);
        return context.exit_code ? context.exit_code : exit_code_of(&err);
    }
    return flush_result(context.exit_code);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    /*
     * an arena of a thread's own grows by a page and a system call at a time, during which no other may touch a new
     * page
     */
    mallopt(M_ARENA_MAX, 1);
    if (argc < 2) {
        help_first_use(stderr);
        return EXIT_CODE_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-v") == 0 || strcmp(argv[1], "-V") == 0) {
        puts("plumb " PLUMB_VERSION);
        return flush_result(EXIT_CODE_OK);
    }
    if (wants_help(argc, argv)) {
        help_overview(stdout);
        return flush_result(EXIT_CODE_OK);
    }
    const struct command *command = command_find(argv[1]);
    if (!command) {
        struct error err = {0};
        command_unknown(argv[1], &err);
        print_error(NULL, &err);
        return exit_code_of(&err);
    }
    return run_command(command, argc - 1, argv + 1);
}
