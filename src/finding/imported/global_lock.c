/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * To take such a lock takes CPU time only where another thread has it: what a profile shows of that is a fact. That it
 * holds the program up follows where its threads used about one CPU together.
 */
#include "finding/imported/global_lock.h"

#include "analyse/imported_pair.h"
#include "analyse/time/wait_locks.h"
#include "base/place_names.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"

#include <string.h>

const char *imported_global_lock(const char *function)
{
    /* they hand it to a thread that waits */
    static const struct {
        const char *name, *taken_by;
    } releasing[] = {
        {"drop_gil", "take_gil"}, {"gvl_release", "gvl_acquire"}, {"st_masterlock_release", "st_masterlock_acquire"}};
    for (size_t at = 0; at < array_count(releasing); at++)
        function = strcmp(function, releasing[at].name) == 0 ? releasing[at].taken_by : function;
    return wait_lock_of(WAIT_UNKNOWN, &function, 1).global_lock;
}

struct taking {
    double share; /* 0..1 of the samples */
    const char *lock, *function, *file;
};

static struct taking taking_in(const struct imported_table *table)
{
    struct taking taking = {.file = table->file};
    double most = 0;
    bool is_of_time = strstr(table->event, "cycles") || strstr(table->event, "clock") || !table->event[0];
    for (size_t row = 0; row < table->count && table->kind == IMPORTED_REPORT && is_of_time; row++) {
        const struct imported_row *here = &table->rows[row];
        const char *lock = imported_global_lock(here->name);
        if (!lock)
            continue;
        taking.share += here->number / 100;
        taking.lock = here->number > most ? lock : taking.lock;
        taking.function = here->number > most ? here->name : taking.function;
        most = here->number > most ? here->number : most;
    }
    return taking;
}

/* "16 threads", "--threads 16", "-t 16 threads"; 0: it isn't told, or in several ways. */
static double threads_in(struct view text)
{
    double number, before = 0, found = 0;
    bool after_name = false;
    for (struct view word; (word = view_word(&text)).length;) {
        while (word.length && strchr(",;:.()\"'", word.text[word.length - 1]))
            word.length--;
        struct view value = word, name = view_cut(&value, '=');
        bool is_number = view_decimal(word, &number), is_plain = view_equal(word, "threads");
        bool is_set = view_equal(name, "--threads") && view_decimal(value, &number);
        double here = is_set || (after_name && is_number) ? number : is_plain ? before : 0;
        if (here > found)
            found = here;
        before = is_number ? number : 0;
        after_name = view_equal(word, "--threads");
    }
    return found;
}

static double threads_told(const struct results *results)
{
    double most = 0;
    for (size_t at = 0; results->statements && at < results->statements->count; at++) {
        double threads = threads_in(view_of(results->statements->items[at].text));
        most = threads > most ? threads : most;
    }
    return most;
}

/* How many CPUs it used at once, on average: by GNU time and its like, else by the only counts with both times. */
static struct measured cpus_used(const struct imported *imported, const char **ret_file)
{
    const struct imported_row *row = imported_row_of(imported, IMPORTED_PLACES, PLACE_CPUS_USED, ret_file);
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    if (row)
        return measured_as(row->number);
    for (size_t at = 0, count = imported_arms_of(imported, arms); at < count; at++) {
        struct measured cpu_s = imported_arm_cpu_s(&arms[at]);
        *ret_file = arms[at].table->file;
        if (cpu_s.known && arms[at].elapsed_s.known && arms[at].elapsed_s.value > 0)
            return measured_as(cpu_s.value / arms[at].elapsed_s.value);
    }
    return not_measured("nobody says how many CPUs it used");
}

static void one_by_one_say(struct finding *finding, const struct taking *taking, double cpus, double threads,
                           const char *cpus_file)
{
    struct value values[] = {VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_TEXT("lock", taking->lock),
                             VALUE_SHARE("share", interval_exactly(taking->share)),
                             VALUE_TEXT("function", taking->function),
                             VALUE_TEXT("file", taking->file),
                             VALUE_TEXT("times", cpus_file),
                             VALUE_TEXT("threads", arena_printf(finding->arena, "%.0f", threads)),
                             VALUE_TEXT("cpus", arena_printf(finding->arena, "%.3g", cpus)),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-global-cpus", values, array_count(values));
    finding_set_add(finding, &finding->headline, "imported-global-cpus-headline", values, array_count(values));
}

bool imported_global_lock_test(const struct results *results, struct finding *finding)
{
    static const double ONE_CPU_LEAST = 0.75, ONE_CPU_MOST = 1.3, SEEN_LEAST = 0.005;
    struct taking most = {.share = 0};
    const char *cpus_file = "";
    for (size_t at = 0; at < results->imported->count; at++) {
        struct taking here = taking_in(&results->imported->tables[at]);
        most = here.share > most.share ? here : most;
    }
    struct measured cpus = cpus_used(results->imported, &cpus_file);
    double threads = threads_told(results);
    bool one_by_one = cpus.known && cpus.value >= ONE_CPU_LEAST && cpus.value <= ONE_CPU_MOST && threads >= 2;
    if (most.share < SEEN_LEAST || (!one_by_one && most.share < results->effect))
        return false;
    finding_decide_fact(finding, interval_exactly(one_by_one ? 1 - cpus.value / threads : most.share), results->effect);
    finding->of = one_by_one ? OF_ELAPSED : OF_CPU_TIME;
    finding->is_own_doing = true;
    finding->imported_kinds |= 1u << ORIGIN_SAMPLES | (one_by_one ? 1u << ORIGIN_SCHEDULER : 0);
    imported_say(finding,
                 arena_printf(finding->arena, "the share of samples in taking %s (%s first)", most.lock, most.function),
                 interval_exactly(most.share), most.file);
    if (one_by_one && finding->verdict == VERDICT_SUPPORTED)
        one_by_one_say(finding, &most, cpus.value, threads, cpus_file);
    finding_advise(finding, "advice-global", VALUE_TEXT("lock", most.lock));
    finding_advise(finding, "advice-native", NO_VALUES);
    finding_set(finding, confirm, "confirm-global", NO_VALUES);
    return true;
}
