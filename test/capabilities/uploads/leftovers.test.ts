import { createHash } from "node:crypto";
import { type BlobStore, type DraftWriter, Unavailable, type UploadStore } from "restwright";
import { type FileCheck, pass, reject, type Verdict } from "restwright/checks";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { afterEach, expect, test } from "vitest";
import { uploadSettings } from "../../../src/capabilities/uploads/settings.js";
import { sweepUploads } from "../../../src/capabilities/uploads/sweep.js";
import { silentLogger } from "../../../src/engine/operation/logging/logger.js";
import { systemTimers } from "../../../src/ground/http/timers.js";
import { keysOf } from "../../adapters/stores/blobs/blobContents.js";
import type { UploadRules } from "../../tools/fullService.js";
import { withCountedWrites } from "./resumable/countedWrites.js";
import { type UploadStage, uploadStage } from "./stage.js";

const stream = { "content-type": "application/offset+octet-stream" };
const account = "address 127.0.0.1";
const dayMs = 24 * 3_600_000;

const stages: UploadStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

/** A store of drafts with something between a writer and its caller. */
function writingBy(blobs: BlobStore, between: (writer: DraftWriter) => DraftWriter): BlobStore {
  const { drafts } = blobs;
  if (drafts === undefined) throw new Error("There are no drafts.");
  const resume: typeof drafts.resume = async (...given) => {
    const writer = await drafts.resume(...given);
    return writer && between(writer);
  };
  return { ...blobs, drafts: { ...drafts, resume } };
}

/** A service by a clock that is turned by hand, and what sweeps it. */
async function open(
  uploads: Partial<UploadRules> = {},
  wrap = (store: UploadStore): UploadStore => store,
  between = (writer: DraftWriter): DraftWriter => writer,
) {
  const clock = new FakeClock(Date.now());
  const { blobs, writtenBytes } = withCountedWrites(writingBy(memoryBlobs({ clock }), between));
  const storage = memoryStorage();
  const { uploads: records } = storage;
  if (records === undefined) throw new Error("There are no records.");
  const dues: (number | undefined)[] = [];
  const noting: UploadStore = {
    ...records,
    async update(id, version, changes, limits) {
      const outcome = await records.update(id, version, changes, limits);
      if (outcome.outcome === "stored") dues.push(changes.dueAt?.getTime());
      return outcome;
    },
  };
  /** Waits until an upload has all of its time again. */
  const renewed = () => expect.poll(() => dues).toContain(clock.now() + (uploads.expiresMs ?? dayMs));
  const options = { types: "any", store: wrap(noting), ...uploads } satisfies UploadRules;
  const stage = await uploadStage({ storage, blobs, uploads: options, clock: { now: () => clock.now() } });
  stages.push(stage);
  const settings = uploadSettings(options, { storage, blobs, clock, timers: systemTimers, logger: silentLogger });
  const keys = () => keysOf(blobs);
  const use = () => records.use(undefined, account);
  return { stage, clock, keys, store: records, use, sweep: () => sweepUploads(settings), writtenBytes, renewed };
}

test("a body that takes longer than an upload may be silent is not given up while it comes", async () => {
  const { stage, clock, sweep, keys, renewed } = await open({ expiresMs: 60_000 });
  const begun = await stage.begin("POST", "/uploads", { "content-length": 400_000, connection: "close" }, Buffer.alloc(100_000));
  await expect.poll(keys).toHaveLength(1);
  for (let part = 0; part < 3; part++) {
    clock.advance(36_000);
    await begun.write(Buffer.alloc(100_000));
    await renewed();
    expect(await sweep()).toBe(0);
  }
  expect(await begun.answered).toMatch(/^HTTP\/1.1 201 /);
});

test("a body that is proved by a checksum is not given up while it comes", async () => {
  const { stage, clock, sweep, writtenBytes, renewed } = await open({ expiresMs: 60_000 });
  const bytes = Buffer.alloc(400_000, "a");
  const path = await stage.create(bytes.length);
  const proof = { "upload-checksum": `md5 ${createHash("md5").update(bytes).digest("base64")}` };
  const headers = { ...stream, ...proof, "upload-offset": 0, "content-length": bytes.length };
  const begun = await stage.begin("PATCH", path, headers, bytes.subarray(0, 100_000));
  for (let part = 1; part < 4; part++) {
    await expect.poll(writtenBytes).toBe(part * 100_000);
    clock.advance(36_000);
    await begun.write(bytes.subarray(part * 100_000, (part + 1) * 100_000));
    await renewed();
    expect(await sweep()).toBe(0);
  }
  await expect.poll(async () => (await stage.send("GET", path)).json.status).toBe("ready");
});

test("a PATCH that begins just before an upload ends goes on", async () => {
  const { stage, clock, sweep } = await open();
  const path = await stage.create(10);
  clock.advance(dayMs - 1_000);
  const begun = await stage.begin("PATCH", path, { ...stream, "upload-offset": 0, "content-length": 10, connection: "close" }, Buffer.from("hello"));
  await expect.poll(async () => (await stage.storage.uploads?.get(path.slice(9)))?.data).toHaveProperty("holder");
  clock.advance(2_000);
  expect(await sweep()).toBe(0);
  await begun.write(Buffer.from("world"));
  expect(await begun.answered).toMatch(/^HTTP\/1\.1 204 /);
});

test("a PATCH whose bytes come slowly is not given up in between", async () => {
  const { stage, clock, sweep, writtenBytes, renewed } = await open({ expiresMs: 4_000 });
  const path = await stage.create(20);
  const begun = await stage.begin("PATCH", path, { ...stream, "upload-offset": 0, "content-length": 20, connection: "close" }, Buffer.alloc(5));
  for (let part = 1; part < 4; part++) {
    await expect.poll(writtenBytes).toBe(part * 5);
    clock.advance(3_000);
    await begun.write(Buffer.alloc(5));
    await renewed();
    expect(await sweep()).toBe(0);
  }
  expect(await begun.answered).toMatch(/^HTTP\/1\.1 204 /);
});

test("an upload that is given up while somebody records what has arrived takes up nothing", async () => {
  let meanwhile = async (): Promise<unknown> => undefined;
  const { stage, clock, sweep, use, keys, writtenBytes } = await open({}, undefined, (writer) => ({
    ...writer,
    async flush() {
      const draft = await writer.flush();
      await meanwhile();
      return draft;
    },
  }));
  const path = await stage.create(1_000_000);
  await stage.begin("PATCH", path, { ...stream, "upload-offset": 0, "content-length": 1_000_000 }, Buffer.alloc(500_000));
  await expect.poll(writtenBytes).toBe(500_000);
  meanwhile = () => {
    clock.advance(dayMs + 1);
    return sweep();
  };
  expect((await stage.send("HEAD", path)).status).toBe(410);
  expect((await stage.send("GET", path)).json).toMatchObject({ status: 410, code: "GONE" });
  expect(await use()).toEqual({ open: 0, bytes: 0 });
  expect(await keys()).toEqual([]);
});

test("a file whose answer was lost has its bytes, or there is nothing of it", async () => {
  let fails = 0;
  const { stage, keys, use } = await open({}, (store) => ({
    ...store,
    async update(id, version, changes, limits) {
      const outcome = await store.update(id, version, changes, limits);
      if ((changes.data as { status?: string } | undefined)?.status !== "ready") return outcome;
      fails = 1;
      throw new Unavailable("The answer is lost.");
    },
    async get(id) {
      if (fails === 0) return store.get(id);
      fails -= 1;
      throw new Unavailable("Not now.");
    },
  }));
  expect((await stage.send("POST", "/uploads", { body: "hello" })).status).toBe(503);
  const left = await keys();
  expect(await use()).toEqual({ open: 0, bytes: 5 * left.length });
});

test("a concatenation that cannot be checked leaves nothing, and is made once when it is asked for again", async () => {
  let isUp = false;
  const scanner: FileCheck = { name: "scanner", needs: "file", run: async () => (isUp ? pass : reject("SCAN_UNAVAILABLE", "It is down.")) };
  const { stage, keys, use } = await open({ checks: [scanner] });
  const pieces = [await stage.create(2, { "upload-concat": "partial" }), await stage.create(3, { "upload-concat": "partial" })];
  await stage.patch(pieces[0] ?? "", 0, "he");
  await stage.patch(pieces[1] ?? "", 0, "llo");
  const join = () => stage.send("POST", "/uploads", { headers: { "upload-concat": `final;${pieces.join(" ")}` } });
  expect((await join()).status).toBe(503);
  expect(await keys()).toHaveLength(2);
  expect(await use()).toEqual({ open: 2, bytes: 5 });
  isUp = true;
  expect((await join()).status).toBe(201);
  expect(await use()).toEqual({ open: 0, bytes: 5 });
});

test.each([
  ["is not answered", async () => Promise.reject(new Unavailable("Not now."))],
  ["finds a piece changed", async () => ({ outcome: "conflict" }) as const],
])("a concatenation is made once where the store %s when its pieces are let go", async (_, instead) => {
  let failures = 0;
  const { stage, clock, sweep, keys, use } = await open({}, (store) => ({
    ...store,
    async update(id, version, changes, limits) {
      const record = await store.get(id);
      const isPiece = (record?.data as { concat?: string } | undefined)?.concat === "partial";
      if (!isPiece || changes.bytes !== 0 || failures > 0) return store.update(id, version, changes, limits);
      failures += 1;
      return instead();
    },
  }));
  const pieces = [await stage.create(2, { "upload-concat": "partial" }), await stage.create(3, { "upload-concat": "partial" })];
  await stage.patch(pieces[0] ?? "", 0, "he");
  await stage.patch(pieces[1] ?? "", 0, "llo");
  const { status, headers } = await stage.send("POST", "/uploads", { headers: { "upload-concat": `final;${pieces.join(" ")}` } });
  expect({ status, failures }).toEqual({ status: 201, failures: 1 });
  expect((await stage.send("GET", `/files/${String(headers.location).slice(9)}`)).text).toBe("hello");
  clock.advance(dayMs);
  await sweep();
  expect(await keys()).toHaveLength(1);
  expect(await use()).toEqual({ open: 0, bytes: 5 });
});

test.each([
  ["is deleted", false],
  ["is rejected later", true],
])("the pieces of a concatenation end with it when it %s, because they count no more", async (_, isRejected) => {
  let answer: Verdict = isRejected ? { verdict: "defer" } : pass;
  const { stage, clock, sweep, keys, use } = await open({ checks: [{ name: "scanner", needs: "file", run: async () => answer }] });
  const piece = await stage.create(5, { "upload-concat": "partial" });
  await stage.patch(piece, 0, "hello");
  const { headers } = await stage.send("POST", "/uploads", { headers: { "upload-concat": `final;${piece}` } });
  expect(await use()).toMatchObject({ bytes: 5 });
  if (isRejected) {
    answer = reject("VIRUS_DETECTED", "It is one.");
    clock.advance(3_600_000);
    await sweep();
  } else expect((await stage.send("DELETE", String(headers.location))).status).toBe(204);
  expect(await use()).toMatchObject({ bytes: 0 });
  expect(await keys()).toEqual([]);
  expect((await stage.send("HEAD", piece)).status).toBe(410);
});

test("a piece that somebody has looked at meanwhile counts no more once the file is made", async () => {
  let meanwhile = async (): Promise<unknown> => undefined;
  const slow: FileCheck = {
    name: "slow",
    needs: "file",
    async run() {
      await meanwhile();
      return pass;
    },
  };
  const { stage, use } = await open({ checks: [slow] });
  const piece = await stage.create(5, { "upload-concat": "partial" });
  await stage.patch(piece, 0, "hello");
  // Who does not know that all has come asks once more.
  meanwhile = () => stage.patch(piece, 5, "");
  expect((await stage.send("POST", "/uploads", { headers: { "upload-concat": `final;${piece}` } })).status).toBe(201);
  expect(await use()).toEqual({ open: 0, bytes: 5 });
});

test("a file that is finished while its deletion waits for its writer stays where nobody may delete it", async () => {
  const { stage, store } = await open({ allowTerminateFinished: false });
  const path = await stage.create(5);
  await stage.patch(path, 0, "hello");
  const ready = await store.get(path.slice(9));
  if (ready === undefined) throw new Error("There is no record.");
  const { file: _, ...data } = ready.data as Record<string, unknown>;
  // As it was while another process had it.
  const held = await store.update(ready.id, ready.version, { data: { ...data, status: "uploading", holder: "another" }, dueAt: new Date(8e15) });
  expect(held.outcome).toBe("stored");
  const deleted = stage.send("DELETE", path);
  await expect.poll(async () => (await store.get(ready.id))?.data).toHaveProperty("isWanted");
  const wanted = await store.get(ready.id);
  await store.update(ready.id, wanted?.version ?? 0, { data: ready.data, dueAt: undefined });
  expect((await deleted).status).toBe(403);
  expect((await stage.send("GET", `/files/${ready.id}`)).text).toBe("hello");
});

test("an upload that is not there is not found, whatever version is spoken", async () => {
  const { stage } = await open();
  for (const method of ["HEAD", "PATCH", "DELETE"]) {
    const { status } = await stage.send(method, `/uploads/${"0".repeat(32)}`, { headers: { "tus-resumable": "0.2.2" } });
    expect({ method, status }).toEqual({ method, status: 404 });
  }
  const path = await stage.create(5);
  for (const method of ["HEAD", "PATCH", "DELETE"]) {
    const { status, headers } = await stage.send(method, path, { headers: { "tus-resumable": "0.2.2" } });
    expect({ method, status, version: headers["tus-version"] }).toEqual({ method, status: 412, version: "1.0.0" });
  }
});
