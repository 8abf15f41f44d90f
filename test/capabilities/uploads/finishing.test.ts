import { createHash } from "node:crypto";
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
import { type UploadStage, uploadStage } from "./stage.js";

const account = "address 127.0.0.1";
const longMs = 3_600_000;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const stages: UploadStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

/** A check that says nothing until it is told what to say. */
class SlowCheck implements FileCheck {
  readonly name = "slow";
  readonly needs = "file";
  readonly rewrites: boolean;
  readonly #waiting: ((verdict: Verdict) => void)[] = [];

  constructor(rewrites = false) {
    this.rewrites = rewrites;
  }

  run(): Promise<Verdict> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Answers the one that has waited longest, or the one that began last. */
  say(verdict: Verdict, which: "first" | "last" = "first"): void {
    (which === "first" ? this.#waiting.shift() : this.#waiting.pop())?.(verdict);
  }
}

/** A service, and another process that sweeps the same stores, both by a clock that is turned by hand. */
async function open(check: SlowCheck, options: Partial<UploadRules> = {}) {
  const clock = new FakeClock(Date.now());
  const [storage, blobs] = [memoryStorage(), memoryBlobs({ clock })];
  const heard: string[] = [];
  const uploads = { types: "any", checks: [check], checkMs: longMs, onReady: ({ id }) => void heard.push(id), ...options } satisfies UploadRules;
  const stage = await uploadStage({ storage, blobs, uploads, clock: { now: () => clock.now() } });
  stages.push(stage);
  const settings = uploadSettings(uploads, { storage, blobs, clock, timers: systemTimers, logger: silentLogger });
  const keys = () => keysOf(blobs);
  return { stage, clock, heard, keys, storage, sweep: () => sweepUploads(settings) };
}

/** An upload whose last byte has come, and whose check goes on. */
async function checking(stage: UploadStage, check: SlowCheck) {
  const path = await stage.create(5);
  const patched = stage.patch(path, 0, "hello");
  await expect.poll(() => check.waiting).toBe(1);
  return { path, patched };
}

test("a PATCH at the end, while the file is checked, disturbs nobody", async () => {
  const check = new SlowCheck();
  const { stage, heard } = await open(check);
  const { path, patched } = await checking(stage, check);
  const again = await stage.patch(path, 5, "");
  expect({ status: again.status, offset: again.headers["upload-offset"] }).toEqual({ status: 204, offset: "5" });
  check.say(pass);
  expect((await patched).status).toBe(204);
  expect((await stage.send("GET", path)).json).toMatchObject({ status: "ready", sha256: sha256("hello") });
  expect(heard).toEqual([path.slice(9)]);
});

test.each(["first", "last"] as const)("a file that two processes check is told of once, and the %s of them records it", async (which) => {
  const check = new SlowCheck();
  const { stage, heard, clock, sweep, storage } = await open(check);
  const { path, patched } = await checking(stage, check);
  clock.advance(3 * longMs);
  const swept = sweep();
  await expect.poll(() => check.waiting).toBe(2);
  check.say(pass, which);
  await expect.poll(() => heard).toHaveLength(1);
  check.say(pass);
  expect((await patched).status).toBe(204);
  await swept;
  expect(heard).toEqual([path.slice(9)]);
  expect((await stage.send("GET", `/files/${path.slice(9)}`)).text).toBe("hello");
  expect(await storage.uploads?.use(undefined, account)).toEqual({ open: 0, bytes: 5 });
});

test.each(["first", "last"] as const)("what two processes made of a file stays where the %s of them records it", async (which) => {
  const check = new SlowCheck(true);
  const { stage, heard, clock, sweep, keys } = await open(check);
  const { path, patched } = await checking(stage, check);
  clock.advance(3 * longMs);
  const swept = sweep();
  await expect.poll(() => check.waiting).toBe(2);
  const verdict: Verdict = { verdict: "replace", bytes: Buffer.from("HELLO") };
  check.say(verdict, which);
  await expect.poll(() => heard).toHaveLength(1);
  check.say(verdict);
  await Promise.all([patched, swept]);
  expect((await stage.send("GET", `/files/${path.slice(9)}`)).text).toBe("HELLO");
  expect(await keys()).toHaveLength(1);
  expect(heard).toHaveLength(1);
});

test("of two processes that say different things of a file one counts, and the file has its bytes or is gone", async () => {
  const check = new SlowCheck();
  const { stage, clock, sweep, heard } = await open(check);
  const { path, patched } = await checking(stage, check);
  clock.advance(3 * longMs);
  const swept = sweep();
  await expect.poll(() => check.waiting).toBe(2);
  check.say(pass);
  await expect.poll(() => heard).toHaveLength(1);
  check.say(reject("VIRUS_DETECTED", "It is one."));
  await Promise.all([patched, swept]);
  expect((await stage.send("GET", path)).json).toMatchObject({ status: "ready" });
  expect((await stage.send("GET", `/files/${path.slice(9)}`)).text).toBe("hello");
});

test("who deletes a file while it is checked has it deleted, and who sent it is told so", async () => {
  const check = new SlowCheck();
  const { stage, heard, keys, storage } = await open(check);
  const { path, patched } = await checking(stage, check);
  expect((await stage.send("DELETE", path)).status).toBe(204);
  check.say(pass);
  const { status, json } = await patched;
  expect({ status, code: json.code }).toEqual({ status: 410, code: "GONE" });
  expect(heard).toEqual([]);
  expect(await keys()).toEqual([]);
  expect(await storage.uploads?.use(undefined, account)).toEqual({ open: 0, bytes: 0 });
});

test("a file that comes as one is not given up while its checks may still go on", async () => {
  const check = new SlowCheck();
  const { stage, clock, sweep } = await open(check);
  const sent = stage.send("POST", "/uploads", { body: "hello" });
  await expect.poll(() => check.waiting).toBe(1);
  clock.advance(longMs - 1_000);
  expect(await sweep()).toBe(0);
  check.say(pass);
  const { status, json } = await sent;
  expect({ status, of: json.status }).toEqual({ status: 201, of: "ready" });
});
