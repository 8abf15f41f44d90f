import { readFileSync } from "node:fs";
import type { AddressInfo, Socket } from "node:net";
import { createServer, type TLSSocket, type TlsOptions } from "node:tls";
import type { TransportRequest } from "../../../../src/capabilities/webhooks/delivery/transport.js";

/** A file of `fixtures`; its README says how they were made. */
export const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");

/** What a server does once a whole request has come; `count` is 1 for the first request of a connection. */
export type Respond = (socket: TLSSocket, request: string, count: number) => void;

export interface RawServer {
  readonly port: number;
  /** Connections of TCP that were made. */
  readonly connections: number;
  /** Connections that have ended. */
  readonly ended: number;
  /** Whole requests, as text. */
  readonly requests: readonly string[];
  request(host?: string, changes?: Partial<TransportRequest>): TransportRequest;
  close(): Promise<void>;
}

/** A server that answers bytes, not HTTP, on loopback with a certificate for `hooks.test`, `localhost` and 127.0.0.1. */
export async function startServer(respond: Respond, options: TlsOptions = {}): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  let ended = 0;
  const server = createServer({ cert: fixture("server.pem"), key: fixture("server.key"), ...options }, (socket) => {
    socket.on("close", () => {
      ended += 1;
    });
    let text = "";
    let count = 0;
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n") + 4;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
      if (end < 4 || text.length < end + length) return;
      requests.push(text);
      count += 1;
      respond(socket, text, count);
      text = "";
    });
  });
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
  });
  server.on("tlsClientError", () => {
    ended += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    requests,
    get connections() {
      return connections;
    },
    get ended() {
      return ended;
    },
    request: (host = "hooks.test", changes = {}) => ({
      url: new URL(`https://${host}:${port}/hook?a=b`),
      headers: { "content-type": "application/json", "webhook-id": "evt_1" },
      body: Buffer.from('{"type":"é"}'),
      ...changes,
    }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Writes the start with one piece, then a piece every 20 ms until the connection ends. */
export function drip(socket: TLSSocket, start: string, piece: string): void {
  socket.write(start + piece);
  const interval = setInterval(() => socket.write(piece), 20);
  socket.on("close", () => clearInterval(interval));
}

/** Sends a TCP reset, after what was written has gone out. */
export function reset(socket: TLSSocket): void {
  const { _parent: tcp } = socket as unknown as { _parent?: { resetAndDestroy(): void } };
  if (tcp) tcp.resetAndDestroy();
  else socket.resetAndDestroy();
}
