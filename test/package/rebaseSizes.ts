import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rebasedLimits } from "./rebasedLimits.js";

// Sets the limits of .size-limit.json to what the entries of dist/ weigh now and some room, once a release: npm run build && npm run sizes:rebase.
const file = fileURLToPath(new URL("../../.size-limit.json", import.meta.url));
// size-limit fails if a limit is exceeded, but prints its figures all the same.
const { stdout, stderr } = spawnSync("npx", ["--no-install", "size-limit", "--json"], { encoding: "utf8" });
if (!stdout.startsWith("[")) throw new Error(`size-limit printed no figures: ${stdout}${stderr}`);
const { text, changes } = rebasedLimits(readFileSync(file, "utf8"), JSON.parse(stdout));
writeFileSync(file, text);
for (const { name, before, after } of changes) {
  const percent = (100 * (after - before)) / before;
  process.stdout.write(`${name}: ${before} → ${after} B (${percent < 0 ? "" : "+"}${percent.toFixed(1)} %)\n`);
}
