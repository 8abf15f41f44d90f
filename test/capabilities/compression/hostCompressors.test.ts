import { createServer, type RequestListener, type Server } from "node:http";
import fastifyCompress from "@fastify/compress";
import { getRequestListener } from "@hono/node-server";
import expressCompression from "compression";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { compress } from "hono/compress";
import { createService, defineResource, type Service } from "restwright";
import { compression } from "restwright/compression";
import { expressHandler } from "restwright/express";
import { fastifyOptions, fastifyPlugin } from "restwright/fastify";
import { honoHandler } from "restwright/hono";
import { memoryStorage } from "restwright/memory";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { send } from "../../adapters/hosts/client.js";
import { closeServer, listen } from "../../adapters/hosts/host.js";
import { decoded } from "./decoded.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const text = "It was a bright cold day in April, and the clocks were striking thirteen. ".repeat(40);

const served = async (listener: RequestListener): Promise<Server> => createServer(listener);

/** Servers with the usual compressor in front of the service. */
const hosts: Record<string, (service: Service) => Promise<Server>> = {
  compression: ({ handle }) => served(express().use(expressCompression(), expressHandler({ handle }))),
  "@fastify/compress": async ({ handle }) => {
    const app = Fastify(fastifyOptions());
    await app.register(fastifyCompress);
    await app.register(fastifyPlugin({ handle }));
    await app.ready();
    return app.server;
  },
  "hono/compress": ({ handle }) => served(getRequestListener(new Hono().use(compress()).use("*", honoHandler({ handle })).fetch)),
};

async function stage(start: (service: Service) => Promise<Server>, use = [compression({ codings: ["gzip"] })]) {
  const service = createService({ resources: [notes], storage: memoryStorage(), use });
  const server = await start(service);
  const { port } = await listen(server);
  onTestFinished(async () => {
    await closeServer(server);
    await service.close();
  });
  const headers = { "Content-Type": "application/json" };
  const created = await send(port, "/notes", { method: "POST", headers, body: JSON.stringify({ text }) });
  return { port, etag: created.headers.etag ?? "" };
}

test.each(Object.entries(hosts))("%s does not code an answer twice, and keeps its tag", async (_name, start) => {
  const { port, etag } = await stage(start);
  const { status, headers, body } = await send(port, "/notes/1", { headers: { "Accept-Encoding": "gzip" } });
  expect([status, headers["content-encoding"], headers.etag]).toEqual([200, "gzip", `${etag.slice(0, -1)}.gzip"`]);
  expect(JSON.parse(decoded(body, "gzip").toString())).toMatchObject({ text });
  const again = await send(port, "/notes/1", { headers: { "Accept-Encoding": "gzip", "If-None-Match": headers.etag ?? "" } });
  expect([again.status, again.headers.etag]).toEqual([304, headers.etag]);
});

test.each([
  ["compression", (tag: string) => tag],
  ["@fastify/compress", (tag: string) => tag],
  ["hono/compress", (tag: string) => `W/${tag}`],
] as const)("%s alone: what it makes of the tag of an answer that it compresses", async (name, expected) => {
  const { port, etag } = await stage(hosts[name] as (service: Service) => Promise<Server>, []);
  const { headers } = await send(port, "/notes/1", { headers: { "Accept-Encoding": "gzip" } });
  expect([headers["content-encoding"], headers.etag]).toEqual(["gzip", expected(etag)]);
});
