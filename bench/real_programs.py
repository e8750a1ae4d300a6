#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What does plumb diagnose say of real programs, and what happens when what it names is changed?

    bench/real_programs.py [--plumb build/plumb] [--only NAME,...] [--turns 3] [--json FILE] [--work FOLDER]

Each row is a command of a Debian program and one with a change; both are run in turns, and the least CPU time of each is printed: CPU time, because
it is moved least by a busy machine. Rows whose program isn't here are left out, with its name. doc/REAL_PROGRAMS.md judges what this printed.
"""
import argparse
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
    if shutil.which("sqlite3"):
        subprocess.run(["sqlite3", str(work / "data.db")], check=True, text=True, input="create table t(id integer primary key, k int, v int);"
                       "insert into t with recursive c(x) as (select 1 union all select x+1 from c where x<600000) select x, abs(random())%600000, x%97 from c;"
                       "create table u as select * from t; create index i on u(k);")


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
