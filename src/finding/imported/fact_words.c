/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/imported/fact_words.h"

#include "analyse/profile/folded_profile.h"
#include "base/share_names.h"
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
    {SHARE_BELOW_HIGHEST_HOT, "what heat took of the clock, from the highest here,"},
    {SHARE_BELOW_TSC_HOT, "what heat took of the clock, from the TSC's,"},
    {SHARE_BELOW_HIGHEST, "how far the clock was below its highest here"},
    {SHARE_BELOW_TSC, "how far the clock was below its TSC's"},
    {SHARE_AWAY, "the part of the time in which it ran on no CPU"},
    {SHARE_NOT_COMPUTED,
     "the part of the time off its CPU of the process that computes, while nothing waited for storage"},
    {SHARE_KERNEL, "the kernel's part of the CPU time (sys of user + sys)"},
    {SHARE_IDLE, "the idle part of the CPUs' time"},
    {SHARE_WANTED_CPU, "the part of the time in which something waited for a CPU"},
    {SHARE_DISK_DELAY, "the part of the time that it waited for block I/O"},
    {SHARE_FULLEST_NODE_USED, "the fullest node's part of all memory in use"},
    {SHARE_FULLEST_NODE, "the fullest node's part of its memory"},
    {SHARE_BUSIEST_NODE, "the busiest node's part of the traffic"},
    {SHARE_PACKETS_OF_ONE, "one CPU's part of the packets' interrupts (NET_RX)"},
    {SHARE_SPINNING_LOCKS, "the part at spinning locks of all waits for locks"},
    {SHARE_SLEEPING_TIME, "the part of its threads' time in waits for sleeping locks of the kernel"},
    {SHARE_SLEEPING_TIME_ALL,
     "what all that ran on the machine waited for sleeping locks of the kernel, of its threads' "
     "time,"},
    {SHARE_SLEEPING_LOCKS, "the part at sleeping locks of all waits for locks"},
    {SHARE_NO_CPU, "the part of the threads that could run without a CPU for them"},
    {SHARE_NO_CPU_NONE_IDLE, "the part of the threads that could run without a CPU for them, while none stood idle,"},
    {SHARE_READY, "the part of the time that it could run without a CPU for it"},
    {SHARE_READY_TOGETHER, "the part of the time that its tasks, all together, could run without a CPU for them"},
    {SHARE_LOAD_BEYOND, "the part of the load average that is beyond the CPUs"},
    {SHARE_SMALL_PAGES, "the part on small pages of its anonymous memory"},
    {SHARE_GC_TIME, "the part of the time in garbage collection"},
    {SHARE_GC_PAUSES, "the part of the time in pauses for garbage collection"},
    {SHARE_SESSIONS_AT_LOCKS, "the part of the database's active sessions in waits for locks"},
    {SHARE_SPIN_IMBALANCE,
     "the part of all threads' CPU time in spinning till others are ready (imbalance or serial work)"},
    {SHARE_SPIN_LOCKS, "the part of all threads' CPU time in spinning for locks"},
    {SHARE_QUERIES_LOCKED, "the part of the time of the queries that were logged as slow in waits for locks"},
    {SHARE_WITHOUT_GIL,
     "the part of the active threads, in stacks that were looked at, without the lock that all need"},
    {SHARE_SESSIONS_AT_CLIENT, "the part of the database's sessions in a transaction that waited for their client"},
    {SHARE_SESSIONS_AT_CLIENT_SEEN,
     "the part of the database's sessions in a transaction, at a few looks, that waited for their client"},
    {SHARE_SESSIONS_AT_LOG,
     "the part of the database's sessions in a transaction that waited for its log to reach storage"},
    {SHARE_SESSIONS_AT_LOG_SEEN,
     "the part of the database's sessions in a transaction, at a few looks, that waited for its log to "
     "reach storage"},
    {SHARE_SESSIONS_AT_STORAGE, "the part of the database's sessions in a transaction that waited for storage"},
    {SHARE_SESSIONS_AT_STORAGE_SEEN,
     "the part of the database's sessions in a transaction, at a few looks, that waited for storage"},
    {SHARE_GC_STALLS, "the part of the time, since the first of them, in which threads stood in allocation stalls"},
    {SHARE_REMOTE_WEIGHT, "the part of sampled loads' waiting time that went to another node's memory"},
    {SHARE_LOCAL_WEIGHT, "the part of sampled loads' waiting time that went to their own node's memory"},
    {SHARE_ONE_THREAD_STORAGE, "the part of one thread's time in calls that wait for storage"},
    {SHARE_INTERRUPTS_FULL, "interrupts' part of the time of one CPU that is full"},
    {SHARE_INTERRUPTS_OF_ONE, "interrupts' part of the time of one CPU that has time left"},
    {SHARE_HOT_CPUS, "the part of the CPUs that heat throttled"},
    {SHARE_GIVEN_AWAY, "the part of the pages that was given to other nodes"},
    {SHARE_HITM_OF_SHARED, "the part of the sampled loads of shared lines that hit another core's changed line (HITM)"},
    {SHARE_HITM, "the part of the loads that hit another core's changed line (HITM)"},
};

const char *imported_fact_words(const char *fact)
{
    for (size_t at = 0; at < array_count(facts); at++)
        if (strcmp(facts[at].fact, fact) == 0)
            return facts[at].words;
    return fact;
}
