#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write programs whose bottleneck is known, made to order: generate.py FOLDER [--count 200] [--seed 1]

Each kind of bottleneck is a function here, which draws size, stride, unrolling, element type and mix of instructions, and
writes the one part of C that has the bottleneck for certain, whatever it drew; the label is the function's. The same
seed gives the same programs. FOLDER gets NAME.c and labels.tsv, as bench/known-answers/README.md describes them.
"""
import argparse
import collections
import math
import pathlib
import random

KIB, MIB = 1 << 10, 1 << 20
INTEGERS = {"uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "uint64_t": 8}
COLUMNS = ("name", "compiler", "flags", "arguments", "class", "subclass", "adversarial", "working_set_bytes", "fix", "units", "remark")
# A part of a program: what stands at the head of the file, what main does first, the body of `uint64_t part(void)`, and the truth.
# fixed: the body that does the same work without the cause; "" where there is none.
Part = collections.namedtuple("Part", "head setup body label subclass adversarial working_set units flags remark fixed",
                              defaults=("-", "no", None, None, (), "", ""))


def lines(*texts):
    return "\n".join(texts)


def tab(text, depth=1):
    return "\n".join("    " * depth + line if line.strip() else line for line in text.split("\n"))


def side_by_side(kind, names, start, turns, step, hide):
    """A loop of `turns` steps altogether, in as many chains as there are names."""
    return lines(f"{kind} {', '.join(f'{name} = {start}' for name in names)};", "", "KNOWN_AS_WRITTEN",
                 f"for (int i = 0; i < {turns}; i += {len(names)}) {{", *[f"    {step(name)}" for name in names], f"    {hide}", "}")


def hidden(names):
    """A statement after which the compiler knows nothing of these integers."""
    return '__asm__ volatile("" : ' + ", ".join(f'"+r"({name})' for name in names) + ");"


# --- memory -----------------------------------------------------------------------------------------------------------

def chase(draw, p, sizes, label, subclass, adversarial, remark):
    """A shuffled ring: `unroll` steps a turn, nodes `stride` bytes apart, the link somewhere in the node's first line."""
    size, stride, unroll = draw.choice(sizes), draw.choice((64, 64, 128, 256)), draw.choice((1, 1, 2, 3, 4, 8))
    link, turns = draw.randrange(8) * 8, draw.choice((500, 2000, 10000))
    nodes = size // stride
    return Part(f"static char *p{p}_at;",
                lines(f"p{p}_at = known_memory({size}, KNOWN_HUGE_PAGES);",
                      f"for (uint64_t i = 0; i < {nodes}; i++)",
                      f"    *(char **)(p{p}_at + i * {stride} + {link}) = p{p}_at + known_ring_next(i, {nodes - 1}) * {stride} + {link};",
                      f"p{p}_at += {link};"),
                lines(f"char *at = p{p}_at;", "", "KNOWN_AS_WRITTEN", f"for (int i = 0; i < {turns}; i++) {{",
                      *["    at = *(char **)at;"] * unroll, "}", f"p{p}_at = at;", f"return {turns * unroll};"),
                label, subclass, adversarial, nodes * 64, unroll, (), f"{remark}: ring of {nodes} nodes {stride} bytes apart",
                lines(f"char *at = p{p}_at - {link};", f"static uint64_t from;", "uint64_t sum = 0;", "", "KNOWN_AS_WRITTEN", f"for (int i = 0; i < {turns * unroll}; i++)",
                      f"    sum += *(uint64_t *)(at + ((from + (uint64_t)i) & {nodes - 1}) * {stride} + {link});", f"from += {turns * unroll};", "KNOWN_KEEP(sum);",
                      f"return {turns * unroll};") if label == "memory" else "")


def chase_far(draw, p):
    return chase(draw, p, (16 * MIB, 32 * MIB, 64 * MIB, 128 * MIB), "memory", "latency", "no", "beyond the caches nearby")


def chase_near(draw, p):
    return chase(draw, p, (128 * KIB, 256 * KIB), "memory", "l2", "no", "beyond level 1, within level 2")


def chase_nearest(draw, p):
    return chase(draw, p, (4 * KIB, 8 * KIB, 16 * KIB), "core", "l1_latency", "yes", "within level 1")


def gather(draw, p):
    """Loads from all over a table at places that come from arithmetic."""
    kind, size, unroll = draw.choice(list(INTEGERS) + ["float", "double"]), draw.choice((32, 64, 128, 256)) * MIB, draw.choice((1, 2, 4))
    width = INTEGERS.get(kind) or {"float": 4, "double": 8}[kind]
    turns, shift = draw.choice((1000, 5000)), draw.choice((27, 29, 31))
    steps = [f"    place = (from + {k}) * 0x9e3779b97f4a7c15u;\n    sum += p{p}_table[(place ^ place >> {shift}) & {size // width - 1}];" for k in range(unroll)]
    return Part(f"static {kind} *p{p}_table;\nstatic uint64_t p{p}_from;",
                f"p{p}_table = known_memory({size}, KNOWN_HUGE_PAGES);",
                lines(f"{kind} sum = 0;", f"uint64_t place, from = p{p}_from;", "", "KNOWN_AS_WRITTEN",
                      f"for (int i = 0; i < {turns}; i++, from += {unroll}) {{", *steps, "}", f"p{p}_from = from;", "KNOWN_KEEP(&sum);",
                      f"return {turns * unroll};"),
                "memory", "parallel_misses", "no", size, unroll, (), f"{kind} from all over {size // MIB} MiB, no place waits for a load",
                lines(f"{kind} sum = 0;", f"uint64_t from = p{p}_from;", "", "KNOWN_AS_WRITTEN",
                      f"for (int i = 0; i < {turns * unroll}; i++)", f"    sum += p{p}_table[(from + (uint64_t)i) & {size // width - 1}];",
                      f"p{p}_from = from + {turns * unroll};", "KNOWN_KEEP(&sum);", f"return {turns * unroll};"))


def stream(draw, p):
    """In order through memory: a quarter of a line or more a turn, with next to nothing done to it."""
    size, stride, form = draw.choice((64, 128, 256)) * MIB, draw.choice((2, 4, 8)), draw.choice(("sum", "fill", "scale", "copy"))
    kind, chunk = draw.choice(("uint64_t", "double", "uint64_t")), 16384
    if kind == "double" and form == "sum":
        stride = 8      # an addition takes 4 cycles: a whole line for it
    count, half = size // 8, size // 16
    head = f"static {kind} *p{p}_data;\nstatic uint64_t p{p}_from;"
    body = {"sum": "sum += data[i];", "fill": "data[i] = 3;", "scale": "data[i] += 1;", "copy": f"data[i + {half}] = data[i];"}[form]
    span = half if form == "copy" else count
    return Part(head, f"p{p}_data = known_memory({size}, KNOWN_HUGE_PAGES);",
                lines(f"{kind} *data = p{p}_data + p{p}_from, sum = 0;", "", "KNOWN_AS_WRITTEN",
                      f"for (int i = 0; i < {chunk * 8}; i += {stride})", f"    {body}", "KNOWN_KEEP(&sum);", "KNOWN_KEEP(data);",
                      f"p{p}_from = (p{p}_from + {chunk * 8}) % {span};", f"return {chunk * 8 // stride};"),
                "memory", "bandwidth", "no", size, None, ("-fno-tree-vectorize",),
                f"{form} of {size // MIB} MiB in order, every {stride * 8} bytes",
                lines(f"{kind} *data = p{p}_data, sum = 0;", "", "KNOWN_AS_WRITTEN", "for (int turn = 0; turn < 128; turn++) {", "    KNOWN_AS_WRITTEN",
                      f"    for (int i = 0; i < 1024; i += {stride})", f"        {body.replace(str(half), '1024')}", "    KNOWN_KEEP(&sum);", "    KNOWN_KEEP(data);", "}",
                      f"return {chunk * 8 // stride};"))


def pages(draw, p):
    """A line in each of 8192 pages: 512 KiB of lines, which level 2 holds, and five times what the TLB knows."""
    factor, unroll, turns = draw.choice((3, 5, 7, 11, 13)), draw.choice((1, 2, 4)), draw.choice((2000, 10000))
    line = f"(i) * 4096 + ((i) * {factor} + ((i) >> 6)) % 64 * 64"
    return Part(f"static char *p{p}_at;\n#define P{p}_LINE(i) ({line})",
                lines(f"p{p}_at = known_memory(8192 * 4096, KNOWN_SMALL_PAGES);", "for (uint64_t i = 0; i < 8192; i++)",
                      f"    *(char **)(p{p}_at + P{p}_LINE(i)) = p{p}_at + P{p}_LINE(known_ring_next(i, 8191));"),
                lines(f"char *at = p{p}_at;", "", "KNOWN_AS_WRITTEN", f"for (int i = 0; i < {turns}; i++) {{",
                      *["    at = *(char **)at;"] * unroll, "}", f"p{p}_at = at;", f"return {turns * unroll};"),
                "memory", "tlb", "no", 8192 * 64, unroll, (), "a line in each of 8192 small pages")


# --- core -------------------------------------------------------------------------------------------------------------

def integer_chain(draw, p):
    """Multiplications in one chain, with cheaper steps between them; each waits for the one before."""
    kind, unroll, turns = draw.choice(("uint32_t", "uint64_t")), draw.choice((1, 2, 3, 4)), draw.choice((3000, 20000, 200000))
    between = draw.sample(["x += 77;", "x ^= y;", "x = x << 13 | x >> 19;", "x -= y;", "x ^= x >> 7;"], draw.randrange(3))
    step, four = [f"    {each}" for each in ["x *= y;", *between]], ["x0", "x1", "x2", "x3"]
    return Part(f"static {kind} p{p}_state = 1;", "",
                lines(f"{kind} x = p{p}_state, y = 0x2c1b3c6d;", "", "KNOWN_HIDE(y);", "KNOWN_AS_WRITTEN",
                      f"for (int i = 0; i < {turns}; i++) {{", *(step + ["    KNOWN_HIDE(x);"]) * unroll, "}", f"p{p}_state = x;",
                      f"return {turns * unroll};"),
                "core", "latency_chain", "yes", None, unroll, (), f"{kind}: {' '.join(['x *= y;', *between])}",
                lines(f"{kind} y = 0x2c1b3c6d;", "", "KNOWN_HIDE(y);",
                      side_by_side(kind, four, 1, turns * unroll // 4 * 4, lambda name: " ".join(["x *= y;", *between]).replace("x", name), hidden(four)),
                      f"p{p}_state = x0 ^ x1 ^ x2 ^ x3;", f"return {turns * unroll // 4 * 4};"))


def float_chain(draw, p):
    kind, unroll, turns = draw.choice(("float", "double")), draw.choice((1, 2, 4)), draw.choice((3000, 20000, 100000))
    step, eight = draw.choice(("x = x * y + 1;", "x += y;", "x *= y;", "x = (x + y) * y;")), [f"x{k}" for k in range(8)]
    return Part(f"static {kind} p{p}_factor = 0.999f;", "",
                lines(f"{kind} x = 1, y = *(volatile {kind} *)&p{p}_factor;", "", "KNOWN_AS_WRITTEN",
                      f"for (int i = 0; i < {turns}; i++) {{", *[f"    {step}", "    __asm__ volatile(\"\" : \"+x\"(x));"] * unroll,
                      "    x = x > 1e-30f ? x : 1;" if step == "x *= y;" else "", "}", "KNOWN_KEEP(&x);", f"return {turns * unroll};").replace("\n\n}", "\n}"),
                "core", "latency_chain/fp", "no", None, unroll, (), f"{kind}: {step}",
                lines(f"{kind} y = *(volatile {kind} *)&p{p}_factor;", "",
                      side_by_side(kind, eight, 1, turns * unroll // 8 * 8, lambda name: step.replace("x", name),
                                   "__asm__ volatile(\"\" : " + ", ".join(f'"+x"({name})' for name in eight) + ");"),
                      f"x0 += {' + '.join(eight[1:])};", "KNOWN_KEEP(&x0);", f"return {turns * unroll // 8 * 8};") if step != "x *= y;" else "")


def float_units(draw, p):
    """Chains of multiplications and additions side by side: more than the two units' latency asks for."""
    kind, width, many, turns = draw.choice(("float", "double")), draw.choice((16, 32)), draw.choice((10, 11, 12)), draw.choice((2000, 20000))
    names = [f"a{k}" for k in range(many)]
    return Part(f"typedef {kind} p{p}_lanes __attribute__((vector_size({width})));",  "",
                lines(f"p{p}_lanes factor = {{ 0 }}, addend = {{ 0 }}, {', '.join(f'{name} = {{ {k} }}' for k, name in enumerate(names))};", "",
                      "factor += 0.5f;", "addend += 1;", "__asm__ volatile(\"\" : \"+x\"(factor), \"+x\"(addend));", "KNOWN_AS_WRITTEN",
                      f"for (int i = 0; i < {turns}; i++) {{", *[f"    {name} = {name} * factor + addend;" for name in names], "}",
                      f"addend = {' + '.join(names)};", "KNOWN_KEEP(&addend);", f"return {turns * many};"),
                "core", "fp/ports", "no", None, many, ("-mavx2", "-mfma", "-ffp-contract=fast"),
                f"{many} chains of {width}-byte vectors of {kind} side by side")


def divide(draw, p):
    """Divisions, in one chain or in some side by side: the divider takes one after the other."""
    kind, many, turns = draw.choice(("uint32_t", "uint64_t", "float", "double")), draw.choice((1, 1, 2, 3)), draw.choice((1000, 10000))
    names = [f"a{k}" for k in range(many)]
    floating = kind in ("float", "double")
    steps = [f"    {name} = {f'y / ({name} + 1)' if floating else f'({name} + 0x7fffffffu) % y'};" for name in names]
    hide = '__asm__ volatile("" : "+x"(y));' if floating else "KNOWN_HIDE(y);"
    return Part("", "", lines(f"{kind} y = 999983, {', '.join(f'{name} = {k + 1}' for k, name in enumerate(names))};", "", hide, "KNOWN_AS_WRITTEN",
                              f"for (int i = 0; i < {turns}; i++) {{", *steps, "}", f"y = {' + '.join(names)};", "KNOWN_KEEP(&y);",
                              f"return {turns * many};"),
                "core", "divide/latency_chain" if floating else "divide", "no", None, many, (), f"{kind}, {many} side by side")


def one_port(draw, p):
    """An instruction that one unit alone carries out, as often as it can."""
    many, turns, form = draw.choice((6, 7, 8)), draw.choice((2000, 20000)), draw.choice(("multiply", "check"))
    names = [f"a{k}" for k in range(many)]
    step = {"multiply": "{0} *= y;", "check": "{0} = __builtin_ia32_crc32di({0}, y);"}[form]
    return Part("", "", lines(f"uint64_t y = 12345, {', '.join(f'{name} = {k}' for k, name in enumerate(names))};", "", "KNOWN_HIDE(y);",
                              "KNOWN_AS_WRITTEN", f"for (int i = 0; i < {turns}; i++) {{",
                              *[f"    {step.format(name)}" for name in names],
                              "    " + hidden(names), "}",
                              f"y = {' ^ '.join(names)};", "KNOWN_KEEP(y);", f"return {turns * many};"),
                "core", "ports", "no", None, many, ("-msse4.2",), f"{many} chains of {form}")


def store_and_load(draw, p):
    """Counters that are loaded right after they were stored."""
    kind, counters, unroll, turns = draw.choice(list(INTEGERS)), draw.choice((1, 1, 2)), draw.choice((1, 2, 4)), draw.choice((1000, 10000))
    steps = [f"    table[places[(i + {k}) & 4095]]{draw.choice(('++', ' += 3'))};" for k in range(unroll)]
    return Part(f"static {kind} *p{p}_table;\nstatic unsigned char *p{p}_places;",
                lines(f"p{p}_table = known_memory(2048, KNOWN_SMALL_PAGES);", f"p{p}_places = known_memory(4096, KNOWN_SMALL_PAGES);",
                      "for (int i = 0; i < 4096; i++)", f"    p{p}_places[i] = (unsigned char)(i % {counters} * 9 + 40);"),
                lines(f"{kind} *table = p{p}_table;", f"const unsigned char *places = p{p}_places;", "", "KNOWN_AS_WRITTEN",
                      f"for (int i = 0; i < {turns * unroll}; i += {unroll}) {{", *steps, "}", "KNOWN_KEEP(table);", f"return {turns * unroll};"),
                "core", "store_forwarding", "yes", None, unroll, (), f"{counters} counters of {kind}, by turns",
                lines(f"{kind} *table = p{p}_table;", f"const unsigned char *places = p{p}_places;", "", "KNOWN_AS_WRITTEN",
                      f"for (int i = 0; i < {turns * unroll // 8 * 8}; i += 8) {{", *[f"    table[places[(i + {k}) & 4095] + {k * 16}]++;" for k in range(8)], "}",
                      "KNOWN_KEEP(table);", f"return {turns * unroll // 8 * 8};"))


# --- branches, code, and as fast as it goes ---------------------------------------------------------------------------

def random_branch(draw, p):
    """A branch on random bits. What it decides can't be had by arithmetic: the compiler is told that it must branch."""
    kind, ways, bit = draw.choice(list(INTEGERS)), draw.choice((2, 2, 3)), draw.randrange(7)
    count, piece = 1 << 19, 1 << 13
    extra = draw.randrange(4)
    body = [f"    {kind} value = data[i];", "", f"    if (value >> {bit} & 1) {{", "        KNOWN_HIDE(sum);", "        sum += value;", "    }"]
    if ways == 3:
        body += [f"    else if (value >> {bit + 1 if bit < 6 else 0} & 1) {{", "        KNOWN_HIDE(sum);", "        sum ^= 5;", "    }"]
    body += ["    sum += i;"] * (extra > 0) + ["    sum ^= value;"] * (extra > 1)
    return Part(f"static {kind} *p{p}_data;\nstatic uint64_t p{p}_from;",
                lines(f"p{p}_data = known_memory({count} * sizeof *p{p}_data, KNOWN_HUGE_PAGES);", "for (uint64_t i = 0, seed = 5; i < " f"{count}; i++)",
                      f"    p{p}_data[i] = ({kind})(known_random(&seed) >> 20);"),
                lines(f"const {kind} *data = p{p}_data + p{p}_from;", "uint64_t sum = 0;", "", "KNOWN_AS_WRITTEN",
                      f"for (uint64_t i = 0; i < {piece}; i++) {{", *body, "}", "KNOWN_KEEP(sum);", f"p{p}_from = (p{p}_from + {piece}) % {count};",
                      f"return {piece};"),
                "bad_speculation", "conditional", "no", None, 1, (), f"{kind}, bit {bit} of random numbers, {ways} ways",
                lines(f"const {kind} *data = p{p}_data + p{p}_from;", "uint64_t sum = 0;", "", "KNOWN_AS_WRITTEN", f"for (uint64_t i = 0; i < {piece}; i++) {{",
                      f"    {kind} value = data[i];", f"    uint64_t taken = -(uint64_t)(value >> {bit} & 1);", "", "    KNOWN_HIDE(taken);", "    sum += value & taken;",
                      *body[6:], "}", "KNOWN_KEEP(sum);", f"p{p}_from = (p{p}_from + {piece}) % {count};", f"return {piece};") if ways == 2 else "")


def random_jump(draw, p):
    """A switch or a call through a pointer on random numbers."""
    ways, form = draw.choice((8, 16, 32)), draw.choice(("switch", "call"))
    count, piece = 1 << 19, 1 << 13
    acts = ["x += {0};", "x ^= {0} + y;", "x -= y;", "y += {0};", "y ^= x;", "x = x << 1 ^ {0};", "y = y >> 1 ^ {0};", "x = ~x + {0};"]
    cases = [draw.choice(acts).format(k * 7 + 1) for k in range(ways)]
    head, setup = f"static unsigned char *p{p}_orders;\nstatic uint64_t p{p}_from;", [
        f"p{p}_orders = known_memory({count}, KNOWN_HUGE_PAGES);", f"for (uint64_t i = 0, seed = 8; i < {count}; i++)",
        f"    p{p}_orders[i] = (unsigned char)(known_random(&seed) >> 32) % {ways};"]
    if form == "call":
        head += "".join(f"\nstatic uint64_t p{p}_case_{k}(uint64_t x)\n{{\n    uint64_t y = x >> 5;\n\n    {case}\n    return x ^ y;\n}}" for k, case in enumerate(cases))
        head += f"\nstatic uint64_t (*const p{p}_cases[])(uint64_t) = {{ {', '.join(f'p{p}_case_{k}' for k in range(ways))} }};"
        body = [f"    x = p{p}_cases[orders[i]](x);"]
    else:
        body = ["    switch (orders[i]) {", *[f"    case {k}: {case} break;" for k, case in enumerate(cases)], "    default: __builtin_unreachable();", "    }",
                "    __asm__ volatile(\"\" : \"+r\"(x), \"+r\"(y));"]
    return Part(head, lines(*setup),
                lines(f"const unsigned char *orders = p{p}_orders + p{p}_from;", "uint64_t x = 1, y = 2;", "", "KNOWN_AS_WRITTEN",
                      f"for (int i = 0; i < {piece}; i++) {{", *body, "}", "KNOWN_KEEP(x ^ y);", f"p{p}_from = (p{p}_from + {piece}) % {count};",
                      f"return {piece};"),
                "bad_speculation", "indirect", "yes", None, None, (), f"{form} of {ways}, random")


def much_code(draw, p):
    """Pieces of code that jump from one to the next in shuffled order: many times what the nearest cache holds."""
    piece, total = draw.choice((64, 128, 256)), draw.choice((512 * KIB, 1 * MIB, 2 * MIB, 4 * MIB))
    count = total // piece
    four = ["lea 1(%rax), %rax", "xor $0x12345, %edx", "add $0x23456, %ecx", "lea 3(%rsi), %rsi"]     # 4 + 6 + 6 + 4 bytes
    draw.shuffle(four)
    following = f"((p{p}_n * {4 * (draw.randrange(500, 4000) // 2) + 1} + {2 * draw.randrange(1000, 4000) + 1}) & {count - 1})"
    text = [".text", ".p2align 12", f".type p{p}_parts, @function", f"p{p}_parts:", f".set p{p}_n, 0", f".rept {count}",
            f".p2align {int(math.log2(piece))}", f".rept {(piece - 8) // 20}", *four, ".endr", f".if {following} == 0", "ret", ".else",
            f"jmp p{p}_parts + {following} * {piece}", ".endif", f".set p{p}_n, p{p}_n + 1", ".endr", f".size p{p}_parts, . - p{p}_parts"]
    head = "__asm__(" + "\n        ".join(f'"{line}\\n"' for line in text) + ");"
    return Part(head, "", lines(f"__asm__ volatile(\"sub $128, %%rsp\\n\\tcall p{p}_parts\\n\\tadd $128, %%rsp\" : : : \"rax\", \"rcx\", \"rdx\", \"rsi\", \"cc\", \"memory\");",
                                f"return {count};"),
                "frontend", "footprint", "no", None, None, (), f"{total // KIB} KiB in {count} pieces")


def bodies(draw, count, least, most):
    """`count` stretches of one-cycle instructions for the assembler, least to most bytes each: all from one row of eight."""
    row = [("addl $0x12345, %eax", 5), ("xorl %eax, %edx", 2), ("leaq 3(%rsi), %rsi", 4), ("addq 8(%rsp), %rdi", 5), ("subl $0x1234, %r8d", 7),
           ("addl %r9d, %r10d", 3), ("movq %r10, 16(%rsp)", 5), ("xorl $0x54321, %ecx", 6)]
    draw.shuffle(row)
    size = sum(length for _, length in row)
    return [[".rept %d" % max(1, draw.randint(least, most) // size), *[text for text, _ in row], ".endr"] for _ in range(count)]


def assembled(p, name, text):
    """A function of these assembler lines, which calls see and its head can hold; and the statement that calls it."""
    text = [".text", ".p2align 12", f".type p{p}_{name}, @function", f"p{p}_{name}:", *text, f".size p{p}_{name}, . - p{p}_{name}"]
    head = "__asm__(" + "\n        ".join(f'"{line}\\n"' for line in text) + ");"
    used = ", ".join(f'"{register}"' for register in ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory"))
    return head, f"__asm__ volatile(\"sub $256, %%rsp\\n\\tcall p{p}_{name}\\n\\tadd $256, %%rsp\" : : : {used});"


def calls_in_turn(draw, p, total, shuffled, through):
    """Functions of 48 to 400 bytes, each called once a round: through its name, or a pointer of its own that never changes."""
    count = total // 224
    order = list(range(count))
    if shuffled:
        draw.shuffle(order)
    text = [f"call *p{p}_to + 8 * {n}(%rip)" if through else f"call .Lp{p}_{n}" for n in order] + ["ret"]
    for n, body in enumerate(bodies(draw, count, 48, 400)):
        text += [".p2align 4", f".Lp{p}_{n}:", *body, "ret"]
    if through:
        text += ['.pushsection .data.rel.local, \\"aw\\"', f"p{p}_to:", *[f".quad .Lp{p}_{n}" for n in range(count)], ".popsection"]
    return assembled(p, "parts", text)


def much_called(draw, p):
    """Many functions, each called in its turn: what one round needs is many times what the nearest cache holds, or level 2."""
    total, through = draw.choice((1536 * KIB, 2 * MIB, 3 * MIB)), draw.choice((False, False, True))
    head, call = calls_in_turn(draw, p, total, True, through)
    return Part(head, "", lines(call, f"return {total // 224};"), "frontend", "footprint", "no", None, None, (),
                f"{total // KIB} KiB in functions called in turn" + (" through pointers" if through else ""))


def little_called(draw, p):
    """The same, so few that the nearest cache holds them all."""
    total = draw.choice((4, 8, 12)) * KIB
    head, call = calls_in_turn(draw, p, total, True, False)
    return Part(head, "", lines("for (int i = 0; i < 50; i++)", "    " + call, f"return {50 * (total // 224)};"), "retiring", "-", "yes", None, None, (),
                f"{total // KIB} KiB in functions called in turn")


def much_in_a_row(draw, p):
    """Instructions with large constants, megabytes of them in a row: level 2 holds no round, and each costs as many bytes as it has."""
    total = draw.choice((4, 6, 8)) * MIB
    four = ["addl $0x12345, %eax", "xorl $0x12345, %edx", "addl $0x23456, %ecx", "imull $0x3, %esi, %edi", "movl $0x34567, %r8d"]
    draw.shuffle(four)
    head, call = assembled(p, "parts", [f".rept {total // 26}", *four, ".endr", "ret"])
    return Part(head, "", lines(call, f"return {total // 26};"), "frontend", "footprint", "no", None, None, (), f"{total // KIB} KiB in a row")


def little_in_a_row(draw, p):
    """Small instructions, a few times what the nearest cache holds, in a row: fetched ahead, they come as fast as they are carried out."""
    total = draw.choice((48, 64, 96, 128)) * KIB
    head, call = assembled(p, "parts", [f".rept {total // 20}", "addl %r8d, %eax", "addl %r9d, %edx", "addl %r8d, %ecx", "addl %r9d, %esi",
                                        "xorl %r8d, %edi", "addl %r9d, %r10d", "incl %r11d", ".endr", "ret"])
    return Part(head, "", lines(call, f"return {total // 20};"), "retiring", "-", "yes", None, None, (), f"{total // KIB} KiB in a row, small instructions")


def much_jumped(draw, p):
    """A jump every few instructions, more of them than are remembered: fetch learns of each when it is decoded."""
    total, every = draw.choice((512 * KIB, 1 * MIB, 2 * MIB)), draw.choice((3, 5))
    form = draw.choice(("jmp 1f", "jmp 1f", "test %rsp, %rsp\\n jnz 1f"))
    steps = ["addl %r8d, %eax", "xorl $0x11, %edx", "leaq 1(%rsi), %rsi", "addl %r9d, %r10d", "addl %r9d, %edi"][:every]
    size = 4 * every + 8
    head, call = assembled(p, "parts", [f".rept {total // size}", *steps, form, ".byte 0x0f, 0x1f, 0x40, 0", "1:", ".endr", "ret"])
    return Part(head, "", lines(call, f"return {total // size};"), "frontend", "footprint", "no", None, None, (), f"a jump every {every} instructions of {total // KIB} KiB")


def long_chain(draw, p):
    """One chain of results through much code: the code comes sooner than the results."""
    total, step = draw.choice((48, 128, 256)) * KIB, draw.choice((("imulq $3, %rax, %rax", 4), ("mulsd %xmm1, %xmm0", 4)))
    head, call = assembled(p, "parts", [f".rept {total // 8}", step[0], "addl %r9d, %edx", ".endr", "ret"])
    return Part(head, "", lines("__asm__ volatile(\"xorps %%xmm0, %%xmm0\\n\\txorps %%xmm1, %%xmm1\" : : : \"xmm0\", \"xmm1\");", call, f"return {total // 8};"),
                "core", "latency_chain/fp", "yes", None, None, (), f"a chain of {step[0].split()[0]} through {total // KIB} KiB")


def random_turns(draw, p):
    """An inner loop of a random number of turns: its end is guessed wrong about once."""
    most, count, piece = draw.choice((4, 6, 8)), 1 << 19, 1 << draw.choice((12, 13))
    return Part(f"static unsigned char *p{p}_data;\nstatic uint64_t p{p}_from;",
                lines(f"p{p}_data = known_memory({count}, KNOWN_HUGE_PAGES);", f"for (uint64_t i = 0, seed = 6; i < {count}; i++)",
                      f"    p{p}_data[i] = (unsigned char)(1 + (known_random(&seed) >> 20) % {most});"),
                lines(f"const unsigned char *data = p{p}_data + p{p}_from;", "uint64_t sum = 0;", "", "KNOWN_AS_WRITTEN",
                      f"for (uint64_t i = 0; i < {piece}; i++) {{", "    unsigned turns = data[i];", "", "    KNOWN_AS_WRITTEN", "    do {",
                      "        sum += turns;", "        KNOWN_HIDE(sum);", "    } while (--turns);", "}", "KNOWN_KEEP(sum);",
                      f"p{p}_from = (p{p}_from + {piece}) % {count};", f"return {piece};"),
                "bad_speculation", "conditional", "no", None, None, (), f"1 to {most} turns of an inner loop, random")


def hashed_branch(draw, p):
    """A branch on a bit of a hash of the turn's number: no data at all, and nothing to be learnt."""
    bit, turns = draw.randrange(40, 60), 1 << 13
    body = ["    uint64_t hash = (from + i) * 0x9e3779b97f4a7c15u;", "", "    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;",
            f"    if (hash >> {bit} & 1) {{", "        KNOWN_HIDE(sum);", "        sum += i;", "    } else {", "        KNOWN_HIDE(other);", "        other ^= i;", "    }"]
    return Part(f"static uint64_t p{p}_from;", "",
                lines(f"uint64_t from = p{p}_from, sum = 0, other = 0;", "", "KNOWN_AS_WRITTEN", f"for (uint64_t i = 0; i < {turns}; i++) {{", *body, "}",
                      "KNOWN_KEEP(sum ^ other);", f"p{p}_from += {turns};", f"return {turns};"),
                "bad_speculation", "conditional", "no", None, 1, (), f"bit {bit} of a hash")


def sorting(draw, p):
    """Partitions of random numbers in the nearest cache: each comparison goes either way."""
    count, kind = draw.choice((256, 512)), draw.choice(("uint32_t", "uint64_t"))
    return Part(f"static {kind} *p{p}_pool;\nstatic uint64_t p{p}_from;",
                lines(f"p{p}_pool = known_memory({1 << 18} * sizeof *p{p}_pool, KNOWN_HUGE_PAGES);", f"for (uint64_t i = 0, seed = 9; i < {1 << 18}; i++)",
                      f"    p{p}_pool[i] = ({kind})(known_random(&seed) >> 20);"),
                lines(f"{kind} table[{count}];", "", f"for (int i = 0; i < {count}; i++)", f"    table[i] = p{p}_pool[p{p}_from + i];",
                      f"for (int i = 1; i < {count}; i++) {{", f"    int low = 0, high = {count};", f"    {kind} key = table[(i * 7) & {count - 1}];", "",
                      "    KNOWN_AS_WRITTEN", "    while (low < high) {",
                      "        int at = (low + high) / 2;", "", "        if (table[(at * 5 + i) & " + str(count - 1) + "] < key) {",
                      "            KNOWN_HIDE(low);", "            low = at + 1;", "        } else {", "            KNOWN_HIDE(high);", "            high = at;", "        }", "    }",
                      "    KNOWN_KEEP(low);", "}",
                      f"p{p}_from = (p{p}_from + {count}) % {(1 << 18) - 512};", f"return {count};"),
                "bad_speculation", "conditional", "no", None, None, (), f"halving a table of {count} {kind} that is in no order")


def periodic_branch(draw, p):
    """The branches of random_branch by a pattern that is learnt at once: what is left is to issue, and nothing is guessed wrong."""
    period, turns = draw.choice((2, 3, 4, 7)), 1 << 13
    names = ["a", "b", "c", "d", "e", "f"]
    acts = [f"        {name} += {k + 2};" for k, name in enumerate(names)]
    return Part(f"static unsigned char *p{p}_data;",
                lines(f"p{p}_data = known_memory({turns}, KNOWN_SMALL_PAGES);", f"for (int i = 0; i < {turns}; i++)", f"    p{p}_data[i] = i % {period} == 0;"),
                lines(f"const unsigned char *data = p{p}_data;", f"uint64_t y = 3, {', '.join(f'{name} = 0' for name in names)};", "", "KNOWN_HIDE(y);", "KNOWN_AS_WRITTEN",
                      f"for (uint64_t i = 0; i < {turns}; i++) {{", *[f"    {name} ^= y;" for name in names], "    " + hidden(names), *[f"    {name} += y;" for name in names], "    " + hidden(names),
                      "    if (data[i]) {", *acts, "        " + hidden(names), "    }", "}",
                      f"KNOWN_KEEP({' ^ '.join(names)});", f"return {turns};"),
                "retiring", "-", "yes", None, 1, ("-fno-tree-vectorize", "-fno-tree-slp-vectorize"), f"a branch with a period of {period}")


def full_speed(draw, p):
    """Chains of one-cycle instructions, six or more side by side: as many as are taken in."""
    many, rounds, turns, kind = draw.choice((6, 7, 8)), draw.choice((2, 3, 4)), draw.choice((2000, 20000)), draw.choice(("uint32_t", "uint64_t"))
    names = [f"a{k}" for k in range(many)]
    keep = "    " + hidden(names)
    steps = []
    for _ in range(rounds):
        steps += [f"    {name} {draw.choice(('+=', '^=', '-='))} {draw.choice(('y', str(draw.randrange(2, 99))))};" for name in names] + [keep]
    return Part("", "", lines(f"{kind} y = 12345, {', '.join(f'{name} = {k}' for k, name in enumerate(names))};", "", "KNOWN_HIDE(y);", "KNOWN_AS_WRITTEN",
                              f"for (int i = 0; i < {turns}; i++) {{", *steps, "}", f"y = {' ^ '.join(names)};", "KNOWN_KEEP(y);", f"return {turns};"),
                "retiring", "-", "no", None, 1, (), f"{many * rounds} one-cycle instructions a turn, {many} side by side")


def full_speed_loads(draw, p):
    """Loads that never miss at places that come from arithmetic: simple instructions around each, as many as are taken in."""
    kind, size, turns = draw.choice(("uint32_t", "uint64_t")), draw.choice((4 * KIB, 8 * KIB, 16 * KIB)), draw.choice((2000, 20000))
    width = INTEGERS[kind]
    many = draw.choice((2, 3, 4))
    names = [f"a{k}" for k in range(many)]
    steps = []
    for k, name in enumerate(names):
        steps += [f"    place = (i + {draw.randrange(2, 90)}) ^ {draw.randrange(1000)};", f"    {name} += table[place & {size // width - 1}];",
                  f"    {name} ^= place + {k};"]
    return Part(f"static {kind} *p{p}_table;", f"p{p}_table = known_memory({size}, KNOWN_SMALL_PAGES);",
                lines(f"const {kind} *table = p{p}_table;", f"uint64_t place, {', '.join(f'{name} = 0' for name in names)};", "", "KNOWN_AS_WRITTEN",
                      f"for (uint64_t i = 0; i < {turns}; i++) {{", *steps,
                      "    " + hidden(names), "}",
                      f"KNOWN_KEEP({' ^ '.join(names)});", f"return {turns};"),
                "retiring", "-", "yes", None, 1, ("-fno-tree-vectorize",), f"{many} loads a turn of {size // KIB} KiB, five instructions each")


# How many of 200; the classes in about the shares in which programs have them.
KINDS = {chase_far: 14, chase_near: 8, chase_nearest: 10, gather: 14, stream: 16, pages: 6, integer_chain: 14, float_chain: 10, float_units: 12,
         divide: 14, one_port: 10, store_and_load: 8, random_branch: 16, random_jump: 12, much_code: 12, full_speed: 10, full_speed_loads: 4,
         much_called: 8, little_called: 4, much_in_a_row: 4, little_in_a_row: 3, much_jumped: 6, long_chain: 4, random_turns: 4, hashed_branch: 6,
         sorting: 4, periodic_branch: 4}
MIXED = 10
PAIRS = [(chase_far, integer_chain), (random_branch, float_chain), (divide, gather), (much_code, chase_far), (random_jump, divide),
         (stream, random_branch), (float_units, chase_far), (much_code, integer_chain), (gather, random_jump), (full_speed, chase_far)]


def source(name, parts):
    heads = [f"{part.head}\n" for part in parts if part.head]
    bodies = [lines("#ifdef FIXED", part.fixed, "#else", part.body, "#endif") if part.fixed and len(parts) == 1 else part.body for part in parts]
    functions = [f"static KNOWN_STEP uint64_t part_{n}(void)\n{{\n{tab(body)}\n}}\n" for n, body in enumerate(bodies, 1)]
    setup = "".join(f"{tab(part.setup)}\n" for part in parts if part.setup)
    if len(parts) == 1:
        work = tab("while (known_goes_on(&known))\n    known_add(&known, part_1());")
    else:
        turns = "\n".join(f"    for (double until = known_cpu_seconds() + 0.001; known_cpu_seconds() < until;)\n        part_{n}();"
                          for n in range(1, len(parts) + 1))
        work = tab(f"while (known_goes_on(&known)) {{\n{turns}\n    known_add(&known, 1);\n}}")
    return (f"/* SPDX-License-Identifier: GPL-3.0-or-later */\n/* {name}: made by bench/known-answers/generator. */\n#include \"known.h\"\n\n"
            + "\n".join(heads + functions)
            + f"\nint main(int argc, char **argv)\n{{\n    struct known known = known_begin(argc, argv);\n\n{setup}{work}\n    return known_end(&known);\n}}\n")


def plan(count):
    """The kinds of `count` programs, in the shares of KINDS."""
    whole = [(kind,) for kind, share in KINDS.items() for _ in range(share)] + [PAIRS[n % len(PAIRS)] for n in range(MIXED)]
    return [whole[n * len(whole) // count] for n in range(count)] if count < len(whole) else [whole[n % len(whole)] for n in range(count)]


def build_flags(draw, parts):
    compiler, level = draw.choice(("gcc", "clang")), draw.choice(("-O1", "-O2", "-O3"))
    link = draw.choice(("", "", "-static", "-no-pie"))
    extra = dict.fromkeys(flag for part in parts for flag in part.flags)
    return compiler, " ".join(filter(None, (level, link, *extra)))


def generate(folder, count, seed):
    folder.mkdir(parents=True, exist_ok=True)
    rows, seen = [], set()
    for number, kinds in enumerate(plan(count), 1):
        # Drawn again where it came out as one before; a kind with few forms is let repeat itself in the end.
        for attempt in range(200):
            draw = random.Random(f"{seed} {number} {attempt}")
            parts = [kind(draw, place) for place, kind in enumerate(kinds, 1)]
            if source("", parts) not in seen:
                break
        seen.add(source("", parts))
        name = f"g{number:03}"
        path, text = folder / f"{name}.c", source(name, parts)
        if not path.exists() or path.read_text() != text:     # an unchanged one isn't built anew
            path.write_text(text)
        compiler, flags = build_flags(draw, parts)
        one = parts[0]
        if len(parts) > 1:
            one = one._replace(label="mixed", subclass="-", adversarial="no", working_set=None, units=None, fixed="",
                               remark="a millisecond each of: " + "; ".join(part.remark for part in parts))
        rows.append((name, compiler, flags, "-", one.label, one.subclass, one.adversarial, one.working_set or "-",
                     f"{name}.fixed" if one.fixed else "-", one.units or "-", one.remark))
        if one.fixed:
            rows.append((f"{name}.fixed", compiler, f"{flags} -DFIXED", "-", "-", "-", "no", "-", "-", "-", f"{name} without its cause"))
    (folder / "labels.tsv").write_text("".join("\t".join(map(str, row)) + "\n" for row in [COLUMNS, *rows]))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    generate(asked.folder, asked.count, asked.seed)


if __name__ == "__main__":
    main()
