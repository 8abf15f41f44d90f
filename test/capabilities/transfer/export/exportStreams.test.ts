// @long

import type { Storage } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { silentLogger } from "../../../../src/engine/operation/logging/logger.js";
import { holdMeter } from "../../../attacks/holdMeter.js";
import { clientOf, readPieces, requestOf } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
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

describe("the streams of exports", () => {
  const auth = [bearer((token) => ({ id: token, tenant: token === "stranger" ? "other" : undefined }))];
  const as = (who: string) => ({ target, headers: { authorization: `Bearer ${who}` } });

  test("are two for each caller at once, and others wait until one of them ends", async () => {
    const { service, state } = await setUp(memoryStorage(), { auth });
    const send = clientOf(service);
    const [first, second] = [await streamOf(service, as("ann")), await streamOf(service, as("ann"))];
    const { status, headers, json } = await send(as("ann"));
    expect([status, json.code, json.maximum, headers["retry-after"]]).toEqual([429, "TOO_MANY_EXPORTS", 2, "10"]);
    expect((await send({ ...as("ann"), method: "HEAD" })).status).toBe(200);
    expect((await send(as("bob"))).status).toBe(200);
    await restOf(first.body);
    const third = await streamOf(service, as("ann"));
    expect((await send(as("ann"))).status).toBe(429);
    await second.body.return?.();
    expect((await send(as("ann"))).status).toBe(200);
    await third.body.return?.();
    expect(state.open).toBe(0);
  });

  test.each([
    ["that fail before they begin", 1, 500],
    ["that fail on their way", 2, 200],
  ])("%s are no longer counted", async (_, failAt, status) => {
    const { service, state } = await setUp(memoryStorage(), { auth });
    for (let exports = 0; exports < 5; exports++) {
      Object.assign(state, { batches: 0, failAt });
      const response = await service.handle(requestOf(as("ann")));
      expect(response?.status).toBe(status);
      if (status === 200) await expect(readPieces(response?.body ?? null)).rejects.toThrow("the disk is gone");
    }
  });

  test("whose clients stopped reading are no longer counted", async () => {
    const timers = new FakeClock();
    const { service } = await setUp(memoryStorage(), { auth, timers });
    const unread = () => service.fetch(new Request(`http://localhost${target}`, as("ann")));
    const stalled = [await unread(), await unread()];
    expect((await clientOf(service)(as("ann"))).status).toBe(429);
    timers.advance(64_000);
    await new Promise(setImmediate);
    expect((await clientOf(service)(as("ann"))).status).toBe(200);
    for (const { body } of stalled) await expect(body?.getReader().read()).rejects.toThrow("Nothing of the answer was read for 60000 ms.");
  });

  test("of callers without credentials are counted by their address, if the host tells it", async () => {
    const { service } = await setUp(memoryStorage(), { limits: { exportsPerPrincipal: 1 } });
    const from = async (address: string | undefined) => (await service.handle({ ...requestOf({ target }), address }))?.status;
    const statuses = [await from("192.0.2.1"), await from("192.0.2.1"), await from("192.0.2.2"), await from(undefined), await from(undefined)];
    expect(statuses).toEqual([200, 429, 200, 200, 200]);
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
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (facts: object, message: string) => void warnings.push([facts, message]) };
    const { service, state, errors } = await setUp(memoryStorage(), { timers, logger });
    warnings.length = 0;
    const response = await service.fetch(new Request(`http://localhost${target}`));
    const reader = response.body?.getReader() ?? expect.fail();
    await reader.read();
    timers.advance(60_000);
    expect(state.open).toBe(1);
    timers.advance(4_000);
    await new Promise(setImmediate);
    expect(state.open).toBe(0);
    await expect(reader.read()).rejects.toThrow("Nothing of the answer was read for 60000 ms.");
    expect(errors).toEqual([]);
    const facts = { requestId: response.headers.get("x-request-id"), method: "GET", path: "/lines/export", stallMs: 60_000 };
    expect(warnings).toEqual([[facts, "The client read nothing of its answer and was disconnected."]]);
  });

  test("that is not read within its time ends in an error, however steadily it is read", async () => {
    const timers = new FakeClock();
    const { service, state, errors } = await setUp(memoryStorage(), { timers, limits: { exportMs: 100_000 } });
    const { body } = await streamOf(service, { target });
    await body.next();
    timers.advance(50_000);
    expect(await body.next()).toMatchObject({ done: false });
    timers.advance(49_999);
    expect(state.open).toBe(1);
    timers.advance(1);
    await new Promise(setImmediate);
    expect(state.open).toBe(0);
    await expect(body.next()).rejects.toMatchObject({ code: "REQUEST_TIMEOUT", message: "The client did not read the export within 100000 ms." });
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
