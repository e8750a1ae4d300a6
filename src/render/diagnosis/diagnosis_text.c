/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "render/diagnosis/diagnosis.h"
#include "render/diagnosis/text/sections.h"

void diagnosis_text(struct text *out, const struct diagnosis *diagnosis, const struct text_style *style)
{
    enum diagnosis_basis basis = diagnosis_basis_of(diagnosis);
    struct sheet sheet = {out, style, diagnosis, basis == BASIS_IMPORTED};
    const struct surroundings *machine = diagnosis->results->surroundings;
    static const char *const marks[] = {
        [BASIS_COUNTERS] = "", [BASIS_ESTIMATE] = "  ESTIMATED (no PMU)", [BASIS_IMPORTED] = "  IMPORTED (not ours)"};
    const char *mark = marks[basis];
    scoped_text struct text title = {0};
    text_printf(&title, "plumb diagnose  %s", diagnosis->subject);
    scoped_text struct text cut = {0};
    text_fitted(&cut, text_string(&title), sheet_width(&sheet) - strlen(mark));
    sheet_coloured(&sheet, SHEET_BOLD, text_string(&cut));
    if (mark[0])
        sheet_coloured(&sheet, SHEET_YELLOW, mark);
    text_add_char(out, '\n');
    if (machine && machine->cpu[0]) {
        scoped_text struct text line = {0};
        text_printf(&line, "%s%s%s%s%s", machine->cpu, machine->microarchitecture[0] ? ", " : "",
                    machine->microarchitecture, machine->is_guest ? ", guest of " : ", ", machine->hypervisor);
        scoped_text struct text shown = {0};
        text_shortened(&shown, text_string(&line), sheet_width(&sheet));
        sheet_coloured(&sheet, SHEET_DIM, text_string(&shown));
        text_add_char(out, '\n');
    }
    sheet_verdict_section(&sheet);
    sheet_bottleneck_section(&sheet);
    if (style->quiet)
        return;
    sheet_topdown_section(&sheet);
    sheet_time_section(&sheet);
    sheet_host_section(&sheet);
    sheet_programs_section(&sheet);
    sheet_measures_section(&sheet);
    sheet_wait_section(&sheet);
    sheet_code_section(&sheet);
    sheet_memory_section(&sheet);
    sheet_vector_section(&sheet);
    sheet_phase_section(&sheet);
    sheet_findings_section(&sheet, VERDICT_SUPPORTED, "SUPPORTED", SHEET_RED);
    sheet_findings_section(&sheet, VERDICT_UNDECIDED, "UNDECIDED", SHEET_YELLOW);
    sheet_findings_section(&sheet, VERDICT_RULED_OUT, "RULED OUT", SHEET_GREEN);
    sheet_findings_section(&sheet, VERDICT_NOT_TESTABLE, "NOT TESTABLE HERE", SHEET_DIM);
    sheet_statements_section(&sheet);
    sheet_gaps_section(&sheet);
    if (diagnosis->case_folder) {
        text_printf(out, "\nThe case is in %s; plumb diagnose --case %s shows it again.\n", diagnosis->case_folder,
                    diagnosis->case_folder);
    }
}
