import type { Sent } from "../../tools/client.js";

/** A POST of JSON. */
export const post = (target: string, body: object, headers: Sent["headers"] = {}): Sent => ({ method: "POST", target, body, headers });
/** All or none. */
export const strict = { prefer: "handling=strict" };
export const order = (total: number, more: object = {}) => ({ total, ...more });

/** Writes, and what a webhook that asks for everything hears of them. */
export interface Write {
  readonly name: string;
  /** Sent before anybody listens. */
  readonly before?: readonly Sent[];
  readonly requests: readonly Sent[];
  /** Statuses of their answers. */
  readonly statuses: readonly number[];
  /** Types with the ids of the rows. */
  readonly heard: readonly string[];
}

/** Orders 1 and 2. */
export const two: readonly Sent[] = [post("/orders", order(1, { code: "a" })), post("/orders", order(2))];
const jsonPatch = { "content-type": "application/json-patch+json" };

export const writes: readonly Write[] = [
  { name: "POST", requests: [post("/orders", order(1))], statuses: [201], heard: ["order.created 1"] },
  { name: "a POST that is refused", requests: [post("/orders", order(-1))], statuses: [422], heard: [] },
  { name: "a POST that breaks a unique key", before: two, requests: [post("/orders", order(3, { code: "a" }))], statuses: [422], heard: [] },
  {
    name: "PUT",
    before: two,
    requests: [{ method: "PUT", target: "/orders/1", body: { total: 9 } }],
    statuses: [200],
    heard: ["order.updated 1"],
  },
  {
    name: "PATCH, which may cause two events",
    before: two,
    requests: [
      { method: "PATCH", target: "/orders/1", body: { total: 9 } },
      { method: "PATCH", target: "/orders/1", body: { status: "paid" } },
      { method: "PATCH", target: "/orders/1", body: { total: 8 } },
    ],
    statuses: [200, 200, 200],
    heard: ["order.updated 1", "order.updated 1", "order.completed 1", "order.updated 1"],
  },
  {
    name: "JSON Patch",
    before: two,
    requests: [
      { method: "PATCH", target: "/orders/1", headers: jsonPatch, body: [{ op: "replace", path: "/status", value: "paid" }] },
      { method: "PATCH", target: "/orders/1", headers: jsonPatch, body: [{ op: "test", path: "/total", value: 77 }] },
    ],
    statuses: [200, 409],
    heard: ["order.updated 1", "order.completed 1"],
  },
  {
    name: "a PATCH that changes no value causes none",
    before: two,
    requests: [{ method: "PATCH", target: "/orders/1", body: { total: 1 } }],
    statuses: [200],
    heard: [],
  },
  {
    name: "a PATCH under a stale If-Match",
    before: two,
    requests: [{ method: "PATCH", target: "/orders/1", body: { total: 5 }, headers: { "if-match": '"old"' } }],
    statuses: [412],
    heard: [],
  },
  {
    name: "DELETE, once",
    before: two,
    requests: [
      { method: "DELETE", target: "/orders/1" },
      { method: "DELETE", target: "/orders/1" },
    ],
    statuses: [204, 404],
    heard: ["order.removed 1"],
  },
  {
    name: "a batch of creates: those that succeed",
    requests: [post("/orders/batch", { items: [order(1), order(-1), order(3, { code: "a" }), order(4, { code: "a" })] })],
    statuses: [207],
    heard: ["order.created 1", "order.created 2"],
  },
  {
    name: "a batch of updates: those that succeed",
    before: two,
    requests: [
      {
        method: "PATCH",
        target: "/orders/batch",
        body: {
          items: [
            { id: 1, changes: { status: "paid" } },
            { id: 99, changes: { total: 1 } },
            { id: 2, changes: { total: 5 } },
          ],
        },
      },
    ],
    statuses: [207],
    heard: ["order.updated 1", "order.completed 1", "order.updated 2"],
  },
  {
    name: "a batch of deletes: those that succeed",
    before: two,
    requests: [post("/orders/batch-delete", { ids: [1, 99, 2] })],
    statuses: [207],
    heard: ["order.removed 1", "order.removed 2"],
  },
  {
    name: "an atomic batch that succeeds",
    requests: [post("/orders/batch", { items: [order(1), order(2), order(3)] }, strict)],
    statuses: [200],
    heard: ["order.created 1", "order.created 2", "order.created 3"],
  },
  {
    name: "an atomic batch that is rolled back",
    before: two,
    requests: [
      post("/orders/batch", { items: [order(1), order(2, { code: "a" })] }, strict),
      {
        method: "PATCH",
        target: "/orders/batch",
        body: {
          items: [
            { id: 1, changes: { total: 4 } },
            { id: 99, changes: {} },
          ],
        },
        headers: strict,
      },
      post("/orders/batch-delete", { ids: [1, 99] }, strict),
    ],
    statuses: [422, 422, 422],
    heard: [],
  },
  {
    name: "operations of all kinds in one request",
    requests: [
      post("/batch", {
        operations: [
          { name: "made", method: "POST", url: "/orders", body: order(1) },
          { method: "PATCH", url: "/orders/{made.data.id}", body: { status: "paid" } },
          { method: "POST", url: "/notes", body: { text: "nobody hears of it" } },
          { method: "DELETE", url: "/orders/99" },
          { method: "DELETE", url: "/orders/{made.data.id}" },
        ],
      }),
    ],
    statuses: [207],
    heard: ["order.created 1", "order.updated 1", "order.completed 1", "order.removed 1"],
  },
  {
    name: "operations of all kinds, all or none: none",
    requests: [
      post(
        "/batch",
        {
          operations: [
            { method: "POST", url: "/orders", body: order(1) },
            { method: "DELETE", url: "/orders/99" },
          ],
        },
        strict,
      ),
    ],
    statuses: [422],
    heard: [],
  },
  {
    name: "a write by filter",
    before: [...two, post("/orders", order(50))],
    requests: [post("/orders/bulk-update?total[lt]=10", { status: "paid" }), { method: "DELETE", target: "/orders?total[gt]=10&confirm=true" }],
    statuses: [200, 200],
    heard: ["order.updated 1", "order.completed 1", "order.updated 2", "order.completed 2", "order.removed 3"],
  },
  {
    name: "a create with an effect, where the effect was not refused",
    requests: [post("/payments", { total: 7 }), post("/payments", { total: 700 })],
    statuses: [201, 403],
    heard: ["payment.made 1"],
  },
  {
    name: "a batch of creates with effects",
    requests: [post("/payments/batch", { items: [{ total: 7 }, { total: 700 }, { total: 8 }] })],
    statuses: [207],
    heard: ["payment.made 1", "payment.made 2"],
  },
];
