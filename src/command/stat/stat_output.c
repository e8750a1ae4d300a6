/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the result goes, and how it looks. */
#include "base/scope.h"
#include "base/vec.h"
#include "command/stat/stat.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    HEADER_EVERY = 26 /* intervals after which the column heads are printed again */
};

/* Where the result goes. */

bool stat_output_open(struct stat_run *run, struct error *err)
{
    const struct stat_options *options = &run->options;
    uint64_t fd = 0;
    run->out = run->context->talk;
    if (options->quiet) {
        run->out = fopen("/dev/null", "we");
        run->own_out = run->out != NULL;
        run->context->talk = run->own_out ? run->out : run->context->talk;
        return run->own_out || error_system(err, errno, "can't open '/dev/null'");
    }
    if (options->log_fd) {
        if (!view_u64(view_of(options->log_fd), 10, &fd) || fd > INT_MAX)
            return error_set(err, ERROR_USAGE, "'%s' is no file descriptor", options->log_fd);
        int own_fd = fcntl((int)fd, F_DUPFD_CLOEXEC, 3);
        run->out = own_fd < 0 ? NULL : fdopen(own_fd, "a");
        if (!run->out)
            return error_system(err, errno, "can't write to descriptor %s", options->log_fd);
        run->own_out = true;
    } else if (options->output && strcmp(options->output, "-") != 0) {
        run->out = fopen(options->output, options->append ? "ae" : "we");
        if (!run->out)
            return error_system(err, errno, "can't write '%s'", options->output);
        run->own_out = true;
        time_t now = time(NULL);
        char date[64];
        struct tm local;
        if (localtime_r(&now, &local) && strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", &local))
            fprintf(run->out, "# started on %s\n\n", date);
    }
    return true;
}

static bool output_flush(struct stat_run *run, struct text *text, struct error *err)
{
    if (text_write_file(text, run->out) && fflush(run->out) == 0)
        return true;
    return error_system(err, errno, "can't write the result");
}

/* Thousands are grouped where the user's locale groups them; decimals are always written with a point. */
static bool locale_groups_thousands(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_NUMERIC", "LANG"};
    const char *name = NULL;
    for (size_t at = 0; at < array_count(variables) && (!name || !*name); at++)
        name = getenv(variables[at]);
    if (!name || !*name || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0 || strncmp(name, "C.", 2) == 0)
        return false;
    locale_t locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
    if (!locale)
        return false;
    const char *separator = nl_langinfo_l(THOUSEP, locale);
    bool groups = separator && *separator;
    freelocale(locale);
    return groups;
}

static const char *separator_of(const char *text)
{
    return strcmp(text, "\\t") == 0 ? "\t" : text;
}

void stat_style_prepare(struct stat_run *run)
{
    const struct stat_options *options = &run->options;
    struct count_style *style = &run->style;
    style->format = options->json ? COUNT_JSON : options->separator ? COUNT_FIELDS : COUNT_TEXT;
    style->separator = options->separator ? separator_of(options->separator) : ",";
    style->group_thousands = style->format == COUNT_TEXT && !options->no_big_num &&
                             (options->big_num || locale_groups_thousands());
    style->interval = options->interval_ms > 0;
    style->metric_only = options->metric_only || options->topdown;
    style->skip_zero_threads = run->target.every_thread;
}

/* Printing. */

static const char *subject_of(struct stat_run *run)
{
    const struct stat_options *options = &run->options;
    if (run->target.all_cpus || run->target.every_thread)
        return "'system wide'";
    if (run->target.cpus)
        return arena_printf(&run->arena, "'CPU(s) %s'", run->target.cpus);
    if (options->processes)
        return arena_printf(&run->arena, "process id '%s'", options->processes);
    if (options->threads)
        return arena_printf(&run->arena, "thread id '%s'", options->threads);
    struct text words = {0};
    for (size_t at = 0; run->argv && run->argv[at]; at++)
        text_printf(&words, "%s%s", at ? " " : "", run->argv[at]);
    const char *subject = arena_printf(&run->arena, "'%s'", text_string(&words));
    text_done(&words);
    return subject;
}

bool stat_window_show(void *context, const struct count_table *window)
{
    struct stat_run *run = context;
    struct count_report report = {0};
    scoped_text struct text out = {0};
    count_report_add(&report, window, &run->counts);
    count_report_finish(&report, window);
    struct arena arena = {0};
    stat_metrics_compute(run, &report, &arena);
    struct count_style style = run->style;
    style.unit_width = count_unit_width(&report);
    style.several_runs = false;
    if (run->options.interval_clear && style.format == COUNT_TEXT && isatty(fileno(run->out)))
        text_add(&out, "\033[H\033[2J");
    if (run->windows++ % HEADER_EVERY == 0 || run->options.interval_clear)
        count_interval_header_render(&out, &report, &style);
    count_lines_render(&out, &report, window->end_ns, &style);
    stat_metrics_say(run, &report);
    count_report_done(&report);
    arena_done(&arena);
    return output_flush(run, &out, NULL);
}

/* The whole, after the last run. */
bool stat_report_show(struct stat_run *run, const struct count_table *table, struct error *err)
{
    struct count_report *report = &run->report;
    scoped_text struct text out = {0};
    struct count_style style = run->style;
    count_report_finish(report, table);
    stat_metrics_compute(run, report, &run->arena);
    style.unit_width = count_unit_width(report);
    style.several_runs = report->run_count > 1 || run->options.repeat > 1;
    style.interval = false;
    style.summary = run->options.summary && !run->options.no_csv_summary;
    bool one_program = run->argv && !run->target.all_cpus && !run->target.cpus && !run->target.processes &&
                       !run->target.threads && !run->target.every_thread;
    struct count_caption caption = {
        .subject = subject_of(run),
        .has_usage = one_program && !style.several_runs,
        .user_seconds = (double)run->usage.ru_utime.tv_sec + (double)run->usage.ru_utime.tv_usec / 1e6,
        .system_seconds = (double)run->usage.ru_stime.tv_sec + (double)run->usage.ru_stime.tv_usec / 1e6,
        .run_seconds = run->options.table ? run->run_seconds : NULL,
        .nothing_counted = run->events.count == 0,
    };
    count_header_render(&out, report, &caption, &style);
    count_lines_render(&out, report, report->run_count ? (uint64_t)report->elapsed_ns : 0, &style);
    count_footer_render(&out, report, &caption, &style);
    bool good = output_flush(run, &out, err);
    stat_metrics_say(run, report);
    return good;
}
