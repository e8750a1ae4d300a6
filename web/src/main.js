// SPDX-License-Identifier: GPL-3.0-or-later
// The page: its parts in the order in which a reader asks.
import { compareSections } from "./compare.js";
import { codeSection, functionsSection, memorySection } from "./code.js";
import { part, lastPart, unlabelled } from "./data.js";
import { h, watchTips } from "./dom.js";
import { countersSection, exitsSection, findingsSection, gapsSection, machineSection, runsSection } from "./findings.js";
import { importedCodeSection, importedRunsSection } from "./imported.js";
import { flameSection } from "./flame.js";
import { limitsSection, timeSection } from "./limits.js";
import { timelineSection } from "./timeline.js";
import { topdownSection } from "./topdown.js";
import { facts, verdictSection } from "./verdict.js";

const THEMES = ["auto", "light", "dark"];

function themeSwitch() {
  let theme = "auto";
  try { theme = localStorage.getItem("plumb-theme") ?? "auto"; } catch { /* a file may have no storage */ }
  const buttons = THEMES.map((name) => h("button", { type: "button", onclick: () => choose(name) }, name));
  const choose = (name) => {
    theme = THEMES.includes(name) ? name : "auto";
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(THEMES[at] === theme)));
    try { localStorage.setItem("plumb-theme", theme); } catch { /* as above */ }
  };
  choose(theme);
  return h("div.theme", { role: "group", "aria-label": "colours" }, buttons);
}

function navigation(sections) {
  const links = sections.filter((one) => one.id && one.querySelector("h2")).map((one) => h("a", { href: `#${one.id}` }, one.querySelector("h2").textContent));
  return h("nav", { "aria-label": "sections" }, links);
}

// A link to something folded opens it.
function openTarget() {
  const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  if (target?.tagName !== "DETAILS") return;
  if (target.fill) target.fill();
  target.open = true;
  target.scrollIntoView();
}

function header(kind, subject, made) {
  return h("header.top", null, h("div", null, h("p.brand", null, h("b", null, "plumb"), " ", kind), h("p.subject", { title: subject }, h("code", null, subject))),
    h("div.right", null, themeSwitch(), h("p.made", null, made)));
}

// The verdict's first sentences say whose the numbers are, whatever stands around them.
function importedOnce(diagnosis) {
  const { lead, rest } = diagnosis.verdict;
  return { ...diagnosis, findings: unlabelled(diagnosis.findings), verdict: { ...unlabelled(diagnosis.verdict), lead, rest } };
}

function diagnosisPage(whole) {
  const diagnosis = whole.basis === "imported" ? importedOnce(whole) : whole;
  const machine = part("machine"), code = part("code");
  document.title = `plumb: ${lastPart(diagnosis.subject.split(" ")[0])}`;
  const verdict = verdictSection(diagnosis);
  const sections = [topdownSection(part("topdown")), limitsSection(diagnosis), timeSection(diagnosis), timelineSection(diagnosis, part("timeline")), flameSection(part("stacks")), functionsSection(diagnosis, code), codeSection(code),
    memorySection(diagnosis, part("pages")), importedRunsSection(diagnosis), importedCodeSection(diagnosis), exitsSection(diagnosis, part("exits")), findingsSection(diagnosis), countersSection(diagnosis), runsSection(diagnosis), machineSection(diagnosis, machine), gapsSection(diagnosis)].flat().filter(Boolean);
  return [header("diagnosis", diagnosis.subject, diagnosis.made_by), facts(diagnosis, machine), verdict, navigation(sections), h("main", null, sections)];
}

function page() {
  const diagnosis = part("diagnosis"), comparison = part("comparison");
  if (diagnosis) return diagnosisPage(diagnosis);
  if (comparison) {
    document.title = "plumb: comparison";
    const { verdict, sections, subject } = compareSections(comparison);
    return [header("comparison", subject, comparison.made_by ?? ""), verdict, navigation(sections), h("main", null, sections)];
  }
  return [h("p.noscript", null, "This page holds no data: plumb diagnose --html FILE writes it.")];
}

watchTips();
performance.mark("plumb-begin");
document.getElementById("app").replaceChildren(...page().filter(Boolean));
performance.mark("plumb-built");
addEventListener("hashchange", openTarget);
openTarget();
// What is folded prints, too, but for code that is hardly ever run.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => {
  if (one.fill && !one.open && !one.prints) return;
  if (one.fill) one.fill();
  one.open = true;
}));
