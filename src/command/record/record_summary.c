/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/record/record_summary.h"

#include <string.h>

static void say(const struct record_summary *summary, const char *text)
{
    if (!summary->quiet)
        fprintf(summary->talk, "plumb record: %s\n", text);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Of a recording whose unwinder was chosen by trial: both parts of it, as its reader will meet both. */
static void dumps_after_trial(char *text, size_t size, const struct record_summary *summary,
                              const struct recorder_result *result, const char *cut)
{
    const struct unwound_share *unwound = summary->unwound;
    int used = snprintf(
        text, size,
        "frame pointers led to the thread's root in %.0f %% of the first %llu user stacks, so the later ones were "
        "copied (--call-graph fp insists). ",
        percent(result->stacks_at_root, result->user_stacks), (unsigned long long)result->user_stacks);
    if (!result->stack_dumps)
        snprintf(text + used, size - (size_t)used, "None came");
    else if (unwound && unwound->stacks)
        snprintf(text + used, size - (size_t)used,
                 "Of %llu copies %llu were unwound: %.1f %% of them lead to the root%s",
                 (unsigned long long)result->stack_dumps, (unsigned long long)unwound->stacks,
                 percent(unwound->at_root, unwound->stacks), cut);
    else
        snprintf(text + used, size - (size_t)used, "Of %llu copies it isn't known how many lead there: %s",
                 (unsigned long long)result->stack_dumps,
                 summary->not_unwound ? summary->not_unwound : "none could be unwound");
}

/* Stack dumps: what unwinding some of them says, and whether they were long enough. */
static void say_dumps(const struct record_summary *summary, const struct recorder_result *result)
{
    const struct unwound_share *unwound = summary->unwound;
    char text[600], cut[120] = "";
    if (unwound && unwound->at_dump_end)
        snprintf(cut, sizeof(cut), "; %.1f %% end where the copy does: --call-graph dwarf,BYTES copies more",
                 percent(unwound->at_dump_end, unwound->stacks));
    if (result->user_stacks)
        dumps_after_trial(text, sizeof(text), summary, result, cut);
    else if (unwound && unwound->stacks)
        snprintf(text, sizeof(text), "%.1f %% of user stacks reach their thread's root (stack dumps; %llu of %llu were "
                 "unwound)%s", percent(unwound->at_root, unwound->stacks), (unsigned long long)unwound->stacks,
                 (unsigned long long)result->stack_dumps, cut);
    else if (result->stack_dumps)
        snprintf(text, sizeof(text), "%llu stack dumps; how many reach their thread's root isn't known: %s",
                 (unsigned long long)result->stack_dumps,
                 summary->not_unwound ? summary->not_unwound : "none could be unwound");
    else
        snprintf(text, sizeof(text), "no stack of user space was sampled");
    say(summary, text);
}

static void say_frame_pointers(const struct record_summary *summary, const struct recorder_result *result)
{
    char text[300];
    double share = percent(result->stacks_at_root, result->user_stacks);
    if (result->stacks_judged)
        snprintf(text, sizeof(text), "%.1f %% of %llu user stacks reach their thread's root (frame pointers)%s", share,
                 (unsigned long long)result->user_stacks,
                 share < 50 ? "; --call-graph dwarf copies stacks instead" : "");
    else
        snprintf(text, sizeof(text), "too few user stacks to tell how many reach their thread's root");
    say(summary, text);
}

static void say_stacks(const struct record_summary *summary, const struct recorder_result *result)
{
    if (result->callchain == CALLCHAIN_DWARF)
        say_dumps(summary, result);
    else if (result->callchain == CALLCHAIN_FRAME_POINTERS)
        say_frame_pointers(summary, result);
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

/* Nothing was sampled of a program that the kernel lets nobody look into. */
static void say_guarded(const struct record_summary *summary, const struct recorder_result *result)
{
    char text[700];
    if (!summary->guarded || result->samples)
        return;
    snprintf(
        text, sizeof(text),
        "no samples: '%.300s' is %s, and the kernel detaches all events from such a program when it starts; as root, "
        "-a samples all CPUs, or -p PID samples it once it runs",
        summary->program, summary->guarded);
    say(summary, text);
}

void record_summary_say(const struct record_summary *summary, const struct recorder_result *result, bool complete)
{
    char text[600];
    bool to_pipe = strcmp(summary->output, "-") == 0;
    snprintf(text, sizeof(text), "%llu samples%s, %.3f MB%s%s", (unsigned long long)result->samples,
             complete ? "" : ", not all of them written", (double)result->bytes / 1e6, to_pipe ? "" : " in ",
             to_pipe ? "" : summary->output);
    say(summary, text);
    say_guarded(summary, result);
    say_stacks(summary, result);
    if (result->code_pages) {
        snprintf(text, sizeof(text), "%llu page%s of code that no file holds %s copied (%llu KiB)",
                 (unsigned long long)result->code_pages, result->code_pages == 1 ? "" : "s",
                 result->code_pages == 1 ? "was" : "were", (unsigned long long)result->code_bytes / 1024);
        say(summary, text);
    }
    if (result->files_kept) {
        snprintf(
            text, sizeof(text),
            "%zu sampled %s that no path here leads to (of a container, or deleted) %s kept in ~/.debug for the reader",
            result->files_kept, result->files_kept == 1 ? "binary" : "binaries",
            result->files_kept == 1 ? "is" : "are");
        say(summary, text);
    }
    say_losses(summary, result);
}
