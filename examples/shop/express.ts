import express from "express";
import { expressHandler } from "restwright/express";
import type { StartHost } from "./host.js";
import { listening } from "./listening.js";

export const start: StartHost = (service, { port, address, basePath }) => {
  const app = express();
  app.disable("x-powered-by");
  app.use(basePath || "/", expressHandler(service));
  return listening(app.listen(port, address));
};
