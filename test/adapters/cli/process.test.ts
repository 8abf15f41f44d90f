// @long

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { programFolder } from "../../tools/programFolder.js";
import { fileOf, serve, userService } from "./stage.js";

const main = fileURLToPath(new URL("../../../adapters/cli.ts", import.meta.url));

/** Starts the tool as users do, in a process of its own whose streams are pipes. */
function start(args: readonly string[], variables: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, ["--import", "tsx", main, ...args], { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...variables } });
}

async function output(child: ChildProcess) {
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, "close")]);
  return { code: child.exitCode, stdout, stderr };
}

async function textOf(stream: AsyncIterable<Buffer> | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test("The tool says its version", async () => {
  expect(await output(start(["--version"]))).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
});

test("A pipe goes in, and what is said of it has no control characters where nobody looks at a terminal", async () => {
  const server = await serve(userService());
  const errors = fileOf("errors.csv", "");
  const child = start(["import", "-", "--format", "csv", "--collection", "users", "--to", `${server.origin}/imports`, "--errors", errors]);
  child.stdin?.end("name,email\nAda,ada@example.com\nBen,nowhere\n");
  const { code, stdout, stderr } = await output(child);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("1 created, 1 failed.");
  expect(stderr.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  expect(readFileSync(errors, "utf8")).toContain("Ben,nowhere");
});

test("Ctrl-C leaves the import alone", async () => {
  const server = await serve(userService({ jobs: { work: false } }));
  const child = start(["import", fileOf("users.csv", "name,email\nAda,ada@example.com\n"), "--to", `${server.origin}/imports`]);
  child.stderr?.on("data", (text: Buffer | string) => void (String(text).includes("Import: ") && child.kill("SIGINT")));
  expect(await output(child)).toMatchObject({ code: 130, stderr: expect.stringContaining("Detached; the import continues: http") });
});

for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  test(`${signal} ends the tool without leaving the copy of standard input`, async () => {
    const folder = programFolder();
    const copies = () => readdirSync(folder).filter((name) => name.startsWith("restwright-"));
    const child = start(["import", "-", "--format", "csv", "--collection", "users", "--to", "http://localhost:9/imports"], { TMPDIR: folder });
    child.stdin?.write("name,email\n");
    await expect.poll(copies, { timeout: 20_000 }).toHaveLength(1);
    child.kill(signal);
    expect(await output(child)).toMatchObject({ code, stderr: expect.stringContaining("Interrupted") });
    expect(copies()).toEqual([]);
  });
}

test("Closed standard error does not end an import", async () => {
  const server = await serve(userService());
  const child = start(["import", fileOf("users.csv", "name,email\nAda,ada@example.com\n"), "--to", `${server.origin}/imports`, "--json"]);
  child.stderr?.destroy();
  const [stdout] = await Promise.all([textOf(child.stdout), once(child, "close")]);
  expect([child.exitCode, JSON.parse(stdout)]).toMatchObject([0, { status: "completed" }]);
});

test("A module that starts a server does not keep the tool from its end", async () => {
  const module = join(programFolder(), "api.ts");
  writeFileSync(
    module,
    `import { createServer } from "node:http";
import { createService } from "restwright";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
createServer(() => {}).listen(0);
export const service = createService({ resources: [], storage: memoryStorage(), logger: false, use: [openapi({ info: { title: "Kept", version: "1" } })] });
`,
  );
  const { code, stdout, stderr } = await output(start(["openapi", module]));
  expect([code, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toMatchObject({ info: { title: "Kept" } });
});
