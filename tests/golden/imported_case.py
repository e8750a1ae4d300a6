# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at the JSON of a case made of what other tools printed (the fixture "imported")."""
import json


def finding(found, identity):
    return next(one for one in found["findings"] if one["id"] == identity)


def evidence(one):
    return " ".join(item["text"] for item in one["evidence"])


def labelled(one):
    return all(item["origin"] == "statement" for item in one["evidence"]) and \
        "imported, not measured by plumb" in (one["reason"] or one["headline"])


def diagnosed_with(run, case, kind, change):
    """The JSON of the case once change(row, table) was made to the rows of its tables of that kind: what an import may carry, without a tool's text for it."""
    path = case / "imports.json"
    imports = json.loads(path.read_text())
    for table in imports["imports"]:
        for row in table["rows"] if table["kind"] == kind else []:
            change(row, table)
    path.write_text(json.dumps(imports))
    return json.loads(run("diagnose", "--json", "--case", case).stdout)
