# SPDX-License-Identifier: GPL-3.0-or-later
"""plumb pages, on memory whose page sizes are known because the test makes them."""
import json
import pathlib
import subprocess
import sys

import pytest

MIB = 1 << 20
POLICY = pathlib.Path("/sys/kernel/mm/transparent_hugepage")

# Memory of four kinds, then a line when it is there.
HOLDER = """
import ctypes, mmap, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
def area(mib, advice, fd=-1):
    at = libc.mmap(None, (mib + 2) << 20, 3, 1 if fd >= 0 else 0x22, fd, 0)
    at = (at + (2 << 20) - 1) & -(2 << 20) if fd < 0 else at
    if advice:
        libc.madvise(ctypes.c_void_p(at), mib << 20, advice)
    ctypes.memset(at, 1, mib << 20)
    return at
shared = os.memfd_create("ram")
os.ftruncate(shared, 34 << 20)
areas = [area(64, 14), area(48, 15), area(40, 0), area(32, 0, shared)]
print(*areas, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def holder():
    if not POLICY.is_dir():
        pytest.skip("this kernel has no transparent huge pages")
    process = subprocess.Popen([sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    areas = [int(word) for word in process.stdout.readline().split()]
    yield process.pid, areas
    process.stdin.close()
    process.wait()


def policy(name):
    return (POLICY / name).read_text().split("[")[1].split("]")[0]


def mapping_at(report, address):
    return next(each for each in report["processes"][0]["mappings"] if int(each["start"], 16) <= address < int(each["end"], 16))


def test_each_kind_of_memory_has_its_pages_and_its_reason(run, holder):
    pid, (advised, against, plain, shared) = holder
    done = run("pages", "-j", "-p", str(pid))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    huge = mapping_at(report, advised)
    if policy("enabled") == "never" or huge["huge_bytes"] < 64 * MIB and report["machine"]["free_in_blocks_bytes"] < 256 * MIB:
        pytest.skip("no huge pages to be had here")
    assert huge["huge_bytes"] >= 62 * MIB
    small = mapping_at(report, against)
    assert small["why_small"]["cause"] == "advised_never" and small["why_small"]["certain"] and small["small_bytes"] >= 48 * MIB
    if policy("enabled") == "madvise":
        undecided = mapping_at(report, plain)
        assert undecided["why_small"]["cause"] == "policy_advised" and "GLIBC_TUNABLES" in undecided["why_small"]["remedy"]
    memory = mapping_at(report, shared)
    assert memory["backing"] == "shared"
    if policy("shmem_enabled") == "never":
        assert memory["why_small"]["cause"] == "shmem_never"


def test_the_sums_are_those_of_smaps(run, holder):
    pid, _ = holder
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    told = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines[1:]}
    report = json.loads(run("pages", "-j", "--no-why", "-p", str(pid)).stdout)["processes"][0]
    assert report["method"] in ("scan", "flags", "smaps")
    present = report["small_bytes"] + report["huge_bytes"]
    assert abs(present - told["Rss"]) < 2 * MIB
    assert report["huge_bytes"] == told["AnonHugePages"] + told["ShmemPmdMapped"] + told["FilePmdMapped"]


def test_the_page_reads_well(run, holder):
    pid, _ = holder
    done = run("pages", "-p", str(pid), "--numa", "--folios")
    assert done.returncode == 0 and "on 4 KiB pages" in done.stdout and "MAPPINGS WITH SMALL PAGES" in done.stdout
    assert "why:    small pages were asked for" in done.stdout
    assert "FOLIOS" in done.stdout and "NUMA NODES" in done.stdout and "THE MACHINE" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_nodes_and_folios_have_numbers_or_a_reason(run, holder):
    pid, _ = holder
    report = json.loads(run("pages", "-j", "-p", str(pid), "--numa", "--folios", "--exact").stdout)["processes"][0]
    nodes, folios = report["nodes"], report["folios"]
    assert nodes["why_not"] or sum(nodes["bytes"]) > 150 * MIB
    if not folios["why_not"]:
        assert folios["all"] and folios["looked_at"] * 4096 >= 100 * MIB
        assert sum(size["pages"] for size in folios["sizes"]) + folios["vanished"] == folios["looked_at"]


def test_a_command_is_seen_at_its_largest_and_its_status_passed_on(run, tmp_path):
    # It keeps the memory until plumb (its grandparent) has read on and slept again a few times: on a busy machine a look may be late, or cut in pieces.
    (tmp_path / "program.py").write_text("""import os, time
plumb = next(line.split()[1] for line in open(f"/proc/{os.getppid()}/status") if line.startswith("PPid:"))
def reads():
    return next(line for line in open(f"/proc/{plumb}/io") if line.startswith("syscr:"))
def sleeps():
    return open(f"/proc/{plumb}/stat").read().rsplit(")", 1)[1].split()[0] == "S"
kept = bytearray(200 << 20)
end, last, looks, moved = time.monotonic() + 30, reads(), 0, False
while looks < 6 and time.monotonic() < end:
    time.sleep(0.01)
    now = reads()
    moved, last = moved or now != last, now
    if moved and sleeps():
        looks, moved = looks + 1, False
del kept
time.sleep(0.05)
raise SystemExit(7)
""")
    done = run("pages", "-j", "-o", str(tmp_path / "out"), "--", "sh", "-c", f"{sys.executable} {tmp_path / 'program.py'}; exit $?")
    assert done.returncode == 7, done.stderr
    report = json.loads((tmp_path / "out").read_text())
    largest = report["processes"][0]
    assert largest["small_bytes"] + largest["huge_bytes"] > 190 * MIB and report["seen_at_s"] > 0


def test_a_case_keeps_its_page_maps(run, tmp_path):
    kept = {"schema": 1, "processes": [{"pid": 12, "method": "scan", "base_page_bytes": 4096, "areas": [
        {"start": "0x40000000", "end": "0x40400000", "protection": "rw-p", "path": "", "resident_bytes": 4 * MIB, "huge_bytes": 2 * MIB,
         "page_bytes": 4096}], "ranges": [{"start": "0x40000000", "end": "0x40200000", "page_bytes": 2 * MIB},
                                          {"start": "0x40200000", "end": "0x40400000", "page_bytes": 4096}]}]}
    (tmp_path / "pages.json").write_text(json.dumps(kept))
    report = json.loads(run("pages", "-j", "--case", str(tmp_path)).stdout)["processes"][0]
    assert (report["small_bytes"], report["huge_bytes"]) == (2 * MIB, 2 * MIB)
    assert all("why_small" not in mapping for mapping in report["mappings"])  # this machine's policy is none of the case's
    (tmp_path / "pages.json").write_text("{")
    assert run("pages", "--case", str(tmp_path)).returncode == 1


@pytest.mark.parametrize("words, says", [([], "whose pages"), (["-p", "1", "true"], "not several"), (["--exact", "-p", "1"], "--folios"),
                                         (["-p", "x"], "x"), (["-p", "99999999"], "99999999"), (["--bogus"], "bogus")])
def test_bad_words_are_told(run, words, says):
    done = run("pages", *words)
    assert done.returncode in (1, 2) and says in done.stderr and not done.stdout


def test_all_processes(run):
    done = run("pages", "--system", "-j")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    pids = [process["pid"] for process in report["processes"]]
    assert len(pids) == len(set(pids)) and report["machine"]["free_bytes"] > 0
    assert "PROCESSES" in run("pages", "--system").stdout


GROWING = """
import ctypes, mmap, time
memory = mmap.mmap(-1, 96 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(15)
for at in range(6):
    memory[at * (16 << 20):(at + 1) * (16 << 20)] = bytes(16 << 20)
    time.sleep(0.15)
raise SystemExit(5)
"""


def test_a_growing_program_is_followed(run):
    done = run("pages", "--watch", "-I", "50", "--json", "--", sys.executable, "-c", GROWING)
    assert done.returncode == 5, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    # The last look may meet it while its memory is being given back.
    assert len(lines) >= 4 and max(line["small_bytes"] for line in lines) - lines[0]["small_bytes"] > 60 * MIB
    assert sum(line["faults"] for line in lines[1:]) * 4096 > 60 * MIB


def test_watching_ends_in_time_and_by_the_program(run, holder):
    pid, _ = holder
    done = run("pages", "--watch", "-I", "50", "--duration", "0.3", "-p", str(pid))
    assert done.returncode == 0 and 3 <= len(done.stdout.splitlines()) <= 9, done.stdout
    assert run("pages", "--watch", "-p", "99999999").returncode == 1
    assert run("pages", "--duration", "1", "-p", str(pid)).returncode == 2


def test_a_case_says_where_its_loads_went(run, kernel_case):
    case = kernel_case("chase")
    use = json.loads(run("pages", "-j", "--case", case).stdout)["use"]
    page = run("pages", "--case", case).stdout
    assert "WHAT SAMPLES SAY OF THEM" in page
    assert "sampled instructions hit small pages" in page
    if use["small_share"] is None:
        pytest.skip("no addresses were computed: samples don't land beside the stalled instruction here")
    assert use["code"]["small_hits"] > 50 and use["code"]["small_share"]["mid"] > 0.9
    assert use["small_hits"] > use["huge_hits"] and use["small_share"]["mid"] > 0.8 and use["function"]
