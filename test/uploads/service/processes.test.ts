import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { systemTimers } from "../../../src/http/timers.js";
import { type UploadPlace, uploadPlaces } from "./places.js";
import { type StageOptions, type UploadStage, uploadStage } from "./stage.js";

/** Eight seconds pass in one: what waits for a process that is silent need not wait for real. */
const speed = 8;
const startMs = Date.now();
const fast = {
  clock: { now: () => startMs + (Date.now() - startMs) * speed },
  timers: { setTimeout: (run: () => void, ms: number) => systemTimers.setTimeout(run, ms / speed) },
};

const stream = { "content-type": "application/offset+octet-stream" };

async function stall(stage: UploadStage, path: string, bytes: Buffer) {
  const stalled = await stage.begin("PATCH", path, { ...stream, "upload-offset": 0, "content-length": 1_000_000 }, bytes);
  await expect.poll(async () => (await stage.storage.uploads?.get(path.slice(9)))?.data).toHaveProperty("holder");
  await new Promise((resolve) => setTimeout(resolve, 50));
  return stalled;
}

describe.each(uploadPlaces)("on %s", (_, open) => {
  let place: UploadPlace;
  const stages: UploadStage[] = [];
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
    await place.remove();
  });

  /** Two services that know nothing of each other but what is kept. */
  async function two(options: StageOptions = fast): Promise<readonly [UploadStage, UploadStage]> {
    place = await open();
    const pair = [await uploadStage({ ...options, ...place.stores() }), await uploadStage({ ...options, ...place.stores() })] as const;
    stages.push(...pair);
    return pair;
  }

  test("a HEAD at another process has the PATCH end there, and tells what has arrived", async () => {
    const [one, other] = await two();
    const path = await one.create(1_000_000);
    const bytes = randomBytes(1_000_000);
    const stalled = await stall(one, path, bytes.subarray(0, 200_000));
    const head = await other.send("HEAD", path);
    expect(head.headers["upload-offset"]).toBe("200000");
    expect(await stalled.answered).toContain("UPLOAD_INTERRUPTED");
    expect((await other.patch(path, 200_000, bytes.subarray(200_000))).status).toBe(204);
    const { json } = await one.send("GET", path);
    expect((await one.send("GET", json.url)).bytes.equals(bytes)).toBe(true);
  });

  test("a PATCH at another process takes the upload over", async () => {
    const [one, other] = await two();
    const path = await one.create(1_000_000);
    const stalled = await stall(one, path, randomBytes(200_000));
    const patched = await other.patch(path, 0, randomBytes(1_000_000));
    expect({ status: patched.status, offset: patched.headers["upload-offset"] }).toEqual({ status: 409, offset: "200000" });
    expect(await stalled.answered).toContain("UPLOAD_INTERRUPTED");
  });

  test("what a dead process held is taken over in a few seconds, and its draft is contested", async () => {
    const [one] = await two();
    const path = await one.create(10);
    await one.patch(path, 0, "hello");
    const { uploads } = one.storage;
    const record = await uploads?.get(path.slice(9));
    if (record === undefined || uploads === undefined) throw new Error("There is no record.");
    await uploads.update(record.id, record.version, { data: { ...(record.data as object), holder: "dead" } });
    const started = performance.now();
    const patched = await one.patch(path, 5, "world");
    expect(patched.status).toBe(204);
    expect(performance.now() - started).toBeGreaterThan(2_500 / speed);
    expect(performance.now() - started).toBeLessThan(5_000);
    const { json } = await one.send("GET", path);
    expect((await one.send("GET", json.url)).text).toBe("helloworld");
  });

  test("a process that is only slow keeps what it holds: the other is told to wait", async () => {
    const [one] = await two();
    const path = await one.create(10);
    const { uploads } = one.storage;
    if (uploads === undefined) throw new Error("There are no records.");
    // A holder that lives and does not let go.
    const beat = async (count: number) => {
      const record = await uploads.get(path.slice(9));
      if (record !== undefined)
        await uploads.update(record.id, record.version, { data: { ...(record.data as object), holder: "living", beat: count } });
    };
    let isOver = false;
    await beat(0);
    const living = (async () => {
      for (let count = 1; !isOver; count++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        await beat(count);
      }
    })();
    const answer = await one.patch(path, 0, "hello");
    expect({ status: answer.status, code: answer.json.code, after: answer.headers["retry-after"] }).toEqual({
      status: 423,
      code: "UPLOAD_LOCKED",
      after: "1",
    });
    isOver = true;
    await living;
  });

  test("a holder that was passed over can neither record nor add anything", async () => {
    const [one, other] = await two();
    const path = await one.create(1_000_000);
    const bytes = randomBytes(1_000_000);
    const stalled = await stall(one, path, randomBytes(300_000));
    const { uploads } = one.storage;
    const record = await uploads?.get(path.slice(9));
    if (record === undefined || uploads === undefined) throw new Error("There is no record.");
    // As if it had been silent for too long.
    const { holder: _, ...data } = record.data as Record<string, unknown>;
    await uploads.update(record.id, record.version, { data: { ...data, isContested: true } });
    expect((await other.patch(path, 0, bytes)).status).toBe(204);
    await stalled.write(randomBytes(700_000));
    // Whichever it meets first: the record of another, or a draft that has become a file.
    expect(await stalled.answered).toMatch(/^HTTP\/1.1 (?:409 .*UPLOAD_INTERRUPTED|503 .*STORAGE_UNAVAILABLE)/s);
    const { json } = await other.send("GET", path);
    expect((await other.send("GET", json.url)).bytes.equals(bytes)).toBe(true);
  });

  test("a service that closes keeps what has arrived, and sends the client on", async () => {
    const [one, other] = await two();
    const path = await one.create(1_000_000);
    const stalled = await stall(one, path, randomBytes(250_000));
    await one.service.close({ graceMs: 2_000 });
    expect(await stalled.answered).toContain("UPLOAD_INTERRUPTED");
    expect((await other.send("HEAD", path)).headers["upload-offset"]).toBe("250000");
  });
});
