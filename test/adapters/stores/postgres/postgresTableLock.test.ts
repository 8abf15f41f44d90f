// @long

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { defineResource } from "restwright";
import { batch } from "restwright/batch";
import { postgresStorage } from "restwright/postgres";
import { testService } from "restwright/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const orders = defineResource("orders", { schema: z.object({ id: z.string(), title: z.string() }), generated: { id: "ulid" } });
const teams = defineResource("teams", { schema: z.object({ id: z.string() }) });
const bills = defineResource("bills", {
  schema: z.object({ id: z.int(), title: z.string() }),
  generated: { id: "database" },
  table: { name: "old_bills", managed: false, version: "hash", tenant: "shared" },
});

const everyMs = 100;

describe("while another program locks tables of PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const place = ownSchema();
  let other: pg.Client;
  let pool: pg.Pool;
  let service: ReturnType<typeof testService>;

  beforeAll(async () => {
    const connectionString = await place.create();
    other = new pg.Client({ connectionString });
    await other.connect();
    await other.query("create table old_bills (id integer generated always as identity primary key, title text not null)");
    pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 5_000 });
    service = testService({ storage: postgresStorage({ pool }), resources: [orders, teams, bills], use: [batch()] });
    await service.service.start();
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([pool.end(), other.end()]);
    await place.drop();
  });

  interface Answer {
    readonly status: number;
    readonly code: string;
    readonly ms: number;
    /** Whether it was sent after the server could be asked what waits. */
    readonly isLate: boolean;
  }

  async function send(path: string, init: Parameters<typeof service.fetch>[1] = {}, isLate = false): Promise<Answer> {
    const start = performance.now();
    const { status, ok, ...answer } = await service.fetch(path, { as: { id: "ann" }, ...init }).then(async (response) => ({
      status: response.status,
      ok: response.ok,
      body: (await response.json()) as { readonly code?: string },
    }));
    return { status, code: ok ? "" : String(answer.body.code), ms: performance.now() - start, isLate };
  }

  let titles = 0;
  const rowsOf = async () => (await other.query("select title from orders union all select title from old_bills")).rows as { title: string }[];

  /** Sends ten requests a second to locked tables, and ten to another one. */
  async function lockWhile(forMs: number, ask: (path: string, title: string, isLate: boolean) => Promise<Answer>) {
    await other.query("begin; lock table orders, old_bills in access exclusive mode");
    const [asked, reads]: [Promise<Answer & { readonly title: string }>[], Promise<Answer>[]] = [[], []];
    const start = performance.now();
    while (performance.now() - start < forMs) {
      const isLate = performance.now() - start > 1_500;
      const title = `title ${++titles}`;
      asked.push(ask(titles % 2 === 0 ? "/orders" : "/bills", title, isLate).then((answer) => ({ ...answer, title })));
      reads.push(send("/teams", {}, isLate));
      await sleep(everyMs);
    }
    await other.query("rollback");
    const first = await Promise.all(["/orders", "/bills"].map((path) => untilDone(() => ask(path, `title ${++titles}`, false))));
    return { answers: await Promise.all(asked), reads: await Promise.all(reads), first };
  }

  /** The first success: until a statement that waited is answered, others are still refused. */
  async function untilDone(ask: () => Promise<Answer>): Promise<Answer> {
    const start = performance.now();
    for (;;) {
      const answer = { ...(await ask()), ms: performance.now() - start };
      if (answer.status < 300 || answer.ms > 1_000) return answer;
      await sleep(10);
    }
  }

  type Locked = Awaited<ReturnType<typeof lockWhile>>;

  function expectBounded({ answers, reads, first }: Locked): void {
    expect(reads.filter(({ status, ms }) => status !== 200 || ms >= 1_000)).toEqual([]);
    expect(first.filter(({ status, ms }) => status >= 300 || ms >= 1_000)).toEqual([]);
    const failed = answers.filter(({ status }) => status >= 300);
    expect(new Set(failed.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(["503 STORAGE_UNAVAILABLE"]));
    // Others still wait, and are answered when the lock ends.
    expect(answers.length - failed.length).toBeGreaterThan(1);
    const late = failed.filter(({ isLate }) => isLate);
    expect(late.length).toBeGreaterThan(10);
    expect(late.filter(({ ms }) => ms > 500)).toEqual([]);
  }

  /** Once more where a busy machine let answers wait; what is lost or doubled fails at once. */
  async function untilBounded(lock: () => Promise<Locked>): Promise<void> {
    for (let retries = 3; ; retries--) {
      const locked = await lock();
      try {
        return expectBounded(locked);
      } catch (error) {
        if (retries === 0) throw error;
      }
    }
  }

  const ways = [
    ["single writes", (path, title, isLate) => send(path, { method: "POST", json: { title } }, isLate)],
    [
      "writes with an idempotency key",
      (path, title, isLate) =>
        send(path, { method: "POST", json: { title }, headers: { "idempotency-key": `the key of ${title}`.replaceAll(" ", "-") } }, isLate),
    ],
    [
      "batches",
      (path, title, isLate) =>
        send(`${path}/batch`, { method: "POST", json: { items: [{ title }] }, headers: { prefer: "handling=strict" } }, isLate),
    ],
  ] satisfies [string, Parameters<typeof lockWhile>[1]][];

  test.each(ways)("%s fail early, reads of other tables go on, and no row is lost or doubled", async (_, ask) => {
    await untilBounded(async () => {
      const before = (await rowsOf()).length;
      const locked = await lockWhile(3_500, ask);
      const written = (await rowsOf()).map(({ title }) => title);
      expect(new Set(written).size).toBe(written.length);
      const acknowledged = locked.answers.filter(({ status }) => status < 300).map(({ title }) => title);
      expect(acknowledged.filter((title) => !written.includes(title))).toEqual([]);
      expect(written.length - before).toBe(acknowledged.length + locked.first.length);
      return locked;
    });
  });

  test("reads of it fail early, and those of other tables go on", async () => {
    await untilBounded(() => lockWhile(3_500, (path, _, isLate) => send(path, {}, isLate)));
  });

  test("a table that is only slow is not refused", async () => {
    const storage = postgresStorage({ pool });
    const sleeping = async () => storage.transaction?.(async (tx) => tx.sql?.("select pg_sleep(2)", []));
    const slow = await Promise.all(Array.from({ length: 8 }, sleeping));
    expect(slow.flat().length).toBe(8);
  });
});
