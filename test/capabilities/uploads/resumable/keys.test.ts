// @long

import type { BlobStore, Storage } from "restwright";
import { type FileCheck, pass, type Verdict } from "restwright/checks";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { FakeClock, faultyBlobs, faultyStorage } from "restwright/testing";
import { expect, test } from "vitest";
import { uploadSettings } from "../../../../src/capabilities/uploads/settings.js";
import { sweepOrphans, sweepUploads } from "../../../../src/capabilities/uploads/sweep.js";
import { silentLogger } from "../../../../src/engine/operation/logging/logger.js";
import { systemTimers } from "../../../../src/ground/http/timers.js";
import { keysOf } from "../../../adapters/stores/blobs/blobContents.js";
import { clientOf, type Received, type Sent } from "../../../tools/client.js";
import { fullService, type UploadRules } from "../../../tools/fullService.js";

const stream = { "content-type": "application/offset+octet-stream" };
const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\nhello\r\n`;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

interface Case {
  readonly name: string;
  /** What has to be there before. @returns what is sent under the key */
  prepare(send: (sent: Sent) => Promise<Received>): Promise<Sent>;
  readonly files: number;
}

const cases: readonly Case[] = [
  { name: "a file", prepare: async () => ({ method: "POST", target: "/uploads", body: Buffer.from("hello") }), files: 1 },
  {
    name: "a form of two files",
    prepare: async () => ({
      method: "POST",
      target: "/avatars",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: `${part("a")}${part("b")}--b--\r\n`,
    }),
    files: 2,
  },
  {
    name: "a beginning with all bytes",
    prepare: async () => ({ method: "POST", target: "/uploads", headers: { ...stream, "upload-length": "5" }, body: Buffer.from("hello") }),
    files: 1,
  },
  {
    name: "a beginning of an empty file",
    prepare: async () => ({ method: "POST", target: "/uploads", headers: { "upload-length": "0" } }),
    files: 1,
  },
  {
    name: "a concatenation",
    async prepare(send) {
      const headers = { ...stream, "upload-length": "5", "upload-concat": "partial" };
      const { headers: answered } = await send({ method: "POST", target: "/uploads", headers, body: Buffer.from("hello") });
      return { method: "POST", target: "/uploads", headers: { "upload-concat": `final;${String(answered["location"])}` } };
    },
    files: 1,
  },
];

const keyed = (sent: Sent): Sent => ({ ...sent, headers: { ...sent.headers, "idempotency-key": "a-key-of-many-characters" } });

function open(storage: Storage, blobs: BlobStore, clock: FakeClock, more: Partial<UploadRules> = {}) {
  const uploads = { types: "any", forms: { avatars: { types: "any" } }, ...more } satisfies UploadRules;
  // Whoever comes again waits until the lease of the dead is over.
  const idempotency = { leaseMs: 10, waitMs: 2_000 };
  const service = fullService({ resources: [], storage, blobs, clock, uploads, idempotency, onError: () => {} });
  const settings = uploadSettings(uploads, { storage, blobs, clock, timers: systemTimers, logger: silentLogger });
  return { service, settings, send: clientOf(service) };
}

const hows = ["before", "after"] as const;
const inMemory: readonly (readonly [string, (typeof hows)[number], Case, (clock: FakeClock) => Storage])[] = cases.flatMap((each) =>
  hows.map((how) => [each.name, how, each, (clock: FakeClock): Storage => memoryStorage({ clock })] as const),
);
const inSqlite = cases.slice(0, 2).map((each) => [`${each.name} in SQLite`, "after", each, () => sqliteStorage({ path: ":memory:" })] as const);

test.each([...inMemory, ...inSqlite])(
  "%s that is sent again under its key is made once, whatever dies (%s which call)",
  async (_, how, made, place) => {
    for (let k = 1, isOver = false; !isOver; k++) {
      const clock = new FakeClock(Date.now());
      const [storage, blobs] = [place(clock), memoryBlobs({ clock })];
      const next = open(storage, blobs, clock);
      await next.service.start();
      const sent = keyed(await made.prepare(next.send));
      const dying = faultyStorage(storage, { dieAfter: k, how });
      const first = await open(dying, faultyBlobs(blobs, dying), clock).send(sent);
      isOver = !dying.dead;
      clock.advance(1_000);
      const again = await next.send(sent);
      expect(again.status, `call ${k}`).toBe(201);
      if (first.status === 201) expect(again.headers["location"], `call ${k}`).toBe(first.headers["location"]);
      for (const ms of [hourMs, 30 * dayMs, 30 * dayMs]) {
        clock.advance(ms);
        await sweepUploads(next.settings);
      }
      await sweepOrphans(next.settings);
      const file = await next.send({ target: `/uploads/${idOf(again)}` });
      expect(file.json, `call ${k}`).toMatchObject({ status: "ready" });
      expect(await keysOf(blobs), `call ${k}`).toHaveLength(made.files);
      await next.service.close({ graceMs: 0 });
    }
  },
);

/** Of the first file of an answer. */
function idOf({ text, headers }: Received): string {
  const { id, files } = (text === "" ? {} : JSON.parse(text)) as { id?: string; files?: readonly { readonly id: string }[] };
  return files?.[0]?.id ?? id ?? String(headers["location"]).slice("/uploads/".length);
}

test.each(cases)("$name that is to be judged later stays once its client was told so, and is made once", async ({ prepare, files }) => {
  let verdict: Verdict = pass;
  const later: FileCheck = { name: "later", needs: "file", run: async () => verdict };
  const clock = new FakeClock(Date.now());
  const [storage, blobs] = [memoryStorage(), memoryBlobs({ clock })];
  const { send, settings } = open(storage, blobs, clock, { checks: [later] });
  const sent = keyed(await prepare(send));
  verdict = { verdict: "defer" };
  const [first, again] = [await send(sent), await send(sent)];
  expect([again.text, again.headers["location"], again.headers["idempotent-replayed"]]).toEqual([first.text, first.headers["location"], "true"]);
  verdict = pass;
  clock.advance(hourMs);
  await sweepUploads(settings);
  expect((await send({ target: `/uploads/${idOf(first)}` })).json).toMatchObject({ status: "ready" });
  clock.advance(30 * dayMs);
  await sweepUploads(settings);
  expect(await keysOf(blobs)).toHaveLength(files);
});

test.each(cases)("$name that takes longer than its lease leaves nothing beside what the retry made", async ({ prepare, files }) => {
  const waiting: ((verdict: Verdict) => void)[] = [];
  let isSlow = false;
  const slow: FileCheck = { name: "slow", needs: "file", run: async () => (isSlow ? new Promise((resolve) => waiting.push(resolve)) : pass) };
  const clock = new FakeClock(Date.now());
  const [storage, blobs] = [memoryStorage({ clock }), memoryBlobs({ clock })];
  const heard: string[] = [];
  const { send, settings } = open(storage, blobs, clock, { checks: [slow], checkMs: hourMs, onReady: ({ id }) => void heard.push(id) });
  const sent = keyed(await prepare(send));
  isSlow = true;
  const first = send(sent);
  await expect.poll(() => waiting.length).toBe(1);
  isSlow = false;
  clock.advance(1_000);
  const again = await send(sent);
  for (const resolve of waiting) resolve(pass);
  expect([(await first).status, again.status]).toEqual([409, 201]);
  const replayed = await send(sent);
  expect([replayed.status, replayed.text, replayed.headers["location"]]).toEqual([again.status, again.text, again.headers["location"]]);
  for (const ms of [12 * hourMs, 30 * dayMs, 30 * dayMs]) {
    clock.advance(ms);
    await sweepUploads(settings);
  }
  expect(await keysOf(blobs)).toHaveLength(files);
  expect(heard).toHaveLength(files);
});

test.each(cases)("$name is made once under a key where records of uploads are kept elsewhere", async ({ prepare, files }) => {
  const clock = new FakeClock(Date.now());
  const [storage, blobs] = [memoryStorage({ clock }), memoryBlobs({ clock })];
  const { send, settings } = open(storage, blobs, clock, { store: memoryStorage({ clock }).uploads });
  const sent = keyed(await prepare(send));
  const [first, again] = [await send(sent), await send(sent)];
  expect(first.status).toBe(201);
  expect([again.text, again.headers["location"], again.headers["idempotent-replayed"]]).toEqual([first.text, first.headers["location"], "true"]);
  clock.advance(30 * dayMs);
  await sweepUploads(settings);
  expect(await keysOf(blobs)).toHaveLength(files);
});
