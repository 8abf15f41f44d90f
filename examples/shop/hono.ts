import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { honoHandler } from "restwright/hono";
import type { StartHost } from "./host.js";
import { listening } from "./listening.js";

export const start: StartHost = (service, { port, address, basePath }) => {
  const app = new Hono();
  app.use(`${basePath}/*`, honoHandler(service, { mount: basePath }));
  return listening(serve({ fetch: app.fetch, port, hostname: address }) as Server);
};
