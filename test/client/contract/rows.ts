import { ApiError, attempt, etagOf } from "restwright/client";
import type { ContractCase, Stage } from "./place.js";

const newOrder = async ({ client, newUser }: Stage, total = 10) =>
  client().orders.create({ customerId: (await client().users.create(newUser())).id, total, currency: "EUR" });

/** Class, status and code of an error. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  const made = await attempt(call);
  if (made.ok) return "no error";
  if (!(made.error instanceof ApiError)) return (made.error as Error).name;
  const { name, status, code } = made.error;
  return `${name} ${status} ${code}`;
}

/** Calls of single rows and of lists. */
export const rowCases: readonly ContractCase[] = [
  {
    name: "creates, reads, changes, replaces and removes a row",
    async run({ client, newUser }) {
      const { users } = client();
      const made = await users.create({ ...newUser(), tags: ["a"], address: { city: "Rome", country: "Italy" } });
      const read = await users.get(made.id);
      const changed = await users.update(made.id, { address: { city: "Milan" } });
      const replaced = await users.replace(made.id, newUser());
      const removed = await users.remove(made.id);
      const isSame = JSON.stringify(read) === JSON.stringify(made);
      return [made.tags, isSame, changed.address, replaced.tags, removed ?? null, await refusalOf(users.get(made.id))];
    },
    expected: [["a"], true, { city: "Milan", country: "Italy" }, [], null, "NotFoundError 404 NOT_FOUND"],
  },
  {
    name: "chooses fields, and includes related rows",
    async run(stage) {
      const { id, customerId } = await newOrder(stage);
      const { customer, ...order } = await stage.client().orders.get(id, { fields: ["total"], include: ["customer"] });
      const user = await stage.client().users.get(customerId, { exclude: ["id", "createdAt", "updatedAt", "email"] });
      return [order, customer?.id === customerId, user.name, Object.keys(user).includes("email")];
    },
    expected: [{ total: 10 }, true, "User 1", false],
  },
  {
    name: "guards writes with the tag of a row, and reads a row only if it has changed",
    async run(stage) {
      const { orders } = stage.client();
      const first = await newOrder(stage);
      const second = await orders.update(first.id, { total: 11 }, { ifMatch: first });
      const stale = await refusalOf(orders.update(first.id, { total: 12 }, { ifMatch: first }));
      const read = await orders.get(first.id);
      const same = (await orders.get(first.id, { ifNoneMatch: read })) === read;
      await orders.update(first.id, { total: 13 });
      const fresh = await orders.get(first.id, { ifNoneMatch: read });
      return [/^"/.test(etagOf(first) ?? ""), second.total, stale, same, fresh.total, await refusalOf(orders.remove(first.id, { ifMatch: read }))];
    },
    expected: [true, 11, "PreconditionFailedError 412 PRECONDITION_FAILED", true, 13, "PreconditionFailedError 412 PRECONDITION_FAILED"],
  },
  {
    name: "changes a row by a function of it, from several callers at once",
    async run(stage) {
      const { id } = await newOrder(stage, 1);
      const add = () => stage.client().orders.update(id, ({ total = 0 }) => ({ total: total + 1 }));
      await Promise.all([add(), add()]);
      return (await stage.client().orders.get(id)).total;
    },
    expected: 3,
  },
  {
    name: "calls an action of a row",
    async run(stage) {
      const { id } = await newOrder(stage);
      const { status, cancelReason } = await stage.client().orders.cancel(id, { reason: "late" });
      return [status, cancelReason, await refusalOf(stage.client().orders.cancel(id, { reason: "late" }))];
    },
    expected: ["void", "late", "ConflictError 409 ORDER_NOT_OPEN"],
  },
  {
    name: "sends a filter in the query string, or in a body if it must",
    async run(stage) {
      const { customerId } = await newOrder(stage, 77);
      const sent: string[] = [];
      const { orders } = stage.client({ onRequest: ({ method, url }) => sent.push(`${method} ${url.replace(/\?.*/, "").replace(/.*\//, "/")}`) });
      const plain = await orders.list({ where: { customerId, total: { gte: 77, lt: 78 }, status: "open" }, fields: ["total"] });
      const either = await orders.list({ where: { customerId, or: [{ status: "paid" }, { note: null }] }, fields: ["total"] });
      return [plain.data, either.data, sent];
    },
    expected: [[{ total: 77 }], [{ total: 77 }], ["GET /orders", "POST /searches"]],
  },
  {
    name: "sends values literally, and dates and bigints as JSON has them",
    async run({ client, newUser }) {
      const { id: customerId } = await client().users.create(newUser());
      const notes = ["a,b", "*", "50%", "[x]", "a+b & c=d", "ünï 🚲", '"q"', ""];
      for (const note of notes) await client().orders.create({ customerId, total: 1, currency: "EUR", note });
      const found: unknown[] = [];
      for (const note of notes) found.push((await client().orders.list({ where: { customerId, note } })).data.map((row) => row.note));
      return [found, await client().orders.count({ where: { customerId, createdAt: { gte: new Date(Date.now() - 600_000) } } })];
    },
    expected: [[["a,b"], ["*"], ["50%"], ["[x]"], ["a+b & c=d"], ["ünï 🚲"], ['"q"'], [""]], 8],
  },
  {
    name: "walks all rows by cursor, pages or some, and stops when the loop is left",
    async run({ client, newUser }) {
      const { id: customerId } = await client().users.create(newUser());
      for (let total = 1; total <= 7; total += 1) await client().orders.create({ customerId, total, currency: "EUR" });
      let requests = 0;
      const { orders } = client({ onRequest: () => (requests += 1) });
      const query = { where: { customerId }, sort: "-total", perPage: 3, fields: ["total"] } as const;
      const totals: unknown[] = [];
      for await (const { total } of orders.walk(query)) totals.push(total);
      const sizes: number[] = [];
      for await (const { data } of orders.walk(query).pages()) sizes.push(data.length);
      const some = await orders.walk(query).toArray({ limit: 2 });
      requests = 0;
      for await (const { total } of orders.walk(query)) if (total === 6) break;
      return [totals, sizes, some, requests];
    },
    expected: [[7, 6, 5, 4, 3, 2, 1], [3, 3, 1], [{ total: 7 }, { total: 6 }], 1],
  },
];
