import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { nodeHandler } from "restwright/node";
import { sqliteStorage } from "restwright/sqlite";
import { type LiveService, liveService } from "./liveService.js";

/** A server that may end and begin again on the same port. */
export interface Begun {
  readonly port: number;
  readonly service: LiveService;
  end(): Promise<void>;
}

/**
 * Begins a server on a file of SQLite.
 *
 * @param port 0 for any that is free
 * @param page answers requests before the service does; whether it has
 */
export async function begin(path: string, port = 0, page: (...request: Parameters<RequestListener>) => boolean = () => false): Promise<Begun> {
  const storage = sqliteStorage({ path });
  const service = liveService({ storage });
  const handle = nodeHandler(service);
  const server = createServer((request, response) => {
    if (!page(request, response)) handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const end = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service.close({ graceMs: 0 });
    await storage.close?.();
  };
  return { port: (server.address() as AddressInfo).port, service, end };
}
