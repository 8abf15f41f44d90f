// @slow

import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { UndiciTransportOptions } from "../../../../adapters/undici/undiciTransport.js";
import type { AttemptResult } from "../../../../src/capabilities/webhooks/delivery/transport.js";
import { drip, type RawServer, type Respond, reset } from "./transportServer.js";
import { createTransport, eventually, ok, serve } from "./transportSetup.js";

/** What comes of one attempt at a server that does this. */
async function attempt(respond: Respond, options: UndiciTransportOptions = {}): Promise<{ result: AttemptResult; server: RawServer }> {
  const server = await serve(respond);
  const result = await createTransport(options).send(server.request());
  return { result, server };
}

const text = (result: AttemptResult) => Buffer.from(result.bodyHead).toString();

describe("a request", () => {
  test("goes out as HTTP/1.1 with its length, no cookies and no wish for compression", async () => {
    const { result, server } = await attempt((socket) => socket.write(ok));
    expect(result).toEqual({ status: 200, latencyMs: expect.any(Number), retryAfter: undefined, bodyHead: expect.any(Uint8Array), truncated: false });
    expect(text(result)).toBe("ok");
    const [head = "", body] = (server.requests[0] ?? "").split("\r\n\r\n");
    const [line, ...fields] = head.split("\r\n");
    expect(line).toBe("POST /hook?a=b HTTP/1.1");
    expect(fields.sort()).toEqual([
      "accept-encoding: identity",
      "connection: keep-alive",
      "content-length: 13",
      "content-type: application/json",
      `host: hooks.test:${server.port}`,
      "webhook-id: evt_1",
    ]);
    expect(Buffer.from(body ?? "", "latin1").toString()).toBe('{"type":"é"}');
  });

  test("keeps the headers that are the transport's own, whatever is asked for", async () => {
    const server = await serve((socket) => socket.write(ok));
    const headers = { Host: "other.test", "Content-Length": "1", "Accept-Encoding": "gzip", Connection: "close" };
    expect((await createTransport().send(server.request("hooks.test", { headers }))).status).toBe(200);
    expect(server.requests[0]).not.toMatch(/other\.test|gzip|close|length: 1\r/);
  });

  test("of an empty body says so", async () => {
    const server = await serve((socket) => socket.write(ok));
    expect((await createTransport().send(server.request("hooks.test", { body: new Uint8Array(0) }))).status).toBe(200);
    expect(server.requests[0]).toContain("content-length: 0\r\n");
  });

  test("that cannot be written ends as BAD_REQUEST", async () => {
    const server = await serve((socket) => socket.write(ok));
    const result = await createTransport().send(server.request("hooks.test", { headers: { "x-bad": "a\r\nb: c" } }));
    expect([result.errorCode, server.requests]).toEqual(["BAD_REQUEST", []]);
  });

  test("uses the connection of the one before, and another while that is busy", async () => {
    const server = await serve((socket) => setTimeout(() => socket.write(ok), 20));
    const transport = createTransport();
    for (let count = 0; count < 3; count += 1) {
      expect((await transport.send(server.request())).status).toBe(200);
    }
    expect(server.connections).toBe(1);
    await Promise.all([1, 2, 3].map(() => transport.send(server.request())));
    expect(server.connections).toBe(3);
  });

  test("survives that the server has closed the kept connection", async () => {
    const server = await serve((socket) => socket.write(ok, () => setTimeout(() => socket.end(), 5)));
    const transport = createTransport();
    for (let count = 0; count < 3; count += 1) {
      expect((await transport.send(server.request())).status).toBe(200);
      await eventually(() => server.ended === count + 1);
    }
    expect(server.connections).toBe(3);
  });

  test("leaves no connection idle for longer than its time, whatever the server promises", async () => {
    const { server } = await attempt((socket) => socket.write("HTTP/1.1 204 No Content\r\nKeep-Alive: timeout=600\r\n\r\n"), { keepAliveMs: 50 });
    await eventually(() => server.ended === 1);
  });
});

describe("a status", () => {
  test.each([200, 201, 204, 299, 301, 302, 307, 308, 304, 400, 404, 408, 410, 422, 429, 500, 503, 599, 600, 999])(
    "of %i is passed on",
    async (status) => {
      const { result } = await attempt((socket) => socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`));
      expect([result.status, result.errorCode, result.truncated]).toEqual([status, undefined, false]);
    },
  );

  test("of a redirect touches no target", async () => {
    const target = await serve((socket) => socket.write(ok));
    const { result } = await attempt((socket) =>
      socket.write(`HTTP/1.1 301 Moved\r\nLocation: https://127.0.0.1:${target.port}/\r\nContent-Length: 0\r\n\r\n`),
    );
    expect([result.status, target.connections]).toEqual([301, 0]);
  });

  test.each([
    ["Retry-After: 120", "120"],
    ["retry-after: Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:00 GMT"],
    ["Retry-After: -5", "-5"],
    ["Retry-After: 1e9", "1e9"],
    ["Retry-After: 1\r\nRetry-After: 2", "1"],
    [`Retry-After: ${"1".repeat(65)}`, undefined],
    ["X: y", undefined],
  ])("comes with its Retry-After, not judged: %s", async (header, expected) => {
    const { result } = await attempt((socket) => socket.write(`HTTP/1.1 429 Slow\r\n${header}\r\nContent-Length: 0\r\n\r\n`));
    expect([result.status, result.retryAfter]).toEqual([429, expected]);
  });

  test("of 103 is waited past", async () => {
    const { result } = await attempt((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}`));
    expect([result.status, text(result)]).toEqual([200, "ok"]);
  });

  test("of 103 that nothing follows is a timeout", async () => {
    const { result } = await attempt((socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), { headTimeoutMs: 300 });
    expect([result.status, result.errorCode]).toEqual([undefined, "TIMEOUT"]);
  });

  test.each(["Upgrade: websocket\r\nConnection: Upgrade\r\n", ""])("of 101 that nobody asked for ends the connection: %j", async (headers) => {
    const { result, server } = await attempt((socket) => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`));
    expect([result.status, result.errorCode]).toEqual([101, undefined]);
    await eventually(() => server.ended === 1);
  });
});

describe("a body", () => {
  const head = (rest: string) => `HTTP/1.1 200 OK\r\n${rest}\r\n\r\n`;

  test.each([
    ["of 1,024 bytes is kept whole", 1_024, false],
    ["of 1,025 bytes is cut", 1_025, true],
    ["of 100,000 bytes is cut", 100_000, true],
  ])("%s", async (_what, length, truncated) => {
    const { result } = await attempt((socket) => socket.write(head(`Content-Length: ${length}`) + "x".repeat(length)));
    expect([result.status, text(result), result.truncated]).toEqual([200, "x".repeat(Math.min(length, 1_024)), truncated]);
  });

  test("that drips for ever is cut when its time is over", async () => {
    const startMs = performance.now();
    const { result, server } = await attempt((socket) => drip(socket, head("Content-Length: 100000"), "x"));
    expect([result.status, result.errorCode, result.truncated]).toEqual([200, undefined, true]);
    expect(text(result)).toMatch(/^x{3,20}$/);
    // The latency ends with the head.
    expect(performance.now() - startMs - result.latencyMs).toBeGreaterThanOrEqual(290);
    await eventually(() => server.ended === 1);
  });

  test("that drips after a 500 leaves it a 500", async () => {
    const { result } = await attempt((socket) => drip(socket, "HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"));
    expect([result.status, result.truncated]).toEqual([500, true]);
  });

  const flood = (socket: TLSSocket, piece: string) => {
    const pour = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", pour);
    pour();
  };

  test.each([
    ["of 10 GB", "Content-Length: 10000000000", "x".repeat(65_536)],
    ["of endless chunks", "Transfer-Encoding: chunked", `4000\r\n${"x".repeat(0x4000)}\r\n`],
    ["of endless chunks of one byte", "Transfer-Encoding: chunked", "1\r\nx\r\n".repeat(1_000)],
    ["that ends with the connection", "X: y", "x".repeat(65_536)],
  ])("%s ends with the socket after the first bytes", async (_what, header, piece) => {
    const { result, server } = await attempt(
      (socket) => {
        socket.write(head(header));
        flood(socket, piece);
      },
      { bodyMs: 5_000 },
    );
    expect([result.status, text(result), result.truncated]).toEqual([200, "x".repeat(1_024), true]);
    await eventually(() => server.ended === 1);
    await sleep(20);
    expect(server.connections).toBe(1);
  });

  test("that is compressed is kept as it came", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const { result } = await attempt((socket) => {
      socket.write(head(`Content-Encoding: gzip\r\nContent-Length: ${bomb.length}`));
      socket.write(bomb);
    });
    expect(result.status).toBe(200);
    expect(Buffer.from(result.bodyHead)).toEqual(bomb.subarray(0, 1_024));
  });

  test.each([
    ["a reset", (socket: TLSSocket) => reset(socket)],
    ["the end of the connection", (socket: TLSSocket) => socket.end()],
    ["what is no chunk", (socket: TLSSocket) => socket.write("zz\r\n")],
  ])("that breaks off by %s leaves the status", async (_what, breakOff) => {
    const { result } = await attempt((socket) =>
      socket.write(`${head("Transfer-Encoding: chunked")}2\r\nok\r\n`, () => setTimeout(breakOff, 20, socket)),
    );
    expect([result.status, result.errorCode, text(result), result.truncated]).toEqual([200, undefined, "ok", true]);
  });

  test("of several pieces is put together", async () => {
    const { result } = await attempt((socket) => socket.write(`${head("Transfer-Encoding: chunked")}2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n`));
    expect([text(result), result.truncated]).toEqual(["abcde", false]);
  });
});

describe("a server", () => {
  test.each<[what: string, code: string, respond: Respond]>([
    ["that never answers", "TIMEOUT", () => undefined],
    ["that drips header lines", "TIMEOUT", (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", "X: y\r\n")],
    ["that drips one header", "TIMEOUT", (socket) => drip(socket, "HTTP/1.1 200 OK\r\nX: ", "y")],
    ["that sends a header of 70 KB", "BAD_RESPONSE", (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${"y".repeat(70_000)}\r\n\r\n`)],
    ["that sends 70 KB of headers", "BAD_RESPONSE", (socket) => socket.write(`HTTP/1.1 200 OK\r\n${"X: yyyyyyyyyyyyyyyy\r\n".repeat(5_000)}\r\n`)],
    ["that speaks no HTTP", "BAD_RESPONSE", (socket) => socket.write("220 mail.example ESMTP\r\n")],
    ["that speaks HTTP/2", "BAD_RESPONSE", (socket) => socket.write(Buffer.from("000000040000000000", "hex"))],
    ["that sends a status of 099", "BAD_RESPONSE", (socket) => socket.write("HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n")],
    ["that sends a status of 000", "BAD_RESPONSE", (socket) => socket.write("HTTP/1.1 000 Nought\r\nContent-Length: 0\r\n\r\n")],
    ["that sends a status of four digits", "BAD_RESPONSE", (socket) => socket.write("HTTP/1.1 2000 OK\r\n\r\n")],
    ["that sends two lengths", "BAD_RESPONSE", (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")],
    ["that says 100 unasked", "BAD_RESPONSE", (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${ok}`)],
    ["that resets before the head", "CONNECTION_RESET", (socket) => reset(socket)],
    ["that resets within the head", "CONNECTION_RESET", (socket) => socket.write("HTTP/1.1 200 OK\r\n", () => setTimeout(reset, 20, socket))],
    ["that ends before the head", "CONNECTION_CLOSED", (socket) => socket.end()],
    ["that ends within the head", "CONNECTION_CLOSED", (socket) => socket.end("HTTP/1.1 200 OK\r\nX: y")],
  ])("%s ends as %s, and its connection with it", async (_what, code, respond) => {
    const { result, server } = await attempt(respond, { headTimeoutMs: code === "TIMEOUT" ? 300 : 5_000 });
    expect([result.errorCode, result.status, result.bodyHead.length, result.truncated]).toEqual([code, undefined, 0, false]);
    await eventually(() => server.ended === 1);
    // Undici would connect again after a request that was aborted.
    await sleep(20);
    expect([server.connections, server.requests.length]).toEqual([1, 1]);
  });
});
