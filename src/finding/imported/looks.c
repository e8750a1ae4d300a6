/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/imported/looks.h"

#include "base/share_names.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "finding/wording.h"

#include <string.h>

/* What threads wait for in such functions, by parts of their names; the first that fits. */
static const struct {
    const char *part, *words, *advice;
} waits[] = {
    {"ConnectionPool", "looks-pool", "next-looks-pool"},
    {"HikariPool", "looks-pool", "next-looks-pool"},
    {"Pool.getConnection", "looks-pool", "next-looks-pool"},
    {"GenericObjectPool.borrowObject", "looks-pool", "next-looks-pool"},
    {"of them BLOCKED", "looks-lock", "next-looks-lock"},
    {"lll_lock_wait", "looks-lock", "next-looks-lock"},
    {"ReentrantLock", "looks-lock", "next-looks-lock"},
    {"take_gil", "looks-lock", "next-looks-lock"},
    {"socketRead", "looks-answer", "next-looks-answer"},
    {"SocketDispatcher.read", "looks-answer", "next-looks-answer"},
    {"in recv", "looks-answer", "next-looks-answer"},
    {"in __libc_recv", "looks-answer", "next-looks-answer"},
};

static const struct imported_row *looks_of(const struct results *results, const char **ret_file)
{
    return results->imported ? imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_STACKS_IN_ONE, ret_file)
                             : NULL;
}

/* Its row; array_count(waits): they may compute there. */
static size_t wait_of(const struct imported_row *looks)
{
    size_t at = 0;
    while (at < array_count(waits) && !strstr(looks->where, waits[at].part))
        at++;
    return at;
}

const char *imported_looks_words(const struct results *results, struct arena *arena)
{
    const char *file = NULL;
    const struct imported_row *looks = looks_of(results, &file);
    if (!looks)
        return NULL;
    size_t wait = wait_of(looks);
    struct value values[] = {VALUE_TEXT("stacks", looks->where), VALUE_TEXT("file", file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", wait < array_count(waits) ? waits[wait].words : "looks"), values,
                        array_count(values));
}

const char *imported_looks_advice(const struct results *results)
{
    const struct imported_row *looks = looks_of(results, NULL);
    size_t wait = looks ? wait_of(looks) : 0;
    return looks ? wording_find("verdict", wait < array_count(waits) ? waits[wait].advice : "next-looks") : NULL;
}

/* ---- what a server is asked for ---- */

static const struct imported_row *command_of(const struct results *results, const char **ret_file)
{
    static const double MOST_OF = 50; /* percent */
    const struct imported_row *command =
        results->imported ? imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_OF_COMMANDS, ret_file) : NULL;
    return command && command->number >= MOST_OF ? command : NULL;
}

const char *imported_command_words(const struct results *results, struct arena *arena)
{
    const char *file = NULL;
    const struct imported_row *command = command_of(results, &file);
    if (!command)
        return NULL;
    struct value values[] = {VALUE_TEXT("command", command->where),
                             VALUE_SHARE("share", interval_exactly(command->number / 100)), VALUE_TEXT("file", file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", "command"), values, array_count(values));
}

/* What answers with all that there is takes the longer the more there is. */
const char *imported_command_advice(const struct results *results)
{
    static const struct {
        const char *command, *advice;
    } commands[] = {
        {"keys,", "next-command-keys"},  {"smembers,", "next-command-all"},    {"hgetall,", "next-command-all"},
        {"lrange,", "next-command-all"}, {"zrange,", "next-command-all"},      {"hkeys,", "next-command-all"},
        {"hvals,", "next-command-all"},  {"sinter,", "next-command-all"},      {"sunion,", "next-command-all"},
        {"sort,", "next-command-all"},   {"flushall,", "next-command-delete"}, {"del,", "next-command-delete"}};
    const struct imported_row *command = command_of(results, NULL);
    for (size_t at = 0; command && at < array_count(commands); at++)
        if (strncmp(command->where, commands[at].command, strlen(commands[at].command)) == 0)
            return wording_find("verdict", commands[at].advice);
    return command ? wording_find("verdict", "next-command") : NULL;
}
