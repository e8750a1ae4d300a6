/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "render/profile/profile.h"

#include <criterion/criterion.h>

/* main calls "f;g" of two binaries, and itself; a thread whose name holds a blank. */
static struct place places_items[] = {
    {.symbol = "main", .dso = "a", .dso_path = "/a", .dso_id = 0},
    {.symbol = "f;g", .dso = "a", .dso_path = "/a", .dso_id = 0},
    {.symbol = "f;g", .dso = "b", .dso_path = "/b,\"c\"", .dso_id = 1},
    {.dso = "[vdso]", .dso_path = "[vdso]", .dso_id = 1},
    {.dso = "b", .dso_path = "/b,\"c\"", .dso_id = 1},
};
static uint32_t stacked[] = {1, 0, 2, 0, 0, 0, 3, 4};
static struct profile_event events[] = {{.name = "cpu-clock", .samples = 15, .period = 150, .counts_ns = true}, {.name = "faults"}};

static void written(struct text *out, void (*write)(struct text *out, const struct profile_request *request), bool by_period)
{
    static const char *const comm = "a b;c";
    struct profile_stack stacks[] = {{.comm = comm, .first = 0, .count = 2, .samples = 1, .period = 10},
                                     {.comm = comm, .first = 2, .count = 2, .samples = 2, .period = 20},
                                     {.comm = comm, .first = 4, .count = 2, .samples = 4, .period = 40},
                                     {.comm = comm, .first = 6, .count = 2, .samples = 8, .period = 80}};
    struct places places = {.items = places_items, .count = 5};
    struct stack_profile profile = {.items = stacks, .count = 4, .events = events, .event_count = 2,
                                    .frames = stacked, .frame_count = 8, .places = &places};
    struct profile_request request = {.profile = &profile, .event = PROFILE_ALL_EVENTS, .by_period = by_period, .name = "x"};
    write(out, &request);
}

Test(profile, folded_lines_hold_neither_blanks_nor_semicolons_of_names)
{
    scoped_text struct text out = {0}, period = {0};
    written(&out, profile_folded, false);
    cr_assert_str_eq(text_string(&out), "a_b:c;[b];[vdso] 8\na_b:c;main;f:g 3\na_b:c;main;main 4\n");
    written(&period, profile_folded, true);
    cr_assert_str_eq(text_string(&period), "a_b:c;[b];[vdso] 80\na_b:c;main;f:g 30\na_b:c;main;main 40\n");
}

/* One name is another's beginning, and goes on with what sorts before ";" or behind it; a stack is another's beginning. */
Test(profile, folded_lines_are_in_the_order_of_their_text)
{
    enum { NAMES = 5, STACKS = NAMES + NAMES * NAMES };
    struct place items[NAMES] = {{.symbol = "a"}, {.symbol = "a1"}, {.symbol = "a::b"}, {.symbol = "a<int>"}, {.symbol = "\xc3\xa4"}};
    struct profile_stack stacks[STACKS];
    uint32_t frames[2 * STACKS];
    for (uint32_t at = 0; at < STACKS; at++) {
        bool alone = at < NAMES;
        frames[2 * at] = alone ? at : at % NAMES;
        frames[2 * at + 1] = at / NAMES - 1;
        stacks[at] = (struct profile_stack){.comm = at % 2 ? "t" : "t1", .first = 2 * at, .count = alone ? 1 : 2, .samples = 1};
    }
    struct places places = {.items = items, .count = NAMES};
    struct stack_profile profile = {.items = stacks, .count = STACKS, .events = events, .event_count = 1,
                                    .frames = frames, .frame_count = 2 * STACKS, .places = &places};
    struct profile_request request = {.profile = &profile, .event = PROFILE_ALL_EVENTS};
    scoped_text struct text out = {0};
    profile_folded(&out, &request);
    char before[64] = "";
    struct view rest = text_view(&out), line;
    size_t count = 0;
    for (; view_line(&rest, &line); count++) {
        char stack[64];
        snprintf(stack, sizeof(stack), "%.*s", (int)line.length - 2, line.text);
        cr_expect_lt(strcmp(before, stack), 0, "%s, %s", before, stack);
        memcpy(before, stack, sizeof(before));
    }
    cr_assert_eq(count, STACKS);
}

Test(profile, a_recursion_counts_once_and_fields_are_quoted)
{
    scoped_text struct text out = {0};
    written(&out, profile_csv, false);
    cr_assert_str_eq(text_string(&out), "event,function,dso,self_samples,self_period,total_samples,total_period\n"
                                        "cpu-clock,[vdso],[vdso],8,80,8,80\n"
                                        "cpu-clock,main,/a,4,40,7,70\n"
                                        "cpu-clock,f;g,\"/b,\"\"c\"\"\",2,20,2,20\n"
                                        "cpu-clock,f;g,/a,1,10,1,10\n"
                                        "cpu-clock,[b],\"/b,\"\"c\"\"\",0,0,8,80\n");
}

/* Field 6 is the string table; its first entry is empty: tag 0x32, length 0. The program comes first of the mappings. */
Test(profile, pprof_begins_its_strings_with_the_empty_one)
{
    scoped_text struct text out = {0};
    written(&out, profile_pprof, false);
    const char *strings = memmem(out.bytes, out.length, "\x32\x00\x32", 3);
    cr_assert(strings, "no empty string before the others");
    cr_assert(memmem(out.bytes, out.length, "cpu-clock_sample", 16) && !memmem(out.bytes, out.length, "faults", 6));
}
