// @slow

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createService, type Principal, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { batch } from "restwright/batch";
import { diskBlobs } from "restwright/disk";
import { jobs } from "restwright/jobs";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { bytesOf, keysOf } from "../../../adapters/stores/blobs/blobContents.js";
import { clientOf, type Sent } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { endedJob, jobOf } from "../../batch/batchJobStage.js";
import { shopAuth, shopResources } from "../../batch/batchShop.js";
import { fillLines, lines, rowsOf, watchedStorage } from "./exportStage.js";

type Result = { rows: number; bytes: number; sha256: string; contentType: string; downloadUrl: string | null; expiresAt: string };

async function setUp(storage: Storage, count: number, options: Partial<FullServiceOptions> = {}) {
  const service = fullService({ resources: [lines], storage, blobs: memoryBlobs(), ...options });
  onTestFinished(() => service.close({ graceMs: 0 }));
  await service.start();
  await fillLines(storage, count);
  const send = clientOf(service);
  const submit = (body: Record<string, unknown>, sent: Partial<Sent> = {}) =>
    send({ method: "POST", target: "/exports", body: { collection: "lines", ...body }, ...sent });
  const done = async (body: Record<string, unknown>) => {
    const job = await endedJob(send, jobOf(await submit(body)));
    return { ...job, result: job.document["result"] as Result };
  };
  return { service, send, submit, done };
}

describe.each(storagePlaces)("an export as a job on %s", (_, place) => {
  let storage: Storage;

  beforeEach(async () => {
    storage = (await place()).open();
  });

  test("is accepted, done, and downloaded: what the export at once holds", async () => {
    const { send, submit, done } = await setUp(storage, 2_100);
    const accepted = await submit({});
    expect([accepted.status, accepted.json]).toMatchObject([202, { type: "export", status: "queued", result: null }]);
    expect(accepted.headers).toMatchObject({ location: `/exports/${accepted.json.id}`, "cache-control": "no-store" });
    await endedJob(send, jobOf(accepted));

    const query = "group[ne]=3&sort=-text&fields=text,id";
    const body = { filter: { group: { ne: 3 } }, sort: "-text", fields: ["text", "id"] };
    for (const format of ["csv", "ndjson", "json"]) {
      const { status, result, document, processedRows, totalRows } = await done({ format, ...body });
      const now = await send({ target: `/lines/export?format=${format}&${query}` });
      expect([status, processedRows, totalRows, result.rows, result.contentType]).toEqual([
        "completed",
        1_890,
        1_890,
        1_890,
        now.headers["content-type"],
      ]);
      expect(document["links"]).toMatchObject({ download: `${(document["links"] as { self: string }).self}/download` });
      const file = await send({ target: result.downloadUrl ?? "" });
      expect([file.status, file.text]).toEqual([200, now.text]);
      expect(file.headers).toMatchObject({
        "content-type": now.headers["content-type"],
        "content-disposition": `attachment; filename="lines.${format}"`,
        "content-length": String(result.bytes),
        etag: `"${result.sha256}"`,
        "x-content-type-options": "nosniff",
      });
      expect([Buffer.byteLength(file.text), createHash("sha256").update(file.text).digest("hex")]).toEqual([result.bytes, result.sha256]);
    }
  });

  test("is done once for all requests with one Idempotency-Key", async () => {
    const { submit } = await setUp(storage, 3);
    const headers = { "idempotency-key": "0123456789abcdef" };
    const [first, again] = [await submit({}, { headers }), await submit({}, { headers })];
    expect([first.status, again.status, again.json.id]).toEqual([202, 202, first.json.id]);
    expect((await submit({ gzip: true }, { headers })).json.code).toBe("IDEMPOTENCY_KEY_REUSED");
  });
});

describe("an export as a job", () => {
  test("is compressed where that is asked for", async () => {
    const blobs = memoryBlobs();
    const { service, send, done } = await setUp(memoryStorage(), 500, { blobs });
    const { result } = await done({ format: "ndjson", gzip: true });
    const response = await send({ target: result.downloadUrl ?? "" });
    expect(response.headers).toMatchObject({ "content-type": "application/gzip", "content-disposition": 'attachment; filename="lines.ndjson.gz"' });
    const [key] = await keysOf(blobs);
    const bytes = await bytesOf(blobs, key ?? "");
    expect([bytes.length, createHash("sha256").update(bytes).digest("hex")]).toEqual([result.bytes, result.sha256]);
    expect(rowsOf(gunzipSync(bytes).toString())).toHaveLength(500);
    await service.close();
  });

  test("is kept in a folder as in memory", async () => {
    const path = mkdtempSync(join(tmpdir(), "restwright-export-"));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    const blobs = diskBlobs({ path });
    const { send, done } = await setUp(memoryStorage(), 5_000, { blobs });
    const { result, document } = await done({ format: "ndjson" });
    const file = await send({ target: result.downloadUrl ?? "" });
    expect([rowsOf(file.text).length, createHash("sha256").update(file.text).digest("hex")]).toEqual([5_000, result.sha256]);
    expect((await send({ target: result.downloadUrl ?? "", headers: { range: "bytes=-3" } })).text).toBe(file.text.slice(-3));
    await send({ method: "DELETE", target: `/exports/${String(document["id"])}` });
    expect(await keysOf(blobs)).toEqual([]);
  });

  test("takes the words of CSV", async () => {
    const { send, done } = await setUp(memoryStorage(), 1);
    const { result } = await done({ delimiter: "tab", bom: true, formulas: "literal", exclude: "group", q: undefined });
    expect((await send({ target: result.downloadUrl ?? "" })).text).toBe("\uFEFFid\ttext\r\n1\tline 0\r\n");
  });

  test.each([
    [{ collection: "line" }, ["INVALID_VALUE /collection"]],
    [{ collection: undefined }, ["INVALID_VALUE /collection"]],
    [{ formt: "csv" }, ["UNKNOWN_FIELD /formt"]],
    [{ format: "xml", gzip: "yes", bom: 1 }, ["INVALID_VALUE /format", "INVALID_VALUE /bom", "INVALID_VALUE /gzip"]],
    [{ format: "json", delimiter: ";" }, ["CONFLICTING_PARAMETERS /delimiter"]],
    [{ page: 1, perPage: 5, cursor: "x", include: "x" }, ["/page", "/perPage", "/cursor", "/include"].map((at) => `UNKNOWN_FIELD ${at}`)],
    [{ filter: { texd: "x" }, sort: "nope", fields: "grup" }, ["UNKNOWN_FIELD /filter/texd", "UNKNOWN_FIELD /sort", "UNKNOWN_FIELD /fields"]],
  ])("is refused for %j", async (body, expected) => {
    const { submit } = await setUp(memoryStorage(), 0);
    const { status, json } = await submit(body);
    expect([status, json.errors.map(({ code, pointer }: Record<string, string>) => `${code} ${pointer}`)]).toEqual([400, expected]);
  });

  test("hints at what was meant", async () => {
    const { submit } = await setUp(memoryStorage(), 0);
    expect((await submit({ formt: "csv" })).json.errors[0]).toMatchObject({ hint: 'did you mean "format"' });
    expect((await submit({ collection: "line" })).json.errors[0]).toMatchObject({ hint: 'did you mean "lines"' });
  });

  test.each([
    ["TRANSFER_UNSUPPORTED", { blobs: undefined }],
    ["JOBS_UNSUPPORTED", { jobs: false as const }],
  ])("is %s without a place for it", async (code, options) => {
    const { submit } = await setUp(memoryStorage(), 0, options);
    const { status, json } = await submit({});
    expect([status, json.code]).toEqual([501, code]);
  });

  test("takes a name from resources only if the service has exports", () => {
    const named = (name: string) => ({ ...lines, name, model: { ...lines.model, name } }) as typeof lines;
    for (const name of ["exports", "imports"]) {
      expect(() => fullService({ resources: [named(name) as never], storage: memoryStorage() })).toThrow(`No resource can be called "${name}"`);
      expect(() => createService({ resources: [named(name) as never], storage: memoryStorage(), use: [jobs(), batch()] })).not.toThrow();
    }
  });

  test("fails where the permission has gone when it is done", async () => {
    let mayList = true;
    const principal: Principal = { id: "ada", tenant: "acme", claims: { role: "clerk" } };
    const seen: Principal[] = [];
    const options: Partial<FullServiceOptions> = {
      auth: [bearer(() => principal)],
      authorize: ({ principal: asked }) => {
        seen.push(asked);
        return mayList;
      },
    };
    const storage = memoryStorage();
    const headers = { authorization: "Bearer x" };
    const waiting = await setUp(storage, 1, { ...options, jobs: { work: false } });
    const accepted = await waiting.submit({}, { headers });
    mayList = false;
    seen.length = 0;
    const { send } = await setUp(storage, 0, options);
    const job = await endedJob(send, jobOf(accepted), headers);
    expect([job.status, job.error?.code, seen[0]]).toEqual(["failed", "FORBIDDEN", principal]);
  });

  test("leaves nothing where it is canceled under way", async () => {
    const blobs = memoryBlobs();
    const state = { open: 0, batches: 0 };
    let hold: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    const slow = {
      ...blobs,
      open: async (...args: Parameters<typeof blobs.open>) => {
        const writer = await blobs.open(...args);
        return {
          ...writer,
          write: async (chunk: Uint8Array) => {
            await held;
            await writer.write(chunk);
          },
        };
      },
    };
    const storage = watchedStorage(memoryStorage(), state);
    const { send, submit } = await setUp(storage, 3_000, { blobs: slow, jobs: { leaseMs: 30 } });
    const target = jobOf(await submit({}));
    while (state.batches === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect((await send({ method: "POST", target: `${target}/cancel` })).status).toBe(202);
    await new Promise((resolve) => setTimeout(resolve, 40));
    hold();
    const job = await endedJob(send, target);
    expect([job.status, job.error?.code, job.document["result"]]).toEqual(["failed", "CANCELLED", null]);
    expect([state.open, await keysOf(blobs)]).toEqual([0, []]);
    expect((await send({ target: `${target}/download` })).status).toBe(404);
  });

  test("shows how far it is, and never goes back", async () => {
    const { send, submit } = await setUp(memoryStorage(), 60_000, { limits: { count: 1_000_000 } });
    const target = jobOf(await submit({ format: "ndjson" }));
    const seen: [number, number | null][] = [];
    for (let status = ""; status !== "completed"; ) {
      const { json } = await send({ target });
      status = json.status;
      if (status === "processing") seen.push([json.processedRows, json.totalRows]);
      await new Promise(setImmediate);
    }
    expect(seen.map(([rows]) => rows)).toEqual(seen.map(([rows]) => rows).sort((a, b) => a - b));
    expect(seen.some(([rows, total]) => rows >= 10_000 && rows < 60_000 && total === 60_000)).toBe(true);
  });

  test("goes with its file where it is removed", async () => {
    const blobs = memoryBlobs();
    const { send, done } = await setUp(memoryStorage(), 3, { blobs });
    const { document } = await done({});
    expect(await keysOf(blobs)).toHaveLength(1);
    expect((await send({ method: "DELETE", target: `/exports/${String(document["id"])}` })).status).toBe(204);
    expect(await keysOf(blobs)).toEqual([]);
  });

  test("needs credentials where lists do", async () => {
    const { send } = await setUp(memoryStorage(), 0, { resources: shopResources, auth: shopAuth });
    const { status, json } = await send({ method: "POST", target: "/exports", body: { collection: "users" } });
    expect([status, json.code]).toEqual([401, "UNAUTHENTICATED"]);
  });
});
