/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of a diagnosis as text. One with nothing to say writes nothing. */
#ifndef PLUMB_RENDER_DIAGNOSIS_TEXT_SECTIONS_H
#define PLUMB_RENDER_DIAGNOSIS_TEXT_SECTIONS_H

#include "render/diagnosis/text/sheet.h"

/* verdict_sections.c */
void sheet_verdict_section(struct sheet *sheet);
void sheet_bottleneck_section(struct sheet *sheet);
void sheet_topdown_section(struct sheet *sheet);
/* What a finding would return: an interval, "up to 12 %", "not bounded". */
void sheet_gain(struct text *out, const struct finding *finding);
/* A tree within it, or within a phase. */
void sheet_topdown_tree(struct sheet *sheet, const struct topdown_counted *counted);

/* time_sections.c */
void sheet_time_section(struct sheet *sheet);
void sheet_host_section(struct sheet *sheet);
void sheet_programs_section(struct sheet *sheet);
void sheet_measures_section(struct sheet *sheet);

/* wait_section.c */
void sheet_wait_section(struct sheet *sheet);

/* code_sections.c */
void sheet_code_section(struct sheet *sheet);
void sheet_memory_section(struct sheet *sheet);
void sheet_vector_section(struct sheet *sheet);
void sheet_phase_section(struct sheet *sheet);

/* finding_sections.c */
void sheet_findings_section(struct sheet *sheet, enum verdict verdict, const char *title, enum sheet_colour colour);
void sheet_statements_section(struct sheet *sheet);
void sheet_gaps_section(struct sheet *sheet);

#endif
