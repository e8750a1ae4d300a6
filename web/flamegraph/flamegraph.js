// SPDX-License-Identifier: GPL-3.0-or-later
// The flame graph's own script: search, zoom, keys. What it shows it reads from the drawing as text; nothing is ever markup.
"use strict";
(() => {
  const ROW = 18, CHARACTER = 7.3, LETTERS_LEAST = 3;
  const byId = (id) => document.getElementById(id);
  const area = byId("frames"), details = byId("details"), matched = byId("matched"), search = byId("search"), reset = byId("reset");
  const width = +area.dataset.width, left = +area.dataset.left, top = +area.dataset.top, levels = +area.dataset.levels;
  const frames = [...area.querySelectorAll(".f")].map((element) => {
    const said = element.querySelector("title").textContent, end = said.lastIndexOf("\n");
    return { element, rect: element.querySelector("rect"), text: element.querySelector("text"), name: said.slice(0, end), amount: said.slice(end + 1),
             start: +element.dataset.s, weight: +element.dataset.w, level: +element.dataset.l };
  });
  const all = frames[0], unit = area.dataset.unit;
  // Taller than the window, it would open on the tips of its deepest stacks: then its root comes first.
  const isTall = area.ownerSVGElement === document.documentElement && area.ownerSVGElement.getBoundingClientRect().height > window.innerHeight;
  let zoomed = all, current = all, inverted = area.dataset.inverted === "yes" || isTall;

  const holds = (outer, inner) => outer.level <= inner.level && outer.start <= inner.start && inner.start + inner.weight <= outer.start + outer.weight;
  const percent = (weight) => `${(100 * weight / all.weight).toFixed(2)} %`;

  function label(frame, wide) {
    const letters = Math.floor((wide - 6) / CHARACTER);
    if (letters < LETTERS_LEAST)
      return "";
    const name = Array.from(frame.name);
    return name.length <= letters ? frame.name : name.slice(0, letters - 2).join("") + "..";
  }

  function draw() {
    for (const frame of frames) {
      const above = frame !== zoomed && holds(frame, zoomed), below = holds(zoomed, frame);
      frame.shown = above || below;
      frame.element.style.display = frame.shown ? "" : "none";
      if (!frame.shown)
        continue;
      frame.element.classList.toggle("above", above);
      const x = above ? 0 : (frame.start - zoomed.start) / zoomed.weight * width;
      const wide = above ? width : frame.weight / zoomed.weight * width;
      const y = top + (inverted ? frame.level : levels - 1 - frame.level) * ROW;
      frame.rect.setAttribute("x", left + x);
      frame.rect.setAttribute("y", y);
      frame.rect.setAttribute("width", wide);
      const letters = label(frame, wide);
      if (!frame.text && letters) {
        frame.text = document.createElementNS("http://www.w3.org/2000/svg", "text");
        frame.element.append(frame.text);
      }
      if (frame.text) {
        frame.text.textContent = letters;
        frame.text.setAttribute("x", left + x + 3);
        frame.text.setAttribute("y", y + 13);
      }
    }
    reset.disabled = zoomed === all;
    area.dataset.zoomed = zoomed.name;
  }

  function tell(frame) {
    details.textContent = frame ? `${frame.name}: ${frame.amount}` : " ";
  }

  function zoom(frame) {
    zoomed = frame;
    draw();
    focus(frame);
  }

  function focus(frame) {
    current.element.classList.remove("current");
    current = frame;
    current.element.classList.add("current");
    tell(current);
  }

  // A frame below a match is in it already: only the outermost count.
  function find() {
    const sought = search.value.toLowerCase();
    let weight = 0, end = 0, count = 0;
    for (const frame of frames) // in the order of a tree read callers first
      frame.element.classList.toggle("match", sought !== "" && frame !== all && frame.name.toLowerCase().includes(sought));
    for (const frame of frames.filter((one) => one.element.classList.contains("match")).sort((a, b) => a.start - b.start || a.level - b.level)) {
      count++;
      if (frame.start < end)
        continue;
      weight += frame.weight;
      end = frame.start + frame.weight;
    }
    area.classList.toggle("searched", sought !== "");
    matched.textContent = sought === "" ? "" : count ? `matched ${percent(weight)} of ${unit} in ${count} ${count === 1 ? "frame" : "frames"}` : "nothing matched";
  }

  const shown = (condition) => frames.filter((frame) => frame.shown && condition(frame));
  const inner = () => shown((frame) => frame.level === current.level + 1 && holds(current, frame)).reduce((a, b) => (!a || b.weight > a.weight ? b : a), null);
  const outer = () => shown((frame) => frame.level === current.level - 1 && holds(frame, current))[0];
  const beside = (step) => {
    const row = shown((frame) => frame.level === current.level).sort((a, b) => a.start - b.start);
    return row[row.indexOf(current) + step];
  };

  const keys = {
    ArrowUp: () => (inverted ? outer() : inner()), ArrowDown: () => (inverted ? inner() : outer()),
    ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
  };

  document.addEventListener("keydown", (event) => {
    const inSearch = event.target === search;
    if (event.key === "Escape") {
      if (search.value) {
        search.value = "";
        find();
      } else
        zoom(all);
      area.focus();
    } else if (inSearch || event.ctrlKey || event.altKey || event.metaKey || event.target.localName === "button")
      return;
    else if (event.key === "/")
      search.focus();
    else if (event.key === "i")
      invert();
    else if (event.key === "Enter" || event.key === " ")
      zoom(current);
    else if (keys[event.key]) {
      const next = keys[event.key]();
      if (next)
        focus(next);
      area.focus();
    } else
      return;
    event.preventDefault();
  });

  function invert() {
    inverted = !inverted;
    draw();
  }

  const frameOf = (event) => frames.find((frame) => frame.element === event.target.closest(".f"));
  area.addEventListener("click", (event) => { const frame = frameOf(event); if (frame) zoom(frame); area.focus(); });
  area.addEventListener("mouseover", (event) => tell(frameOf(event)));
  area.addEventListener("mouseleave", () => tell(null));
  search.addEventListener("input", find);
  reset.addEventListener("click", () => zoom(all));
  byId("invert").addEventListener("click", invert);
  draw();
  area.dataset.drawn = "yes";
})();
