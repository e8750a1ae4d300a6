# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of one process with stacks as they are asked for, of which tests and a bench make reports."""
import json

from perf_data_file import CALLCHAIN, CPU, IP, PERIOD, TID, TIME, CONTEXT_USER, File

PID, BASE, SIZE = 700, 0x400000, 0x1000


def function(name, at, code=None, dso="/opt/a program/app"):
    made = {"dso": dso, "name": name, "address": hex(at), "size": 0x100, "shown": hex(at)}
    return made | ({"bytes": code, "lines": [{"address": hex(at), "path": "/no/such/<b>file.c", "line": 3}]} if code else {})


def make_case(folder, functions, stacks, comm="app"):
    """A case of one process whose samples have these stacks: addresses, the sampled one first."""
    folder.mkdir()
    made = File(sample_type=IP | TID | TIME | CPU | PERIOD | CALLCHAIN)
    made.comm(PID, PID, comm).mmap2(PID, BASE, SIZE << 12, "/opt/a program/app", offset=BASE)
    records = []
    for at, stack in enumerate(stacks):
        made.data = b""
        made.sample(PID, stack[0], 10_000_000 + at * 333_444, period=333_444, chain=(CONTEXT_USER, *stack))
        records.append(made.data)
    made.data = b""
    made.comm(PID, PID, comm).mmap2(PID, BASE, SIZE << 12, "/opt/a program/app", offset=BASE)
    made.data += b"".join(records)
    (folder / "perf.data").write_bytes(made.file())
    (folder / "code.json").write_text(json.dumps({"schema": 2, "architecture": "x86_64", "functions": functions}))
    return folder


def many_stacks_case(folder):
    """A hundred thousand samples, no two of one stack, in a thousand functions."""
    functions = [function(f"a_function_of_some_name_{at}", BASE + 0x100 * at) for at in range(1000)]
    place = [BASE + 0x100 * at + 4 for at in range(1000)]
    stacks = [(place[at % 1000], place[at // 100 % 1000], place[at // 1000 % 100 + 500], place[at // 10000 + 10], place[1], place[0])
              for at in range(100_000)]
    assert len(set(stacks)) == 100_000
    return make_case(folder, functions, stacks)
