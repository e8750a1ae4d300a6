/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

#include "base/place_names.h"

#include <ctype.h>
#include <string.h>

/* "0-23,48-71", "0 1 2 3": numbers and what stands between them. */
static bool is_list(struct view list)
{
    for (size_t at = 0; at < list.length; at++)
        if (!isdigit((unsigned char)list.text[at]) && !strchr("-, ", list.text[at]))
            return false;
    return list.length && isdigit((unsigned char)list.text[0]);
}

static bool place_add(struct system_reading *reading, const char *of, struct view whose, struct view list)
{
    list = view_trim(list);
    if (!is_list(list))
        return false;
    *vec_push(&reading->places) = (struct place){of, whose, list, false};
    return true;
}

/* The digits that a view begins with. */
static struct view digits_of(struct view text)
{
    size_t length = 0;
    while (length < text.length && isdigit((unsigned char)text.text[length]))
        length++;
    return (struct view){text.text, length};
}

/* "ff", "ffffffff,00000001": a bit for each CPU, the last digit's are the first. */
static bool is_mask(struct view mask)
{
    bool any = false;
    for (size_t at = 0; at < mask.length; at++) {
        if (!isxdigit((unsigned char)mask.text[at]) && mask.text[at] != ',')
            return false;
        any |= mask.text[at] != '0' && mask.text[at] != ',';
    }
    return any;
}

static bool mask_add(struct system_reading *reading, struct view whose, struct view mask)
{
    mask = view_trim(mask);
    mask = view_skip(mask, view_starts(mask, "0x") ? 2 : 0);
    if (!is_mask(mask))
        return false;
    *vec_push(&reading->places) = (struct place){PLACE_BOUND, whose, mask, true};
    return true;
}

/*
 * "pid 8812's current affinity list: 0-23", as taskset -cp has it, before and after a change; without -c it has a mask.
 */
static bool taskset_read(struct system_reading *reading, struct view line)
{
    static const char begin[] = "pid ", list[] = " affinity list: ", mask[] = " affinity mask: ";
    ptrdiff_t at = view_find(line, list), mask_at = view_find(line, mask);
    struct view pid = view_starts(line, begin) ? digits_of(view_skip(line, sizeof(begin) - 1)) : (struct view){0};
    if (!pid.length)
        return false;
    return at > 0 ? place_add(reading, PLACE_BOUND, pid, view_skip(line, (size_t)at + sizeof(list) - 1))
                  : mask_at > 0 && mask_add(reading, pid, view_skip(line, (size_t)mask_at + sizeof(mask) - 1));
}

/* The task of "/proc/8812/task/8813/status:", as grep puts it before its lines. */
static struct view task_of(struct view path)
{
    static const char task[] = "/task/", process[] = "/proc/";
    ptrdiff_t at = view_find(path, task), of_process = view_find(path, process);
    return at >= 0           ? digits_of(view_skip(path, (size_t)at + sizeof(task) - 1))
           : of_process >= 0 ? digits_of(view_skip(path, (size_t)of_process + sizeof(process) - 1))
                             : (struct view){0};
}

/* "Cpus_allowed_list:	0-23", "Cpus_allowed:	ffffff" of a process's status */
static bool status_read(struct system_reading *reading, struct view line)
{
    static const char list[] = "Cpus_allowed_list:", mask[] = "Cpus_allowed:";
    ptrdiff_t at = view_find(line, list), mask_at = view_find(line, mask), begins = at >= 0 ? at : mask_at;
    struct view path = {line.text, begins > 0 ? (size_t)begins : 0}, task = task_of(path);
    if (begins < 0 || (begins > 0 && !(task.length && view_ends(path, ":"))))
        return false;
    return at >= 0 ? place_add(reading, PLACE_BOUND, task, view_skip(line, (size_t)at + sizeof(list) - 1))
                   : mask_add(reading, task, view_skip(line, (size_t)mask_at + sizeof(mask) - 1));
}

/* "NUMA node0 CPU(s):  0-23" of lscpu, "node 0 cpus: 0 1 2 3" of numactl --hardware */
static bool node_read(struct system_reading *reading, struct view line)
{
    static const struct {
        const char *begin, *behind;
    } forms[] = {{"NUMA node", " CPU(s):"}, {"node ", " cpus:"}};
    for (size_t at = 0; at < array_count(forms); at++) {
        struct view rest =
            view_starts(line, forms[at].begin) ? view_skip(line, strlen(forms[at].begin)) : (struct view){0};
        struct view node = digits_of(rest);
        if (node.length && view_starts(view_skip(rest, node.length), forms[at].behind))
            return place_add(reading, PLACE_NODE, node, view_skip(rest, node.length + strlen(forms[at].behind)));
    }
    return view_starts(line, "NUMA node(s):");
}

/* "Per-node process memory usage (in MBs) for PID 8812 (mysqld)", above numastat's table of it */
static void memory_note(struct system_reading *reading, struct view line)
{
    static const char begin[] = "Per-node process memory usage", process[] = " for PID ";
    ptrdiff_t at = view_starts(line, begin) ? view_find(line, process) : -1;
    struct view pid = at > 0 ? digits_of(view_skip(line, (size_t)at + sizeof(process) - 1)) : (struct view){0};
    if (pid.length)
        *vec_push(&reading->places) = (struct place){PLACE_MEMORY, pid, {0}, false};
}

bool system_places_read(struct system_reading *reading, struct view line)
{
    line = view_trim(line);
    memory_note(reading, line);
    return taskset_read(reading, line) || status_read(reading, line) || node_read(reading, line);
}
