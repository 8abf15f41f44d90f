import { EventEmitter, once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { type S3Client, s3Blobs } from "restwright/s3";
import { expect, test } from "vitest";
import { fetchClient } from "./s3/fetchClient.js";
import { openStage } from "./s3/stage.js";

/** A store whose requests go through `client`, and another on the same bucket. */
async function setUp(client: S3Client = fetchClient) {
  const { fake, location, store: other, inside } = await openStage();
  const store = s3Blobs({ ...location, ...fake.keys, client });
  return { store, other, inside };
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
