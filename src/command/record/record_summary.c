/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/record/record_summary.h"

#include <string.h>

static void say(const struct record_summary *summary, const char *text)
{
    if (!summary->quiet)
        fprintf(summary->talk, "plumb record: %s\n", text);
}

static const char *mode_name(enum callchain_mode mode)
{
    switch (mode) {
    case CALLCHAIN_DWARF:
        return "stack dumps";
    case CALLCHAIN_LBR:
        return "branch records";
    default:
        return "frame pointers";
    }
}

static void say_stacks(const struct record_summary *summary, const struct recorder_result *result)
{
    char text[300];
    if (result->callchain == CALLCHAIN_NONE)
        return;
    if (result->callchain == CALLCHAIN_DWARF && result->stack_dumps) {
        snprintf(text, sizeof(text), "%.1f %% of %llu stack dumps filled the size asked for%s",
                 100.0 * (double)result->stack_dumps_full / (double)result->stack_dumps,
                 (unsigned long long)result->stack_dumps,
                 result->stack_dumps_full ? ": what lay deeper is cut (--call-graph dwarf,BYTES)" : "");
        say(summary, text);
    } else if (result->callchain == CALLCHAIN_FRAME_POINTERS && result->stacks_judged) {
        double share = 100.0 * (double)result->stacks_at_root / (double)result->user_stacks;
        snprintf(text, sizeof(text), "%.1f %% of %llu user stacks reach their thread's root (%s)%s", share,
                 (unsigned long long)result->user_stacks, mode_name(result->callchain),
                 share < 50 ? "; --call-graph dwarf copies stacks instead" : "");
        say(summary, text);
    } else if (result->callchain == CALLCHAIN_FRAME_POINTERS) {
        say(summary, "too few user stacks to tell how many reach their thread's root");
    }
}

static void say_losses(const struct record_summary *summary, const struct recorder_result *result)
{
    char text[300];
    if (result->lost_samples || result->lost_records) {
        uint64_t lost = result->lost_samples ? result->lost_samples : result->lost_records;
        snprintf(text, sizeof(text), "LOST %llu %s (%.1f %%): larger buffers (-m, now %zuK) or a lower rate (-F) help",
                 (unsigned long long)lost, result->lost_samples ? "samples" : "records",
                 100.0 * (double)lost / (double)(lost + result->samples), result->ring_bytes / 1024);
        say(summary, text);
    }
    if (result->throttles) {
        snprintf(text, sizeof(text), "the kernel throttled sampling %llu times: the rate was too high for this machine",
                 (unsigned long long)result->throttles);
        say(summary, text);
    }
    if (result->broken_bytes) {
        snprintf(text, sizeof(text), "%llu bytes from the kernel were no records and are left out",
                 (unsigned long long)result->broken_bytes);
        say(summary, text);
    }
}

void record_summary_say(const struct record_summary *summary, const struct recorder_result *result, bool complete)
{
    char text[600];
    bool to_pipe = strcmp(summary->output, "-") == 0;
    snprintf(text, sizeof(text), "%llu samples%s, %.3f MB%s%s", (unsigned long long)result->samples,
             complete ? "" : ", not all of them written", (double)result->bytes / 1e6, to_pipe ? "" : " in ",
             to_pipe ? "" : summary->output);
    say(summary, text);
    say_stacks(summary, result);
    if (result->code_pages) {
        snprintf(text, sizeof(text), "%llu pages of code that no file holds were copied (%llu KiB)",
                 (unsigned long long)result->code_pages, (unsigned long long)result->code_bytes / 1024);
        say(summary, text);
    }
    say_losses(summary, result);
}
