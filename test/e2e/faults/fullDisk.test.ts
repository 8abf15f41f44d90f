// @slow

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sqlStorage } from "restwright/sql";
import { expect, test } from "vitest";
import { sqliteExecutor } from "../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import { orders, users } from "../../../examples/shop/resources.js";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";
import { temporaryFolder } from "../../tools/temporary.js";

test("a full disk is 503 with Retry-After for what does not fit, and nothing acknowledged is lost", async () => {
  const executor = sqliteExecutor({ path: join(temporaryFolder(), "shop.db") });
  const limitPages = (pages: number) => executor.query({ text: `pragma max_page_count = ${pages}`, values: [], writes: true, returns: "many" });
  const service = fullService({ resources: [users, orders], storage: sqlStorage(executor) });
  const send = clientOf(service);
  await service.start();
  const { rows } = await executor.query({ text: "pragma page_count", values: [], writes: true, returns: "many" });
  await limitPages(Number(rows[0]?.["page_count"]) + 30);

  const post = (number: number) =>
    send({ method: "POST", target: "/users", body: { name: `n${number}`, email: `n${number}@example.com`, bio: "x".repeat(9_000) } });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, number) => post(number)));
  const acknowledged = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, json, headers } of refused) {
    expect([status, json.code, headers["retry-after"]]).toEqual([503, "STORAGE_UNAVAILABLE", "5"]);
  }
  for (const { json } of acknowledged) expect((await send({ target: `/users/${json.id}` })).json).toEqual(json);
  expect((await send({ target: "/users" })).json.meta.total).toBe(acknowledged.length);

  expect(await service.ready()).toMatchObject({ ready: false, storage: { ok: false } });

  await limitPages(1_000_000);
  await sleep(1_100);
  expect(await service.ready()).toMatchObject({ ready: true, storage: { ok: true } });
  expect((await post(100)).status).toBe(201);
  await service.close();
});
