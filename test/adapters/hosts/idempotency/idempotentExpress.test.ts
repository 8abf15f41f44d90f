import { createServer } from "node:http";
import { Readable } from "node:stream";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { idempotent } from "../../../../adapters/express.js";
import type { IdempotentHost } from "../../../parts/idempotency/checks/host.js";
import { listen } from "../host.js";
import { idempotentChecks } from "./idempotentChecks.js";

let outer = 0;
const hostHeaders: RequestHandler = (_request, response, next) => {
  outer += 1;
  response.vary("Origin").cookie("host", "1").set("X-Outer", String(outer));
  next();
};

const hostError: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error);
  response
    .status(error.status ?? 500)
    .set("X-Host-Error", "1")
    .send("host error");
};

const parsers = [
  express.json({ limit: "20mb", strict: false }),
  express.text({ type: "text/*" }),
  express.raw({ type: "application/octet-stream" }),
  express.urlencoded(),
];

export const expressHost: IdempotentHost = {
  name: "express",
  parsesBehind: true,
  start({ options, caller, act, parseFirst }) {
    const app = express();
    app.use(hostHeaders);
    const guard = idempotent<express.Request>({ ...options, principal: (request) => caller(request.get("X-User")) });
    const answer: RequestHandler = async (request, response) => {
      const { status = 200, headers = {}, body, stream } = await act({ path: request.path, body: request.body, operationId: request.operationId });
      response.status(status).set(headers);
      if (stream)
        Readable.from(stream)
          .on("error", (error) => response.destroy(error))
          .pipe(response);
      else if (body === undefined) response.end();
      else if (typeof body === "string" || Buffer.isBuffer(body)) response.send(body);
      else response.json(body);
    };
    app.all("/{*path}", ...(parseFirst ? [...parsers, guard] : [guard, ...parsers]), answer);
    app.use(hostError);
    return listen(createServer(app));
  },
};

idempotentChecks(expressHost);
