// @long

import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { type UploadPlace, uploadPlaces } from "../places.js";
import { type UploadStage, uploadStage } from "../stage.js";
import { withCountedWrites } from "./countedWrites.js";
import { PacedClock } from "./pacedClock.js";

/** Eight seconds pass in one: what waits for a process that is silent need not wait for real. */
const speed = 8;

const stream = { "content-type": "application/offset+octet-stream" };

describe.each(uploadPlaces)("on %s", (_, open) => {
  let place: UploadPlace;
  let clock: PacedClock;
  let writtenBytes: () => number;
  const stages: UploadStage[] = [];
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
    await place.remove();
  });

  /** Two services that know nothing of each other but what is kept. */
  async function two(): Promise<readonly [UploadStage, UploadStage]> {
    place = await open();
    clock = new PacedClock(speed);
    const [first, second] = [clock.heldBy(place.stores()), clock.heldBy(place.stores())];
    const counted = withCountedWrites(first.blobs);
    ({ writtenBytes } = counted);
    const options = { clock, timers: clock };
    const pair = [await uploadStage({ ...options, ...first, blobs: counted.blobs }), await uploadStage({ ...options, ...second })] as const;
    stages.push(...pair);
    return pair;
  }

  /** A PATCH at the first service whose first bytes have been written and whose others do not come. */
  async function stall(one: UploadStage, path: string, bytes: Buffer) {
    const headers = { ...stream, "upload-offset": 0, "content-length": 1_000_000, connection: "close" };
    const stalled = await one.begin("PATCH", path, headers, bytes);
    await expect.poll(() => writtenBytes()).toBe(bytes.length);
    return stalled;
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
    const startedMs = clock.now();
    const patched = await one.patch(path, 5, "world");
    expect(patched.status).toBe(204);
    expect(clock.now() - startedMs).toBeGreaterThan(2_500);
    expect(clock.now() - startedMs).toBeLessThan(5_000);
    const { json } = await one.send("GET", path);
    expect((await one.send("GET", json.url)).text).toBe("helloworld");
  });

  test.each(["PATCH", "HEAD", "DELETE"])("a process that is only slow keeps what it holds: %s at the other is told to wait", async (method) => {
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
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, 500));
        await beat(count);
      }
    })();
    const answer = await (method === "PATCH" ? one.patch(path, 0, "hello") : one.send(method, path));
    expect({ status: answer.status, after: answer.headers["retry-after"] }).toEqual({ status: 423, after: "1" });
    if (method !== "HEAD") expect(answer.json.code).toBe("UPLOAD_LOCKED");
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
