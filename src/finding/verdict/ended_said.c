/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/ended_said.h"

#include "base/vec.h"

#include <signal.h>
#include <string.h>

enum { SHELL_SIGNALS = 128, SIGNALS_MOST = 64 };

bool ended_by_signal(const struct results *results)
{
    return results->exit_status > SHELL_SIGNALS && results->exit_status <= SHELL_SIGNALS + SIGNALS_MOST;
}

const char *ended_next(const struct results *results)
{
    /* no core dump tells of these */
    static const int sent[] = {SIGALRM, SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2};
    int signal = results->exit_status - SHELL_SIGNALS;
    for (size_t at = 0; at < array_count(sent); at++)
        if (signal == sent[at])
            return "find out first who sent it that signal: strace -f -e trace=none -- CMD shows it with its sender (a "
                   "timer, another process, a closed pipe)";
    return signal == SIGKILL ? "find out first who killed it: dmesg tells of memory that ran out, the limits of its "
                               "group are in memory.max"
                             : "find out first why it was killed: its core dump (coredumpctl debug), or gdb --args CMD";
}

/*
 * What a program that ended left running, as one that goes into the background does: the watching ended with it. NULL:
 * nothing.
 */
const struct process_starts *left_behind(const struct results *results)
{
    bool ended = results->run && results->run->scope == RUN_STARTED && !results->cut && results->kernel;
    return ended && results->kernel->starts.left_count ? &results->kernel->starts : NULL;
}

const char *left_said(const struct process_starts *left, struct arena *arena)
{
    if (left->left_count == 1)
        return arena_printf(arena,
                            "It left %s (process %u) running (its end was not seen), which was not watched any longer.",
                            left->left_name, left->left_pid);
    return arena_printf(arena,
                        "It left %llu processes running, among them %s (process %u) (their ends were not seen), which "
                        "were not watched any longer.",
                        (unsigned long long)left->left_count, left->left_name, left->left_pid);
}

/* "SIGSEGV (Segmentation fault)"; "SIGKILL", whose words say no more. */
static const char *signal_words(int number, struct arena *arena)
{
    const char *name = sigabbrev_np(number), *words = strsignal(number);
    if (!name)
        return arena_printf(arena, "signal %d", number);
    return strcasecmp(words, "killed") == 0 || strcasecmp(words, "terminated") == 0
               ? arena_printf(arena, "SIG%s", name)
               : arena_printf(arena, "SIG%s (%s)", name, words);
}

/* A program that failed was slow at failing: whoever reads the rest has to know. */
const char *status_said(int status, struct arena *arena)
{
    if (status > SHELL_SIGNALS && status <= SHELL_SIGNALS + SIGNALS_MOST)
        return arena_printf(arena, "It was killed by %s: this is the time until then.",
                            signal_words(status - SHELL_SIGNALS, arena));
    return arena_printf(arena, "It ended with status %d.", status);
}
