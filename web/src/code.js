// SPDX-License-Identifier: GPL-3.0-or-later
// Which functions, and which of their instructions? Heat, source, loops, and arrows from where samples fell to what stalled.
import { shareBar } from "./bars.js";
import { functionName, h, quality, section, svg, table } from "./dom.js";
import { bytes, count, isGap, lastPart, percent, percentRange, shareInterval } from "./data.js";

const ROW = 20;

const sampled = (how) => !how?.event ? "" : `Sampled by ${how.event}${how.lands ? `: samples land ${how.lands === "on" ? "on the instruction that stalled" : "one instruction behind it"}${how.share ? `, ${percentRange(how.share)} of the self-test\u2019s` : ""}` : ""}. `;

const STACKS_LEAST = 5, CALLER_LEAST = 0.05;

// Who called it, by the stacks that were copied; a handful says nothing.
function calledBy(one) {
  if (!one.callers?.length || one.stacks < STACKS_LEAST) return null;
  const said = (callers) => callers.filter((caller, at) => !at || caller.stacks >= CALLER_LEAST * one.stacks).map((caller, at) => [at ? ", " : "", functionName(caller.function),
    caller.source ? h("span", { title: caller.source }, ` ${lastPart(caller.source)}:${caller.line}`) : null, " ", quality(percent(caller.stacks / one.stacks), `${count(caller.stacks)} of ${count(one.stacks)} copied stacks`)]);
  return h("div.faint", null, "called by ", said(one.callers), one.owners.length ? ["; for ", said(one.owners)] : null);
}

export function functionsSection(diagnosis, code) {
  const profile = diagnosis.profile;
  if (!profile || isGap(profile) || !profile.functions.length) return null;
  const listed = new Map((code?.functions ?? []).map((one, at) => [`${one.function}\n${one.dso}`, at]));
  const most = Math.max(...profile.functions.map((one) => one.share.high));
  const shown = profile.functions.filter((one, at) => at < 5 || one.share.mid >= 0.002);
  const whole = `share of all ${count(profile.samples)} samples, with its 95 % interval`;
  return section("functions", "Hot functions", `Of ${count(profile.samples)} samples${profile.kernel_samples === null ? ", without the kernel's: it could not be sampled" : ""}. ${sampled(profile.sampling)}Instructions are those that ${profile.stalls_attributed ? "stalled" : "were interrupted: which one stalled isn't known here"}.`,
    table("hot functions", [{ text: "CPU time", number: true }, "", "function", "hottest instruction", "where"],
      shown.map((one) => {
        const at = listed.get(`${one.function}\n${one.dso}`), hot = one.instructions[0];
        const name = functionName(one.function);
        return h("tr", null, h("td.number", null, quality(percent(one.share.mid), `${percentRange(one.share)}: ${whole}`)), h("td.wide", null, shareBar(one.share, most)),
          h("td", null, at === undefined ? name : h("a", { href: `#code-${at}` }, name), h("div.faint", null, one.kernel ? "kernel" : lastPart(one.dso)), calledBy(one)),
          h("td", null, hot ? [h("code", null, hot.instruction), h("div.faint", null, quality(percent(hot.samples / one.samples), `${count(hot.samples)} of the function's ${count(one.samples)} samples`), ` of it, ${hot.class}`)] : h("span.faint", null, "\u2014")),
          h("td.where", null, hot?.source ? h("span.faint", { title: hot.source }, `${lastPart(hot.source)}:${hot.line}`) : h("span.faint", null, "\u2014")));
      }), ".functions"),
    vectors(profile));
}

function vectors(profile) {
  const width = profile.vector_width;
  if (!width) return null;
  if (width.state !== "shares")
    return h("p.faint", null, width.state === "none" ? "Vector width of the hot code: none, general registers alone." : "Vector width of the hot code: not known, most of the hot instructions couldn't be read.");
  const said = [["no vectors", width.no_vectors], ["one number at a time", width.scalar_fp], ["128 bits", width.bits_128], ["256 bits", width.bits_256], ["512 bits", width.bits_512]].filter((one, at) => !at || one[1]);
  return h("p.faint", null, "Vector width of the hot code, of all samples: ", said.map(([label, share], at) => [at ? ", " : "", `${label} `, quality(percent(share), `share of all ${count(profile.samples)} samples`)]), ".");
}

// ---- one function ----

// Loops and arrows beside the rows, in a margin as wide as they need. y: by row, its middle.
function margin(of, y, height) {
  const lanes = [];
  const place = (first, last) => {
    let lane = 0;
    while (lanes[lane]?.some(([from, to]) => first <= to && last >= from)) lane++;
    (lanes[lane] ??= []).push([first, last]);
    return lane;
  };
  const hottest = Math.max(1, ...of.loops.map((one) => one.stalled));
  const drawn = of.loops.map((one) => ({ ...one, lane: place(one.first, one.last) }));
  const loopWidth = lanes.length * 9 + 6;
  const loops = drawn.filter((one) => one.last > one.first).map((one) => {
    const x = loopWidth - 5 - one.lane * 9;
    return svg("g", { class: `loop${one.stalled === hottest ? " hot" : ""}` }, svg("title", null, `loop, ${count(one.stalled)} samples`),
      svg("path", { d: `M${loopWidth} ${y[one.first]}H${x}V${y[one.last]}H${loopWidth}` }), svg("path", { class: "tip", d: `M${loopWidth} ${y[one.first]}l-5 -3v6z` }));
  });
  return { width: loopWidth, node: svg("svg", { class: "margin", width: loopWidth, height, "aria-hidden": "true" }, loops) };
}

function arrows(of, y, height, most) {
  const shown = of.stalls.filter((one) => one.samples >= Math.max(2, most * 0.02)).slice(0, 12);
  const lines = shown.map((one) => {
    const from = y[one.sampled], to = y[one.stalled], bend = Math.min(24, 8 + Math.abs(from - to) / 12);
    return svg("g", { class: "stall" }, svg("title", null, `${count(one.samples)} samples fell at the next instruction to run while this one stalled`),
      svg("path", { d: `M26 ${from}C${26 - bend} ${from} ${26 - bend} ${to} 21 ${to}`, "stroke-width": 1 + 2 * (one.samples / most) }), svg("path", { class: "tip", d: `M27 ${to}l-6 -3.5v7z` }));
  });
  return svg("svg", { class: "arrows", width: 28, height, "aria-hidden": "true" }, lines);
}

function listing(of, attributed) {
  const rows = [], y = [];
  let at = 0, line = null, before = -1;
  const most = Math.max(1, ...of.rows.map((row) => row.stalled));
  of.rows.forEach((row, index) => {
    if (row.number !== before + 1 && index) {
      rows.push(h("div.cut", null, `\u22ef ${count(row.number - before - 1)} instructions without samples nearby`));
      at += ROW;
    }
    before = row.number;
    const source = row.line === undefined ? null : of.lines[row.line];
    if (source && row.line !== line) {
      line = row.line;
      rows.push(h("div.source", { title: `${source.path}:${source.line}` }, h("span.place", null, `${lastPart(source.path)}:${source.line}`), h("span.text", null, source.text === null ? "" : source.text.replace(/\t/g, "    "))));
      at += ROW;
    }
    y.push(at + ROW / 2);
    at += ROW;
    const interval = row.stalled ? shareInterval(row.stalled, of.samples) : null;
    const [, mnemonic, operands] = /^(\S+)\s*(.*)$/.exec(row.text) ?? [null, row.text, ""];
    rows.push(h("div.row", { style: { "--heat": String(Math.sqrt(row.stalled / most) * (row.stalled ? 1 : 0)) } },
      interval ? quality(percent(interval.mid), `${count(row.stalled)} samples ${attributed ? "in which it stalled" : "as interrupted"}, 95 %: ${percentRange(interval)} of the function; ${count(row.sampled)} fell on it; ${row.class}`, ".share") : h("span.share", null),
      h("span.addr", null, row.address.replace(/^0x/, "")), h("span.text", null, h("b", null, mnemonic), operands ? ` ${operands}` : "")));
  });
  const loops = margin(of, y, at);
  const grid = h("div.asm", { style: { "--margin": `${loops.width}px` }, tabindex: "0", role: "region", "aria-label": `instructions of ${of.function}` }, h("div.inner", null, loops.node, attributed ? arrows(of, y, at, most) : null, h("div.rows", null, rows)));
  return grid;
}

// On paper: the hottest function, and the next ones where they matter and aren't a book.
const PRINTED_MOST = 5, PRINTED_LEAST = 0.05, PRINTED_ROWS = 400;

export function codeSection(code) {
  if (!code) return null;
  if (!code.functions.length)
    return code.not_measured ? section("code", "Annotated code", null, h("p.faint", null, `Not shown: ${code.not_measured}.`)) : null;
  const noSource = code.functions.every((one) => one.lines.every((line) => line.text === null));
  return section("code", "Annotated code",
    `${code.attributed ? "Shares are of samples at the instruction that stalled; arrows lead there from where the samples fell." : "Shares are of samples where they fell; which instruction stalled isn't known here."}`
    + (noSource ? " Source text is not here: the files are missing or there are no line tables." : ""),
    code.functions.map((of, at) => {
      const box = h("details.function", { id: `code-${at}` }, h("summary", null, functionName(of.function), h("span.faint", null, lastPart(of.dso)),
        quality(percent(of.share.mid), `${percentRange(of.share)} of all samples, 95 %`)));
      let filled = false;
      const fill = () => { if (box.open && !filled) { filled = true; box.append(listing(of, code.attributed)); reveal(box); } };
      box.addEventListener("toggle", fill);
      box.fill = () => { box.open = true; fill(); };
      box.prints = at === 0 || (at < PRINTED_MOST && of.share.mid >= PRINTED_LEAST && of.rows.length <= PRINTED_ROWS);
      if (at === 0) requestAnimationFrame(() => setTimeout(() => box.fill()));
      return box;
    }));
}

// To the hottest instruction, inside its own scroll.
function reveal(box) {
  const scroll = box.querySelector(".asm"), hot = [...box.querySelectorAll(".row")].sort((a, b) => Number(b.style.getPropertyValue("--heat")) - Number(a.style.getPropertyValue("--heat")))[0];
  if (hot) requestAnimationFrame(() => { scroll.scrollTop += hot.getBoundingClientRect().top - scroll.getBoundingClientRect().top - scroll.clientHeight / 3; });
}

// ---- memory ----

export function memorySection(diagnosis, pages) {
  const groups = diagnosis.profile?.memory ?? [];
  const processes = pages?.processes?.filter((one) => one.areas.length) ?? [];
  if (!groups.length && !processes.length) return null;
  const methods = { scan: "exact: by the page tables (PAGEMAP_SCAN)", flags: "estimate: memory in huge folios, which may be mapped in small pieces", smaps: "exact for each mapping (smaps)" };
  return section("memory", "Memory and page sizes", null,
    groups.length ? [h("h3", null, "Data it waits for"), table("data it waits for", [{ text: "CPU time", number: true }, "function and access", "mapping", { text: "working set", number: true }, { text: "on huge pages", number: true }],
      groups.map((one) => {
        const known = one.base_page_hits + one.huge_page_hits;
        return h("tr", null, h("td.number", null, quality(percent(one.share.mid), `${percentRange(one.share)} of all samples, 95 %`)),
          h("td", null, functionName(one.function), h("div.faint", null, h("code", null, one.instruction))), h("td", null, one.area),
          h("td.number", null, one.lines.bytes !== null ? quality(bytes(one.lines.bytes), "estimate: lines gone over, from sampled addresses") : one.lines.at_least_bytes ? quality(`\u2265 ${bytes(one.lines.at_least_bytes)}`, "lower bound: what sampled addresses met") : "\u2014"),
          h("td.number", null, known ? quality(percent(one.huge_page_hits / known), `of ${count(known)} sampled addresses whose page size is known${one.unknown_page_hits ? `; of ${count(one.unknown_page_hits)} more it isn't` : ""}`) : "\u2014"));
      }))] : null,
    processes.map((one, at) => [h("details.function", { open: at === 0 }, h("summary", null, h("span", null, `Page sizes of process ${one.pid}`), h("span.q", { "data-tip": methods[one.method] }, bytes(one.resident_bytes))), h("p.faint", null, quality(bytes(one.resident_bytes), methods[one.method]), " resident, ", quality(percent(one.resident_bytes ? one.huge_bytes / one.resident_bytes : 0), methods[one.method]), " of it on huge pages.",
      one.areas_in_all > 12 ? ` The largest of ${count(one.areas_in_all)} mappings:` : ""),
    pageRows(one, methods))]),
    pages && pages.processes_in_all > processes.length ? h("p.faint", null, `${count(pages.processes_in_all)} processes were looked at in all.`) : null);
}

function pageRows(process, methods) {
  const shown = process.areas.slice(0, 12), most = Math.max(...shown.map((one) => one.resident_bytes));
  return h("div.pages", { role: "list" }, shown.map((one) => {
    const huge = Math.min(one.huge_bytes, one.resident_bytes), small = one.resident_bytes - huge;
    return h("div.page", { role: "listitem" }, h("span.name", { title: `${one.path || "anonymous"} at ${one.start}` }, one.path ? (one.path.startsWith("[") ? one.path : lastPart(one.path)) : "anonymous memory", one.advised_huge ? h("span.origin", null, "advised huge") : null, one.advised_never ? h("span.origin", null, "never huge") : null),
      h("span.pagebar", { "aria-hidden": "true" }, h("span.huge", { style: { width: `${(huge / most) * 100}%` } }), h("span.small", { style: { width: `${(small / most) * 100}%` } })),
      quality(bytes(one.resident_bytes), `${methods[process.method]}: ${bytes(small)} on small pages, ${bytes(huge)} on huge ones; ${bytes(one.bytes)} mapped, ${one.protection}`, ".number"));
  }), h("p.legend", null, h("span.key", null, h("i.swatch.huge", null), "huge pages"), h("span.key", null, h("i.swatch.small", null), "small pages")));
}
