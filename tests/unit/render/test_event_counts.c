/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layouts byte by byte; beside the installed perf, tests/live/test_stat_layout.py compares them. */
#include "test.h"

#include "base/vec.h"
#include "render/event_counts.h"

static const struct count_thread threads[] = {{4711, "worker"}};

static struct count_line line_of(const char *event, enum count_status status, double value)
{
    return (struct count_line){.event = event, .status = status, .value = value, .enabled_ns = 2000, .running_ns = 2000,
                               .socket = -1, .die = -1, .core = -1, .node = -1, .cpu = -1, .thread = -1, .parts = 1};
}

static const char *rendered(struct text *out, enum count_grouping grouping, struct count_line line,
                            struct count_style style)
{
    struct count_report report = {.grouping = grouping, .lines = &line, .line_count = 1, .threads = threads,
                                  .has_cgroups = line.cgroup != NULL};
    text_clear(out);
    style.separator = ",";
    style.unit_width = count_unit_width(&report);
    count_lines_render(out, &report, 1050000123, &style);
    return text_string(out);
}

#define TEXT   (struct count_style){.format = COUNT_TEXT}
#define FIELDS (struct count_style){.format = COUNT_FIELDS}
#define JSON   (struct count_style){.format = COUNT_JSON}

Test(event_counts, a_plain_count)
{
    struct text out = {0};
    struct count_line line = line_of("cs", COUNT_COUNTED, 1234567);
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, TEXT),
                     "           1234567      cs                                                                    \n");
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, (struct count_style){.group_thousands = true}),
                     "         1,234,567      cs                                                                    \n");
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, FIELDS), "1234567,,cs,2000,100.00,,\n");
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, JSON),
                     "{\"counter-value\" : \"1234567.000000\", \"unit\" : \"\", \"event\" : \"cs\", \"event-runtime\" : "
                     "2000, \"pcnt-running\" : 100.00, \"metric-value\" : 0.000000, \"metric-unit\" : \"\"}\n");
    text_done(&out);
}

Test(event_counts, unit_ratio_noise_and_multiplexing)
{
    struct text out = {0};
    struct count_line line = line_of("task-clock", COUNT_COUNTED, 0.64);
    line.unit = "msec";
    line.fractional = true;
    line.noise_ratio = 0.0578;
    line.running_ns = 1500;
    line.ratios[0] = (struct count_ratio){RATIO_CPUS_UTILIZED, 0.387, NULL};
    struct count_style style = {.format = COUNT_TEXT, .several_runs = true};
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, style),
                     "              0.64 msec task-clock                       #    0.387 CPUs utilized             "
                     "  ( +-  5.78% )  (75.00%)\n");
    style.format = COUNT_FIELDS;
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, style),
                     "0.64,msec,task-clock,5.78%,1500,75.00,0.387,CPUs utilized\n");
    style.format = COUNT_JSON;
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, style),
                     "{\"counter-value\" : \"0.640000\", \"unit\" : \"msec\", \"event\" : \"task-clock\", \"variance\" : "
                     "5.78, \"event-runtime\" : 1500, \"pcnt-running\" : 75.00, \"metric-value\" : 0.387000, "
                     "\"metric-unit\" : \"CPUs utilized\"}\n");
    text_done(&out);
}

Test(event_counts, two_ratios_take_two_lines)
{
    struct text out = {0};
    struct count_line line = line_of("instructions", COUNT_COUNTED, 3000);
    line.cpu = 2;
    line.ratios[0] = (struct count_ratio){RATIO_PER_CYCLE, 1.5, NULL};
    line.ratios[1] = (struct count_ratio){RATIO_STALLED_PER_INSTRUCTION, 0.1, NULL};
    cr_expect_str_eq(rendered(&out, COUNT_PER_CPU, line, TEXT),
                     "CPU2                 3000      instructions                     #    1.50  insn per cycle            \n"
                     "CPU2                                                            #    0.10  stalled cycles per insn   \n");
    cr_expect_str_eq(rendered(&out, COUNT_PER_CPU, line, FIELDS),
                     "CPU2,3000,,instructions,2000,100.00,1.50,insn per cycle\n"
                     "CPU2,,,,,,0.10,stalled cycles per insn\n");
    cr_expect_str_eq(rendered(&out, COUNT_PER_CPU, line, JSON),
                     "{\"cpu\" : \"2\", \"counter-value\" : \"3000.000000\", \"unit\" : \"\", \"event\" : "
                     "\"instructions\", \"event-runtime\" : 2000, \"pcnt-running\" : 100.00, \"metric-value\" : 1.500000, "
                     "\"metric-unit\" : \"insn per cycle\"}\n"
                     "{\"cpu\" : \"2\", \"metric-value\" : 0.100000, \"metric-unit\" : \"stalled cycles per insn\"}\n");
    text_done(&out);
}

Test(event_counts, what_is_missing_says_so)
{
    struct text out = {0};
    struct count_line line = line_of("cycles", COUNT_NOT_SUPPORTED, 0);
    line.enabled_ns = line.running_ns = 0;
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, FIELDS), "<not supported>,,cycles,0,100.00,,\n");
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, TEXT),
                     "   <not supported>      cycles                                                                \n");
    line.status = COUNT_NOT_COUNTED;
    line.enabled_ns = 2000;
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, FIELDS), "<not counted>,,cycles,0,0.00,,\n");
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, JSON),
                     "{\"counter-value\" : \"<not counted>\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" "
                     ": 0, \"pcnt-running\" : 0.00, \"metric-value\" : 0.000000, \"metric-unit\" : \"\"}\n");
    text_done(&out);
}

Test(event_counts, places)
{
    static const struct {
        enum count_grouping grouping;
        const char *text, *fields, *json;
    } cases[] = {
        {COUNT_PER_CPU, "CPU12                   5 ", "CPU12,5,", "{\"cpu\" : \"12\", \"counter"},
        {COUNT_PER_CORE, "S1-D0-C3              2                  5 ", "S1-D0-C3,2,5,",
         "{\"core\" : \"S1-D0-C3\", \"aggregate-number\" : 2, \"counter"},
        {COUNT_PER_DIE, "S1-D0           2                  5 ", "S1-D0,2,5,",
         "{\"die\" : \"S1-D0\", \"aggregate-number\" : 2, \"counter"},
        {COUNT_PER_SOCKET, "S1        2                  5 ", "S1,2,5,",
         "{\"socket\" : \"S1\", \"aggregate-number\" : 2, \"counter"},
        {COUNT_PER_NODE, "N1        2                  5 ", "N1,2,5,",
         "{\"node\" : \"N1\", \"aggregate-number\" : 2, \"counter"},
        {COUNT_PER_THREAD, "          worker-4711                     5 ", "worker-4711,5,",
         "{\"thread\" : \"worker-4711\", \"counter"},
    };
    struct text out = {0};
    struct count_line line = line_of("x", COUNT_COUNTED, 5);
    line.socket = line.node = 1;
    line.die = line.thread = 0;
    line.core = 3;
    line.cpu = 12;
    line.parts = 2;
    for (size_t at = 0; at < array_count(cases); at++) {
        enum count_grouping grouping = cases[at].grouping;
        const char *text = rendered(&out, grouping, line, TEXT);
        cr_expect_arr_eq(text, cases[at].text, strlen(cases[at].text), "%s", text);
        text = rendered(&out, grouping, line, FIELDS);
        cr_expect_arr_eq(text, cases[at].fields, strlen(cases[at].fields), "%s", text);
        text = rendered(&out, grouping, line, JSON);
        cr_expect_arr_eq(text, cases[at].json, strlen(cases[at].json), "%s", text);
    }
    text_done(&out);
}

Test(event_counts, intervals_cgroups_and_odd_names)
{
    struct text out = {0};
    struct count_line line = line_of("a\"b", COUNT_COUNTED, 5);
    line.cgroup = "web";
    struct count_style style = {.format = COUNT_TEXT, .interval = true};
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, style),
                     "     1.050000123                  5      a\"b                              web             "
                     "                                      \n");
    style.format = COUNT_FIELDS;
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, style), "1.050000123,5,,a\"b,web,2000,100.00,,\n");
    style.format = COUNT_JSON;
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, style),
                     "{\"interval\" : 1.050000123, \"counter-value\" : \"5.000000\", \"unit\" : \"\", \"event\" : "
                     "\"a\\\"b\", \"cgroup\" : \"web\", \"event-runtime\" : 2000, \"pcnt-running\" : 100.00, "
                     "\"metric-value\" : 0.000000, \"metric-unit\" : \"\"}\n");
    style = (struct count_style){.format = COUNT_FIELDS, .summary = true};
    cr_expect_str_eq(rendered(&out, COUNT_GLOBAL, line, style), "summary,5,,a\"b,web,2000,100.00,,\n");
    text_done(&out);
}

Test(event_counts, rates_have_prefixes)
{
    static const struct {
        double rate;
        const char *fields;
    } cases[] = {{0, "0.000,/sec"}, {999.9, "999.900,/sec"}, {1000.5, "1.000,K/sec"}, {2.5e6, "2.500,M/sec"},
                 {3e9, "3.000,G/sec"}, {4e12, "4000.000,G/sec"}};
    struct text out = {0};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct count_line line = line_of("x", COUNT_COUNTED, 5);
        line.ratios[0] = (struct count_ratio){RATIO_PER_SECOND, cases[at].rate, NULL};
        const char *text = rendered(&out, COUNT_GLOBAL, line, FIELDS);
        cr_expect(strstr(text, cases[at].fields), "%s", text);
    }
    text_done(&out);
}

Test(event_counts, head_and_foot)
{
    struct text out = {0};
    struct count_report report = {.run_count = 1, .elapsed_ns = 1048000};
    struct count_caption caption = {.subject = "'true'", .has_usage = true, .user_seconds = 0.5, .system_seconds = 0.25};
    count_header_render(&out, &report, &caption, &TEXT);
    count_footer_render(&out, &report, &caption, &TEXT);
    cr_expect_str_eq(text_string(&out), "\n Performance counter stats for 'true':\n\n"
                                        "\n       0.001048000 seconds time elapsed\n"
                                        "\n       0.500000000 seconds user\n       0.250000000 seconds sys\n\n\n");
    text_clear(&out);
    report = (struct count_report){.run_count = 3, .elapsed_ns = 1048000, .elapsed_error_ns = 154000};
    struct count_style style = {.format = COUNT_TEXT, .several_runs = true};
    count_header_render(&out, &report, &caption, &style);
    count_footer_render(&out, &report, &caption, &style);
    cr_expect_str_eq(text_string(&out), "\n Performance counter stats for 'true' (3 runs):\n\n"
                                        "\n          0.001048 +- 0.000154 seconds time elapsed  ( +- 14.69% )\n\n");
    text_done(&out);
}
