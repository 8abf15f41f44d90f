import assert from "node:assert/strict";
import { avatarsCreate, batchCreate, ordersCreate, ordersList, ordersRead, ordersUpdate, usersCreate } from "./shop.js";
import { key, newOrder, newUser, operationsOf, picture } from "./values.js";

/** The status of an answer decides its type. Answers may also be XML, which is a text. */
function rowOf<T extends { status: number }>(answer: T): Exclude<Extract<T, { status: 200 | 201; data: unknown }>["data"], string> {
  if (answer.status >= 300 || !("data" in answer) || typeof answer.data === "string") throw new Error(JSON.stringify(answer));
  return answer.data as Exclude<Extract<T, { status: 200 | 201; data: unknown }>["data"], string>;
}

// Create
const user = rowOf(await usersCreate(newUser(), { headers: key() }));
const order = rowOf(await ordersCreate(newOrder(user.id, 12.5), { headers: key() }));
await ordersCreate(newOrder(user.id, 5));

// List with filters: the answer may be NDJSON, so that the function returns it unread, also if it is JSON
const query = { customerId: user.id, total: { gte: 10 }, status: "open" as const, sort: ["-createdAt" as const, "id" as const], perPage: 5 };
const listed = await ordersList({ ...query, include: ["customer"] });
assert.ok("stream" in listed && !("data" in listed));
const { data: rows } = JSON.parse(await listed.stream.text());
assert.deepEqual(
  rows.map(({ id }: { id: number }) => id),
  [order.id],
);

// Patch with If-Match
const { headers } = await ordersRead(order.id);
const guarded = () => ({ headers: { "If-Match": headers.get("etag") ?? "", ...key() } });
assert.equal(rowOf(await ordersUpdate(order.id, { note: "gift" }, guarded())).note, "gift");
const stale = await ordersUpdate(order.id, { note: "late" }, guarded());
assert.equal(stale.status, 412);

// Multipart
const avatar = await avatarsCreate({ avatar: picture() }, { headers: key() });
assert.equal(avatar.status, 201);

// Batch: a body that may also be a form gets no Content-Type
const batch = await batchCreate({ operations: operationsOf(order.id) }, { headers: { "Content-Type": "application/json", ...key() } });
assert.equal(batch.status, 200);

async function wrong() {
  // @ts-expect-error: no such field
  await ordersList({ totl: 5 });
  // @ts-expect-error: no such operator
  await ordersList({ total: { like: "5" } });
  // @ts-expect-error: a field is missing
  await usersCreate({ name: "Ada" });
}
void wrong;
