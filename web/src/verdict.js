// SPDX-License-Identifier: GPL-3.0-or-later
// What is it, how sure is that, and what now?
import { shareBar } from "./bars.js";
import { h, quality } from "./dom.js";
import { isGap, joined, percent, percentRange, seconds, sentence } from "./data.js";

const KINDS = {
  culprit: ["A cause was found", "culprit"],
  waits: ["Not a CPU problem", "waits"],
  too_short: ["Too short to tell", "open"],
  estimated: ["By estimate, not certain", "open"],
  nothing: ["No cause is certain", "open"],
  blind: ["Nothing was sampled", "open"],
};

function recoverable(finding) {
  if (!finding) return null;
  const share = finding.recoverable_ratio, whole = finding.recoverable_s;
  if (share)
    return [h("dt", null, "Recoverable"), h("dd", null,
      quality(percentRange(share), `interval of what removing the cause returns, of ${finding.of}; middle ${percent(share.mid)}${finding.estimated ? "; estimated without hardware counters" : ""}`),
      ` of ${finding.of}`, whole ? `, ${seconds(whole.low)} to ${seconds(whole.high)}` : "", shareBar(share))];
  const most = finding.recoverable_ratio_at_most;
  return [h("dt", null, "Recoverable"), h("dd", null,
    most !== null && most !== undefined ? [quality(`at most ${percent(most)}`, "an upper bound; how much of it would return was not measured"), ` of ${finding.of}`] : "not measured",
    finding.reason ? h("span.faint", null, ` \u2014 ${finding.reason}`) : null)];
}

const links = (findings) => findings.map((one) => h("a", { href: `#finding-${one.id}` }, one.headline || one.title)).flatMap((link, at) => (at ? ["; ", link] : [link]));

export function verdictSection(diagnosis) {
  const verdict = diagnosis.verdict;
  const finding = diagnosis.findings.find((one) => one.id === verdict.culprit);
  const [label, tone] = KINDS[verdict.kind] ?? [verdict.kind, "open"];
  const advice = verdict.advice ?? [];
  const others = [verdict.larger, verdict.disturbance].filter(Boolean)
    .map((id) => diagnosis.findings.find((one) => one.id === id)).filter(Boolean);
  const also = (verdict.also ?? []).map((id) => diagnosis.findings.find((one) => one.id === id)).filter(Boolean);
  const confirmed = diagnosis.confirmation;
  return h("section.verdict", { id: "verdict", "aria-labelledby": "verdict-title" },
    h(`p.kind.${tone}`, null, label,
      diagnosis.basis === "imported" ? quality("imported", "nothing of it was measured by plumb: other tools' tables, and what people said", ".tag")
        : diagnosis.basis === "estimate" && diagnosis.bottleneck ? quality("estimated: no hardware counters", "inferred from samples, code and probes: this machine gave no hardware counters", ".tag") : null),
    h("h1", { id: "verdict-title" }, joined(verdict.lead)),
    verdict.rest ? h("p.rest", null, joined(verdict.rest)) : null,
    h("dl", null,
      finding && verdict.culprit_is_small ? [h("dt", null, "Confidence"), h("dd", null, joined(verdict.confidence))]
        : finding ? [h("dt", null, "Confidence"), h("dd", null, h(`b.level.${finding.confidence}`, null, finding.confidence), " ", h("span.faint", null, finding.confidence_reason ? `\u2014 ${finding.confidence_reason}` : ""))] : null,
      recoverable(finding),
      others.length ? [h("dt", null, "Beside it"), h("dd", null, links(others))] : null,
      also.length ? [h("dt", null, "Also"), h("dd", null, links(also))] : null,
      verdict.loops ? [h("dt", null, "Its loops"), h("dd", null, h("span.faint", null, joined(verdict.loops)))] : null,
      verdict.phases ? [h("dt", null, "Phases"), h("dd", null, h("a", { href: "#timeline" }, verdict.phases))] : null,
      verdict.ruled_out ? [h("dt", null, "Ruled out"), h("dd", null, joined(verdict.ruled_out))] : null,
      verdict.open?.length ? [h("dt", null, "Left open"), h("dd", null, verdict.open.length > 1 ? h("ul", null, verdict.open.map((one) => h("li", null, joined(one)))) : joined(verdict.open[0]))] : null,
      confirmed ? [h("dt", null, "Tried"), h("dd", null, `${sentence(confirmed.sentence)} (${confirmed.experiment})`)] : null),
    advice.length ? h("div.next", null, h("h3", null, "What to try"), h("ol", null, advice.map((one) => h("li", null, sentence(one))))) : null,
    verdict.confirm ? h("div.next", null, h("h3", null, "How to check"), h("p", null, sentence(verdict.confirm))) : null);
}

export function facts(diagnosis, machine) {
  const run = diagnosis.run ?? {};
  const time = (value) => (isGap(value) ? quality("not measured", `not measured: ${value.not_measured}`, ".gap") : quality(seconds(value), "exact: by the kernel's own clock"));
  const rows = [
    ["elapsed", run.elapsed_s !== undefined ? time(run.elapsed_s) : null],
    ["CPU time", run.cpu_s !== undefined ? time(run.cpu_s) : null],
    ["samples", diagnosis.profile && !isGap(diagnosis.profile) ? quality(String(diagnosis.profile.samples), "how many samples of CPU time the shares rest on") : null],
    ["machine", machine?.microarchitecture || machine?.cpu || null],
    ["below", machine?.hypervisor || null],
  ];
  return h("dl.facts", null, rows.filter((row) => row[1]).map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}
