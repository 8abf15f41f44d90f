import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { repository } from "./declarations/program.js";
import { deadLinks } from "./pages/builtLinks.js";
import { sitePages } from "./pages/sitePages.js";
import { referencePages } from "./reference/referencePages.js";

// Builds the site into docs/.site: npm run docs.
const folder = fileURLToPath(new URL(".", import.meta.url));
const built = join(repository, "docs/.site");
const vitepress = join(folder, "node_modules/vitepress/bin/vitepress.js");

if (!existsSync(vitepress)) throw new Error("The packages of the site are missing: npm ci --prefix docs/site");
const staged = join(folder, ".pages");
rmSync(staged, { recursive: true, force: true });
for (const [path, text] of [...sitePages(), ...referencePages()]) {
  mkdirSync(dirname(join(staged, path)), { recursive: true });
  writeFileSync(join(staged, path), text);
}
cpSync(join(repository, "docs/flow.svg"), join(staged, "flow.svg"));
execFileSync(process.execPath, [vitepress, "build", folder], { stdio: "inherit" });
const dead = deadLinks(built);
if (dead.length > 0) throw new Error(`Links lead to nothing:\n${dead.join("\n")}`);
