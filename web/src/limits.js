// SPDX-License-Identifier: GPL-3.0-or-later
// What limits the CPU: the estimated classes; and where the time went.
import { shareBar, stack } from "./bars.js";
import { functionName, gap, h, quality, section, table } from "./dom.js";
import { bytes, count, intervalOf, isGap, lastPart, percent, percentRange, scaled, sentence } from "./data.js";

const CLASSES = [
  ["memory", "memory", ["latency", "bandwidth", "parallel_misses", "tlb", "l2"]],
  ["core", "core", ["latency_chain", "divide", "fp", "ports", "store_forwarding", "l1_latency", "atomic"]],
  ["bad speculation", "speculation", ["conditional", "indirect"]],
  ["frontend", "frontend", ["footprint"]],
  ["retiring", "retiring", ["retiring"]],
  ["not told", "unknown", ["unknown"]],
];
const WORDS = {
  latency: "latency", bandwidth: "bandwidth", parallel_misses: "misses side by side", tlb: "page walks", l2: "served by L2", latency_chain: "latency chain",
  divide: "division", fp: "floating point", ports: "ports", store_forwarding: "stores loaded again at once", l1_latency: "latency of the L1", atomic: "atomics",
  conditional: "conditional branches", indirect: "indirect jumps", footprint: "code footprint", retiring: "useful work", unknown: "not told",
};

function classRow(causes, [label, tone, members]) {
  const parts = members.filter((one) => causes[one] > 0).sort((a, b) => causes[b] - causes[a]);
  const share = parts.reduce((sum, one) => sum + causes[one], 0);
  if (share < 0.0005) return null;
  const several = parts.length > 1 || WORDS[parts[0]] !== label;
  return h("li", null, h("div.branch", null, h("span.name", null, h(`i.swatch.class-${tone}`, null), label),
    quality(percent(share), "estimate: share of all samples laid at this class, never of issue slots"), shareBar({ low: share, mid: share, high: share }, 1, `.class-${tone}`)),
  several && label !== "not told" && label !== "retiring" ? h("ul", null, parts.map((one) => h("li", null, h("div.branch", null, h("span.name", null, WORDS[one] ?? one),
    quality(percent(causes[one]), "estimate: share of all samples laid at this cause"), shareBar({ low: causes[one], mid: causes[one], high: causes[one] }, 1, `.class-${tone}`))))) : null);
}

const number = (value, form) => (value === null || value === undefined ? gap("") : isGap(value) ? gap(value.not_measured, "\u2014") : form(value));

function loops(bottleneck) {
  const shown = (bottleneck.loops ?? []).filter((one) => one.class !== "unknown" || one.share).slice(0, 8);
  if (!shown.length) return null;
  const plain = (value) => quality(scaled(value, [""]), "estimate, from sampled registers and the loop's own instructions");
  return [h("h3", null, "Hot loops"), table("hot loops", ["function", "limited by", { text: "CPU time", number: true }, { text: "cycles a turn", number: true }, { text: "at least", number: true }, { text: "working set", number: true }, "confidence"],
    shown.map((one) => {
      const share = intervalOf(one.share);
      return h("tr", null, h("td", null, one.function ? functionName(one.function) : "\u2014", h("div.faint", null, one.first_address ? `${one.first_address} to ${one.last_address}` : "")),
        h("td", null, [one.class.replace("_", " "), one.subclass ? `: ${WORDS[one.subclass] ?? one.subclass}` : ""]),
        h("td.number", null, share ? quality(percentRange(share), "estimate with its interval, of all CPU time") : gap("no class is told")),
        h("td.number", null, number(one.measured_cycles, plain)),
        h("td.number", null, number(one.bound_cycles, (value) => quality(scaled(value, [""]), "bound: what the instructions of a turn need at least, by a table of their costs"))),
        h("td.number", null, one.working_set?.lines_bytes ? quality(bytes(one.working_set.lines_bytes), "estimate, from sampled addresses") : gap("its accesses' addresses don't tell")),
        h("td", null, one.confidence));
    }))];
}

export const className = (one) => `${one.class.replace("_", " ")}${one.subclass ? `: ${WORDS[one.subclass] ?? one.subclass}` : ""}`;

function estimated(bottleneck) {
  const share = intervalOf(bottleneck.share), gain = intervalOf(bottleneck.recoverable);
  const name = className(bottleneck);
  return section("limits", "What limits the CPU", "Estimated from samples, code and probes, without hardware counters. Shares are of samples, never of issue slots.",
    bottleneck.class === "unknown" ? h("p.lead", null, h("b", null, sentence(bottleneck.why_not || "no cause is told"))) : h("p.lead", null, h("b", null, sentence(name)), share ? [", ", quality(percentRange(share), "estimate with its interval, of the CPU time"), " of the CPU time"] : null,
      "; confidence ", h(`b.level.${bottleneck.confidence}`, null, bottleneck.confidence), ".",
      bottleneck.level && bottleneck.level !== "l1" ? ` Its data lies ${bottleneck.level === "l2" ? "in the L2 cache" : "beyond the L2 cache"}.` : "",
      gain ? [" A remedy may return ", quality(percentRange(gain), bottleneck.recoverable_how || "estimate"), " of the CPU time."] : null),
    h("ul.tree", { "aria-label": "estimated classes" }, CLASSES.map((row) => classRow(bottleneck.causes ?? {}, row))),
    h("p.faint", null, `The bars are shares of all samples of CPU time; what is missing to 100 % is the kernel's, or could not be told.${/outside the kernel/.test(bottleneck.why_not ?? "") ? " The sentence's shares are of the time outside the kernel alone." : ""}`),
    h("ul.evidence", null, (bottleneck.evidence ?? []).map((one) => h("li", null, one.text, " ", h("span.origin", null, one.origin))),
      bottleneck.why_not && bottleneck.class !== "unknown" ? h("li.faint", null, sentence(bottleneck.why_not)) : null),
    loops(bottleneck));
}

export function limitsSection(diagnosis) {
  return diagnosis.bottleneck ? estimated(diagnosis.bottleneck) : null;
}

export function timeSection(diagnosis) {
  const run = diagnosis.run, shares = run?.time_shares;
  const waits = (diagnosis.waits ?? []).filter((one) => one.idle_s > 0 || one.share > 0.02).slice(0, 10);
  if (!shares && !waits.length) return null;
  const parts = !shares ? [] : [
    shares.own_code ? { label: "running, its own code", tone: "time-run", interval: shares.own_code } : { label: "running", tone: "time-run", interval: shares.running },
    shares.in_kernel ? { label: "running, in the kernel", tone: "time-kernel", interval: shares.in_kernel } : null,
    { label: "throttled by its CPU limit", tone: "time-throttled", interval: shares.throttled },
    { label: "ready, but others ran", tone: "time-ready", interval: shares.ready },
    { label: "held by plumb's own probe", tone: "time-throttled", interval: shares.held?.high >= 0.005 ? shares.held : null },
    { label: "waiting", tone: "time-wait", interval: shares.waiting },
  ].filter((one) => one?.interval);
  return section("time", "Where the time went", "Of the elapsed time.",
    parts.length ? stack("shares of the elapsed time", parts.map(({ label, tone, interval }) => ({ label, tone, share: interval.mid, tip: `${percentRange(interval)} of the elapsed time, from context switches and the kernel's accounts` }))) : null,
    waits.length ? [h("h3", null, "What it waited for"), table("waits", ["kind", "in", { text: "nothing ran", number: true }, { text: "all threads", number: true }, { text: "times", number: true }, { text: "longest", number: true }],
      waits.map((one) => h("tr", null, h("td", null, one.kind), h("td", null, functionName(one.function), one.callers?.length ? h("div.faint", null, `from ${one.callers.slice(0, 3).join(" \u2190 ")}`) : null,
        one.file ? h("div.faint", { title: one.file }, `${lastPart(one.file)}:${one.line}`) : null),
      h("td.number", null, quality(ms(one.idle_s), "exact: from context switches; time in which no thread of it ran until such a wait ended")),
      h("td.number", null, quality(ms(one.total_s), one.spread_s > 0 ? `of it ${ms(one.spread_s)} estimated: waits whose stacks were not taken, laid where waits like them were` : "exact: from context switches, threads added up")),
      h("td.number", null, quality(count(one.count), "exact: from context switches")), h("td.number", null, quality(ms(one.longest_s), "exact: from context switches")))))] : null);
}

const ms = (value) => (value >= 1 ? `${value.toFixed(2)} s` : `${(value * 1000).toFixed(value < 0.1 ? 1 : 0)} ms`);
