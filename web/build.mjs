// SPDX-License-Identifier: GPL-3.0-or-later
// Build the report's page: web/src to one file, dist/report.html, and the licences of what is in it, dist/THIRD-PARTY.txt.
// `node build.mjs FOLDER` writes them there instead.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");

const bundled = await build({
  entryPoints: [join(here, "src/main.js")],
  loader: { ".css": "empty" }, // d3-flame-graph brings its own; ours are in style.css
  absWorkingDir: here,
  bundle: true,
  minify: true,
  keepNames: true, // d3-flame-graph tells its nodes by the name of their class
  format: "iife",
  target: ["chrome100", "firefox100", "safari15"],
  charset: "ascii",
  legalComments: "none",
  metafile: true,
  write: false,
});
const styles = await build({
  entryPoints: [join(here, "src/style.css")], absWorkingDir: here, bundle: true, minify: true, legalComments: "none", write: false,
});
const script = bundled.outputFiles[0].text.trimEnd();
const style = styles.outputFiles[0].text.trimEnd();
const hash = createHash("sha256").update(script).digest("base64");

// Functions: texts that replace must not be read for "$&" and the like.
const page = readFileSync(join(here, "src/page.html"), "utf8")
  .replace("{{script-hash}}", () => `'sha256-${hash}'`)
  .replace("{{style}}", () => style)
  .replace("{{script}}", () => script);
const place = "<!--plumb:parts-->";
if (page.split(place).length !== 2) throw new Error(`${place} must stand in the page once`);
if (/<\/(script|style)/i.test(script + style)) throw new Error("the script or style would end its own element");

// ---- third-party notices ----

const folders = new Set();
for (const input of Object.keys(bundled.metafile.inputs)) {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (found) folders.add(found[1]);
}
const notices = [...folders].sort().map((folder) => {
  const about = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
  const file = readdirSync(join(here, folder)).find((name) => /^(licen[sc]e|copying)/i.test(name));
  if (!file) throw new Error(`${about.name} has no licence file`);
  const notice = existsSync(join(here, folder, "NOTICE")) ? `\n${readFileSync(join(here, folder, "NOTICE"), "utf8").trim()}\n` : "";
  return `${about.name} ${about.version} (${about.license})\n\n${readFileSync(join(here, folder, file), "utf8").trim()}\n${notice}`;
});
const rule = `\n${"-".repeat(78)}\n\n`;

mkdirSync(out, { recursive: true });
writeFileSync(join(out, "report.html"), page);
writeFileSync(join(out, "THIRD-PARTY.txt"),
  "The page report.html holds parts of these packages, each under its own licence.\n" + rule + notices.join(rule));
console.log(`${join(out, "report.html")}: ${page.length} bytes, ${folders.size} packages`);
