import { once } from "node:events";
import { createServer } from "node:http";
import { createService, defineResource, type Storage } from "restwright";
import { jobs } from "restwright/jobs";
import { nodeHandler } from "restwright/node";
import { rateLimit } from "restwright/rate-limit";
import { z } from "zod";

/** The code of docs/guides/production.md, which a test compares with the page. */
export const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), text: z.string().min(1) }),
  generated: { id: "increment" },
});

export async function startServer(storage: Storage, port: number) {
  const service = createService({
    resources: [notes],
    storage,
    probes: { health: "/health", ready: "/ready" },
    trustedHops: 1,
    use: [jobs(), rateLimit({ store: storage.rateLimits, policies: [{ name: "minute", limit: 600, windowMs: 60_000, by: "address" }] })],
  });
  // Fails here, and not at the first request, if the database cannot be used.
  await service.start();

  const server = createServer(nodeHandler(service, { mount: "/v1" }));
  server.keepAliveTimeout = 75_000;
  server.headersTimeout = 80_000;
  server.requestTimeout = 0;
  server.listen(port);
  await once(server, "listening");

  async function stop() {
    const ended = once(server, "close");
    server.close();
    server.closeIdleConnections();
    await service.close({ graceMs: 10_000 });
    server.closeAllConnections();
    await ended;
  }
  return { server, stop };
}
