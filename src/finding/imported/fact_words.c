/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/imported/fact_words.h"

#include "analyse/profile/folded_profile.h"
#include "base/vec.h"

#include <string.h>

static const struct {
    const char *fact, *words;
} facts[] = {
    {FOLDED_LOCKS_TIME, "the part of its threads' time in waits for locks"},
    {FOLDED_STORAGE_TIME, "the part of its threads' time in waits for storage"},
    {FOLDED_NETWORK_TIME, "the part of its threads' time in waits for the network"},
    {FOLDED_LOCKS, "the part for locks of what it waited off a CPU"},
    {FOLDED_STORAGE, "the part for storage of what it waited off a CPU"},
    {FOLDED_NETWORK, "the part for the network of what it waited off a CPU"},
    {"1 - Bzy_MHz / its highest here, throttled by heat,", "what heat took of the clock, from the highest here,"},
    {"1 - Bzy_MHz / TSC_MHz, throttled by heat,", "what heat took of the clock, from the TSC's,"},
    {"1 - Bzy_MHz / its highest here", "how far the clock was below its highest here"},
    {"1 - Bzy_MHz / TSC_MHz", "how far the clock was below its TSC's"},
    {"1 - (user + sys) / elapsed", "the part of the time in which it ran on no CPU"},
    {"sys / (user + sys)", "the kernel's part of the CPU time (sys of user + sys)"},
    {"%idle", "the idle part of the CPUs' time"},
    {"time in which something waited for a CPU", "the part of the time in which something waited for a CPU"},
    {"block I/O delay / elapsed", "the part of the time that it waited for block I/O"},
    {"memory in use on the fullest node / all in use", "the fullest node's part of all memory in use"},
    {"memory on its fullest node / all", "the fullest node's part of its memory"},
    {"traffic of the busiest node / all", "the busiest node's part of the traffic"},
    {"packets' interrupts (NET_RX) on one CPU / on all", "one CPU's part of the packets' interrupts (NET_RX)"},
    {"throttled time / nr_periods of 100 ms", "the part of the time in which it was throttled"},
    {"nr_throttled / nr_periods", "the part of the periods in which it was throttled"},
    {"waits for spinning locks / for locks", "the part at spinning locks of all waits for locks"},
    {"waits for sleeping locks / for locks", "the part at sleeping locks of all waits for locks"},
    {"threads that could run and had no CPU / all that could run",
     "the part of the threads that could run without a CPU for them"},
    {"threads that could run and had no CPU / all that could run, while none stood idle,",
     "the part of the threads that could run without a CPU for them, while none stood idle,"},
    {"ready without a CPU / ready or running", "the part of the time that it could run without a CPU for it"},
    {"anonymous memory on small pages / all of it", "the part on small pages of its anonymous memory"},
    {"garbage collection / time", "the part of the time in garbage collection"},
    {"pauses for garbage collection / elapsed", "the part of the time in pauses for garbage collection"},
    {"sessions that wait for locks / all that are active",
     "the part of the database's active sessions in waits for locks"},
    {"allocation stalls / elapsed since the first",
     "the part of the time, since the first of them, in which threads stood in allocation stalls"},
    {"weight of loads from another node's memory / of all that were sampled",
     "the part of sampled loads' waiting time that went to another node's memory"},
    {"weight of loads from their own node's memory / of all that were sampled",
     "the part of sampled loads' waiting time that went to their own node's memory"},
    {"time of one thread in calls that wait for storage / all of it",
     "the part of one thread's time in calls that wait for storage"},
    {"%irq + %soft of one CPU, which is full", "interrupts' part of the time of one CPU that is full"},
    {"%irq + %soft of one CPU, which has time left", "interrupts' part of the time of one CPU that has time left"},
    {"CPUs that heat throttled / all that were looked at", "the part of the CPUs that heat throttled"},
    {"pages given to other nodes / all", "the part of the pages that was given to other nodes"},
    {"HITM / loads of shared lines",
     "the part of the sampled loads of shared lines that hit another core's changed line (HITM)"},
    {"HITM / loads", "the part of the loads that hit another core's changed line (HITM)"},
};

const char *imported_fact_words(const char *fact)
{
    for (size_t at = 0; at < array_count(facts); at++)
        if (strcmp(facts[at].fact, fact) == 0)
            return facts[at].words;
    return fact;
}
