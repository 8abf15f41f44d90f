import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";

/** A certificate and its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Where a receiver listens. */
export interface Place {
  readonly port: number;
  /** Without one it speaks plain HTTP: something in front of it then has to speak TLS, since deliveries come over https only. */
  readonly certificate: Certificate | undefined;
}

/** Serves what a framework made of requests. @returns the port, which is the system's choice for port 0 */
export async function listen(listener: RequestListener, { port, certificate }: Place): Promise<number> {
  const server: Server = certificate === undefined ? createHttpServer(listener) : createHttpsServer(certificate, listener);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
