import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { constants } from "node:zlib";
import fastifyCompress from "@fastify/compress";
import { getRequestListener } from "@hono/node-server";
import expressCompression from "compression";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { compress } from "hono/compress";
import { type Capability, createService, type Handle } from "restwright";
import { compression } from "restwright/compression";
import { expressHandler } from "restwright/express";
import { fastifyOptions, fastifyPlugin } from "restwright/fastify";
import { honoHandler } from "restwright/hono";
import { memoryStorage } from "restwright/memory";
import { reportTo } from "../tools/control.js";
import { body, type Entrant, path } from "./entrants.js";

/** The answer of a list, without the work of making it. */
const list: Capability = {
  name: "list",
  paths: { list: "the answer that is compressed" },
  open: () => ({
    routes: [
      {
        segments: [path.slice(1)],
        operations: [
          {
            name: "list.read",
            method: "GET",
            safety: "safe",
            run: () => Promise.resolve({ status: 200, headers: { "content-type": "application/json" }, body }),
          },
        ],
      },
    ],
  }),
};

const brotliLevel = 4;
const gzipLevel = 6;

/** A server with our compression, or with that of the host, at the same levels. */
async function serverOf({ host, by }: Entrant): Promise<Server> {
  const ours = by === "restwright" ? [compression({ levels: { br: brotliLevel, gzip: gzipLevel } })] : [];
  const { handle } = createService({ resources: [], storage: memoryStorage(), use: [list, ...ours] });
  if (host === "express") return expressServer(handle, by);
  return host === "fastify" ? fastifyServer(handle, by) : honoServer(handle, by);
}

const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: brotliLevel } };

function expressServer(handle: Handle, by: Entrant["by"]): Server {
  const app = express();
  if (by === "host") app.use(expressCompression({ level: gzipLevel, brotli }));
  return createServer(app.use(expressHandler({ handle })));
}

async function fastifyServer(handle: Handle, by: Entrant["by"]): Promise<Server> {
  const app = Fastify(fastifyOptions());
  if (by === "host") await app.register(fastifyCompress, { brotliOptions: brotli, zlibOptions: { level: gzipLevel } });
  await app.register(fastifyPlugin({ handle }));
  await app.ready();
  return app.server;
}

/** The compressor of Hono has no Brotli and no level: that of the platform is 6. */
function honoServer(handle: Handle, by: Entrant["by"]): Server {
  const app = new Hono();
  if (by === "host") app.use(compress());
  return createServer(getRequestListener(app.use("*", honoHandler({ handle })).fetch));
}

const [host, by] = process.argv.slice(2) as [Entrant["host"], Entrant["by"]];
const server = await serverOf({ host, by });
server.listen(0, "127.0.0.1", () => reportTo((server.address() as AddressInfo).port));
