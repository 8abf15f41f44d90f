// @long

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlobStore } from "restwright";
import { diskBlobs } from "restwright/disk";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { faultyBlobs, faultyStorage } from "restwright/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { keysOf } from "../../../adapters/stores/blobs/blobContents.js";
import type { Sent } from "../../../tools/client.js";
import { endedJob, jobOf } from "../../batch/batchJobStage.js";
import { csv, json, ndjson, ndjsonChunks, type SentFile } from "./importStage.js";
import { GatedBlobs } from "./interrupted/importGate.js";
import { blobContents, folderContents, hashOf, marker, members, type SealedPlace, sealedPlaces, sealedService } from "./sealedStage.js";

const passwordOf = (number: number) => `${marker}-${number}`;
const row = (number: number) => ({ name: `n${number}`, password: passwordOf(number) });
/** A file of more than half a megabyte a chunk. */
const fileOf = (...chunks: readonly (readonly number[])[]) => ndjsonChunks(...chunks.map((numbers) => numbers.map(row)));
const fourChunks = fileOf([1, 2, 3], [4, 5], [6, 7], [8, 9]);

const submit = ({ type, body, headers }: SentFile, query = "", collection = "members"): Sent => ({
  method: "POST",
  target: `/imports?collection=${collection}${query}`,
  headers: { "content-type": type, ...headers },
  body,
});

const jobs = { pollMs: 5 };

type Open = Parameters<typeof sealedService>;

async function started(...[storage, options]: Open) {
  const opened = sealedService(storage, options);
  await opened.service.start();
  return opened;
}

/** Names, and whether the password of each is the hash of its own. */
async function stored({ service }: ReturnType<typeof sealedService>): Promise<readonly string[]> {
  const { data } = await service.asSystem().of(members).list({ perPage: 100, sort: "id" });
  return data.map(({ name, password }) => `${name}${password === hashOf(passwordOf(Number(name.slice(1)))) ? "" : " has another password"}`);
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 1}`);

/** Waits for what happens after the end of a job. */
async function untilEmpty(blobs: BlobStore): Promise<void> {
  while ((await keysOf(blobs)).length > 0) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe.each(sealedPlaces)("the file of an import with a write-only field in %s", (_name, place) => {
  test.each([
    [
      "CSV",
      csv(
        `name,password\n${names(3)
          .map((name, index) => `${name},${passwordOf(index + 1)}\n`)
          .join("")}`,
      ),
      3,
    ],
    ["JSON Lines in chunks", fourChunks, 9],
    ["a JSON array", json([row(1), row(2)]), 2],
  ] as const)("is sealed until its end: %s", async (_what, file, count) => {
    const { open, contents } = await place();
    const folder = mkdtempSync(join(tmpdir(), "restwright-sealed-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const blobs = diskBlobs({ path: folder });
    const waiting = sealedService(open(), { blobs, jobs: { work: false } });
    const target = jobOf(await waiting.send(submit(file)));
    const [held, files] = [await contents(), folderContents(folder)];
    expect([held.includes(marker), held.includes("sealed"), files.includes(marker), files.length > 100]).toEqual([false, true, false, true]);
    await waiting.close();

    const working = await started(open(), { blobs: diskBlobs({ path: folder }), jobs });
    expect(await endedJob(working.send, target)).toMatchObject({ status: "completed", processedRows: count, totalRows: count });
    expect(await stored(working)).toEqual(names(count));
    await working.close();
    const after = await contents();
    expect([after.includes(marker), after.includes("sealed"), folderContents(folder)]).toEqual([false, false, ""]);
  });

  test("is read on from the middle by another process after a crash", { timeout: 60_000 }, async () => {
    const calls = await crashAt(await place(), Number.POSITIVE_INFINITY);
    const ways: string[] = [];
    for (const part of [0.4, 0.55, 0.7, 0.85]) {
      ways.push(...(await crashAt(await place(), Math.floor(calls.count * part))).reads);
    }
    // At least one of them began within the file, after rows that the dead process had committed.
    expect(ways).toContain("middle");
  });

  test("is kept sealed while a failed import can be resumed", async () => {
    const { open, contents } = await place();
    const blobs = memoryBlobs();
    const { send } = await started(open(), { blobs, jobs });
    const file = ndjson(row(1), { ...row(2), name: "" }, row(3));
    const target = jobOf(await send(submit(file, "&maxErrors=0")));
    const { status, error, document } = await endedJob(send, target);
    expect([status, error?.code, Object.keys(document["links"] as object)]).toEqual(["failed", "TOO_MANY_ERRORS", ["self", "errors", "resume"]]);
    const after = await contents();
    expect([after.includes(marker), (await keysOf(blobs)).length]).toEqual([false, 1]);
  });

  test("is removed when the import is canceled before it begins", async () => {
    const { open, contents } = await place();
    const blobs = memoryBlobs();
    const { send } = sealedService(open(), { blobs, jobs: { work: false } });
    const target = jobOf(await send(submit(fourChunks)));
    expect((await send({ method: "POST", target: `${target}/cancel` })).json.status).toBe("failed");
    expect([await keysOf(blobs), (await contents()).includes("sealed")]).toEqual([[], false]);
  });

  test("is kept when the import is canceled while it runs, and removed when that is resumed and completed", async () => {
    const { open, contents } = await place();
    const gate = new GatedBlobs(memoryBlobs());
    gate.shut();
    const { send } = await started(open(), { blobs: gate.blobs, jobs: { pollMs: 5, leaseMs: 100 } });
    const target = jobOf(await send(submit(fourChunks)));
    while ((await send({ target })).json.processedRows === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await send({ method: "DELETE", target });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    gate.open();
    expect(await endedJob(send, target)).toMatchObject({ status: "failed", error: { code: "CANCELLED" } });
    expect([(await contents()).includes(marker), (await keysOf(gate.blobs)).length]).toEqual([false, 1]);
    expect((await send({ method: "POST", target: `${target}/resume` })).status).toBe(202);
    expect(await endedJob(send, target)).toMatchObject({ status: "completed", processedRows: 9 });
    await untilEmpty(gate.blobs);
    expect((await contents()).includes("sealed")).toBe(false);
  });

  test("fails the import, with a line in the log, if its secret was taken away", async () => {
    const { open } = await place();
    const blobs = memoryBlobs();
    const first = sealedService(open(), { blobs, jobs: { work: false }, secrets: ["the first secret of the service"] });
    const target = jobOf(await first.send(submit(fourChunks)));
    await first.close();
    const logged: unknown[] = [];
    const log = (facts: object) => void logged.push(facts);
    const logger = { error: log, warn: () => {}, info: () => {}, debug: () => {} };
    const second = await started(open(), { blobs, jobs, secrets: ["the second secret of the service"], logger });
    expect(await endedJob(second.send, target)).toMatchObject({ status: "failed", error: { code: "SECRET_UNREADABLE" } });
    expect(logged).toMatchObject([{ job: target.split("/").at(-1), type: "import" }]);
  });
});

/** Imports on a process that dies at the k-th call, and then on another. @returns the calls of the first, and where the reads of the second began */
async function crashAt({ open }: SealedPlace, dieAfter: number) {
  const blobs = memoryBlobs();
  const dying = faultyStorage(open(), { ...(dieAfter < Number.POSITIVE_INFINITY && { dieAfter }), how: "before" });
  const doomed = sealedService(dying, { blobs: faultyBlobs(blobs, dying), jobs: { pollMs: 2, leaseMs: 100 } });
  const answer = await doomed.send(submit(fourChunks));
  if (answer.status !== 202) return { count: dying.calls, reads: [] };
  const target = jobOf(answer);
  while (!dying.dead && (await keysOf(blobs)).length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const count = dying.calls;
  await doomed.close().catch(() => {});

  const reads: string[] = [];
  const watched: BlobStore = {
    ...blobs,
    read(key, range) {
      reads.push((range?.start ?? 0) === 0 ? "beginning" : "middle");
      return blobs.read(key, range);
    },
  };
  const next = await started(open(), { blobs: watched, jobs: { pollMs: 2 } });
  expect(await endedJob(next.send, target)).toMatchObject({ status: "completed", processedRows: 9 });
  expect([await stored(next), await keysOf(blobs)]).toEqual([names(9), []]);
  return { count, reads };
}

describe("the sealed file of an import", () => {
  /** A store that gives other bytes than were written, without a change of size and ETag. */
  const changing = (inner: BlobStore, change: (bytes: Buffer, at: number) => Buffer): BlobStore => ({
    ...inner,
    async read(key, range) {
      const bytes = await inner.read(key, range);
      if (bytes === undefined) return undefined;
      return (async function* () {
        let at = range?.start ?? 0;
        for await (const chunk of bytes) {
          yield change(Buffer.from(chunk), at);
          at += chunk.length;
        }
      })();
    },
  });

  const flippedAt = (position: number) => (bytes: Buffer, at: number) => {
    const index = position - at;
    if (index >= 0 && index < bytes.length) bytes[index] = (bytes[index] ?? 0) ^ 1;
    return bytes;
  };

  test.each([
    ["its first byte was changed", flippedAt(0), 0],
    ["a byte in the middle was changed", flippedAt(1_000_000), 3],
    ["it was cut off", (bytes: Buffer, at: number) => (at > 1_000_000 ? Buffer.alloc(0) : bytes), 3],
  ])("fails the import if %s, and nothing of the change is written", async (_what, change, rows) => {
    const inner = memoryBlobs();
    const logged: string[] = [];
    const logger = { error: (_: object, message: string) => void logged.push(message), warn: () => {}, info: () => {}, debug: () => {} };
    const opened = await started(memoryStorage(), { blobs: changing(inner, change), jobs, logger });
    const target = jobOf(await opened.send(submit(fourChunks)));
    expect(await endedJob(opened.send, target)).toMatchObject({ status: "failed", error: { code: "SOURCE_CHANGED" } });
    expect(await stored(opened)).toEqual(names(rows));
    expect(logged).toEqual([expect.stringContaining("cannot be opened")]);
  });

  test("imports all or none of it", async () => {
    const blobs = changing(memoryBlobs(), flippedAt(1_000_000));
    const opened = await started(memoryStorage(), { blobs, jobs });
    const target = jobOf(await opened.send(submit(fourChunks, "&onError=stop")));
    expect(await endedJob(opened.send, target)).toMatchObject({ status: "failed", error: { code: "SOURCE_CHANGED" } });
    expect(await stored(opened)).toEqual([]);
  });

  test("is kept once, however often it is sent under one key", async () => {
    const blobs = memoryBlobs();
    const storage = memoryStorage();
    const waiting = sealedService(storage, { blobs, jobs: { work: false } });
    const sent = submit({ ...fourChunks, headers: { "idempotency-key": "0123456789abcdef" } });
    const target = jobOf(await waiting.send(sent));
    expect([jobOf(await waiting.send(sent)), (await keysOf(blobs)).length]).toEqual([target, 1]);
    const working = await started(storage, { blobs, jobs });
    expect(await endedJob(working.send, target)).toMatchObject({ status: "completed", processedRows: 9 });
    expect([jobOf(await working.send(sent)), await stored(working), await keysOf(blobs)]).toEqual([target, names(9), []]);
  });

  test("is also that of an import to the path of its collection", async () => {
    const blobs = memoryBlobs();
    const { send } = sealedService(memoryStorage(), { blobs, jobs: { work: false } });
    const { type, body } = fourChunks;
    const answer = await send({ method: "POST", target: "/members/import", headers: { "content-type": type, prefer: "respond-async" }, body });
    expect([answer.status, (await blobContents(blobs)).includes(marker), (await keysOf(blobs)).length]).toEqual([202, false, 1]);
  });

  test("is plain if the collection has no write-only field", async () => {
    const blobs = memoryBlobs();
    const { send } = sealedService(memoryStorage(), { blobs, jobs: { work: false } });
    await send(submit(ndjson({ text: "in the open" }), "", "notes"));
    expect(await blobContents(blobs)).toContain("in the open");
  });
});
