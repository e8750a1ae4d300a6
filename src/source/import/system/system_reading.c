/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

#include <string.h>

void system_heading(struct system_reading *reading, struct view heading)
{
    reading->heading = heading;
    reading->nodes = 0;
    for (size_t at = 0; at < reading->tables.count; at++)
        reading->tables.items[at].has_ended |= reading->tables.items[at].tool != TOOL_DOCUMENT;
}

struct system_table *system_table_begin(struct system_reading *reading, enum system_tool tool)
{
    struct system_table *table = vec_push(&reading->tables);
    *table =
        (struct system_table){.tool = tool, .heading = tool == TOOL_DOCUMENT ? (struct view){0} : reading->heading};
    return table;
}

struct system_table *system_table_of(struct system_reading *reading, enum system_tool tool)
{
    for (size_t at = reading->tables.count; at-- > 0;)
        if (reading->tables.items[at].tool == tool && !reading->tables.items[at].has_ended)
            return &reading->tables.items[at];
    return system_table_begin(reading, tool);
}

void system_meet(struct system_table *table, enum fact fact, double value)
{
    struct met *met = &table->met[fact];
    met->first = met->count ? met->first : value;
    met->last = value;
    met->most = met->count && met->most > value ? met->most : value;
    met->least = met->count && met->least < value ? met->least : value;
    met->sum += value;
    met->count++;
}

void system_task_add(struct system_reading *reading, struct view name, struct task task)
{
    enum { TASKS_MOST = 64 };
    struct system_table *table = system_table_of(reading, TOOL_SCHEDULER);
    size_t length = name.length < sizeof(task.name) - 1 ? name.length : sizeof(task.name) - 1, at = 0;
    memset(task.name, 0, sizeof(task.name));
    if (length)
        memcpy(task.name, name.text, length);
    while (at < table->tasks.count && strcmp(table->tasks.items[at].name, task.name) != 0)
        at++;
    if (at == table->tasks.count) {
        if (at < TASKS_MOST)
            *vec_push(&table->tasks) = task;
        return;
    }
    struct task *before = &table->tasks.items[at];
    before->run_ms += task.run_ms;
    before->delay_ms += task.delay_ms;
    before->io_ms += task.io_ms;
    before->seen_ms += task.seen_ms;
    before->watched_ms += task.watched_ms;
}

void system_reading_done(struct system_reading *reading)
{
    for (size_t at = 0; at < reading->tables.count; at++) {
        vec_done(&reading->tables.items[at].tasks);
        vec_done(&reading->tables.items[at].locks);
        vec_done(&reading->tables.items[at].calls);
        vec_done(&reading->tables.items[at].cpus);
        vec_done(&reading->tables.items[at].clocks);
        vec_done(&reading->tables.items[at].received);
        vec_done(&reading->tables.items[at].devices);
    }
    vec_done(&reading->tables);
    vec_done(&reading->places);
}

void words_of(struct view line, struct words *ret_words)
{
    ret_words->count = 0;
    for (struct view word = view_word(&line); word.length && ret_words->count < SYSTEM_WORDS_MOST;
         word = view_word(&line))
        ret_words->items[ret_words->count++] = word;
}
