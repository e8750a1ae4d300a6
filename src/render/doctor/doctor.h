/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What plumb doctor found, as text for the eye and as JSON.
 *
 * Sees plain results only: the machine's facts, the measured capabilities, the settings. The JSON document's shape is
 * versioned (DOCTOR_JSON_VERSION) and described in doc/schema-doctor.md.
 */
#ifndef PLUMB_RENDER_DOCTOR_DOCTOR_H
#define PLUMB_RENDER_DOCTOR_DOCTOR_H

#include "probe/capability/capability.h"
#include "probe/setting/setting.h"
#include "render/page.h"

enum { DOCTOR_JSON_VERSION = 1 };

struct doctor_report {
    const struct machine *machine;
    const struct capabilities *capabilities;
    const struct settings *settings;
    bool verbose; /* text: every setting and every effect, also the fine ones */
};

void doctor_text(struct page *page, const struct doctor_report *report);
void doctor_json(struct text *out, const struct doctor_report *report);

#endif
