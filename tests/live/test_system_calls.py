# SPDX-License-Identifier: GPL-3.0-or-later
"""What a system call does, and who made it: soft interrupts at its end are its own, files and callers have names."""
import json
import subprocess

import pytest

SENDER = r"""
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

__attribute__((noinline)) static int exchange(int fd, struct sockaddr_in *to)
{
    char bytes[64] = {0};
    return sendto(fd, bytes, sizeof(bytes), 0, (void *)to, sizeof(*to)) > 0 && recv(fd, bytes, sizeof(bytes), 0) > 0;
}

int main(int count, char **words)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(to);
    int fd = socket(AF_INET, SOCK_DGRAM, 0), log = open(words[1], O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (bind(fd, (void *)&to, size) || getsockname(fd, (void *)&to, &size) || log < 0)
        return 1;
    for (int at = 0; at < 300000; at++)
        for (int line = 0; line < 2; line++)
            if (!exchange(fd, &to) || write(log, "answered a request\n", 19) != 19)
                return 1;
    return count != 2;
}
"""


@pytest.fixture(scope="module")
def diagnosed(plumb, tmp_path_factory):
    folder = tmp_path_factory.mktemp("calls")
    (folder / "sender.c").write_text(SENDER)
    subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", "-o", folder / "sender", folder / "sender.c"], check=True)
    finished = subprocess.run([plumb, "diagnose", "--json", "--", folder / "sender", folder / "answers.log"], stdout=subprocess.PIPE, text=True, check=True)
    document = json.loads(finished.stdout)
    findings = {finding["id"]: finding for finding in document["findings"]}
    if findings["system-calls"]["verdict"] == "not_testable":
        pytest.skip("the kernel can't be sampled here")
    return findings


def said(finding):
    return " ".join(evidence["text"] for evidence in finding["evidence"])


def test_what_is_sent_to_this_machine_is_received_by_the_call(diagnosed):
    assert diagnosed["system-calls"]["verdict"] == "supported"
    assert diagnosed["interrupts"]["recoverable_ratio"]["mid"] < diagnosed["system-calls"]["recoverable_ratio"]["mid"] / 4


def test_who_makes_the_hot_call_is_named(diagnosed):
    assert "sendto is called below main" in said(diagnosed["system-calls"])


def test_the_file_that_is_written_is_named(diagnosed):
    assert "answers.log grew most" in said(diagnosed["system-calls"])


def test_several_processes_may_stand_apart_by_blanks(run):
    sleepers = [subprocess.Popen(["sleep", "60"]) for _ in range(2)]
    try:
        pids = " ".join(str(sleeper.pid) for sleeper in sleepers)
        assert run("stat", "-e", "task-clock", "-p", pids, "--", "true").returncode == 0
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait()
