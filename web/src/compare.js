// SPDX-License-Identifier: GPL-3.0-or-later
// A against B: is there a difference, how large, and what explains it? (doc/schema-compare.md)
import { functionName, gap, h, quality, section, svg, table } from "./dom.js";
import { machineSection } from "./findings.js";
import { bytes, count, isGap, percent, percentRange, scaled, seconds, sentence } from "./data.js";

const change = (ratio) => `${ratio >= 1 ? "+" : "\u2212"}${percent(Math.abs(ratio - 1))}`;
const changeRange = (interval) => `${change(interval.low)} to ${change(interval.high)}`;
const WORDS = { faster: "is faster", slower: "is slower", equivalent: "makes no difference that matters", undecided: "may differ" };

const inUnit = (value, unit) => (unit === "s" || unit === "seconds" ? seconds(value) : unit === "bytes" || unit === "B" ? bytes(value) : unit === "hertz" ? scaled(value, ["Hz", "kHz", "MHz", "GHz"]) : unit === "ratio" ? value.toFixed(3) : count(value));

const middle = (quartiles, unit, why) => (quartiles ? quality(inUnit(quartiles.mid, unit), `median; quartiles ${inUnit(quartiles.low, unit)} to ${inUnit(quartiles.high, unit)}`) : gap(why, "\u2014"));

// Where 1 is, what counts as a difference around it, and the interval of the ratio.
function scale(of) {
  const ratio = of.ratio, effect = of.effect_ratio ?? 0;
  const reach = Math.max(Math.abs(ratio.low - 1), Math.abs(ratio.high - 1), effect * 1.5, 0.02) * 1.15;
  const x = (value) => 500 + ((value - 1) / reach) * 480;
  return h("figure.scale", null, svg("svg", { viewBox: "0 0 1000 74", role: "img", "aria-label": `ratio ${changeRange(ratio)}` },
    effect ? svg("rect", { class: "zone", x: x(1 - effect), y: 8, width: x(1 + effect) - x(1 - effect), height: 34 }) : null,
    svg("line", { class: "zero", x1: 500, x2: 500, y1: 4, y2: 46 }), svg("line", { class: "interval", x1: x(ratio.low), x2: x(ratio.high), y1: 25, y2: 25 }), svg("circle", { class: "middle", cx: x(ratio.mid), cy: 25, r: 8 }),
    svg("text", { x: 500, y: 66, "text-anchor": "middle" }, "no difference"), svg("text", { x: 20, y: 66 }, "\u2190 less"), svg("text", { x: 980, y: 66, "text-anchor": "end" }, "more \u2192")),
  h("figcaption.faint", null, effect ? `Shaded: less than ${percent(effect)}, which doesn't count as a difference.` : null));
}

// Every run as a dot, by arm.
function dots(arms, quantity) {
  const rows = arms.map((arm) => ({ label: arm.label, values: (arm.runs?.[quantity] ?? []).filter((one) => typeof one === "number") })).filter((row) => row.values.length);
  const all = rows.flatMap((row) => row.values);
  if (!all.length) return null;
  const low = Math.min(...all), high = Math.max(...all), reach = high - low || high || 1, x = (value) => 150 + ((value - low) / reach) * 820;
  const time = quantity === "wall" || quantity === "cpu" || /_s$|time|user|sys/.test(quantity);
  const said = time ? seconds : count;
  return h("figure.dots", null, svg("svg", { viewBox: `0 0 1000 ${rows.length * 34 + 30}`, role: "img", "aria-label": "every run" }, rows.map((row, at) => [svg("text", { x: 0, y: at * 34 + 24 }, row.label), svg("line", { class: "rule", x1: 140, x2: 990, y1: at * 34 + 19, y2: at * 34 + 19 }),
    row.values.map((value) => svg("circle", { class: `arm-${Math.min(at, 2)}`, cx: x(value), cy: at * 34 + 19, r: 6 }, svg("title", null, said(value))))]),
  svg("text", { x: 150, y: rows.length * 34 + 22 }, said(low)), svg("text", { x: 970, y: rows.length * 34 + 22, "text-anchor": "end" }, said(high))),
  h("figcaption.faint", null, "Each dot is one run."));
}

function explained(of) {
  if (!of.explained_by?.length) return null;
  return [h("h3", null, "What explains it"), table("what explains it", ["what", "where", { text: "A", number: true }, { text: "B", number: true }, { text: "of the difference", number: true }],
    of.explained_by.slice(0, 14).map((one) => h("tr", null, h("td", null, h("code", null, one.what), h("div.faint", null, one.view)), h("td", null, one.where ?? ""), h("td.number", null, middle(one.a_quartiles, one.unit)), h("td.number", null, middle(one.b_quartiles, one.unit)),
      h("td.number", null, one.share_of_difference ? quality(percent(one.share_of_difference.mid), `95 %: ${percentRange(one.share_of_difference)}; rate of false discoveries ${typeof one.false_discovery_rate === "number" ? percent(one.false_discovery_rate) : "not judged"}`) : gap("")))))];
}

function others(of) {
  const rows = (of.others ?? []).filter((one) => !isGap(one));
  if (!rows.length) return null;
  return [h("h3", null, "Everything else that was measured"), table("other quantities", ["quantity", { text: "A", number: true }, { text: "B", number: true }, { text: "change", number: true }, { text: "false discoveries", number: true }],
    rows.map((one) => h("tr", null, h("td", null, one.quantity), h("td.number", null, middle(one.a_quartiles, one.unit, one.not_measured)), h("td.number", null, middle(one.b_quartiles, one.unit, one.not_measured)),
      h("td.number", null, one.ratio ? quality(change(one.ratio.mid), `95 %: ${changeRange(one.ratio)}`) : gap(one.not_measured ?? "too few runs", "\u2014")), h("td.number", null, typeof one.false_discovery_rate === "number" ? quality(percent(one.false_discovery_rate), "of differences as clear as this one, so many are expected to be none") : "\u2014"))))];
}

/* What they print, as far as it says that they don't do the same. */
function printed(one) {
  const { verdict, a, b } = one.output ?? {};
  const lines = [verdict === "other" ? "They don't print the same." : null, verdict === "varies" ? `What ${a.varies ? one.a : one.b} prints varies from run to run.` : null,
    ...[[a, one.a], [b, one.b]].map(([seen, label]) => (seen?.less_unread ? `${label} writes less into /dev/null, where measured runs print, than when it is read: it may do less work.` : null))].filter(Boolean);
  return lines.length ? h("p.faint", null, lines.join(" ")) : null;
}

export function compareSections(comparison) {
  const first = comparison.comparisons[0];
  const sides = new Map(comparison.arms.filter((arm) => !arm.again).map((arm) => [arm.label, Array.isArray(arm.command) ? arm.command.join(" ") : arm.command]));
  const of = first?.ratio;
  const verdict = h("section.verdict", { id: "verdict", "aria-labelledby": "verdict-title" }, h(`p.kind.${first?.verdict === "undecided" ? "open" : "culprit"}`, null, `By ${comparison.quantity === "wall" ? "elapsed time" : comparison.quantity}`),
    h("h1", { id: "verdict-title" }, first ? `${first.b} ${WORDS[first.verdict] ?? first.verdict}${of && first.verdict !== "undecided" ? `: ${change(of.mid)} against ${first.a}` : ""}` : "Nothing was compared"),
    h("dl", null, of ? [h("dt", null, "Change"), h("dd", null, first.too_few_pairs ? [quality(changeRange(of), "from the least pair to the most: no interval"), `, the range of ${first.pairs} ${first.pairs === 1 ? "pair" : "pairs"}: too few for an interval that is ${percent(first.level)} sure`]
      : [quality(changeRange(of), `interval at ${percent(first.level)}, of ${first.pairs} pairs`), ` at ${percent(first.level)}, ${first.pairs} pairs`])] : null,
      first?.noise_floor_ratio ? [h("dt", null, "Noise"), h("dd", null, `${first.a} against itself: `, quality(changeRange(first.noise_floor_ratio), `${first.a} run twice, compared in the same way`), first.lost_in_noise ? "; the difference is lost in it" : "")] : null,
      comparison.predicted_gain ? [h("dt", null, "Foretold"), h("dd", null, quality(percentRange(comparison.predicted_gain), "the interval that the case foretold"), comparison.prediction_source ? ` (${comparison.prediction_source})` : "")] : null,
      comparison.stopped ? [h("dt", null, "Stopped"), h("dd", null, sentence(comparison.stopped))] : null,
      [...sides].flatMap(([label, command]) => [h("dt", null, label), h("dd", null, h("code", null, command))])));
  const sections = comparison.comparisons.map((one, at) => section(`pair-${at}`, `${one.a} and ${one.b}`, `${one.b} ${WORDS[one.verdict] ?? one.verdict}.`, one.ratio ? scale(one) : null, at === 0 ? dots(comparison.arms, comparison.quantity) : null, explained(one),
    [...(one.unequal_work ?? []), ...(one.varying_work ?? [])].length ? h("p.faint", null, `The work may not be the same: ${[...(one.unequal_work ?? []), ...(one.varying_work ?? [])].map((row) => row.quantity ?? row).join(", ")}.`) : null, printed(one), others(one)));
  const profile = comparison.profile;
  if (profile?.functions?.length) {
    const most = Math.max(...profile.functions.map((row) => Math.abs(row.mean_difference_s)));
    sections.push(section("profile", "Where the difference lies", `CPU seconds a run, by function; ${profile.blocks} blocks of their own under the sampler.`, table("difference by function", ["function", { text: "A", number: true }, { text: "B", number: true }, { text: "difference", number: true }, ""],
      profile.functions.slice(0, 20).map((row) => h("tr", null, h("td", null, functionName(row.function), h("div.faint", null, row.dso)), h("td.number", null, middle(row.a_s_quartiles, "s", "it was not sampled there")), h("td.number", null, middle(row.b_s_quartiles, "s", "it was not sampled there")),
        h("td.number", null, row.difference_s ? quality(seconds(row.mean_difference_s), `95 %: ${seconds(row.difference_s.low)} to ${seconds(row.difference_s.high)}`) : quality(seconds(row.mean_difference_s), "mean difference; too few blocks for an interval")),
        h("td.wide", null, h(`span.delta${row.mean_difference_s < 0 ? ".less" : ".more"}`, { "aria-hidden": "true" }, h("span", { style: { width: `${(Math.abs(row.mean_difference_s) / most) * 50}%` } }))))))));
  } else if (comparison.why_no_profile) sections.push(section("profile", "Where the difference lies", `Not told: ${comparison.why_no_profile}.`));
  const facts = comparison.facts_differ ?? [], differ = comparison.surroundings_differ ?? [];
  if (facts.length || differ.length)
    sections.push(section("facts", "What else was not the same", null, table("facts that differ", ["what", "A", "B"], [...facts, ...differ].map((row) => h("tr", null, h("td", null, row.name), h("td", null, String(row.a)), h("td", null, String(row.b)))))));
  const machine = comparison.surroundings ? machineSection({}, comparison.surroundings) : null;
  if (machine) sections.push(machine);
  return { verdict, sections, subject: [...sides.values()].slice(0, 2).join("   \u2194   ") };
}
