// SPDX-License-Identifier: GPL-3.0-or-later
// Every cause that was asked about, the machine, what was counted, and what was not measured.
import { shareBar } from "./bars.js";
import { gap, h, quality, section, table } from "./dom.js";
import { bytes, count, isGap, isInterval, percent, percentRange, scaled, seconds, sentence } from "./data.js";

const VERDICTS = [
  ["supported", "Supported", "\u25cf"],
  ["undecided", "Open", "\u25d0"],
  ["ruled_out", "Ruled out", "\u25cb"],
  ["not_testable", "Not testable here", "\u2013"],
];

function bound(finding) {
  if (finding.recoverable_ratio)
    return [shareBar(finding.recoverable_ratio), quality(percentRange(finding.recoverable_ratio), `interval of the recoverable share of ${finding.of}${finding.estimated ? "; estimated without counters" : ""}`, ".number")];
  const most = finding.recoverable_ratio_at_most, shown = finding.shown_ratio;
  if (shown) // as its text and the page on a terminal have it
    return [shareBar({ low: 0, mid: 0, high: shown.high }), quality(`\u2264 ${percent(shown.high)}`, `${percentRange(shown)} of ${finding.of} are seen to be such, and what removing that returns was not measured; with code that can't be told it may be ${percent(most)}`, ".number")];
  if (most !== null && most !== undefined)
    return [shareBar({ low: 0, mid: 0, high: most }), quality(`\u2264 ${percent(most)}`, `upper bound of the recoverable share of ${finding.of}; what removing it returns was not measured`, ".number")];
  return [h("span", null), h("span", null)];
}

// What has no number says why, without being unfolded.
function untold(finding) {
  const why = finding.recoverable_ratio || (finding.recoverable_ratio_at_most ?? null) !== null ? null : finding.reason ?? finding.remedy;
  return why ? h("span.why.faint", null, `not measured: ${why.replace(/ \(-v says which\)/, "")}`) : null;
}

function findingBox(finding, mark, open, functions) {
  return h("details.finding", { id: `finding-${finding.id}`, open }, h("summary", null, h("span.mark", { "aria-hidden": "true" }, mark), h("span.title", null, finding.title, untold(finding)), bound(finding)),
    h("div.body", null, finding.headline ? h("p", null, sentence(finding.headline, functions), ".") : null,
      h("ul.evidence", null, finding.evidence.map((one) => h("li", null, h(`span.weight.${one.weight}`, { "aria-label": one.weight === "for" ? "speaks for it" : one.weight === "against" ? "speaks against it" : "context" }, one.weight === "for" ? "+" : one.weight === "against" ? "\u2212" : "\u00b7"), one.text, " ", h("span.origin", null, one.origin)))),
      finding.reason ? h("p.faint", null, sentence(finding.reason, functions)) : null,
      finding.remedy ? h("p.faint", null, "To test it: ", finding.remedy) : null,
      finding.advice.length ? h("ol", null, finding.advice.map((one) => h("li", null, sentence(one)))) : null,
      finding.confirm ? h("p", null, h("b", null, "Check: "), finding.confirm) : null));
}

export function findingsSection(diagnosis) {
  if (!diagnosis.findings.length) return null;
  const functions = new Set((diagnosis.profile?.functions ?? []).map((one) => one.function));
  return section("findings", "Every cause asked about", `Bars are recoverable time. Less than ${percent(diagnosis.effect)} is ruled out.${diagnosis.basis === "imported" ? " As imported: plumb measured none of it." : ""}`,
    VERDICTS.map(([verdict, label, mark]) => {
      const of = diagnosis.findings.filter((one) => one.verdict === verdict);
      return of.length ? h("div.family", null, h("h3", null, `${label} `, h("span.faint", null, String(of.length))), of.map((one) => findingBox(one, mark, verdict === "supported", functions))) : null;
    }));
}

// ---- exits ----

// The costliest first: by time where all of them have one, else by number. When the guest has nothing to do that costs nothing: last.
function byCost(rows, { time, number, last }) {
  const cost = rows.every((row) => last(row) || time(row) > 0) ? time : number;
  return [...rows].sort((a, b) => last(a) - last(b) || cost(b) - cost(a));
}

const nanoseconds = (value, said) => (typeof value === "number" ? quality(seconds(value * 1e-9), said) : gap(value?.not_measured, "\u2014"));

// What plumb exits gathered; the share is of those at the same tracepoint.
function ownExits(exits) {
  const handled = typeof exits.handler_share === "number" ? quality(percent(exits.handler_share), "of the vCPUs' time, from exits to the next entry, idle ones left out: a lower bound, the switch itself is outside") : gap(exits.handler_share?.not_measured);
  return [h("p.lead", null, quality(count(exits.exits), `at ${exits.counted}, ${exits.method}`), " exits", exits.seconds ? [" in ", quality(seconds(exits.seconds), "from the first exit to the last, or as long as was watched")] : "", "; handling them took ", handled, " of the vCPUs' time."),
    table("exits", ["reason", { text: "exits", number: true }, { text: "share", number: true }, "", { text: "a second", number: true }, { text: "time", number: true }, { text: "mean", number: true }, { text: "p99", number: true }],
      byCost(exits.rows, { time: (row) => row.total_ns, number: (row) => row.count, last: (row) => (row.point === exits.counted ? 0 : 2) + Number(row.class === "idle") }).map((row) => h("tr", null, h("td", null, row.name, row.point === exits.counted ? null : h("span.faint", null, ` ${row.point}`), row.class === "idle" ? h("span.faint", null, " idle") : null),
        h("td.number", null, quality(count(row.count), "exact: every one was counted")), h("td.number", null, typeof row.share === "number" ? quality(percent(row.share), `of those at ${row.point}`) : gap(row.share?.not_measured, "\u2014")),
        h("td.wide", null, typeof row.share === "number" ? shareBar({ low: row.share, mid: row.share, high: row.share }) : null),
        h("td.number", null, typeof row.per_second === "number" ? quality(count(row.per_second), "over the time that was watched") : gap(row.per_second?.not_measured, "\u2014")),
        h("td.number", null, nanoseconds(row.total_ns, row.class === "idle" ? "the guest had nothing to do: in no sum of times" : `of ${count(row.timed)} whose end was seen, added up`)),
        h("td.number", null, nanoseconds(row.mean_ns, "mean of one")), h("td.number", null, nanoseconds(row.p99_ns, "99 of 100 are shorter, by buckets of time"))))),
    exits.lost ? h("p.faint", null, `${count(exits.lost)} events were lost.`) : null];
}

function importedExits(one) {
  const whole = one.rows.reduce((sum, row) => sum + row.number, 0), time = one.rows.reduce((sum, row) => sum + row.seconds, 0);
  return [h("h3", null, `${(one.heading || one.file).replace(/:$/, "")}, as imported`), table(`exits of ${one.heading || one.file}`, ["reason", { text: "exits", number: true }, { text: "share", number: true }, { text: "time", number: true }],
    byCost(one.rows, { time: (row) => row.seconds, number: (row) => row.number, last: (row) => Number(/(^|_)(hlt|m?wait)$/i.test(row.name)) }).map((row) => h("tr", null, h("td", null, /^\d+$/.test(row.name) ? `reason ${row.name}` : row.name), h("td.number", null, quality(count(row.number), "as imported")), h("td.number", null, whole ? quality(percent(row.number / whole), `of ${count(whole)} exits in this table, as imported`) : "\u2014"),
      h("td.number", null, row.seconds ? quality(seconds(row.seconds), `${percent(row.seconds / time)} of the time in exits`) : gap("the imported text doesn't say", "\u2014")))))];
}

export function exitsSection(diagnosis, exits) {
  const tables = (diagnosis.imported ?? []).filter((one) => /exits/.test(one.kind) && one.rows.length);
  if (!tables.length && !exits) return null;
  return section("exits", "VM exits", null, exits ? ownExits(exits) : null, tables.map(importedExits));
}

// ---- counters ----

export function countersSection(diagnosis) {
  const counters = diagnosis.counters ?? [];
  if (!counters.length) return null;
  const counted = counters.filter((one) => !isGap(one.count)), missing = counters.filter((one) => isGap(one.count));
  const said = (one) => `${one.running_ratio === null || one.running_ratio === undefined ? "as counted" : one.running_ratio < 0.9999 ? `scaled: counted ${percent(one.running_ratio)} of the time` : "exact: counted all the time"}; ${one.user_only ? "without the kernel; " : ""}${one.origin}`;
  return section("counters", "Counters", null, table("counters", ["event", { text: "count", number: true }, "quality"],
    counted.map((one) => h("tr", null, h("td", null, h("code", null, one.name)), h("td.number", null, quality(/-clock$/.test(one.name) ? seconds(one.count * 1e-9) : count(one.count), said(one))), h("td.faint", null, said(one))))),
  missing.length ? h("p.faint", null, `Not counted: ${missing.map((one) => one.name).join(", ")}: ${[...new Set(missing.map((one) => one.count.not_measured))].join("; ")}.`) : null);
}

// ---- runs ----

export function runsSection(diagnosis) {
  const runs = diagnosis.runs;
  if (!runs?.each?.length) return null;
  const most = Math.max(...runs.each.map((one) => (typeof one.elapsed_s === "number" ? one.elapsed_s : 0)));
  return section("runs", "Runs", runs.median_s ? `${runs.count} runs, median ${seconds(runs.median_s.mid)}.` : `${runs.count} runs.`,
    table("runs", [{ text: "run", number: true }, { text: "elapsed", number: true }, "", { text: "CPU time", number: true }],
      runs.each.map((one, at) => h("tr", null, h("td.number", null, String(at + 1)), h("td.number", null, typeof one.elapsed_s === "number" ? quality(seconds(one.elapsed_s), runs.origin) : gap(one.elapsed_s?.not_measured)),
        h("td.wide", null, typeof one.elapsed_s === "number" ? shareBar({ low: one.elapsed_s, mid: one.elapsed_s, high: one.elapsed_s }, most) : null), h("td.number", null, typeof one.cpu_s === "number" ? quality(seconds(one.cpu_s), "exact: by the kernel's own clock") : gap(one.cpu_s?.not_measured))))));
}

// ---- machine ----

const FACTS = [
  ["cpu", "CPU"], ["microarchitecture", "microarchitecture"], ["hypervisor", "below"], ["confidential", "confidential guest"], ["kernel", "kernel"], ["cpus_online", "CPUs"], ["nodes", "memory nodes"],
  ["memory_bytes", "memory", bytes], ["l1d_bytes", "L1 data", bytes], ["l1i_bytes", "L1 code", bytes], ["l2_bytes", "L2", bytes], ["l3_bytes", "L3", bytes], ["clock_most_hz", "highest clock", (value) => scaled(value, ["Hz", "kHz", "MHz", "GHz"])],
  ["pmu_counters", "hardware counters"], ["thp_enabled", "huge pages"], ["thp_defrag", "huge pages, defrag"], ["governor", "frequency governor"], ["frequency_driver", "frequency driver"], ["clocksource", "clock source"], ["nohz_full", "tick-free CPUs"],
  ["isolated_cpus", "isolated CPUs"], ["numa_balancing", "NUMA balancing"], ["swap_bytes", "swap", bytes], ["mitigations", "mitigations"], ["instruction_sets", "instruction sets"],
];
const CEILINGS = [
  ["clock_hz", "clock", (value) => scaled(value, ["Hz", "kHz", "MHz", "GHz"])], ["issue_per_cycle", "instructions a cycle"], ["fma_256_per_cycle", "256-bit FMA a cycle"], ["fma_512_per_cycle", "512-bit FMA a cycle"],
  ["branch_miss_cycles", "a wrong guess", (value) => `${value.toFixed(1)} cycles`], ["read_one_bytes_per_s", "reading memory, one thread", (value) => `${bytes(value)}/s`], ["write_one_bytes_per_s", "writing, one thread", (value) => `${bytes(value)}/s`],
  ["read_all_bytes_per_s", "reading, all threads", (value) => `${bytes(value)}/s`], ["page_walk_ns", "a page walk", (value) => `${value.toFixed(1)} ns`], ["cpuid_ns", "CPUID (an exit in a guest)", (value) => `${value.toFixed(0)} ns`],
];

function fact(machine, [key, label, form]) {
  const value = machine[key];
  if (value === undefined || value === "" || value === null) return null;
  return h("div", null, h("dt", null, label), h("dd", null, isGap(value) ? gap(value.not_measured) : form ? form(value) : String(value)));
}

export function machineSection(diagnosis, machine) {
  const calibration = diagnosis.calibration;
  const measured = calibration && !isGap(calibration);
  if (!machine && !calibration) return null;
  return section("machine", "Machine and settings", null, machine ? h("dl.grid", null, FACTS.map((row) => fact(machine, row))) : h("p.faint", null, "The case has no machine facts."),
    measured ? [h("h3", null, "What this machine could do meanwhile"), h("p.faint", null, calibration.shared ? "The core was being shared: it gave clearly less than its issue width." : "The core was its own."),
      h("dl.grid", null, CEILINGS.map(([key, label, form = (value) => value.toFixed(2)]) => {
        const value = calibration[key];
        if (value === undefined) return null;
        return h("div", null, h("dt", null, label), h("dd", null, isInterval(value) ? quality(form(value.mid), `median with quartiles, measured beside the run: ${form(value.low)} to ${form(value.high)}`) : gap(value?.not_measured)));
      })), latency(calibration.load_latency_ns ?? [])] : calibration ? h("p.faint", null, `Not calibrated: ${calibration.not_measured}.`) : null);
}

function latency(rows) {
  if (!rows.length) return null;
  const most = Math.max(...rows.map((row) => Math.max(row.on_4k_pages?.mid ?? 0, row.on_2m_pages?.mid ?? 0)));
  const cell = (value) => (isInterval(value) ? [h("td.number", null, quality(`${value.mid.toFixed(1)} ns`, `${value.low.toFixed(1)} to ${value.high.toFixed(1)} ns, measured beside the run`)), h("td.wide", null, shareBar(value, most))] : [h("td.number", null, gap(value?.not_measured)), h("td.wide", null)]);
  return [h("h3", null, "Latency of a load that waits for the one before"), table("latency", [{ text: "working set", number: true }, { text: "4 KiB pages", number: true }, "", { text: "2 MiB pages", number: true }, ""],
    rows.map((row) => h("tr", null, h("td.number", null, bytes(row.working_set_bytes)), cell(row.on_4k_pages), cell(row.on_2m_pages))))];
}

export function gapsSection(diagnosis) {
  const rows = diagnosis.not_measured ?? [], statements = diagnosis.statements ?? [];
  return [statements.length ? section("said", "Said, not measured", "By a person, or imported; plumb measured none of it.", h("ul.evidence", null, statements.map((one) => h("li", null, one.text, " ", h("span.origin", null, one.origin))))) : null,
    section("gaps", "What was not measured", null, rows.length ? h("dl.gaps", null, rows.map((row) => [h("dt", null, row.what), h("dd", null, row.why)])) : h("p.faint", null, diagnosis.basis === "imported" ? "plumb measured nothing in this case: all of it rests on other tools' tables and on what people said." : "Nothing that was tried is missing."))];
}
