import Koa from "koa";
import mount from "koa-mount";
import { koaMiddleware } from "restwright/koa";
import type { StartHost } from "./host.js";
import { listening } from "./listening.js";

export const start: StartHost = (service, { port, address, basePath }) => {
  const app = new Koa();
  // The service logs what is worth it; Koa would print every request that breaks off.
  app.silent = true;
  app.use(mount(basePath || "/", koaMiddleware(service)));
  return listening(app.listen(port, address));
};
