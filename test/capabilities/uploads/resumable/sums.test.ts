// @slow

import { createHash } from "node:crypto";
import { type Storage, Unavailable, type UploadRecord, type UploadStore } from "restwright";
import { type FileCheck, pass, reject, type Verdict } from "restwright/checks";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { faultyBlobs, faultyStorage } from "restwright/testing";
import type { Durability } from "restwright/uploads";
import { expect, test } from "vitest";
import { uploadSettings } from "../../../../src/capabilities/uploads/settings.js";
import { sweepOrphans, sweepUploads } from "../../../../src/capabilities/uploads/sweep.js";
import { silentLogger } from "../../../../src/engine/operation/logging/logger.js";
import { systemTimers } from "../../../../src/ground/http/timers.js";
import { keysOf } from "../../../adapters/stores/blobs/blobContents.js";
import { integer, pick, type Random, randomOf } from "../../../fuzz/random.js";
import { clientOf, type Received, readPieces, requestOf, type Sent } from "../../../tools/client.js";
import { eventually } from "../../../tools/eventually.js";
import { fullService, type UploadRules } from "../../../tools/fullService.js";
import { sumsOf, watchedUploads } from "./livingRecords.js";

const stream = { "content-type": "application/offset+octet-stream" };
const account = "address ";
const secondMs = 1_000;
const dayMs = 86_400 * secondMs;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("base64");

/** A second passes in five milliseconds, and more when the test wants it: who waits for a holder that is dead need not wait for real. */
const speed = 200;
function movedClock() {
  const startMs = Date.now();
  let aheadMs = 0;
  return {
    now: () => startMs + (Date.now() - startMs) * speed + aheadMs,
    advance(ms: number) {
      aheadMs += ms;
    },
  };
}
const timers = { setTimeout: (run: () => void, ms: number) => systemTimers.setTimeout(run, ms / speed) };

/** Says of a file whatever comes to its mind, as long as it is told to. */
class Moody implements FileCheck {
  readonly name = "moody";
  readonly needs = "file";
  readonly rewrites = true;
  isCalm = false;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  async run(): Promise<Verdict> {
    const mood = this.isCalm ? 1 : this.#random();
    if (mood < 0.05) return reject("VIRUS_DETECTED", "It is one.");
    if (mood < 0.1) return reject("SCAN_UNAVAILABLE", "It is down.");
    if (mood < 0.15) return { verdict: "defer" };
    return mood < 0.25 ? { verdict: "replace", bytes: Buffer.alloc(integer(this.#random, 900), "r") } : pass;
  }
}

/** A store that now and then cannot answer: the call may have been carried out. */
function failing(store: UploadStore, random: Random): UploadStore {
  const sometimes = async <R>(run: () => Promise<R>): Promise<R> => {
    if (random() < 0.01) throw new Unavailable("Not now.");
    const result = await run();
    if (random() < 0.01) throw new Unavailable("The answer is lost.");
    return result;
  };
  return {
    create: (...given) => sometimes(() => store.create(...given)),
    get: (...given) => sometimes(() => store.get(...given)),
    update: (...given) => sometimes(() => store.update(...given)),
    remove: (...given) => sometimes(() => store.remove(...given)),
    due: (...given) => sometimes(() => store.due(...given)),
    use: (...given) => sometimes(() => store.use(...given)),
  };
}

/** One life of a service after the other, on the same stores. */
class Lives {
  readonly clock = movedClock();
  readonly storage: Storage;
  readonly watched;
  readonly blobs = memoryBlobs({ clock: this.clock });
  readonly check: Moody;
  readonly durability: Durability;
  readonly heard: string[] = [];
  /** Paths of uploads in pieces, and of those that are to be parts of another. */
  readonly paths: string[] = [];
  readonly #random: Random;
  #life: ReturnType<Lives["begin"]>;

  constructor(random: Random, durability: Durability) {
    this.#random = random;
    this.durability = durability;
    const storage = memoryStorage({ clock: this.clock });
    this.watched = watchedUploads(storage.uploads);
    this.storage = { ...storage, uploads: this.watched.store };
    this.check = new Moody(random);
    this.#life = this.begin();
  }

  options(store: UploadStore): UploadRules {
    const onReady = ({ id }: { readonly id: string }) => void this.heard.push(id);
    const { durability } = this;
    return { types: "any", durability, checks: [this.check], forms: { avatars: { types: "any" } }, quotaBytes: 20_000, maxOpen: 12, onReady, store };
  }

  begin() {
    const how = pick(this.#random, ["before", "after"]) as "before" | "after";
    const storage = faultyStorage(this.storage, { dieAfter: 1 + integer(this.#random, 200), how });
    if (storage.uploads === undefined) throw new Error("There are no records.");
    const blobs = faultyBlobs(this.blobs, storage);
    const uploads = this.options(failing(storage.uploads, this.#random));
    const { clock } = this;
    const service = fullService({ resources: [], storage, blobs, uploads, clock, timers, secrets: ["a secret of many bytes"], onError: () => {} });
    const settings = uploadSettings(uploads, { storage, blobs, clock, timers, logger: silentLogger });
    return { storage, service, settings, send: clientOf(service) };
  }

  /** Of the service that lives. */
  get now() {
    if (this.#life.storage.dead) this.#life = this.begin();
    return this.#life;
  }

  send(sent: Sent): Promise<Received> {
    return this.now.send(sent);
  }
}

/** What clients, sweeps and time do. */
const steps: readonly [(lives: Lives, random: Random) => Promise<unknown>, ...((lives: Lives, random: Random) => Promise<unknown>)[]] = [
  (lives, random) => lives.send({ method: "POST", target: "/uploads", body: anyBytes(random) }),
  (lives, random) => torn(lives, random, { method: "POST", target: "/uploads" }),
  (lives, random) => begin(lives, { "upload-length": String(integer(random, 3_000)) }),
  (lives) => begin(lives, { "upload-defer-length": "1" }),
  (lives, random) => begin(lives, { "upload-length": String(integer(random, 50)), "upload-concat": "partial" }),
  (lives, random) => begin(lives, { ...stream, "upload-length": "600" }, anyBytes(random)),
  patch,
  patch,
  patch,
  (lives, random) => torn(lives, random, { method: "PATCH", target: pathOf(lives, random), headers: { ...stream, "upload-offset": "0" } }),
  (lives, random) => lives.send({ method: pick(random, ["HEAD", "GET"]), target: pathOf(lives, random) }),
  (lives, random) => (random() < 0.5 ? lives.send({ method: "DELETE", target: pathOf(lives, random) }) : Promise.resolve()),
  (lives, random) => {
    const pieces = Array.from({ length: 1 + integer(random, 3) }, () => pathOf(lives, random));
    return begin(lives, { "upload-concat": `final;${pieces.join(" ")}` });
  },
  async (lives, random) => {
    const bytes = anyBytes(random);
    const asked = { filename: "a.bin", contentType: "a/b", size: bytes.length };
    const presigned = await lives.send({ method: "POST", target: "/uploads/presign", body: asked });
    if (presigned.status !== 201 || random() < 0.2) return;
    const headers = { "content-type": "a/b", "content-length": String(bytes.length) };
    await lives.send({ method: "PUT", target: presigned.json.uploadUrl, headers, body: bytes });
  },
  (lives, random) => {
    const part = (name: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n${"f".repeat(integer(random, 500))}\r\n`;
    const body = ["a", "b", "c"].slice(integer(random, 3)).map(part).join("") + (random() < 0.2 ? "" : "--b--\r\n");
    return lives.send({ method: "POST", target: "/avatars", headers: { "content-type": "multipart/form-data; boundary=b" }, body });
  },
  ({ now: { settings } }) => sweepUploads(settings).catch(() => {}),
  ({ now: { settings } }) => sweepOrphans(settings).catch(() => {}),
  async ({ clock }, random) => clock.advance([secondMs, 61 * secondMs, 660 * secondMs, dayMs / 8, dayMs][integer(random, 5)] ?? 0),
];

function anyBytes(random: Random): Buffer {
  return Buffer.alloc(random() < 0.1 ? integer(random, 90_000) : integer(random, 1_500), "a");
}

function pathOf({ paths }: Lives, random: Random): string {
  return paths[paths.length - 1 - integer(random, Math.min(paths.length, 8))] ?? "/uploads/none";
}

async function begin(lives: Lives, headers: Readonly<Record<string, string>>, body?: Uint8Array): Promise<void> {
  const { status, headers: answered } = await lives.send({ method: "POST", target: "/uploads", headers, body });
  if (status === 201) lives.paths.push(String(answered["location"]));
}

/** Bytes at the right place or elsewhere, with the right proof, a wrong one, or none. */
async function patch(lives: Lives, random: Random): Promise<void> {
  const target = pathOf(lives, random);
  const head = await lives.send({ method: "HEAD", target });
  const [offset, length] = [Number(head.headers["upload-offset"] ?? 0), Number(head.headers["upload-length"] ?? 2_000)];
  const bytes = anyBytes(random).subarray(0, random() < 0.8 ? length - offset : undefined);
  const proof = random() < 0.2 ? { "upload-checksum": `sha256 ${sha256(random() < 0.5 ? bytes : Buffer.from("x"))}` } : {};
  const end = random() < 0.2 && head.headers["upload-defer-length"] === "1" ? { "upload-length": String(offset + bytes.length) } : {};
  const at = String(random() < 0.95 ? offset : offset + 1);
  await lives.send({ method: "PATCH", target, headers: { ...stream, ...proof, ...end, "upload-offset": at }, body: bytes });
}

/** A body that breaks off. */
async function torn({ now: { service } }: Lives, random: Random, sent: Sent): Promise<void> {
  async function* chunks() {
    yield anyBytes(random);
    throw new Error("The client is gone.");
  }
  await service.handle({ ...requestOf(sent), body: { kind: "stream", stream: chunks() } });
}

interface Kept {
  readonly status: string;
  readonly concat?: string;
  readonly file: { readonly key: string; readonly size: number };
}

/** What a record has to take up, as far as that follows from what became of it. */
function takenBy({ isOpen, bytes, data }: UploadRecord): { readonly open: boolean; readonly bytes: number } {
  const { status, concat, file } = data as Kept;
  if (status === "gone" || status === "rejected") return { open: false, bytes: 0 };
  return status === "ready" && concat !== "partial" ? { open: false, bytes: file.size } : { open: isOpen, bytes };
}

test.each([1, 2, 3, 4, 5, 6])("whatever fails, an account has what its files have, and nothing else is left (seed %i)", async (seed) => {
  const random = randomOf(seed);
  const lives = new Lives(random, seed % 2 === 0 ? "file" : "piece");
  const { clock, watched, blobs, heard } = lives;
  const use = () => watched.store.use(undefined, account);
  const recorded = async () => sumsOf(await watched.records()).get(account) ?? { open: 0, bytes: 0 };

  for (let count = 0; count < 250; count++) {
    const atOnce = random() < 0.3 ? 3 : 1;
    await Promise.all(Array.from({ length: atOnce }, () => pick(random, steps)(lives, random)));
    // A file that is taken over is finished behind its request, and may change between the two looks.
    await eventually(async () => expect(await use()).toEqual(await recorded()));
    for (const record of await watched.records()) expect(takenBy(record)).toEqual({ open: record.isOpen, bytes: record.bytes });
  }

  lives.check.isCalm = true;
  const settings = uploadSettings(lives.options(watched.store), { storage: lives.storage, blobs, clock, timers, logger: silentLogger });
  for (const ms of [3_600 * secondMs, 3_600 * secondMs, 3_600 * secondMs, 30 * dayMs, 8 * dayMs]) {
    clock.advance(ms);
    await sweepUploads(settings);
  }
  await sweepOrphans(settings);
  const files = await watched.records();
  const whole = files.map(({ data }) => data as Kept);
  expect(whole.filter(({ status, concat }) => status !== "ready" || concat === "partial")).toEqual([]);
  expect(await use()).toEqual({ open: 0, bytes: whole.reduce((sum, { file }) => sum + file.size, 0) });
  expect((await keysOf(blobs)).sort()).toEqual(whole.map(({ file }) => file.key).sort());
  const next = fullService({ resources: [], storage: lives.storage, blobs, uploads: lives.options(watched.store), clock, timers });
  for (const [index, { id }] of files.entries()) {
    const answer = await next.handle(requestOf({ target: `/files/${id}` }));
    expect((await readPieces(answer?.body ?? null)).length).toBe(whole[index]?.file.size);
  }
  expect(new Set(heard).size, "nobody hears of a file twice").toBe(heard.length);
  expect(files.length).toBeGreaterThan(5);
});
