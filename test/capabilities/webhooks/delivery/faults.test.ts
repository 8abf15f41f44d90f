// @slow

import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { drip, type Respond, reset } from "../transport/transportServer.js";
import { answer, eventually, ok, plainPort, serve } from "../transport/transportSetup.js";
import { deliveredTo, hooks, type Missing } from "./faultsStage.js";

const head = (status: string, ...fields: string[]) => `HTTP/1.1 ${status}\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;
const empty = (status: string, ...fields: string[]) => head(status, ...fields, "Content-Length: 0");
const bomb = gzipSync(Buffer.alloc(20_000_000));

function flood(socket: TLSSocket, start: string, piece: string): void {
  socket.write(start);
  const pour = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on("drain", pour);
  pour();
}

interface Fault {
  readonly fault: string;
  readonly respond: Respond;
  /** What the attempt waits for until its time is over; the others end by themselves. */
  readonly missing?: Missing;
  /** What the delivery log says of the delivery, its first attempt and the webhook. */
  readonly delivery: "succeeded" | "pending" | "dead";
  readonly attempt: object;
  readonly webhook?: object;
}

const failed = { consecutiveFailures: 1, active: true };
const timedOut = { status: null, errorCode: "TIMEOUT", body: "" };
const broken = { status: null, errorCode: "BAD_RESPONSE", body: "" };

const faults: readonly Fault[] = [
  { fault: "accepts, and never answers", respond: () => undefined, missing: "head", delivery: "pending", attempt: timedOut, webhook: failed },
  {
    fault: "drips lines of a head for ever",
    respond: (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", "X-Drip: drop\r\n"),
    missing: "head",
    delivery: "pending",
    attempt: timedOut,
    webhook: failed,
  },
  {
    fault: "sends 103 for ever",
    respond: (socket) => drip(socket, head("103 Early Hints"), head("103 Early Hints")),
    missing: "head",
    delivery: "pending",
    attempt: timedOut,
    webhook: failed,
  },
  {
    fault: "drips a body after 200",
    respond: (socket) => drip(socket, head("200 OK", "Content-Length: 100000"), "x"),
    missing: "body",
    delivery: "succeeded",
    attempt: { status: 200, errorCode: null, body: expect.stringMatching(/^x+$/) },
  },
  {
    fault: "drips a body after 500",
    respond: (socket) => drip(socket, head("500 Oh", "Transfer-Encoding: chunked"), "1\r\nx\r\n"),
    missing: "body",
    delivery: "pending",
    attempt: { status: 500, errorCode: null },
    webhook: failed,
  },
  {
    fault: "sends 10 GB",
    respond: (socket) => flood(socket, head("200 OK", "Content-Length: 10000000000"), "x".repeat(65_536)),
    delivery: "succeeded",
    attempt: { status: 200, body: "x".repeat(1_024) },
  },
  {
    fault: "sends chunks without end",
    respond: (socket) => flood(socket, head("200 OK", "Transfer-Encoding: chunked"), `4000\r\n${"y".repeat(0x4000)}\r\n`),
    delivery: "succeeded",
    attempt: { status: 200, body: "y".repeat(1_024) },
  },
  {
    fault: "sends a gzip bomb",
    respond: (socket) => {
      socket.write(head("200 OK", "Content-Encoding: gzip", `Content-Length: ${bomb.length}`));
      socket.write(bomb);
    },
    delivery: "succeeded",
    attempt: { status: 200, bodyEncoding: "base64", body: bomb.subarray(0, 1_024).toString("base64") },
  },
  {
    fault: "sends a head of 70 KB",
    respond: (socket) => socket.write(empty("200 OK", `X-Long: ${"x".repeat(70_000)}`)),
    delivery: "pending",
    attempt: broken,
    webhook: failed,
  },
  { fault: "speaks another protocol", respond: (socket) => socket.write("220 mail.test ESMTP\r\n"), delivery: "pending", attempt: broken },
  { fault: "answers 099", respond: (socket) => socket.write(empty("099 Odd")), delivery: "pending", attempt: broken },
  {
    fault: "says 100 Continue unasked",
    respond: (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${ok}`),
    delivery: "pending",
    attempt: broken,
  },
  {
    fault: "resets before a head",
    respond: (socket) => reset(socket),
    delivery: "pending",
    attempt: { status: null, errorCode: "CONNECTION_RESET" },
  },
  { fault: "ends before a head", respond: (socket) => socket.end(), delivery: "pending", attempt: { status: null, errorCode: "CONNECTION_CLOSED" } },
  {
    fault: "resets after a head of 200",
    respond: (socket) => socket.write(head("200 OK", "Content-Length: 10"), () => setTimeout(() => reset(socket), 30)),
    delivery: "succeeded",
    attempt: { status: 200, errorCode: null },
  },
  {
    fault: "says 410",
    respond: (socket) => socket.write(empty("410 Gone")),
    delivery: "dead",
    attempt: { status: 410, errorCode: null },
    webhook: { active: false, disabledReason: "gone", consecutiveFailures: 0 },
  },
  {
    fault: "says 404",
    respond: (socket) => socket.write(empty("404 Not Found")),
    delivery: "dead",
    attempt: { status: 404, errorCode: null },
    webhook: failed,
  },
  {
    fault: "answers 600",
    respond: (socket) => socket.write(empty("600 Odd")),
    delivery: "dead",
    attempt: { status: 600, errorCode: "BAD_STATUS" },
    webhook: failed,
  },
];

describe("a receiver that", () => {
  test.each(faults)("$fault", async ({ respond, missing, delivery, attempt, webhook = {} }) => {
    const server = await serve(respond);
    const hook = await deliveredTo(`https://hooks.test:${server.port}/hook`, {}, async ({ giveUp }) => missing && giveUp(missing, server));
    expect(hook.delivery).toMatchObject({ status: delivery, attemptCount: 1, attempts: [{ n: 1, interrupted: false, ...attempt }] });
    expect(hook.delivery.nextAttemptAt === null).toBe(delivery !== "pending");
    expect(hook.webhook).toMatchObject(webhook);
    // Whatever it did, the next one is served.
    const healthy = await serve(answer);
    expect((await hook.deliverTo(`https://hooks.test:${healthy.port}/`)).delivery.status).toBe("succeeded");
  });

  test("moves to a private address is not followed", async () => {
    const target = await serve(answer);
    const server = await serve((socket) => socket.write(empty("301 Moved", `Location: https://127.0.0.1:${target.port}/`)));
    const { delivery, webhook } = await deliveredTo(`https://hooks.test:${server.port}/hook`);
    expect(delivery).toMatchObject({ status: "dead", attempts: [{ status: 301, errorCode: "REDIRECT_REFUSED" }] });
    expect(webhook).toMatchObject(failed);
    await sleep(50);
    expect(target.connections).toBe(0);
  });

  test.each([
    ["120", 120_000],
    ["Fri, 31 Dec 2038 00:00:00 GMT", 86_400_000],
    ["-5", 60_000],
    ["1000000000", 86_400_000],
  ])("says 429 with Retry-After: %s is left alone for that long, a day at most", async (retryAfter, waitsMs) => {
    const server = await serve((socket) => socket.write(empty("429 Slow", `Retry-After: ${retryAfter}`)));
    const { delivery, webhook } = await deliveredTo(`https://hooks.test:${server.port}/hook`);
    const waitMs = Date.parse(delivery.nextAttemptAt ?? "") - Date.parse(delivery.attempts[0]?.startedAt ?? "");
    // The schedule's own minute is a fifth more or less; the attempt itself may take some seconds on a busy machine.
    expect(waitMs).toBeGreaterThan(waitsMs * 0.8 - 1_000);
    expect(waitMs).toBeLessThan(waitsMs * 1.2 + 30_000);
    expect(webhook["pausedUntil"] === null).toBe(retryAfter === "-5");
  });
});

describe("a receiver", () => {
  test("whose certificate nobody knows", async () => {
    const server = await serve(answer);
    const { delivery } = await deliveredTo(`https://hooks.test:${server.port}/`, { ca: [] });
    expect(delivery).toMatchObject({ status: "pending", attempts: [{ status: null, errorCode: "TLS_CERTIFICATE_INVALID" }] });
    expect(server.requests).toEqual([]);
  });

  test("whose certificate is for another name", async () => {
    const server = await serve(answer);
    const { delivery } = await deliveredTo(`https://other.test:${server.port}/`);
    expect(delivery).toMatchObject({ status: "pending", attempts: [{ status: null, errorCode: "TLS_CERTIFICATE_INVALID" }] });
    expect(server.requests).toEqual([]);
  });

  test("that speaks no TLS", async () => {
    const port = await plainPort((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    const { delivery } = await deliveredTo(`https://hooks.test:${port}/`);
    expect(delivery).toMatchObject({ status: "pending", attempts: [{ status: null, errorCode: "TLS_FAILED" }] });
  });

  test("that is not there", async () => {
    const server = await serve(answer);
    await server.close();
    const { delivery } = await deliveredTo(`https://hooks.test:${server.port}/`);
    expect(delivery).toMatchObject({ status: "pending", attempts: [{ status: null, errorCode: "CONNECTION_REFUSED" }] });
  });

  test("whose name nobody knows", async () => {
    const { delivery } = await deliveredTo("https://unknown.test/", { lookup: () => Promise.reject(new Error("ENOTFOUND")) });
    expect(delivery).toMatchObject({ status: "pending", attempts: [{ status: null, errorCode: "DNS_FAILED" }] });
  });

  test("whose name leads to a private address is not asked, and nobody hears which address it is", async () => {
    const server = await serve(answer);
    const { delivery, webhook } = await deliveredTo(`https://hooks.test:${server.port}/`, { allowCidrs: [] });
    expect(delivery).toMatchObject({ status: "dead", attempts: [{ status: null, errorCode: "ADDRESS_BLOCKED", body: "" }] });
    expect(webhook).toMatchObject(failed);
    expect(JSON.stringify(delivery)).not.toContain("127.0.0.1");
    expect(server.connections).toBe(0);
  });

  test("that comes to its senses gets what it has missed, under the same id", async () => {
    let asked = 0;
    const server = await serve((socket) => {
      asked += 1;
      if (asked === 1) socket.end();
      else socket.write(asked === 2 ? empty("503 Busy") : ok);
    });
    const hook = await hooks({ scheduleMs: [0, 20, 20] });
    await hook.listen(`https://hooks.test:${server.port}/`);
    await hook.emit();
    await eventually(() => server.requests.length === 3);
    const { delivery, webhook } = await hook.logged(3);
    expect(delivery).toMatchObject({
      status: "succeeded",
      attempts: [
        { n: 1, status: null, errorCode: "CONNECTION_CLOSED" },
        { n: 2, status: 503 },
        { n: 3, status: 200, body: "ok" },
      ],
    });
    expect(webhook).toMatchObject({ consecutiveFailures: 0 });
    const ids = server.requests.map((request) => /webhook-id: (\S+)/.exec(request)?.[1]);
    expect(ids).toEqual([delivery.eventId, delivery.eventId, delivery.eventId]);
  });
});
