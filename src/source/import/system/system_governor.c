/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which clock the kernel asks for: the files of /sys/devices/system/cpu/cpu0/cpufreq, as grep or a shell prints them,
 * and cpupower frequency-info.
 */
#include "source/import/system/system_reading.h"

#include <ctype.h>
#include <string.h>

static struct view unquoted(struct view word)
{
    while (word.length && strchr("\"'`.,;", word.text[0]) && word.text[0])
        word = view_skip(word, 1);
    while (word.length && strchr("\"'`.,;", word.text[word.length - 1]) && word.text[word.length - 1])
        word.length--;
    return word;
}

static void name_meet(char *kept, struct view name, bool *ret_differs)
{
    name = unquoted(name);
    size_t length = name.length < GOVERNOR_NAME_MOST - 1 ? name.length : GOVERNOR_NAME_MOST - 1;
    if (!length || !isalpha((unsigned char)name.text[0]))
        return;
    *ret_differs |= kept[0] && !view_equal((struct view){name.text, length}, kept);
    memcpy(kept, name.text, length);
    kept[length] = '\0';
}

static void clock_meet(double *kept, double mhz, bool *ret_differs)
{
    if (!(mhz > 0))
        return;
    *ret_differs |= *kept > 0 && (*kept > mhz || *kept < mhz);
    *kept = mhz;
}

static void file_meet(struct governor *governor, struct view file, struct view value)
{
    const double KHZ_A_MHZ = 1e3;
    double khz;
    bool is_number = view_double(value, &khz);
    if (view_equal(file, "scaling_governor"))
        name_meet(governor->name, value, &governor->differs);
    else if (view_equal(file, "scaling_driver"))
        name_meet(governor->driver, value, &governor->differs);
    else if (is_number && view_equal(file, "cpuinfo_max_freq"))
        clock_meet(&governor->most_mhz, khz / KHZ_A_MHZ, &governor->differs);
    else if (is_number && (view_equal(file, "scaling_min_freq") ||
                           (view_equal(file, "cpuinfo_min_freq") && !(governor->least_mhz > 0))))
        governor->least_mhz = khz / KHZ_A_MHZ;
}

/* "…/cpufreq/scaling_governor:powersave", or the path alone, whose content is the next line. */
static bool file_read(struct system_reading *reading, struct view line)
{
    static const char folder[] = "/cpufreq/";
    ptrdiff_t at = view_find(line, folder);
    if (at < 0) {
        struct view file = reading->cpufreq_file;
        reading->cpufreq_file = (struct view){0};
        if (!file.length || !line.length || view_find(line, " ") >= 0)
            return false;
        file_meet(&reading->governor, file, line);
        return true;
    }
    struct view value = view_skip(line, (size_t)at + sizeof(folder) - 1), file;
    for (ptrdiff_t inner; (inner = view_find(value, folder)) >= 0;)
        value = view_skip(value, (size_t)inner + sizeof(folder) - 1);
    size_t length = 0;
    while (length < value.length && (islower((unsigned char)value.text[length]) || value.text[length] == '_'))
        length++;
    file = (struct view){value.text, length};
    value = view_skip(value, length);
    bool is_command = view_starts(line, "$") || view_starts(line, "#") || view_starts(line, "cat ");
    reading->cpufreq_file = is_command && !value.length ? file : (struct view){0};
    if (!length || is_command || !(view_starts(value, ":") || view_starts(value, "=") || view_starts(value, " ")))
        return false;
    struct view rest = view_skip(value, 1), word = view_word(&rest);
    file_meet(&reading->governor, file, word);
    return true;
}

/* "800 MHz", "3.80 GHz" */
static double megahertz(struct view *rest)
{
    double value, units = 0;
    struct view number = view_word(rest), unit = unquoted(view_word(rest));
    units = view_equal(unit, "GHz") ? 1e3 : view_equal(unit, "MHz") ? 1 : view_equal(unit, "kHz") ? 1e-3 : 0;
    return view_double(number, &value) ? value * units : 0;
}

/* cpupower frequency-info, in its words. */
static bool cpupower_read(struct system_reading *reading, struct view line)
{
    static const char limits[] = "hardware limits:", driver[] = "driver:", decides[] = "The governor \"";
    struct governor *governor = &reading->governor;
    if (view_starts(line, "analyzing CPU ")) {
        reading->in_cpupower = true;
        return true;
    }
    if (view_starts(line, decides)) {
        struct view rest = view_skip(line, sizeof(decides) - 1), name = view_cut(&rest, '"');
        name_meet(governor->name, name, &governor->differs);
        return true;
    }
    if (view_starts(line, limits)) {
        struct view rest = view_skip(line, sizeof(limits) - 1), dash;
        double least = megahertz(&rest);
        dash = view_word(&rest);
        double most = megahertz(&rest);
        if (!dash.length || !(least > 0 && most >= least))
            return false;
        clock_meet(&governor->least_mhz, least, &governor->differs);
        clock_meet(&governor->most_mhz, most, &governor->differs);
        return true;
    }
    if (!reading->in_cpupower || !view_starts(line, driver))
        return false;
    struct view rest = view_skip(line, sizeof(driver) - 1);
    name_meet(governor->driver, view_word(&rest), &governor->differs);
    return true;
}

bool system_governor_read(struct system_reading *reading, struct view line)
{
    line = view_trim(line);
    return file_read(reading, line) || cpupower_read(reading, line);
}
