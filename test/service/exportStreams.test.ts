import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { holdMeter } from "../attacks/holdMeter.js";
import { type FullServiceOptions, fullService } from "../fullService.js";
import { storagePlaces } from "./batchStorages.js";
import { clientOf, requestOf } from "./client.js";
import { fillLines, type Iterations, lines, restOf, rowsOf, streamOf, watchedStorage } from "./exportStage.js";

const target = "/lines/export?format=ndjson";

async function setUp(storage: Storage, options: Partial<FullServiceOptions> = {}, count = 2_100) {
  const state: Iterations = { open: 0, batches: 0 };
  const errors: unknown[] = [];
  const service = fullService({
    resources: [lines],
    storage: watchedStorage(storage, state),
    onError: (error) => void errors.push(error),
    ...options,
  });
  onTestFinished(() => service.close({ graceMs: 0 }));
  await service.start();
  await fillLines(storage, count);
  return { service, state, errors };
}

describe.each(storagePlaces)("the stream of an export on %s", (_, place) => {
  let storage: Storage;

  beforeEach(async () => {
    storage = (await place()).open();
  });

  test("reads as its reader does, and lets go of the store at its end", async () => {
    const { service, state } = await setUp(storage);
    const { body } = await streamOf(service, { target });
    await body.next();
    expect(state).toEqual({ open: 1, batches: 1 });
    expect(rowsOf(await restOf(body))).toHaveLength(2_084);
    expect(state.open).toBe(0);
    // SQLite reads fewer rows at once where they take long.
    expect(state.batches).toBeGreaterThanOrEqual(3);
  });

  test("lets go of the store where the client goes, whether anything was read or not", async () => {
    const { service, state } = await setUp(storage);
    const unread = await streamOf(service, { target });
    await unread.body.return?.();
    expect(state).toEqual({ open: 0, batches: 1 });
    const dropped = await streamOf(service, { target });
    await dropped.body.next();
    await dropped.body.next();
    await dropped.body.return?.();
    expect(state).toEqual({ open: 0, batches: 2 });
    expect(await dropped.body.next()).toMatchObject({ done: true });
  });

  test("reads no row for HEAD, and says the same of the file", async () => {
    const { service, state } = await setUp(storage);
    const [get, head] = [await streamOf(service, { target }), await service.handle(requestOf({ method: "HEAD", target }))];
    await get.body.return?.();
    const { "x-request-id": _get, ...expected } = get.response.headers;
    const { "x-request-id": _head, ...headers } = head?.headers ?? {};
    expect([head?.status, headers, head?.body]).toEqual([200, expected, null]);
    expect(state.batches).toBe(1);
  });
});

describe("the stream of an export", () => {
  test("that fails before its first byte is a problem", async () => {
    const { service, state, errors } = await setUp(memoryStorage());
    state.failAt = 1;
    const { status, json } = await clientOf(service)({ target });
    expect([status, json.code, errors.length]).toEqual([500, "INTERNAL", 1]);
    expect(state.open).toBe(0);
  });

  test("that fails later throws, never ends, and is told to the developer", async () => {
    const { service, state, errors } = await setUp(memoryStorage());
    state.failAt = 2;
    const { body } = await streamOf(service, { target });
    await expect(restOf(body)).rejects.toThrow("the disk is gone");
    expect([errors, state.open]).toMatchObject([[{ message: "the disk is gone" }], 0]);
  });

  test("that nobody reads for a minute lets go of the store, and ends in an error", async () => {
    const timers = new FakeClock();
    const { service, state, errors } = await setUp(memoryStorage(), { timers });
    const { body } = await streamOf(service, { target });
    await body.next();
    timers.advance(59_999);
    expect(state.open).toBe(1);
    timers.advance(1);
    await new Promise(setImmediate);
    expect(state.open).toBe(0);
    await expect(body.next()).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    expect(errors).toEqual([]);
  });

  test("is waited for when the service closes, for as long as it may", async () => {
    const { service } = await setUp(memoryStorage());
    const { body } = await streamOf(service, { target });
    await body.next();
    let isClosed = false;
    const closed = service.close().then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    expect(rowsOf(await restOf(body))).toHaveLength(2_084);
    await closed;
  });

  test("keeps memory flat, and the process to others, for 100,000 rows", async () => {
    const [, sqliteFile] = storagePlaces.find(([name]) => name === "SQLite in a file") ?? [];
    const storage = (await sqliteFile?.())?.open() ?? memoryStorage();
    const { service } = await setUp(storage, {}, 100_000);
    const { body } = await streamOf(service, { target });
    let [bytes, highest] = [0, 0];
    const before = process.memoryUsage().heapUsed;
    const meter = holdMeter();
    meter.start();
    for (let step = await body.next(); step.done !== true; step = await body.next()) {
      bytes += step.value.length;
      highest = Math.max(highest, process.memoryUsage().heapUsed - before);
    }
    const { cpuMs } = meter.stop();
    expect(bytes).toBeGreaterThan(4_000_000);
    expect(highest).toBeLessThan(100 * 1_048_576);
    // What the rows take at a stretch is a few milliseconds; the garbage of other tests adds to it.
    expect(cpuMs).toBeLessThan(300);
  });
});
