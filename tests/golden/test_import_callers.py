# SPDX-License-Identifier: GPL-3.0-or-later
"""What functions of an imported profile are for, by their names and by whom its call chains say they are called."""
import shutil

import pytest
from imported_case import evidence, finding

HEAD = "# Samples: 212K of event 'cycles'\n# Event count (approx.): 181220334001\n#\n# Overhead  Command  Shared Object  Symbol\n# ........  .......  .............  ......\n#\n"
CHILDREN = HEAD.replace("# Overhead", "# Children      Self")


def row(percent, name, where="[kernel.kallsyms]", chain=()):
    mark = "k" if where.startswith("[") else "."
    tree = "            |\n" + "".join(f"            {'---' if not at else '   '}{frame}\n" for at, frame in enumerate(chain)) + "\n" if chain else ""
    return f"    {percent:5.2f}%  svc      {where:<20} [{mark}] {name}\n{tree}"


FUTEX = ["native_queued_spin_lock_slowpath", "_raw_spin_lock", "futex_wake", "do_futex", "__x64_sys_futex", "do_syscall_64", "entry_SYSCALL_64_after_hwframe"]
MALLOC = row(12.2, "_int_malloc", "libc-2.31.so") + row(9.91, "_int_free", "libc-2.31.so") + row(8.1, "malloc", "libc-2.31.so")


@pytest.mark.parametrize("copies", ["copy_user_highpage", "copy_mc_user_highpage", "copy_user_huge_page"])
def test_copies_of_a_first_write_are_page_faults_and_more_huge_pages_no_remedy(imported, copies):
    found, _ = imported(report=HEAD + row(58.2, copies) + row(8.02, "do_huge_pmd_wp_page") + row(4.4, "dictFind", "redis-server"))
    faults = finding(found, "page-faults")
    assert found["verdict"]["culprit"] == "page-faults" and "copy-on-write" in faults["headline"] and finding(found, "system-calls")["verdict"] != "supported"
    assert "no huge pages for what forks" in str(faults["advice"]) and "MADV_HUGEPAGE" not in str(faults["advice"]) and "huge pages: one fault" not in str(faults["advice"])


def test_huge_copies_beside_clearing_rule_out_more_huge_pages_as_advice(imported):
    found, _ = imported(report=HEAD + row(38.2, "clear_page_erms") + row(18.02, "copy_user_huge_page") + row(4.4, "dictFind", "redis-server"))
    faults = finding(found, "page-faults")
    assert "no huge pages for what forks" in str(faults["advice"]) and "copy pages at their first write" not in faults["headline"]


def test_a_hot_functions_own_caller_is_named(imported):
    fault = ["clear_page_erms", "clear_huge_page", "handle_mm_fault", "exc_page_fault", "asm_exc_page_fault", "__memset_avx2_unaligned_erms", "grow_table", "main"]
    within = fault[:5] + ["rep_movs_alternative", "_copy_to_iter", "vfs_read", "__x64_sys_read", "do_syscall_64", "entry_SYSCALL_64", "__read", "load_rows"]
    for chain, caller in ((fault, "by its call chains called by grow_table"), (within, "for the system call read, called by load_rows")):
        found, case = imported(report=HEAD + row(38.2, "clear_page_erms", chain=chain) + row(4.4, "dictFind", "redis-server"))
        assert caller in finding(found, "page-faults")["headline"]
        shutil.rmtree(case)


def test_copies_of_small_pages_ask_for_fewer_forks(imported):
    found, _ = imported(report=HEAD + row(38.2, "copy_user_highpage") + row(8.02, "wp_page_copy") + row(4.4, "dictFind", "redis-server"))
    faults = finding(found, "page-faults")
    assert "fork less often" in str(faults["advice"]) and "echo madvise" not in str(faults["advice"]) and "huge" not in faults["headline"]


@pytest.mark.parametrize("copies", ["copy_user_generic_string", "copy_user_enhanced_fast_string", "copy_user_short_string"])
def test_copies_to_and_from_the_kernel_are_system_calls(imported, copies):
    found, _ = imported(report=HEAD + row(38.2, copies) + row(4.4, "parse", "svc"))
    assert found["verdict"]["culprit"] == "system-calls" and finding(found, "page-faults")["verdict"] != "supported"


@pytest.mark.parametrize("waker", ["__lll_lock_wake_private", None])
def test_locks_below_malloc_and_free_are_contention_for_its_arenas(imported, waker):
    chain = FUTEX + ([waker] if waker else []) + ["cfree@GLIBC_2.2.5", "drop_frame"]
    found, _ = imported(report=HEAD + row(24.31, FUTEX[0], chain=chain) + row(18.02, "__lll_lock_wait_private", "libc-2.31.so") + MALLOC)
    allocation = finding(found, "allocation")
    assert found["verdict"]["culprit"] == "allocation" and allocation["headline"].startswith("contention for malloc's arenas: 42 % of the samples")
    assert "arena_max" in str(allocation["advice"]) and "jemalloc" in str(allocation["advice"]) and "at least 73 %" in allocation["headline"]
    assert finding(found, "kernel-locks")["verdict"] != "supported" and finding(found, "spinning")["verdict"] != "supported"


@pytest.mark.parametrize("caller", ["pthread_mutex_unlock", "fwrite", "take_ticket"])
def test_locks_that_others_take_are_no_allocators(imported, caller):
    found, _ = imported(report=HEAD + row(24.31, FUTEX[0], chain=FUTEX + [caller, "serve"]) + row(18.02, "__lll_lock_wait_private", "libc-2.31.so") + MALLOC)
    locks = finding(found, "kernel-locks")
    assert "arenas" not in finding(found, "allocation")["headline"] and locks["verdict"] == "supported"
    assert "for the system call futex, called by " + ("take_ticket" if caller == "take_ticket" else "serve") in locks["headline"] and "address space" not in str(locks["advice"])
    assert "perf record -g says whose" in str(finding(found, "spinning")["advice"])


TREE = """            |
            |--61.20%--_raw_spin_lock
            |          |
            |           --60.90%--{0}
            |                     path_openat
            |                     do_filp_open
            |                     do_sys_openat2
            |                     __x64_sys_openat
            |
             --9.40%--_raw_spin_lock_irqsave

"""
OUTER = """            |
            ---_start
               __libc_start_main
               main
               scan
               openat
               entry_SYSCALL_64_after_hwframe
               do_syscall_64
               __x64_sys_openat
               path_openat
               {0}
               _raw_spin_lock
               native_queued_spin_lock_slowpath

"""
SPINS = "    72.31%    70.90%  scanner  [kernel.kallsyms]   [k] native_queued_spin_lock_slowpath\n"
LESS = "     6.10%     6.02%  scanner  [kernel.kallsyms]   [k] lockref_get_not_dead\n     2.01%     1.99%  scanner  scanner             [.] check_file\n"


@pytest.mark.parametrize("tree", [TREE, OUTER], ids=["callers behind", "callers before"])
@pytest.mark.parametrize("holder, of, advice", [("lockref_get_not_dead", "a dentry", "look up the same directory"), ("rmqueue", "free pages", "give memory back less often")])
def test_a_spinning_locks_call_and_what_it_is_of_are_named(imported, tree, holder, of, advice):
    found, case = imported(report=CHILDREN + SPINS + tree.format(holder) + LESS)
    locks = finding(found, "kernel-locks")
    assert found["verdict"]["culprit"] == "kernel-locks" and f"in {holder}, for the system call openat" in locks["headline"] and of in locks["headline"]
    assert advice in str(locks["advice"]) and ("called by scan" in locks["headline"]) == (tree is OUTER) and "not read" not in (case / "statements.json").read_text()


def test_a_chain_that_tells_nothing_leaves_the_words_as_they_are(imported):
    found, _ = imported(report=CHILDREN + SPINS + TREE.format("some_lock").replace("__x64_sys_openat", "worker") + LESS)
    locks = finding(found, "kernel-locks")
    assert "the lock is of" not in locks["headline"] and "share less between threads" in str(locks["advice"])


def test_of_branches_without_a_half_none_is_followed(imported):
    tree = "            |\n            |--31.00%--dput\n            |          __x64_sys_close\n            |\n             --29.40%--rmqueue\n                       __x64_sys_brk\n\n"
    found, _ = imported(report=CHILDREN + SPINS + tree + LESS)
    assert "call chains" not in finding(found, "kernel-locks")["headline"]


PYTHON = row(61.2, "_PyEval_EvalFrameDefault", "python3.11") + row(9.2, "take_gil", "python3.11") + row(6.11, "PyDict_GetItem", "python3.11")
TIMES = "\tUser time (seconds): {}\n\tSystem time (seconds): 3.10\n\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:49.71\n"


def test_threads_under_one_lock_that_use_one_cpu_take_turns(imported):
    found, _ = imported("--say", "It runs 16 threads.", report=HEAD + PYTHON, time=TIMES.format(48.12))
    turns = finding(found, "lock-turns")
    assert found["verdict"]["culprit"] == "lock-turns" and "(GIL): 16 threads used 1.03 CPUs together" in turns["headline"]
    assert "use processes" in str(turns["advice"]) and "67 %" in finding(found, "interpreter")["headline"] and turns["recoverable_ratio_at_most"] == pytest.approx(1 - 51.22 / 49.71 / 16)


@pytest.mark.parametrize("said, user", [("It is slow.", 48.12), ("It runs 16 threads.", 301.2), ("It runs 16 threads.", 10.1), ("It runs 1 threads.", 48.12)])
def test_what_uses_several_cpus_or_few_of_one_does_not_run_one_at_a_time(imported, said, user):
    found, _ = imported("--say", said, report=HEAD + PYTHON, time=TIMES.format(user))
    assert "runs at a time" not in str(finding(found, "lock-turns")["headline"]) and found["verdict"]["culprit"] == ("waiting" if user < 20 else "interpreter")


@pytest.mark.parametrize("function, dso, advice", [("mlx5_rx_burst_vec", "librte_net_mlx5.so.23", "rx_missed"), ("ixgbe_recv_pkts_vec", "l3fwd", "rx_missed"), ("spdk_nvme_qpair_process_completions", "nvmf_tgt", "rx_missed"),
                                                   ("opal_progress", "libopen-pal.so.40", "comes last"), ("io_sq_thread", "[kernel.kallsyms]", "sq_thread_idle")])
def test_loops_that_poll_use_their_cpu_by_design(imported, function, dso, advice):
    found, _ = imported(report=HEAD + row(61.12, function, dso) + row(22.31, "main_loop", "l3fwd"))
    polling = finding(found, "spinning")
    assert found["verdict"]["culprit"] == "spinning" and polling["headline"].startswith("waiting for messages" if function == "opal_progress" else "loops that poll for work")
    assert ("says nothing of load" in polling["headline"]) == (function != "opal_progress")
    assert advice in str(polling["advice"]) and "hold locks shorter" not in str(polling["advice"])


@pytest.mark.parametrize("function", ["mlx5_tx_burst_vec", "poll_results", "process_packets", "progress_bar"])
def test_work_by_another_name_is_no_polling(imported, function):
    found, _ = imported(report=HEAD + row(61.12, function, "l3fwd") + row(22.31, "main_loop", "l3fwd"))
    assert finding(found, "spinning")["verdict"] != "supported"


@pytest.mark.parametrize("head, adds", [(HEAD, True), (HEAD[HEAD.index("# Overhead"):], False)])
def test_shares_of_different_functions_add_up_where_they_are_their_own(imported, head, adds):
    found, _ = imported(report=head + row(30, "_int_malloc", "libc.so.6") + row(28, "pthread_mutex_lock", "libc.so.6"))
    sentence = found["verdict"]["sentence"]
    assert "Of like weight" in sentence and ("they add up" in sentence) == adds and ("they don't add up" in sentence) == (not adds)


def test_functions_of_both_causes_do_not_add_up(imported):
    found, _ = imported(report=HEAD + row(30, "_PyObject_Malloc", "python3.11") + row(5, "parse", "svc"))
    assert "they add up" not in found["verdict"]["sentence"]
