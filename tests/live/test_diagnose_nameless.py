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


ASSERTING = """
#include <assert.h>
#include <stdlib.h>
static __attribute__((noinline)) unsigned long turned(unsigned long n, int steps)
{
    assert(steps > 0);
    for (unsigned long at = 0; at < 400000000; at++)
        n ^= n << 13, n ^= n >> 7, n ^= n << 17;
    return n;
}
int main(int argc, char **argv) { return turned((unsigned long)argc, argc) == 7; }
"""
VIRTUAL = """
#include <cstdlib>
namespace forms {
struct Shape { virtual ~Shape() {} virtual unsigned long area(unsigned long n) = 0; };
struct Round : Shape { unsigned long area(unsigned long n) override; };
struct Ball : Round { ~Ball() override { std::abort(); } };
__attribute__((noinline)) unsigned long Round::area(unsigned long n)
{
    for (unsigned long at = 0; at < 400000000; at++)
        n ^= n << 13, n ^= n >> 7, n ^= n << 17;
    return n;
}
}
int main(int argc, char **argv)
{
    forms::Shape *shape = argc > 100 ? new forms::Ball : new forms::Round;
    return shape->area((unsigned long)argc) == 7;
}
"""
SAYING = """
#include <stdio.h>
#include <stdlib.h>
static __attribute__((noinline)) unsigned long turned(unsigned long n, int steps)
{
    for (unsigned long at = 0; at < 400000000; at++)
        n ^= n << 13, n ^= n >> 7, n ^= n << 17;
    if (__builtin_expect(n == 8, 0))
        fprintf(stderr, "error: %s", "none");
    if (__builtin_expect(n == 7, 0)) {
        fprintf(stderr, "%s: the wheel of state came to rest (%d)", "turned", steps);
        exit(3);
    }
    return n;
}
int main(int argc, char **argv) { return turned((unsigned long)argc, argc) == 9; }
"""


# The longest texts are what any function says, and what several say.
SHARING = """
#include <stdio.h>
#include <stdlib.h>
#define OTHER(number) \\
    static __attribute__((noipa)) void other##number(int n) \\
    { \\
        if (n == number) \\
            fprintf(stderr, "a sentence that stands in every one of these functions alike (%d)", n); \\
    }
OTHER(1) OTHER(2) OTHER(3) OTHER(4) OTHER(5)
static __attribute__((noinline)) unsigned long turned(unsigned long n, int steps)
{
    for (unsigned long at = 0; at < 400000000; at++)
        n ^= n << 13, n ^= n >> 7, n ^= n << 17;
    if (__builtin_expect(n == 8, 0))
        fprintf(stderr, "Unable to allocate enough memory for all the states of the wheel (%d)", steps);
    if (__builtin_expect(n == 9, 0))
        fprintf(stderr, "a sentence that stands in every one of these functions alike (%d)", steps);
    if (__builtin_expect(n == 7, 0))
        fprintf(stderr, "the wheel of state came to rest (%d)", steps);
    return n;
}
int main(int argc, char **argv)
{
    other1(argc), other2(argc), other3(argc), other4(argc), other5(argc);
    return turned((unsigned long)argc, argc) == 9;
}
"""
PANICKING = """
#include <stdlib.h>
struct place { const char *file; unsigned long length; unsigned line, column; }; /* as Rust hands it to its panics */
static const struct place inlined = {"/usr/share/registry/core-1.0/src/other.rs", 41, 7, 9};
static const struct place bounds = {"/usr/share/registry/wheel-1.0/src/turn.rs", 41, 70, 9}, overflow = {"/usr/share/registry/wheel-1.0/src/turn.rs", 41, 71, 9};
static __attribute__((noipa, noreturn)) void panic(unsigned long n, const struct place *place) { exit((int)(place->line + n)); }
static __attribute__((noinline)) unsigned long turned(unsigned long n)
{
    if (n == 70) panic(n, &inlined);
    for (unsigned long at = 0; at < 400000000; at++)
        n ^= n << 13, n ^= n >> 7, n ^= n << 17;
    if (n == 8) panic(n, &bounds);
    if (n == 9) panic(n + 1, &overflow);
    return n;
}
int main(int argc, char **argv) { return turned((unsigned long)argc) == 7; }
"""


TABLED = """
#include <stdio.h>
#include <string.h>
typedef unsigned long work(unsigned long n);
static __attribute__((noinline)) unsigned long shift(unsigned long n) { return n << 1; }
static __attribute__((noinline)) unsigned long turn(unsigned long n)
{
    for (unsigned long at = 0; at < 400000000; at++)
        n ^= n << 13, n ^= n >> 7, n ^= n << 17;
    return n;
}
static __attribute__((noinline)) unsigned long back(unsigned long n) { return n >> 1; }
static const struct { const char *name; work *work; long flags; } commands[] = {{"shift", shift, 1}, {"turning", turn, 2}, {"back", back, 3}};
int main(int argc, char **argv)
{
    for (int at = 0; at < 3; at++)
        if (strcmp(commands[at].name, argc > 1 ? argv[1] : "turning") == 0)
            return commands[at].work((unsigned long)argc) == 7;
    return 1;
}
"""
# SHA-256's constants, looked up by what was computed.
KNOWING = """
static const unsigned words[16] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
                                   0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174};
static __attribute__((noinline)) unsigned turned(unsigned n)
{
    for (unsigned long at = 0; at < 300000000; at++)
        n = (n << 5 | n >> 27) + words[n & 15];
    return n;
}
int main(int argc, char **argv) { return turned((unsigned)argc) == 7; }
"""
# Of MD5 three of its constants, one of which the compiler adds as it likes.
ADDING = """
static __attribute__((noinline)) unsigned turned(unsigned n, unsigned m)
{
    for (unsigned long at = 0; at < 150000000; at++) {
        n += m + 0x4787c62a;
        m = (m << 7 | m >> 25) + n;
        n = (n << 12 | n >> 20) + m + 0xa8304613;
        m = (m ^ n) + 0x698098d8;
    }
    return n;
}
int main(int argc, char **argv) { return turned((unsigned)argc, (unsigned)argc) == 7; }
"""
# The same, four at once: vectors of one number.
VECTORS = """
typedef unsigned four __attribute__((vector_size(16)));
static __attribute__((noinline)) four turned(four n, four m)
{
    for (unsigned long at = 0; at < 150000000; at++) {
        n += m + 0x4787c62au;
        m = (m << 7 | m >> 25) + n;
        n = (n << 12 | n >> 20) + m + 0xa8304613u;
        m = (m ^ n) + 0x698098d8u;
    }
    return n;
}
int main(int argc, char **argv) { return turned((four){(unsigned)argc}, (four){(unsigned)argc})[1] == 7; }
"""


@pytest.mark.parametrize("compiler,ending,place,code,told", [
    ("gcc", "c", "-pie", ADDING, "(uses MD5's constants)"),
    ("gcc", "c", "-pie", VECTORS, "(uses MD5's constants)"),
    ("gcc", "c", "-pie", TABLED, '(beside "turning" in a table)'),
    ("gcc", "c", "-pie", KNOWING, "(uses SHA-256's constants)"),
    ("gcc", "c", "-no-pie", KNOWING, "(uses SHA-256's constants)"),
    ("gcc", "c", "-pie", ASSERTING, '(asserts as "turned")'),
    ("g++", "cc", "-pie", VIRTUAL, "(a virtual function of forms::Round)"),
    ("gcc", "c", "-pie", SAYING, 'the wheel of state came'),
    ("gcc", "c", "-no-pie", SAYING, 'the wheel of state came'),
    ("gcc", "c", "-pie", SHARING, 'the wheel of state came'),
    ("gcc", "c", "-no-pie", SHARING, 'the wheel of state came'),
    ("gcc", "c", "-pie", PANICKING, '(refers to "wheel-1.0/src/turn.rs")'),
], ids=["adding", "vectors", "tabled", "knowing", "knowing at a fixed address", "asserting", "virtual", "saying", "saying at a fixed address", "sharing", "sharing at a fixed address", "panicking"])
def test_a_function_without_a_name_is_told_by_what_it_tells_of_itself(plumb, tmp_path, compiler, ending, place, code, told):
    missing = [tool for tool in (compiler, "strip") if not shutil.which(tool)]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    (tmp_path / f"main.{ending}").write_text(code)
    made = subprocess.run([compiler, "-O2", "-fpie" if place == "-pie" else "-fno-pie", place, "-o", tmp_path / "hand", tmp_path / f"main.{ending}"], capture_output=True)
    if made.returncode:
        pytest.skip(f"{compiler} can't build it here")
    subprocess.run(["strip", tmp_path / "hand"], check=True)
    subprocess.run([plumb, "diagnose", "-q", "--case", tmp_path / "case", "--", tmp_path / "hand"], capture_output=True)
    found = json.loads((tmp_path / "case" / "findings.json").read_text())
    functions = [one["function"] for one in found["profile"].get("functions", [])]
    if not functions:
        pytest.skip("no samples here")
    if json.loads((tmp_path / "case" / "code.json").read_text())["architecture"] != "x86_64":
        pytest.skip("texts are looked for in x86-64's instructions")
    assert functions[0].startswith("hand+0x") and told in functions[0], functions
    assert found["verdict"]["sentence"].count(told) <= 1, found["verdict"]["sentence"]


SET_APART = """
#include <stdio.h>
static __attribute__((noinline, cold)) void told(int steps) { fprintf(stderr, "%d", steps); }
static __attribute__((noinline)) unsigned long turned(unsigned long n, int steps)
{
    char kept[64];
    snprintf(kept, sizeof(kept), "%d", steps);
    if (steps > 0) {
        told(steps);
        for (unsigned long at = 0; at < 400000000; at++)
            n ^= n << 13, n ^= n >> 7, n ^= n << 17;
        told(steps);
    }
    return n + (unsigned long)kept[0] + (unsigned long)snprintf(kept, sizeof(kept), "%lu", n);
}
int main(int argc, char **argv) { return turned((unsigned long)argc, argc) == 7; }
"""


def test_what_a_compiler_set_apart_belongs_to_its_function(plumb, tmp_path):
    (tmp_path / "main.c").write_text(SET_APART)
    made = subprocess.run(["gcc", "-O2", "-fno-omit-frame-pointer", "-o", tmp_path / "hand", tmp_path / "main.c"], capture_output=True)
    symbols = subprocess.run(["nm", tmp_path / "hand"], capture_output=True, text=True).stdout if not made.returncode else ""
    places = {name: int(address, 16) for address, _, name in (line.split() for line in symbols.splitlines() if len(line.split()) == 3)}
    if "turned.cold" not in places:
        pytest.skip("the compiler sets nothing apart")
    subprocess.run(["strip", tmp_path / "hand"], check=True)
    subprocess.run([plumb, "diagnose", "-q", "--case", tmp_path / "case", "--", tmp_path / "hand"], capture_output=True)
    found = json.loads((tmp_path / "case" / "findings.json").read_text())
    functions = [one["function"] for one in found["profile"].get("functions", [])]
    if not functions:
        pytest.skip("no samples here")
    assert functions[0] == f"hand+{places['turned']:#x}.cold", (functions, places)


IMAGE = """
#include <fcntl.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
    /* a runtime's image: code in a file that is no ELF file, mapped as it is */
    unsigned char *image = mmap(0, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, open(argv[1], O_RDONLY), 0);
    return ((int (*)(void))(image + 4096))();
}
"""


def test_code_of_an_image_that_is_no_elf_file_is_read(plumb, tmp_path):
    (tmp_path / "main.c").write_text(IMAGE)
    made = subprocess.run(["gcc", "-O2", "-o", tmp_path / "runtime", tmp_path / "main.c"], capture_output=True)
    if made.returncode:
        pytest.skip("no compiler")
    # mov $200000000, %ecx; 1: imul %eax, %eax; imul %eax, %eax; dec %ecx; jnz 1b; xor %eax, %eax; ret
    code = bytes.fromhex("b900c2eb0b" "0fafc0" "0fafc0" "ffc9" "75f6" "31c0" "c3")
    (tmp_path / "some.core").write_bytes(b"IMAGE".ljust(4096, b"\0") + code.ljust(4096, b"\0"))
    done = subprocess.run([plumb, "diagnose", "-q", "--case", tmp_path / "case", "--", tmp_path / "runtime", tmp_path / "some.core"], capture_output=True, text=True)
    kept = json.loads((tmp_path / "case" / "code.json").read_text())
    if kept["architecture"] != "x86_64":
        pytest.skip("the code is for x86-64")
    image = [one for one in kept["functions"] if one["dso"].endswith("some.core")]
    if not image:
        pytest.skip("no samples here")
    assert code[5:].hex() in image[0].get("bytes", ""), image
    assert "products of integers (2)" in json.loads((tmp_path / "case" / "findings.json").read_text())["verdict"]["sentence"] or "imul" in done.stdout, done.stdout
