# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at the JSON of a case made of what other tools printed (the fixture "imported")."""


def finding(found, identity):
    return next(one for one in found["findings"] if one["id"] == identity)


def labelled(one):
    return all(item["origin"] == "statement" for item in one["evidence"]) and \
        "imported, not measured by plumb" in (one["reason"] or one["headline"])
