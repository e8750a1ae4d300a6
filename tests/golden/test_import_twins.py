# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents as others write them of the same kinds of investigation as the seeds: other programs, tables and answers."""
import pytest

from imported_case import evidence, finding

DRAM = """perf stat -M tma_memory_bound_group ./decode

| tma_dram_bound         | 63.9 %     |
| tma_l3_bound           | 2.8 %      |
| tma_l2_bound           | 0.4 %      |
| tma_l1_bound           | 1.7 %      |
| tma_store_bound        | 0.6 %      |

perf stat -M tma_dram_bound_group ./decode

| tma_mem_bandwidth | 69.0 %     |
| tma_mem_latency   | 3.5 %      |
"""


# ---- what was tried ----

@pytest.mark.parametrize("said, verdict", [
    ("- half of the threads (16 instead of 32): 60.8 s instead of 31.0 s", "undecided"), ("With 16 threads it takes 60.8 s, with 32 threads 31.0 s.", "undecided"),
    ("16 threads make 8.2 t/s, 32 threads 16.1 t/s.", "undecided"), ("- half of the threads (16 instead of 32): 32.2 s instead of 31.0 s", "supported"),
    ("With 16 threads it takes 60.8 s, with 64 threads 15.2 s.", "supported"), ("A batch of 16 takes 60.8 s, one of 32 takes 31.0 s.", "supported"),
    ("With 16 threads it takes 60.8 s, with 32 threads 31.0 s, with 64 threads 30.9 s.", "supported")])
def test_threads_that_do_twice_the_work_speak_against_a_memory_that_is_used_up(alone, said, verdict):
    found = alone(f"{DRAM}\nIt takes 31.0 s in all.\n\n{said}\n")
    one = finding(found, "memory-bandwidth")
    assert one["verdict"] == verdict and (("doesn't allow" in (one["reason"] or "")) == (verdict == "undecided"))
    assert verdict == "supported" or ("contradict one another" in found["verdict"]["sentence"] and not one["advice"])


@pytest.mark.parametrize("said, agrees", [("weights in bfloat16 instead of fp32: 45.1 s before, 24.3 s after.", True), ("weights in bfloat16 instead of fp32: 45.1 s before, 45.0 s after.", False)])
def test_smaller_numbers_that_helped_go_with_bandwidth(alone, said, agrees):
    one = finding(alone(f"{DRAM}\nWe tried it:\n\n{said}\n"), "memory-bandwidth")
    assert one["verdict"] == "supported" and (one["of"] == "elapsed time") == agrees


def test_smaller_numbers_support_no_bandwidth_that_is_not_used(alone):
    one = finding(alone(DRAM.replace("69.0", "2.0").replace("63.9", "4.2") + "\nWe tried it:\n\nweights in bfloat16 instead of fp32: 45.1 s before, 24.3 s after.\n"), "memory-bandwidth")
    assert one["verdict"] == "ruled_out"


@pytest.mark.parametrize("function, cause, other", [("__memmove_avx512_unaligned_erms", "copying", "page-faults"), ("clear_page_erms", "page-faults", "copying"), ("fill_rows", "page-faults", "copying")])
def test_what_is_allocated_ahead_spares_copies_where_these_are_hot(alone, function, cause, other):
    found = alone(f"perf report\n\n    61.92%  python   libc.so.6             [.] {function}\n    21.30%  python   libdnnl.so.3          [.] brgemm_kernel\n\n"
                  "With a preallocated KV cache the script takes 10.9 s instead of 16.2 s.\n")
    assert finding(found, cause)["verdict"] == "supported" and "told in words" in evidence(finding(found, cause))
    assert "told in words" not in evidence(finding(found, other))


LATENCY = DRAM.replace("69.0", "3.1").replace("3.5", "51.7")


@pytest.mark.parametrize("text, culprit, is_small", [
    (LATENCY + "\nWith software prefetching the run went from 12.1 s to 9.4 s.\n", "dram-latency", False),
    (DRAM + "\nWith software prefetching the run went from 12.1 s to 9.4 s.\n", None, None)])
def test_a_trial_of_what_a_class_is_about_is_not_beside_it(alone, text, culprit, is_small):
    found = alone(text)
    if culprit:
        assert found["verdict"]["culprit"] == culprit and ("Certain, but small" in found["verdict"]["sentence"]) == is_small
    else:
        assert "Single accesses" not in found["verdict"]["sentence"]


# ---- whose the counts are ----

KERNELS = """TVM: 0.412 s
ATen: 0.161 s

TVM counters:

21330112410      cycles
         0      core_power.lvl2_turbo_license

ATen counters:

 8330778710      cycles
         0      core_power.lvl2_turbo_license

I forgot the target. With it:

TVM: 0.166 s
ATen: 0.161 s

 8590112410      cycles
 601234560      core_power.lvl2_turbo_license
"""


@pytest.mark.parametrize("text, line", [(KERNELS, "TVM: 0.166 s, 8590112410 cycles"), (KERNELS.replace("TVM: 0.166", "TVM: 0.411").replace("ATen: 0.161 s\n\n 8590", "ATen: 0.402 s\n\n 8590"), "ATen: 0.402 s, 8590112410 cycles")])
def test_counts_that_name_nobody_are_of_the_program_whose_time_changed(run, tmp_path, text, line):
    (tmp_path / "k.txt").write_text(text)
    assert line in run("diagnose", "--import", tmp_path / "k.txt").stdout


@pytest.mark.parametrize("name", ["NNC side", "NNC"])
@pytest.mark.parametrize("gap", ["\n", ""])
def test_a_name_alone_above_a_command_is_of_what_it_prints(run, tmp_path, name, gap):
    (tmp_path / "k.txt").write_text(f"""NNC: 0.161 s
ATen: 0.243 s

Counters on the ATen side:

% perf stat -e cycles python
12590778710      cycles

{name}
{gap}% perf stat -e cycles python
 8330110255      cycles

With the copy taken out of the harness:

NNC: 0.161 s
ATen: 0.162 s
""")
    out = run("diagnose", "--import", tmp_path / "k.txt").stdout
    assert "NNC: 0.161 s, 8330110255 cycles" in out and "ATen: 0.162 s, 8330110255" not in out


PASSES = """NNC: 0.171 s
ATen: 0.160 s

ATen:

9110443021      cycles

NNC:

9730112904      cycles

NNC:

12004553920      idq.mite_uops

ATen:

 611290443      idq.mite_uops
"""


@pytest.mark.parametrize("text, bound", [(PASSES, 0.065), (PASSES.replace("12004553920", "  71290443"), 0.01), (PASSES.replace("NNC:\n\n120", "TVM:\n\n120"), None)])
def test_events_counted_in_a_run_of_their_own_are_of_the_same_program(alone, text, bound):
    one = finding(alone(text), "uop-cache")
    assert (one["recoverable_ratio_at_most"] <= bound) if bound else one["verdict"] != "supported"


@pytest.mark.parametrize("words, ours", [
    ("Same benchmark as last time, but sigmoid, and a different machine: Ice Lake.", True), ("Exported as csv because the wiki eats pipes.", True),
    ("Numbers from a different machine: Ice Lake.", False), ("The wiki's numbers are these.", False)])
def test_whose_machine_it_is_is_told_by_whom_one_writes_of(run, tmp_path, words, ours):
    (tmp_path / "k.txt").write_text(f"{words}\n\n| tma_mem_bandwidth | 69.0 %     |\n| tma_mem_latency   | 3.5 %      |\n")
    assert ("of others:" not in run("diagnose", "--import", tmp_path / "k.txt").stdout) == ours


# ---- tables ----

def test_runs_side_by_side_have_their_unit_above(run, tmp_path):
    (tmp_path / "k.txt").write_text("|run|NNC (ms)|ATen (ms)|\n|---|---|---|\n|1|164.1|163.2|\n|2|163.0|164.9|\n|3|166.2|163.9|\n")
    out = run("diagnose", "--import", tmp_path / "k.txt").stdout
    assert "NNC 0.163 to 0.1662 s; ATen 0.1632 to 0.1649 s" in out


TIMED = "benchmark, seconds per 1000 calls, lower is better:\n\nhalide 0.247\nours   0.228\n\nIt was built anew.\n\nhalide 0.227\nours   0.228\n"


@pytest.mark.parametrize("text, times", [
    (TIMED, ("halide 0.247 s; ours 0.228 s", "ours 0.228 s; halide 0.227 s")), (TIMED.replace("seconds per", "ms of"), ("halide 0.000247 s",)), (TIMED.replace("seconds per", "frames per"), ()),
    (TIMED.replace("benchmark", "each function of this benchmark"), ()), (TIMED.replace("ours   0.228", "ours was 0.228 then"), ()), (TIMED.replace("halide 0.227", "theirs 0.227"), ("halide 0.247 s; ours 0.228 s",))])
def test_times_of_runs_have_their_unit_above_them(run, tmp_path, text, times):
    (tmp_path / "k.txt").write_text(text)
    out = " ".join(run("diagnose", "--import", tmp_path / "k.txt").stdout.split())
    assert all(time in out for time in times) and out.count("timed runs:") == len(times) + (times == ("halide 0.000247 s",))


LOGGED = """Afternoon:

          3,613.11 msec task-clock
     8,346,284,109      cycles

       3.620118204 seconds time elapsed

Next morning:

          2,700.44 msec task-clock
     8,344,359,600      cycles

       2.703140117 seconds time elapsed

dmesg from the afternoon: "CPU14: Core temperature above threshold, cpu clock throttled (total events = 4811)"
"""


@pytest.mark.parametrize("text, verdict", [(LOGGED, "supported"), (LOGGED.replace("CPU14: Core temperature above threshold, cpu clock throttled", "CPU14 is back"), "undecided"),
                                           (LOGGED.replace("2,700.44", "3,610.44").replace("2.703140117", "3.612140117"), "not_testable")])
def test_heat_in_the_kernel_s_log_is_why_a_clock_was_lower(alone, text, verdict):
    assert finding(alone(text), "thermal-power")["verdict"] == verdict


@pytest.mark.parametrize("heading", ["| run | width (mm) | height (mm) |", "| size | NNC (GB) | ATen (GB) |"])
def test_what_is_no_time_is_no_run(run, tmp_path, heading):
    (tmp_path / "k.txt").write_text(heading + "\n|---|---|---|\n|1|164.1|163.2|\n|2|163.0|164.9|\n")
    assert "timed runs" not in run("diagnose", "--import", tmp_path / "k.txt").stdout


def test_a_class_behind_its_number_is_of_it(alone):
    found = alone("| Metric | % | |\n|---|---:|---|\n| TopdownL1 | 77.0 | tma_backend_bound |\n| | 2.2 | tma_bad_speculation |\n| | 5.9 | tma_frontend_bound |\n| | 14.9 | tma_retiring |\n")
    assert "2.2" in (finding(found, "machine-clears")["reason"] or "") and finding(found, "machine-clears")["verdict"] == "ruled_out"


@pytest.mark.parametrize("line, is_read", [("   21.3   jge    b8", True), ("   21.3   jne    4011d0 <scan+0x30>", True), ("   21.3   just   a few", False)])
def test_jumps_of_a_listing_without_bars(run, tmp_path, line, is_read):
    (tmp_path / "k.txt").write_text(f"The hot lines:\n\n    0.9   cmp    %eax,(%r12,%rdx,4)\n{line}\n    1.1   mov    %rdx,%rbx\n")
    out = run("diagnose", "--import", tmp_path / "k.txt").stdout
    assert ("21.3 %" in out.split("perf annotate:")[1]) == is_read


@pytest.mark.parametrize("text, is_read", [
    ("overhead,command,object,symbol\n97.3%,python,libmkl_avx512.so.2,sgemm_t_n23_b0\n1.1%,python,libtorch_cpu.so,void c10::call<int, long>(char**, long)\n", True),
    ("Percent,Function\n97.3,sgemm_t_n23_b0\n1.1,void c10::call<int, long>(char**, long)\n", True), ("percent,symbol\n97.3,12\n1.1,14\n", False), ("percent,colour\n97.3,red\n1.1,blue\n", False)])
def test_a_report_as_csv(run, tmp_path, text, is_read):
    (tmp_path / "k.txt").write_text(f"Where the misses are:\n\n{text}")
    out = run("diagnose", "--import", tmp_path / "k.txt").stdout
    assert ("perf report: sgemm_t_n23_b0 97.3 %, void c10::call<int, long>(char**, long) 1.1 %" in " ".join(out.split())) == is_read


def test_a_group_of_metrics_is_no_metric(run, tmp_path):
    (tmp_path / "k.txt").write_text("| tma_memory_bound | 79.5 % |\n| tma_core_bound | 8.7 % |\n\n`-M tma_memory_bound_group`: dram 71.6 %, l3 4.2 %, l1 1.9 %\n")
    assert "tma_memory_bound_group 1.9" not in run("diagnose", "--import", tmp_path / "k.txt").stdout


# ---- what a trial is compared with ----

@pytest.mark.parametrize("text, verdict", [
    ("The benchmark takes 4.75 s. With huge pages the benchmark takes 3.60 s.", "supported"), ("The benchmark takes 3.60 s. With huge pages the benchmark takes 3.59 s.", "ruled_out"),
    ("The benchmark takes 4.75 s. The build takes 9.1 s. With huge pages the benchmark takes 3.60 s.", "undecided")])
def test_the_time_without_a_change_stands_in_a_sentence_of_its_own(alone, text, verdict):
    found = alone(text + "\n")
    assert finding(found, "small-pages")["verdict"] == verdict


@pytest.mark.parametrize("latency, verdict", [("2.9", "ruled_out"), ("12.9", "undecided")])
def test_prefetching_without_effect_goes_with_little_waiting_for_single_accesses(alone, latency, verdict):
    found = alone(DRAM.replace("3.5", latency) + "\nWith software prefetching 45.1 s before, 45.4 s after.\n")
    assert finding(found, "dram-latency")["verdict"] == verdict


# ---- code ----

SCALAR = """The hot loop, function `relu_compute_`:

 24.1 │ 40:  vmovss  (%rsi,%rax,4),%xmm0
 21.7 │      vmaxss  %xmm1,%xmm0,%xmm0
 39.0 │      vmovss  %xmm0,(%rdi,%rax,4)
  8.8 │      inc     %rax
"""


@pytest.mark.parametrize("text, opens", [(SCALAR, True), (SCALAR.replace("ss ", "ps ").replace("%xmm", "%ymm"), False), (SCALAR.replace("vmaxss  %xmm1,%xmm0,%xmm0", "nop"), False),
                                         (SCALAR.replace("39.0 │      vmovss  %xmm0", "39.0 │      vmovups %ymm0"), False)])
def test_a_listing_of_one_number_at_a_time_is_open_for_wider_code(alone, text, opens):
    one = finding(alone(text), "narrow-vectors")
    assert (one["verdict"] == "undecided" and "one floating-point number each" in (one["reason"] or "")) == opens


@pytest.mark.parametrize("said, verdict", [("I read the UMC counters while it ran: 411 GB/s of the 460 GB/s.", "supported"), ("The network card does 41 GB/s of the 46 GB/s.", "not_testable")])
def test_counters_of_the_memory_controller_by_another_name(alone, said, verdict):
    assert finding(alone(said + "\n"), "memory-bandwidth")["verdict"] == verdict


TRIPS = """NNC: 0.161 s
ATen: 0.243 s

The harness does out.copy_(a.leaky_relu_()) for ATen, that is 3 trips to memory rather than 2.

Patched to write to out directly:

NNC: 0.161 s
ATen: 0.162 s
"""


@pytest.mark.parametrize("text, verdict", [
    (TRIPS, "supported"), (TRIPS.replace("for ATen", "for eager"), "undecided"), (TRIPS.replace("ATen: 0.162", "ATen: 0.242"), "undecided"),
    (TRIPS.replace("that is 3 trips to memory rather than 2", "which takes 3 trips to memory"), "not_testable"), (TRIPS.replace("The harness", "A colleague says that the harness"), "not_testable"),
    (TRIPS + "\n| tma_mem_bandwidth | 1.0 %     |\n| tma_mem_latency   | 0.5 %      |\n", "ruled_out")])
def test_trips_to_memory_that_somebody_tells_of(alone, text, verdict):
    assert finding(alone(text), "extra-trips")["verdict"] == verdict
