// Serves a small API on a host and talks to it over sockets: node host.js <host> [package of the server].
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { createService, defineResource } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { transfer } from "restwright/transfer";
import { uploads } from "restwright/uploads";
import { z } from "zod";

const [host, serverPackage] = process.argv.slice(2);
const rows = 500;

const hosts = {
  async fastify(service) {
    const { fastify } = await import("fastify");
    const { fastifyPlugin } = await import("restwright/fastify");
    const app = fastify();
    await app.register(fastifyPlugin(service), { prefix: "/v1" });
    await app.listen({ port: 0 });
    return app.server;
  },
  async hono(service) {
    const { serve } = await import(serverPackage);
    const { Hono } = await import("hono");
    const { honoHandler } = await import("restwright/hono");
    const app = new Hono();
    app.use("/v1/*", honoHandler(service, { mount: "/v1" }));
    const server = serve({ fetch: app.fetch, port: 0 });
    await once(server, "listening");
    return server;
  },
  async express(service) {
    const { default: express } = await import("express");
    const { expressHandler } = await import("restwright/express");
    return listening(createServer(express().use("/v1", expressHandler(service))));
  },
  async koa(service) {
    const { default: Koa } = await import("koa");
    const { koaMiddleware } = await import("restwright/koa");
    const { default: mount } = await import("koa-mount");
    return listening(createServer(new Koa().use(mount("/v1", koaMiddleware(service))).callback()));
  },
};

async function listening(server) {
  server.listen(0);
  await once(server, "listening");
  return server;
}

const users = defineResource("users", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const service = createService({
  resources: [users],
  storage: memoryStorage(),
  use: [transfer(), uploads({ blobs: memoryBlobs(), types: "any", forms: { avatars: { types: "any" } } })],
});
for (let id = 1; id <= rows; id += 1) await service.handle(creation(`name ${id}`));
const server = await hosts[host](service);
const { port } = server.address();
const api = `http://localhost:${port}/v1`;

const created = await fetch(`${api}/users`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"Zoë"}' });
assert.deepEqual([created.status, await created.json()], [201, { id: 501, name: "Zoë" }]);

const read = await fetch(`${api}/users/501`);
const text = await read.text();
assert.deepEqual([read.status, text, read.headers.get("content-length")], [200, '{"id":501,"name":"Zoë"}', "24"]);
const unchanged = await fetch(`${api}/users/501`, { headers: { "if-none-match": read.headers.get("etag") } });
assert.deepEqual([unchanged.status, await unchanged.text()], [304, ""]);

// As they are on the wire: `fetch` joins repeated lines.
for (const [method, path, lengths] of [
  ["GET", "/users/501", ["24"]],
  ["HEAD", "/users/501", ["24"]],
  ["GET", "/nothing", [String((await (await fetch(`${api}/nothing`)).arrayBuffer()).byteLength)]],
]) {
  assert.deepEqual([method, path, await lengthsOf(method, path)], [method, path, lengths]);
}

const exported = await fetch(`${api}/users/export?format=ndjson`);
const lines = (await exported.text()).trimEnd().split("\n");
assert.deepEqual([exported.status, exported.headers.get("content-length"), lines.length, JSON.parse(lines[rows]).id], [200, null, 501, 501]);

const bytes = new Uint8Array(300_000).map((_, index) => (index * 31) % 256);
const form = new FormData();
form.append("file", new Blob([bytes]), "picture.bin");
const uploaded = await fetch(`${api}/avatars`, { method: "POST", body: form });
const { url } = await uploaded.json();
assert.equal(uploaded.status, 201);
const file = await fetch(new URL(url, api));
assert.deepEqual([file.status, file.headers.get("content-length"), new Uint8Array(await file.arrayBuffer())], [200, "300000", bytes]);

server.close();
server.closeAllConnections();
await service.close();
process.stdout.write("served");
process.exit(0);

async function lengthsOf(method, path) {
  const outgoing = request({ port, path: `/v1${path}`, method, agent: false }).end();
  const [incoming] = await once(outgoing, "response");
  incoming.resume();
  await once(incoming, "end");
  return incoming.rawHeaders.filter((_, index, all) => index % 2 === 1 && all[index - 1].toLowerCase() === "content-length");
}

function creation(name) {
  return {
    method: "POST",
    path: "/users",
    query: "",
    mount: "/v1",
    headers: ["host", "localhost", "content-type", "application/json"],
    body: { kind: "bytes", bytes: Buffer.from(JSON.stringify({ name })) },
    signal: new AbortController().signal,
    native: undefined,
  };
}
