// @slow

import { createServer } from "node:http";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { expressHandler } from "../../../adapters/express.js";
import { hostConformance } from "./conformance.js";
import { listen, mountSegments } from "./host.js";

const hostHeaders: RequestHandler = (_request, response, next) => {
  response.vary("Origin").cookie("host", "1");
  next();
};

const hostError: ErrorRequestHandler = (_error, _request, response, _next) => {
  response.status(500).set("X-Host-Error", "1").send("host error");
};

hostConformance({
  name: "express",
  framework: true,
  setsHeaders: true,
  parsesBodies: true,
  nodeRequests: true,
  lingers: true,
  start(handle, { mount, parseBodies }) {
    const app = express();
    app.use(hostHeaders);
    if (parseBodies) app.use(express.json());
    app.use(mountSegments(mount).reduceRight<RequestHandler>((inner, segment) => express.Router().use(segment, inner), expressHandler({ handle })));
    app.get("/own", (_request, response) => void response.send("own route"));
    app.use(hostError);
    return listen(createServer(app));
  },
});
