// @long

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const run = promisify(execFile);
const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

function start(name: string, environment: Readonly<Record<string, string>> = {}): ChildProcess {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, ["--import", "tsx", example(name)], { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  return child;
}

test("examples/parsers-only/query.ts answers the parsed query, or a problem", async () => {
  const child = start("parsers-only/query.ts");
  const [address] = (await once(createInterface(child.stdout ?? process.stdin), "line")) as [string];
  const parsed = await (await fetch(address)).json();
  expect(parsed).toMatchObject({ filter: { op: "and" }, limit: 20, offset: 20 });
  const refused = await fetch(`${new URL(address).origin}/orders?statos=open`);
  expect([refused.status, refused.headers.get("content-type")]).toEqual([400, "application/problem+json"]);
  expect(await refused.json()).toMatchObject({ code: "UNKNOWN_FIELD", errors: [{ parameter: "statos", hint: 'did you mean "status"' }] });
});

test("examples/parsers-only/fields.ts prints what it selects", async () => {
  const { stdout } = await run(process.execPath, ["--import", "tsx", example("parsers-only/fields.ts")]);
  expect(stdout.trim().split("\n").length).toBeGreaterThan(1);
  expect(stdout).not.toContain("undefined");
});

test("examples/batch-alone/main.ts answers a result for each item, or a problem", async () => {
  const child = start("batch-alone/main.ts");
  const [command] = (await once(createInterface(child.stdout ?? process.stdin), "line")) as [string];
  const [, address = "", body = ""] = /(http\S+) -d '(.*)'/.exec(command) ?? [];
  const invited = await fetch(address, { method: "POST", body });
  expect(invited.status).toBe(207);
  expect(await invited.json()).toMatchObject({
    results: [
      { index: 0, status: 201, id: 1 },
      { index: 1, status: 422, error: { code: "DUPLICATE_ADDRESS" } },
      { index: 2, status: 422 },
    ],
    summary: { total: 3, succeeded: 1, failed: 2 },
  });
  const empty = await fetch(address, { method: "POST", body: "[]" });
  expect([empty.status, await empty.json()]).toMatchObject([400, { code: "EMPTY_BATCH" }]);
});

test("examples/shop/main.ts serves, started as its README says", async () => {
  const folder = await mkdtemp(join(tmpdir(), "restwright-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const child = start("shop/main.ts", { PORT: "0", DATA_DIR: folder, DATABASE_URL: "", REDIS_URL: "" });
  const [announced] = (await once(createInterface(child.stdout ?? process.stdin), "line")) as [string];
  const origin = / at (http:\S+)$/.exec(announced)?.[1] ?? "";
  expect((await fetch(`${origin}/users`)).status).toBe(200);
});
