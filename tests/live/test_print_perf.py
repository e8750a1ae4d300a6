# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb topdown --print-perf: perf's own parser takes the printed lines, on a made-up sysfs that has the CPU's PMU."""
import os
import shlex
import shutil
import subprocess

import pytest

FORMATS = {
    "cpu": {"event": "config:0-7,32-35", "umask": "config:8-15", "edge": "config:18", "any": "config:21", "inv": "config:23",
            "cmask": "config:24-31", "offcore_rsp": "config1:0-63", "frontend": "config1:0-23", "ldlat": "config1:0-15"},
    "armv8_pmuv3_0": {"event": "config:0-15"},
    "uncore_imc_0": {"event": "config:0-7", "umask": "config:8-15"},
    "amd_umc_0": {"event": "config:0-7", "rdwrmask": "config:8-9"},
}
FIELDS = ["retiring", "bad-spec", "fe-bound", "be-bound", "heavy-ops", "br-mispredict", "fetch-lat", "mem-bound"]
CPUS = ["SKX", "ICX", "SPR", "GNR", "ZEN4", "ZEN5", "NEOVERSE-N1", "NEOVERSE-V2"]


@pytest.fixture(scope="module")
def devices(tmp_path_factory):
    folder = tmp_path_factory.mktemp("devices")
    for number, (pmu, formats) in enumerate(FORMATS.items()):
        (folder / pmu / "format").mkdir(parents=True)
        (folder / pmu / "type").write_text(f"{4 if pmu == 'cpu' else 30 + number}\n")
        for name, bits in formats.items():
            (folder / pmu / "format" / name).write_text(bits + "\n")
        if "_0" in pmu and not pmu.startswith("arm"):
            (folder / pmu / "cpumask").write_text("0\n")
    events = folder / "cpu" / "events"
    events.mkdir()
    (events / "slots").write_text("event=0x00,umask=0x4\n")
    for number, field in enumerate(FIELDS):
        (events / f"topdown-{field}").write_text(f"event=0x00,umask={0x80 + number:#x}\n")
    return folder


@pytest.mark.parametrize("cpu", CPUS)
def test_perf_parses_every_printed_event(run, tmp_path, devices, cpu):
    if os.geteuid() != 0 or not shutil.which("perf") or not shutil.which("unshare"):
        pytest.skip("needs root, perf and unshare")
    done = run("topdown", "--print-perf", "--cpu", cpu, "-l", "6", "--all", "--", "true")
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("perf stat ")]
    events = [word for line in lines for words in [shlex.split(line)] for word in words[words.index("-e") + 1:words.index("--")] if word != "-e"]
    asked = [["perf", "stat", *(word for event in chosen for word in ("-e", event)), "--", "true"]
             for chosen in (events, [events[0].replace("slots,", "slots,evnet=1,").replace("event=0x", "evnet=0x")])]
    script = "".join(f"{shlex.join(words)}\necho 'status '$? >&2\n" for words in asked)
    (tmp_path / "collect.sh").write_text(script)
    ran = subprocess.run(["unshare", "-m", "sh", "-c", f"mount --bind {devices} /sys/bus/event_source/devices && exec sh collect.sh"],
                         cwd=tmp_path, capture_output=True, text=True, timeout=120)
    if "mount" in ran.stderr and "denied" in ran.stderr:
        pytest.skip("mounting is not allowed here")
    answers = ran.stderr.split("status ")
    assert len(answers) == 3, ran.stderr
    assert "syntax error" not in answers[0] and "Cannot find PMU" not in answers[0] and "Usage:" not in answers[0], answers[0]
    assert "syntax error" in answers[1]  # the check can fail
