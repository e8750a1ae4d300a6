/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of what are a report's shares, and of a profile of CPUs: whose time is it? Comment lines above a table. */
#ifndef PLUMB_COMMAND_REPORT_REPORT_HOST_H
#define PLUMB_COMMAND_REPORT_REPORT_HOST_H

#include "analyse/profile/host_profile.h"
#include "analyse/profile/places.h"
#include "analyse/profile/sample_tally.h"
#include "source/source.h"

struct report_host_request {
    const struct source *source;
    const struct sample_tally *tally;
    struct places *places;
    uint32_t event;
    bool is_filtered; /* by CPU, time, process: what was let through is the whole */
};

bool report_host_is_of_cpus(const struct source *source);
void report_host_lines(struct text *out, const struct report_host_request *request);

#endif
