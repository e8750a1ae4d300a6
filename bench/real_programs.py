#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What does plumb diagnose say of real programs, and what happens when what it names is changed?

    bench/real_programs.py [--plumb build/plumb] [--only NAME,...] [--turns 3] [--json FILE] [--work FOLDER]

Each row is a command of a Debian program and one with a change; both are run in turns, and the least CPU time of each is printed: CPU time, because
it is moved least by a busy machine. Rows whose program isn't here are left out, with its name. doc/REAL_PROGRAMS.md judges what this printed.
"""
import argparse
import base64
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = "the of and a to in he have it that for they with as not on she at by this we you do but from or which one would all will there say who make".split()


def made_files(work):
    """Inputs from a seeded generator: the same everywhere."""
    draw = random.Random(1)
    text = work / "text.txt"
    text.write_text("\n".join(" ".join(draw.choice(WORDS) + str(draw.randrange(300)) for _ in range(12)) for _ in range(110_000)))
    (work / "numbers.txt").write_text("\n".join(f"{draw.randrange(10**9)} {draw.random():.6f} {draw.choice(WORDS)}" for _ in range(500_000)))
    (work / "records.json").write_text(json.dumps([{"id": at, "name": draw.choice(WORDS), "tags": [draw.randrange(100) for _ in range(8)]} for at in range(90_000)]))
    (work / "many.c").write_text("\n".join(f"int f{at}(int *a, int n) {{ int s = {at}; for (int i = 0; i < n; i++) {{ if (a[i] > s) s += a[i] * {at % 7}; else s ^= a[(i * {at}) % n]; }} return s; }}"
                                           for at in range(600)))
    (work / "noise.raw").write_bytes(draw.randbytes(24 << 20))
    with open(work / "image.ppm", "wb") as image:
        image.write(b"P6 1600 1200 255\n" + draw.randbytes(1600 * 1200 * 3))
    small = work / "small"
    small.mkdir()
    for at in range(6000):
        (small / f"file{at}").write_bytes(draw.randbytes(600))
    repository = work / "repository"
    repository.mkdir()
    git = ["git", "-C", str(repository), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    if shutil.which("git"):
        subprocess.run([*git, "init", "-q"], check=True)
        lines = text.read_text().splitlines()[:6000]
        for _ in range(60):
            for _ in range(80):
                lines[draw.randrange(len(lines))] = str(draw.random())
            (repository / "a.txt").write_text("\n".join(lines))
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run([*git, "commit", "-qm", "change"], check=True)
    for name, first, second in (("random.bc", "".join(draw.choices("0123456789", k=30000)), "".join(draw.choices("0123456789", k=30000))), ("equal.bc", "4" * 30000, "4" * 30000)):
        (work / name).write_text(f"x={first}\ny={second}\nfor (i=0; i<8000; i++) x=x+y\n")
    made_documents(work, draw)
    made_sources(work, draw)
    made_media(work)
    made_puzzles(work, draw)
    made_more(work, draw)
    made_last(work, draw)
    made_latest(work, draw)
    made_models(work, draw)
    made_tables(work, draw)
    if shutil.which("sqlite3"):
        subprocess.run(["sqlite3", str(work / "data.db")], check=True, text=True, input="create table t(id integer primary key, k int, v int);"
                       "insert into t with recursive c(x) as (select 1 union all select x+1 from c where x<600000) select x, abs(random())%600000, x%97 from c;"
                       "create table u as select * from t; create index i on u(k);")


def made_documents(work, draw):
    rows = "".join(f'<row><key>{draw.randrange(1500)}</key><v>{draw.randrange(1000)}</v></row>' for _ in range(3000))
    (work / "rows.xml").write_text(f"<rows>{rows}</rows>")
    (work / "large.xml").write_text("<rows>" + "".join(f'<row id="r{at}"><key kind="{draw.choice(WORDS)}">{draw.randrange(5000)}</key><v>{draw.random()}</v></row>' for at in range(150_000)) + "</rows>")
    sheet = '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>{0}<xsl:template match="/"><xsl:for-each select="//row"><xsl:value-of select="sum({1})"/></xsl:for-each></xsl:template></xsl:stylesheet>'
    (work / "search.xsl").write_text(sheet.format("", "//row[key=current()/key]/v"))
    (work / "key.xsl").write_text(sheet.format('<xsl:key name="k" match="row" use="key"/>', "key('k',key)/v"))
    clauses = [[draw.choice((-1, 1)) * draw.randrange(1, 231) for _ in range(3)] for _ in range(980)]
    (work / "random.cnf").write_text(f"p cnf 230 {len(clauses)}\n" + "".join(" ".join(map(str, one)) + " 0\n" for one in clauses))
    (work / "rows.csv").write_text("key,value\n" + "".join(f"{draw.choice(WORDS)}{draw.randrange(50)},{draw.random()}\n" for _ in range(700_000)))
    (work / "paper.man").write_text(".TH PAPER 1\n" + "".join(".PP\n" + " ".join(draw.choice(WORDS) for _ in range(120)) + "\n" for _ in range(4000)))
    (work / "picture.ps").write_text("%!PS\n" + "".join(f"{draw.random():.3f} {draw.random():.3f} {draw.random():.3f} setrgbcolor newpath {draw.randrange(600)} {draw.randrange(800)} moveto "
                                                         f"{' '.join(str(draw.randrange(600)) for _ in range(6))} curveto closepath fill\n" for _ in range(4000)) + "showpage\n")
    (work / "plot.txt").write_text("".join(f"{at} {draw.gauss(0, 1):.5f}\n" for at in range(500_000)))
    (work / "plot.gp").write_text("set terminal png size 1600,1200\nset output '/dev/null'\nplot 'plot.txt' with points\n")
    (work / "tenth.gp").write_text("set terminal png size 1600,1200\nset output '/dev/null'\nplot 'plot.txt' every 10 with points\n")
    weights = [(draw.randrange(10, 60), draw.randrange(10, 60)) for _ in range(70)]
    (work / "knapsack.lp").write_text("Maximize\n obj: " + " + ".join(f"{value} x{at}" for at, (value, _) in enumerate(weights)) + "\nSubject To\n" + "".join(
        f" c{row}: " + " + ".join(f"{draw.randrange(5, 60)} x{at}" for at in range(len(weights))) + " <= 500\n" for row in range(16)) + "Binary\n" + "".join(f" x{at}\n" for at in range(len(weights))) + "End\n")
    (work / "multiply.smt2").write_text("(set-logic QF_BV)(declare-const a (_ BitVec 20))(declare-const b (_ BitVec 20))(assert (= (bvmul ((_ zero_extend 20) a) ((_ zero_extend 20) b)) (_ bv366105423007 40)))"
                                        "(assert (bvugt a (_ bv1 20)))(assert (bvugt b (_ bv1 20)))(check-sat)")
    lines = [f"line {draw.randrange(3000)}" for _ in range(40000)]
    (work / "old.txt").write_text("\n".join(lines))
    (work / "new.txt").write_text("\n".join(f"line {draw.randrange(3000)}" if draw.random() < 0.4 else line for line in lines))


def made_sources(work, draw):
    for name, keys in (("table.ml", 1000003), ("few.ml", 1009)):
        (work / name).write_text(f"let () = let h = Hashtbl.create 16 in for i = 0 to 3000000 do Hashtbl.replace h (i * 7919 mod {keys}) i done; print_int (Hashtbl.length h)\n")
    (work / "many.cc").write_text("#include <algorithm>\n#include <map>\n#include <regex>\n#include <string>\n#include <vector>\n" + "\n".join(
        f"int f{at}(std::vector<int> &v, std::map<std::string, int> &m) {{ std::sort(v.begin(), v.end(), [](int a, int b) {{ return a % {at + 2} < b; }}); m[std::to_string({at})] = v[0]; return (int)m.size(); }}" for at in range(60)))
    (work / "sum.rs").write_text("use std::collections::HashMap;\n" + "\n".join(
        f"pub fn f{at}(v: &[u64]) -> u64 {{ let mut m: HashMap<u64, Vec<u64>> = HashMap::new(); for x in v {{ m.entry(x % {at + 3}).or_default().push(*x); }} m.values().map(|w| w.iter().sum::<u64>()).max().unwrap_or({at}) }}" for at in range(60)))
    (work / "queens.tcl").write_text("proc fib n {expr {$n < 2 ? $n : [fib [expr {$n - 1}]] + [fib [expr {$n - 2}]]}}\nputs [fib 29]\n")
    (work / "loop.tcl").write_text("set a 0; set b 1\nfor {set i 0} {$i < 29} {incr i} {lassign [list $b [expr {$a + $b}]] a b}\nputs $a\n")
    (work / "hash.lisp").write_text("(let ((h (make-hash-table :test 'equal))) (dotimes (i 1500000) (setf (gethash (format nil \"~a\" (mod (* i 7919) 100003)) h) i)) (print (hash-table-count h)))\n")
    (work / "plain.lisp").write_text("(let ((h (make-hash-table))) (dotimes (i 1500000) (setf (gethash (mod (* i 7919) 100003) h) i)) (print (hash-table-count h)))\n")
    scene = "camera {{ location <0,2,-6> look_at <0,0,0> }} light_source {{ <5,9,-5> rgb 1 }} plane {{ y,-1 pigment {{ checker rgb 1 rgb 0 }} }}\n{0}"
    balls = "".join(f"sphere {{ <{draw.uniform(-3, 3):.2f},{draw.uniform(-1, 2):.2f},{draw.uniform(-2, 4):.2f}>,0.4 pigment {{ rgb <{draw.random():.2f},0.5,0.5> }} finish {{ {{0}} }} }}\n" for _ in range(60))
    (work / "mirrors.pov").write_text(scene.format(balls.replace("{0}", "reflection 0.6 specular 0.4")))
    (work / "plain.pov").write_text(scene.format(balls.replace("{0}", "specular 0.4")))


def made_puzzles(work, draw):
    edges = "\n".join(f"{draw.randrange(120)} -- {draw.randrange(120)};" for _ in range(240))
    (work / "graph.dot").write_text(f"graph g {{\n{edges}\n}}\n")
    for name, number in (("fibonacci.m4", 25), ("short.m4", 15)):
        (work / name).write_text("define(`f',`ifelse(eval($1<2),1,$1,`eval(f(decr($1))+f(decr(decr($1))))')')f(" + f"{number})\n")
    for name, digits in (("factors.gp", 38), ("small.gp", 28)):
        (work / name).write_text(f"for(i=1,60,factor(10^{digits}+i))\n")
    genome = "".join(draw.choices("ACGT", k=2_000_000))
    (work / "genome.fa").write_text(f">g\n{genome}\n")
    with open(work / "reads.fa", "w") as reads:
        for at in range(3000):
            start = draw.randrange(len(genome) - 2000)
            read = list(genome[start:start + 2000])
            for _ in range(100):
                read[draw.randrange(2000)] = draw.choice("ACGT")
            reads.write(f">{at}\n{''.join(read)}\n")


def made_more(work, draw):
    """Inputs of the programs that came last: prose, a script, a ledger, proteins, reads as an aligner has them."""
    (work / "doc.md").write_text("\n\n".join(("# " + draw.choice(WORDS) + "\n\n" if at % 9 == 0 else "") + " ".join(
        draw.choice(WORDS) + ("*" + draw.choice(WORDS) + "*" if draw.random() < 0.1 else "") for _ in range(80)) for at in range(900)))
    (work / "queens.pl").write_text(""":- initialization(main).
safe([]).
safe([Q|Qs]) :- free(Q, Qs, 1), safe(Qs).
free(_, [], _).
free(Q, [R|Rs], D) :- Q =\\= R + D, Q =\\= R - D, E is D + 1, free(Q, Rs, E).
main :- numlist(1, 9, Ns), permutation(Ns, Qs), safe(Qs), write(Qs), nl, findall(X, (between(1, 3000000, X), X mod 7 =:= 0), L), length(L, N), write(N), nl, halt.
""")
    (work / "books.ledger").write_text("".join(f"2020/{draw.randrange(1, 13):02}/{draw.randrange(1, 29):02} Payee {draw.randrange(500)}\n    Expenses:A{draw.randrange(20)}:B{draw.randrange(40)}    "
                                               f"${draw.randrange(1, 500)}.00\n    Assets:Bank{draw.randrange(5)}\n\n" for _ in range(90000)))
    letters = "ACDEFGHIKLMNPQRSTVWY"
    for name, length in (("family", 180), ("half", 90)):
        family = "".join(draw.choices(letters, k=length))
        (work / f"{name}.afa").write_text("".join(f">s{at}\n" + "".join(one if draw.random() < 0.7 else draw.choice(letters) for one in family) + "\n" for at in range(20)))
        if shutil.which("hmmbuild"):
            subprocess.run(["hmmbuild", "-o", os.devnull, f"{name}.hmm", f"{name}.afa"], cwd=work, check=True)
    (work / "proteins.fa").write_text("".join(f">p{at}\n" + "".join(draw.choices(letters, k=300)) + "\n" for at in range(150_000)))
    (work / "reads.sam").write_text("@HD\tVN:1.6\n@SQ\tSN:c\tLN:4000000\n" + "".join(
        f"r{at}\t0\tc\t{draw.randrange(1, 3_999_000)}\t42\t100M\t*\t0\t0\t{''.join(draw.choices('ACGT', k=100))}\t{''.join(draw.choices('FFFF:,#', k=100))}\n" for at in range(60_000)))
    clauses = [[draw.choice((-1, 1)) * draw.randrange(1, 300) for _ in range(3)] for _ in range(1260)]
    (work / "random3.cnf").write_text(f"p cnf 300 {len(clauses)}\n" + "".join(" ".join(map(str, one)) + " 0\n" for one in clauses))
    sums = "local t={{}} for i=1,3e6 do t[i]=(i*7919)%1000003 end local s=0 for k=1,30 do for i=1,#t do s={} end end print(s)\n"
    (work / "loop.lua").write_text(sums.format("(s+t[i]*k)%1000007"))
    (work / "mask.lua").write_text(sums.format("bit.band(s+t[i]*k,0xfffff)"))
    smooth = bytes(at * 255 // 1600 for at in range(1600) for _ in range(3))
    (work / "smooth.ppm").write_bytes(b"P6 1600 1200 255\n" + smooth * 1200)


def made_last(work, draw):
    """Inputs of a mapper of reads, an aligner, solvers, simulators, a renderer."""
    (work / "tak.scm").write_text("(define (tak x y z) (if (not (< y x)) z (tak (tak (- x 1) y z) (tak (- y 1) z x) (tak (- z 1) x y))))\n(display (tak 24 16 8))\n(newline)\n")
    (work / "more.cc").write_text((work / "many.cc").read_text() * 6)
    genome = (work / "genome.fa").read_text().split("\n")[1]
    (work / "part.fa").write_text(f">g\n{genome[:200_000]}\n")
    (work / "short.fq").write_text("".join(f"@r{at}\n{genome[start:start + 100]}\n+\n{'I' * 100}\n" for at in range(40_000) for start in [draw.randrange(190_000)]))
    (work / "spread.fq").write_text("".join(f"@r{at}\n{genome[start:start + 100]}\n+\n{'I' * 100}\n" for at in range(40_000) for start in [draw.randrange(1_900_000)]))
    for name in ("genome.fa", "part.fa"):
        if shutil.which("bwa"):
            subprocess.run(["bwa", "index", name], cwd=work, check=True, stderr=subprocess.DEVNULL)
    letters = "ACDEFGHIKLMNPQRSTVWY"
    family = draw.choices(letters, k=300)
    related = [f">s{at}\n" + "".join(one if draw.random() < 0.7 else draw.choice(letters) for one in family) + "\n" for at in range(40)]
    (work / "related.fa").write_text("".join(related))
    (work / "fewer.fa").write_text("".join(related[:20]))
    for name, pigeons in (("pigeons.lp", 10), ("fewer.lp", 9)):
        (work / name).write_text(f"#const p={pigeons}.\n1{{in(P,H):H=1..p-1}}1 :- P=1..p.\n:- in(P,H), in(Q,H), P<Q.\n")
    for name, stages in (("ring.cir", 31), ("small.cir", 15)):
        (work / name).write_text("ring\n.model n nmos level=1 vto=0.7 kp=100u\n.model q pmos level=1 vto=-0.7 kp=50u\nvdd v 0 3\n" + "".join(
            f"mn{at} n{(at + 1) % stages} n{at} 0 0 n w=2u l=1u\nmp{at} n{(at + 1) % stages} n{at} v v q w=4u l=1u\nc{at} n{at} 0 20f\n" for at in range(stages)) +
            ".ic v(n0)=0\n.tran 0.05n 500n uic\n.control\nrun\nquit\n.endc\n.end\n")
    (work / "count.v").write_text("module t; reg [63:0] x; reg [31:0] m[0:1023]; integer i; initial begin x=1; for(i=0;i<600000;i=i+1) begin x = x*64'd6364136223846793005+64'd1442695040888963407; "
                                  "m[x[41:32]] = m[x[51:42]] ^ x[63:32]; end $display(\"%h\",x); end endmodule\n")
    if shutil.which("iverilog"):
        subprocess.run(["iverilog", "-o", "count.vvp", "count.v"], cwd=work, check=True)
    (work / "calls.fs").write_text(": fib recursive dup 2 < if else dup 1- fib swap 2 - fib + then ; 36 fib . bye\n")
    (work / "words.fs").write_text(": f 10000000 0 do " + "i 1 + 2 - drop " * 8 + " loop ; f bye\n")
    shapes = [f'<path d="M{draw.randrange(1600)},{draw.randrange(1200)} C{",".join(str(draw.randrange(1200)) for _ in range(6))}Z" fill="#{draw.randrange(1 << 24):06x}" opacity="0.4" {{}}/>'
              for _ in range(300)]
    for name, effect in (("blurred.svg", 'filter="url(#b)"'), ("shapes.svg", "")):
        (work / name).write_text('<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1200"><defs><filter id="b"><feGaussianBlur stdDeviation="6"/></filter></defs>' +
                                 "".join(shape.format(effect if at % 10 == 0 else "") for at, shape in enumerate(shapes)) + "</svg>")


def made_latest(work, draw):
    """Inputs of a cracker of passwords, a prover, a decoder, a differ, a renderer, trees."""
    (work / "list.txt").write_text("\n".join(draw.choice(WORDS) + draw.choice(WORDS) + str(at) for at in range(20000)))
    if shutil.which("openssl"):
        (work / "hash.txt").write_text("user:" + subprocess.run(["openssl", "passwd", "-1", "-salt", "abcdefgh", "zzz9notthere"], capture_output=True, text=True, check=True).stdout)
    old = bytearray((work / "text.txt").read_bytes()[:2_000_000])
    (work / "old.bin").write_bytes(old)
    for _ in range(3000):
        place = draw.randrange(len(old))
        old[place:place + 3] = bytes(draw.choices(b"abcdefgh", k=5))
    (work / "new.bin").write_bytes(old)
    for end in ("old", "new"):
        (work / f"{end}.part").write_bytes((work / f"{end}.bin").read_bytes()[:200_000])
    (work / "pages.ps").write_text("%!PS\n" + ("".join(f"{draw.random():.3f} {draw.random():.3f} {draw.random():.3f} setrgbcolor newpath {draw.randrange(600)} {draw.randrange(800)} moveto "
                                                        f"{' '.join(str(draw.randrange(600)) for _ in range(6))} curveto closepath fill\n" for _ in range(500)) + "showpage\n") * 4)
    laws = ["add(X,Y) = add(Y,X)", "add(add(X,Y),Z) = add(X,add(Y,Z))", "add(X,zero) = X", "add(X,neg(X)) = zero", "mul(mul(X,Y),Z) = mul(X,mul(Y,Z))", "mul(X,add(Y,Z)) = add(mul(X,Y),mul(X,Z))",
            "mul(add(X,Y),Z) = add(mul(X,Z),mul(Y,Z))", "mul(X,mul(X,X)) = X"]
    (work / "ring.p").write_text("".join(f"cnf(law{at},axiom, {law}).\n" for at, law in enumerate(laws)) + "cnf(goal,negated_conjecture, mul(a,b) != mul(b,a)).\n")
    base = draw.choices("ACGT", k=800)
    (work / "aligned.fa").write_text("".join(f">s{at}\n" + "".join(one if draw.random() < 0.9 else draw.choice("ACGT") for one in base) + "\n" for at in range(120)))
    (work / "long.sh").write_text("#!/bin/bash\n" + "".join(
        f"f{at}() {{ local a=$1; if [ $a = {at} ]; then echo $a; for i in `ls`; do x=$(echo $i | sed s/a/b/); done; fi; case \"$a\" in x{at}) echo \"$b\";; *) f{max(0, at - 1)} \"$a\";; esac; }}\n"
        for at in range(120)))
    rules = [f'rule r{at} {{ strings: $a = "{draw.choice(WORDS)}{at} {draw.choice(WORDS)}" $b = /{draw.choice(WORDS)}[0-9]+ {draw.choice(WORDS)}{at}/ $c = {{ {draw.randrange(256):02x} {draw.randrange(256):02x} ?? '
             f'{draw.randrange(256):02x} {draw.randrange(256):02x} }} condition: $a or $b or #c > {at + 1000} }}\n' for at in range(40)]
    (work / "rules.yar").write_text("".join(rules))
    (work / "few.yar").write_text("".join(rules[:8]))
    for name, keys in (("count", 200003), ("few", 20)):
        (work / f"{name}.erl").write_text(f"-module({name}).\n-export([main/0]).\nmain() -> M = lists:foldl(fun(I,M)->maps:put((I*7919) rem {keys},I,M) end, #{{}}, lists:seq(1,900000)), io:format(\"~p~n\",[maps:size(M)]), halt().\n")
        if shutil.which("erlc"):
            subprocess.run(["erlc", f"{name}.erl"], cwd=work, check=True)
    for name, before in (("tree.ss", ""), ("kept.ss", "(collect-request-handler void)\n")):
        (work / name).write_text(before + "(define (insert t k) (if (null? t) (list k '() '()) (if (< k (car t)) (list (car t) (insert (cadr t) k) (caddr t)) (list (car t) (cadr t) (insert (caddr t) k)))))\n"
                                 "(define (go n) (let loop ([i 0] [t '()]) (if (= i n) t (loop (+ i 1) (insert t (modulo (* i 7919) 1000003))))))\n"
                                 "(define (depth t) (if (null? t) 0 (+ 1 (max (depth (cadr t)) (depth (caddr t))))))\n(display (depth (go 250000)))\n")


def made_models(work, draw):
    """Inputs of a log's reader, a mesher, a tracer of outlines, an assembler, a synthesiser, a synthesis of logic, a rewriter, a compiler."""
    visitors = [".".join(str(draw.randrange(1, 255)) for _ in range(4)) for _ in range(20000)]
    for name, one in (("access.log", False), ("oneip.log", True)):
        (work / name).write_text("".join(
            f'{visitors[0] if one else draw.choice(visitors)} - - [10/Oct/2026:{at // 6250:02d}:{at // 104 % 60:02d}:{at % 60:02d} +0000] "GET /page{0 if one else int(draw.paretovariate(1)) % 5000}.html HTTP/1.1" '
            f'200 {draw.randrange(100, 90000)} "http://example.org/{draw.randrange(300)}" "Mozilla/5.0 (X11; Linux x86_64; rv:{draw.randrange(60, 110)}.0) Gecko/20100101 Firefox/100.0"\n' for at in range(150000)))
    (work / "points.node").write_text("60000 3 0 0\n" + "".join(f"{at} {draw.random()} {draw.random()} {draw.random()}\n" for at in range(60000)))
    rows = [bytearray(3000) for _ in range(3000)]
    for _ in range(1500):
        x, y, radius = draw.randrange(100, 2900), draw.randrange(100, 2900), draw.randrange(5, 60)
        for up in range(-radius, radius):
            half = int((radius * radius - up * up) ** 0.5)
            rows[y + up][x - half:x + half] = bytes([1]) * (2 * half)
    (work / "blobs.pbm").write_bytes(b"P4 3000 3000\n" + b"".join(int("".join(map(str, row)), 2).to_bytes(375, "big") for row in rows))
    (work / "many.asm").write_text("section .text\n" + "".join(f"l{at}: mov eax,[rbx+{at % 100 * 8}]\n add eax,{at}\n jz l{at * 7 % 60000}\n" for at in range(60000)))
    notes = "".join(f"i1 {draw.random() * 20:.3f} 6 {draw.randrange(60, 900)} {draw.random():.3f}\n" for _ in range(60))
    for name, lines in (("filter.csd", "a1 vco2 0.01,p4\na2 moogladder a1,2000+1500*p5,0.6\nout a2"), ("plain.csd", "a1 vco2 0.01,p4\nout a1")):
        (work / name).write_text(f"<CsoundSynthesizer>\n<CsOptions>\n-o out.wav -W -d -m0\n</CsOptions>\n<CsInstruments>\nsr=44100\nksmps=32\nnchnls=1\n0dbfs=1\ninstr 1\n{lines}\nendin\n"
                                 f"</CsInstruments>\n<CsScore>\n{notes}e\n</CsScore>\n</CsoundSynthesizer>\n")
    (work / "mult.v").write_text("module m(input [23:0] a, input [23:0] b, output [47:0] p); assign p = a*b + (a^b); endmodule\n")
    (work / "terms.maude").write_text("fmod F is\n sort N B . op z : -> N [ctor] . op s : N -> N [ctor] . ops t u : -> B [ctor] . op o : B B -> B . op f : N -> B .\n vars X Y : N . vars P Q : B . eq o(t,Q) = Q . "
                                      "eq o(u,t) = u . eq o(u,u) = t . eq f(z) = u . eq f(s(z)) = t . eq f(s(s(X))) = o(f(s(X)),f(X)) .\nendfm\nred f(" + "s(" * 32 + "z" + ")" * 32 + ") .\nq\n")
    (work / "many.pas").write_text("program many;\nvar t:longint;\n" + "".join(
        f"function f{at}(a,b:longint):longint;\nvar i,s:longint;\nbegin s:={at}; for i:=1 to b do begin if a>s then s:=s+a*{at % 9} else s:=s xor (i*{at}); end; f{at}:=s; end;\n" for at in range(4000)) +
        "begin t:=0;\n" + "".join(f"t:=t+f{at}({at},3);\n" for at in range(4000)) + "writeln(t); end.\n")


def made_tables(work, draw):
    """Inputs of a clustering, of two joins of tables, of an alignment and of a compressor by tables."""
    (work / "clusters.py").write_text("import numpy as np\nfrom sklearn.cluster import KMeans\n"
                                      "KMeans(n_clusters=40, n_init=1, max_iter=30, random_state=0, algorithm='lloyd').fit(np.random.default_rng(1).random((200000, 16)))\n")
    for name in ("here", "there"):
        starts = [(draw.randrange(200000000), draw.randrange(50, 500)) for _ in range(400000)]
        for suffix, rows in (("", starts), (".sorted", sorted(starts))):
            (work / f"{name}{suffix}.bed").write_text("".join(f"chr1\t{start}\t{start + length}\n" for start, length in rows))
    sums = [f"{draw.randrange(200000)}\t{draw.randrange(1000)}\n" for _ in range(1500000)]
    (work / "sums.txt").write_text("".join(sums))
    (work / "sums.sorted.txt").write_text("".join(sorted(sums)))
    (work / "related.fa").write_text("".join(f">s{at}\n{''.join(draw.choice('ACDEFGHIKLMNPQRSTVWY') for _ in range(400))}\n" for at in range(40)))
    (work / "noise.b64").write_bytes(base64.encodebytes(draw.randbytes(45 << 20)))
    (work / "same.b64").write_bytes(b"a" * (60 << 20))


def made_media(work):
    made = [("picture.pdf", ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", "-sOutputFile=picture.pdf", "picture.ps"]),
            ("movie.y4m", ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "mandelbrot=size=640x360:rate=25", "-frames:v", "150", "-pix_fmt", "yuv420p", "movie.y4m"]),
            ("sound.wav", ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "anoisesrc=d=60:c=pink", "-ac", "2", "sound.wav"]),
            ("small.png", ["convert", "image.ppm", "-resize", "500x400", "small.png"]),
            ("pages.pdf", ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", "-sOutputFile=pages.pdf", "pages.ps"]),
            ("sound.mp3", ["lame", "--quiet", "sound.wav", "sound.mp3"]),
            ("photo.png", ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "mandelbrot=size=1600x1200", "-frames:v", "1", "photo.png"]),
            ("words.png", ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pnggray", "-r120", "-sOutputFile=words.png", "words.ps"]),
            ("many.ll", ["clang", "-S", "-emit-llvm", "-O1", "many.c", "-o", "many.ll"]),
            ("objects", ["sh", "-c", "mkdir -p objects && for i in $(seq 60); do sed \"s/ f\\([0-9]*\\)(/ g${i}_\\1(/\" many.c > objects/m.c && gcc -g -O0 -c objects/m.c -o objects/m$i.o; done"]),
            ("table.byte", ["ocamlc", "table.ml", "-o", "table.byte"]),
            ("few.byte", ["ocamlc", "few.ml", "-o", "few.byte"])]
    words = (work / "text.txt").read_text()[:4000].split()[:420]
    (work / "words.ps").write_text("%!PS\n/Helvetica findfont 12 scalefont setfont\n" + "".join(f"40 {760 - at * 1.7:.0f} moveto ({' '.join(words[at:at + 10])}) show\n" for at in range(0, 420, 10)) + "showpage\n")
    for name, command in made:
        if shutil.which(command[0]) and not (work / name).exists():
            subprocess.run(command, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


# Name, command, what is changed, the command with that change. In the folder of the inputs.
JOIN = "select count(*) from (select k from {0} where id<60000) a join {0} b on a.k=b.k"
NODE = "const n={0},a=new Int32Array(n);for(let i=0;i<n;i++)a[i]=(i*2654435761)%n;let s=0,j=0;for(let i=0;i<1e7;i++){{j=(a[(j+i)%n]+i)%n;s+=j}}console.log(s)"
PROGRAMS = [
    ("gzip", ["gzip", "-9kc", "text.txt"], "-1: shorter searches for matches", ["gzip", "-1kc", "text.txt"]),
    ("xz", ["xz", "-T1", "-4kc", "text.txt"], "a dictionary of 256 KiB", ["xz", "-T1", "-kc", "--lzma2=preset=4,dict=256KiB", "text.txt"]),
    ("zstd", ["zstd", "-q", "--single-thread", "-12", "-kc", "text.txt"], "tables of 64 KiB", ["zstd", "-q", "--single-thread", "--zstd=wlog=16,hlog=14,clog=14,slog=5,strat=5", "-kc", "text.txt"]),
    ("bzip2", ["bzip2", "-9kc", "text.txt"], "blocks of 100 kB instead of 900", ["bzip2", "-1kc", "text.txt"]),
    ("lz4", ["lz4", "-9", "-qkc", "text.txt"], "-1: no search", ["lz4", "-1", "-qkc", "text.txt"]),
    ("sqlite3, aggregate", ["sqlite3", "data.db", "select k%1000, sum(v), count(*) from t group by 1 order by 2 limit 1"], "no group: no sorting", ["sqlite3", "data.db", "select sum(v), count(*) from t"]),
    ("sqlite3, join", ["sqlite3", "data.db", JOIN.format("t")], "the index is there already", ["sqlite3", "data.db", JOIN.format("u")]),
    ("python3, loop", ["python3", "-c", "s=0\nfor i in range(8000000): s+=i*i%7\nprint(s)"], "the loop in C: sum(range())", ["python3", "-c", "print(sum(range(8000000)))"]),
    ("python3, dictionary", ["python3", "-c", "d={}\nfor i in range(1500000): d[i*2654435761%4294967291]=i\nprint(sum(d[k] for k in d))"], "keys in order", ["python3", "-c", "d={}\nfor i in range(1500000): d[i]=i\nprint(sum(d[k] for k in d))"]),
    ("perl, hash of words", ["perl", "-ne", "$h{$_}++ for split; END{print scalar keys %h}", "text.txt"], "no hash", ["perl", "-ne", "$n++ for split; END{print $n}", "text.txt"]),
    ("perl, regular expression", ["perl", "-ne", r"$n++ if /(\w+)0 .*\b(\w)\w* .*\2\d+5$/; END{print $n}", "text.txt"], "a fixed string", ["perl", "-ne", r"$n++ if index($_, 'would1') >= 0; END{print $n}", "text.txt"]),
    ("python3, json", ["python3", "-c", "import json\nd=[[i/7,str(i)] for i in range(400000)]\nprint(len(json.loads(json.dumps(d))))"], "no collecting meanwhile: gc.disable()", ["python3", "-c", "import json,gc\ngc.disable()\nd=[[i/7,str(i)] for i in range(400000)]\nprint(len(json.loads(json.dumps(d))))"]),
    ("php, array", ["php", "-r", "$a=[];for($i=0;$i<3000000;$i++){$k='k'.($i*7919%1000003);$a[$k]=($a[$k]??0)+1;}echo count($a);"], "a thousand keys", ["php", "-r", "$a=[];for($i=0;$i<3000000;$i++){$k='k'.($i*7919%1009);$a[$k]=($a[$k]??0)+1;}echo count($a);"]),
    ("lua, sort", ["lua5.4", "-e", "local t={} for i=1,1500000 do t[i]=(i*7919)%1000003 end table.sort(t) print(t[1])"], "no sorting", ["lua5.4", "-e", "local t={} for i=1,1500000 do t[i]=(i*7919)%1000003 end print(t[1])"]),
    ("gawk, words", ["gawk", "{for(i=1;i<=NF;i++)c[$i \" \" $(i+1)]++} END{print length(c)}", "text.txt"], "no array", ["gawk", "{for(i=1;i<=NF;i++)c+=length($i \" \" $(i+1))} END{print c}", "text.txt"]),
    ("ruby", ["ruby", "-e", "def fib(n) n<2 ? n : fib(n-1)+fib(n-2) end; puts fib(31)"], "a loop in place of calls", ["ruby", "-e", "a,b=0,1; 31.times{a,b=b,a+b}; puts a"]),
    ("gcc (cc1)", ["gcc", "-O2", "-c", "many.c", "-o", "many.o"], "-O0: fewer passes", ["gcc", "-O0", "-c", "many.c", "-o", "many.o"]),
    ("openssl, SHA-256", ["openssl", "speed", "-seconds", "2", "-bytes", "16384", "-evp", "sha256"], None, None),
    ("openssl, RSA", ["openssl", "speed", "-seconds", "2", "rsa2048"], None, None),
    ("sha256sum", ["sha256sum", "noise.raw", "noise.raw", "noise.raw", "noise.raw", "noise.raw", "noise.raw", "noise.raw", "noise.raw"], "b2sum: another chain", ["b2sum"] + ["noise.raw"] * 8),
    ("sort", ["env", "LC_ALL=C", "sort", "--parallel=1", "-k3,3", "-k1,1n", "-o", "/dev/null", "numbers.txt"], "whole lines by bytes: no keys to find in each",
     ["env", "LC_ALL=C", "sort", "--parallel=1", "-o", "/dev/null", "numbers.txt"]),
    ("grep", ["sh", "-c", r"LC_ALL=C grep -cE '([a-z]+)[0-9]+ .*\1' text.txt | cat"], "no reference back: no backtracking", ["sh", "-c", r"LC_ALL=C grep -cE '[a-z]+[0-9]+ .*[a-z]' text.txt | cat"]),
    ("convert (ImageMagick)", ["convert", "-limit", "thread", "1", "image.ppm", "-blur", "0x3", "null:"], "half the radius", ["convert", "-limit", "thread", "1", "image.ppm", "-blur", "0x1.5", "null:"]),
    ("qemu-img", ["qemu-img", "convert", "-c", "-O", "qcow2", "text.txt", "out.qcow2"], "no compression", ["qemu-img", "convert", "-O", "qcow2", "text.txt", "out.qcow2"]),
    ("git repack", ["git", "-C", "repository", "-c", "pack.threads=1", "repack", "-adfq", "--window=250"], "a window of 10", ["git", "-C", "repository", "-c", "pack.threads=1", "repack", "-adfq", "--window=10"]),
    ("tar", ["sh", "-c", "for i in 1 2 3 4 5 6; do tar cf - small | cat >/dev/null; done"], "one file of the same bytes", ["sh", "-c", "for i in 1 2 3 4 5 6; do tar cf - noise.raw | head -c 3600000 >/dev/null; done"]),
    ("jq", ["jq", "[.[] | .tags | add] | add", "records.json"], "parsing alone", ["jq", "length", "records.json"]),
    ("mawk", ["mawk", "{s[$1%5000]+=$2} END{print length(s)}", "numbers.txt"], "no array", ["mawk", "{s+=$2} END{print s}", "numbers.txt"]),
    ("bc", ["sh", "-c", "echo 'scale=1600; 4*a(1)' | bc -l"], "half the digits", ["sh", "-c", "echo 'scale=800; 4*a(1)' | bc -l"]),
    ("bc, additions", ["bc", "-q", "random.bc"], "equal digits: carries that are guessed right", ["bc", "-q", "equal.bc"]),
    ("node, large array", ["node", "-e", NODE.format(16 << 20)], "an array that fits the caches", ["node", "-e", NODE.format(1 << 12)]),
    ("brotli", ["brotli", "-9", "-kc", "text.txt"], "a window of 64 KiB", ["brotli", "-9", "-w", "16", "-kc", "text.txt"]),
    ("xsltproc", ["xsltproc", "search.xsl", "rows.xml"], "xsl:key", ["xsltproc", "key.xsl", "rows.xml"]),
    ("minisat", ["minisat", "-verb=0", "random.cnf"], None, None),
    ("git log -S", ["git", "-C", "repository", "log", "--oneline", "-S", "0.5555"], None, None),
    ("rsync", ["sh", "-c", "rm -rf copy; rsync -a small/ copy"], "one file of as many bytes", ["sh", "-c", "head -c 3600000 noise.raw > one; rm -rf copy; rsync -a one copy"]),
    ("octave", ["octave-cli", "-q", "--eval", "s=0; for i=1:1500000 s=s+mod(i^2,7); end, disp(s)"], "whole vectors", ["octave-cli", "-q", "--eval", "disp(sum(mod((1:1500000).^2,7)))"]),
    ("R", ["Rscript", "-e", "v<-c(); for(i in 1:60000) v[i]<-i*2; s<-0; for(i in 1:6000000) s<-s+i%%7; print(s+sum(v))"], "whole vectors", ["Rscript", "-e", "print(sum((1:60000)*2)+sum((1:6000000)%%7))"]),
    ("ocaml, bytecode", ["ocamlrun", "table.byte"], "a thousand keys", ["ocamlrun", "few.byte"]),
    ("optipng", ["optipng", "-q", "-o2", "-force", "-out", "out.png", "small.png"], "one trial of many", ["optipng", "-q", "-o0", "-force", "-out", "out.png", "small.png"]),
    ("mlr", ["mlr", "--icsv", "--ojson", "stats1", "-a", "median", "-f", "value", "-g", "key", "rows.csv"], "a mean alone", ["mlr", "--icsv", "--ojson", "stats1", "-a", "mean", "-f", "value", "-g", "key", "rows.csv"]),
    ("flac", ["sh", "-c", "for i in 1 2 3; do flac -s -8 -c sound.wav; done"], "-0: hardly any prediction", ["sh", "-c", "for i in 1 2 3; do flac -s -0 -c sound.wav; done"]),
    ("povray", ["povray", "-D", "+Imirrors.pov", "+O/dev/null", "+W1600", "+H1200", "+WT1", "-GA"], "no reflections", ["povray", "-D", "+Iplain.pov", "+O/dev/null", "+W1600", "+H1200", "+WT1", "-GA"]),
    ("x264", ["x264", "--quiet", "--threads", "1", "-o", "/dev/null", "movie.y4m"], "preset superfast", ["x264", "--quiet", "--threads", "1", "--preset", "superfast", "-o", "/dev/null", "movie.y4m"]),
    ("gnuplot", ["gnuplot", "plot.gp"], "every tenth point", ["gnuplot", "tenth.gp"]),
    ("ffmpeg, hqdn3d", ["ffmpeg", "-loglevel", "error", "-threads", "1", "-filter_threads", "1", "-i", "movie.y4m", "-vf", "hqdn3d,scale=1280:720:flags=lanczos,hqdn3d", "-f", "null", "-"], "scaling alone",
     ["ffmpeg", "-loglevel", "error", "-threads", "1", "-filter_threads", "1", "-i", "movie.y4m", "-vf", "scale=1280:720:flags=lanczos", "-f", "null", "-"]),
    ("zstd -19", ["zstd", "-q", "--single-thread", "-19", "-kc", "text.txt"], "-3: no tree of matches", ["zstd", "-q", "--single-thread", "-3", "-kc", "text.txt"]),
    ("ghostscript", ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=ppmraw", "-r200", "-dGraphicsAlphaBits=4", "-sOutputFile=/dev/null", "picture.ps"], "no smoothing", ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=ppmraw", "-r200", "-sOutputFile=/dev/null", "picture.ps"]),
    ("pdftoppm", ["pdftoppm", "-r", "100", "picture.pdf", "out"], "no smoothing", ["pdftoppm", "-r", "100", "-aaVector", "no", "picture.pdf", "out"]),
    ("clang++ -O2", ["clang++", "-O2", "-c", "many.cc", "-o", "many.o"], "-fsyntax-only: no code made", ["clang++", "-O2", "-fsyntax-only", "-c", "many.cc"]),
    ("ld", ["sh", "-c", "ld -r -o linked.o objects/*.o && ld -shared -o linked.so objects/*.o"], "no debug information", ["sh", "-c", "ld -S -r -o linked.o objects/*.o && ld -S -shared -o linked.so objects/*.o"]),
    ("xmllint", ["sh", "-c", "for i in 1 2 3; do xmllint --xpath 'count(//row[key=77])' large.xml; done"], "parsing alone", ["sh", "-c", "for i in 1 2 3; do xmllint --noout large.xml; done"]),
    ("openssl enc, AES-CBC", ["sh", "-c", "cat noise.raw noise.raw noise.raw noise.raw noise.raw noise.raw noise.raw noise.raw | openssl enc -aes-256-cbc -K 00 -iv 00 2>/dev/null | cat >/dev/null"], "counter mode: blocks side by side",
     ["sh", "-c", "cat noise.raw noise.raw noise.raw noise.raw noise.raw noise.raw noise.raw noise.raw | openssl enc -aes-256-ctr -K 00 -iv 00 2>/dev/null | cat >/dev/null"]),
    ("ripgrep", ["sh", "-c", r"rg -j1 -c '(\w+)\d+ .*[aeiou]{2}\w*\d+5$' " + "text.txt " * 30], "a fixed string", ["sh", "-c", "rg -j1 -c would155 " + "text.txt " * 30]),
    ("7z", ["sh", "-c", "7z a -mmt=1 -mx=7 -si -so x.7z < text.txt || (rm -f x.7z; 7z a -bd -mmt=1 -mx=7 x.7z text.txt)"], "-mx=1", ["sh", "-c", "rm -f x.7z; 7z a -bd -mmt=1 -mx=1 x.7z text.txt"]),
    ("lame", ["lame", "--quiet", "-q", "0", "sound.wav", "/dev/null"], "-q 7", ["lame", "--quiet", "-q", "7", "sound.wav", "/dev/null"]),
    ("vim", ["vim", "-es", "-u", "NONE", "-c", r"%s/\(\w\+\)0 \(\w\+\)/\2 \1/ge", "-c", "q!", "text.txt"], "a fixed string", ["vim", "-es", "-u", "NONE", "-c", "%s/would1/x/ge", "-c", "q!", "text.txt"]),
    ("diff", ["diff", "old.txt", "new.txt"], "one file twice", ["diff", "old.txt", "old.txt"]),
    ("groff", ["groff", "-man", "-Tutf8", "paper.man"], "half of the text", ["sh", "-c", "head -c 1000000 paper.man | groff -man -Tutf8"]),
    ("tclsh", ["tclsh", "queens.tcl"], "a loop in place of calls", ["tclsh", "loop.tcl"]),
    ("z3", ["z3", "multiply.smt2"], None, None),
    ("glpsol", ["glpsol", "--lp", "knapsack.lp", "--tmlim", "6"], None, None),
    ("sbcl", ["sbcl", "--script", "hash.lisp"], "keys that are numbers", ["sbcl", "--script", "plain.lisp"]),
    ("rustc", ["rustc", "-O", "--crate-type", "lib", "sum.rs"], "no code made", ["rustc", "--crate-type", "lib", "--emit", "metadata", "sum.rs"]),
    ("tesseract", ["env", "OMP_THREAD_LIMIT=1", "tesseract", "words.png", "-"], None, None),
    ("python3, numpy", ["python3", "-c", "import numpy as n\na=n.random.rand(3000000)\nfor i in range(8): b=n.sort(a)\nprint(b[0])"], "in order already", ["python3", "-c", "import numpy as n\na=n.sort(n.random.rand(3000000))\nfor i in range(8): b=n.sort(a)\nprint(b[0])"]),
    ("python3, pandas", ["python3", "-c", "import pandas as p\nd=p.read_csv('rows.csv')\nfor i in range(3): print(d.groupby('key').value.apply(lambda v: v.max()-v.min()).sum())"], "no Python for each group",
     ["python3", "-c", "import pandas as p\nd=p.read_csv('rows.csv')\nfor i in range(3): g=d.groupby('key').value; print((g.max()-g.min()).sum())"]),
    ("minimap2", ["minimap2", "-a", "-t1", "genome.fa", "reads.fa"], "no alignment base by base", ["minimap2", "-t1", "genome.fa", "reads.fa"]),
    ("sox, reverb", ["sox", "sound.wav", "-n", "reverb", "tempo", "1.3", "rate", "-v", "48000"], "no reverb", ["sox", "sound.wav", "-n", "tempo", "1.3", "rate", "-v", "48000"]),
    ("gp", ["gp", "-q", "-f", "factors.gp"], "numbers of 28 digits", ["gp", "-q", "-f", "small.gp"]),
    ("dot", ["dot", "-Tsvg", "-o/dev/null", "graph.dot"], "huge pages", ["env", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "dot", "-Tsvg", "-o/dev/null", "graph.dot"]),
    ("m4", ["m4", "fibonacci.m4"], "a smaller number", ["m4", "short.m4"]),
    ("cwebp", ["cwebp", "-quiet", "-m", "6", "words.png", "-o", "/dev/null"], "-m 0", ["cwebp", "-quiet", "-m", "0", "words.png", "-o", "/dev/null"]),
    ("zopfli", ["zopfli", "-c", "--i5", "many.c"], "one iteration", ["zopfli", "-c", "--i1", "many.c"]),
    ("stockfish", ["/usr/games/stockfish", "bench", "16", "1", "11"], "depth 8", ["/usr/games/stockfish", "bench", "16", "1", "8"]),
    ("pandoc", ["pandoc", "-f", "markdown", "-t", "html", "doc.md", "-o", "/dev/null"], "an allocation area of 256 MiB: few collections", ["pandoc", "+RTS", "-A256m", "-RTS", "-f", "markdown", "-t", "html", "doc.md", "-o", "/dev/null"]),
    ("lzip", ["lzip", "-9kc", "many.ll"], "-0: hardly any search", ["lzip", "-0kc", "many.ll"]),
    ("gm, median", ["gm", "convert", "-limit", "threads", "1", "image.ppm", "-median", "3", "null:"], "a smooth picture: comparisons that are guessed right", ["gm", "convert", "-limit", "threads", "1", "smooth.ppm", "-median", "3", "null:"]),
    ("cbc", ["cbc", "knapsack.lp", "sec", "8", "solve"], "OPENBLAS_NUM_THREADS=1", ["env", "OPENBLAS_NUM_THREADS=1", "cbc", "knapsack.lp", "sec", "8", "solve"]),
    ("swipl", ["swipl", "queens.pl"], "-O: arithmetic compiled", ["swipl", "-O", "queens.pl"]),
    ("hmmsearch", ["hmmsearch", "--cpu", "0", "-o", "/dev/null", "family.hmm", "proteins.fa"], "a model of half the length", ["hmmsearch", "--cpu", "0", "-o", "/dev/null", "half.hmm", "proteins.fa"]),
    ("samtools sort", ["sh", "-c", "samtools view -u reads.sam | samtools sort -o /dev/null -"], "no compression", ["sh", "-c", "samtools view -u reads.sam | samtools sort -l 0 -o /dev/null -"]),
    ("tidy", ["tidy", "-q", "-xml", "-o", "/dev/null", "large.xml"], None, None),
    ("ledger", ["ledger", "-f", "books.ledger", "bal"], "huge pages", ["env", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "ledger", "-f", "books.ledger", "bal"]),
    ("espeak-ng", ["sh", "-c", "head -c 20000 text.txt | espeak-ng --stdout > /dev/null"], "a higher voice: fewer harmonics", ["sh", "-c", "head -c 20000 text.txt | espeak-ng -p 99 --stdout > /dev/null"]),
    ("oggenc", ["oggenc", "-Q", "sound.wav", "-o", "/dev/null"], None, None),
    ("sed", ["sed", "-E", "-e", r"s/([a-z]+)0 ([a-z]+)/\2 \1/g", "text.txt"], "LC_ALL=C: bytes in place of characters", ["env", "LC_ALL=C", "sed", "-E", "-e", r"s/([a-z]+)0 ([a-z]+)/\2 \1/g", "text.txt"]),
    ("pigz", ["pigz", "-p", "2", "-9", "-kc", "text.txt"], "-1: hardly any search", ["pigz", "-p", "2", "-1", "-kc", "text.txt"]),
    ("od", ["od", "-c", "noise.raw"], "xxd: digits from a table, no printf", ["xxd", "noise.raw"]),
    ("objdump", ["objdump", "-d", "/usr/bin/git"], "no raw bytes beside instructions", ["objdump", "-d", "--no-show-raw-insn", "/usr/bin/git"]),
    ("cppcheck", ["cppcheck", "-q", "many.c"], None, None),
    ("cadical", ["cadical", "-q", "-t", "6", "random3.cnf"], None, None),
    ("argon2", ["sh", "-c", "echo -n password | argon2 somesalt -t 6 -m 16 -p 1"], "huge pages", ["env", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "sh", "-c", "echo -n password | argon2 somesalt -t 6 -m 16 -p 1"]),
    ("luajit", ["luajit", "loop.lua"], "a mask in place of the remainder", ["luajit", "mask.lua"]),
    ("b2sum", ["b2sum", "noise.raw", "text.txt", "noise.raw", "noise.raw"], None, None),
    ("x265", ["x265", "--log-level", "none", "--pools", "1", "--frame-threads", "1", "--preset", "fast", "-f", "40", "-o", "/dev/null", "movie.y4m"], "preset ultrafast",
     ["x265", "--log-level", "none", "--pools", "1", "--frame-threads", "1", "--preset", "ultrafast", "-f", "40", "-o", "/dev/null", "movie.y4m"]),
    ("opusenc", ["opusenc", "--quiet", "sound.wav", "/dev/null"], "--comp 0: hardly any search", ["opusenc", "--quiet", "--comp", "0", "sound.wav", "/dev/null"]),
    ("gnugo", ["/usr/games/gnugo", "--benchmark", "2", "--boardsize", "9", "--seed", "1"], None, None),
    ("hunspell", ["sh", "-c", "head -c 400000 text.txt | tr -d 0-9 | hunspell -d en_US -l"], None, None),
    ("valgrind", ["valgrind", "-q", "--tool=none", "gzip", "-9", "-kc", "many.ll"], None, None),
    ("guile", ["guile", "--no-auto-compile", "tak.scm"], "no code made: interpreted", ["env", "GUILE_JIT_THRESHOLD=-1", "guile", "--no-auto-compile", "tak.scm"]),
    ("mutool", ["mutool", "draw", "-q", "-r", "150", "-o", "drawn.png", "picture.pdf"], "no smoothing", ["mutool", "draw", "-q", "-A", "0", "-r", "150", "-o", "drawn.png", "picture.pdf"]),
    ("zpaq", ["sh", "-c", "rm -f x.zpaq; zpaq add x.zpaq many.ll -method 4 -threads 1"], "-method 1", ["sh", "-c", "rm -f x.zpaq; zpaq add x.zpaq many.ll -method 1 -threads 1"]),
    ("maxima", ["maxima", "--very-quiet", "--batch-string=factor(x^96-1)$ factor(expand((x^3+y^2+z+1)^12*(x-y+z^2)^6))$"], "lower powers", ["maxima", "--very-quiet", "--batch-string=factor(x^96-1)$ factor(expand((x^3+y^2+z+1)^8*(x-y+z^2)^4))$"]),
    ("clang-format", ["clang-format", "more.cc"], "start and end alone", ["clang-format", "--version"]),
    ("bwa mem", ["bwa", "mem", "-t", "1", "genome.fa", "spread.fq"], "an index of a tenth", ["bwa", "mem", "-t", "1", "part.fa", "short.fq"]),
    ("muscle", ["muscle", "-align", "related.fa", "-output", "/dev/null"], "half of the sequences", ["muscle", "-align", "fewer.fa", "-output", "/dev/null"]),
    ("vpxenc", ["vpxenc", "--cpu-used=4", "--threads=1", "--limit=30", "-q", "-o", "/dev/null", "movie.y4m"], "--cpu-used=8", ["vpxenc", "--cpu-used=8", "--threads=1", "--limit=30", "-q", "-o", "/dev/null", "movie.y4m"]),
    ("cjxl", ["cjxl", "words.png", "out.jxl", "-e", "7", "--num_threads=0", "-d", "1"], "no patches looked for", ["cjxl", "words.png", "out.jxl", "-e", "7", "--num_threads=0", "-d", "1", "--patches=0"]),
    ("clingo", ["clingo", "pigeons.lp", "-q"], "a pigeon less", ["clingo", "fewer.lp", "-q"]),
    ("ecm", ["sh", "-c", "echo '2^1061-1' | ecm -c 4 50000"], "numbers of half the digits", ["sh", "-c", "echo '2^523-1' | ecm -c 4 50000"]),
    ("ngspice", ["ngspice", "-b", "ring.cir"], "half of the stages", ["ngspice", "-b", "small.cir"]),
    ("vvp", ["vvp", "-n", "count.vvp"], None, None),
    ("gforth", ["gforth", "calls.fs"], "as many words in one line, which is guessed right", ["gforth", "words.fs"]),
    ("rsvg-convert", ["rsvg-convert", "blurred.svg", "-o", "drawn.png"], "no blur", ["rsvg-convert", "shapes.svg", "-o", "drawn.png"]),
    ("lrzip", ["lrzip", "-q", "-f", "-z", "-p", "1", "-o", "out.lrz", "many.ll"], "a window of 100 MB, less memory", ["lrzip", "-q", "-f", "-z", "-p", "1", "-w", "1", "-m", "1", "-o", "out.lrz", "many.ll"]),
    ("primesieve", ["primesieve", "2e10", "-t", "1", "-q"], "a sieve in the first cache", ["primesieve", "2e10", "-t", "1", "-q", "--size=32"]),
    ("john", ["sh", "-c", "HOME=$PWD john -w:list.txt hash.txt"], "half of the words", ["sh", "-c", "head -10000 list.txt >half.txt; HOME=$PWD john -w:half.txt hash.txt"]),
    ("mpg123", ["mpg123", "-q", "-t"] + ["sound.mp3"] * 12, None, None),
    ("eprover", ["eprover", "--auto", "--cpu-limit=4", "-s", "ring.p"], None, None),
    ("chezscheme", ["chezscheme", "--script", "tree.ss"], "no collections", ["chezscheme", "--script", "kept.ss"]),
    ("bsdiff", ["bsdiff", "old.bin", "new.bin", "patch"], "ten tenths", ["sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do bsdiff old.part new.part patch; done"]),
    ("pdftoppm", ["pdftoppm", "-r", "100", "pages.pdf", "drawn"], "no smoothing", ["pdftoppm", "-r", "100", "-aaVector", "no", "pages.pdf", "drawn"]),
    ("pngquant", ["pngquant", "--force", "-o", "fewer.png", "photo.png"], "--speed 11", ["pngquant", "--speed", "11", "--force", "-o", "fewer.png", "photo.png"]),
    ("erl", ["erl", "-noshell", "-s", "count", "main"], "twenty keys", ["erl", "-noshell", "-s", "few", "main"]),
    ("fasttree", ["fasttree", "-nt", "-quiet", "aligned.fa"], "no likelihoods", ["fasttree", "-nt", "-quiet", "-noml", "aligned.fa"]),
    ("shellcheck", ["shellcheck", "long.sh"], None, None),
    ("yara", ["yara", "rules.yar", "movie.y4m"], "8 of 40 rules", ["yara", "few.yar", "movie.y4m"]),
    ("berkeley-abc", ["berkeley-abc", "-c", "gen -N 40 -m m.blif; read m.blif; strash; dch; if -K 6; print_stats"], None, None),
    ("goaccess", ["goaccess", "access.log", "--log-format=COMBINED", "-o", "seen.html"], "one visitor and page", ["goaccess", "oneip.log", "--log-format=COMBINED", "-o", "seen.html"]),
    ("tetgen", ["tetgen", "-Q", "points.node"], "no files of faces and edges", ["tetgen", "-QNEF", "points.node"]),
    ("potrace", ["potrace", "-s", "blobs.pbm", "-o", "blobs.svg"], "no curves joined", ["potrace", "-n", "-s", "blobs.pbm", "-o", "blobs.svg"]),
    ("wavpack", ["wavpack", "-hh", "-y", "-q", "sound.wav", "-o", "sound.wv"], "-f: fewer passes", ["wavpack", "-f", "-y", "-q", "sound.wav", "-o", "sound.wv"]),
    ("nasm", ["nasm", "-f", "elf64", "many.asm", "-o", "many.o"], "-O0", ["nasm", "-O0", "-f", "elf64", "many.asm", "-o", "many.o"]),
    ("kchashtest", ["kchashtest", "order", "-rnd", "-bnum", "1000000", "records.kch", "400000"], "twenty of a twentieth", ["sh", "-c", "for i in $(seq 20); do kchashtest order -rnd -bnum 50000 records.kch 20000; done"]),
    ("csound", ["csound", "filter.csd"], "no filter", ["csound", "plain.csd"]),
    ("yosys", ["yosys", "-q", "-p", "read_verilog mult.v; synth; abc -g AND"], None, None),
    ("maude", ["maude", "-no-banner", "terms.maude"], None, None),
    ("ppcx64", ["ppcx64", "many.pas"], None, None),
    ("python3, scikit-learn's k-means", ["python3", "clusters.py"], "an optimised BLAS", ["env", "LD_PRELOAD=libopenblas.so.0", "python3", "clusters.py"]),
    ("bedtools intersect", ["bedtools", "intersect", "-a", "here.bed", "-b", "there.bed"], "both in order", ["bedtools", "intersect", "-a", "here.sorted.bed", "-b", "there.sorted.bed"]),
    ("datamash, sums by group", ["sh", "-c", "datamash -s -g1 sum 2 < sums.txt"], "in order already", ["sh", "-c", "datamash -g1 sum 2 < sums.sorted.txt"]),
    ("compress", ["compress", "-c", "noise.b64"], "one letter: the same few entries", ["compress", "-c", "same.b64"]),
    ("clustalo, proteins", ["clustalo", "-i", "related.fa", "-o", "/dev/null", "--force"], "one thread", ["clustalo", "--threads=1", "-i", "related.fa", "-o", "/dev/null", "--force"]),
    ("factor", ["sh", "-c", "seq 1000000000000000 1000000000040000 | factor"], "numbers of half the digits: shorter searches", ["sh", "-c", "seq 10000000 10040000 | factor"]),
]


def cpu_seconds(command, work):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def diagnosed(plumb, command, work):
    case = work / "case"
    shutil.rmtree(case, ignore_errors=True)
    subprocess.run([plumb, "diagnose", "-q", "--json", "--case", case, "--", *command], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    try:
        return json.loads((case / "findings.json").read_text())
    except OSError:
        return None


def share_text(interval):
    return "" if not interval else f"{interval[0] * 100:.0f} to {interval[2] * 100:.0f} %"


def judged(found):
    """The verdict and the estimate in a line each."""
    verdict, bottleneck = found["verdict"], found["bottleneck"] or {}
    culprit = next((one for one in found["findings"] if one["id"] == verdict["culprit"]), None)
    estimate = bottleneck.get("class", "none") + (f" ({bottleneck['subclass']})" if bottleneck.get("subclass") else "")
    return {"kind": verdict["kind"], "culprit": verdict["culprit"], "confidence": culprit and culprit["confidence"], "sentence": verdict["sentence"],
            "estimate": estimate, "estimate_share": share_text(bottleneck.get("share")), "estimate_confidence": bottleneck.get("confidence"),
            "why_not": bottleneck.get("why_not"), "function": bottleneck.get("function"),
            "hot": [(one["function"], round(one["share"]["mid"], 3)) for one in found["profile"].get("functions", [])[:5]],
            "cpu_s": found["run"]["cpu_s"], "run_delay_s": found["run"]["run_delay_s"]}


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("--plumb", default=ROOT / "build/plumb")
    parse.add_argument("--only", default="")
    parse.add_argument("--turns", type=int, default=3)
    parse.add_argument("--json")
    parse.add_argument("--work")
    options = parse.parse_args()
    plumb = str(pathlib.Path(options.plumb).resolve())
    with tempfile.TemporaryDirectory(prefix="plumb-programs-") as own:
        work = pathlib.Path(options.work or own)
        work.mkdir(exist_ok=True)
        if not (work / "data.db").exists():
            made_files(work)
        rows = []
        for name, command, change, changed in PROGRAMS:
            if options.only and not any(word in name for word in options.only.split(",")):
                continue
            if not shutil.which(command[2] if command[0] == "env" else command[0]):
                print(f"{name}: not here", file=sys.stderr)
                continue
            found = diagnosed(plumb, command, work)
            if not found:
                print(f"{name}: no case came of it", file=sys.stderr)
                continue
            row = {"name": name, "command": " ".join(command), **judged(found)}
            if changed:
                turns = [(cpu_seconds(command, work), cpu_seconds(changed, work)) for _ in range(options.turns)]
                row |= {"change": change, "before_s": min(one[0] for one in turns), "after_s": min(one[1] for one in turns)}
            rows.append(row)
            print(f"{name}\n    {row['sentence']}\n    culprit {row['culprit']} {row['confidence']}; estimate {row['estimate']} {row['estimate_share']} {row['estimate_confidence']} {row['function'] or ''}"
                  f" {row['why_not'] or ''}\n    hot {row['hot']}, {row['cpu_s']} s of CPU time", end="")
            print(f"\n    {row['change']}: {row['before_s']:.2f} -> {row['after_s']:.2f} s of CPU time" if changed else "", flush=True)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
