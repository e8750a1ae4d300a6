/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/setting/setting_row.h"

#include "base/vec.h"

void setting_value(struct setting *setting, enum setting_state state,
                                                           const char *format, ...)
{
    va_list args;
    setting->state = state;
    va_start(args, format);
    vsnprintf(setting->value, sizeof(setting->value), format, args);
    va_end(args);
}

void setting_effect(struct setting *setting, const char *basis, const char *format,
                                                            ...)
{
    va_list args;
    setting->basis = basis;
    va_start(args, format);
    vsnprintf(setting->effect, sizeof(setting->effect), format, args);
    va_end(args);
}

void setting_unknown_number(struct setting *setting, const struct fact_number *fact)
{
    setting_value(setting, SETTING_UNKNOWN, "unknown: %s", fact->why);
}

void setting_unknown_word(struct setting *setting, const struct fact_word *fact)
{
    setting_value(setting, SETTING_UNKNOWN, "unknown: %s", fact->why);
}

void setting_write_one(struct setting *setting, const struct setting_reader *reader, const char *path,
                       const char *wanted, const char *now)
{
    struct setting_write *write = arena_new(reader->arena, struct setting_write);
    *write = (struct setting_write){arena_string(reader->arena, path), arena_string(reader->arena, wanted),
                                    arena_string(reader->arena, now)};
    setting->writes = write;
    setting->write_count = 1;
}

void setting_write_number(struct setting *setting, const struct setting_reader *reader, const char *path,
                          int64_t wanted, int64_t now)
{
    const char *to = arena_printf(reader->arena, "%lld", (long long)wanted),
               *from = arena_printf(reader->arena, "%lld", (long long)now);
    setting_write_one(setting, reader, path, to, from);
}

/* ---- table ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *key, *title;
    setting_read *read;
} rows[] = {
    {"governor", "frequency governor", setting_read_governor},
    {"energy-preference", "energy preference", setting_read_energy_preference},
    {"turbo", "turbo", setting_read_turbo},
    {"thermal-throttling", "thermal throttling", setting_read_throttling},
    {"idle-states", "C-states", setting_read_idle},
    {"clocksource", "clocksource", setting_read_clocksource},
    {"smt", "SMT", setting_read_smt},
    {"steal", "steal", setting_read_steal},
    {"cpu-quota", "CPU quota", setting_read_quota},
    {"load", "other load", setting_read_load},
    {"huge-pages", "transparent huge pages", setting_read_huge_pages},
    {"numa-balancing", "NUMA balancing", setting_read_numa_balancing},
    {"swap", "swap", setting_read_swap},
    {"same-page-merging", "same-page merging", setting_read_same_page_merging},
    {"aslr", "address randomisation", setting_read_aslr},
    {"mitigations", "mitigations", setting_read_mitigations},
    {"nmi-watchdog", "NMI watchdog", setting_read_watchdog},
    {"sample-rate", "highest sampling rate", setting_read_sample_rate},
    {"open-files", "open files", setting_read_open_files},
    {"paranoid", "perf_event_paranoid", setting_read_paranoid},
    {"kernel-pointers", "kptr_restrict", setting_read_kernel_pointers},
};

void settings_read(struct settings *settings, const struct sysroot *root, const struct machine *machine,
                   const struct capabilities *capabilities, const struct cpu_time *later, struct arena *arena)
{
    const struct setting_reader reader = {root, machine, capabilities, later, arena};
    settings->items = arena_array(arena, struct setting, array_count(rows));
    settings->count = array_count(rows);
    for (size_t at = 0; at < array_count(rows); at++) {
        settings->items[at] = (struct setting){.key = rows[at].key, .title = rows[at].title};
        rows[at].read(&settings->items[at], &reader);
    }
}

const char *setting_state_name(enum setting_state state)
{
    static const char *const names[] = {[SETTING_UNKNOWN] = "unknown", [SETTING_FINE] = "fine", [SETTING_NOTE] = "note",
                                        [SETTING_DISTORTS] = "distorts"};
    return names[state];
}

/* ---- script --------------------------------------------------------------------------------------------- */

/* In single quotes, for the shell: values come from files that a snapshot may have brought. */
static void add_quoted(struct text *out, const char *value)
{
    text_add_char(out, '\'');
    for (; *value; value++)
        if (*value == '\'')
            text_add(out, "'\\''");
        else
            text_add_char(out, *value);
    text_add_char(out, '\'');
}

/* A path is ours except for names of folders; what is not plain gets quoted, and then matches no wildcard. */
static void add_path(struct text *out, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_-.*";
    if (path[strspn(path, plain)])
        add_quoted(out, path);
    else
        text_add(out, path);
}

static void add_writes(const struct settings *settings, struct text *out, bool restore)
{
    bool any = false;
    for (size_t at = 0; at < settings->count; at++) {
        const struct setting *setting = &settings->items[at];
        if (setting->state != SETTING_DISTORTS || !setting->write_count)
            continue;
        text_printf(out, "    # %s\n", setting->title);
        for (size_t each = 0; each < setting->write_count; each++) {
            any = true;
            text_add(out, "    put ");
            add_quoted(out, restore ? setting->writes[each].now : setting->writes[each].wanted);
            text_add_char(out, ' ');
            add_path(out, setting->writes[each].path);
            text_add_char(out, '\n');
        }
    }
    if (!any)
        text_add(out, "    : # nothing to change\n");
}

void settings_script(const struct settings *settings, struct text *out)
{
    text_add(
        out,
        "#!/bin/sh\n"
        "# Written by plumb doctor --script. As root: 'sh FILE set' before measuring, 'sh FILE restore' afterwards;\n"
        "# restore puts back what was read when this was written.\n"
        "status=0\n"
        "put() {\n"
        "    value=$1; shift\n"
        "    for file; do\n"
        "        if printf '%s\\n' \"$value\" > \"$file\"; then echo \"$file: $value\"\n"
        "        else echo \"$file: could not be set to $value\" >&2; status=1; fi\n"
        "    done\n"
        "}\n"
        "case \"${1:-}\" in\n"
        "set)\n");
    add_writes(settings, out, false);
    text_add(out, "    ;;\nrestore)\n");
    add_writes(settings, out, true);
    text_add(out, "    ;;\n*)\n    echo \"usage: $0 set|restore\" >&2\n    exit 2\n    ;;\nesac\nexit $status\n");
    for (size_t at = 0; at < settings->count; at++) {
        const struct setting *setting = &settings->items[at];
        if (setting->state == SETTING_DISTORTS && !setting->write_count)
            text_printf(out, "# not by script: %s (%s)\n", setting->title, setting->value);
        if (setting->state == SETTING_NOTE && setting->write_count)
            text_printf(out, "# left alone: %s (%s); to change it: echo %s > %s\n", setting->title, setting->value,
                        setting->writes[0].wanted, setting->writes[0].path);
    }
}
