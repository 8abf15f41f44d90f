// @slow only-in-full

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../../tools/engines.js";
import { ownDatabase } from "../../../tools/storage/postgresSchema.js";
import { startProcess } from "./stage.js";

/** Leases are read more often in the first 20 seconds: a process that this one replaces may just be dying. */
const warmUpMs = 25_000;
const measuredMs = 60_000;
const maxTransactions = 40;

/** How many transactions have ended: the server says so after each. Its own statistics count its own work on new tables too, which other tests cause. */
let transactions = 0;

class Counting extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { readonly connection: NodeJS.EventEmitter };
    connection.on("readyForQuery", ({ status }: { readonly status: string }) => {
      if (status === "I") transactions += 1;
    });
  }
}

describe("a process on PostgreSQL without work (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("makes at most 40 transactions a minute with jobs, webhooks and subscribers", { timeout: 180_000 }, async () => {
    // Processes of other tests that end, or have work, would be looked after.
    const database = ownDatabase();
    const connectionString = await database.create();
    onTestFinished(() => database.drop());
    const pool = new pg.Pool({ connectionString, Client: Counting } as pg.PoolConfig);
    onTestFinished(() => pool.end());
    const warned: string[] = [];
    const warn = (_: object, message: string) => void warned.push(message);
    const logger = { error: warn, warn, info: () => {}, debug: () => {} };
    // As long as they are on average, so that no minute has more polls than another.
    const random = () => 0.5;
    await startProcess({ storage: postgresStorage({ pool }), work: true, pollMs: "usual", logger, random });
    await sleep(warmUpMs);
    const before = transactions;
    await sleep(measuredMs);
    const made = transactions - before;
    expect(warned.filter((message) => message.includes("Wake-ups"))).toEqual([]);
    expect(made).toBeLessThanOrEqual(maxTransactions);
    // It is alive: a look at the locks of all processes every few seconds.
    expect(made).toBeGreaterThan(10);
  });
});
