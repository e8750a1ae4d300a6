// SPDX-License-Identifier: GPL-3.0-or-later
// When did it run what? Samples over time by function, and the phases that were found in them.
import { className } from "./limits.js";
import { topdownTree } from "./topdown.js";
import { functionName, gap, h, quality, section, svg, table } from "./dom.js";
import { count, intervalOf, percent, percentRange, seconds } from "./data.js";

const CUT = "where the mix of functions changes: between two slices of time";
const hottest = (functions, samples) => functions.map((row, at) => [at ? ", " : "", functionName(row.function), " ", quality(percent(row.share), `share of the phase's ${samples ? `${samples} ` : ""}samples`)]);

// As the drawing above it has the function that leads; a phase that something else leads (the kernel, a rarer function) has no colour.
function phaseTone(phase, timeline) {
  const at = (timeline?.series ?? []).slice(0, timeline?.functions ?? 0).indexOf(phase.functions?.[0]?.function);
  return at < 0 ? "phase-other" : `series-${at}`;
}

// Phases that neither counters nor samples say anything of: [phase, row].
function untold(phases, told) {
  const all = phases.reduce((sum, one) => sum + one.samples, 0), samples = new Map();
  for (const one of phases) if (!told.has(one.phase)) samples.set(one.phase, (samples.get(one.phase) ?? 0) + one.samples);
  return [...samples].map(([phase, own]) => [phase, h("tr", null, h("td.number", null, String(phase)), h("td.faint", null, "not estimated"), h("td.number", null, gap("not estimated", "\u2014")),
    h("td.told.faint", null, `${count(own)} samples, ${percent(own / all)} of all, are too few`), h("td", null, "none"))]);
}

function limitRows(phases, estimates, verdicts) {
  const rows = estimates.map((one) => [one.phase, h("tr", null,
    h("td.number", null, String(one.phase)), h("td", null, className(one)), h("td.number", null, one.share ? quality(percentRange(intervalOf(one.share)), "estimate with its interval") : gap(one.why_not, "\u2014")),
    h("td.told", null, one.function ? functionName(one.function) : h("span.faint", null, one.why_not ?? "")), h("td", null, one.confidence))]);
  rows.push(...untold(phases, new Set([...estimates, ...verdicts].map((one) => one.phase))));
  return rows.sort((a, b) => a[0] - b[0]).map(([, row]) => row);
}

export function timelineSection(diagnosis, timeline) {
  const phases = diagnosis.phases ?? [];
  if (!phases.length || (phases.length < 2 && !timeline?.slices?.length)) return null;
  const end = Math.max(timeline?.until_s ?? 0, ...phases.map((one) => one.until_s));
  if (!(end > 0)) return null;
  const estimates = diagnosis.phase_estimates ?? [], verdicts = diagnosis.phase_verdicts ?? [];
  const several = new Set(phases.map((one) => one.phase)).size > 1;
  return section("timeline", "Timeline", several ? `${new Set(phases.map((one) => one.phase)).size} phases: a number that comes again is the same mix of functions again.` : "One phase: the mix of functions stayed the same.",
    timeline?.slices?.length ? chart(timeline, end) : null,
    h("div.phases", { role: "img", "aria-label": "phases over time" }, phases.map((one) => h(`span.phase.${phaseTone(one, timeline)}`, {
      style: { left: `${(one.from_s / end) * 100}%`, width: `${((one.until_s - one.from_s) / end) * 100}%` },
      "data-tip": `phase ${one.phase}, ${seconds(one.from_s)} to ${seconds(one.until_s)}, ${count(one.samples)} samples` }, h("b", null, String(one.phase))))),
    h("p.axis", { "aria-hidden": "true" }, h("span", null, "0 s"), h("span", null, seconds(end / 2)), h("span", null, seconds(end))),
    several ? table("phases", [{ text: "phase", number: true }, { text: "from", number: true }, { text: "until", number: true }, { text: "samples", number: true }, { text: "mostly", told: true }],
      phases.map((one) => h("tr", null, h("td.number", null, String(one.phase)), h("td.number", null, quality(seconds(one.from_s), CUT)), h("td.number", null, quality(seconds(one.until_s), CUT)), h("td.number", null, quality(count(one.samples), "samples of CPU time in it")),
        h("td.told", null, hottest(one.functions, count(one.samples))))), ".stacked") : null,
    verdicts.length ? [h("h3", null, "What limits each, counted"), h("p.faint", null, "By the counters' turns within its stretches alone."), verdicts.map(counted)] : null,
    estimates.length ? [h("h3", null, verdicts.length ? "What limits the others" : "What limits each"), h("p.faint", null, "Estimated from the samples of all its stretches, without hardware counters."),
      table("phases and what limits them", [{ text: "phase", number: true }, "limited by", { text: "of its CPU time", number: true }, { text: "in", told: true }, "confidence"], limitRows(phases, estimates, verdicts), ".stacked")] : null);
}

function counted(one) {
  const hot = hottest(one.functions, "");
  return h("div.phase-verdict", null, h("h4", null, `Phase ${one.phase}`),
    h("p", null, one.sentence ? [quality(one.sentence, `${seconds(one.seconds)} in ${count(one.stretches)} stretches`), "."] : gap(one.why_not, one.why_not), hot.length ? [" Hot: ", hot, "."] : null),
    topdownTree(one.topdown, `phase ${one.phase}`, true));
}

function chart(timeline, end) {
  const width = 1000, height = 120, most = Math.max(1, ...timeline.slices.map((slice) => slice.reduce((sum, one) => sum + one, 0)));
  const wide = width / timeline.slices.length;
  const columns = timeline.slices.map((slice, at) => {
    let y = height;
    return slice.map((samples, of) => {
      if (!samples) return null;
      const tall = (samples / most) * height;
      y -= tall;
      return svg("rect", { x: (at * wide).toFixed(2), y: y.toFixed(2), width: Math.max(0.5, wide - 0.4).toFixed(2), height: tall.toFixed(2), class: `series-${of}` });
    });
  });
  const step = end / timeline.slices.length;
  return h("figure.timeline", null, svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": `samples over time, ${timeline.slices.length} slices of ${seconds(step)}` }, columns),
    h("figcaption", null, timeline.series.map((name, at) => h("span.key", null, h(`i.swatch.series-${at}`, null), h(at < timeline.functions ? "code" : "span", null, name)))));
}
