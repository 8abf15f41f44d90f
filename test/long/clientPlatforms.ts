import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { contractScript, openPlatform } from "../client/contract/platform.js";
import type { CaseResult } from "../client/contract/runContract.js";

/**
 * `npx tsx test/long/clientPlatforms.ts` runs the contract of the client (`test/client/contract`) against one shop on this Node, Node 24, Bun and Deno. It needs the npm registry.
 * Exits with 1 if a case fails on a platform.
 */
const programs: readonly (readonly [name: string, command: readonly string[]])[] = [
  ["this Node", [process.execPath]],
  ["Node 24", ["npx", "--yes", "--package", "node@24", "node"]],
  ["Bun", ["npx", "--yes", "bun@1"]],
  ["Deno", ["npx", "--yes", "deno@2", "run", "--allow-net"]],
];

const folder = mkdtempSync(join(tmpdir(), "restwright-platforms-"));
const script = await contractScript();
const version = "globalThis.Bun ? `Bun ${Bun.version}` : globalThis.Deno ? `Deno ${Deno.version.deno}` : `Node ${process.version}`";
writeFileSync(join(folder, "contract.mjs"), script);
const at = await openPlatform(script);
try {
  for (const [index, [name, [command = "", ...args]]] of programs.entries()) {
    const file = join(folder, `run${index}.mjs`);
    writeFileSync(
      file,
      `import { runContract } from "./contract.mjs";
const results = await runContract({ baseUrl: ${JSON.stringify(at.baseUrl)} }, "platform${index}x");
console.log(JSON.stringify({ version: ${version}, results }));
`,
    );
    try {
      const startedAt = performance.now();
      const { stdout } = await promisify(execFile)(command, [...args, file], { cwd: folder, maxBuffer: 1e8, timeout: 300_000 });
      const { version: found, results } = JSON.parse(stdout.slice(stdout.lastIndexOf('{"version"'))) as { version: string; results: CaseResult[] };
      const failed = results.filter(({ isKept }) => !isKept);
      console.log(
        `${found}: ${results.length - failed.length} of ${results.length} cases, ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
      );
      for (const { name: what, seen, expected } of failed) console.log(`  ${what}\n    seen     ${seen}\n    expected ${expected}`);
      if (failed.length > 0) process.exitCode = 1;
    } catch (error) {
      console.log(`${name}: did not run: ${(error as Error).message.slice(0, 2_000)}`);
      process.exitCode = 1;
    }
  }
} finally {
  await at.close();
  rmSync(folder, { recursive: true });
}
