# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks that somebody looked at: dumps of gdb, jstack and py-spy, and counts of such."""
import pytest

from imported_case import finding


def sentence(found):
    return found["verdict"]["sentence"]


def advice(found):
    return " ".join(found["verdict"]["advice"])


def gdb(frames, thread="Thread 1 (LWP 7120):"):
    lines = [f"#{at}  {'0x00007f22 in ' if at else ''}{name} (a=0x1, b=\"(x)\") at app.c:{40 + at}" for at, name in enumerate(frames)]
    return thread + "\n" + "\n".join(lines) + "\n\n"


HOT, READS, OTHER = ["next_token", "parse_rule", "load_rules", "handle", "main"], ["read", "fill", "main"], ["peek", "parse_rule", "load_rules", "handle", "main"]


def test_backtraces_of_gdb_are_looks_of_which_most_stand_in_one_place(alone):
    found = alone("Ten times gdb -batch -ex 'thread apply all bt':\n\n```\n" + gdb(HOT) * 7 + gdb(READS) * 3 + "```\n")
    assert "7 of 10 stacks are in next_token, called by parse_rule, load_rules, handle" in sentence(found), sentence(found)
    assert "nothing that was read tells which code" not in advice(found) and "how often" in advice(found)
    assert not any(one["verdict"] == "supported" for one in found["findings"])


def test_where_innermost_functions_differ_what_most_share_is_named(alone):
    found = alone(gdb(HOT) * 4 + gdb(OTHER) * 4 + gdb(READS) * 2)
    assert "8 of 10 stacks are in parse_rule, called by load_rules, handle, main" in sentence(found), sentence(found)


@pytest.mark.parametrize("text", [gdb(HOT) * 2, gdb(HOT) * 2 + gdb(["b", "x"]) * 2 + gdb(["c", "y"]) * 2, gdb(["epoll_wait", "run", "main"]) * 9,
                                  "".join(f"    #{at} 0x4f2c in {name} /src/app.c:12:3\n" for at, name in enumerate(HOT)) * 4])
def test_few_stacks_idle_ones_and_a_sanitizer_s_say_no_place(alone, text):
    assert "stacks" not in sentence(alone(text)), sentence(alone(text))


COUNTED = "{head}\n\n```\n    {many} com.acme.pool.ConnectionPool.borrow <- com.acme.Dao.load\n     12 java.net.SocketInputStream.socketRead0 <- org.db.Stream.readMore\n      8 org.apache.tomcat.util.threads.TaskQueue.take\n```\n"


def test_counted_frames_are_stacks_and_no_events(alone):
    found = alone(COUNTED.format(head="jstack of the workers, sort | uniq -c of their top frames:", many=130))
    assert "130 of 150 stacks (8 idle) are in com.acme.pool.ConnectionPool.borrow, called by com.acme.Dao.load" in sentence(found) and "a connection of a pool" in sentence(found), sentence(found)
    assert "perf stat" not in str(found["statements"]) and "who holds the connections" in advice(found)
    found = alone(COUNTED.format(head="jstack of the workers, sort | uniq -c of their top frames:", many=11))
    assert "stacks" not in sentence(found), "no place has most of them"


def test_counts_of_a_log_are_neither_stacks_nor_events(alone):
    found = alone(COUNTED.format(head="Lines of the log by logger:", many=130))
    assert "stacks" not in sentence(found) and "perf stat" not in str(found["statements"]), sentence(found)


def test_counts_of_events_below_a_line_on_debuggers_are_no_stacks(alone):
    found = alone("Without gdb attached, backtraces off:\n\n   8386784008  cycles\n   4120331220  instructions\n     11204118  branches\n")
    assert "stacks" not in str(found["statements"]) and any("cycles" in one["text"] for one in found["statements"] if "perf stat" in one["origin"])


def test_a_poor_man_s_profile_of_joined_frames_is_read(alone):
    found = alone("pstack 40 times, sort | uniq -c | sort -rn:\n\n     31 inflate_fast,inflate,read_member,main\n      9 memcpy,append,main\n")
    assert "31 of 40 stacks are in inflate_fast, called by inflate, read_member, main" in sentence(found), sentence(found)


@pytest.mark.parametrize("event", ["offcore_response.demand_data_rd.l3_miss", "MEM_LOAD_RETIRED.L3_MISS", "dTLB-load-misses", "syscalls:sys_enter_read"])
def test_events_with_points_and_capitals_stay_events(alone, event):
    found = alone(f" Performance counter stats for './a':\n\n     4,120,331  {event}\n   900,000,000  cycles\n\n  1.0 seconds time elapsed\n")
    assert any(event in str(one) for one in found["statements"] if "perf stat" in one["origin"]), found["statements"]


JAVA = '"exec-{at}" #{at} daemon prio=5 os_prio=0 cpu=1.0ms tid=0x7f nid=0x1f waiting on condition [0x7f]\n   java.lang.Thread.State: {state}\n{frames}\n\n'


def java(at, state, *frames):
    return JAVA.format(at=at, state=state, frames="\n\t- parking to wait for  <0x07> (a java.lang.Object)\n".join(f"\tat {frame}(File.java:12)" for frame in frames))


def test_a_dump_of_java_threads_names_who_waits_beyond_the_library(alone):
    waits = ("jdk.internal.misc.Unsafe.park", "java.util.concurrent.locks.LockSupport.park", "java.util.concurrent.locks.ReentrantLock.lock", "com.acme.Cache.put")
    idle = ("jdk.internal.misc.Unsafe.park", "java.util.concurrent.LinkedBlockingQueue.take", "java.util.concurrent.ThreadPoolExecutor.getTask")
    text = "".join(java(at, "WAITING (parking)", *waits) for at in range(9)) + "".join(java(at, "WAITING (parking)", *idle) for at in range(9, 14))
    found = alone(text)
    assert "9 of 14 stacks (5 idle) are in jdk.internal.misc.Unsafe.park, called by java.util.concurrent.locks.ReentrantLock.lock, com.acme.Cache.put" in sentence(found), sentence(found)
    assert "wait for a lock" in sentence(found)


def test_threads_that_java_says_are_blocked_wait_for_a_lock(alone):
    found = alone("".join(java(at, "BLOCKED (on object monitor)", "com.acme.Cache.get", "com.acme.Web.handle") for at in range(9)) + java(9, "RUNNABLE", "com.acme.Cache.load", "com.acme.Web.handle"))
    assert "9 of 10 stacks are in com.acme.Cache.get, called by com.acme.Web.handle (9 of them BLOCKED)" in sentence(found) and "who holds the lock" in advice(found), sentence(found)
    found = alone("".join(java(at, "RUNNABLE", "com.acme.Cache.get", "com.acme.Web.handle") for at in range(9)))
    assert "9 of 9 stacks are in com.acme.Cache.get" in sentence(found) and "lock" not in sentence(found), sentence(found)


def spied(status, *frames):
    return f'Thread 71 ({status}): "worker"\n' + "".join(f"    {name} (app.py:{at + 4})\n" for at, name in enumerate(frames))


def test_threads_of_python_that_are_active_without_its_lock_lead_to_it(alone):
    head = "Process 71: python3 app.py\nPython v3.11.4 (/usr/bin/python3.11)\n\n"
    found = alone(head + spied("active+gil", "score", "run") + spied("active", "score", "run") * 7)
    assert sentence(found).startswith("Threads that take turns at a lock may hold it up") and "GIL" in sentence(found) and "processes" in advice(found), sentence(found)
    found = alone(head + spied("active+gil", "score", "run") + spied("idle", "wait", "run") * 7)
    assert "GIL" not in sentence(found), "one computes, and nobody else wants to"


@pytest.mark.parametrize("text", [gdb(HOT) * 3, java(1, "RUNNABLE", "a.B.c", "a.B.d") * 3, spied("active+gil", "score", "run") * 3])
def test_dumps_cut_anywhere_are_read_or_not(alone, text):
    for length in range(1, len(text), 17):
        assert alone(text[:length])["verdict"]
