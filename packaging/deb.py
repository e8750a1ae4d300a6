#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build a Debian package out of what make install puts under /usr: program, manual pages, completions. Needs no network.

What plumb is linked with is depended on, and what diagnose does nothing without; what else it loads on first use is recommended
(apt installs that, too), but for the large one that only AArch64 code needs.
"""
import argparse
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from bundle import ROOT, library_tables, output

LARGE = {"libllvm14"}
NEEDED = {"libjansson4"}
DESCRIPTION = """finds out why a program is slow on the CPU, and proves it
 Which resource, which function, which instruction, what was ruled out and by
 which bound, how much time a fix could return, and which experiment would show
 it wrong; also in cloud guests that have no hardware counters. Counts, samples
 and shows recordings in perf's file format."""


def glibc_least(program):
    """The newest version of libc's symbols that the program asks for."""
    versions = re.findall(r"\bGLIBC_([\d.]+)", output("objdump", "-T", program))
    return max(versions, key=lambda version: [int(part) for part in version.split(".")])


def control(folder, version, architecture):
    loaded = sorted({package for _, package in library_tables()})
    glibc = glibc_least(folder / "usr/bin/plumb")
    size_kb = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) // 1024
    return "\n".join([
        "Package: plumb", f"Version: {version}", f"Architecture: {architecture}", "Section: devel", "Priority: optional",
        "Maintainer: The developers of plumb <plumb@plumb.invalid>", f"Installed-Size: {size_kb}",
        f"Depends: {', '.join([f'libc6 (>= {glibc})', *(name for name in loaded if name in NEEDED)])}",
        f"Recommends: {', '.join(name for name in loaded if name not in LARGE | NEEDED)}",
        f"Suggests: {', '.join(name for name in loaded if name in LARGE)}",
        f"Description: {DESCRIPTION}", ""])


def compress(path, name=None):
    """As gzip -9n: the same bytes each time."""
    target = path.with_name((name or path.name) + ".gz")
    target.write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    path.unlink()


def fill(folder, build):
    subprocess.run([ROOT / "packaging/install.sh", build, "/usr"], env=os.environ | {"DESTDIR": str(folder)},
                   stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["strip", "--strip-unneeded", folder / "usr/bin/plumb"], check=True)
    share = folder / "usr/share"
    (share / "zsh/site-functions").rename(share / "zsh/vendor-completions")
    for page in (share / "man/man1").iterdir():
        compress(page)
    notes = share / "doc/plumb"
    (notes / "LICENSE").unlink()
    (notes / "copyright").write_text(
        "plumb is free software under the GNU General Public License, version 3 or later:\n"
        "/usr/share/common-licenses/GPL-3 on Debian.\n\nIts programs for the kernel (BPF) are under version 2:\n"
        "/usr/share/common-licenses/GPL-2.\n")
    shutil.copyfile(ROOT / "NEWS.md", notes / "changelog")
    compress(notes / "changelog")
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)


def package(build, target_folder):
    version = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]
    architecture = output("dpkg", "--print-architecture").strip()
    with tempfile.TemporaryDirectory(prefix="plumb-deb-") as scratch:
        folder = pathlib.Path(scratch) / "plumb"
        folder.mkdir()
        fill(folder, build)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        sums = "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files)
        text = control(folder, version, architecture)
        (folder / "DEBIAN").mkdir(mode=0o755)
        (folder / "DEBIAN/control").write_text(text)
        (folder / "DEBIAN/md5sums").write_text(sums)
        archive = target_folder / f"plumb_{version}_{architecture}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder, archive], stdout=subprocess.DEVNULL, check=True)
    return archive


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--into", type=pathlib.Path, help="the folder it is put in; else the build folder")
    options = parser.parse_args()
    build = options.build.resolve()
    archive = package(build, options.into or build)
    print(f"{archive}: {archive.stat().st_size / 1e6:.1f} MB; apt install {archive} installs it")


if __name__ == "__main__":
    main()
