/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_dumps.h"

#include "base/scope.h"
#include "base/share_names.h"
#include "base/vec.h"

#include <ctype.h>

enum { FRAMES_MOST = 128, CALLERS_SAID = 3, WORDS_BEFORE_MOST = 3 };

/* A stack as its lines come. */
struct look {
    struct view frames[FRAMES_MOST];
    size_t frame_count;
    uint64_t count;
    bool is_idle, is_active, has_gil, is_blocked;
};

static void frame_add(struct look *look, struct view name)
{
    if (name.length && look->frame_count < FRAMES_MOST)
        look->frames[look->frame_count++] = name;
}

/* "__GI___poll" is poll. */
static struct view plain_name(struct view frame)
{
    frame = view_starts(frame, "__GI_") ? view_skip(frame, strlen("__GI_")) : frame;
    while (frame.length > 1 && frame.text[0] == '_')
        frame = view_skip(frame, 1);
    return frame;
}

/* How the kernel is asked for work to come, and how libraries' pools of threads wait for it. */
static bool waits_for_work(struct view frame, bool is_innermost)
{
    static const char *const names[] = {"epoll_wait", "epoll_pwait", "poll",         "ppoll", "select",
                                        "accept",     "accept4",     "sigtimedwait", "pause", "sigwait"},
                             *const parts[] = {"TaskQueue.take",
                                               "TaskQueue.poll",
                                               "BlockingQueue.take",
                                               "BlockingDeque.take",
                                               "EPoll.wait",
                                               "epollWait",
                                               "ThreadPoolExecutor.getTask",
                                               "ForkJoinPool.awaitWork",
                                               "PlainSocketImpl.socketAccept",
                                               "Net.accept"};
    bool is_one = is_innermost && view_is_any_caseless(plain_name(frame), names, array_count(names));
    for (size_t at = 0; at < array_count(parts); at++)
        is_one |= view_find(frame, parts[at]) >= 0;
    return is_one;
}

static bool is_at_rest(const struct look *look)
{
    enum { FRAMES_ASKED = 8 };
    bool is_one = look->is_idle;
    for (size_t at = 0; at < look->frame_count && at < FRAMES_ASKED; at++)
        is_one |= waits_for_work(look->frames[at], at == 0);
    return is_one;
}

/* How a library waits for whatever it is: who called it says more. */
static bool is_way_to_wait(struct view frame)
{
    static const char *const parts[] = {"Unsafe.park", "LockSupport.", "AbstractQueuedSynchronizer", "futex_",
                                        "Object.wait"};
    bool is_one = false;
    for (size_t at = 0; at < array_count(parts); at++)
        is_one |= view_find(frame, parts[at]) >= 0;
    return is_one;
}

/* ---- gdb ---- */

/* "#3  0x00402488 in rule_matches (r=0x6210) at logscan.c:84": its number; -1: it is no frame. */
static int gdb_frame(struct view line, struct view *ret_name)
{
    uint64_t number, address;
    line = view_trim(line);
    if (!view_starts(line, "#"))
        return -1;
    struct view rest = view_skip(line, 1), name = view_word(&rest);
    if (!view_u64(name, 10, &number) || number >= FRAMES_MOST)
        return -1;
    rest = view_trim(rest);
    struct view behind = rest, first = view_word(&behind);
    if (view_starts(first, "0x") && view_u64(view_skip(first, 2), 16, &address) && view_equal(view_word(&behind), "in"))
        rest = view_trim(behind);
    ptrdiff_t arguments = view_find(rest, " (");
    if (view_starts(rest, "<signal handler"))
        return (int)number;
    if (arguments < 1)
        return -1;
    *ret_name = view_starts(rest, "??") ? VIEW("[unknown]") : (struct view){rest.text, (size_t)arguments};
    return (int)number;
}

static bool gdb_read(struct view first, struct view rest, struct look *look, struct view *ret_rest)
{
    struct view name = {0}, line;
    if (gdb_frame(first, &name) != 0)
        return false;
    frame_add(look, name);
    *ret_rest = rest;
    for (int next = 1; view_line(&rest, &line);) {
        struct view frame = {0};
        int number = gdb_frame(line, &frame);
        bool goes_on = number < 0 && view_starts(line, "    ") && view_trim(line).length; /* long arguments */
        if (number != next && !goes_on)
            break;
        next += number == next;
        frame_add(look, frame);
        *ret_rest = rest;
    }
    return true;
}

/* ---- py-spy ---- */

/* "    tokenize (features.py:44)" */
static bool python_frame(struct view line, struct view *ret_name)
{
    struct view bare = view_trim(line);
    ptrdiff_t open = view_find(bare, " (");
    *ret_name = (struct view){bare.text, open > 0 ? (size_t)open : 0};
    return open > 0 && view_starts(line, "    ") && view_ends(bare, ")");
}

/* "Thread 20191 (active+gil): "worker-0"" */
static bool python_read(struct view first, struct view rest, struct look *look, struct view *ret_rest)
{
    struct view line, name;
    if (!view_starts(first, "Thread ") || view_find(first, "):") < 0)
        return false;
    look->is_active = view_find(first, "(active") > 0;
    look->has_gil = view_find(first, "+gil)") > 0;
    look->is_idle = view_find(first, "(idle") > 0;
    if (!look->is_active && !look->is_idle)
        return false;
    *ret_rest = rest;
    while (view_line(&rest, &line) && python_frame(line, &name)) {
        frame_add(look, name);
        *ret_rest = rest;
    }
    return look->frame_count > 0;
}

/* ---- jstack ---- */

/* ""http-nio-8080-exec-1" #31 daemon prio=5 os_prio=0 tid=0x… nid=0x… waiting on condition" */
static bool java_read(struct view first, struct view rest, struct look *look, struct view *ret_rest)
{
    struct view line;
    if (!view_starts(first, "\"") || (view_find(first, " prio=") < 0 && view_find(first, " nid=") < 0))
        return false;
    *ret_rest = rest;
    while (view_line(&rest, &line)) {
        struct view bare = view_trim(line), name = bare;
        bool is_frame = view_starts(bare, "at ") && view_find(bare, "(") > 0;
        if (!is_frame && !view_starts(bare, "- ") && !view_starts(bare, "java.lang.Thread.State:"))
            break;
        look->is_blocked |= view_find(bare, ".State: BLOCKED") > 0;
        name = is_frame ? view_skip(bare, 3) : (struct view){0};
        frame_add(look, is_frame ? view_cut(&name, '(') : name);
        *ret_rest = rest;
    }
    return look->frame_count > 0;
}

/* ---- counted ---- */

/* "gdb, sort | uniq -c:", "jstack, counted by top frames:" */
static bool names_dumps(struct view line)
{
    static const char *const words[] = {"jstack",     "pstack", "backtrace", "thread dump",  "py-spy",   "gdb ",
                                        "stack dump", "stacks", "top frame", "thread apply", "poor man", "jcmd"};
    bool is_one = false;
    for (size_t at = 0; at < array_count(words); at++)
        is_one |= view_mentions(line, words[at]);
    return is_one && !view_mentions(line, "perf ");
}

/* perf stat's events that could be functions by their form are none. */
static bool is_identifier(struct view name)
{
    static const char *const events[] = {"cycles", "instructions", "branches", "faults", "migrations", "slots", "cs"};
    if (view_is_any_caseless(name, events, array_count(events)))
        return false;
    bool is_one = name.length > 1 && (isalpha((unsigned char)name.text[0]) || strchr("_[?", name.text[0]));
    for (size_t at = 0; at < name.length; at++)
        is_one &= isalnum((unsigned char)name.text[at]) || strchr("_.:$<>~*&()@[]?/", name.text[at]);
    return is_one;
}

/* "8 parse_exp,re_compile_internal,regcomp", "174 Bag.borrow <- Pool.get": the innermost first. */
static bool counted_read(struct view line, struct look *look)
{
    static const char between[] = "<-";
    static const uint64_t COUNT_MOST = 1000000000; /* nobody looked more often */
    struct view rest = view_trim(line), count = view_word(&rest);
    if (!view_u64(count, 10, &look->count) || !look->count || look->count > COUNT_MOST)
        return false;
    bool is_arrow = view_find(rest, between) > 0;
    for (rest = view_trim(rest); rest.length;) {
        ptrdiff_t at = is_arrow ? view_find(rest, between) : view_find(rest, ",");
        struct view name = view_trim(at >= 0 ? (struct view){rest.text, (size_t)at} : rest);
        rest =
            at >= 0 ? view_trim(view_skip(rest, (size_t)at + (is_arrow ? sizeof(between) - 1 : 1))) : (struct view){0};
        if (!is_identifier(name))
            return false;
        frame_add(look, name);
    }
    return look->frame_count > 0;
}

/* ---- all of a text ---- */

static struct import_look look_kept(const struct look *look, struct arena *arena)
{
    struct view *frames = arena_copy(arena, look->frames, look->frame_count * sizeof(*frames));
    return (struct import_look){.frames = frames,
                                .frame_count = look->frame_count,
                                .count = look->count,
                                .is_idle = is_at_rest(look),
                                .is_active = look->is_active,
                                .has_gil = look->has_gil,
                                .is_blocked = look->is_blocked};
}

static bool look_read(struct view line, struct view rest, size_t lines_since, struct look *look, struct view *ret_rest)
{
    static bool (*const readers[])(struct view, struct view, struct look *, struct view *) = {gdb_read, python_read,
                                                                                              java_read};
    for (size_t at = 0; at < array_count(readers); at++) {
        *look = (struct look){.count = 1};
        if (readers[at](line, rest, look, ret_rest) && look->frame_count)
            return true;
    }
    *look = (struct look){.count = 0};
    *ret_rest = rest;
    return lines_since <= WORDS_BEFORE_MOST && counted_read(line, look);
}

struct view import_dumps_turned(struct view text, struct arena *arena, struct import_dumps *ret_dumps)
{
    struct view line, rest = text, behind;
    scoped_text struct text out = {0};
    vec(struct import_look) looks = {0};
    struct look *look = arena_array(arena, struct look, 1);
    size_t lines_since = WORDS_BEFORE_MOST + 1; /* since dumps were named */
    while (view_line(&rest, &line)) {
        if (look_read(line, rest, lines_since, look, &behind)) {
            *vec_push(&looks) = look_kept(look, arena);
            rest = behind;
            continue;
        }
        lines_since = names_dumps(line) ? 0 : lines_since + (view_trim(line).length > 0);
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    ret_dumps->items = arena_array(arena, struct import_look, looks.count + 1);
    ret_dumps->count = looks.count;
    for (size_t at = 0; at < looks.count; at++)
        ret_dumps->items[at] = looks.items[at];
    vec_done(&looks);
    return ret_dumps->count ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}

/* ---- what most have between them ---- */

/* Those whose frames to a depth, from the outermost or the innermost one on, are the same. */
struct path {
    const struct import_dumps *dumps;
    bool *takes_part;
    bool from_inside;
    uint64_t half, seen; /* seen: of those that take part */
};

static struct view frame_at(const struct path *path, size_t look, size_t depth)
{
    const struct import_look *here = &path->dumps->items[look];
    return depth >= here->frame_count ? (struct view){0}
           : path->from_inside        ? here->frames[depth]
                                      : here->frames[here->frame_count - 1 - depth];
}

static bool is_same(struct view one, struct view other)
{
    return one.length == other.length && memcmp(one.text, other.text, one.length) == 0;
}

/* Goes on where more than half of all have the same frame at this depth; empty: they haven't. */
static struct view path_step(struct path *path, size_t depth)
{
    struct view most = {0};
    uint64_t votes = 0, seen = 0;
    for (size_t at = 0; at < path->dumps->count; at++) {
        struct view frame = frame_at(path, at, depth);
        uint64_t count = path->dumps->items[at].count;
        if (!path->takes_part[at] || !frame.length)
            continue;
        bool same = votes && is_same(frame, most);
        most = votes ? most : frame;
        votes = same || !votes ? votes + count : votes > count ? votes - count : 0;
    }
    for (size_t at = 0; at < path->dumps->count; at++)
        if (path->takes_part[at] && most.length && is_same(frame_at(path, at, depth), most))
            seen += path->dumps->items[at].count;
    if (seen <= path->half)
        return (struct view){0};
    path->seen = seen;
    for (size_t at = 0; at < path->dumps->count; at++)
        path->takes_part[at] &= is_same(frame_at(path, at, depth), most);
    return most;
}

static uint64_t path_begin(struct path *path)
{
    uint64_t busy = 0;
    for (size_t at = 0; at < path->dumps->count; at++) {
        path->takes_part[at] = !path->dumps->items[at].is_idle;
        busy += path->takes_part[at] ? path->dumps->items[at].count : 0;
    }
    path->half = busy / 2;
    path->seen = 0;
    return busy;
}

static struct view path_deepest(struct path *path, struct view callers[FRAMES_MOST], size_t *ret_count)
{
    struct view deepest = {0}, step;
    *ret_count = 0;
    path->from_inside = false;
    (void)path_begin(path);
    for (size_t depth = 0; depth < FRAMES_MOST && (step = path_step(path, depth)).length; depth++) {
        if (deepest.length)
            callers[(*ret_count)++] = deepest;
        deepest = step;
    }
    for (size_t at = 0; at < *ret_count / 2; at++) { /* the nearest first */
        struct view other = callers[at];
        callers[at] = callers[*ret_count - 1 - at];
        callers[*ret_count - 1 - at] = other;
    }
    return deepest;
}

/* The frame that most stand in, and who called it; the innermost one where most have the same. */
static struct view path_place(struct path *path, struct view callers[FRAMES_MOST], size_t *ret_count)
{
    struct view caller;
    *ret_count = 0;
    path->from_inside = true;
    (void)path_begin(path);
    struct view innermost = path_step(path, 0);
    if (!innermost.length)
        return path_deepest(path, callers, ret_count);
    uint64_t seen = path->seen;
    for (size_t depth = 1; depth < FRAMES_MOST && (caller = path_step(path, depth)).length; depth++)
        callers[(*ret_count)++] = caller;
    path->seen = seen;
    return innermost;
}

static const char *place_words(const struct path *path, struct view place, const struct view *callers, size_t count,
                               struct arena *arena)
{
    uint64_t all = 0, idle = 0, blocked = 0;
    scoped_text struct text out = {0};
    for (size_t at = 0; at < path->dumps->count; at++) {
        all += path->dumps->items[at].count;
        idle += path->dumps->items[at].is_idle ? path->dumps->items[at].count : 0;
        blocked += path->dumps->items[at].is_blocked && is_same(path->dumps->items[at].frames[0], place);
    }
    text_printf(&out, "%llu of %llu stacks", (unsigned long long)path->seen, (unsigned long long)all);
    if (idle)
        text_printf(&out, " (%llu idle)", (unsigned long long)idle);
    text_printf(&out, " are in %.*s", (int)place.length, place.text);
    for (size_t at = 0, said = 0; at < count && said < CALLERS_SAID; at++)
        if (!is_way_to_wait(callers[at]))
            text_printf(&out, "%s%.*s", said++ ? ", " : ", called by ", (int)callers[at].length, callers[at].text);
    if (blocked > path->seen / 2)
        text_printf(&out, " (%llu of them BLOCKED)", (unsigned long long)blocked);
    return arena_string(arena, text_string(&out));
}

/* Threads that py-spy saw active, while one of them held the lock that all need to interpret. */
static bool gil_row(const struct import_dumps *dumps, struct import_row *ret_row)
{
    uint64_t active = 0, holders = 0;
    for (size_t at = 0; at < dumps->count; at++) {
        active += dumps->items[at].is_active;
        holders += dumps->items[at].has_gil;
    }
    if (active < LOOKS_LEAST || !holders || holders >= active)
        return false;
    *ret_row = (struct import_row){.name = SHARE_WITHOUT_GIL,
                                   .number = 100.0 * (double)(active - holders) / (double)active,
                                   .where = "Python's global interpreter lock (GIL)"};
    return true;
}

size_t import_dumps_rows(const struct import_dumps *dumps, struct arena *arena,
                         struct import_row ret_rows[DUMP_ROWS_MOST])
{
    struct view callers[FRAMES_MOST];
    size_t rows = 0, count;
    struct path path = {.dumps = dumps, .takes_part = arena_array(arena, bool, dumps->count + 1)};
    uint64_t busy = path_begin(&path);
    struct view place = busy >= LOOKS_LEAST ? path_place(&path, callers, &count) : (struct view){0};
    if (place.length)
        ret_rows[rows++] = (struct import_row){.name = SHARE_STACKS_IN_ONE,
                                               .number = 100.0 * (double)path.seen / (double)busy,
                                               .where = place_words(&path, place, callers, count, arena)};
    rows += gil_row(dumps, &ret_rows[rows]);
    return rows;
}
