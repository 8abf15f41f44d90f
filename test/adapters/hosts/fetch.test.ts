// @long

import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { fetchHandler } from "../../../adapters/fetch.js";
import { hostConformance } from "./conformance.js";
import { listen } from "./host.js";

hostConformance({
  name: "fetch",
  framework: false,
  setsHeaders: false,
  parsesBodies: false,
  nodeRequests: false,
  lingers: false,
  start(handle, { mount }) {
    return listen(createServer(getRequestListener(fetchHandler({ handle }, { mount }))));
  },
});
