import { execFileSync, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { packedPages } from "./packedPages.js";
import { replaceFiles } from "./replacedFiles.js";

// Run by npm before it packs: replaces the pages by those of the package. The argument is the process of npm.
const root = fileURLToPath(new URL("../../..", import.meta.url));
const npm = Number(process.argv[2]);
if (!(npm > 0)) throw new Error(`prepack.ts needs the process of npm, "$PPID" in a POSIX shell; got "${process.argv[2]}".`);
const listing = execFileSync("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], { cwd: root, encoding: "utf8" });
const [packed] = JSON.parse(listing) as readonly { readonly files: readonly { readonly path: string }[] }[];
if (packed === undefined) throw new Error(`npm pack lists no files; it said: ${listing}`);

// npm runs `postpack` only if it could pack, so a process of its own waits for the end of npm as well.
const restore = fileURLToPath(new URL("postpack.ts", import.meta.url));
spawn(process.execPath, ["--import", "tsx", restore, String(npm)], { cwd: root, detached: true, stdio: "ignore" }).unref();
replaceFiles(
  root,
  packedPages(
    root,
    packed.files.map(({ path }) => path),
  ),
  npm,
);
