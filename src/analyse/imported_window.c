/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/imported_window.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

/* As perf stat's own heading says, or the command above it. */
static bool is_attached(const struct imported_arm *arm)
{
    static const char *const words[] = {"process id '", "thread id '", "'system wide'", "for 'CPU(s) ", "sleep "};
    for (size_t at = 0; at < array_count(words); at++)
        if (strstr(arm->table->heading, words[at]))
            return true;
    return false;
}

/* Whole seconds, and what starting and ending it takes. */
static bool is_whole(struct measured seconds)
{
    static const double BELOW = 1e-3, START = 0.02, EACH = 2e-3, MOST = 0.1;
    double whole = seconds.known ? floor(seconds.value + BELOW) : 0;
    return whole >= 1 && seconds.value - whole <= fmin(START + EACH * whole, MOST);
}

static bool are_alike(struct measured one, struct measured other, double apart)
{
    return one.known && other.known && fabs(one.value - other.value) <= apart * fmax(one.value, other.value);
}

static bool are_windows(const struct imported_arm *one, const struct imported_arm *other)
{
    static const double AS_LONG = 0.01, JUST_AS_LONG = 0.002, AS_MUCH = 0.05;
    bool attached = is_attached(one) && is_attached(other);
    struct measured work = imported_arm_count(one, "instructions"), beside = imported_arm_count(other, "instructions");
    if (!one->elapsed_s.known && !other->elapsed_s.known) /* by what their CPUs had of it */
        return attached && are_alike(imported_arm_cpu_s(one), imported_arm_cpu_s(other), AS_LONG);
    if (attached && are_alike(one->elapsed_s, other->elapsed_s, AS_LONG))
        return true;
    return is_whole(one->elapsed_s) && is_whole(other->elapsed_s) &&
           are_alike(one->elapsed_s, other->elapsed_s, JUST_AS_LONG) && work.known && beside.known &&
           !are_alike(work, beside, AS_MUCH);
}

void imported_windows_mark(struct imported_arm *arms, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        arms[at].is_window = is_attached(&arms[at]) && is_whole(arms[at].elapsed_s);
        for (size_t other = 0; other < count; other++)
            arms[at].is_window |= other != at && are_windows(&arms[at], &arms[other]);
    }
    for (size_t at = 0; at < count; at++)
        if (arms[at].is_window) {
            arms[at].window_s = arms[at].elapsed_s;
            arms[at].elapsed_s = not_measured("it was counted for a set time, not over a run");
        }
}

struct measured imported_arm_length(const struct imported_arm *arm)
{
    return arm->is_window ? arm->window_s : arm->elapsed_s;
}

struct measured imported_throughput(const struct imported_arm *arm)
{
    struct measured length = imported_arm_length(arm);
    return measured_ratio(imported_arm_count(arm, "instructions"), length.known ? length : imported_arm_cpu_s(arm));
}
