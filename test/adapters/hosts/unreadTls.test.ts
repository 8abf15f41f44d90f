import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { FakeClock } from "restwright/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { nodeHandler } from "../../../adapters/node.js";
import type { Handle } from "../../../src/ground/http/message.js";
import { type ListeningHost, listen } from "./host.js";

const pem = (name: string) => readFileSync(fileURLToPath(new URL(`../../capabilities/webhooks/transport/fixtures/${name}`, import.meta.url)));
const bodyBytes = 12_000_000;
const stallMs = 16_000;

describe("an answer in one text over TLS", () => {
  const clock = new FakeClock();
  let stalls = 0;
  const stalled = () => {
    stalls += 1;
  };
  const handle: Handle = async () => ({
    status: 200,
    headers: { "content-length": String(bodyBytes) },
    body: "x".repeat(bodyBytes),
    unread: { stallMs, timers: clock, stalled },
  });
  let host: ListeningHost;
  beforeAll(async () => {
    host = await listen(createServer({ key: pem("server.key"), cert: pem("server.pem") }, nodeHandler({ handle })));
  });
  beforeEach(() => {
    stalls = 0;
  });
  afterAll(() => host.close());

  function send(): TLSSocket {
    const socket = connect({ host: "127.0.0.1", port: host.port, ca: pem("ca.pem") }, () =>
      socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    );
    return socket.on("error", () => undefined);
  }

  test("disconnects a client that reads nothing", async () => {
    const socket = send();
    await new Promise((readable) => socket.once("readable", readable));
    for (let looks = 0; stalls === 0 && looks < 1_000; looks += 1) {
      clock.advance(stallMs / 16);
      await new Promise(setImmediate);
    }
    expect(stalls).toBe(1);
    let received = 0;
    for await (const chunk of socket.iterator({ destroyOnReturn: true })) received += (chunk as Buffer).length;
    expect(received).toBeLessThan(bodyBytes);
  });

  test("sends all of it to a client that reads slowly", async () => {
    const socket = send();
    let [received, sinceLook] = [0, 0];
    while (!socket.closed) {
      const chunk: Buffer | null = socket.read();
      received += chunk?.length ?? 0;
      sinceLook += chunk?.length ?? 0;
      if (sinceLook > 512 * 1_024) {
        clock.advance(stallMs / 4);
        sinceLook = 0;
      }
      if (chunk === null) await new Promise(setImmediate);
    }
    expect(received).toBeGreaterThan(bodyBytes);
    expect(stalls).toBe(0);
  });
});
