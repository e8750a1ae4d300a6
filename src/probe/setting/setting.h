/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which settings of this machine distort a measurement, by how much as far as that is measured or documented, and
 * which files put them right?
 *
 * Each setting keeps the values read now, so that a script can put them back. Does not write anything.
 */
#ifndef PLUMB_PROBE_SETTING_SETTING_H
#define PLUMB_PROBE_SETTING_SETTING_H

#include "probe/capability/capability.h"

enum setting_state {
    SETTING_UNKNOWN = 0, /* value says why */
    SETTING_FINE,
    SETTING_NOTE,        /* changes what is measured; belongs to the machine and is left alone */
    SETTING_DISTORTS
};

struct setting_write {
    const char *path;   /* may hold shell wildcards, where all files hold `now` */
    const char *wanted, *now;
};

struct setting {
    const char *key, *title;
    enum setting_state state;
    char value[200];    /* as found, or why unknown */
    char effect[300];   /* what it does to a measurement; empty when fine */
    const char *basis;  /* "measured", "documented: …"; NULL when there is no effect */
    const struct setting_write *writes; /* what would put it right; none: nothing a script may do */
    size_t write_count;
};

struct settings {
    struct setting *items;
    size_t count;
};

/*
 * Owner of everything: arena. later is /proc/stat read again after capabilities_measure, for the steal meanwhile; equal
 * to machine->cpu_time where nothing was measured.
 */
void settings_read(struct settings *settings, const struct sysroot *root, const struct machine *machine,
                   const struct capabilities *capabilities, const struct cpu_time *later, struct arena *arena);

const char *setting_state_name(enum setting_state state);

/* A shell script whose `set` puts the distorting ones right and whose `restore` puts back what was read. */
void settings_script(const struct settings *settings, struct text *out);

#endif
