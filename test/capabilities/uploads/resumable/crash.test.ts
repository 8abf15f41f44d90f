// @slow

import { createHash, randomBytes } from "node:crypto";
import type { BlobStore, Service, Storage } from "restwright";
import { memoryBlobs } from "restwright/memory";
import { faultyBlobs, faultyStorage } from "restwright/testing";
import type { Durability } from "restwright/uploads";
import { describe, expect, test } from "vitest";
import { uploadSettings } from "../../../../src/capabilities/uploads/settings.js";
import { sweepOrphans, sweepUploads } from "../../../../src/capabilities/uploads/sweep.js";
import { silentLogger } from "../../../../src/engine/operation/logging/logger.js";
import { systemTimers } from "../../../../src/ground/http/timers.js";
import { keysOf } from "../../../adapters/stores/blobs/blobContents.js";
import { clientOf, readPieces, requestOf } from "../../../tools/client.js";
import { nextCall, sampleNote } from "../../../tools/extent.js";
import { fullService } from "../../../tools/fullService.js";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";

const places = storagePlaces.filter(([name]) => name === "memory" || name === "SQLite in memory");
const bytes = randomBytes(200_000);
const pieceBytes = 50_000;
const stream = { "content-type": "application/offset+octet-stream" };
const hourMs = 3_600_000;

/** A minute passes in half a second: what waits for a process that is dead need not wait for real. */
const speed = 120;
const startMs = Date.now();
const clock = { now: () => startMs + (Date.now() - startMs) * speed };
const timers = { setTimeout: (run: () => void, ms: number) => systemTimers.setTimeout(run, ms / speed) };

const serviceOn = (storage: Storage, blobs: BlobStore, durability: Durability = "piece") =>
  fullService({ resources: [], storage, blobs, uploads: { types: "any", durability }, clock, timers });

/** What a client knows of its upload. */
interface Known {
  path: string | undefined;
  /** What it was told has arrived. */
  offset: number;
}

/** Sends what is missing, until something goes wrong. @returns whether all was answered */
async function sendAll(service: Service, known: Known): Promise<boolean> {
  const send = clientOf(service);
  if (known.path === undefined) {
    const created = await send({ method: "POST", target: "/uploads", headers: { "upload-length": String(bytes.length) } });
    if (created.status !== 201) return false;
    known.path = String(created.headers["location"]);
  }
  while (known.offset < bytes.length) {
    const end = Math.min(known.offset + pieceBytes, bytes.length);
    const patched = await send({
      method: "PATCH",
      target: known.path,
      headers: { ...stream, "upload-offset": String(known.offset) },
      body: bytes.subarray(known.offset, end),
    });
    if (patched.status !== 204) return false;
    known.offset = Number(patched.headers["upload-offset"]);
  }
  return true;
}

/** As a client does after something went wrong. */
async function lookUp(service: Service, known: Known, at: string): Promise<void> {
  if (known.path === undefined) return;
  const head = await clientOf(service)({ method: "HEAD", target: known.path });
  expect(head.status, at).toBe(200);
  const offset = Number(head.headers["upload-offset"]);
  expect(offset, `${at}: nothing that was acknowledged is lost`).toBeGreaterThanOrEqual(known.offset);
  known.offset = offset;
}

describe.each(places)("a process that dies while it takes an upload on %s", (_, place) => {
  test.each([
    ["before", "piece"],
    ["after", "piece"],
    ["before", "file"],
    ["after", "file"],
  ] as const)(
    `is followed by one on which the client goes on, %s whichever call, with a durable %s${sampleNote}`,
    { timeout: 120_000 },
    async (how, durability) => {
      let survived: number | undefined;
      for (let k = nextCall(0); survived === undefined; k = nextCall(k)) {
        const at = `${how} call ${k}`;
        const storage = (await place()).open();
        const blobs = memoryBlobs({ clock });
        await serviceOn(storage, blobs).start();
        const dying = faultyStorage(storage, { dieAfter: k, how });
        const known: Known = { path: undefined, offset: 0 };
        if (await sendAll(serviceOn(dying, faultyBlobs(blobs, dying), durability), known)) survived = k;

        const next = serviceOn(storage, blobs, durability);
        await lookUp(next, known, at);
        expect(await sendAll(next, known), at).toBe(true);
        // A process that died while it checked the file leaves that to a sweep.
        const later = { now: () => clock.now() + hourMs };
        const settings = (clockOf: typeof later) =>
          uploadSettings({ types: "any" }, { storage, blobs, clock: clockOf, timers, logger: silentLogger });
        await sweepUploads(settings(later));
        const { json } = await clientOf(next)({ target: known.path ?? "" });
        expect(json, at).toMatchObject({ status: "ready", size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
        const file = await readPieces((await next.handle(requestOf({ target: json.url })))?.body ?? null);
        expect(file.equals(bytes), at).toBe(true);
        await sweepUploads(settings({ now: () => clock.now() + 30 * hourMs }));
        await sweepOrphans(settings({ now: () => clock.now() + 30 * hourMs }));
        expect(await keysOf(blobs), at).toEqual([`upload_${json.id}`]);
        expect(await storage.uploads?.use(undefined, "address "), at).toEqual({ open: 0, bytes: bytes.length });
      }
      expect(survived).toBeGreaterThan(15);
    },
  );

  test.each(["before", "after"] as const)(
    `leaves nothing of a body that it never answered for, %s whichever call${sampleNote}`,
    { timeout: 120_000 },
    async (how) => {
      let survived: number | undefined;
      for (let k = nextCall(0); survived === undefined; k = nextCall(k)) {
        const at = `${how} call ${k}`;
        const storage = (await place()).open();
        const blobs = memoryBlobs({ clock });
        await serviceOn(storage, blobs).start();
        const dying = faultyStorage(storage, { dieAfter: k, how });
        const { status, text } = await clientOf(serviceOn(dying, faultyBlobs(blobs, dying)))({ method: "POST", target: "/uploads", body: bytes });
        if (status === 201) survived = k;
        const settings = uploadSettings(
          { types: "any" },
          { storage, blobs, clock: { now: () => clock.now() + 30 * hourMs }, timers, logger: silentLogger },
        );
        await sweepUploads(settings);
        await sweepOrphans(settings);
        const kept = await keysOf(blobs);
        // What was made whole and recorded may stay, though its answer was lost: as a file, never as half of one.
        const next = clientOf(serviceOn(storage, blobs));
        for (const key of kept)
          expect((await next({ target: `/uploads/${key.slice("upload_".length)}` })).json, at).toMatchObject({ status: "ready", size: bytes.length });
        expect(kept.length, at).toBeLessThanOrEqual(1);
        if (status === 201) expect(kept, at).toEqual([`upload_${JSON.parse(text).id}`]);
      }
      expect(survived).toBeGreaterThan(6);
    },
  );
});
