// @long

import { sqlStorage } from "restwright/sql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dialects } from "../../../../../adapters/stores/sql/engine/engines.js";
import type { SqlExecutor, SqlStatement } from "../../../../../adapters/stores/sql/engine/executor.js";
import { listDeliveries } from "../../../../../adapters/stores/sql/records/webhooks/deliveryLog.js";
import { selectClaimable, selectDueIn } from "../../../../../adapters/stores/sql/records/webhooks/deliveryQueue.js";
import type { DeliveryQuery } from "../../../../../src/ground/storage/queue/deliveries.js";
import { sqlEngines, watched } from "../../../../tools/storage/sqlEngines.js";
import { busyWebhook, claimRequest, eventNamed, maxManyMs, measureClaims, webhookNamed, webhookStoresOf } from "./webhookClaims.js";

const old = new Date("2000-01-01");
const coming = new Date("2100-01-01");

/** What the log of a webhook with thousands of deliveries of one type is asked for, and by which indexes it answers. */
const listed: Readonly<Record<string, { readonly query: Partial<DeliveryQuery>; readonly indexes: readonly string[] }>> = {
  "newest first": { query: { webhook: "other 0" }, indexes: ["log"] },
  "by a type": { query: { type: "webhook.test" }, indexes: ["types"] },
  "by a type and since when": { query: { type: "webhook.test", since: coming }, indexes: ["types", "made"] },
  "by a state": { query: { states: ["dead"] }, indexes: ["states"] },
  "by states": { query: { states: ["dead", "canceled"], order: "asc", after: 7 }, indexes: ["states"] },
  "since when": { query: { since: coming }, indexes: ["made"] },
  "until when": { query: { until: old, order: "asc" }, indexes: ["made"] },
  "since and until when, by a state": { query: { states: ["dead"], since: old, until: coming }, indexes: ["states", "made"] },
  "to be sent again": {
    query: { states: ["dead"], since: old, until: coming, latest: true, order: "asc", after: 7 },
    indexes: ["states", "made", "event"],
  },
};

const engines = sqlEngines(2);

describe.each(Object.entries(engines))("webhooks on %s", async (_name, prepare) => {
  const { openStorage, openExecutor } = await prepare();
  const storages = Array.from({ length: 4 }, openStorage);
  const executor = openExecutor();
  const { deliveries, webhooks } = webhookStoresOf(storages[0] ?? expect.fail());
  const write = (text: string) => executor.query({ text, values: [], writes: true, returns: "none" });
  beforeAll(async () => {
    await Promise.all(storages.map(async (one) => one.migrate?.([])));
  });
  afterAll(async () => {
    for (const storage of storages) await storage.close?.();
    await executor.close?.();
  });

  test("are claimed by four processes, each delivery by exactly one, until none of 200 is left", async () => {
    for (let index = 0; index < 10; index++) await webhooks.create(webhookNamed(`shared ${index}`));
    for (let index = 0; index < 200; index++) await deliveries.enqueue([eventNamed(`shared ${index}`, [`shared ${index % 10}`])]);
    const claimed = await Promise.all(
      storages.map(async (storage) => {
        const ids: string[] = [];
        const store = webhookStoresOf(storage).deliveries;
        for (;;) {
          const some = await store.claim({ ...claimRequest, max: 7, maxPerWebhook: 100 });
          if (some.length === 0) return ids;
          ids.push(...some.map(({ lease }) => lease.id));
        }
      }),
    );
    expect(claimed.flat()).toHaveLength(200);
    expect(new Set(claimed.flat())).toHaveLength(200);
    for (let index = 0; index < 10; index++) await webhooks.remove(`shared ${index}`);
  });

  // 300,000 of them: test/long/races/claims.ts.
  test("are claimed as fast, and as fairly, with 20,000 deliveries of one webhook waiting as with 300", { timeout: 60_000 }, async () => {
    const { fewMs, manyMs, unfair } = await measureClaims(storages[0] ?? expect.fail(), executor, 20_000);
    expect(unfair).toBe(0);
    expect(manyMs).toBeLessThan(maxManyMs(fewMs));
  });

  test("are found by searches of indexes alone", async () => {
    const dialect = dialects[executor.dialect];
    for (const statement of [selectClaimable(dialect, claimRequest, Date.now()), selectDueIn(dialect, 5)]) {
      const plan = await explain(executor, statement);
      expect(plan).toContain("_restwright_deliveries:open");
      expect(plan).toContain("_restwright_deliveries:sending");
      expect(plan).not.toMatch(/SCAN (live|taken|target)\b|:log|Seq Scan on _restwright_deliveries|Bitmap/);
    }
  });

  test("that ended lately are not read when old ones are removed", async () => {
    const statements: SqlStatement[] = [];
    await webhookStoresOf(sqlStorage(watched(executor, statements))).deliveries.sweep(60_000, 10);
    const removing = statements.find(({ text }) => text.startsWith("delete from")) ?? expect.fail();
    await write(`analyze "_restwright_deliveries"`);
    const plan = await explain(executor, removing);
    expect(plan).toContain("_restwright_deliveries:ended");
    expect(plan).toMatch(/ended<\?|Index Cond: \(.*ended </);
  });

  test("are listed by when they were made over days, also where that is not quite the order in which they came", async () => {
    await webhooks.create(webhookNamed("old"));
    const minutes = [-9_000, -3_000, -2_990, -3_020, -1_500, -1_400, -1_445, -1_380, -60, -59, -70, 0];
    const ids = await deliveries.enqueue(minutes.map((minute) => eventNamed(`minute ${minute}`, ["old"])));
    const dayMs = 1_700_000_000_000;
    const madeMs = (index: number) => dayMs + (minutes[index] ?? 0) * 60_000;
    for (const [index, id] of ids.entries()) await write(`update "_restwright_deliveries" set "created" = ${madeMs(index)} where "id" = '${id}'`);
    for (const from of [undefined, ...minutes.keys()]) {
      for (const to of [undefined, ...minutes.keys()]) {
        const [since, until] = [from, to].map((index) => (index === undefined ? undefined : new Date(madeMs(index))));
        const wanted = ids.filter((_id, index) => madeMs(index) >= (since?.getTime() ?? 0) && madeMs(index) < (until?.getTime() ?? dayMs * 2));
        const found = await deliveries.list({ webhook: "old", since, until, order: "asc", limit: 100 });
        expect(found.map(({ id }) => id)).toEqual(wanted);
      }
    }
    await webhooks.remove("old");
  });

  test.each(Object.entries(listed))("are listed %s without a look at all of the log", async (_what, { query, indexes }) => {
    const plan = await explain(executor, listDeliveries(dialects[executor.dialect], { webhook: busyWebhook, limit: 50, ...query }));
    for (const index of indexes) expect(plan).toContain(`_restwright_deliveries:${index}`);
    expect(plan).not.toMatch(/SCAN (listed|made|later)\b|Seq Scan on _restwright_deliveries|pkey/);
  });
});

/** What the engine says that it will do, a line a step. */
async function explain(executor: SqlExecutor, statement: SqlStatement): Promise<string> {
  const prefix = executor.dialect === "sqlite" ? "explain query plan" : "explain (costs off)";
  const { rows } = await executor.query({ ...statement, text: `${prefix} ${statement.text}`, writes: false, returns: "many" });
  return rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n");
}
