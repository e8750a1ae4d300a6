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
