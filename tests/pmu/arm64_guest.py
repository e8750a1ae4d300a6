# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixture boot_arm64: commands for the static core in an emulated arm64 kernel (tests/arm64_kernel.sh), what they answered,
and a skip with the reason where it can't be booted."""
import collections
import re
import subprocess

import pytest

# The folder that the guest worked in, and what was said behind each `say NAME`: the texts of a NAME said twice are joined.
Arm64 = collections.namedtuple("Arm64", "folder said")

GUEST_SECONDS = 240


CORE = "build-core-aarch64-linux-gnu"


def core_is_behind(folder):
    """ninja would have to build something: the objects there are of earlier sources."""
    return "no work to do" not in subprocess.run(["ninja", "-n", "-C", folder], capture_output=True, text=True).stdout


def compile_for_arm64(source, program, flags, core=None):
    """core: folder of the static core whose objects are among the flags; None: none are."""
    try:
        done = subprocess.run(["aarch64-linux-gnu-gcc", "-O1", "-static", *flags, "-o", program, source], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("no compiler for AArch64")
    if done.returncode and core and core_is_behind(core):
        pytest.skip("the static core for AArch64 is behind its sources: make core CROSS=aarch64-linux-gnu")
    assert not done.returncode, done.stderr


@pytest.fixture(scope="module")
def boot_arm64(source_root, sanitized, tmp_path_factory):
    if sanitized:
        pytest.skip("the static core has no sanitizers: the ordinary run tests it")
    if not (source_root / CORE / "plumb").exists():
        pytest.skip("no static core for AArch64 (make CROSS=aarch64-linux-gnu core)")

    def boot(commands, *words, name="program", program=None, flags=()):
        """`program` is the text of a C program, ./NAME for the commands; `words` go to the script."""
        folder = tmp_path_factory.mktemp("arm64")
        if program:
            source = folder / f"{name}.c"
            source.write_text(program)
            compile_for_arm64(source, folder / name, flags)
        script = 'say() { echo "=== $1"; }\n' + commands + "\nsay end\n"
        done = subprocess.run([source_root / "tests/arm64_kernel.sh", "-t", str(GUEST_SECONDS), "-k", folder, *words, script],
                              capture_output=True, text=True, timeout=GUEST_SECONDS + 60)
        if done.returncode == 77:
            pytest.skip(done.stderr.strip().splitlines()[-1])
        assert done.returncode == 0, done.stderr
        said = collections.defaultdict(str)
        parts = re.split(r"^=== (\w+)\n", done.stdout.replace("\r", ""), flags=re.M)[1:]
        for what, text in zip(parts[::2], parts[1::2]):
            said[what] += text
        assert "end" in said, done.stdout[-2000:] + done.stderr
        return Arm64(folder, dict(said))
    return boot
