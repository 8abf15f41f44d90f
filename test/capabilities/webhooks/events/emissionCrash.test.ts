// @slow

import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { clientOf, type Received, type Sent } from "../../../tools/client.js";
import { nextCall, sampleNote } from "../../../tools/extent.js";
import { fullService } from "../../../tools/fullService.js";
import { untilAnswered } from "../../../tools/untilAnswered.js";
import { orders, payments, Receiver, register, secrets, shortly } from "../emissionStage.js";
import { order, post, strict } from "../emissionWrites.js";

const leaseMs = 15;

/** The same storage, whose claims to a key are soon over: those of batches would last for minutes. */
function impatient(storage: Storage): Storage {
  const { idempotency } = storage;
  if (idempotency === undefined) throw new Error("The storage keeps no records.");
  const begin: typeof idempotency.begin = (id, request) => idempotency.begin(id, { ...request, leaseMs });
  const replaced = (target: object, own: object) =>
    new Proxy(target, {
      get: (_, member) => {
        const value: unknown = Reflect.get(Object.hasOwn(own, member) ? own : target, member);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return replaced(storage, { idempotency: replaced(idempotency, { begin }) }) as Storage;
}

/** A write, and what has been heard of it once it has been done. */
interface Flow {
  readonly name: string;
  readonly request: Sent;
  readonly heard: readonly string[];
}

const flows: readonly Flow[] = [
  { name: "POST", request: post("/orders", order(5)), heard: ["order.created 2"] },
  { name: "PUT", request: { method: "PUT", target: "/orders/1", body: { total: 5 } }, heard: ["order.updated 1"] },
  {
    name: "PATCH",
    request: { method: "PATCH", target: "/orders/1", body: { status: "paid", total: 5 } },
    heard: ["order.completed 1", "order.updated 1"],
  },
  { name: "DELETE", request: { method: "DELETE", target: "/orders/1" }, heard: ["order.removed 1"] },
  {
    name: "a batch",
    request: post("/orders/batch", { items: [order(5), order(-1), order(5)] }),
    heard: ["order.created 2", "order.created 3"],
  },
  { name: "an atomic batch", request: post("/orders/batch", { items: [order(5), order(5)] }, strict), heard: ["order.created 2", "order.created 3"] },
  { name: "a create with an effect", request: post("/payments", { total: 5 }), heard: ["payment.made 1"] },
];

const stores: [string, () => Storage][] = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
];

/** What the rows say has happened. Each flow writes 5 where it writes, and there was one order of 1. */
async function happened(send: (sent: Sent) => Promise<Received>): Promise<readonly string[]> {
  const rows = (await send({ target: "/orders?perPage=100&sort=id" })).json.data as readonly { id: number; total: number; status: string }[];
  const made = (await send({ target: "/payments?perPage=100" })).json.data as readonly { id: number }[];
  const events = rows.flatMap(({ id, total, status }) => {
    if (id > 1) return [`order.created ${id}`];
    return total === 1 ? [] : [`order.updated ${id}`, ...(status === "paid" ? [`order.completed ${id}`] : [])];
  });
  const removed = rows.some(({ id }) => id === 1) ? [] : ["order.removed 1"];
  return [...events, ...removed, ...made.map(({ id }) => `payment.made ${id}`)].sort();
}

const serviceOn = (storage: Storage) =>
  fullService({
    resources: [orders, payments],
    storage,
    secrets,
    webhooks: { transport: new Receiver(), work: false },
    idempotency: { leaseMs, waitMs: 50 },
    jobs: false,
  });

describe.each(stores)("a process that dies at any of its calls, on %s", (_store, open) => {
  test.each(flows)(
    `$name: there is an event where there is a row, and one of each in the end${sampleNote}`,
    { timeout: 120_000 },
    async ({ request, heard }) => {
      for (const how of ["before", "after"] as const) {
        let calls = Number.POSITIVE_INFINITY;
        for (let k = nextCall(0); k <= calls; k = nextCall(k)) {
          const storage = open();
          const send = clientOf(serviceOn(storage));
          await send(post("/orders", order(1)));
          const webhook = await register({ send });

          const dying = faultyStorage(impatient(storage), { dieAfter: k, how });
          const headers = { ...request.headers, "idempotency-key": "0123456789abcdef" };
          await clientOf(serviceOn(dying))({ ...request, headers });
          if (!dying.dead) calls = 0;
          const told = async () => [...(await shortly(storage, webhook))].sort();
          expect(await told(), `${how} ${k}`).toEqual(await happened(send));

          const answer = await untilAnswered(() => send({ ...request, headers }));
          expect(answer.status, `${how} ${k}: ${answer.text}`).toBeLessThan(300);
          const types = (events: readonly string[]) => events.map((event) => event.split(" ")[0]);
          // The number that a try has lost is not given again.
          expect(types(await told()), `${how} ${k}, repeated`).toEqual(types(heard));
          expect(await told(), `${how} ${k}, repeated`).toEqual(await happened(send));
          await storage.close?.();
        }
      }
    },
  );
});
