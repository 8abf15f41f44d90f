import Koa from "koa";
import mount from "koa-mount";
import { koaMiddleware } from "restwright/koa";
import type { StartHost } from "./host.js";
import { listening } from "./listening.js";

export const start: StartHost = (service, { port, address, basePath }) => {
  const app = new Koa();
  // The service logs errors itself; Koa would also print every aborted request.
  app.silent = true;
  app.use(mount(basePath || "/", koaMiddleware(service)));
  return listening(app.listen(port, address));
};
