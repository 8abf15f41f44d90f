// @long

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { compiledProgram } from "../../../tools/compiled/program.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../../tools/temporary.js";

/** Longer than everything that a script waits for, and shorter than what a service does in the background. */
const maxMs = 20_000;

async function run(script: string, ...given: readonly string[]) {
  const program = await compiledProgram(`test/engine/service/scripts/${script}.ts`);
  const child = spawn(process.execPath, [program, ...given], { stdio: ["ignore", "pipe", "pipe"], timeout: maxMs });
  const [printed, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), new Promise((resolve) => child.on("close", resolve))]);
  return { printed: printed.trim(), errors, code };
}

describe.each(["memory", "SQLite"])("A script on %s", (store) => {
  test.each([
    ["awaits updates that must be repeated", "update", "5"],
    ["awaits a transaction that must be repeated", "transaction", "7"],
    ["awaits a hook until its time is over", "hook", "HOOK_TIMEOUT"],
    ["awaits the answer of the first request with its key", "key", "201,201,201"],
    ["awaits what it does by the client", "client", "1"],
    ["awaits an import", "importNow", "200"],
    ["awaits an import as a job", "import", "2"],
    ["awaits an export", "export", "id,n 1,5 id,n 1,5"],
    ["awaits an upload", "upload", "3000000"],
    ["awaits an upload of one request", "uploadNow", "201"],
    ["ends when it has nothing more to do", "idle", "idle"],
  ])("%s", async (_, task, expected) => {
    expect(await run("script", store, task, temporaryFolder())).toEqual({ printed: expected, errors: "", code: 0 });
  });
});

test("A script awaits what it counts in PostgreSQL beside its pool", needs("postgres"), async () => {
  const schema = ownSchema();
  const connectionString = await schema.create();
  onTestFinished(() => schema.drop());
  expect(await run("rateLimitScript", connectionString)).toEqual({ printed: "3", errors: "", code: 0 });
});
