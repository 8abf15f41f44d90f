import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { StartHost } from "./host.js";
import { listen } from "./listener.js";

export const start: StartHost = (receive, place) => {
  const app = new Hono();
  app.post("/hook", bodyLimit({ maxSize: 1_048_576 }), async (context) => {
    const { status, text } = await receive(context.req.raw.headers, new Uint8Array(await context.req.arrayBuffer()));
    return context.text(text, status);
  });
  return listen(getRequestListener(app.fetch), place);
};
