# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb stat's command line: statuses, refusals, and output that reads back field by field."""
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

PLAIN = "-e", "task-clock,page-faults,{page-faults,minor-faults}"


@pytest.fixture(scope="module")
def countable(plumb):
    """Whether software events count here at all (a seccomp filter may refuse them)."""
    done = subprocess.run([plumb, "stat", "-x,", "-e", "page-faults", "true"], capture_output=True, text=True, timeout=60)
    if not re.match(r"\d+,,page-faults", done.stderr):
        pytest.skip("perf_event_open doesn't count here: " + done.stderr.strip())


@pytest.mark.parametrize("script, status", [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -SEGV $$", 139)])
def test_the_programs_status_is_ours(run, script, status):
    done = run("stat", *PLAIN, "sh", "-c", script)
    assert done.returncode == status
    assert "seconds time elapsed" in done.stderr and done.stdout == ""
    if status > 128:
        assert re.search(r"^(Terminated|Segmentation fault)", done.stderr, re.M)


def test_what_cannot_be_run(run, tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("text")
    for program, status, message in (("no-such-program-here", 127, "command not found"),
                                     (tmp_path / "nothing", 127, "No such file or directory"),
                                     (plain, 126, "Permission denied"), (tmp_path, 126, "Is a directory")):
        done = run("stat", program)
        assert done.returncode == status, done.stderr
        assert done.stderr.count("\n") == 1 and message in done.stderr, done.stderr


@pytest.mark.parametrize("words, needle", [
    (["-e", "cyclse", "true"], "did you mean cycles"),
    (["-e", "page-faults,cyclse", "true"], "column 13"),
    (["-e", "{page-faults", "true"], "without its '}'"),
    (["-e", "page-faults:q", "true"], "modifier"),
    (["-e", "nopmu/x=1/", "true"], "no PMU 'nopmu'"),
    (["-e", "mem:zz", "true"], "no address"),
    (["--evnt", "page-faults", "true"], "--event"),
    (["-x,", "-j", "true"], "exclude"),
    (["-A", "--per-core", "-a", "true"], "only one"),
    (["--per-core", "-p", "1"], "need -a or -C"),
    (["--per-thread", "true"], "-p, -t or -a"),
    (["-p", "1", "-t", "1"], "exclude"),
    (["-p", "1", "-a"], "exclude"),
    (["-p", "x"], "'x' is no process id"),
    (["-p", "x"], "pidof x"),
    (["-p", "1 x"], "'x' is no process id"),
    (["-p", "1 2,0"], "'0' is no process id"),
    (["-p", "0"], "a number from 1 on"),
    (["-C", "9999", "true"], "9999"),
    (["-C", "1-0", "true"], "no list of CPUs"),
    (["--append", "true"], "needs -o"),
    (["--table", "true"], "needs -r"),
    (["-r", "2"], "needs a program"),
    (["--summary", "true"], "needs -I"),
    (["--interval-count", "2", "true"], "needs -I"),
    (["-n", "-e", "page-faults", "true"], "exclude"),
    (["-D", "soon", "true"], "milliseconds"),
    (["-I", "soon", "true"], "expects a number"),
    (["--control", "somewhere", "true"], "fifo:"),
    (["--control", "fd:99", "true"], "no open file descriptor"),
    (["--log-fd", "x", "true"], "no file descriptor"),
])
def test_mistakes_are_named_and_end_with_2(run, words, needle):
    done = run("stat", *words)
    assert done.returncode == 2, done.stderr
    assert needle in done.stderr, done.stderr
    assert done.stdout == ""


def test_no_such_process(run):
    done = run("stat", "-p", "4194304", "-e", "page-faults")
    assert done.returncode == 1 and "no process 4194304" in done.stderr


def read_fields(lines, groupings, extra):
    """What perf's own check of -x asks: a fixed number of separators per kind of line."""
    for line in lines:
        fields = line.split(";")
        assert len(fields) == 7 + groupings + extra, line
        value, unit, event, *_, runtime, percent, ratio, ratio_unit = fields[groupings:]
        assert re.fullmatch(r"\d+(\.\d+)?|<not counted>|<not supported>", value), line
        assert re.fullmatch(r"\d+", runtime) and re.fullmatch(r"\d+\.\d\d", percent), line
        assert event and unit in ("", "msec"), line
        assert re.fullmatch(r"(\d+\.\d+)?", ratio) and bool(ratio) == bool(ratio_unit), line


# separators before the value: none, one (CPU, thread), two (place and how many)
MODES = [([], 0), (["-r", "2"], 0), (["-I", "50"], 1), (["-A", "-a"], 1), (["--per-core", "-a"], 2),
         (["--per-die", "-a"], 2), (["--per-socket", "-a"], 2), (["--per-node", "-a"], 2),
         (["--per-core", "-a", "-I", "50"], 3), (["-A", "-a", "-I", "50"], 2)]


@pytest.mark.parametrize("options, before", MODES)
def test_fields_read_back(run, countable, options, before):
    done = run("stat", "-x;", *options, *PLAIN, "--", "sleep", "0.12")
    lines = [line for line in done.stderr.splitlines() if not line.startswith("#")]
    if "-a" in options and done.returncode == 1:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0 and len(lines) >= 4, done.stderr
    read_fields(lines, before, extra=1 if "-r" in options else 0)


@pytest.mark.parametrize("options, keys", [
    ([], 7), (["-r", "2"], 8), (["-I", "50"], 8), (["-A", "-a"], 8), (["--per-core", "-a"], 9), (["--per-socket", "-a"], 9),
    (["--per-die", "-a"], 9), (["--per-node", "-a"], 9)])
def test_json_reads_back(run, countable, options, keys):
    done = run("stat", "-j", *options, *PLAIN, "--", "sleep", "0.12")
    if "-a" in options and done.returncode == 1:
        pytest.skip(done.stderr.strip())
    objects = [json.loads(line) for line in done.stderr.splitlines() if not line.startswith("#")]
    assert done.returncode == 0 and len(objects) >= 4
    for found in objects:
        assert len(found) == keys, found
        assert isinstance(found["counter-value"], str)
        for key in ("event-runtime", "pcnt-running", "metric-value"):
            assert float(found[key]) >= 0


def test_output_file_append_and_descriptor(run, countable, tmp_path):
    path = tmp_path / "counts"
    for option in ([], ["--append"]):
        done = run("stat", "-x,", "-o", path, *option, "-e", "page-faults", "true")
        assert done.returncode == 0 and done.stderr == ""
    lines = path.read_text().splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("# started on ") and lines[1] == "" and ",,page-faults," in lines[2]
    assert lines[3].startswith("# started on ") and lines[4] == "" and ",,page-faults," in lines[5]
    with open(tmp_path / "fd", "w") as file:
        done = run("stat", "-x,", "--log-fd", file.fileno(), "-e", "page-faults", "true", pass_fds=[file.fileno()])
    assert done.stderr == "" and ",,page-faults," in (tmp_path / "fd").read_text()
    done = run("stat", "-o", tmp_path / "no/such/folder", "true")
    assert done.returncode == 1 and "can't write" in done.stderr
    done = run("stat", "-x,", "-o", "/dev/full", "-e", "page-faults", "true")
    assert done.returncode == 1 and "can't write the result" in done.stderr


def test_tab_separator_and_no_program_output_lost(run, countable):
    done = run("stat", "-x", "\\t", "-e", "page-faults", "sh", "-c", "echo out; echo err >&2")
    assert done.stdout == "out\n" and "err\n" in done.stderr and "\tpage-faults\t" in done.stderr


def test_a_program_whose_exec_ends_the_counting_is_named(plumb, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can become nobody")
    folder = pathlib.Path(tempfile.mkdtemp(dir="/var/tmp"))
    try:
        folder.chmod(0o755)
        for name, mode in (("hidden", 0o711), ("setuid", 0o4755), ("plain", 0o755)):
            shutil.copy(shutil.which("true"), folder / name)
            (folder / name).chmod(mode)
        shutil.copy(plumb, folder / "plumb")

        def said(name):
            return subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", folder / "plumb", "stat",
                                   "-e", "task-clock:u", folder / name], capture_output=True, text=True, cwd="/", timeout=60).stderr
        assert "is not readable: the kernel ends the counting" in said("hidden")
        assert "is setuid: the kernel ends the counting" in said("setuid")
        assert "ends the counting" not in said("plain")
    finally:
        shutil.rmtree(folder)


def test_user_or_kernel_for_every_event(run, countable):
    user, kernel = (run("stat", "-x,", "-e", "page-faults", option, "true") for option in ("--all-user", "--all-kernel"))
    if user.returncode or "<not" in user.stderr + kernel.stderr:
        pytest.skip("page faults of the kernel can't be counted here")
    faults = [int(done.stderr.splitlines()[-1].split(",")[0]) for done in (user, kernel)]
    assert faults[0] > faults[1]
    assert run("stat", "--all-user", "--all-kernel", "true").returncode == 2


def test_quiet_says_nothing_but_of_mistakes(run):
    done = run("stat", "--quiet", "sh", "-c", "echo out; exit 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "")
    assert "nosuch" in run("stat", "--quiet", "-e", "nosuch", "true").stderr


def test_summary_lines_with_and_without_their_mark(run, countable):
    def last(*options):
        return run("stat", "-x,", "-I", "20", "--summary", *options, "-e", "task-clock", "sleep", "0.05").stderr.splitlines()[-1]
    assert last().strip().startswith("summary,")
    assert re.match(r"[\d.]+,msec,task-clock", last("--no-csv-summary"))


@pytest.mark.parametrize("word", ["--smi-cost", "-g", "--filter"])
def test_options_of_perf_that_are_not_had_say_what_instead(run, word):
    done = run("stat", word, "true")
    assert done.returncode == 2 and "plumb has no option" in done.stderr and "hint:" in done.stderr


def test_metrics_without_counters_are_said_not_to_be_and_the_program_runs(run):
    for words in (["-M", "TopdownL1"], ["--topdown"], ["-x,", "-M", "all"]):
        done = run("stat", *words, "sh", "-c", "exit 3")
        if "%" in done.stderr:
            pytest.skip("this machine has counters")
        assert done.returncode == 3 and "not measured" in done.stderr, done.stderr
    for words, said in ((["--td-level", "2"], "--topdown"), (["-n", "-M", "all"], "-M")):
        done = run("stat", *words, "true")
        assert done.returncode == 2 and said in done.stderr


def test_metric_only_has_columns(run, countable):
    done = run("stat", "-x,", "--metric-only", "-e", "task-clock,page-faults", "true")  # rates and CPUs utilized are no metrics
    assert done.returncode == 0 and "CPUs" not in done.stderr and "/sec" not in done.stderr


def test_an_interrupt_that_the_shell_ignored_ends_a_count_without_program(plumb, countable):
    process = subprocess.Popen([plumb, "stat", "-x,", "-p", str(os.getpid()), "-e", "task-clock"], stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert "task-clock" in process.communicate(timeout=30)[1]


def test_null_run_only_times(run):
    done = run("stat", "-n", "true")
    assert done.returncode == 0
    assert re.fullmatch(r"\n Performance counter stats for 'true':\n\n +[\d.]+ seconds time elapsed\n\n +[\d.]+ seconds "
                        r"user\n +[\d.]+ seconds sys\n\n\n", done.stderr), done.stderr


def test_before_and_after_each_run(run, tmp_path):
    log = tmp_path / "log"
    done = run("stat", "-n", "-r", "2", "--pre", f"echo pre >>{log}", "--post", f"echo post >>{log}",
               "sh", "-c", f"echo run >>{log}")
    assert done.returncode == 0, done.stderr
    assert log.read_text().split() == ["pre", "run", "post"] * 2
    done = run("stat", "-n", "--pre", "exit 3", "true")
    assert done.returncode == 1 and "--pre 'exit 3' failed (status 3)" in done.stderr


def test_timeout_ends_the_program_and_is_no_failure(run):
    started = time.monotonic()
    done = run("stat", "-n", "--timeout", "100", "sleep", "30")
    assert done.returncode == 0 and time.monotonic() - started < 20


def test_a_signal_reaches_the_program(plumb):
    # No long sleep that the handler kills: a signal that meets a child between fork and exec is lost in the shell's copy.
    with subprocess.Popen([plumb, "stat", "-n", "sh", "-c", "trap 'echo caught; exit 9' TERM; echo ready; while :; do sleep 0.05; done"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        stdout, stderr = process.communicate(timeout=60)
    assert stdout == "caught\n" and process.returncode == 9
    assert "seconds time elapsed" in stderr


def test_interrupt_of_an_attached_count_prints_it(plumb, countable):
    with subprocess.Popen([plumb, "stat", "-p", str(os.getpid()), "-e", "page-faults"], stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0 and "process id" in stderr


def test_the_end_of_an_attached_process_ends_the_count(plumb, countable):
    with subprocess.Popen(["sleep", "0.3"]) as target:
        done = subprocess.run([plumb, "stat", "-p", str(target.pid), "-e", "page-faults"], capture_output=True, text=True,
                              timeout=60)
    assert done.returncode == 0 and "seconds time elapsed" in done.stderr


def test_control_fifo(run, countable, tmp_path):
    control, answer = tmp_path / "control", tmp_path / "answer"
    os.mkfifo(control)
    os.mkfifo(answer)
    script = (f"echo enable >{control}; read a <{answer}; echo $a; echo ping >{control}; read a <{answer}; echo $a; "
              f"echo disable >{control}; read a <{answer}; echo $a")
    done = run("stat", "-D", "-1", "--control", f"fifo:{control},{answer}", "-e", "page-faults", "sh", "-c", script)
    assert done.returncode == 0 and done.stdout == "ack\nack\nack\n"
    assert done.stderr.startswith("Events disabled\nEvents enabled\nEvents disabled\n"), done.stderr


def test_control_words(run, countable, tmp_path):
    """One event is switched by its name; what isn't done isn't acknowledged, and said."""
    control, answer = tmp_path / "control", tmp_path / "answer"
    os.mkfifo(control)
    os.mkfifo(answer)
    script = (f"exec 3<>{answer}; for w in 'snapshot' 'enable nosuch' bogus 'enable page-faults' evlist; do echo $w >{control}; done; "
              "read a <&3; read b <&3; echo $a $b; true; true")
    done = run("stat", "-x,", "-D", "-1", "--control", f"fifo:{control},{answer}", "-e", "page-faults,minor-faults", "sh", "-c", script)
    assert done.returncode == 0 and done.stdout == "ack ack\n", done.stderr
    said = done.stderr.splitlines()
    assert said[:6] == ["Events disabled", "# plumb stat: --control: 'snapshot' is none of enable, disable, stop, ping, evlist",
                        "# plumb stat: --control: no event 'nosuch' is counted; evlist names them",
                        "# plumb stat: --control: 'bogus' is none of enable, disable, stop, ping, evlist",
                        "Event page-faults enabled", "page-faults"], done.stderr
    assert "<not counted>,,minor-faults" in done.stderr and "<not counted>,,page-faults" not in done.stderr, done.stderr


def test_lists_given_twice_are_one_list(run, countable):
    with subprocess.Popen(["sleep", "100"]) as first, subprocess.Popen(["sleep", "100"]) as second:
        done = run("stat", "-x,", "-p", first.pid, "-p", second.pid, "-p", first.pid, "-e", "page-faults", "--per-thread", "--timeout", 50)
        first.kill(), second.kill()
    assert [line.split(",")[0] for line in done.stderr.splitlines()] == [f"sleep-{first.pid}", f"sleep-{second.pid}"], done.stderr


def test_what_is_lost_without_the_kernel_is_said_of_each_event(plumb, countable, other_users):
    if pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text().strip() != "2":
        pytest.skip("perf_event_paranoid isn't 2")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        copy = shutil.copy(plumb, pathlib.Path(folder) / "plumb")
        os.chmod(copy, 0o755)

        def drop():
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
        done = subprocess.run([copy, "stat", "-x,", "-e", "task-clock,page-faults,cpu-clock,cs,uprobe:/bin/true:0x0", "true"], capture_output=True, text=True,
                              timeout=60, preexec_fn=drop, cwd="/")
    assert "the kernel's part isn't counted of page-faults, marked :u" in done.stderr, done.stderr
    assert "task-clock, cpu-clock: marked :u too, but nothing is missing" in done.stderr, done.stderr
    assert "not counted: cs: not permitted: kernel.perf_event_paranoid is 2" in done.stderr, done.stderr
    if os.path.exists("/sys/bus/event_source/devices/uprobe"):
        assert "not counted: uprobe:/bin/true:0x0: not permitted: probes need root" in done.stderr, done.stderr


def test_control_stop_ends_the_program_which_is_no_failure(run, tmp_path):
    control = tmp_path / "control"
    os.mkfifo(control)
    done = run("stat", "--control", f"fifo:{control}", "sh", "-c", f"echo stop >{control}; exec sleep 60")
    assert done.returncode == 0 and "seconds time elapsed" in done.stderr


def test_delay_leaves_out_the_start(run, countable):
    done = run("stat", "-x,", "-D", "30000", "-e", "page-faults", "true")
    assert done.returncode == 0
    assert re.search(r"^<not counted>,,page-faults,0,", done.stderr, re.M), done.stderr


def test_list_names_every_kind(run):
    done = run("list", "hw", "sw", "cache")
    assert done.returncode == 0
    for name in ("cycles OR cpu-cycles", "context-switches OR cs", "L1-dcache-load-misses", "cgroup-switches"):
        assert f"  {name} " in done.stdout
    assert "Tracepoint" not in done.stdout
    found = json.loads(run("list", "-j", "task-clock").stdout)
    assert found == [{"name": "task-clock", "kind": "Software event"}]
    done = run("list", "cyclse")
    assert done.returncode == 2 and "did you mean cycles" in done.stderr


def test_list_countable_tells_what_opens(run, countable):
    done = run("list", "--countable", "page-faults")
    assert re.search(r"page-faults OR faults .*  countable", done.stdout), done.stdout


def test_names_that_only_libpfm_knows_are_counted(run, countable):
    try:
        ctypes.CDLL("libpfm.so.4")
    except OSError:
        pytest.skip("no libpfm4 here: such names are unknown then")
    for name in ("perf::PAGE-FAULTS", "PERF_COUNT_SW_PAGE_FAULTS:u"):
        done = run("stat", "-x,", "-e", name, "true")
        count, _, event = done.stderr.splitlines()[-1].split(",")[:3]
        assert done.returncode == 0 and event == name and int(count) > 0, done.stderr
    done = run("stat", "-e", "perf::NO-SUCH", "true")
    assert done.returncode == 2 and "perf::NO-SUCH" in done.stderr
