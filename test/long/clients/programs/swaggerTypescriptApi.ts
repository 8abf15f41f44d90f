import assert from "node:assert/strict";
import { Api, OrderSortKey } from "./shop.js";
import { key, mergePatch, newOrder, newUser, operationsOf, origin, picture } from "./values.js";

const shop = new Api({ baseUrl: origin });

// Answers of more than one media type are read only if the call says how
const json = { format: "json" } as const;

// Create
const { data: user } = await shop.users.usersCreate(newUser(), { ...json, headers: { "Content-Type": "application/json", ...key() } });
const asJson = () => ({ ...json, headers: { "Content-Type": "application/json", ...key() } });
const { data: order } = await shop.orders.ordersCreate(newOrder(user.id, 12.5), asJson());
await shop.orders.ordersCreate(newOrder(user.id, 5), asJson());

// List with filters
const { data: list } = await shop.orders.ordersList(
  { customerId: user.id, total__gte: 10, status: "open", sort: [OrderSortKey.ValueCreatedAt, OrderSortKey.Id], include: ["customer"], perPage: 5 },
  json,
);
assert.deepEqual(
  list.data.map(({ id }) => id),
  [order.id],
);

// Patch with If-Match
const { headers } = await shop.orders.ordersRead(order.id, {}, json);
const guarded = () => ({ ...json, headers: { ...mergePatch, "If-Match": headers.get("etag") ?? "", ...key() } });
const { data: changed } = await shop.orders.ordersUpdate(order.id, { note: "gift" }, guarded());
assert.equal(changed.note, "gift");
await assert.rejects(shop.orders.ordersUpdate(order.id, { note: "late" }, guarded()), { status: 412 });

// Multipart
const avatar = await shop.avatars.avatarsCreate({ avatar: picture() }, { headers: key() });
assert.equal(avatar.status, 201);

// Batch
const batch = await shop.batch.batchCreate({ operations: operationsOf(order.id) });
assert.equal(batch.status, 200);

async function wrong() {
  // @ts-expect-error: no such field
  await shop.orders.ordersList({ totl: 5 });
  // @ts-expect-error: a field is missing
  await shop.users.usersCreate({ name: "Ada" });
}
void wrong;
