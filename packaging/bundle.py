#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pack plumb with everything it loads, the loader included, so that it runs wherever it is unpacked: an empty chroot, a
pod, another distribution.

    plumb                 starts the rest; static
    libexec/plumb         the program
    lib/                  the loader, libc, and every library that the sources name (struct library) with what those need
    share/                manual pages, completions, licences with the Debian versions they belong to
"""
import argparse
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# struct library name = {{"libx.so.1", …}, "package", …}, with or without the members' names
LIBRARY_TABLE = re.compile(r'struct library \w+\s*=\s*\{\s*(?:\.names\s*=\s*)?\{([^}]*)\}([^;]*);', re.S)
PACKAGE = re.compile(r'\.package\s*=\s*"([^"]+)"|^\s*,\s*"([^"]+)"')
LINKED_INTO_PLUMB = {"libiberty-dev"}
LIBRARY_NAME = re.compile(r'"(lib[\w.+-]+\.so\.\d[\w.]*)"')


def output(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def library_tables():
    """(sonames, Debian's package) of every struct library in the sources."""
    tables = []
    for path in sorted((ROOT / "src").rglob("*.c")):
        text = path.read_text()
        found = []
        for names, rest in LIBRARY_TABLE.findall(text):
            package = PACKAGE.search(rest)
            found.append((re.findall(r'"([^"]+)"', names), package[1] or package[2] if package else "?"))
        told = {name for names, _ in found for name in names}
        missed = set(LIBRARY_NAME.findall(text)) - told
        if missed:
            sys.exit(f"bundle: {path.relative_to(ROOT)} names {', '.join(sorted(missed))} outside a struct library")
        tables += found
    return tables


def known_libraries():
    """soname -> path, as the loader's cache has them for this machine."""
    kind = {"x86_64": "x86-64", "aarch64": "AArch64"}[os.uname().machine]
    known = {}
    for line in output("/sbin/ldconfig", "-p").splitlines():
        match = re.match(rf"\s+(\S+) \(.*{kind}.*\) => (\S+)$", line)
        if match:
            known.setdefault(match[1], pathlib.Path(match[2]))
    return known


def chosen_libraries():
    """The best installed library of each table, or the end."""
    known, chosen = known_libraries(), []
    for names, package in library_tables():
        name = next((name for name in names if name in known), None)
        if not name:
            sys.exit(f"bundle: none of {', '.join(names)} is installed (Debian: {package})")
        chosen.append((name, known[name]))
    return chosen


def needed_by(path):
    """(soname, path) of all that the loader maps for a program or library, the loader among them."""
    for line in output("ldd", path).splitlines():
        match = re.match(r"\s+(?:(\S+) => )?(/\S+) \(0x", line)
        if match:
            yield pathlib.Path(match[1] or match[2]).name, pathlib.Path(match[2])
        elif "not found" in line:
            sys.exit(f"bundle: {path} needs {line.strip()}")


def names_of(path):
    """What Debian may call a file; the merged /usr has two names for each."""
    real = path.resolve()
    return [str(path), str(real), str(real).removeprefix("/usr"), str(path).removeprefix("/usr")]


def packages_of(files):
    """Debian's package of each file, or the end; asked once for all, because each question reads every package's list."""
    asked = sorted({name for path in files for name in names_of(path)})
    done = subprocess.run(["dpkg-query", "-S", *asked], capture_output=True, text=True)
    owner = {}
    for line in done.stdout.splitlines():
        packages, _, name = line.rpartition(": ")
        if not line.startswith("diversion"):
            owner[name] = packages.split(",")[0].split(":")[0]
    found = {path: next((owner[name] for name in names_of(path) if name in owner), None) for path in files}
    for path, package in found.items():
        if not package:
            sys.exit(f"bundle: no package has {path}, so its licence is unknown")
    return set(found.values())


def add_licences(folder, files):
    """The copyright file of each library's package, the licences these refer to, and which sources they belong to."""
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "LICENSE", folder / "plumb")
    shutil.copy(ROOT / "web/dist/THIRD-PARTY.txt", folder / "html-report")
    referred, lines = set(), []
    for package in sorted(packages_of(files) | LINKED_INTO_PLUMB):
        notice = pathlib.Path("/usr/share/doc") / package / "copyright"
        text = notice.read_text(errors="replace")
        (folder / f"{package}.copyright").write_text(text)
        referred |= set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text))
        lines.append(output("dpkg-query", "-W", "-f", "${Package} ${Version}, source ${source:Package} ${source:Version}\n", package))
    for name in sorted(referred):
        text = pathlib.Path("/usr/share/common-licenses") / name
        if text.exists():
            shutil.copy(text, folder / f"common-{name}")
    (folder / "PACKAGES").write_text("The libraries are Debian's, unchanged; their sources are Debian's source packages:\n" + "".join(lines))


def add_share(folder, plumb):
    """Manual pages and completions, as `make install` lays them out."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([ROOT / "packaging/install.sh", plumb.parent, "/"], env=os.environ | {"DESTDIR": scratch},
                       check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(pathlib.Path(scratch) / "share", folder)


def fill(folder, build):
    plumb = build / "plumb"
    libraries = dict(needed_by(plumb))
    for name, path in chosen_libraries():
        libraries[name] = path
        libraries |= dict(needed_by(path))
    for part in ("lib", "libexec"):
        (folder / part).mkdir(parents=True)
    shutil.copy(build / "packaging/bundle-launcher", folder / "plumb")
    shutil.copy(plumb, folder / "libexec/plumb")
    subprocess.run(["strip", "--strip-debug", folder / "libexec/plumb", folder / "plumb"], check=True)
    for name, path in libraries.items():
        shutil.copy(path.resolve(), folder / "lib" / name)
    add_share(folder / "share", plumb)
    add_licences(folder / "share/licences", libraries.values())


def pack(folder, archive):
    """A tar that unpacks with any tar: owned by root, in a fixed order."""
    def owned_by_root(member):
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        return member
    with open(archive, "wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6) as zipped, \
            tarfile.open(fileobj=zipped, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in [folder, *sorted(folder.rglob("*"))]:
            tar.add(path, path.relative_to(folder.parent), recursive=False, filter=owned_by_root)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--folder", type=pathlib.Path, help="fill this new folder and pack nothing")
    options = parser.parse_args()
    build = options.build.resolve()
    if options.folder:
        fill(options.folder, build)
        return
    version = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]
    name = f"plumb-{version}-{os.uname().machine}"
    with tempfile.TemporaryDirectory(prefix="plumb-bundle-") as scratch:
        folder = pathlib.Path(scratch) / name
        fill(folder, build)
        archive = build / f"{name}.tar.gz"
        pack(folder, archive)
    print(f"{archive}: {archive.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
