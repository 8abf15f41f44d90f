import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { reportTo } from "../tools/control.js";

/** What the server of a peer is told on its command line. */
export interface PeerPlace {
  /** Where its packages were installed. */
  readonly folder: string;
  /** Path of the file for its rows. */
  readonly location: string;
}

/** Of a server that has one store only; which one it is told is not read. */
export function readPeerPlace(): PeerPlace {
  const { values } = parseArgs({
    options: { store: { type: "string" }, location: { type: "string", default: "" }, folder: { type: "string", default: "" } },
  });
  return { folder: values.folder, location: values.location };
}

/** The part of Fastify that peers on it need. */
export interface FastifyApp {
  register(plugin: unknown, options?: object): unknown;
  listen(options: { readonly port: number; readonly host: string }): Promise<string>;
  readonly server: Server;
}

/** Listens on a free port, and tells it to the measuring process. */
export async function listenOn(app: FastifyApp): Promise<void> {
  await app.listen({ port: 0, host: "127.0.0.1" });
  reportTo((app.server.address() as AddressInfo).port);
}
