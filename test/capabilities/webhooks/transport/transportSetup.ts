import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect } from "vitest";
import { type UndiciTransportOptions, undiciTransport } from "../../../../adapters/undici/undiciTransport.js";
import type { Transport, TransportRequest } from "../../../../src/capabilities/webhooks/delivery/transport.js";
import { fixture, type RawServer, type Respond, startServer } from "./transportServer.js";

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

export const ca = fixture("ca.pem");

/** What loopback tests need, and nothing more. */
export const network = { allowCidrs: ["127.0.0.1/32"], ca };

export const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

export const answer: Respond = (socket) => socket.write(ok);

/** A transport for which every name means 127.0.0.1 and that gives a busy machine a minute to answer; it closes after the test. */
export function createTransport(options: UndiciTransportOptions = {}): Transport {
  const transport = undiciTransport({
    network,
    lookup: async () => ["127.0.0.1"],
    connectTimeoutMs: 60_000,
    headTimeoutMs: 60_000,
    bodyMs: 300,
    ...options,
  });
  ends.push(() => transport.close());
  return transport;
}

/** A server that closes after the test. */
export async function serve(...given: Parameters<typeof startServer>): Promise<RawServer> {
  const server = await startServer(...given);
  ends.push(() => server.close());
  return server;
}

/** The port of a server without TLS, which by itself accepts connections and says nothing. */
export async function plainPort(greet: (socket: Socket) => unknown = () => undefined): Promise<number> {
  const server = createServer((socket) => {
    ends.unshift(() => socket.destroy());
    // A client that closes the connection before it has read all resets it.
    socket.on("error", () => undefined);
    greet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A request to whatever is on a port. */
export const requestTo = (port: number): TransportRequest => ({ url: new URL(`https://hooks.test:${port}/`), headers: {}, body: Buffer.from("{}") });

/** Waits until something has become true. */
export async function eventually(isTrue: () => boolean): Promise<void> {
  for (let waitedMs = 0; !isTrue() && waitedMs < 30_000; waitedMs += 10) await sleep(10);
  expect(isTrue()).toBe(true);
}
