/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How one setting is read and judged: what the rows of the table in setting.c share.
 *
 * A row's function leaves a state and a value, an effect unless the setting is fine, and the writes that would set it
 * right. Private to src/probe/setting.
 */
#ifndef PLUMB_PROBE_SETTING_SETTING_ROW_H
#define PLUMB_PROBE_SETTING_SETTING_ROW_H

#include "probe/setting/setting.h"

struct setting_reader {
    const struct sysroot *root;
    const struct machine *machine;
    const struct capabilities *capabilities;
    const struct cpu_time *later;
    struct arena *arena;
};

__attribute__((format(printf, 3, 4))) void setting_value(struct setting *setting, enum setting_state state,
                                                         const char *format, ...);
/* basis: by what the effect is known, "measured: …" or "documented: …". */
__attribute__((format(printf, 3, 4))) void setting_effect(struct setting *setting, const char *basis,
                                                          const char *format, ...);
void setting_unknown_number(struct setting *setting, const struct fact_number *fact);
void setting_unknown_word(struct setting *setting, const struct fact_word *fact);
/* The one file to write, what to, and what it holds now. */
void setting_write_one(struct setting *setting, const struct setting_reader *reader, const char *path,
                       const char *wanted, const char *now);
void setting_write_number(struct setting *setting, const struct setting_reader *reader, const char *path,
                          int64_t wanted, int64_t now);

typedef void setting_read(struct setting *setting, const struct setting_reader *reader);

setting_read setting_read_governor, setting_read_energy_preference, setting_read_turbo,
    setting_read_throttling, setting_read_clocksource, setting_read_idle;
setting_read setting_read_huge_pages, setting_read_numa_balancing, setting_read_swap,
    setting_read_same_page_merging;
setting_read setting_read_smt, setting_read_steal, setting_read_quota, setting_read_load, setting_read_aslr,
    setting_read_mitigations;
setting_read setting_read_watchdog, setting_read_sample_rate, setting_read_paranoid,
    setting_read_kernel_pointers, setting_read_open_files;

#endif
