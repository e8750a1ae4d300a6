/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cost that was measured for one group must not become another's when ranks change. */
#include "test.h"

#include "analyse/memory/cost_groups.h"

Test(cost_groups, a_cost_follows_its_pattern_not_its_rank)
{
    struct stall_function functions[] = {{.name = "first"}, {.name = "second"}};
    struct stall_group groups[] = {
        {.function = 1, .area = "[heap]", .row = {.shown_addr = 0x20}, .set = {.stride_bytes = 4096}},
        {.function = 0, .area = "[heap]", .row = {.shown_addr = 0x10}},
    };
    struct stalls stalls = {.functions = functions, .function_count = 2, .groups = groups, .group_count = 2};
    struct access_cost items[] = {
        {.group = 0, .function = "first", .area = "[heap]", .instruction = 0x10},
        {.group = 1, .function = "second", .area = "[heap]", .instruction = 0x24, .stride_bytes = 4096},
        {.group = 0, .function = "second", .area = "[heap]", .instruction = 0x20, .stride_bytes = 64},
        {.group = 0, .function = "gone", .area = "[heap]"},
        {.group = 1},
    };
    struct access_costs costs = {.items = items, .count = 5};
    access_costs_settle(&costs, &stalls);
    cr_expect_eq(items[0].group, 1, "the ranks were swapped");
    cr_expect_eq(items[1].group, 0, "another hottest instruction, but the only such pattern");
    cr_expect_eq(items[2].group, ACCESS_COST_NO_GROUP, "it steps otherwise");
    cr_expect_eq(items[3].group, ACCESS_COST_NO_GROUP);
    cr_expect_eq(items[4].group, 1, "an older case says no more than the rank");
    cr_expect_eq(access_costs_of_group(&costs, 1), &items[0]);
}

Test(cost_groups, the_pattern_is_kept_in_the_case)
{
    struct access_cost item = {.group = 3, .function = "f", .area = "/lib/x", .instruction = 0x401000, .span_bytes = 8192};
    struct access_costs costs = {.items = &item, .count = 1}, again;
    struct text out = {0};
    struct arena arena;
    struct json_document *document = NULL;
    struct error err = {0};
    arena_init(&arena);
    access_costs_write(&costs, &out);
    cr_assert(json_document_parse(&document, view_of(text_string(&out)), &err), "%s", err.message);
    cr_assert(access_costs_read(&again, json_root(document), &arena, &err), "%s", err.message);
    cr_expect_str_eq(again.items[0].function, "f");
    cr_expect_str_eq(again.items[0].area, "/lib/x");
    cr_expect_eq(again.items[0].instruction, 0x401000);
    json_document_free(document);
    text_done(&out);
    arena_done(&arena);
}
