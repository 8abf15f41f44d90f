import { createService, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { faultyStorage } from "restwright/testing";
import { expect, test } from "vitest";
import { makeRows } from "./batchKinds.js";
import { shortLeases } from "./batchLeases.js";
import { shopResources } from "./batchShop.js";
import { clientOf, type Sent } from "./client.js";

/** One slice and a bit. */
const count = 1_100;
const places = Array.from({ length: count }, (_, at) => at);

const cases: readonly {
  readonly name: string;
  readonly request: Sent;
  readonly needsRows: boolean;
  readonly status: number;
  readonly left: number;
}[] = [
  {
    name: "creates",
    request: { method: "POST", target: "/users/batch", body: { items: places.map((at) => ({ name: `n${at}`, quantity: 1 })) } },
    needsRows: false,
    status: 201,
    left: count,
  },
  {
    name: "updates",
    request: { method: "PATCH", target: "/users/batch", body: { items: places.map((at) => ({ id: at + 1, changes: { quantity: 1 } })) } },
    needsRows: true,
    status: 200,
    left: count,
  },
  {
    name: "deletes",
    request: { method: "POST", target: "/users/batch-delete", body: { ids: places.map((at) => at + 1) } },
    needsRows: true,
    status: 204,
    left: 0,
  },
];

test.each(cases)("$name in several slices happen once, between whichever of them the process dies", async ({ request, needsRows, status, left }) => {
  const keyed = { ...request, headers: { "idempotency-key": "0123456789abcdef" } };
  const clientOn = (storage: Storage) => clientOf(createService({ resources: shopResources, storage, limits: { batchItems: 5_000 } }));
  let calls = Number.POSITIVE_INFINITY;
  // Every row of an update is a call: of those a sample will do.
  for (let k = 1; k <= calls; k += k < 15 || k > count ? 1 : 67) {
    const storage = shortLeases(memoryStorage(), 1);
    const again = clientOn(storage);
    if (needsRows) await makeRows(again, count);
    const dying = faultyStorage(storage, { dieAfter: k, how: "after" });
    await clientOn(dying)(keyed);
    if (!dying.dead) calls = 0;
    await new Promise((resolve) => setTimeout(resolve, 5));
    const answer = await again(keyed);
    const { results, summary } = answer.json;
    expect([k, summary]).toEqual([k, { total: count, succeeded: count, failed: 0 }]);
    expect(results.every((result: { index: number; status: number }, at: number) => result.index === at && result.status === status)).toBe(true);
    expect((await again({ target: "/users?perPage=1" })).json.meta.total).toBe(left);
    if (status === 201) expect(new Set(results.map(({ id }: { id: number }) => id)).size).toBe(count);
  }
});
