// @slow

import { createHash } from "node:crypto";
import type { BlobStore, Storage } from "restwright";
import { memoryBlobs } from "restwright/memory";
import { faultyBlobs, faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { clientOf, readPieces, requestOf } from "../../../tools/client.js";
import { endedAlive } from "../../../tools/endedAlive.js";
import { nextCall, sampleNote } from "../../../tools/extent.js";
import { fullService } from "../../../tools/fullService.js";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { untilAnswered } from "../../../tools/untilAnswered.js";
import { endedJob, jobOf } from "../../batch/batchJobStage.js";
import { shortLeases } from "../../batch/batchLeases.js";
import { fillLines, lines } from "./exportStage.js";

const places = storagePlaces.filter(([name]) => name === "memory" || name === "SQLite in memory");
const rows = 1_200;

/** Leases are short where their end has to be waited for, and long enough elsewhere for a machine that is busy. */
const serviceOn = (storage: Storage, blobs: BlobStore, { work = true, leaseMs = 60 } = {}) =>
  fullService({ resources: [lines], storage, blobs, idempotency: { leaseMs: 10 }, jobs: { work, leaseMs, pollMs: 5 } });

async function blobsOf(blobs: BlobStore): Promise<{ readonly complete: boolean; readonly size: number }[]> {
  const all: { complete: boolean; size: number }[] = [];
  for await (const { complete, size } of blobs.list("", { before: new Date(8e15) })) all.push({ complete, size });
  return all;
}

describe.each(places)("a process that dies while it makes or does an export on %s", (_, place) => {
  const request = { method: "POST", target: "/exports", body: { collection: "lines", format: "ndjson", gzip: true } };
  const headers = { "idempotency-key": "0123456789abcdef" };

  test.each(["before", "after"] as const)(
    `is followed by one that ends it with the whole file and no other, %s whichever call${sampleNote}`,
    { timeout: 60_000 },
    async (how) => {
      let survived: number | undefined;
      for (let k = nextCall(0); survived === undefined; k = nextCall(k)) {
        const storage = shortLeases((await place()).open());
        const blobs = memoryBlobs();
        const watcher = serviceOn(storage, blobs, { work: false });
        await watcher.start();
        await fillLines(storage, rows);

        const dying = faultyStorage(storage, { dieAfter: k, how });
        const doomed = serviceOn(dying, faultyBlobs(blobs, dying));
        const died = await clientOf(doomed)({ ...request, headers });
        if (died.status === 202 && (await endedAlive(clientOf(watcher), jobOf(died), () => dying.dead))) survived = k;
        await doomed.close({ graceMs: 0 }).catch(() => {});

        const next = serviceOn(storage, blobs, { leaseMs: 2_000 });
        const send = clientOf(next);
        const target = jobOf(await untilAnswered(() => send({ ...request, headers })));
        if (died.status === 202) expect(target).toBe(jobOf(died));
        const { status, document } = await endedJob(send, target);
        const at = `${how} call ${k}: ${JSON.stringify(document)}`;
        const result = document["result"] as { rows: number; bytes: number; sha256: string; downloadUrl: string };
        expect([status, result?.rows], at).toEqual(["completed", rows]);
        const bytes = await readPieces((await next.handle(requestOf({ target: result.downloadUrl })))?.body ?? null);
        expect([bytes.length, createHash("sha256").update(bytes).digest("hex")], at).toEqual([result.bytes, result.sha256]);
        expect(await blobsOf(blobs), at).toEqual([{ complete: true, size: result.bytes }]);
        await next.close();
      }
      expect(survived).toBeGreaterThan(20);
    },
  );
});
