import assert from "node:assert/strict";
import { setConfig } from "@kubb/plugin-client/clients/axios";
import { avatarsCreate, batchCreate, ordersCreate, ordersList, ordersRead, ordersUpdate, usersCreate } from "./gen/index.js";
import { key, newOrder, newUser, operationsOf, origin, picture } from "./values.js";

setConfig({ baseURL: origin });

/** Answers may also be XML or CSV, which are texts. */
function rowOf<T>({ data }: { data: T }): Exclude<T, string> {
  if (typeof data === "string") throw new Error("The answer is not JSON.");
  return data as Exclude<T, string>;
}

// Create
const user = rowOf(await usersCreate(newUser(), key()));
const order = rowOf(await ordersCreate(newOrder(user.id, 12.5), key()));
await ordersCreate(newOrder(user.id, 5));

// List with filters
const list = rowOf(
  await ordersList({
    customerId: user.id,
    total: { gte: 10 },
    status: "open",
    sort: ["-createdAt", "id"],
    include: ["customer"],
    perPage: 5,
  }),
);
assert.deepEqual(
  list.data.map(({ id }) => id),
  [order.id],
);

// Patch with If-Match
const { headers } = await ordersRead(order.id);
const tag = String(headers["etag"]);
const changed = await ordersUpdate(order.id, { note: "gift" }, { "If-Match": tag, ...key() });
assert.equal(rowOf(changed)?.note, "gift");
await assert.rejects(ordersUpdate(order.id, { note: "late" }, { "If-Match": tag, ...key() }), { status: 412 });

// Multipart
const avatar = await avatarsCreate({ avatar: picture() }, key());
assert.equal(avatar.status, 201);

// Batch
const batch = await batchCreate({ operations: operationsOf(order.id) }, key());
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
