// @long

import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Service } from "restwright";
import { diskBlobs } from "restwright/disk";
import { memoryBlobs } from "restwright/memory";
import { Upload } from "tus-js-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Listening, StartHost } from "../../../examples/shop/host.js";
import { readSettings } from "../../../examples/shop/settings.js";
import { uploadOptions } from "../../../examples/shop/uploads.js";
import { docx } from "../../parts/checks/samples/officeFiles.js";
import { sampleNote } from "../../tools/extent.js";
import { fullService, type UploadRules } from "../../tools/fullService.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { type OpenStorage, shopPlaces } from "../shop/shopPlaces.js";
import { hosts } from "../shop/shopProcess.js";
import { bytesOf, RememberedUploads, sha256Of, tusUpload } from "./tusUpload.js";

const mebibyte = 1_048_576;
const file = bytesOf(5 * mebibyte + 12_345, 1);

/** Uploads as the shop takes them, behind one host. */
async function serve(host: string, open: OpenStorage, options: Partial<UploadRules>, onDisk: boolean) {
  const [storage, drop] = await open();
  const folder = mkdtempSync(join(tmpdir(), "uploads-"));
  const blobs = onDisk ? diskBlobs({ path: folder }) : memoryBlobs();
  const service: Service = fullService({
    resources: [],
    storage,
    blobs,
    uploads: { ...uploadOptions(readSettings({}), blobs), ...options },
    notFound: "problem",
  });
  await service.start();
  const { start }: { start: StartHost } = await import(`../../../examples/shop/${host}.ts`);
  const at: Listening = await start(service, { port: 0, address: "127.0.0.1", basePath: "" });
  return {
    endpoint: `http://127.0.0.1:${at.port}/uploads`,
    async close() {
      await at.close(() => service.close());
      await drop();
      rmSync(folder, { recursive: true });
    },
  };
}

interface UploadDocument {
  readonly status: string;
  readonly size: number;
  readonly sha256: string;
  readonly filename: string;
  readonly url: string;
}

async function documentOf(url: string): Promise<UploadDocument> {
  return (await (await fetch(url)).json()) as UploadDocument;
}

/** What is kept of an upload is what was sent, by its own account and by its bytes. */
async function expectKept(url: string, filename = "data.bin", bytes: Buffer = file): Promise<void> {
  const document = await documentOf(url);
  expect(document).toMatchObject({ status: "ready", size: bytes.length, sha256: sha256Of(bytes), filename });
  const answer = await fetch(new URL(document.url, url));
  expect([answer.status, sha256Of(Buffer.from(await answer.arrayBuffer()))]).toEqual([200, sha256Of(bytes)]);
}

const metadata = { filename: "data.bin", filetype: "application/octet-stream" };

describe.each(shopPlaces)(`tus-js-client and the shop behind %s on %s${sampleNote}`, (host, store, open) => {
  let endpoint: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ endpoint, close } = await serve(host, open, {}, store !== "memory"));
  });
  afterAll(() => close());

  test("a file in one piece", async () => {
    const { upload, exchanges, done } = tusUpload(file, { endpoint, metadata });
    upload.start();
    await expectKept(await done);
    expect(exchanges).toEqual([
      { method: "POST", status: 201, from: undefined, offset: undefined },
      { method: "PATCH", status: 204, from: 0, offset: file.length },
    ]);
  });

  test("a file in chunks, and one whose first chunk comes with its creation", async () => {
    for (const uploadDataDuringCreation of [false, true]) {
      const { upload, exchanges, done } = tusUpload(file, { endpoint, metadata, chunkSize: mebibyte, uploadDataDuringCreation });
      upload.start();
      await expectKept(await done);
      const patches = exchanges.filter(({ method }) => method === "PATCH");
      expect(patches.map(({ from }) => from)).toEqual([0, 1, 2, 3, 4, 5].slice(Number(uploadDataDuringCreation)).map((at) => at * mebibyte));
    }
  });

  test("a whole file that comes with its creation", async () => {
    const { upload, exchanges, done } = tusUpload(file, { endpoint, metadata, uploadDataDuringCreation: true });
    upload.start();
    await expectKept(await done);
    expect(exchanges).toEqual([{ method: "POST", status: 201, from: undefined, offset: file.length }]);
  });

  test("a file that is paused in the middle of a PATCH, and goes on", async () => {
    const { upload, exchanges, done } = tusUpload(file, {
      endpoint,
      metadata,
      chunkSize: 3 * mebibyte,
      onProgress(sent) {
        if (sent <= 3 * mebibyte || exchanges.some(({ method }) => method === "HEAD")) return;
        // The client hears of its own request's end a moment later, and would take it for a failure of what goes on.
        void upload.abort().then(() => setTimeout(() => upload.start(), 100));
      },
    });
    upload.start();
    await expectKept(await done);
    expect(exchanges.filter(({ method }) => method === "POST")).toHaveLength(1);
    const [head] = exchanges.filter(({ method }) => method === "HEAD");
    expect(head?.status).toBe(200);
    expect(head?.offset).toBeGreaterThanOrEqual(3 * mebibyte);
  });

  test("a file that another run of the program goes on with, by its fingerprint", async () => {
    const path = join(temporaryFolder(), "data.bin");
    writeFileSync(path, file);
    const urlStorage = new RememberedUploads();
    const options = { endpoint, metadata, urlStorage, chunkSize: mebibyte, storeFingerprintForResuming: true, removeFingerprintOnSuccess: true };
    const url = await new Promise<string>((resolve, reject) => {
      const { upload, done } = tusUpload(createReadStream(path), {
        ...options,
        onChunkComplete: (_, accepted) => void (accepted < 2 * mebibyte || upload.abort().then(() => resolve(upload.url ?? ""), reject)),
      });
      done.catch(reject);
      upload.start();
    });
    const { upload, exchanges, done } = tusUpload(createReadStream(path), options);
    const [previous] = await upload.findPreviousUploads();
    if (previous === undefined) throw new Error("The upload was not remembered.");
    upload.resumeFromPreviousUpload(previous);
    upload.start();
    expect(await done).toBe(url);
    await expectKept(url);
    expect(exchanges[0]).toMatchObject({ method: "HEAD", status: 200 });
    expect(exchanges[0]?.offset).toBeGreaterThanOrEqual(2 * mebibyte);
    expect(exchanges.map(({ method }) => method)).not.toContain("POST");
  });

  test("three pieces at once that become one file", async () => {
    const { upload, exchanges, done } = tusUpload(file, {
      endpoint,
      metadata,
      parallelUploads: 3,
      metadataForPartialUploads: { part: "of data.bin" },
    });
    upload.start();
    await expectKept(await done);
    expect(exchanges.filter(({ method }) => method === "POST")).toHaveLength(4);
  });

  test("a stream whose length is known at its end", async () => {
    const stream = Readable.from([file.subarray(0, 100), file.subarray(100, 3 * mebibyte), file.subarray(3 * mebibyte)], { objectMode: false });
    const { upload, done } = tusUpload(stream, { endpoint, metadata, uploadLengthDeferred: true, chunkSize: mebibyte });
    upload.start();
    await expectKept(await done);
  });

  test("POST in place of PATCH", async () => {
    const { upload, exchanges, done } = tusUpload(file, { endpoint, metadata, overridePatchMethod: true, chunkSize: 2 * mebibyte });
    upload.start();
    await expectKept(await done);
    expect(exchanges.map(({ method, status }) => `${method} ${status}`)).toEqual(["POST 201", "POST 204", "POST 204", "POST 204"]);
  });

  test("an empty file, and one whose name is not ASCII", async () => {
    const empty = tusUpload(Buffer.alloc(0), { endpoint, metadata: { filename: "пусто 空 🚲.txt" } });
    empty.upload.start();
    await expectKept(await empty.done, "пусто 空 🚲.txt", Buffer.alloc(0));
  });

  test("terminates an upload that has begun, and one that is finished", async () => {
    const begun = tusUpload(file, {
      endpoint,
      metadata,
      chunkSize: mebibyte,
      onChunkComplete: () => void begun.upload.abort(true).then(() => ended(begun.upload.url ?? "")),
    });
    let ended: (url: string) => void = () => {};
    const terminated = new Promise<string>((resolve) => {
      ended = resolve;
    });
    begun.upload.start();
    const tus = { method: "HEAD", headers: { "tus-resumable": "1.0.0" } };
    expect((await fetch(await terminated, tus)).status).toBe(410);

    const finished = tusUpload(bytesOf(1_000, 2), { endpoint, metadata });
    finished.upload.start();
    const url = await finished.done;
    const { url: address } = await documentOf(url);
    await Upload.terminate(url);
    expect([(await fetch(url, tus)).status, (await fetch(new URL(address, url))).status]).toEqual([410, 404]);
  });

  test("a document with macros ends in the reason why", async () => {
    const { upload, done } = tusUpload(docx({ "word/vbaProject.bin": "x" }), { endpoint, metadata: { filename: "letter.docx" } });
    upload.start();
    await expect(done).rejects.toMatchObject({ status: 422, message: expect.stringContaining('"MACRO_FOUND"') });
    expect(await documentOf(upload.url ?? "")).toMatchObject({ status: "rejected", error: { code: "MACRO_FOUND" } });
  });
});

describe.each(hosts)("a type that is not taken, behind %s", (host) => {
  test("ends an upload by its name at its beginning, and by its bytes at its end", async () => {
    const memory = shopPlaces.find(([, store]) => store === "memory");
    if (memory === undefined) throw new Error("There is no memory store.");
    const { endpoint, close } = await serve(host, memory[2], { types: ["image/png"], checks: [] }, false);
    try {
      const named = tusUpload(file, { endpoint, metadata: { filename: "program.exe" } });
      named.upload.start();
      await expect(named.done).rejects.toMatchObject({ status: 415, message: expect.stringContaining('"TYPE_NOT_ALLOWED"') });
      expect(named.exchanges.map(({ method }) => method)).toEqual(["POST"]);

      const disguised = tusUpload(file, { endpoint, metadata: { filename: "picture.png", filetype: "image/png" } });
      disguised.upload.start();
      await expect(disguised.done).rejects.toMatchObject({ status: 415, message: expect.stringContaining('"TYPE_NOT_ALLOWED"') });
      expect(disguised.exchanges.map(({ method }) => method)).toEqual(["POST", "PATCH"]);
    } finally {
      await close();
    }
  });
});
