// @long

import { createHash } from "node:crypto";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { uploadSettings } from "../../../../src/capabilities/uploads/settings.js";
import { sweepOrphans, sweepUploads } from "../../../../src/capabilities/uploads/sweep.js";
import { silentLogger } from "../../../../src/engine/operation/logging/logger.js";
import { keysOf } from "../../../adapters/stores/blobs/blobContents.js";
import { integer, type Random, randomOf } from "../../../fuzz/random.js";
import { type Answer, type UploadStage, uploadStage } from "../stage.js";
import { PacedClock } from "./pacedClock.js";

const stream = { "content-type": "application/offset+octet-stream" };
const account = "address 127.0.0.1";
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const base64 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("base64");

/** A second passes in ten milliseconds: holders that are silent are passed over soon. */
const speed = 100;

/** Timers that know how many are waiting. */
function countedTimers(clock: PacedClock) {
  const waiting = new Set<object>();
  const setTimeout = (run: () => void, ms: number) => {
    const entry = {};
    waiting.add(entry);
    const timer = clock.setTimeout(() => {
      waiting.delete(entry);
      run();
    }, ms);
    return {
      cancel() {
        waiting.delete(entry);
        timer.cancel();
      },
    };
  };
  return { waiting, setTimeout };
}

/** What is known of an upload by all who send it. */
interface Known {
  readonly path: string;
  readonly bytes: Buffer;
  /** What somebody was told has arrived. */
  told: number;
  isDeleted: boolean;
}

/** What one client does to an upload. Right bytes go to their places only: whatever is taken must be right. */
const steps: Readonly<Record<string, (stage: UploadStage, known: Known, random: Random) => Promise<unknown>>> = {
  head: (stage, known) => look(stage, known),
  patch: (stage, known, random) => send(stage, known, random, {}),
  proved: (stage, known, random) => send(stage, known, random, { isProved: true }),
  wrong: (stage, known, random) => send(stage, known, random, { isWrong: true }),
  long: (stage, known, random) => send(stage, known, random, { isLong: true }),
  empty: (stage, known) => (known.told < known.bytes.length ? stage.patch(known.path, known.told, "") : Promise.resolve()),
  async torn(stage, known, random) {
    const offset = known.told;
    const length = known.bytes.length - offset;
    const begun = await stage.begin(
      "PATCH",
      known.path,
      { ...stream, "upload-offset": offset, "content-length": length },
      known.bytes.subarray(offset, offset + integer(random, length)),
    );
    await wait(integer(random, 40));
    begun.socket.destroy();
  },
  async endless(stage, known, random) {
    const part = known.bytes.subarray(known.told);
    const chunk = Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]);
    const headers = { ...stream, "upload-offset": known.told, "transfer-encoding": "chunked" };
    if (part.length === 0) return;
    const begun = await stage.begin("PATCH", known.path, headers, chunk);
    await wait(integer(random, 60));
    begun.socket.destroy();
  },
  async dead(stage, known) {
    const { uploads } = stage.storage;
    const record = await uploads?.get(known.path.slice(9));
    if (record === undefined || (record.data as { status: string }).status !== "uploading") return;
    await uploads?.update(record.id, record.version, { data: { ...(record.data as object), holder: "dead" } });
  },
};
const names = Object.keys(steps);

/** Nothing that somebody was told has arrived is ever missing. */
async function look(stage: UploadStage, known: Known): Promise<Answer> {
  const before = known.told;
  const answer = await stage.send("HEAD", known.path);
  if (answer.status === 200) {
    const offset = Number(answer.headers["upload-offset"]);
    expect(offset, "nothing is lost").toBeGreaterThanOrEqual(before);
    known.told = Math.max(known.told, offset);
  } else expect([404, 410, 423]).toContain(answer.status);
  return answer;
}

interface Manner {
  readonly isProved?: boolean;
  readonly isWrong?: boolean;
  readonly isLong?: boolean;
}

async function send(stage: UploadStage, known: Known, random: Random, { isProved, isWrong, isLong }: Manner): Promise<void> {
  const offset = known.told;
  const most = (known.bytes.length - offset) * (random() < 0.1 ? 1 : 0.2);
  const part = known.bytes.subarray(offset, isLong ? undefined : offset + integer(random, Math.ceil(most) + 1));
  const proof = isProved || isWrong ? { "upload-checksum": `sha256 ${base64(part)}` } : {};
  const body = isWrong ? Buffer.alloc(part.length, "x") : Buffer.concat([part, Buffer.alloc(isLong ? 7 : 0, "x")]);
  const headers = { ...stream, ...proof, "upload-offset": offset };
  const answer = await stage.send("PATCH", known.path, { headers, body, chunked: body.length > 0 && random() < 0.5 }).catch(() => undefined);
  if (answer?.status === 204) {
    const now = Number(answer.headers["upload-offset"]);
    expect(now).toBeGreaterThanOrEqual(offset);
    known.told = Math.max(known.told, now);
  } else if (answer !== undefined) expect([404, 409, 410, 413, 422, 423]).toContain(answer.status);
}

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  "whatever several clients do to uploads at two services, no byte is lost, doubled or wrong (seed %i)",
  async (seed) => {
    const clock = new PacedClock(speed);
    const timers = countedTimers(clock);
    const [storage, blobs] = [memoryStorage(), memoryBlobs({ clock })];
    const heard: string[] = [];
    const durability = seed % 2 === 0 ? "file" : "piece";
    const options = { types: "any", durability, onReady: ({ id }: { readonly id: string }) => void heard.push(id) } as const;
    const stages = await Promise.all([1, 2].map(() => uploadStage({ storage, blobs, uploads: options, clock, timers })));
    const [one, other] = stages;
    if (one === undefined || other === undefined) throw new Error("There are no services.");
    const random = randomOf(seed);
    const all: Known[] = [];
    for (let index = 0; index < 5; index++) {
      const bytes = Buffer.from(Array.from({ length: integer(random, 60_000) + 1 }, (_, at) => (at * 31 + seed * 7 + index) % 251));
      all.push({ path: await one.create(bytes.length), bytes, told: 0, isDeleted: false });
    }

    const client = async () => {
      for (let count = 0; count < 40; count++) {
        const known = all[integer(random, all.length)];
        const stage = random() < 0.5 ? one : other;
        const step = steps[names[integer(random, names.length)] ?? ""];
        if (known === undefined || step === undefined) continue;
        if (random() < 0.01) {
          known.isDeleted = true;
          expect([204, 404, 410, 423]).toContain((await stage.send("DELETE", known.path)).status);
        } else await step(stage, known, random);
      }
    };
    await Promise.all(Array.from({ length: 4 }, client));

    // Now each client is alone.
    for (const known of all.filter(({ isDeleted }) => isDeleted)) {
      await expect.poll(async () => (await other.send("DELETE", known.path)).status, { timeout: 5_000 }).toBeOneOf([404, 410]);
      expect((await one.send("HEAD", known.path)).status).toBe(410);
    }
    const left = all.filter(({ isDeleted }) => !isDeleted);
    for (const known of left) {
      await expect.poll(async () => (await look(one, known)).status, { timeout: 5_000 }).toBe(200);
      const { told, bytes, path } = known;
      // Who is told that nothing is missing sends nothing.
      if (told < bytes.length) expect((await other.patch(path, told, bytes.subarray(told))).status, "what HEAD tells, PATCH takes").toBe(204);
      await expect.poll(async () => (await one.send("GET", path)).json.status).toBe("ready");
      const { json } = await one.send("GET", path);
      expect(json).toMatchObject({ size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
      expect((await other.send("GET", json.url)).bytes.equals(bytes)).toBe(true);
    }
    await wait(50);
    const ids = left.map(({ path }) => path.slice(9)).sort();
    expect(heard.filter((id) => ids.includes(id)).sort(), "each is told of once").toEqual(ids);
    expect(new Set(heard).size).toBe(heard.length);
    expect(await storage.uploads?.use(undefined, account)).toEqual({ open: 0, bytes: left.reduce((sum, { bytes }) => sum + bytes.length, 0) });
    const settings = uploadSettings(options, {
      storage,
      blobs,
      clock: { now: () => clock.now() + 10 * 24 * 3_600_000 },
      timers,
      logger: silentLogger,
    });
    await sweepUploads(settings);
    await sweepOrphans(settings);
    expect((await keysOf(one.blobs)).sort()).toEqual(ids.map((id) => `upload_${id}`));
    expect(stages.flatMap(({ faults }) => faults)).toEqual([]);
    for (const stage of stages) await stage.close();
    await expect.poll(() => timers.waiting.size, { timeout: 2_000 }).toBe(0);
  },
);
