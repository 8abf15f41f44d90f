import express from "express";
import type { StartHost } from "./host.js";
import { listen } from "./listener.js";

export const start: StartHost = (receive, place) => {
  const app = express();
  app.disable("x-powered-by");
  // Before any express.json(): what was parsed has lost the bytes that were signed.
  app.post("/hook", express.raw({ type: () => true, limit: "1mb" }), async (request, response) => {
    // Without a body there is no buffer.
    const { status, text } = await receive(request.headers, Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    response.status(status).type("text").send(text);
  });
  return listen(app, place);
};
