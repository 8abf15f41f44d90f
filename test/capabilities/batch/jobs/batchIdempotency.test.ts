// @long

import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../../tools/client.js";
import { nextCall, sampleNote } from "../../../tools/extent.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { untilAnswered } from "../../../tools/untilAnswered.js";
import { kindsOn, makeRows, usersAfter } from "../batchKinds.js";
import { shortLeases } from "../batchLeases.js";
import { shopResources } from "../batchShop.js";

const key = { "idempotency-key": "0123456789abcdef" };

/** PostgreSQL is left to the tests of its store: each call that a process can die at is a new schema there. */
const places = storagePlaces.filter(([name]) => name === "memory" || name === "SQLite in memory");

/** Where records are kept: beside the rows, or in a store that shares no transaction with them but dies with the same process. */
const records: readonly [string, (storage: Storage) => Storage, (storage: Storage) => Pick<FullServiceOptions, "storage" | "idempotency">][] = [
  ["beside the rows", (storage) => storage, (storage) => ({ storage, idempotency: { leaseMs: 15 } })],
  [
    "elsewhere",
    (storage) => ({ ...storage, idempotency: shortLeases(memoryStorage()).idempotency }),
    (storage) => ({ storage: { ...storage, idempotency: undefined }, idempotency: { leaseMs: 15, store: storage.idempotency } }),
  ],
];

const modes = ["lenient", "strict"] as const;

describe.each(places)("a process that dies in a batch under a key on %s", (storeName, place) => {
  describe.each(records)("with records %s", (where, withRecords, optionsOf) => {
    const clientOn = (storage: Storage) => clientOf(fullService({ resources: shopResources, ...optionsOf(storage) }));
    const cases = kindsOn(storeName)
      .filter(({ onlyInserts }) => onlyInserts || where === "beside the rows")
      .flatMap((kind) => modes.map((mode) => ({ kind, mode })));

    test.each(cases)(`$mode: $kind.name happen once, whichever call it was${sampleNote}`, async ({ kind, mode }) => {
      const request = { ...kind.request, headers: { ...key, prefer: `handling=${mode}` } };
      for (const how of ["before", "after"] as const) {
        let calls = Number.POSITIVE_INFINITY;
        for (let k = nextCall(0); k <= calls; k = nextCall(k)) {
          const storage = withRecords(shortLeases((await place()).open()));
          const again = clientOn(storage);
          if (kind.needsRows) await makeRows(again);
          else await again({ target: "/users" });

          const dying = faultyStorage(storage, { dieAfter: k, how });
          const died = await clientOn(dying)(request);
          if (!dying.dead) calls = 0;

          const answer = await untilAnswered(() => again(request));
          const at = `${how} call ${k}: ${answer.text}`;
          expect(answer.status, at).toBe(200);
          const { results, summary } = answer.json;
          expect(summary, at).toEqual({ total: 3, succeeded: 3, failed: 0 });
          expect(
            results.map(({ index, status }: { index: number; status: number }) => [index, status]),
            at,
          ).toEqual([0, 1, 2].map((index) => [index, kind.status]));
          const { ids, users } = await usersAfter(again);
          expect(users, at).toEqual(kind.after);
          if (kind.status === 201)
            expect(
              results.map(({ id }: { id: number }) => id),
              at,
            ).toEqual(ids);
          // An answer that was given is the answer that is repeated.
          if (died.status === 200 && !kind.reads) expect(answer.text).toBe(died.text);
          const third = await again(request);
          expect([third.status, third.text, third.headers["idempotent-replayed"]]).toEqual([200, answer.text, "true"]);
        }
      }
    });
  });
});

test("an operation that was done stays done though what it refers to reads otherwise in the second try", async () => {
  const operations = [
    { name: "a", method: "GET", url: "/users/1" },
    { method: "POST", url: "/users", body: { name: "copy", quantity: { $result: "a.data.quantity" } } },
    { method: "PATCH", url: "/users/1", body: { quantity: 5 } },
  ];
  const request = { method: "POST", target: "/batch", body: { operations }, headers: key };
  let calls = Number.POSITIVE_INFINITY;
  for (let k = 1; k <= calls; k++) {
    const storage = shortLeases(memoryStorage());
    const again = clientOf(fullService({ resources: shopResources, storage }));
    await makeRows(again, 1);
    const dying = faultyStorage(storage, { dieAfter: k });
    await clientOf(fullService({ resources: shopResources, storage: dying }))(request);
    if (!dying.dead) calls = 0;
    const answer = await untilAnswered(() => again(request));
    const statuses = answer.json.results.map(({ status }: { status: number }) => status);
    expect([k, ...statuses], answer.text).toEqual([k, 200, 201, 200]);
    const { users } = await usersAfter(again);
    expect(users, `call ${k}`).toEqual([
      ["n1", 5],
      ["copy", 0],
    ]);
  }
});
