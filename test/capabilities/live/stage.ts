import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Service } from "restwright";
import { nodeHandler } from "restwright/node";
import { onTestFinished } from "vitest";
import { type LiveService, liveService, type StageOptions } from "./liveService.js";

/** A service that is closed after the test. */
export function serviceOn(options: StageOptions): LiveService {
  const service = liveService(options);
  onTestFinished(() => service.close({ graceMs: 0 }));
  return service;
}

/** Serves it on a port of its own. @returns its address */
export async function served(service: Service): Promise<string> {
  const server = createServer(nodeHandler(service));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
