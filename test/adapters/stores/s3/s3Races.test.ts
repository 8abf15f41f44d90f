// @slow

import { EventEmitter, once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { type S3Client, type S3Request, s3Blobs } from "restwright/s3";
import { expect, test } from "vitest";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { BlobDrafts, Draft, DraftWriter } from "../../../../src/ground/storage/files/blobs.js";
import { bytesOf } from "../blobs/blobContents.js";
import { fetchClient } from "./bucket/fetchClient.js";
import { failureOf, manyBytes, mebibyte, openStage } from "./bucket/stage.js";

/** A store whose requests go through `client`, and another on the same bucket. */
async function setUp(client: S3Client = fetchClient) {
  const { fake, location, store: other, inside } = await openStage();
  const store = s3Blobs({ ...location, ...fake.keys, client });
  const { drafts } = store;
  if (drafts === undefined) throw new Error("The store keeps no drafts.");
  return { fake, store, drafts, other, inside };
}

async function resume(drafts: BlobDrafts, draft: Draft, isContested = false): Promise<DraftWriter> {
  const writer = await drafts.resume("a", draft, { isContested });
  if (writer === undefined) throw new Error("The draft is gone.");
  return writer;
}

test("a blob that is committed or completed just before its parts are looked for is deleted all the same", async () => {
  let end: (() => Promise<unknown>) | undefined;
  const { store, other, inside } = await setUp(async (request) => {
    if (request.method === "GET" && request.url.searchParams.has("uploads")) await end?.();
    return fetchClient(request);
  });
  const writer = await other.open("a");
  end = () => writer.commit();
  expect(await store.delete("a")).toBe(true);
  const draft = await other.drafts?.begin("b");
  end = async () => draft && other.drafts?.complete("b", draft);
  expect(await store.delete("b")).toBe(true);
  expect([inside.objects.size, inside.uploads.size]).toEqual([0, 0]);
});

test("a blob that is on its way in one piece when it is deleted is gone when both have ended", async () => {
  const events = new EventEmitter();
  let deleting: Promise<boolean> | undefined;
  let removing: Promise<unknown> | undefined;
  const { store, inside } = await setUp(async (request) => {
    const sent = request.method === "PUT" ? once(events, "looked") : undefined;
    if (request.method === "PUT") deleting = store.delete("a");
    await sent;
    if (sent !== undefined) await removing;
    const answering = fetchClient(request);
    if (request.method === "DELETE") removing = answering;
    const answer = await answering;
    if (request.url.searchParams.has("list-type")) void passTurns().then(() => events.emit("looked"));
    return answer;
  });
  const writer = await store.open("a", { size: 5 });
  await writer.write(Buffer.from("hello"));
  await writer.commit();
  expect(await deleting).toBe(true);
  expect(inside.objects.size).toBe(0);
});

/** As many as it takes to read an answer and to make the next call. */
async function passTurns(): Promise<void> {
  for (let passed = 0; passed < 20; passed++) await turn();
}

/** Holds parts back until they are given up, and sends them when nobody waits for them any more: S3 may have had all of them. */
function holdingBack() {
  const late: S3Request[] = [];
  const held = { isHolding: true, sendLate: () => Promise.all(late.splice(0).map((request) => fetchClient(request))) };
  const client: S3Client = async (request) => {
    const { signal } = request;
    if (!held.isHolding || !request.url.searchParams.has("partNumber")) return fetchClient(request);
    late.push({ ...request, signal: new AbortController().signal });
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  return { held, client };
}

test("a part that was given up and comes late takes the place of no other, where the draft is resumed as its writer said", async () => {
  const { held, client } = holdingBack();
  const { store, drafts, other } = await setUp(client);
  const draft = await drafts.begin("a");
  const first = await resume(drafts, draft);
  await first.write(Buffer.alloc(9 * mebibyte, 1));
  const { isContested } = await first.close();
  expect(isContested).toBe(true);
  expect(await first.close()).toEqual({ isContested });
  held.isHolding = false;
  const second = await resume(drafts, draft, isContested);
  const bytes = manyBytes(9 * mebibyte);
  await second.write(bytes);
  const flushed = await second.flush();
  expect(await second.close()).toEqual({ isContested: false });
  await held.sendLate();
  expect(await other.drafts?.complete("a", flushed)).toMatchObject({ size: bytes.length });
  expect((await bytesOf(store, "a")).equals(bytes)).toBe(true);
});

test("a draft one of whose parts has failed says so at each write and each flush", async () => {
  const { drafts, fake } = await setUp();
  const writer = await resume(drafts, await drafts.begin("a"));
  fake.trouble = ({ name }) => (name === "UploadPart" ? "refuse" : undefined);
  const bytes = manyBytes(9 * mebibyte);
  const failures: unknown[] = [];
  for (let turn = 0; turn < 6; turn++) failures.push(await failureOf(writer.write(bytes)));
  for (let turn = 0; turn < 2; turn++) failures.push(await failureOf(writer.flush()));
  const failed = failures.slice(failures.findIndex((failure) => failure !== undefined));
  expect(failed.length).toBeGreaterThan(2);
  for (const failure of failed) expect(failure).toBeInstanceOf(Unavailable);
});
