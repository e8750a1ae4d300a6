// SPDX-License-Identifier: GPL-3.0-or-later
// The top-down tree, as far as it is known: slots at its first level, below them what each class consists of.
import { shareBar, stack } from "./bars.js";
import { h, quality, section } from "./dom.js";
import { joined, lastPart, percent, sentence } from "./data.js";

const TONES = [["Backend_Bound.Core_Bound", "core"], ["Backend_Bound", "memory"], ["Frontend_Bound", "frontend"], ["Bad_Speculation", "speculation"], ["Retiring", "retiring"]];
const tone = (node) => TONES.find(([path]) => node.path.startsWith(path))?.[1] ?? "unknown";
const said = (name) => name.replace(/_/g, " ");
const known = (node) => node.level > 0 && typeof node.value === "number" && node.unit === "%";
const shown = (node) => percent(node.value / 100);

function about(node) {
  const whole = node.domain.startsWith("Slots") ? "of all issue slots" : node.domain.startsWith("Clocks") ? "of all cycles" : "";
  return [`${sentence(node.quality)}${whole ? `, ${whole}` : ""}`, node.interval ? `95 %: ${node.interval[0].toFixed(1)} to ${node.interval[1].toFixed(1)} %` : "",
    node.about, node.flagged_when ? `flagged when ${node.flagged_when}` : ""].filter(Boolean).join("; ");
}

function branch(nodes, node, leaf, depth = 0) {
  const below = nodes.filter((one) => one.path.startsWith(`${node.path}.`) && one.level === node.level + 1).sort((a, b) => b.value - a.value);
  const [low, high] = node.interval ?? [node.value, node.value];
  const state = node.path === leaf ? ".leaf" : node.threshold === "flagged" ? ".flagged" : "";
  return h("li", null, h(`div.branch${state}`, { style: { "--depth": depth } }, h("span.name", null, depth === 0 ? h(`i.swatch.class-${tone(node)}`, null) : null, said(node.name),
    node.path === leaf ? h("b.mark", null, " \u25c0") : null),
  quality(shown(node), about(node)), shareBar({ low: low / 100, mid: node.value / 100, high: high / 100 }, 1, `.class-${tone(node)}`)),
  below.length ? h("ul", null, below.map((one) => branch(nodes, one, leaf, depth + 1))) : null);
}

// Two levels, and what is below flagged nodes.
const flagged = (nodes, node) => node.level <= 2 || nodes.some((one) => one.threshold === "flagged" && one.level === node.level - 1 && node.path.startsWith(`${one.path}.`));

// The drawing alone; null: none of its nodes is known.
export function topdownTree(tree, label, brief = false) {
  const all = (tree?.nodes ?? []).filter(known);
  const nodes = brief ? all.filter((node) => flagged(all, node)) : all;
  const first = nodes.filter((one) => one.level === 1).sort((a, b) => b.value - a.value);
  if (!nodes.length) return null;
  // Parts of a tree may be all there is: what stands below nothing is shown by itself.
  const roots = first.length ? first : nodes.filter((one) => !nodes.some((other) => one.path.startsWith(`${other.path}.`)));
  return [first.length === 4 ? stack(`issue slots, ${label}`, first.map((one) => ({ label: said(one.name), tone: `class-${tone(one)}`, share: one.value / 100, text: shown(one), tip: about(one) }))) : null,
    h("ul.tree", { "aria-label": label }, roots.map((one) => branch(nodes, one, tree.leaf)))];
}

export function topdownSection(tree) {
  const drawn = topdownTree(tree, "top-down tree");
  if (!drawn) return null;
  const leaf = tree.nodes.find((one) => known(one) && one.path === tree.leaf);
  return section("topdown", "Top-down tree", `${tree.origin}.`,
    leaf ? h("p.lead", null, "The flags lead to ", h("b", null, said(lastPart(leaf.path.replace(/\./g, "/")))), ", ", quality(shown(leaf), about(leaf)), leaf.about ? `: ${leaf.about}.` : ".") : null,
    drawn,
    tree.notes?.length ? h("ul.evidence", null, tree.notes.map((one) => h("li", null, joined(said(one))))) : null);
}
