// SPDX-License-Identifier: GPL-3.0-or-later
// The flame graph: which of the paths are drawn, found and zoomed into? d3-flame-graph draws.
//
// All paths stay in typed arrays; the drawing gets those wide enough to be seen, anew at each zoom, so that a hundred thousand
// paths cost no more to draw than a hundred.
import flamegraph from "d3-flame-graph";
import { select } from "d3-selection";
import { h, section } from "./dom.js";
import { count, percent, percentRange, shareInterval } from "./data.js";

const CELL = 19;

class Tree {
  constructor(part) {
    const flat = part.nodes, size = flat.length / 3 + 1;
    this.frames = part.frames;
    this.frame = new Uint32Array(size);
    this.samples = new Float64Array(size);
    this.parent = new Int32Array(size);
    this.end = new Uint32Array(size); // behind the last node below
    this.size = size;
    this.samples[0] = part.samples;
    this.parent[0] = -1;
    const path = [0]; // by depth + 1
    for (let node = 1, at = 0; node < size; node++, at += 3) {
      const depth = flat[at] + 1;
      for (let level = path.length - 1; level >= depth; level--) this.end[path[level]] = node;
      path.length = depth;
      this.parent[node] = path[depth - 1];
      path.push(node);
      this.frame[node] = flat[at + 1];
      this.samples[node] = flat[at + 2];
    }
    for (const node of path) this.end[node] = size;
  }

  name(node) { return node ? this.frames[this.frame[node]][0] : "all"; }

  children(node) {
    const found = [];
    for (let child = node + 1; child < this.end[node]; child = this.end[child]) found.push(child);
    return found;
  }

  self(node) {
    let rest = this.samples[node];
    for (const child of this.children(node)) rest -= this.samples[child];
    return rest;
  }

  // What d3-flame-graph draws: the way to the focus, and below it all that weighs at least so much.
  drawn(focus, least) {
    const grow = (node) => ({
      name: this.name(node), node, value: this.samples[node],
      children: this.children(node).filter((child) => this.samples[child] >= least).map(grow),
    });
    let below = grow(focus);
    for (let node = this.parent[focus]; node >= 0; node = this.parent[node])
      below = { name: this.name(node), node, value: this.samples[focus], fade: true, children: [below] };
    return below;
  }

  // Samples in frames that match, each once, though a match may call another.
  found(matches) {
    let samples = 0;
    for (let node = 1; node < this.size;) {
      if (!matches[this.frame[node]]) { node++; continue; }
      samples += this.samples[node];
      node = this.end[node];
    }
    return samples;
  }
}

function tone(frame) {
  const [name, dso, kernel] = frame;
  const group = !dso ? "thread" : kernel ? "kernel" : /\.so(\.|$)|^\[|^ld-/.test(dso) ? "library" : "own";
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) >>> 0;
  return `var(--flame-${group}-${hash % 3})`;
}

export function flameSection(part) {
  if (!part || !part.nodes.length) return null;
  const tree = new Tree(part);
  const colours = part.frames.map(tone);
  const status = h("p.details", { "aria-live": "polite" });
  const chartBox = h("div.flame", { tabindex: "0", role: "application",
    "aria-label": "Flame graph. Arrow keys move, Enter zooms in, Escape zooms out, slash searches. The table of hot functions holds the same numbers." });
  const search = h("input", { type: "search", id: "flame-search", placeholder: "Search functions", "aria-label": "Search the flame graph",
    autocomplete: "off", spellcheck: "false" });
  const result = h("span.result", { "aria-live": "polite" });
  const reset = h("button", { type: "button", disabled: true, onclick: () => zoom(0) }, "Reset zoom");
  let focus = 0, cursor = 0, matches = null, chart = null;
  let byKeys = false; // a pointer that rests where the chart is drawn anew says nothing

  const say = (node) => {
    const samples = tree.samples[node], interval = shareInterval(samples, part.samples), frame = part.frames[tree.frame[node]];
    const self = tree.self(node);
    const parent = tree.parent[node];
    return [tree.name(node), node && frame[1] ? ` \u2014 ${frame[1]}` : "", ": ", percent(interval.mid), node ? ` of all samples (95 %: ${percentRange(interval)})` : "",
      `, ${count(samples)} samples`, parent > 0 ? `, ${percent(samples / tree.samples[parent])} of its caller` : "",
      self > 0 ? `, ${percent(self / part.samples)} in itself${part.folded_below ? " and in paths too rare to be kept" : ""}` : ""].join("");
  };
  const fill = (d) => (matches === null ? (d.data.node ? colours[tree.frame[d.data.node]] : "var(--flame-root)")
    : d.data.node && matches[tree.frame[d.data.node]] ? "var(--flame-match)" : "var(--flame-miss)");
  const mark = () => {
    select(chartBox).selectAll("g.frame").classed("cursor", (d) => d.data.node === cursor)
      .classed("match", (d) => matches !== null && d.data.node > 0 && !!matches[tree.frame[d.data.node]]);
  };
  const width = () => Math.max(280, chartBox.clientWidth);
  const least = () => Math.max(1, (tree.samples[focus] * 1.2) / width());
  const draw = () => {
    if (!chart) {
      chart = flamegraph().width(width()).cellHeight(CELL).inverted(true).transitionDuration(0).minFrameSize(0.5).resetHeightOnZoom(true)
        .tooltip(Object.assign(() => {}, { show: (_, d) => { if (!byKeys) status.textContent = say(d.data.node); }, hide: () => {}, destroy: () => {} }))
        .setColorMapper(fill).onClick((d) => zoom(d.data.node));
      select(chartBox).datum(tree.drawn(focus, least())).call(chart);
      // New boxes would grow for a quarter of a second, which nobody waits for who prints.
      select(chartBox).selectAll("g.frame").each(function (d) {
        select(this).select("rect").interrupt().attr("width", this.getAttribute("width"));
        select(this).select("div").interrupt().text(d.data.name);
      });
    } else {
      chart.width(width()).update(tree.drawn(focus, least()));
    }
    // On paper it is as wide as that.
    const picture = chartBox.querySelector("svg");
    picture.setAttribute("viewBox", `0 0 ${picture.getAttribute("width")} ${picture.getAttribute("height")}`);
    mark();
  };
  const zoom = (node) => {
    focus = cursor = node;
    reset.disabled = node === 0;
    status.textContent = say(node);
    draw();
  };
  const look = () => {
    const term = search.value.trim();
    let test = null;
    if (term) {
      const plain = term.toLowerCase();
      test = (name) => name.toLowerCase().includes(plain);
      if (/^\/.+\/$/.test(term)) {
        try { const pattern = new RegExp(term.slice(1, -1), "i"); test = (name) => pattern.test(name); } catch { test = () => false; }
      }
    }
    matches = test ? part.frames.map((frame) => test(frame[0])) : null;
    const functions = matches?.filter(Boolean).length;
    result.textContent = matches ? `${percent(tree.found(matches) / part.samples)} of the samples in ${count(functions)} ${functions === 1 ? "function" : "functions"}` : "";
    if (chart) { chart.update(); mark(); }
  };
  search.addEventListener("input", look);
  search.addEventListener("keydown", (event) => { if (event.key === "Escape") { search.value = ""; look(); } });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(input|select|textarea)$/i.test(event.target.tagName)) { event.preventDefault(); search.focus(); }
  });
  const step = (key) => {
    const parent = tree.parent[cursor], siblings = parent >= 0 ? tree.children(parent) : [cursor], at = siblings.indexOf(cursor);
    if (key === "ArrowDown") return tree.children(cursor)[0] ?? cursor;
    if (key === "ArrowUp") return parent >= 0 ? parent : cursor;
    return siblings[Math.max(0, Math.min(siblings.length - 1, at + (key === "ArrowRight" ? 1 : -1)))];
  };
  chartBox.addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow")) cursor = step(event.key);
    else if (event.key === "Enter") zoom(cursor);
    else if (event.key === "Escape") zoom(0);
    else return;
    event.preventDefault();
    byKeys = true;
    status.textContent = say(cursor);
    mark();
  });
  chartBox.addEventListener("mousemove", (event) => { if (event.movementX || event.movementY) byKeys = false; });
  chartBox.addEventListener("mouseleave", () => { if (!byKeys) status.textContent = say(focus); });

  const legend = h("p.legend", null, [["own", "the program"], ["library", "libraries"], ["kernel", "kernel"], ["thread", "threads, by name"]].map(([key, label]) =>
    h("span.key", null, h(`i.swatch.flame-${key}`, null), label)));
  const built = section("flame", "Flame graph",
    `Where ${count(part.samples)} samples of ${part.event ?? "the recording"} fell: width is CPU time, what a function calls hangs below it.`
    + (part.folded_below ? ` Paths of fewer than ${part.folded_below} samples are counted at their callers.` : ""),
    h("div.tools", null, search, reset, result), chartBox, status, legend);
  status.textContent = say(0);
  // A browser without a window prints as soon as the page is there: the drawing can't wait for a frame then.
  addEventListener("beforeprint", () => { if (!chart) draw(); });
  // First the page, then the drawing.
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
    if (!chart) draw();
    chartBox.dataset.drawn = "yes";
    performance.mark("plumb-drawn");
    let last = width();
    const shown = () => chartBox.clientWidth > 0; // a window of no width (a picture being taken of it) shows nothing to fit
    new ResizeObserver(() => { if (shown() && Math.abs(width() - last) > 1) { last = width(); draw(); } }).observe(chartBox);
  })));
  return built;
}
