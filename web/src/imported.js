// SPDX-License-Identifier: GPL-3.0-or-later
// What other tools' tables say: their runs side by side, their profiles and listings. plumb measured none of it.
import { shareBar } from "./bars.js";
import { functionName, gap, h, quality, section, table } from "./dom.js";
import { count, percent, seconds } from "./data.js";

const EVENTS_MOST = 6, ROWS_MOST = 20;
const SAID = "imported, not measured by plumb";

const named = (run) => run.name ?? run.file;
const counted = (run, event) => run.counts.find((one) => one.name === event);

// Runs that were counted, each with its time where that was told.
export function importedRunsSection(diagnosis) {
  const runs = diagnosis.imported_runs ?? [];
  if (!runs.length) return null;
  const events = [...new Set(runs.flatMap((run) => run.counts.map((one) => one.name)))];
  const most = Math.max(...runs.map((run) => (typeof run.elapsed_s === "number" ? run.elapsed_s : 0)));
  return section("imported-runs", "Runs of others", "As imported: plumb measured none of it.",
    table("imported runs", ["run", { text: "elapsed", number: true }, "", ...events.slice(0, EVENTS_MOST).map((event) => ({ text: event, number: true }))],
      runs.map((run) => h("tr", null, h("td", null, named(run)), h("td.number", null, typeof run.elapsed_s === "number" ? quality(seconds(run.elapsed_s), `${SAID}: ${run.file}`) : gap(run.elapsed_s?.not_measured, "\u2014")),
        h("td.wide", null, typeof run.elapsed_s === "number" ? shareBar({ low: run.elapsed_s, mid: run.elapsed_s, high: run.elapsed_s }, most) : null),
        events.slice(0, EVENTS_MOST).map((event) => {
          const one = counted(run, event);
          return h("td.number", null, one ? quality(count(one.count), `${one.count} ${event}, ${one.running_ratio < 0.9999 ? `counted ${percent(one.running_ratio)} of the time, ` : ""}${SAID}`) : gap("the imported text doesn't say", "\u2014"));
        })))),
    events.length > EVENTS_MOST ? h("p.faint", null, `Counted as well: ${events.slice(EVENTS_MOST).join(", ")}.`) : null);
}

function sharesTable(one) {
  const listing = one.kind === "perf annotate", rows = [...one.rows].sort((a, b) => b.number - a.number);
  const of = listing ? "of the samples of its listing" : `of the ${one.event ? `${one.event} ` : ""}samples`;
  return [h("h3", null, (one.heading || one.file).replace(/:$/, "")), table(one.heading || one.file, [{ text: "share", number: true }, "", listing ? "instruction" : "function", listing ? "" : "binary"],
    rows.slice(0, ROWS_MOST).map((row) => h("tr", null, h("td.number", null, quality(`${row.number} %`, `${of} in ${one.file}, ${SAID}`)), h("td.wide", null, shareBar({ low: row.number / 100, mid: row.number / 100, high: row.number / 100 })),
      h("td", null, functionName(row.name)), h("td.faint", null, row.where)))),
  rows.length > ROWS_MOST ? h("p.faint", null, `${rows.length - ROWS_MOST} more rows are left out.`) : null];
}

// Where others sampled it: functions, and instructions of one.
export function importedCodeSection(diagnosis) {
  const tables = (diagnosis.imported ?? []).filter((one) => (one.kind === "perf report" || one.kind === "perf annotate") && one.rows.length);
  return tables.length ? section("imported-code", "Hot code of others", "As imported: plumb measured none of it.", tables.map(sharesTable)) : null;
}
