// @long

import type { IdempotencyStore, Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { clientOf, type Sent } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";
import { boundStorage } from "../../../tools/storage/boundStorage.js";
import { makeRows } from "../batchKinds.js";
import { shortLeases } from "../batchLeases.js";
import { shopResources } from "../batchShop.js";

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
  const clientOn = (storage: Storage) => clientOf(fullService({ resources: shopResources, storage, limits: { batchItems: 5_000 } }));
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

/** The storage on which the answer to a request cannot be kept, though its slices can. */
function withoutAnswers(storage: Storage): Storage {
  const { idempotency } = storage;
  if (idempotency === undefined) throw new Error("The storage keeps no records.");
  const complete: IdempotencyStore["complete"] = () => Promise.reject(new Error("The process died before the answer was kept."));
  return boundStorage(storage, { idempotency: { ...idempotency, complete } });
}

/** The storage, one of whose reads of rows fails. */
function withOneBadRead(storage: Storage): { readonly storage: Storage; failed(): boolean } {
  let hasFailed = false;
  const fails = () => {
    if (hasFailed) return false;
    hasFailed = true;
    return true;
  };
  const collection: Storage["collection"] = (model) => {
    const inner = storage.collection(model);
    return new Proxy(inner, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== "function") return value;
        if (member !== "get" && member !== "getMany") return value.bind(target);
        return (...values: unknown[]) => (fails() ? Promise.reject(new Error("The connection was reset.")) : value.apply(target, values));
      },
    });
  };
  return { storage: boundStorage(storage, { collection }), failed: () => hasFailed };
}

describe("a slice that an earlier try has recorded", () => {
  const few = [
    {
      name: "updates",
      request: { method: "PATCH", target: "/users/batch", body: { items: [1, 2, 3].map((id) => ({ id, changes: { quantity: 1 } })) } },
      status: 200,
    },
    { name: "deletes", request: { method: "POST", target: "/users/batch-delete", body: { ids: [1, 2, 3] } }, status: 204 },
  ];

  test.each(few)("is not done again one by one where judging it fails once: $name", async ({ request, status }) => {
    const storage = shortLeases(memoryStorage(), 1);
    const clientOn = (on: Storage) => clientOf(fullService({ resources: shopResources, storage: on }));
    const watcher = clientOn(storage);
    await makeRows(watcher);
    const keyed = { ...request, headers: { "idempotency-key": "0123456789abcdef" } };
    const first = await clientOn(withoutAnswers(storage))(keyed);
    const rows = async () => (await watcher({ target: "/users?sort=id" })).text;
    const before = await rows();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const flaky = withOneBadRead(storage);
    const second = await clientOn(flaky.storage)(keyed);
    expect([flaky.failed(), second.headers["idempotent-replayed"]]).toEqual([true, undefined]);
    expect([second.status, second.json.results.map((result: { status: number }) => result.status)]).toEqual([200, [status, status, status]]);
    expect(second.text).toBe(first.text);
    expect(await rows()).toBe(before);
  });
});
