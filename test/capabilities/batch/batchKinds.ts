import type { Received, Sent } from "../../tools/client.js";

/** A batch of one kind over three rows, and how to tell that each of its items has happened once. */
export interface BatchKindCase {
  readonly name: string;
  /** Rows named n1 to n3 are there before, unless the batch makes them. */
  readonly needsRows: boolean;
  readonly request: Sent;
  /** Status of each item that was done. */
  readonly status: number;
  /** Names and quantities of the users afterwards. */
  readonly after: readonly (readonly [name: string, quantity: number])[];
  /** Only inserts know of the operation where the record shares no transaction with the rows. */
  readonly onlyInserts: boolean;
  /** What an operation reads is read again by a second try. */
  readonly reads?: true;
}

const names = ["n1", "n2", "n3"];
const doubled = names.map((name) => [name, 1] as const);

export const batchKinds: readonly BatchKindCase[] = [
  {
    name: "creates",
    needsRows: false,
    request: { method: "POST", target: "/users/batch", body: { items: names.map((name) => ({ name, quantity: 1 })) } },
    status: 201,
    after: doubled,
    onlyInserts: true,
  },
  {
    name: "updates",
    needsRows: true,
    request: { method: "PATCH", target: "/users/batch", body: { items: [1, 2, 3].map((id) => ({ id, changes: { quantity: 1 } })) } },
    status: 200,
    after: doubled,
    onlyInserts: false,
  },
  {
    name: "deletes",
    needsRows: true,
    request: { method: "POST", target: "/users/batch-delete", body: { ids: [1, 2, 3] } },
    status: 204,
    after: [],
    onlyInserts: false,
  },
  {
    name: "deletes of ids by DELETE",
    needsRows: true,
    request: { method: "DELETE", target: "/users", body: { ids: [1, 2, 3] } },
    status: 204,
    after: [],
    onlyInserts: false,
  },
  {
    name: "updates by filter",
    needsRows: true,
    request: { method: "POST", target: "/users/bulk-update?quantity=0", body: { quantity: 1 } },
    status: 200,
    after: doubled,
    onlyInserts: false,
  },
  {
    name: "deletes by filter",
    needsRows: true,
    request: { method: "DELETE", target: "/users?quantity=0&confirm=3" },
    status: 204,
    after: [],
    onlyInserts: false,
  },
  {
    name: "creates of all kinds",
    needsRows: false,
    request: {
      method: "POST",
      target: "/batch",
      body: {
        operations: [
          { name: "a", method: "POST", url: "/users", body: { name: "n1", quantity: 1 } },
          { method: "POST", url: "/users", body: { name: "n2", quantity: { $result: "a.data.quantity" } } },
          { method: "POST", url: "/users", body: { name: "n3", quantity: 1 } },
        ],
      },
    },
    status: 201,
    after: doubled,
    onlyInserts: true,
  },
  {
    name: "operations of all kinds",
    needsRows: true,
    request: {
      method: "POST",
      target: "/batch",
      body: {
        operations: [
          { name: "a", method: "GET", url: "/users/1" },
          { method: "PATCH", url: "/users/{a.id}", headers: { "if-match": "*" }, body: { quantity: 1 } },
          {
            method: "PATCH",
            url: "/users/1",
            headers: { "content-type": "application/json-patch+json" },
            body: [
              { op: "test", path: "/quantity", value: 1 },
              { op: "replace", path: "/quantity", value: 2 },
            ],
          },
        ],
      },
    },
    status: 200,
    after: [
      ["n1", 2],
      ["n2", 0],
      ["n3", 0],
    ],
    onlyInserts: false,
    reads: true,
  },
];

const representatives = ["creates", "updates by filter", "creates of all kinds", "operations of all kinds"];

/** Every kind on the memory store, and on others those that take different ways to it. */
export function kindsOn(place: string): readonly BatchKindCase[] {
  return place === "memory" ? batchKinds : batchKinds.filter(({ name }) => representatives.includes(name));
}

type Send = (sent: Sent) => Promise<Received>;

export async function makeRows(send: Send, count = 3, headers: Record<string, string> = {}): Promise<void> {
  const items = Array.from({ length: count }, (_, at) => ({ name: `n${at + 1}` }));
  for (let first = 0; first < count; first += 1_000) {
    const answer = await send({ method: "POST", target: "/users/batch", body: { items: items.slice(first, first + 1_000) }, headers });
    if (answer.status !== 200) throw new Error(answer.text);
  }
}

/** Names and quantities of the first hundred users, and with their ids. */
export async function usersAfter(send: Send, headers: Record<string, string> = {}) {
  const rows: { id: number; name: string; quantity: number }[] = (await send({ target: "/users?sort=id&perPage=100", headers })).json.data;
  return { ids: rows.map(({ id }) => id), users: rows.map(({ name, quantity }) => [name, quantity]) };
}
