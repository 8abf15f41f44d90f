import { createHash } from "node:crypto";
import { type FileCheck, pass, reject } from "restwright/checks";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { afterEach, expect, test } from "vitest";
import { uploadSettings } from "../../../src/capabilities/uploads/settings.js";
import { sweepOrphans, sweepUploads } from "../../../src/capabilities/uploads/sweep.js";
import { silentLogger } from "../../../src/engine/operation/logging/logger.js";
import { systemTimers } from "../../../src/ground/http/timers.js";
import { keysOf } from "../../adapters/stores/blobs/blobContents.js";
import { eventually } from "../../tools/eventually.js";
import type { UploadRules } from "../../tools/fullService.js";
import { type UploadStage, uploadStage } from "./stage.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const stages: UploadStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

/** A service whose clock is turned by hand, and what sweeps it. */
async function open(uploads: Partial<UploadRules> = {}, hasTimers = false) {
  const clock = new FakeClock(Date.now());
  const storage = memoryStorage();
  const blobs = memoryBlobs({ clock });
  const timers = hasTimers ? clock : systemTimers;
  const stage = await uploadStage({ storage, blobs, uploads, clock: { now: () => clock.now() }, timers });
  stages.push(stage);
  const settings = uploadSettings({ types: "any", ...uploads }, { storage, blobs, clock, timers: systemTimers, logger: silentLogger });
  const keys = () => keysOf(blobs);
  return { stage, clock, keys, sweep: () => sweepUploads(settings), sweepOrphans: () => sweepOrphans(settings), blobs, storage };
}

const anonymous = "address 127.0.0.1";

test("an upload that nobody goes on with is gone after a day, told apart for a week, and then as if it had never been", async () => {
  const { stage, clock, keys, sweep, storage } = await open();
  const path = await stage.create(10);
  await stage.patch(path, 0, "hello");
  clock.advance(dayMs - 1_000);
  // Each part begins a new day.
  const { headers } = await stage.patch(path, 5, "wor");
  expect(Date.parse(String(headers["upload-expires"]))).toBeGreaterThan(clock.now() + dayMs - 2_000);
  clock.advance(dayMs);
  for (const method of ["HEAD", "GET", "PATCH"]) {
    const sent = { headers: { "content-type": "application/offset+octet-stream", "upload-offset": 8 } };
    expect((await stage.send(method, path, sent)).status).toBe(410);
  }
  expect(await storage.uploads?.use(undefined, anonymous)).toEqual({ open: 1, bytes: 10 });
  expect(await sweep()).toBe(1);
  expect(await keys()).toEqual([]);
  expect(await storage.uploads?.use(undefined, anonymous)).toEqual({ open: 0, bytes: 0 });
  for (const method of ["HEAD", "GET"]) expect((await stage.send(method, path)).status).toBe(410);
  clock.advance(6 * dayMs);
  expect(await sweep()).toBe(0);
  expect((await stage.send("HEAD", path)).status).toBe(410);
  clock.advance(dayMs);
  expect(await sweep()).toBe(1);
  expect((await stage.send("HEAD", path)).status).toBe(404);
});

test("an upload that is deleted is gone for GET as for HEAD, and one that was rejected says why", async () => {
  const { stage } = await open({ checks: [{ name: "none", needs: "head", run: async () => reject("TYPE_NOT_ALLOWED", "Nothing is taken.") }] });
  const path = await stage.create(5);
  expect((await stage.send("DELETE", path)).status).toBe(204);
  expect((await stage.send("HEAD", path)).status).toBe(410);
  const { status, headers, json } = await stage.send("GET", path);
  expect([status, json.code, headers["content-type"]]).toEqual([410, "GONE", "application/problem+json"]);
  const rejected = await stage.create(5);
  expect((await stage.patch(rejected, 0, "hello")).status).toBe(415);
  const told = await stage.send("GET", rejected);
  expect([told.status, told.json.status, told.json.error.code]).toEqual([200, "rejected", "TYPE_NOT_ALLOWED"]);
});

test("an upload that has expired holds no quota, whether the sweep has been there or not", async () => {
  const { stage, clock, storage, keys } = await open({ quotaBytes: 10, maxOpen: 2 });
  const expired = await stage.create(10);
  await stage.patch(expired, 0, "hello");
  expect((await stage.send("POST", "/uploads", { headers: { "upload-length": 1 } })).status).toBe(413);
  clock.advance(dayMs);
  await stage.create(4);
  expect((await stage.send("HEAD", expired)).status).toBe(410);
  expect(await storage.uploads?.use(undefined, anonymous)).toEqual({ open: 1, bytes: 4 });
  expect(await keys()).toEqual(["upload_"].map((mark) => expect.stringContaining(mark)));
  // A body of a length that nobody has said has the room as well, from its first byte on.
  clock.advance(dayMs);
  expect((await stage.send("POST", "/uploads", { body: "0123456789", chunked: true })).status).toBe(201);
  expect(await storage.uploads?.use(undefined, anonymous)).toEqual({ open: 0, bytes: 10 });
  expect((await stage.send("POST", "/uploads", { headers: { "upload-length": 1 } })).status).toBe(413);
});

test("uploads that have expired do not count among those that may be open", async () => {
  const { stage, clock } = await open({ maxOpen: 2 });
  for (let count = 0; count < 2; count++) await stage.create(4);
  expect((await stage.send("POST", "/uploads", { headers: { "upload-length": 1 } })).status).toBe(413);
  clock.advance(dayMs);
  await stage.create(4);
});

test("a finished file stays", async () => {
  const { stage, clock, sweep, sweepOrphans: orphans } = await open();
  const path = await stage.create(5);
  await stage.patch(path, 0, "hello");
  const plain = (await stage.send("POST", "/uploads", { body: "world" })).json;
  clock.advance(400 * dayMs);
  expect(await sweep()).toBe(0);
  expect(await orphans()).toBe(0);
  expect((await stage.send("GET", `/files/${path.slice(9)}`)).text).toBe("hello");
  expect((await stage.send("GET", plain.url)).text).toBe("world");
});

test("pieces of a concatenation go after a day, the file that was made of them stays", async () => {
  const { stage, clock, keys, sweep } = await open();
  const pieces = [await stage.create(2, { "upload-concat": "partial" }), await stage.create(1, { "upload-concat": "partial" })];
  await stage.patch(pieces[0] ?? "", 0, "he");
  await stage.patch(pieces[1] ?? "", 0, "y");
  const { headers } = await stage.send("POST", "/uploads", { headers: { "upload-concat": `final;${pieces.join(" ")}` } });
  clock.advance(dayMs);
  expect(await sweep()).toBe(2);
  expect(await keys()).toHaveLength(1);
  const { json } = await stage.send("GET", String(headers.location));
  expect((await stage.send("GET", json.url)).text).toBe("hey");
});

test("a file that could not be scanned is scanned again", async () => {
  let isUp = false;
  const scanner: FileCheck = { name: "scanner", needs: "file", run: async () => (isUp ? pass : reject("SCAN_UNAVAILABLE", "It is down.")) };
  const { stage, clock, sweep } = await open({ checks: [scanner] });
  const path = await stage.create(5);
  expect((await stage.patch(path, 0, "hello")).status).toBe(503);
  clock.advance(61_000);
  expect(await sweep()).toBe(0);
  clock.advance(3_000);
  await expect(sweep()).rejects.toThrow("It is down.");
  isUp = true;
  expect(await sweep()).toBe(0);
  clock.advance(121_000);
  expect(await sweep()).toBe(1);
  const { json } = await stage.send("GET", path);
  expect(json).toMatchObject({ status: "ready", sha256: createHash("sha256").update("hello").digest("hex") });
});

test("a body that was never answered for is removed", async () => {
  const { stage, clock, keys, sweep, storage } = await open();
  const { json } = await stage.send("POST", "/uploads", { body: "hello" });
  const record = await storage.uploads?.get(json.id);
  if (record === undefined) throw new Error("There is no record.");
  const data = { ...(record.data as object), status: "processing", file: undefined };
  await storage.uploads?.update(json.id, record.version, { data, isOpen: true, dueAt: new Date(clock.now() + 1_000) });
  clock.advance(1_000);
  expect(await sweep()).toBe(0);
  clock.advance(3_000);
  expect(await sweep()).toBe(1);
  expect(await keys()).toEqual([]);
});

/** An upload whose process died while it checked its file: nothing touches its record any more. */
async function leftByTheDead() {
  const opened = await open();
  const path = await opened.stage.create(5);
  await opened.stage.patch(path, 0, "hello");
  const record = await opened.storage.uploads?.get(path.slice("/uploads/".length));
  if (record === undefined) throw new Error("There is no record.");
  const data = { ...(record.data as object), status: "processing", file: undefined };
  await opened.storage.uploads?.update(record.id, record.version, { data, dueAt: new Date(opened.clock.now() + 1_000) });
  return { ...opened, path };
}

test("a file whose process died while it was checked is checked by the sweep, three seconds after its last sign of life", async () => {
  const { stage, clock, sweep, path } = await leftByTheDead();
  clock.advance(1_000);
  expect(await sweep()).toBe(0);
  clock.advance(2_900);
  expect(await sweep()).toBe(0);
  clock.advance(100);
  expect(await sweep()).toBe(1);
  expect((await stage.send("GET", path)).json).toMatchObject({ status: "ready", sha256: createHash("sha256").update("hello").digest("hex") });
});

test("a file whose process died while it was checked is checked for whoever asks for it", async () => {
  const { stage, clock, path } = await leftByTheDead();
  clock.advance(1_000);
  expect((await stage.send("GET", path)).json.status).toBe("processing");
  clock.advance(3_000);
  await eventually(async () => expect((await stage.send("GET", path)).json.status).toBe("ready"));
});

test("a file that is checked for long is its process' own as long as that lives", async () => {
  let finishCheck = () => {};
  const gate = new Promise<void>((resolve) => {
    finishCheck = resolve;
  });
  const slow: FileCheck = { name: "slow", needs: "file", run: async () => gate.then(() => pass) };
  const { stage, clock, sweep, storage } = await open({ checks: [slow], checkMs: 60_000 }, true);
  const path = await stage.create(5);
  const versionNow = async () => (await storage.uploads?.get(path.slice("/uploads/".length)))?.version;
  const patched = stage.patch(path, 0, "hello");
  await eventually(async () => expect((await stage.send("GET", path)).json.status).toBe("processing"));
  for (let round = 0; round < 4; round++) {
    const version = await versionNow();
    clock.advance(3_000);
    expect(await sweep()).toBe(0);
    await eventually(async () => expect(await versionNow()).not.toBe(version));
  }
  finishCheck();
  expect((await patched).status).toBe(204);
  expect((await stage.send("GET", path)).json.status).toBe("ready");
});

test("blobs that belong to no upload go after a day, and others are let alone", async () => {
  const { stage, clock, keys, sweepOrphans: orphans, blobs } = await open();
  for (const key of [`upload_${"0".repeat(32)}`, "export_1", "mine"]) {
    const writer = await blobs.open(key);
    await writer.commit();
  }
  const draft = await blobs.drafts?.begin(`upload_${"1".repeat(32)}`);
  expect(draft?.size).toBe(0);
  const path = await stage.create(5);
  expect(await orphans()).toBe(0);
  clock.advance(dayMs + 1);
  expect(await orphans()).toBe(2);
  expect([...(await keys())].sort()).toEqual(["export_1", "mine", `upload_${path.slice(9)}`].sort());
});
