import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Listening } from "./host.js";

/** Waits until a Node server listens; rejects with the server's error, such as `EADDRINUSE`. */
export async function listening(server: Server): Promise<Listening> {
  if (!server.listening) await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close(drain) {
      const ended = once(server, "close");
      server.close();
      server.closeIdleConnections();
      await drain();
      // A connection that has never sent anything does not count as idle. The delay leaves time to write the last answers.
      const impatience = setTimeout(() => server.closeAllConnections(), 500);
      server.closeIdleConnections();
      await ended;
      clearTimeout(impatience);
    },
  };
}
