// @slow

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs, postgresUrl } from "../../../tools/engines.js";
import { startProcess } from "./stage.js";

/** Leases are read more often in the first 20 seconds: a process that this one replaces may just be dying. */
const warmUpMs = 25_000;
const measuredMs = 60_000;
const maxPerMinute = 40;

async function adminOf(connectionString: string | undefined): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

describe("a process on PostgreSQL without work (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("makes at most 40 transactions a minute with jobs, webhooks and subscribers", { timeout: 180_000 }, async () => {
    // Transactions are counted for each database.
    const name = `restwright_idle_${randomUUID().replaceAll("-", "")}`;
    const admin = await adminOf(postgresUrl);
    await admin.query(`create database ${name}`);
    const address = new URL(postgresUrl ?? "");
    address.pathname = `/${name}`;
    onTestFinished(async () => {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    });
    const warned: string[] = [];
    const warn = (_: object, message: string) => void warned.push(message);
    const logger = { error: warn, warn, info: () => {}, debug: () => {} };
    await startProcess({ storage: postgresStorage({ connectionString: address.href }), work: true, pollMs: "usual", logger });
    // Its new tables are no reason for the server to make transactions of its own meanwhile.
    const own = await adminOf(address.href);
    await own.query("vacuum (analyze)");
    await own.end();
    const transactions = async () => {
      const { rows } = await admin.query("select xact_commit + xact_rollback as count from pg_stat_database where datname = $1", [name]);
      return Number(rows[0].count);
    };
    await sleep(warmUpMs);
    const before = await transactions();
    await sleep(measuredMs);
    expect(warned.filter((message) => message.includes("Wake-ups"))).toEqual([]);
    const perMinute = ((await transactions()) - before) * (60_000 / measuredMs);

    expect(perMinute).toBeLessThanOrEqual(maxPerMinute);
    // It is alive: a look at the locks of all processes every few seconds.
    expect(perMinute).toBeGreaterThan(10);
  });
});
