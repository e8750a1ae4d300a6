# SPDX-License-Identifier: GPL-3.0-or-later
"""What servers count of what they are asked for."""
import pytest

from imported_case import finding

STATS = "# Commandstats\ncmdstat_get:calls=41220118,usec=61830177,usec_per_call=1.50\ncmdstat_{name}:calls={calls},usec={usec},usec_per_call={each:.2f},rejected_calls=0,failed_calls=0\ncmdstat_set:calls=8120331,usec=15428628,usec_per_call=1.90\n"
PROFILE = "\n# Overhead  Command  Shared Object  Symbol\n    58.12%  redis-server  redis-server  [.] {}\n     2.10%  redis-server  libc.so.6  [.] memmove\n"


@pytest.mark.parametrize("name, told", [("keys", "SCAN in small steps"), ("hgetall", "ask for the part that is needed"), ("eval", "SLOWLOG GET")])
def test_the_command_with_most_of_a_server_s_time_comes_first(alone, name, told):
    found = alone(STATS.format(name=name, calls=1840, usec=757120400, each=757120400 / 1840) + PROFILE.format("scanAll"))
    said = found["verdict"]["sentence"]
    assert f"91 % is in {name}, 1840 calls of 411 ms" in said and "scanAll (redis-server) holds 58.12 %" in said, said
    assert told in found["verdict"]["advice"][0], found["verdict"]["advice"]


def test_many_commands_that_share_a_server_s_time_name_none(alone):
    found = alone(STATS.format(name="keys", calls=18, usec=7571204, each=420622) + PROFILE.format("scanAll"))
    assert "in get, 41220118 calls of 0.0015 ms" in found["verdict"]["sentence"], found["verdict"]
    found = alone(STATS.format(name="keys", calls=180, usec=61830000, each=343500) + PROFILE.format("scanAll"))
    assert "commands" not in found["verdict"]["sentence"], found["verdict"]


def slow(locked, took=(9.81, 10.2, 10.55)):
    return "".join(f"# Time: 2024-11-05T09:14:2{at}.118204Z\n# User@Host: shop[shop] @ app [10.0.4.13]  Id: 8812{at}\n# Query_time: {time:.6f}  Lock_time: {time * locked:.6f} Rows_sent: 0  Rows_examined: 1\n"
                   f"SET timestamp=1730798062;\nUPDATE stock SET n=n-1 WHERE id=4;\n" for at, time in enumerate(took))


def test_slow_queries_that_wait_for_locks_lead_to_who_holds_them(alone):
    found = alone(slow(0.998))
    said = found["verdict"]["sentence"]
    assert said.startswith("Threads that take turns at a lock may hold it up") and "(UPDATE stock SET n=n-1 WHERE id=4 first) is 99.8 %" in said, said
    assert "data_locks" in found["verdict"]["advice"][0]
    found = alone(slow(0.02))
    assert finding(found, "lock-turns")["verdict"] == "not_testable", finding(found, "lock-turns")


def test_counts_of_servers_cut_anywhere_are_read_or_not(alone):
    text = STATS.format(name="keys", calls=1840, usec=757120400, each=411478) + slow(0.9)
    for length in range(1, len(text), 23):
        assert alone(text[:length])["verdict"]
