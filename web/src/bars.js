// SPDX-License-Identifier: GPL-3.0-or-later
// Bars and intervals, drawn as plain boxes so that they print and scale.
import { h } from "./dom.js";
import { percent } from "./data.js";

const at = (share) => `${Math.max(0, Math.min(1, share)) * 100}%`;

// A share with its interval: the bar ends at the middle, the whisker spans what it may be.
export function shareBar(interval, most = 1, tone = "") {
  if (!interval) return h("span.bar", null);
  return h(`span.bar${tone}`, { "aria-hidden": "true" },
    h("span.fill", { style: { width: at(interval.mid / most) } }),
    interval.high > interval.low
      ? h("span.whisker", { style: { left: at(interval.low / most), width: at((interval.high - interval.low) / most) } }) : null);
}

// Parts of a whole in one bar, with a legend that says each: [{label, share, tone, tip}].
export function stack(label, parts) {
  const seen = parts.filter((one) => one.share > 0);
  return h("figure.stack", { "aria-label": label },
    h("div.parts", { "aria-hidden": "true" }, seen.map((one) =>
      h(`span.part.${one.tone}`, { style: { width: at(one.share) }, "data-tip": `${one.label}: ${one.tip ?? percent(one.share)}` }))),
    h("figcaption", null, seen.map((one) => h("span.key", null, h(`i.swatch.${one.tone}`, null),
      h("span", null, one.label), h("b", { "data-tip": one.tip ?? null, tabindex: one.tip ? "0" : null, class: one.tip ? "q" : null }, one.text ?? percent(one.share))))));
}
