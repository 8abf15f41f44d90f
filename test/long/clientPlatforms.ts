import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { contractScript, openPlatform } from "../client/contract/platform.js";
import type { CaseResult } from "../client/contract/runContract.js";
import { freePort } from "../tools/freePort.js";

/**
 * `npx tsx test/long/clientPlatforms.ts` runs the contract of the client (`test/client/contract`) against one shop on this Node, Node 24, Bun, Deno and workerd. It needs the npm
 * registry. Exits with 1 if a case fails on a platform.
 */
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "restwright-platforms-"));
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

interface Outcome {
  readonly version: string;
  readonly results: readonly CaseResult[];
}

/** A program that runs a file. */
const program =
  (command: string, ...given: readonly string[]) =>
  async (contract: string): Promise<Outcome> => {
    const version = "globalThis.Bun ? 'Bun ' + Bun.version : globalThis.Deno ? 'Deno ' + Deno.version.deno : 'Node ' + process.version";
    write(
      "run.mjs",
      `import { runContract } from "./contract.mjs";\nconsole.log(JSON.stringify({ version: ${version}, results: await ${contract} }));\n`,
    );
    const { stdout } = await run(command, [...given, "run.mjs"], { cwd: folder, maxBuffer: 1e8, timeout: 300_000 });
    // A package runner may say more before it.
    return JSON.parse(stdout.slice(stdout.lastIndexOf('{"version"')));
  };

/** The run-time of Cloudflare Workers, in which a script answers requests. */
async function workerd(contract: string): Promise<Outcome> {
  await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", "workerd@1"]);
  const bin = join(folder, "node_modules/.bin/workerd");
  const port = await freePort();
  write("worker.mjs", `import { runContract } from "./contract.mjs";\nexport default { fetch: async () => Response.json(await ${contract}) };\n`);
  const modules = ["worker.mjs", "contract.mjs"].map((name) => `(name = "${name}", esModule = embed "${name}")`).join(", ");
  write(
    "config.capnp",
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "contract", worker = (modules = [${modules}], compatibilityDate = "2026-11-01", globalOutbound = "outside")),
    (name = "outside", network = (allow = ["private", "local"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "contract")]
);
`,
  );
  const child = spawn(bin, ["serve", "config.capnp"], { cwd: folder, stdio: "inherit" });
  try {
    const answer = await firstAnswer(`http://127.0.0.1:${port}/`);
    return { version: (await run(bin, ["--version"])).stdout.trim(), results: (await answer.json()) as CaseResult[] };
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

/** Asks until something listens, at most for 30 seconds. */
async function firstAnswer(url: string): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await fetch(url);
    } catch (error) {
      if (tries === 60) throw error;
      await sleep(500);
    }
  }
}

const platforms = {
  "this Node": program(process.execPath),
  "Node 24": program("npx", "--yes", "--package", "node@24", "node"),
  Bun: program("npx", "--yes", "bun@1"),
  Deno: program("npx", "--yes", "deno@2", "run", "--allow-net"),
  workerd,
};

const script = await contractScript();
write("package.json", '{"private":true,"type":"module"}');
write("contract.mjs", script);
const at = await openPlatform(script);
try {
  for (const [index, [name, runOn]] of Object.entries(platforms).entries()) {
    try {
      const startedAt = performance.now();
      const { version, results } = await runOn(`runContract({ baseUrl: ${JSON.stringify(at.baseUrl)} }, "platform${index}x")`);
      const failed = results.filter(({ isKept }) => !isKept);
      console.log(
        `${version}: ${results.length - failed.length} of ${results.length} cases, ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
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
