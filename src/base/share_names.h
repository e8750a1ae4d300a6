/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How are rows called that hold a share of what others' tables tell of a whole system, in percent? source/import writes
 * them, finding reads them (IMPORTED_SYSTEM); %-names are those of the tools.
 */
#ifndef PLUMB_BASE_SHARE_NAMES_H
#define PLUMB_BASE_SHARE_NAMES_H

/* ---- CPUs ---- */
#define SHARE_STEAL "%steal"
#define SHARE_STEAL_OF_ONE "%steal of one CPU"
#define SHARE_IO_WAIT "%iowait"
#define SHARE_IO_WAIT_SWAPPED "%iowait while it swapped"
#define SHARE_IDLE "%idle"
#define SHARE_IDLE_OF_ALL "%idle of all CPUs"
#define SHARE_INTERRUPTS "%irq + %soft"
#define SHARE_INTERRUPTS_FULL "%irq + %soft of one CPU, which is full"
#define SHARE_INTERRUPTS_OF_ONE "%irq + %soft of one CPU, which has time left"
#define SHARE_PACKETS_OF_ONE "packets' interrupts (NET_RX) on one CPU / on all"
#define SHARE_KERNEL "sys / (user + sys)"
#define SHARE_AWAY "1 - (user + sys) / elapsed"
#define SHARE_CPUS_USED "(user + sys) / elapsed" /* where that is more than one: 103 % are 1.03 CPUs */
#define SHARE_CPUS_OF_PROCESS "CPU time of each such process / elapsed"
#define SHARE_BUSIEST_PROCESS "CPU time of the busiest process / one CPU"
/* where: the process; other CPUs stand idle, and nothing waits for storage */
#define SHARE_NOT_COMPUTED "time off its CPU of the process that computes, while nothing waited for storage,"
#define SHARE_KERNEL_WENT "sys that the faster run hasn't / the slower run's time" /* of two timed runs */
/* 50 %: twice as many threads did as much together */
#define SHARE_SCALING "work of each thread, of what it was with half as many"

/* ---- waits for CPUs ---- */
#define SHARE_WANTED_CPU "time in which something waited for a CPU"
#define SHARE_NO_CPU "threads that could run and had no CPU / all that could run"
#define SHARE_NO_CPU_NONE_IDLE "threads that could run and had no CPU / all that could run, while none stood idle,"
#define SHARE_READY "ready without a CPU / ready or running"
/* the same of all rows together; where: how many */
#define SHARE_READY_TOGETHER    "ready without a CPU / ready or running, of all rows together,"
#define SHARE_RAN_MOST          "CPU time of the row with most of it / of all" /* where: whose */
#define SHARE_LOAD_BEYOND       "load average beyond the CPUs / load average"  /* where: both */
#define SHARE_THROTTLED_PERIODS "nr_throttled / nr_periods"

/* ---- waits for storage and memory ---- */
#define SHARE_DISK_DELAY "block I/O delay / elapsed"
#define SHARE_STALLED_BY_MEMORY "time in which all that could run waited for memory"
/* 100 %; where: which, how often */
#define SHARE_GROUP_MEMORY       "a control group that came up to its limit of memory"
#define SHARE_STALLED_BY_STORAGE "time in which all that could run waited for storage"
/* calls that end when storage has the data; where: the first of them */
#define SHARE_ONE_THREAD_STORAGE "time of one thread in calls that wait for storage / all of it"
/* where: the device, and how long its requests took */
#define SHARE_DEVICE_BUSY "time with requests at the busiest device"
/* the same, of requests that are short and hardly more than one at a time, while no thread waits for storage */
#define SHARE_DEVICE_SHORT  "time with requests at the busiest device, short ones that nothing waited for"
#define SHARE_CALLS_WAITING "of the time in system calls, waiting"
#define SHARE_CALLS_WORKING "of the time in system calls, what isn't waiting"
/* neither their names nor how long each takes tell; seconds: of them all */
#define SHARE_CALLS_MAY_WAIT "of the time in system calls, what may be either"

/* where: "Seq Scan on events, filter (…): 40 rows removed, 2 kept" */
#define SHARE_SCAN_DROPS "scan of a whole table that drops nearly all of it / the query's time"

/* ---- the build ---- */
#define SHARE_BUILT_PLAIN     "a compiler's command that asks for no optimising" /* 100 %; where: the command */
#define SHARE_BUILT_OPTIMISED "a compiler's command that asks for optimising"    /* 100 % */

/* ---- locks ---- */
#define SHARE_SPINNING_LOCKS "waits for spinning locks / for locks"
#define SHARE_SLEEPING_LOCKS "waits for sleeping locks / for locks"
/* by a table of one program's; _ALL: of all that ran on the machine, if they are this one's */
#define SHARE_SLEEPING_TIME     "waits for sleeping locks of the kernel / time of all its threads"
#define SHARE_SLEEPING_TIME_ALL "all waits for sleeping locks of the kernel / time of its threads"
#define SHARE_ONE_LOCK "waits for one lock, of a kind that isn't told, / for locks"
#define SHARE_ONE_TASK "waits of one task for locks / of all"
#define SHARE_SESSIONS_AT_LOCKS "sessions that wait for locks / all that are active"
/* where: the event that most of them wait for; _SEEN: by few looks at sessions */
#define SHARE_SESSIONS_AT_LOG      "sessions that wait for the log to reach storage / all in a transaction"
#define SHARE_SESSIONS_AT_LOG_SEEN "sessions seen waiting for the log to reach storage / all in a transaction"
/* of operations that are hardly ever of several numbers; where: "1126 million a second, 0 packed" */
#define SHARE_SCALAR "scalar floating-point operations / instructions"
/* by VTune: in threads that spin because others aren't ready, or for a lock */
#define SHARE_SPIN_IMBALANCE "imbalance or serial spinning / CPU time of all threads"
#define SHARE_SPIN_LOCKS     "spinning for locks / CPU time of all threads"
/* by a server's own counts; where: "keys, 1840 calls of 411 ms" */
#define SHARE_OF_COMMANDS    "time in the command with most of it / in all commands"
#define SHARE_QUERIES_LOCKED "waits for locks of logged queries / the time that they took" /* where: a statement */
/* of stacks that somebody looked at, idle ones left out; where: "8 of 10 stacks are in parse_exp, called by regcomp" */
#define SHARE_STACKS_IN_ONE "stacks that stand in one place / all that were seen"
#define SHARE_WITHOUT_GIL   "active threads that haven't the lock which all need / all active ones" /* where: which */
/* in a transaction that it began */
#define SHARE_SESSIONS_AT_CLIENT       "sessions that wait for their client / all in a transaction"
#define SHARE_SESSIONS_AT_CLIENT_SEEN  "sessions seen waiting for their client / all in a transaction"
#define SHARE_SESSIONS_AT_STORAGE      "sessions that wait for storage / all in a transaction"
#define SHARE_SESSIONS_AT_STORAGE_SEEN "sessions seen waiting for storage / all in a transaction"

/* ---- the clock ---- */
#define SHARE_BELOW_HIGHEST_HOT "1 - Bzy_MHz / its highest here, throttled by heat,"
#define SHARE_BELOW_TSC_HOT "1 - Bzy_MHz / TSC_MHz, throttled by heat,"
#define SHARE_BELOW_HIGHEST "1 - Bzy_MHz / its highest here"
#define SHARE_BELOW_TSC "1 - Bzy_MHz / TSC_MHz"
/* where: a package of the same that heat didn't throttle, its clock and degrees */
#define SHARE_BELOW_HIGHEST_COOL "1 - Bzy_MHz / its highest here, of a package that heat didn't throttle,"
/* of a package that heat throttled; where: both */
#define SHARE_OF_DESIGN_POWER "PkgWatt of the package that heat throttled / its TDP"
#define SHARE_HOT_CPUS "CPUs that heat throttled / all that were looked at"
/* 100 %: the log says so; of how many it says nothing */
#define SHARE_HEAT_LOGGED "a CPU that heat throttled, by the kernel's log"

/* ---- memory ---- */
/* of the time that sampled loads waited, by perf mem */
#define SHARE_REMOTE_WEIGHT "weight of loads from another node's memory / of all that were sampled"
#define SHARE_LOCAL_WEIGHT "weight of loads from their own node's memory / of all that were sampled" /* the same */
#define SHARE_FULLEST_NODE_USED "memory in use on the fullest node / all in use"
#define SHARE_FULLEST_NODE "memory on its fullest node / all"
#define SHARE_BUSIEST_NODE "traffic of the busiest node / all"
#define SHARE_MEMORY_AWAY "memory on another node than it runs on / all"
#define SHARE_GIVEN_AWAY "pages given to other nodes / all"
#define SHARE_SMALL_PAGES "anonymous memory on small pages / all of it"
#define SHARE_WITHOUT_HUGE "areas that may have huge pages and have none / all that may"
#define SHARE_WITHOUT_ROOM "areas that may have huge pages and no room for one / all that may"
#define SHARE_BANDWIDTH_USED "memory bandwidth in use, of the most there is" /* where: of how much */
#define SHARE_HITM "HITM / loads"
#define SHARE_HITM_OF_SHARED "HITM / loads of shared lines"

/* ---- garbage collection ---- */
#define SHARE_GC_STALLS "allocation stalls / elapsed since the first"
#define SHARE_GC_TIME "garbage collection / time"
#define SHARE_GC_TIME_SHORT "garbage collection / time, by a short log"
#define SHARE_GC_PAUSES "pauses for garbage collection / elapsed"
#define SHARE_GC_PAUSES_ALONE "pauses for garbage collection / elapsed, concurrent work left out"
#define SHARE_GC_LOGGED "logged pauses for garbage collection / elapsed"
#define SHARE_GC_LOGGED_SHORT "logged pauses for garbage collection / elapsed, by a short log"
/* the least of several full collections; where: how much, first and last */
#define SHARE_HEAP_KEPT "heap that a full collection leaves / heap"
#define SHARE_GC_WHOLE "garbage collections / elapsed"

/* What goes to memory, GB/s, where nobody tells how much there could be. */
#define RATE_BANDWIDTH "memory bandwidth, GB/s"

#endif
