# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables have names wherever a program keeps them: in what its file holds, on the rest of that page, and in the memory behind."""
import re
import shutil
import subprocess

import pytest

from perf_data_file import ADDR, IP, PERIOD, TID, TIME, File

PAGE = 0x1000
PROGRAM = """
char held[64] = {1};
char zeros[64];
char many_zeros[1 << 16] __attribute__((aligned(4096)));
int main(void) { return held[0] + zeros[0] + many_zeros[0]; }
"""


@pytest.fixture
def program(tmp_path):
    if not shutil.which("cc") or not shutil.which("nm") or not shutil.which("readelf"):
        pytest.skip("no compiler or no binutils")
    (tmp_path / "program.c").write_text(PROGRAM)
    subprocess.run(["cc", "-static", "-no-pie", "-fno-pie", "-o", tmp_path / "program", tmp_path / "program.c"], check=True)
    return tmp_path / "program"


def test_variables(run, program, tmp_path):
    symbols = {name: int(addr, 16) for addr, _, name in
               (line.split() for line in subprocess.check_output(["nm", program], text=True).splitlines() if line.count(" ") == 2)}
    loads = [line.split() for line in subprocess.check_output(["readelf", "-lW", program], text=True).splitlines() if line.strip().startswith("LOAD")]
    load = next(words for words in loads if "W" in words[6])
    offset, addr, _, in_file, in_memory = (int(word, 16) for word in load[1:6])
    start, file_end, end = addr & -PAGE, -(-(addr + in_file) // PAGE) * PAGE, -(-(addr + in_memory) // PAGE) * PAGE
    recording = File(sample_type=IP | TID | TIME | PERIOD | ADDR)
    recording.comm(7, 7, "prog").mmap2(7, start, file_end - start, str(program), offset=offset & -PAGE, protection=3)
    recording.mmap2(7, file_end, end - file_end + PAGE, "//anon", protection=3)
    for time, place in enumerate((symbols["held"] + 5, symbols["zeros"] + 6, symbols["many_zeros"] + 3 * PAGE, end + 8)):
        recording.sample(7, 0x100, time + 1, period=1000 * (4 - time), addr=place)
    path = tmp_path / "perf.data"
    path.write_bytes(recording.file())
    rows = [line.split()[2] for line in run("report", "-s", "symbol_daddr", "-g", "none", "-i", str(path)).stdout.splitlines()
            if re.match(r" +[0-9.]+%", line)]
    assert rows == ["held+0x5", "zeros+0x6", "many_zeros+0x3000", f"{end + 8:#018x}"]
