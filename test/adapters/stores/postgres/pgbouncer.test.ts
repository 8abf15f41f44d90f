// @slow only-in-full

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { startPgBouncer } from "./pgbouncer.js";

type Stores = { readonly [name in keyof Required<Storage>]: NonNullable<Storage[name]> };

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
      const bouncer = await startPgBouncer(mode);
      onTestFinished(() => bouncer.end());
      const open = async () => {
        const pool = new pg.Pool({ connectionString: bouncer.url, max: 3 });
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
