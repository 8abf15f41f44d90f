import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Storage } from "../../src/storage/storage.js";
import { needs, pgbouncerPath, postgresUrl } from "../engines.js";
import { eventually } from "../eventually.js";
import { ownSchema } from "./postgresSchema.js";

type Stores = { readonly [name in keyof Required<Storage>]: NonNullable<Storage[name]> };

/** A PgBouncer in front of the PostgreSQL of the tests, on a socket in a folder. @returns how to connect to it */
async function startPgBouncer(mode: "session" | "transaction"): Promise<pg.ClientConfig> {
  const server = new URL(postgresUrl ?? "");
  const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
  chmodSync(folder, 0o777);
  const password = server.password === "" ? "" : ` password=${decodeURIComponent(server.password)}`;
  const settings = [
    "[databases]",
    `tests = host=${server.hostname} port=${server.port || 5432} user=${server.username} dbname=${server.pathname.slice(1)}${password}`,
    "[pgbouncer]",
    `unix_socket_dir = ${folder}`,
    "listen_addr =",
    "listen_port = 6432",
    "auth_type = any",
    `pool_mode = ${mode}`,
    // Connections of the server end often, as they do in hours with the settings that it comes with.
    "server_idle_timeout = 1",
    "server_lifetime = 1",
    ...(process.getuid?.() === 0 ? ["user = nobody"] : []),
  ];
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, settings.join("\n"));
  const child = spawn(pgbouncerPath ?? "", [file], { stdio: "ignore" });
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const connection = { host: folder, port: 6432, database: "tests", user: "anybody" };
  await eventually(async () => {
    const client = new pg.Client(connection);
    await client.connect();
    await client.end();
  });
  return connection;
}

describe("behind PgBouncer (set PGBOUNCER to run)", needs("postgres", "pgbouncer"), () => {
  test.each(["transaction", "session"] as const)(
    "with pools of a %s, two processes take nothing from each other",
    { timeout: 60_000 },
    async (mode) => {
      const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
      onTestFinished(() => warn.mockRestore());
      const schema = ownSchema();
      await schema.create();
      onTestFinished(() => schema.drop());
      const connection = await startPgBouncer(mode);
      const open = async () => {
        const pool = new pg.Pool({ ...connection, max: 3 });
        const storage = postgresStorage({ pool, schema: schema.name });
        onTestFinished(async () => {
          await storage.close?.();
          await pool.end();
        });
        await storage.migrate?.([]);
        return storage as Stores;
      };
      const [one, other] = [await open(), await open()];
      const request = { fingerprint: "f", operationId: "first", leaseMs: 60_000, ttlMs: 86_400_000 };
      const claim = { types: ["work"], leaseMs: 60_000, max: 10, maxPerTenant: 10 };
      expect(await one.idempotency.begin("key", request)).toMatchObject({ kind: "acquired", attempt: 1 });
      await one.jobs.create({ id: "job", type: "work", tenant: undefined, owner: "ada", input: {} });
      expect(await one.jobs.claim(claim)).toMatchObject([{ id: "job" }]);
      const seen = new Set<unknown>();
      for (const untilMs = performance.now() + 5_000; performance.now() < untilMs; await sleep(500)) {
        seen.add((await other.idempotency.begin("key", { ...request, operationId: "second" })).kind);
        seen.add(await other.jobs.recover?.());
        seen.add((await other.jobs.claim(claim)).length);
      }
      expect([...seen]).toEqual(["inFlight", 0]);
      expect(warn.mock.calls.map(([message]) => String(message))).toEqual([
        expect.stringContaining("PgBouncer"),
        expect.stringContaining("PgBouncer"),
      ]);
    },
  );
});
