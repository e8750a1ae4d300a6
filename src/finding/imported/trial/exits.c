/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/exits/exit_reason.h"
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/evidence.h"
#include "finding/imported/trial/attempts.h"
#include "finding/imported/trial/effect.h"
#include "finding/imported/trial/kinds.h"
#include "finding/imported/trial/say.h"

#include <string.h>

static double sum_of(const struct imported_table *table, const char *part)
{
    double sum = 0;
    for (size_t row = 0; row < table->count; row++)
        sum += !part || strcasestr(table->rows[row].name, part) ? table->rows[row].number : 0;
    return sum;
}

const struct imported_table *trial_exits_table(const struct imported *imported, size_t wanted)
{
    for (size_t at = 0; at < imported->count; at++)
        if (imported->tables[at].kind == IMPORTED_EXITS && wanted-- == 0)
            return &imported->tables[at];
    return NULL;
}

static const char *table_words(const struct imported_table *table)
{
    return table->heading[0] ? table->heading : table->file;
}

void trial_say_exits(const struct results *results, struct finding *finding)
{
    const struct imported_table *first = trial_exits_table(results->imported, 0),
                                *second = trial_exits_table(results->imported, 1);
    if (first && second)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-beside",
                         VALUE_TEXT("one", table_words(first)), VALUE_COUNT("count", sum_of(first, NULL)),
                         VALUE_TEXT("other", table_words(second)), VALUE_COUNT("others", sum_of(second, NULL)),
                         VALUE_TEXT("file", second->file));
}

void trial_say_violations(const struct results *results, struct finding *finding)
{
    const struct imported_table *first = trial_exits_table(results->imported, 0),
                                *second = trial_exits_table(results->imported, 1);
    if (!first || !second)
        return;
    double one = sum_of(first, "EPT_VIOLATION") + sum_of(first, "NPF"),
           other = sum_of(second, "EPT_VIOLATION") + sum_of(second, "NPF");
    if ((one <= 0 && other <= 0) || (one < 10 * other && other < 10 * one))
        return;
    const struct imported_table *most = one > other ? first : second;
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-violations",
                     VALUE_TEXT("one", table_words(most)), VALUE_COUNT("count", one > other ? one : other),
                     VALUE_COUNT("others", one > other ? other : one));
}

/* Of all but halts those exits that no timer makes, by their time where the table has it. */
struct tickless {
    double share; /* 0..1; 0: no table */
    const char *reason;
    bool by_time;
};

static const struct exit_reason *reason_of(const char *name)
{
    uint64_t number;
    bool numbered = view_u64(view_of(name), 0, &number);
    const struct exit_reason *reason =
        numbered ? exit_reason_find(EXIT_ISA_VMX, number) : exit_reason_named(EXIT_ISA_NONE, name);
    return reason || !numbered ? reason : exit_reason_find(EXIT_ISA_SVM, number);
}

/* Its timer's interrupt goes this way, or it is armed so: whether a tick made such an exit isn't told. */
static bool may_be_of_tick(const struct exit_reason *reason)
{
    static const char *const names[] = {"INTERRUPT_WINDOW",
                                        "TPR_BELOW_THRESHOLD",
                                        "APIC_ACCESS",
                                        "APIC_WRITE",
                                        "EOI_INDUCED",
                                        "vintr",
                                        "write_cr8",
                                        "avic_unaccelerated_access",
                                        "vmgexit", /* of what the guest asks for, its writes of MSRs are one kind */
                                        "KVM_EXIT_INTR",
                                        "KVM_EXIT_IRQ_WINDOW_OPEN",
                                        "KVM_EXIT_IOAPIC_EOI",
                                        "KVM_EXIT_X86_WRMSR"};
    for (size_t at = 0; at < array_count(names); at++)
        if (strcmp(reason->name, names[at]) == 0)
            return true;
    return reason->class != EXIT_CLASS_OTHER;
}

static struct tickless tickless_of(const struct imported *imported)
{
    struct tickless found = {.by_time = imported_exits_of(imported).seconds.known};
    double all = 0, others = 0, most = 0;
    for (size_t at = 0; trial_exits_table(imported, at); at++)
        for (size_t row = 0; row < trial_exits_table(imported, at)->count; row++) {
            const struct imported_row *here = &trial_exits_table(imported, at)->rows[row];
            const struct exit_reason *reason = reason_of(here->name);
            double amount = found.by_time ? here->seconds : here->number;
            bool is_other = !reason || !may_be_of_tick(reason);
            all += reason && reason->class == EXIT_CLASS_IDLE ? 0 : amount;
            others += is_other ? amount : 0;
            found.reason = is_other && amount > most ? here->name : found.reason;
            most = is_other && amount > most ? amount : most;
        }
    found.share = all > 0 ? others / all : 0;
    return found;
}

/* Ticks are some of the exits: how many of them went with it, a table or the sentence must tell. */
static bool tells_exits(const struct results *results, const struct told_trial *trial)
{
    return trial_exits_table(results->imported, 0) || strcasestr(trial->sentence, "exit");
}

/* Exits that no tick makes are as many without it: most of them, and the trial tells nothing of their cost. */
static bool stays_open_for_others(const struct results *results, struct finding *finding,
                                  const struct told_trial *trial)
{
    static const double MOST_OF = 0.5;
    struct tickless others = tickless_of(results->imported);
    if (!finding_is(finding, "vm-exits") || others.share < MOST_OF)
        return false;
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    trial_say(finding, trial, WEIGHT_CONTEXT);
    finding_set(finding, reason, "told-tickless", VALUE_TEXT("sentence", trial->sentence),
                VALUE_SHARE("share", interval_exactly(others.share)),
                VALUE_TEXT("of", others.by_time ? "the time outside the guest" : "the exits"),
                VALUE_TEXT("reason", others.reason), VALUE_TEXT("origin", IMPORTED_WORDS));
    return true;
}

bool trial_tick_test(const struct results *results, const struct told *told, struct finding *finding,
                     const struct told_trial *trial)
{
    if (finding_is(finding, "vm-exits") && !tells_exits(results, trial))
        return false;
    if (trial_effect_kind(told, trial, results->effect) == EFFECT_NONE &&
        stays_open_for_others(results, finding, trial))
        return true;
    if (trial_effect_kind(told, trial, results->effect) == EFFECT_NONE) {
        trial_rule_out(results, told, finding, trial);
        return true;
    }
    if (finding_is(finding, "vm-exits"))
        return false;
    trial_decide_by_gap(results, told, finding, trial);
    trial_say(finding, trial, WEIGHT_FOR);
    trial_say_exits(results, finding);
    finding_set(finding, headline, "told-headline", VALUE_TEXT("outcome", trial_outcome_words(trial)),
                VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, returner, "told-returner", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
    return true;
}

void imported_tick_beside(const struct results *results, struct finding *finding)
{
    const struct told_trial *contrary, *trial = trial_for(results, finding, &contrary);
    if (trial && !contrary && finding->verdict == VERDICT_SUPPORTED &&
        trial_effect_kind(results->told, trial, results->effect) != EFFECT_NONE)
        trial_say(finding, trial, WEIGHT_FOR);
}
