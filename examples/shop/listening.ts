import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Listening } from "./host.js";

/** Waits until a Node server listens, or fails as it does (`EADDRINUSE`). */
export async function listening(server: Server): Promise<Listening> {
  if (!server.listening) await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}
