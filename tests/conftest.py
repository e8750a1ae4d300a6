# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the command line share.

plumb        path of the program under test (environment PLUMB, else build/plumb)
run          run("stat", "-x,", "true") -> the finished process: .returncode, .stdout, .stderr as text
source_root  the checkout
shared_data  ../shared/data beside the checkout; the test is skipped when it isn't there
imported     imported(name=text, …) -> the JSON of a case made of these files, and the case's folder (helpers: golden/imported_case.py)
alone        alone(text) -> the JSON of a case made of this text alone
luckless     a program with threads, children and short runs, for counters that have to follow it (tests/live/luckless.c)
sanitized    true when plumb was built with sanitizers (it is slower then, and links more)
kernels      path of bench/workloads/kernels, programs whose bottleneck is known by construction
kernel_case  kernel_case("chase") -> the folder of a case of that kernel, made once in a run of the tests, whichever file
             asks first: pages and verdicts are read from it, nobody changes it

Tests under tests/live/ carry the mark `live`: they measure the machine they run on, which may be busy, and skip
with a reason where it can't do what they need. Files of tests run side by side: a test that switches a setting of the
whole machine carries the mark `alone`, and no other live test runs beside it.
"""
import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

import sanitizer_logs

ROOT = pathlib.Path(os.environ.get("PLUMB_SOURCE_ROOT") or pathlib.Path(__file__).resolve().parent.parent)

TEST_SECONDS = int(os.environ.get("PLUMB_TEST_SECONDS", "360"))


def pytest_configure(config):
    config.addinivalue_line("markers", "live: measures the machine that the test runs on")
    config.addinivalue_line("markers", "alone: switches a setting of the whole machine, so no other live test may run beside it")


def pytest_collection_modifyitems(items):
    for item in items:
        if "live" in pathlib.Path(item.fspath).parts:
            item.add_marker(pytest.mark.live)
    items.sort(key=lambda item: not wants_to_be_alone(item))  # first: at the start the other worker needn't be waited for


def wants_to_be_alone(item):
    return item.get_closest_marker("alone") is not None


class TookTooLong(Exception):
    """A test that waits for what doesn't come fails alone, instead of stopping all that follow."""


def in_time():
    def ring(*_):
        raise TookTooLong(f"no end after {TEST_SECONDS} s")
    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(TEST_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def beside_others(alone):
    """Shared by all tests but those that want the machine for themselves. The gate is held while waiting, so that the
    tests of another worker can't go on overtaking one that waits."""
    folder = os.environ.get("PLUMB_TEST_LOCKS")
    if not folder:
        yield
        return
    with open(os.path.join(folder, "gate"), "w") as gate, open(os.path.join(folder, "machine"), "w") as machine:
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(machine, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(gate, fcntl.LOCK_UN)
        yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    if item.get_closest_marker("live") is None:
        yield
        return
    with beside_others(wants_to_be_alone(item)):
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_setup():
    yield from in_time()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call():
    yield from in_time()


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish(nodeid):
    sanitizer_logs.name_new(os.environ.get("PLUMB_SANITIZER_LOGS"), nodeid.removeprefix("tests/"))


@pytest.fixture(scope="session")
def source_root():
    return ROOT


@pytest.fixture(scope="session")
def plumb():
    path = pathlib.Path(os.environ.get("PLUMB") or ROOT / "build/plumb").resolve()
    assert os.access(path, os.X_OK), f"{path} isn't there: run make first"
    return str(path)


@pytest.fixture(scope="session")
def sanitized():
    return os.environ.get("PLUMB_SANITIZED") == "1"


@pytest.fixture(scope="session")
def shared_data():
    folder = pathlib.Path(os.environ.get("PLUMB_SHARED_DATA") or ROOT.parent / "shared/data")
    if not folder.is_dir():
        pytest.skip("no shared test data beside the checkout (../shared/data)")
    return folder


@pytest.fixture
def other_users():
    """For tests that become somebody else."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    if os.stat("/").st_mode & 0o005 != 0o005:
        pytest.skip("the root folder is closed to other users")


def run_program(*words, timeout=60, env=None, input=None, cwd=None, text=True, **more):
    """Run a program in its own session; on timeout its whole process group is killed, so that no grandchild
    keeps the pipes open. env is added to the environment; a None value removes the variable."""
    environment = dict(os.environ)
    for name, value in (env or {}).items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = str(value)
    more.setdefault("stdin", subprocess.DEVNULL if input is None else subprocess.PIPE)
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    if text:
        more.setdefault("errors", "replace")
    with subprocess.Popen([str(word) for word in words], env=environment, cwd=cwd, text=text,
                          start_new_session=True, **more) as process:
        try:
            stdout, stderr = process.communicate(input, timeout=timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


@pytest.fixture
def run(plumb):
    def run_plumb(*arguments, **options):
        return run_program(plumb, *arguments, **options)
    return run_plumb


# Of CPU time, so that a busy machine takes no samples away; what sleeps has none.
KERNEL_SECONDS = "0.3"
SLEEPING_KERNELS = {"wait": "0.5"}
# Far beyond the second cache and what translations are kept of, as the kernels' own half a gigabyte is; quicker to set up.
KERNEL_OPTIONS = {"stream": ["--size", "128M"], "chase": ["--size", "128M", "--pages", "4k"], "gather": ["--size", "128M"], "list": ["--size", "64M"],
                  "tlb": ["--size", "128M"], "bsearch": ["--size", "64M"], "transpose": ["--size", "96M"]}


@pytest.fixture(scope="session")
def kernels(plumb):
    path = pathlib.Path(plumb).parent / "bench" / "workloads" / "kernels"
    if not os.access(path, os.X_OK):
        pytest.skip(f"{path} was not built")
    return path


@pytest.fixture(scope="session")
def kernel_case(plumb, kernels, tmp_path_factory):
    shared = os.environ.get("PLUMB_TEST_LOCKS")
    folder = pathlib.Path(shared) if shared else tmp_path_factory.mktemp("kernels")

    def case_of(name):
        case = folder / f"case-of-{name}"
        with open(folder / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not case.exists():
                time = ["--seconds", SLEEPING_KERNELS[name]] if name in SLEEPING_KERNELS else ["--cpu-seconds", KERNEL_SECONDS]
                run_program(plumb, "diagnose", "-q", "--case", case, "--", kernels, name, *time, *KERNEL_OPTIONS.get(name, []), timeout=200)
        assert (case / "findings.json").exists(), f"there is no case of {name}"
        return case
    return case_of


@pytest.fixture(scope="session")
def luckless(source_root, tmp_path_factory):
    program = tmp_path_factory.mktemp("luckless") / "luckless"
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-g", "-pthread", "-o", program, source_root / "tests/live/luckless.c"], check=True)
    return str(program)


@pytest.fixture
def imported(run, tmp_path):
    """imported(name=text, …) -> the JSON of a case made of these files, and the case's folder."""
    def make(*say, **texts):
        case, words = tmp_path / "case", []
        for name, text in texts.items():
            (tmp_path / f"{name}.txt").write_text(text)
            words += ["--import", tmp_path / f"{name}.txt"]
        for sentence in say:
            words += ["--say", sentence]
        finished = run("diagnose", "--json", "--case", case, *words)
        assert finished.returncode in (0, 4), finished.stderr
        assert run("diagnose", "--json", "--case", case).stdout == finished.stdout, "a replay is the same"
        return json.loads(finished.stdout), case
    return make


@pytest.fixture
def alone(imported):
    """alone(text) -> the JSON of a case made of this text alone."""
    def make(text):
        found, case = imported(case=text)
        shutil.rmtree(case)
        return found
    return make
