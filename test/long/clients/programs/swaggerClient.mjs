import assert from "node:assert/strict";
import SwaggerClient from "swagger-client";
import { key, newOrder, newUser, operationsOf, origin, picture } from "./values.ts";

const client = await SwaggerClient({ url: `${origin}/openapi.json` });

/** Sends an operation by its name; answers of 4xx are thrown with their response. */
const send = (operationId, { parameters = {}, body, type = "application/json" } = {}) =>
  client.execute({ operationId, parameters, requestBody: body, requestContentType: type });

// Create
const { body: user } = await send("users_create", { body: newUser(), parameters: key() });
const { body: order } = await send("orders_create", { body: newOrder(user.id, 12.5), parameters: key() });
await send("orders_create", { body: newOrder(user.id, 5) });

// List with filters
const { body: list } = await send("orders_list", {
  parameters: { customerId: user.id, total: { gte: 10 }, status: "open", sort: ["-createdAt", "id"], include: ["customer"], perPage: 5 },
});
assert.deepEqual(
  list.data.map(({ id }) => id),
  [order.id],
);
const { body: some } = await send("orders_list", { parameters: { id: { in: `${order.id},${order.id + 1}` } } });
assert.equal(some.data.length, 2);

// Patch with If-Match
const { headers } = await send("orders_read", { parameters: { id: order.id } });
const guarded = { parameters: { id: order.id, "If-Match": headers.etag }, type: "application/merge-patch+json" };
const { body: changed } = await send("orders_update", { ...guarded, body: { note: "gift" } });
assert.equal(changed.note, "gift");
await assert.rejects(send("orders_update", { ...guarded, body: { note: "late" } }), { statusCode: 412 });

// Multipart
const avatar = await send("avatars_create", { body: { avatar: picture() }, type: "multipart/form-data" });
assert.equal(avatar.status, 201);

// Batch
const batch = await send("batch_create", { body: { operations: operationsOf(order.id) } });
assert.equal(batch.status, 200);
