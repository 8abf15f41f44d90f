// @long

import { createServer } from "node:http";
import { nodeHandler } from "../../../adapters/node.js";
import { hostConformance } from "./conformance.js";
import { listen } from "./host.js";

hostConformance({
  name: "node:http",
  framework: false,
  setsHeaders: true,
  parsesBodies: false,
  nodeRequests: true,
  lingers: true,
  start(handle, { mount }) {
    const listener = nodeHandler({ handle }, { mount });
    return listen(
      createServer((incoming, outgoing) => {
        outgoing.setHeader("Vary", "Origin");
        outgoing.setHeader("Set-Cookie", "host=1; Path=/");
        listener(incoming, outgoing);
      }),
    );
  },
});
