# SPDX-License-Identifier: GPL-3.0-or-later
"""Hand-written code without sizes, frame descriptions or names of its own: of which function is it, and what calls it?"""
import json
import shutil
import subprocess

import pytest

CODE = """
    .text
    .globl exported
exported:
    mov $400000000, %ecx
1:  dec %ecx
    jnz 1b
    ret
    .balign 16384
far_behind:
    mov $1200000000, %ecx
1:  dec %ecx
    jnz 1b
    ret
    .balign 4096
    .globl call_far
call_far:
    jmp far_behind
    .section .note.GNU-stack,"",@progbits
"""
MAIN = "extern void exported(void), call_far(void);\nint main(void) { exported(); call_far(); return 0; }\n"


@pytest.fixture(scope="module")
def found(plumb, tmp_path_factory):
    folder = tmp_path_factory.mktemp("nameless")
    (folder / "code.s").write_text(CODE)
    (folder / "main.c").write_text(MAIN)
    made = subprocess.run(["gcc", "-O2", "-rdynamic", "-o", folder / "hand", folder / "main.c", folder / "code.s"], capture_output=True)
    if made.returncode or not shutil.which("strip"):
        pytest.skip("no compiler for x86-64's instructions")
    subprocess.run(["strip", folder / "hand"], check=True)
    subprocess.run([plumb, "diagnose", "-q", "--case", folder / "case", "--", folder / "hand"], capture_output=True)
    return json.loads((folder / "case" / "findings.json").read_text())


def test_code_far_behind_an_exported_name_is_not_that_function(found):
    functions = {one["function"]: one["share"]["mid"] for one in found["profile"].get("functions", [])}
    if not functions:
        pytest.skip("no samples here")
    nameless = [share for name, share in functions.items() if name.startswith("hand+0x")]
    assert nameless and max(nameless) > 0.5, functions
    assert 0.05 < functions["exported"] < 0.5, functions
    assert not any(name.startswith(("[JIT]", "[unknown]")) for name in functions), functions
