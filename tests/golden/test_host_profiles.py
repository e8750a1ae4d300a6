# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb report of a host's CPUs: of what are the shares, whose time is it, and what of it is the profiler's own doing. The functions are those
of two profiles of one CPU, of a plain guest and of a TDX guest."""
import perf_data_file as made
import pytest

NAMES = ["vmx_vcpu_run", "vmx_vmexit", "add_atomic_switch_msr", "kvm_load_host_xsave_state", "__seamcall_saved_ret", "tdx_vcpu_run",
         "perf_swevent_hrtimer", "unwind_next_frame", "do_syscall_64", "kvm_arch_vcpu_ioctl_run", "x86_emulate_instruction", "pv_native_safe_halt"]
KERNEL_START = 0xffffffff81000000
ADDRESS = {name: KERNEL_START + 0x1000 * (at + 1) for at, name in enumerate(NAMES)}


def text_feature(recording, words):
    out = recording.pack("I", len(words))
    for word in words:
        raw = word.encode() + b"\0"
        raw += b"\0" * (-len(raw) % 64)
        out += recording.pack("I", len(raw)) + raw
    return out


@pytest.fixture
def report(run, tmp_path):
    """report(command, samples, …) -> text: samples are (name or mode, how many, callers…)."""
    def make(command, samples, *words, config=0, event_type=1, comm="qemu", pid=42):
        recording = made.File(sample_type=made.IP | made.TID | made.TIME | made.PERIOD | made.CPU | made.CALLCHAIN, event_type=event_type,
                              config=config)
        recording.features[11] = text_feature(recording, command.split())
        recording.mmap(0xffffffff, KERNEL_START, 0x1000000, "[kernel.kallsyms]_text", KERNEL_START, misc=made.KERNEL)
        recording.comm(pid, pid, comm).comm(7, 7, "perf")
        time = 1000
        for what, count, *callers in samples:
            for _ in range(count):
                time += 1
                owner = 7 if what == "recorder" else 0 if what == "idle" else pid
                ip = ADDRESS["pv_native_safe_halt"] if what == "idle" else ADDRESS.get(what, 0x401000)
                misc = made.KERNEL if what in ADDRESS or what == "idle" else {"guest kernel": 4, "guest user": 5}.get(what, made.USER)
                inside = made.CONTEXT_KERNEL if misc == made.KERNEL else made.CONTEXT_USER
                recording.sample(owner, ip, time, misc=misc, cpu=5, chain=(inside, ip, *(ADDRESS[name] for name in callers)))
        path, names = tmp_path / "perf.data", tmp_path / "kallsyms"
        path.write_bytes(recording.file())
        names.write_text("".join(f"{address:x} T {name}\n" for name, address in [("_text", KERNEL_START), *ADDRESS.items()]))
        done = run("report", "-i", path, "--kallsyms", names, "-g", "none", "--no-children", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return make


def parts(text):
    """{"in guests": 12.5, …} from the comment block."""
    found = {}
    for line in text.splitlines():
        cells = line.split("%  ")
        if line.startswith("# ") and len(cells) == 2 and len(cells[0]) <= 11:
            found[cells[1].split(":")[0]] = float(cells[0][1:])
    return found


def test_a_plain_guests_host(report):
    text = report("perf record -C 5 -ag sleep 4", [("vmx_vmexit", 30, "vmx_vcpu_run"), ("vmx_vcpu_run", 16), ("add_atomic_switch_msr", 10, "vmx_vcpu_run"),
                                                   ("kvm_load_host_xsave_state", 8), ("guest user", 20), ("guest kernel", 4), ("idle", 6),
                                                   ("x86_emulate_instruction", 2, "kvm_arch_vcpu_ioctl_run"), ("recorder", 2), ("program", 1), ("do_syscall_64", 1)])
    assert "# 100% is the time of CPU 5, idle time included" in text
    assert parts(text) == {"in guests": 24, "into and out of guests": 54, "handling guests' exits": 2, "the profiler's own cost": 12,
                           "idle": 6, "the kernel, else": 1, "programs": 1}
    assert "their kernels 4.00%, their programs 20.00%" in text
    assert "10.00%  add_atomic_switch_msr" in text and "2.00%  perf: processes of the recorder's name" in text
    (row,) = [line for line in text.splitlines() if not line.startswith("#") and "add_atomic_switch_msr" in line]
    assert row.rstrip().endswith("(profiler's own)")
    assert not any("vmx_vmexit" in line and "profiler's own" in line for line in text.splitlines())


def test_a_tdx_guests_host(report):
    text = report("perf record -C 5 -a -g sleep 4", [("__seamcall_saved_ret", 60), ("tdx_vcpu_run", 5), ("unwind_next_frame", 5, "perf_swevent_hrtimer"),
                                                     ("unwind_next_frame", 10, "do_syscall_64"), ("program", 20)])
    found = parts(text)
    assert found["into and out of guests"] == 65 and found["the profiler's own cost"] == 5 and found["the kernel, else"] == 10


def test_events_that_a_halted_cpu_has_none_of_say_so(report):
    text = report("perf record -a -e cycles", [("program", 10)], event_type=0, config=0)
    assert "of all CPUs" in text and "halted" in text and parts(text)["programs"] == 100


def test_a_programs_own_recording_has_its_denominator_alone(report):
    text = report("perf record -g ./prog", [("program", 9), ("do_syscall_64", 1)])
    assert "# 100% is the CPU time of the program that was started" in text and "Whose time" not in text


def test_a_guests_samples_are_shown_wherever_they_are(report):
    assert parts(report("perf record -p 42", [("program", 5), ("guest user", 5)]))["in guests"] == 50


def test_filters_are_said_and_machine_readable_output_is_as_before(report):
    samples = [("add_atomic_switch_msr", 10), ("program", 10)]
    assert "--cpu, --time, --pid and --tid let through" in report("perf record -a", samples, "--cpu", "5")
    for words in (["-q"], ["-t", ","], ["-q", "-t", ","]):
        text = report("perf record -a", samples, *words)
        assert "(profiler's own)" not in text
    assert "100% is" not in report("perf record -a", samples, "-q")


PLAIN = ("39.92%    16.34%  [kernel.kallsyms]  [k] vmx_vcpu_run\n35.62%    29.34%  [kernel.kallsyms]  [k] vmx_vmexit\n"
         "10.34%    10.34%  [kernel.kallsyms]  [k] add_atomic_switch_msr\n8.13%      8.13%  [kernel.kallsyms]  [k] kvm_load_host_xsave_state\n")
TDX = ("34.84%    34.84%  [kernel.kallsyms]  [k] __seamcall_saved_ret\n25.78%     2.98%  [kernel.kallsyms]  [k] tdx_vcpu_run\n"
       "12.17%    12.17%  [kernel.kallsyms]  [k] tdx_restore_host_xsave_state\n")


@pytest.mark.parametrize("text, said", [
    (PLAIN, "53.81 % of it, of whatever its 100 % are, fall on the way into guests and out of them, where their own time is found, too, and 10.34 % "
            "are the profiler's own cost (add_atomic_switch_msr 10.34 %)"),
    (TDX, "49.99 % of it"),
    ("12.00%  prog  [.] main\n", None),
])
def test_the_seeds_own_profiles_say_so_when_imported(run, tmp_path, text, said):
    (tmp_path / "report.txt").write_text(text)
    done = run("diagnose", "--json", "--case", tmp_path / "case", "--import", tmp_path / "report.txt")
    assert done.returncode in (0, 4), done.stderr
    assert (said in done.stdout) if said else ("profile of a host" not in done.stdout)
