/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program of another processor, whose instructions are translated while it runs: told by whose binary is at work. */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/maker.h"

#include <string.h>

/* Those that translate whatever they run. What runs guests by hardware (qemu-system) may, and is none. */
static const struct emulator {
    const char *prefix;    /* of the binary's name */
    bool needs_translated; /* some of the time is in code made while it runs: else it does something else */
} emulators[] = {
    {"qemu-system-", true}, {"qemu-", false},  {"box64", false}, {"box86", false},
    {"FEX", false},         {"rosetta", true}, {"dosbox", true}, {"exagear", true},
};

/* Tools of the same family that run no foreign code. */
static const char *const not_emulators[] = {"qemu-img", "qemu-io",      "qemu-nbd",  "qemu-ga",   "qemu-bridge",
                                            "qemu-pr-", "qemu-storage", "qemu-vmsr", "qemu-edid", "qemu-keymap"};

static const struct emulator *emulator_of(const char *dso)
{
    for (size_t at = 0; at < array_count(not_emulators); at++)
        if (strncmp(dso, not_emulators[at], strlen(not_emulators[at])) == 0)
            return NULL;
    for (size_t at = 0; at < array_count(emulators); at++)
        if (strncmp(dso, emulators[at].prefix, strlen(emulators[at].prefix)) == 0)
            return &emulators[at];
    return NULL;
}

struct emulated {
    const struct stall_function *hottest; /* of the emulator itself; NULL: there is none */
    const struct emulator *by;
    double own, translated; /* samples */
};

static struct emulated emulated_of(const struct stalls *stalls)
{
    struct emulated found = {0};
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        if (function->is_kernel)
            continue;
        const struct emulator *by = emulator_of(function->dso);
        found.translated += function_is_generated(function) ? (double)function->samples : 0;
        if (!by)
            continue;
        found.own += (double)function->samples;
        found.hottest = found.hottest ? found.hottest : function;
        found.by = found.by ? found.by : by;
    }
    if (!found.hottest || (found.by->needs_translated && found.translated <= 0))
        found = (struct emulated){0};
    return found;
}

bool is_emulated(const struct results *results)
{
    return results->stalls && emulated_of(results->stalls).hottest;
}

static void emulated_test(const struct results *results, struct finding *finding)
{
    struct emulated found = emulated_of(results->stalls);
    struct interval share = share_of_samples(results, finding, found.own + found.translated);
    finding_decide_fact(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT || !found.hottest) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    struct value own = VALUE_SHARE("own", share_of_samples(results, finding, found.own)),
                 translated = VALUE_SHARE("translated", share_of_samples(results, finding, found.translated)),
                 dso = VALUE_TEXT("dso", found.hottest->dso), all = VALUE_SHARE("share", share);
    finding->subject = found.hottest->dso;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "named", dso, own, translated);
    if (found.translated > 0)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "generated", translated);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline", dso, own, translated, all);
    finding_set(finding, reason, "gain", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
    finding_advise(finding, "advice-helpers", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_emulated = {
    .id = "emulated",
    .family = "build",
    .title = "emulating another processor",
    .rule = "a fact when a known emulator and the code that it makes hold the effect; ruled out when they hold less",
    .gain = "0 to that share",
    .overturn = "the same program built for this processor",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = emulated_test,
};
