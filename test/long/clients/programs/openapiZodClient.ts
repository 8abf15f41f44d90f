import assert from "node:assert/strict";
import { createApiClient } from "./shop.js";
import { key, newOrder, newUser, operationsOf, origin, picture } from "./values.js";

const shop = createApiClient(origin);

// Zodios answers with the body alone: headers such as ETag are read from its axios
let tag = "";
shop.axios.interceptors.response.use((response) => {
  tag = String(response.headers["etag"]);
  return response;
});

// Create
const user = await shop["users.create"](newUser(), { headers: key() });
const order = await shop["orders.create"](newOrder(user.id, 12.5), { headers: key() });
await shop["orders.create"](newOrder(user.id, 5));

// List with filters
const list = await shop["orders.list"]({
  queries: { customerId: user.id, total: { gte: 10 }, status: "open", sort: ["-createdAt", "id"], include: ["customer"], perPage: 5 },
});
assert.deepEqual(
  list.data.map(({ id }) => id),
  [order.id],
);

// Patch with If-Match
await shop["orders.read"]({ params: { id: order.id } });
const ifMatch = { "If-Match": tag };
const guarded = () => ({ params: { id: order.id }, headers: { ...ifMatch, ...key() } });
const changed = await shop["orders.update"]({ note: "gift" }, guarded());
assert.equal(changed.note, "gift");
await assert.rejects(shop["orders.update"]({ note: "late" }, guarded()), { message: /412/ });

// Multipart
await shop["avatars.create"]({ avatar: picture() });

// Batch
await shop["batch.create"]({ operations: operationsOf(order.id) });

async function wrong() {
  // @ts-expect-error: a field is missing
  await shop["users.create"]({ name: "Ada" });
}
void wrong;
