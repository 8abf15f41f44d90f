import { connect, type Socket } from "node:net";
import { defineResource, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { silentLogger } from "../../../../../src/engine/operation/logging/logger.js";
import { complete } from "../../../../../src/ground/storage/completed/complete.js";
import { type Iterations, watchedStorage } from "../../../../capabilities/transfer/export/exportStage.js";
import { eventually } from "../../../../tools/eventually.js";
import { fullService } from "../../../../tools/fullService.js";
import { send } from "../../client.js";
import type { Host, RunningHost } from "../../host.js";
import { RawConnection } from "../../rawConnection.js";

const pages = defineResource("pages", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });

/** More than the buffers of the kernel hold for a client that does not read. */
const bodyBytes = 100 * 120_000;
const stallMs = 16_000;
/** How often the host looks within the limit. */
const looks = 16;

const get = (path: string, id: string, ...fields: readonly string[]) =>
  `${[`GET ${path} HTTP/1.1`, "Host: x", `X-Request-Id: ${id}`, ...fields].join("\r\n")}\r\n\r\n`;

/** A client that reads only what it is told to. */
function hold(port: number, requests: string): Socket {
  return connect(port, "127.0.0.1")
    .on("error", () => undefined)
    .setNoDelay()
    .on("connect", function (this: Socket) {
      this.write(requests);
    });
}

/** Reads at least `bytes`; fewer if the connection ends. */
async function readFrom(socket: Socket, bytes: number): Promise<number> {
  let received = 0;
  while (received < bytes && !socket.closed) {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) await new Promise(setImmediate);
    else received += chunk.length;
  }
  return received;
}

async function fill(storage: Storage): Promise<void> {
  const rows = complete(storage.collection(pages.model));
  const some = Array.from({ length: 100 }, (_, index) => ({ text: "x".repeat(120_000), _version: `v${index}`, _updatedAt: new Date(0) }));
  await rows.insertMany(some, { tenant: undefined, returning: "none" });
}

/** An answer that nobody reads must not be held for ever, with a connection, a cursor and its body. */
export function unreadChecks(host: Host): void {
  const state: Iterations = { open: 0, batches: 0 };
  const memory = memoryStorage();
  const jobs = memory.jobs ?? expect.fail("The memory storage has no jobs.");
  const clock = new FakeClock();
  let cut: unknown[] = [];
  const service = fullService({
    resources: [pages],
    storage: watchedStorage(memory, state),
    jobs: { work: false },
    timers: clock,
    limits: { answerStallMs: stallMs },
    logger: { ...silentLogger, warn: ({ requestId, path }) => void (requestId !== undefined && cut.push([requestId, path])) },
  });
  let running: RunningHost;
  beforeAll(async () => {
    await service.start();
    await fill(memory);
    running = await host.start(service.handle, { mount: "" });
  });
  beforeEach(() => {
    cut = [];
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });
  const begins = (socket: Socket) => eventually(() => expect(socket.readableLength).toBeGreaterThan(0));
  /** The buffers of the kernel take a part of the answer at first. */
  const looksUntilCut = async () => {
    let looked = 0;
    for (; cut.length === 0 && looked < 1_000; looked += 1) {
      clock.advance(stallMs / looks);
      await new Promise(setImmediate);
    }
    return looked;
  };

  it.each(["/pages?perPage=100", "/pages/export?format=ndjson"])(
    "disconnects a client that reads nothing of %s, and releases what it held",
    async (path) => {
      const socket = hold(running.port, get(path, "held"));
      await begins(socket);
      expect(await looksUntilCut()).toBeGreaterThan(looks);
      expect(cut).toEqual([["held", path.split("?")[0]]]);
      await eventually(() => expect(state.open).toBe(0));
      expect(await readFrom(socket, Number.POSITIVE_INFINITY)).toBeLessThan(bodyBytes);
      clock.advance(3 * stallMs);
      expect(cut).toHaveLength(1);
      expect((await send(running.port, "/pages/1")).status).toBe(200);
    },
  );

  it.each(["/pages?perPage=100", "/pages/export?format=ndjson"])("sends all of %s to a client that reads slowly", async (path) => {
    const socket = hold(running.port, get(path, "slow", "Connection: close"));
    let received = 0;
    while (!socket.closed) {
      received += await readFrom(socket, 512 * 1_024);
      clock.advance(stallMs / 4);
    }
    expect(received).toBeGreaterThan(bodyBytes);
    expect(cut).toEqual([]);
  });

  it("disconnects a client that reads nothing of pipelined answers, once", async () => {
    const socket = hold(running.port, ["first", "second", "third"].map((id) => get("/pages?perPage=100", id)).join(""));
    await begins(socket);
    await looksUntilCut();
    expect(cut).toEqual([["first", "/pages"]]);
    expect(await readFrom(socket, Number.POSITIVE_INFINITY)).toBeLessThan(bodyBytes);
    clock.advance(3 * stallMs);
    expect(cut).toHaveLength(1);
  });

  it("keeps the events of a job that has none to send, and the answer that is pipelined behind them", async () => {
    const headers = { "content-type": "application/json", prefer: "respond-async" };
    const { headers: accepted } = await send(running.port, "/pages/batch", { method: "POST", headers, body: '{"items":[{"text":"a"}]}' });
    const [job = expect.fail()] = await jobs.claim({ types: ["batch"], leaseMs: 60_000, max: 1, maxPerTenant: 100 });
    const connection = new RawConnection(running.port);
    connection.write(get(accepted.location ?? "", "events", "Accept: text/event-stream") + get("/pages?perPage=100", "behind"));
    await eventually(() => expect(connection.socket.bytesRead).toBeGreaterThan(500));
    for (let limits = 0; limits < 10; limits += 1) {
      clock.advance(stallMs / 2);
      await new Promise(setImmediate);
    }
    expect(cut).toEqual([]);
    await jobs.finish(job.lease, { status: "completed" });
    let isRead = false;
    const events = connection.readResponse().finally(() => {
      isRead = true;
    });
    while (!isRead) {
      // The stream of events looks for its job four times a second.
      clock.advance(250);
      await new Promise(setImmediate);
    }
    expect((await events).body).toContain("event: end");
    expect((await connection.readResponse()).body.length).toBeGreaterThan(bodyBytes);
    connection.destroy();
  });
}
