// @long

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { postgresUrl, redisUrl } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../../tools/temporary.js";

const places: Record<string, () => Promise<string>> = { SQLite: async () => `${temporaryFolder()}/limits.db` };
if (postgresUrl !== undefined) {
  const schemas: ReturnType<typeof ownSchema>[] = [];
  places["PostgreSQL"] = () => {
    const schema = ownSchema();
    schemas.push(schema);
    return schema.create();
  };
  afterAll(() => Promise.all(schemas.map((schema) => schema.drop())));
}
if (redisUrl !== undefined) places["Redis"] = async () => redisUrl ?? "";

/** A process that waits for a line before it takes from the limit. */
async function startWorker(env: Readonly<Record<string, string>>) {
  const main = fileURLToPath(new URL("rateLimitWorker.ts", import.meta.url));
  const child: ChildProcess = spawn(process.execPath, ["--import", "tsx", main], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("The process has no output.");
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line");
  return async () => {
    const answer = once(lines, "line");
    child.stdin?.write("go\n");
    const [allowed] = (await answer) as [string];
    return Number(allowed);
  };
}

describe.each(Object.keys(places))("a limit in %s (PostgreSQL and Redis where POSTGRES_URL and REDIS_URL are set)", (name) => {
  test.each(["fixed-window", "gcra"])("by %s is exact for 200 concurrent calls of two processes", async (algorithm) => {
    const env = { STORE: (await places[name]?.()) ?? "", KEY: randomUUID(), ALGORITHM: algorithm };
    const workers = await Promise.all([startWorker(env), startWorker(env)]);
    const allowed = await Promise.all(workers.map((begin) => begin()));
    expect((allowed[0] ?? 0) + (allowed[1] ?? 0)).toBe(120);
  });
});
