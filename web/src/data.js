// SPDX-License-Identifier: GPL-3.0-or-later
// What does the page hold, and how is a number of it said? Parts are JSON documents of doc/schema-report.md.

export function part(name) {
  const element = document.getElementById(`plumb-${name}`);
  return element ? JSON.parse(element.textContent) : null;
}

export const isGap = (value) => value !== null && typeof value === "object" && "not_measured" in value;
export const isInterval = (value) => value !== null && typeof value === "object" && "mid" in value;
// [low, mid, high], as the bottleneck has it.
export const intervalOf = (value) => (Array.isArray(value) ? { low: value[0], mid: value[1], high: value[2] } : value);

function digits(value, places) {
  return value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places, useGrouping: false, roundingMode: "halfEven" /* as printf */ });
}

export function percent(share) {
  const value = share * 100;
  return `${digits(value, Math.abs(value) < 9.95 ? 1 : 0)} %`;
}

export function percentRange(interval) {
  const { low, high } = interval;
  const places = Math.abs(high) < 0.0995 ? 1 : 0;
  const from = digits(low * 100, places), to = digits(high * 100, places);
  return from === to ? `${to} %` : `${from} to ${to} %`;
}

export function scaled(value, units, base = 1000) {
  let at = 0;
  let rest = value;
  while (Math.abs(rest) >= base && at < units.length - 1) { rest /= base; at++; }
  const places = at === 0 && Number.isInteger(value) ? 0 : Math.abs(rest) >= 99.95 ? 0 : Math.abs(rest) >= 9.995 ? 1 : 2;
  return `${digits(rest, places)}${units[at] ? ` ${units[at]}` : ""}`;
}

export const bytes = (value) => scaled(value, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
export const count = (value) => Math.round(value).toLocaleString("en-US").replace(/,/g, "\u202f");

export function seconds(value) {
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size >= 0.9995) return `${digits(value, size < 99.5 ? 2 : 0)} s`;
  if (size >= 0.9995e-3) return `${digits(value * 1e3, size < 0.0995 ? 1 : 0)} ms`;
  if (size >= 0.9995e-6) return `${digits(value * 1e6, size < 0.995e-4 ? 1 : 0)} \u00b5s`;
  return `${digits(value * 1e9, 0)} ns`;
}

export const lastPart = (path) => (path || "").split("/").filter(Boolean).pop() || path || "";
// Where all of a page is somebody else's, its head says so: its lines don't say it again.
const LABEL = /imported, not measured by plumb: | \(imported, not measured by plumb\)|(?:, )?imported, not measured by plumb/g;
export function unlabelled(value) {
  if (typeof value === "string") return value.replace(LABEL, "");
  if (Array.isArray(value)) return value.map(unlabelled);
  return value !== null && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unlabelled(one)])) : value;
}
// A number stays with its unit.
export const joined = (text) => (text ?? "").replace(/(\d) (?=(?:%|[mun\u00b5]?s|[KMGT]?i?B|[kMG]?Hz)(?![\w]))/g, "$1\u00a0");
// Only a word of ours begins with a capital letter: what programs and functions are called stays as it is.
const COMMANDS = new Set(["echo", "kill", "madvise", "node", "numactl", "perf", "plumb", "strace", "taskset", "turbostat"]);
export function sentence(text, functions) {
  const first = /^[a-z]+(?![\w.+:[<@])/.exec(text ?? "")?.[0];
  return first && !COMMANDS.has(first) && !functions?.has(first) ? text[0].toUpperCase() + text.slice(1) : text ?? "";
}

// Wilson's 95 % interval of a share of samples.
export function shareInterval(met, all) {
  const z = 1.96, share = met / all, middle = (share + (z * z) / (2 * all)) / (1 + (z * z) / all);
  const half = (z / (1 + (z * z) / all)) * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  return { low: Math.max(0, middle - half), mid: share, high: Math.min(1, middle + half) };
}
