import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import newman from "newman";
import { newOrder, newUser, operationsOf, origin } from "./values.ts";

/** The requests of the collection by method and path, in whichever folder they are. */
const requests = new Map();
function collect(items) {
  for (const item of items) {
    if (item.item !== undefined) collect(item.item);
    else requests.set(`${item.request.method} /${item.request.url.path.join("/")}`, item);
  }
}
const collection = JSON.parse(readFileSync("collection.json", "utf8"));
collect(collection.item);

/** Ticks rows of a table and fills them in, as a person does; what is not there yet becomes a new row. */
function fill(rows, values) {
  for (const [key, value] of Object.entries(values)) {
    const row = rows.find((each) => each.key === key);
    if (row === undefined) rows.push({ key, value: String(value) });
    else Object.assign(row, { value: String(value), disabled: false });
  }
}

/** Sends one request of the collection as it was converted, with what the form got. */
async function send(name, { path = {}, query = {}, headers = {}, body, files } = {}) {
  const item = structuredClone(requests.get(name));
  const { request } = item;
  fill(request.url.variable, path);
  fill(request.url.query, query);
  fill(request.header, headers);
  if (body !== undefined) request.body.raw = JSON.stringify(body);
  if (files !== undefined) request.body.formdata = Object.entries(files).map(([key, src]) => ({ key, type: "file", src }));
  const variable = [{ key: "baseUrl", value: origin }];
  const summary = await new Promise((resolve, reject) => {
    newman.run({ collection: { ...collection, item: [item], variable } }, (error, done) => (error ? reject(error) : resolve(done)));
  });
  const [{ response, requestError }] = summary.run.executions;
  if (requestError) throw requestError;
  const text = response.stream.toString();
  return { status: response.code, tag: response.headers.get("ETag"), row: text === "" ? undefined : JSON.parse(text) };
}

// Create: the example of the document is accepted as it is
assert.equal((await send("POST /users")).status, 201);
const { row: user } = await send("POST /users", { body: newUser() });
const { row: order } = await send("POST /orders", { body: newOrder(user.id, 12.5) });
await send("POST /orders", { body: newOrder(user.id, 5) });

// List with filters: it shows no operators, which are new rows
const query = { customerId: user.id, "total[gte]": 10, status: "open", sort: "-createdAt,id", include: "customer", perPage: 5 };
const { row: list } = await send("GET /orders", { query });
assert.deepEqual(
  list.data.map(({ id }) => id),
  [order.id],
);

// Patch with If-Match
const path = { id: order.id };
const { tag } = await send("GET /orders/:id", { path });
const guarded = { path, headers: { "If-Match": tag, "Content-Type": "application/merge-patch+json" } };
assert.equal((await send("PATCH /orders/:id", { ...guarded, body: { note: "gift" } })).row.note, "gift");
assert.equal((await send("PATCH /orders/:id", { ...guarded, body: { note: "late" } })).status, 412);

// Multipart
writeFileSync("a.png", Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"));
assert.equal((await send("POST /avatars", { files: { avatar: "a.png" } })).status, 201);

// Batch
assert.equal((await send("POST /batch", { body: { operations: operationsOf(order.id) } })).status, 200);
