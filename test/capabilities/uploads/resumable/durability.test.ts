// @long

import { createHash, randomBytes } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { type UploadPlace, uploadPlaces } from "../places.js";
import { type StageOptions, type UploadStage, uploadStage } from "../stage.js";
import { PacedClock } from "./pacedClock.js";

/** Eight seconds pass in one: what waits for a process that is silent need not wait for real. */
const speed = 8;
const stream = { "content-type": "application/offset+octet-stream" };
const uploads = { types: "any", durability: "file" } as const;

/** @property paced a clock of the test, for all its services */
type OwnOptions = StageOptions & { readonly paced?: PacedClock };

describe.each(uploadPlaces)("whole files are durable, on %s", (_, open) => {
  let place: UploadPlace;
  const stages: UploadStage[] = [];
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
    await place.remove();
  });

  async function begin({ paced, ...options }: OwnOptions = {}): Promise<UploadStage> {
    place ??= await open();
    const given = paced === undefined ? place.stores() : { clock: paced, timers: paced, ...paced.heldBy(place.stores()) };
    const stage = await uploadStage({ ...options, ...given, uploads: { ...uploads, ...options.uploads } });
    stages.push(stage);
    return stage;
  }

  async function alone(options?: OwnOptions): Promise<UploadStage> {
    place = await open();
    return begin(options);
  }

  const record = (stage: UploadStage, path: string) => stage.storage.uploads?.get(path.slice(9));

  async function requireFile(stage: UploadStage, path: string, bytes: Buffer): Promise<void> {
    const { json } = await stage.send("GET", path);
    expect(json).toMatchObject({ status: "ready", sha256: createHash("sha256").update(bytes).digest("hex") });
    expect((await stage.send("GET", json.url)).bytes.equals(bytes)).toBe(true);
  }

  test("pieces after the first do not change the record, and the file is whole", async () => {
    const stage = await alone();
    const bytes = randomBytes(100_000);
    const path = await stage.create(bytes.length);
    expect((await stage.patch(path, 0, bytes.subarray(0, 10_000))).headers["upload-offset"]).toBe("10000");
    const before = await record(stage, path);
    for (let at = 10_000; at < 90_000; at += 10_000) {
      const answer = await stage.patch(path, at, bytes.subarray(at, at + 10_000));
      expect({ status: answer.status, offset: answer.headers["upload-offset"] }).toEqual({ status: 204, offset: String(at + 10_000) });
      expect((await stage.send("GET", path)).json.offset).toBe(at + 10_000);
    }
    const after = await record(stage, path);
    // At most the holder's beats, once a second.
    expect((after?.version ?? 0) - (before?.version ?? 0)).toBeLessThan(5);
    expect(after?.data).toHaveProperty("draft.size", 10_000);
    expect((await stage.patch(path, 90_000, bytes.subarray(90_000))).status).toBe(204);
    await requireFile(stage, path, bytes);
  });

  test("HEAD records what was acknowledged, and the upload goes on", async () => {
    const stage = await alone();
    const bytes = randomBytes(3_000);
    const path = await stage.create(bytes.length);
    await stage.patch(path, 0, bytes.subarray(0, 1_000));
    await stage.patch(path, 1_000, bytes.subarray(1_000, 2_000));
    expect((await stage.send("HEAD", path)).headers["upload-offset"]).toBe("2000");
    const { data } = (await record(stage, path)) ?? {};
    expect(data).toHaveProperty("draft.size", 2_000);
    expect(data).not.toHaveProperty("holder");
    expect(data).not.toHaveProperty("isAhead");
    await stage.patch(path, 2_000, bytes.subarray(2_000));
    await requireFile(stage, path, bytes);
  });

  test("an upload whose next piece does not come is released after some seconds", async () => {
    const stage = await alone({ paced: new PacedClock(speed) });
    const path = await stage.create(3_000);
    await stage.patch(path, 0, randomBytes(1_000));
    await stage.patch(path, 1_000, randomBytes(1_000));
    expect((await record(stage, path))?.data).toHaveProperty("holder");
    await expect.poll(async () => (await record(stage, path))?.data).not.toHaveProperty("holder");
    expect((await record(stage, path))?.data).toHaveProperty("draft.size", 2_000);
  });

  test("another process gets it between two pieces, and the first one continues it there afterwards", async () => {
    const paced = new PacedClock(speed);
    const one = await alone({ paced });
    const other = await begin({ paced });
    const bytes = randomBytes(4_000);
    const path = await one.create(bytes.length);
    await one.patch(path, 0, bytes.subarray(0, 1_000));
    await one.patch(path, 1_000, bytes.subarray(1_000, 2_000));
    expect((await other.patch(path, 2_000, bytes.subarray(2_000, 3_000))).headers["upload-offset"]).toBe("3000");
    expect((await one.patch(path, 3_000, bytes.subarray(3_000))).status).toBe(204);
    await requireFile(other, path, bytes);
  });

  test("what a dead process acknowledged but did not record is recovered, and nothing that it writes later", async () => {
    const deaf = { setTimeout: () => ({ cancel() {} }) };
    // Its clock stands still, so it believes in its lock for ever, and it never updates its record.
    const startMs = Date.now();
    const dead = await alone({ clock: { now: () => startMs }, timers: deaf });
    const other = await begin({ paced: new PacedClock(speed) });
    const bytes = randomBytes(4_000);
    const path = await dead.create(bytes.length);
    await dead.patch(path, 0, bytes.subarray(0, 1_000));
    await dead.patch(path, 1_000, bytes.subarray(1_000, 2_000));
    expect((await record(other, path))?.data).toHaveProperty("draft.size", 1_000);
    const head = await other.send("HEAD", path);
    expect(head.headers["upload-offset"]).toBe("2000");
    // Written by a process that does not know yet that it has lost the upload.
    await dead.patch(path, 2_000, randomBytes(1_000));
    expect((await other.send("HEAD", path)).headers["upload-offset"]).toBe("2000");
    expect((await other.patch(path, 2_000, bytes.subarray(2_000))).status).toBe(204);
    await requireFile(other, path, bytes);
  });

  test("a piece is acknowledged without a change of its record although the time of the machine was set back", async () => {
    let backMs = 0;
    const stage = await alone({ clock: { now: () => Date.now() - backMs, monotonic: () => performance.now() } });
    const path = await stage.create(4_000);
    await stage.patch(path, 0, randomBytes(1_000));
    backMs = 3_600_000;
    await stage.patch(path, 1_000, randomBytes(1_000));
    expect((await record(stage, path))?.data).toHaveProperty("draft.size", 1_000);
  });

  test.each<[string, { readonly wall: number; readonly monotonic: number }]>([
    ["for so long", { wall: 2_500, monotonic: 2_500 }],
    ["while the time of the machine was set back", { wall: -3_600_000, monotonic: 2_500 }],
    ["while the machine slept, which its monotonic clock does not count", { wall: 2_500, monotonic: 0 }],
  ])("a piece without a certain lock is acknowledged only after its record is changed: the process stood still %s", async (_why, stopped) => {
    let passed = { wall: 0, monotonic: 0 };
    const stage = await alone({ clock: { now: () => Date.now() + passed.wall, monotonic: () => performance.now() + passed.monotonic } });
    const path = await stage.create(4_000);
    await stage.patch(path, 0, randomBytes(1_000));
    await stage.patch(path, 1_000, randomBytes(1_000));
    expect((await record(stage, path))?.data).toHaveProperty("draft.size", 1_000);
    passed = stopped;
    await stage.patch(path, 2_000, randomBytes(1_000));
    expect((await record(stage, path))?.data).toHaveProperty("draft.size", 3_000);
    const { id = "", version = 0, data } = (await record(stage, path)) ?? {};
    await stage.storage.uploads?.update(id, version, { data: { ...(data as object), holder: undefined, isAhead: undefined, isContested: true } });
    passed = { wall: 2 * stopped.wall, monotonic: 2 * stopped.monotonic };
    const late = await stage.patch(path, 3_000, randomBytes(500));
    expect({ status: late.status, code: late.json.code }).toEqual({ status: 409, code: "UPLOAD_INTERRUPTED" });
    expect((await stage.send("HEAD", path)).headers["upload-offset"]).toBe("3000");
  });

  test("a piece with a wrong checksum, a wrong offset or too many bytes changes nothing", async () => {
    const stage = await alone();
    const bytes = randomBytes(4_000);
    const path = await stage.create(bytes.length);
    await stage.patch(path, 0, bytes.subarray(0, 1_000));
    await stage.patch(path, 1_000, bytes.subarray(1_000, 2_000));
    const wrong = { "upload-checksum": `sha256 ${createHash("sha256").digest("base64")}`, "tus-resumable": "1.0.0" };
    expect((await stage.patch(path, 2_000, randomBytes(1_000), wrong)).status).toBe(460);
    expect((await stage.patch(path, 1_500, randomBytes(1_000))).headers["upload-offset"]).toBe("2000");
    await stage.patch(path, 2_000, bytes.subarray(2_000, 3_000));
    await stage.patch(path, 3_000, bytes.subarray(3_000, 3_500));
    const headers = { "upload-offset": 3_500, "content-type": "application/offset+octet-stream" };
    expect((await stage.send("PATCH", path, { headers, body: randomBytes(1_000), chunked: true })).status).toBe(413);
    expect((await stage.send("HEAD", path)).headers["upload-offset"]).toBe("3500");
    const right = { "upload-checksum": `sha256 ${createHash("sha256").update(bytes.subarray(3_500)).digest("base64")}` };
    expect((await stage.patch(path, 3_500, bytes.subarray(3_500), right)).status).toBe(204);
    await requireFile(stage, path, bytes);
  });

  test("a service that closes records what it holds", async () => {
    const one = await alone();
    const other = await begin();
    const path = await one.create(4_000);
    await one.patch(path, 0, randomBytes(1_000));
    await one.patch(path, 1_000, randomBytes(1_000));
    await one.service.close({ graceMs: 2_000 });
    const { data } = (await record(other, path)) ?? {};
    expect(data).toHaveProperty("draft.size", 2_000);
    expect(data).not.toHaveProperty("holder");
  });
});

describe.each(uploadPlaces)("a file of several mebibytes, on %s", (_, open) => {
  test.each(["piece", "file"] as const)("has the right hash, whoever took its pieces, with a durable %s", async (durability) => {
    const place = await open();
    const clock = new PacedClock(speed);
    const begin = () => uploadStage({ clock, timers: clock, ...clock.heldBy(place.stores()), uploads: { types: "any", durability } });
    const stages = [await begin(), await begin()];
    const [one, other] = stages;
    if (one === undefined || other === undefined) throw new Error("There are no services.");
    const bytes = randomBytes(6_000_000);
    const path = await one.create(bytes.length);
    const at = [0, 1_500_000, 3_000_000, 4_000_000, 6_000_000];
    for (const [index, from] of at.slice(0, -1).entries()) {
      const stage = index === 2 ? other : one;
      // The offset is that of a broken piece, whose bytes are kept.
      if (index === 1) {
        const headers = { ...stream, "upload-offset": from, "content-length": bytes.length - from };
        const begun = await one.begin("PATCH", path, headers, bytes.subarray(from, from + 700_000));
        begun.socket.destroy();
      }
      // More of a broken piece may arrive after the question: then the client asks again.
      for (let status = 409, tries = 0; status === 409 && tries < 5; tries++) {
        const offset = Number((await stage.send("HEAD", path)).headers["upload-offset"]);
        expect(offset).toBeGreaterThanOrEqual(from);
        ({ status } = await stage.patch(path, offset, bytes.subarray(offset, at[index + 1])));
        expect([204, 409]).toContain(status);
        expect(status === 409 && tries === 4).toBe(false);
      }
    }
    const { json } = await other.send("GET", path);
    expect(json).toMatchObject({ status: "ready", sha256: createHash("sha256").update(bytes).digest("hex") });
    for (const stage of stages) await stage.close();
    await place.remove();
  });
});

test("a durability that does not exist is an error", async () => {
  await expect(uploadStage({ uploads: { durability: "disk" as "file" } })).rejects.toThrow(/"durability".*"piece".*"file"/);
});
