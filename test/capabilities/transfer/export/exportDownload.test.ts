import { type BlobStore, defineResource, type Principal } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { endedJob, jobOf } from "../../batch/batchJobStage.js";

const isBoss = ({ id }: Principal) => id === "boss";
const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), text: z.string(), rating: z.int().default(3) }),
  generated: { id: "increment" },
  access: { rating: { read: ({ id }) => !demoted.has(id) } },
});
const demoted = new Set<string>();

const principals: Record<string, Principal> = {
  ada: { id: "ada", tenant: "acme" },
  ben: { id: "ben", tenant: "acme" },
  boss: { id: "boss", tenant: "acme" },
  spy: { id: "ada", tenant: "other" },
};
const as = (name: string | undefined) => (name === undefined ? {} : { authorization: `Bearer ${name}` });

async function setUp(options: Partial<FullServiceOptions> = {}) {
  const clock = new FakeClock();
  const blobs = memoryBlobs({ clock });
  const storage = memoryStorage({ clock });
  const refused = new Set<string>();
  const service = fullService({
    resources: [notes],
    storage,
    clock,
    blobs,
    auth: [bearer((token) => principals[token])],
    authorize: ({ principal }) => !refused.has(principal.id),
    jobs: { isAdmin: isBoss },
    ...options,
  });
  onTestFinished(() => {
    demoted.clear();
    return service.close({ graceMs: 0 });
  });
  const send = clientOf(service);
  await send({ method: "POST", target: "/notes", body: { text: "hello" }, headers: as("ada") });
  const accepted = await send({ method: "POST", target: "/exports", body: { collection: "notes" }, headers: as("ada") });
  const target = jobOf(accepted).replace("https://api.test/v1", "");
  const read = async (who = "ada") => (await send({ target, headers: as(who) })).json;
  await endedJob(send, target, as("ada"));
  const { downloadUrl } = (await read()).result;
  const download = (who: string | undefined, headers: Record<string, string> = {}) =>
    send({ target: who === undefined ? downloadUrl : `${target}/download`, headers: { ...as(who), ...headers } });
  return { clock, storage, blobs, refused, service, send, target, read, downloadUrl: String(downloadUrl), download };
}

const hourMs = 3_600_000;

describe("the file of an export", () => {
  test("is stored by no cache: neither at its signed address, nor a range of it, nor a 304", async () => {
    const { download } = await setUp();
    const whole = await download(undefined);
    const answers = [
      whole,
      await download("ada"),
      await download(undefined, { range: "bytes=0-3" }),
      await download("ada", { "if-none-match": String(whole.headers["etag"]) }),
      await download("ben"),
    ];
    expect(answers.map(({ status, headers }) => [status, headers["cache-control"]])).toEqual(
      [200, 200, 206, 304, 404].map((status) => [status, "no-store"]),
    );
  });

  test.each([
    ["ada", 200],
    ["boss", 200],
    ["ben", 404],
    ["spy", 404],
    [undefined, 200],
  ])("is for its owner, the tenant's admins and a signed address: %s is answered %i", async (who, status) => {
    const { download } = await setUp();
    const answer = await download(who);
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.text).toBe("id,text,rating\r\n1,hello,3\r\n");
  });

  test("needs credentials without a signature", async () => {
    const { send, target } = await setUp();
    expect((await send({ target: `${target}/download` })).status).toBe(401);
    expect((await send({ target: `${target}/download?e=1&k=2` })).status).toBe(401);
  });

  test("is not told from a job that is not there by an address that was changed", async () => {
    const { send, downloadUrl, target } = await setUp();
    const changed = await send({ target: `${downloadUrl}A` });
    const missing = await send({ target: downloadUrl.replace(target, "/exports/nothing") });
    expect([changed.status, changed.json.code, missing.status]).toEqual([403, "INVALID_SIGNATURE", 403]);
    expect({ ...missing.json, requestId: 0, instance: 0 }).toEqual({ ...changed.json, requestId: 0, instance: 0 });
  });

  test("comes in parts, and not at all to who has it", async () => {
    const { download, send, downloadUrl } = await setUp();
    const whole = await download(undefined);
    const etag = String(whole.headers["etag"]);
    const part = await download(undefined, { range: "bytes=3-6", "if-range": etag });
    expect([part.status, part.text, part.headers["content-range"]]).toEqual([206, "text", `bytes 3-6/${whole.text.length}`]);
    expect((await download("ada", { "if-none-match": etag })).status).toBe(304);
    expect((await download("ada", { range: "bytes=900-" })).status).toBe(416);
    const head = await send({ method: "HEAD", target: downloadUrl });
    expect([head.status, head.text, head.headers["content-length"], head.headers["etag"]]).toEqual([200, "", String(whole.text.length), etag]);
  });

  test("is gone 24 hours after its job's end, and said to be so", async () => {
    const { clock, download, read, service, send, target } = await setUp();
    expect((await read()).result.expiresAt).toBe("2026-01-02T00:00:00.000Z");
    clock.advance(24 * hourMs - 1);
    expect((await download("ada")).status).toBe(200);
    const { downloadUrl } = (await read()).result;
    clock.advance(1);
    expect([(await download("ada")).json, (await send({ target: downloadUrl })).json]).toMatchObject([
      { code: "EXPIRED", status: 410 },
      { code: "EXPIRED" },
    ]);
    const { result, links } = await read();
    expect([result, links]).toMatchObject([{ downloadUrl: null, rows: 1 }, { self: target }]);
    expect(links).not.toHaveProperty("download");
    expect((await send({ target: `${target}/download`, headers: as("ben") })).status).toBe(404);
    await service.close();
  });

  test("is removed by the service itself, some minutes later", async () => {
    const { clock, storage, blobs } = await setUp();
    const sweeper = new FakeClock(clock.now());
    const other = fullService({ resources: [notes], storage, clock, timers: sweeper, blobs });
    onTestFinished(() => other.close({ graceMs: 0 }));
    await other.start();
    const files = async () => {
      let count = 0;
      for await (const _ of blobs.list("", { before: new Date(8e15) })) count += 1;
      return count;
    };
    clock.advance(23 * hourMs);
    sweeper.advance(13 * 60_000);
    await new Promise(setImmediate);
    expect(await files()).toBe(1);
    clock.advance(2 * hourMs);
    // The next sweep is planned when the one before has ended.
    const filesAfterSweep = () => {
      sweeper.advance(13 * 60_000);
      return files();
    };
    await expect.poll(filesAfterSweep).toBe(0);
  });

  test("is gone where the store has lost it", async () => {
    const { blobs, download } = await setUp();
    for await (const { key } of blobs.list("export_", { before: new Date(8e15) })) await blobs.delete(key);
    expect((await download("ada")).json).toMatchObject({ code: "EXPIRED" });
  });

  test("is not for who may not list the collection any more, nor is an address to it", async () => {
    const { download, read, refused } = await setUp();
    refused.add("ada");
    expect((await download("ada")).json).toMatchObject({ status: 403, code: "FORBIDDEN" });
    expect((await read()).result.downloadUrl).toBeNull();
    expect((await read("boss")).result.downloadUrl).not.toBeNull();
  });

  test("is not for who may not read all of its fields any more", async () => {
    const { download, read } = await setUp();
    demoted.add("ada");
    expect((await download("ada")).json).toMatchObject({ status: 410, code: "EXPORT_OUTDATED" });
    expect((await read()).result.downloadUrl).toBeNull();
    expect((await download("boss")).status).toBe(200);
  });

  test("is not there before the job has ended", async () => {
    const { send, target } = await setUpWaiting();
    expect((await send({ target: `${target}/download`, headers: as("ada") })).status).toBe(404);
  });

  test("is fetched from the store itself where that can sign addresses", async () => {
    const blobs: BlobStore = {
      ...memoryBlobs(),
      presignGet: async (key, { expiresIn, filename }) => `https://store.test/${key}?${expiresIn}&${filename}`,
    };
    const { download, send, downloadUrl } = await setUp({ blobs });
    const { status, headers, text } = await download(undefined);
    expect([status, headers["location"], headers["cache-control"], text]).toEqual([
      302,
      expect.stringMatching(/^https:\/\/store\.test\/export_\w+_1\?900&notes\.csv$/),
      "no-store",
      "",
    ]);
    expect((await send({ method: "HEAD", target: downloadUrl })).status).toBe(200);
  });
});

async function setUpWaiting() {
  const service = fullService({
    resources: [notes],
    storage: memoryStorage(),
    blobs: memoryBlobs(),
    jobs: { work: false },
    auth: [bearer((token) => principals[token])],
  });
  onTestFinished(() => service.close({ graceMs: 0 }));
  const send = clientOf(service);
  return { send, target: jobOf(await send({ method: "POST", target: "/exports", body: { collection: "notes" }, headers: as("ada") })) };
}

describe("the job of an export", () => {
  test("has one body and one tag while its address is the same, and another with another", async () => {
    const { clock, send, target } = await setUp();
    const first = await send({ target, headers: as("ada") });
    const etag = String(first.headers["etag"]);
    clock.advance(299_999);
    const same = await send({ target, headers: as("ada") });
    expect([same.text, same.headers["etag"]]).toEqual([first.text, etag]);
    expect((await send({ target, headers: { ...as("ada"), "if-none-match": etag } })).status).toBe(304);
    clock.advance(1);
    const later = await send({ target, headers: { ...as("ada"), "if-none-match": etag } });
    expect([later.status, later.json.result.downloadUrl === first.json.result.downloadUrl]).toEqual([200, false]);
  });

  test("can be removed with the tag that its owner has seen", async () => {
    const { send, target } = await setUp();
    const { headers } = await send({ target, headers: as("ada") });
    expect((await send({ method: "DELETE", target, headers: { ...as("ada"), "if-match": '"other"' } })).status).toBe(412);
    expect((await send({ method: "DELETE", target, headers: { ...as("ada"), "if-match": String(headers["etag"]) } })).status).toBe(204);
  });

  test("has an address below the mount, or at the base URL", async () => {
    const { send, target } = await setUp();
    const below = (await send({ target, mount: "/v1", headers: as("ada") })).json;
    expect(below.result.downloadUrl).toMatch(new RegExp(`^/v1${target}/download\\?`));
    expect((await send({ target: below.result.downloadUrl.slice(3), mount: "/v1" })).status).toBe(200);
    const other = await setUp({ baseUrl: "https://api.test/v1/" });
    expect((await other.read()).result.downloadUrl).toMatch(/^https:\/\/api\.test\/v1\/exports\/[^/]+\/download\?/);
  });
});
