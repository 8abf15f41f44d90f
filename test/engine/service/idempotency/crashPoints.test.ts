// @long

import { defineResource, type IdempotencyStore, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, type Sent } from "../../../tools/client.js";
import { nextCall, sampleNote } from "../../../tools/extent.js";
import { fullService } from "../../../tools/fullService.js";
import { untilAnswered } from "../../../tools/untilAnswered.js";

const leaseMs = 15;

const things = defineResource("things", {
  schema: z.object({ id: z.int(), name: z.string(), quantity: z.int().default(0) }),
  generated: { id: "increment" },
});
const named = defineResource("named", { schema: z.object({ id: z.string(), name: z.string() }) });

/** A write, the rows that must be there when it has been done once, and where it is looked at. */
interface Flow {
  readonly request: Sent;
  readonly target: string;
  readonly after: unknown;
}

const flows: readonly [string, Flow][] = [
  [
    "POST",
    {
      request: { method: "POST", target: "/things", body: { name: "new" } },
      target: "/things?fields=name&id[gt]=1",
      after: [{ name: "new" }],
    },
  ],
  [
    "PATCH, counting",
    {
      request: { method: "PATCH", target: "/things/1", body: { quantity: 1 } },
      target: "/things?fields=id,quantity",
      after: [{ id: 1, quantity: 1 }],
    },
  ],
  [
    "JSON Patch",
    {
      request: {
        method: "PATCH",
        target: "/things/1",
        headers: { "content-type": "application/json-patch+json" },
        body: [
          { op: "test", path: "/quantity", value: 0 },
          { op: "replace", path: "/quantity", value: 1 },
        ],
      },
      target: "/things?fields=id,quantity",
      after: [{ id: 1, quantity: 1 }],
    },
  ],
  [
    "PUT",
    { request: { method: "PUT", target: "/things/1", body: { name: "put" } }, target: "/things?fields=id,name", after: [{ id: 1, name: "put" }] },
  ],
  ["PUT that creates", { request: { method: "PUT", target: "/named/a", body: { name: "n" } }, target: "/named", after: [{ id: "a", name: "n" }] }],
  ["DELETE", { request: { method: "DELETE", target: "/things/1" }, target: "/things?fields=id", after: [] }],
];

const stores: [string, () => Storage][] = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
];

/** Where records are kept: beside the rows, or in a store that shares no transaction with them. */
const places: [string, (storage: Storage) => { store: IdempotencyStore } | undefined][] = [
  ["beside the rows", () => undefined],
  ["elsewhere", () => ({ store: required(memoryStorage()) })],
];

function required({ idempotency }: Storage): IdempotencyStore {
  if (idempotency === undefined) throw new Error("The store keeps no records.");
  return idempotency;
}

describe.each(stores)("%s", (_, open) => {
  describe.each(places)("with records %s", (place, recordsOf) => {
    /** Without a shared transaction only inserts know of the operation: a repeated test or delete finds its own work done. */
    const cases = place === "elsewhere" ? flows.filter(([name]) => name !== "JSON Patch" && name !== "DELETE") : flows;

    test.each(cases)(`%s: whichever call the process dies at, a retry ends in one write${sampleNote}`, async (_name, { request, target, after }) => {
      for (const how of ["before", "after"] as const) {
        let calls = Number.POSITIVE_INFINITY;
        for (let k = nextCall(0); k <= calls; k = nextCall(k)) {
          const storage = open();
          const records = recordsOf(storage);
          const idempotency = { leaseMs, ...records };
          const first = clientOf(fullService({ resources: [things, named], storage, idempotency }));
          expect((await first({ method: "POST", target: "/things", body: { name: "old" } })).status).toBe(201);

          const dying = faultyStorage(storage, { dieAfter: k, how });
          const headers = { ...request.headers, "idempotency-key": "0123456789abcdef" };
          const died = await clientOf(fullService({ resources: [things, named], storage: dying, idempotency }))({ ...request, headers });
          if (!dying.dead) calls = 0;

          const again = clientOf(fullService({ resources: [things, named], storage, idempotency }));
          const answer = await untilAnswered(() => again({ ...request, headers }));
          expect([how, k, answer.status < 300], answer.text).toEqual([how, k, true]);
          expect((await again({ target })).json.data, `${how} ${k}`).toEqual(after);
          // An answer that was given is the answer that is repeated.
          if (died.status < 300) expect(answer.text).toBe(died.text);
          const third = await again({ ...request, headers });
          expect([third.status, third.text, third.headers["idempotent-replayed"]]).toEqual([answer.status, answer.text, "true"]);
          await storage.close?.();
        }
      }
    });
  });
});
