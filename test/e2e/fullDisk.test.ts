import { join } from "node:path";
import { createService } from "restwright";
import { sqlStorage } from "restwright/sql";
import { expect, test } from "vitest";
import { sqliteExecutor } from "../../adapters/sql/sqliteExecutor.js";
import { orders, users } from "../../examples/shop/resources.js";
import { clientOf } from "../service/client.js";
import { temporaryFolder } from "./temporary.js";

test("a full disk is 503 with Retry-After for what does not fit, and nothing acknowledged is lost", async () => {
  const executor = sqliteExecutor({ path: join(temporaryFolder(), "shop.db") });
  const limitPages = (pages: number) => executor.query({ text: `pragma max_page_count = ${pages}`, values: [], writes: true, returns: "many" });
  const service = createService({ resources: [users, orders], storage: sqlStorage(executor) });
  const send = clientOf(service);
  await service.start();
  await limitPages(60);

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

  await limitPages(1_000_000);
  expect((await post(100)).status).toBe(201);
  await service.close();
});
