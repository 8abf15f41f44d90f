// @slow

import { randomUUID } from "node:crypto";
import pg from "pg";
import type { ServiceOptions, Storage, Wakeups } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { redisWakeups } from "restwright/redis";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startPgBouncer } from "../../../adapters/stores/postgres/pgbouncer.js";
import { connectRedis } from "../../../adapters/stores/redis/redisServer.js";
import { needs } from "../../../tools/engines.js";
import { eventually } from "../../../tools/eventually.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { temporaryFolder } from "../../../tools/temporary.js";
import { type Process, type ProcessOptions, registerHook, startProcess } from "./stage.js";

type Open = () => Pick<ProcessOptions, "storage" | "wakeups">;

/** Opens one schema as often as there are processes. */
async function postgresPlace(poolSize?: number): Promise<{ readonly url: string; readonly schema: string; readonly open: Open }> {
  const schema = ownSchema();
  const named = new URL(await schema.create());
  named.searchParams.set("application_name", schema.name);
  const url = named.href;
  onTestFinished(() => schema.drop());
  return { url, schema: schema.name, open: () => ({ storage: postgresStorage({ connectionString: url, poolSize }) }) };
}

/** What its connections are called, so that a test finds them among those of others. */
const nameOf = (url: string) => new URL(url).searchParams.get("application_name");

/** A connection with another name. */
async function adminOf(url: string): Promise<pg.Client> {
  const named = new URL(url);
  named.searchParams.delete("application_name");
  const admin = new pg.Client({ connectionString: named.href });
  await admin.connect();
  onTestFinished(() => admin.end());
  return admin;
}

function redisChannel(): () => Wakeups {
  const channel = `restwright:test:${randomUUID()}`;
  return () => {
    const [publisher, subscriber] = [connectRedis(), connectRedis()];
    onTestFinished(() => {
      for (const client of [publisher, subscriber]) client.disconnect();
    });
    return redisWakeups({ publisher, subscriber, channel });
  };
}

async function sqlitePlace(): Promise<Open> {
  const path = `${temporaryFolder()}/data.db`;
  const channel = redisChannel();
  return () => ({ storage: sqliteStorage({ path }), wakeups: channel() });
}

/** Causes work of each kind in one process, and waits until another has begun it. */
async function expectWork(asking: Process, working: Process, name: string): Promise<void> {
  working.began.length = 0;
  await asking.service.submit(name);
  await asking.order();
  await eventually(() => expect(working.began.toSorted()).toEqual([`hook order.created`, `job ${name}`, `mail order.created`]));
}

async function startBoth(open: Open, options: Partial<ProcessOptions> = {}): Promise<{ readonly asking: Process; readonly working: Process }> {
  const asking = await startProcess({ ...open(), work: false });
  const working = await startProcess({ ...open(), work: true, ...options });
  await registerHook(asking);
  return { asking, working };
}

function recordingLogger(): { readonly logged: string[]; readonly logger: ServiceOptions["logger"] } {
  const logged: string[] = [];
  const log = (level: string) => (_: object, message: string) => void logged.push(`${level}: ${message}`);
  return { logged, logger: { error: log("error"), warn: log("warn"), info: log("info"), debug: log("debug") } };
}

/** Until it is certain that the process listens, an event of the past may not have woken it. */
async function untilHeard(asking: Process, working: Process): Promise<void> {
  await eventually(async () => {
    await asking.service.submit(randomUUID());
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(working.began.length).toBeGreaterThan(0);
  });
}

describe("two processes, without polls", () => {
  test("begin each other's work by NOTIFY of PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), async () => {
    const { asking, working } = await startBoth((await postgresPlace()).open);
    await untilHeard(asking, working);
    for (const turn of ["first", "second"]) await expectWork(asking, working, turn);
  });

  test("begin each other's work on one SQLite file by PUBLISH of Redis (set REDIS_URL to run)", needs("redis"), async () => {
    const { asking, working } = await startBoth(await sqlitePlace());
    await untilHeard(asking, working);
    for (const turn of ["first", "second"]) await expectWork(asking, working, turn);
  });

  test("begin what a developer emits in a transaction of his own, after its commit (set POSTGRES_URL to run)", needs("postgres"), async () => {
    const { open, url } = await postgresPlace();
    const { asking, working } = await startBoth(open);
    const storage = postgresStorage({ connectionString: url });
    onTestFinished(() => storage.close?.());
    await untilHeard(asking, working);
    working.began.length = 0;
    await storage.transaction?.(async (tx) => {
      await asking.service.emit({ type: "report.ready", data: {} }, tx);
      // Nothing is sent before the commit.
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(working.began.filter((line) => line.includes("report"))).toEqual([]);
    });
    await eventually(() =>
      expect(working.began.filter((line) => line.includes("report")).toSorted()).toEqual(["hook report.ready", "mail report.ready"]),
    );
  });
});

describe("a listener on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("looks when a process has ended, which may have committed work and told nobody", async () => {
    const { url, open } = await postgresPlace();
    const admin = await adminOf(url);
    const { storage } = open();
    let isMute = false;
    const wakeups: Wakeups = {
      send: async (topics) => void (isMute || (await storage.wakeups?.send(topics))),
      listen: async () => ({ close: async () => {} }),
    };
    const dying = await startProcess({ storage, wakeups, work: false });
    // Its first message opens the connection on which it holds its lock.
    await dying.service.submit("first");
    const held = "select from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and granted and application_name = $1";
    await eventually(async () => expect((await admin.query(held, [nameOf(url)])).rowCount).toBeGreaterThan(0));
    // Before it listens, it has seen which processes live.
    const working = await startProcess({ ...open(), work: true, pollMs: "usual" });
    await untilHeard(dying, working);
    isMute = true;
    working.began.length = 0;
    await dying.order();
    await dying.service.submit("untold");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(working.began).toEqual([]);
    await dying.close();
    const endedMs = performance.now();
    await eventually(() => expect(working.began.toSorted()).toEqual(["job untold", "mail order.created"]));
    // A poll would have come after 18 s at the earliest.
    expect(performance.now() - endedMs).toBeLessThan(15_000);
  });

  test("that is cut off: work begins by polls, and without them when it listens again", async () => {
    const { open, url } = await postgresPlace();
    const { logged, logger } = recordingLogger();
    const { asking, working } = await startBoth(open, { pollMs: "usual", logger });
    const admin = await adminOf(url);
    await untilHeard(asking, working);
    // The connection that listens holds the lock of the process too. Other tests have the same database.
    const own = "select pid from pg_stat_activity where application_name = $1";
    const cut = () => admin.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid in (${own})`, [nameOf(url)]);
    await eventually(async () => {
      await cut();
      expect(logged).toContain("warn: Wake-ups between processes fail; until they arrive again, polls find the work of other processes.");
    });
    await expectWork(asking, working, "cut");
    await eventually(() => expect(logged).toContain("info: Wake-ups between processes arrive again."));
    await expectWork(asking, working, "again");
  });

  test("needs no connection besides that of the presence of its process", async () => {
    const { open, url } = await postgresPlace(2);
    const process = await startProcess({ ...open(), work: true });
    const admin = await adminOf(url);
    await registerHook(process);
    await expectWork(process, process, "own");
    const { rows } = await admin.query("select count(*) as connections from pg_stat_activity where application_name = $1", [nameOf(url)]);
    expect(Number(rows[0].connections)).toBeLessThanOrEqual(2 + 1);
  });
});

describe("behind PgBouncer in transaction mode (set PGBOUNCER to run)", needs("postgres", "pgbouncer"), () => {
  test("polls find the work of others, and each process warns once", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const { schema } = await postgresPlace();
    const bouncer = await startPgBouncer("transaction");
    onTestFinished(() => bouncer.end());
    const { logged, logger } = recordingLogger();
    const open = (): { readonly storage: Storage } => {
      const pool = new pg.Pool({ connectionString: bouncer.url, max: 3 });
      onTestFinished(() => pool.end());
      return { storage: postgresStorage({ pool, schema }) };
    };
    const { asking, working } = await startBoth(open, { pollMs: "usual", logger });
    await expectWork(asking, working, "pooled");
    const messages = warn.mock.calls.map(([message]) => String(message));
    expect(messages.filter((message) => message.includes("nor hear of new work"))).toEqual(messages);
    expect([1, 2]).toContain(messages.length);
    expect(logged.filter((line) => line.includes("Wake-ups"))).toEqual([]);
  });
});
