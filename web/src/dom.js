// SPDX-License-Identifier: GPL-3.0-or-later
// How is an element made? Whatever comes from a recording goes in as text, never as markup.

export function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [property, said] of Object.entries(value)) element.style.setProperty(property, said);
    else element.setAttribute(key, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

const SVG = "http://www.w3.org/2000/svg";
export function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes ?? {}))
    if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  add(element, children);
  return element;
}

// A number, or that there is none: what it rests on shows at the pointer and at the keyboard's focus.
export function quality(text, said, extra = "") {
  return h(`span.q${extra}`, { "data-tip": said, tabindex: "0" }, text);
}

const NAME_MOST = 80, NAME_SHORT = 120;

// What stands between the outer < and > of a template's name is left out; the operators < and > are none.
function withoutArguments(name) {
  let short = "", depth = 0;
  for (let at = 0; at < name.length; at++) {
    const opens = name[at] === "<" && !/operator<?$/.test(name.slice(0, at)), closes = name[at] === ">" && depth && name[at - 1] !== "-";
    if (closes) depth--;
    if (!depth) short += name[at];
    if (opens && !depth++) short += "\u2026";
  }
  return short.length > NAME_SHORT ? `${short.slice(0, NAME_SHORT)}\u2026` : short;
}

// A name breaks between its words rather than within one.
const breakable = (name) => name.split(/(?<=::|[_.,<(@$])(?=[^_:.])/).flatMap((piece, at) => (at ? [document.createElement("wbr"), piece] : [piece]));

// A function's name, long ones without their template arguments: the whole of it is the title.
export function functionName(name) {
  return name.length > NAME_MOST ? h("code", { title: name }, breakable(withoutArguments(name))) : h("code", null, breakable(name));
}

export function gap(why, text = "not measured") {
  return quality(text, `not measured: ${why || "it isn't said why"}`, ".gap");
}

export function section(id, title, note, ...children) {
  return h("section", { id, "aria-labelledby": `${id}-title` },
    h("header.section", null, h("h2", { id: `${id}-title` }, title), note ? h("p.note", null, note) : null), children);
}

export function table(label, heads, rows, classes = "") {
  return h("div.scroll", null, h(`table${classes}`, { "aria-label": label },
    h("thead", null, h("tr", null, heads.map((head) => h(head.number ? "th.number" : head.told ? "th.told" : "th", { scope: "col" }, head.text ?? head)))),
    h("tbody", null, rows)));
}

// ---- one tip for all ----

export function watchTips() {
  const tip = document.getElementById("tip");
  let of = null;
  const hide = () => { tip.hidden = true; of?.removeAttribute("aria-describedby"); of = null; };
  const show = (element, x, y) => {
    if (element !== of) {
      hide();
      of = element;
      of.setAttribute("aria-describedby", "tip");
      tip.textContent = element.dataset.tip;
      tip.hidden = false;
    }
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(6, Math.min(x + 12, innerWidth - box.width - 6))}px`;
    tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 18}px`;
  };
  const beside = (element) => {
    const box = element.getBoundingClientRect();
    show(element, box.left, box.bottom - 12);
  };
  document.addEventListener("mousemove", (event) => {
    const element = event.target.closest?.("[data-tip]");
    if (element) show(element, event.clientX, event.clientY);
    else if (of !== document.activeElement) hide();
  });
  document.addEventListener("focusin", (event) => {
    const element = event.target.closest?.("[data-tip]");
    if (element) beside(element);
    else hide();
  });
  document.addEventListener("focusout", hide);
  // Focus that came by a key scrolls to where it is: the tip goes with it.
  document.addEventListener("scroll", () => (of && of === document.activeElement ? beside(of) : hide()), { passive: true, capture: true });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
}
