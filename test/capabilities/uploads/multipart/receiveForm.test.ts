import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import type { BlobStore } from "restwright";
import { type FileCheck, metadataCheck, pass, reject } from "restwright/checks";
import { memoryBlobs } from "restwright/memory";
import { ClientGone, ProblemError, type ReceiveFormOptions, receiveForm } from "restwright/uploads";
import { expect, test } from "vitest";
import { bytesOf, keysOf } from "../../../adapters/stores/blobs/blobContents.js";
import { exif, jpeg, jpegSegment } from "../../../parts/checks/samples/images.js";
import { chunksOf, formOf, partOf } from "./forms.js";
import { Source } from "./source.js";

const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");
const headers = { "content-type": "multipart/form-data; boundary=b" };

function receive(blobs: BlobStore, body: string | Uint8Array, options: Partial<ReceiveFormOptions> = {}) {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return receiveForm({ headers, body: chunksOf(bytes, 1_000) }, { blobs, types: "any", ...options });
}

test("files are blobs, and say what they are", async () => {
  const blobs = memoryBlobs();
  const { files, fields } = await receive(
    blobs,
    formOf(
      partOf('name="t"', "Sea"),
      partOf('name="a"; filename="a.txt"', "hello", "Content-Type: text/plain"),
      partOf('name="b"; filename="b"', ""),
    ),
    { types: ["text/plain"] },
  );
  expect(fields).toEqual({ t: "Sea" });
  expect(files).toMatchObject([
    { field: "a", filename: "a.txt", declaredContentType: "text/plain", contentType: "text/plain", size: 5, sha256: sha256("hello"), deferredTo: [] },
    { field: "b", filename: "b", declaredContentType: undefined, contentType: "text/plain", size: 0 },
  ]);
  expect(await keysOf(blobs)).toEqual(files.map(({ key }) => key));
  for (const { key } of files) expect(key).toMatch(/^form_[0-9a-f]{32}$/);
  const [{ key } = { key: "" }] = files;
  expect((await bytesOf(blobs, key)).toString()).toBe("hello");
});

test("what a check has rewritten takes the place of the file", async () => {
  const blobs = memoryBlobs();
  const photo = jpeg(3, 2, [jpegSegment(0xe1, exif(6)), jpegSegment(0xfe, "made by Ada")]);
  const [head = "", tail = ""] = formOf(partOf('name="p"; filename="p.jpg"', "\0\0")).split("\0\0");
  const form = Buffer.concat([Buffer.from(head), photo, Buffer.from(tail)]);
  const { files } = await receive(blobs, form, { types: ["image/jpeg"], checks: [metadataCheck()] });
  expect(files).toMatchObject([{ contentType: "image/jpeg", image: { width: 3, height: 2 } }]);
  expect(files[0]?.size).toBeLessThan(photo.length);
  expect(await keysOf(blobs)).toEqual(files.map(({ key }) => key));
});

test("a check that judges later is named, and the file is kept for it", async () => {
  const blobs = memoryBlobs();
  const human: FileCheck = { name: "human", needs: "head", run: async () => ({ verdict: "defer" }) };
  const { files } = await receive(blobs, formOf(partOf('name="a"; filename="a"')), { checks: [human], keyPrefix: "photos-" });
  expect(files).toMatchObject([{ deferredTo: ["human"], key: expect.stringMatching(/^photos-/) }]);
});

const two = formOf(partOf('name="a"; filename="1.txt"', "one"), partOf('name="b"; filename="2.txt"', "two"));
const refusing = (name: string): FileCheck => ({
  name: "no",
  needs: "file",
  run: async ({ filename }) => (filename === name ? reject("VIRUS_DETECTED", "It is one.") : pass),
});

test.each<{ why: string; body: string; options?: Partial<ReceiveFormOptions>; code: string }>([
  { why: "the second file is refused", body: two, options: { checks: [refusing("2.txt")] }, code: "VIRUS_DETECTED" },
  { why: "the first file is refused", body: two, options: { checks: [refusing("1.txt")] }, code: "VIRUS_DETECTED" },
  { why: "a type is not taken", body: two, options: { types: ["image/png"] }, code: "TYPE_NOT_ALLOWED" },
  { why: "the form does not end", body: two.slice(0, -10), code: "MALFORMED_MULTIPART" },
  { why: "a file is missing", body: two, options: { requiredFiles: ["c"] }, code: "FILE_REQUIRED" },
  { why: "there is no file", body: formOf(partOf('name="a"')), code: "FILE_REQUIRED" },
  { why: "there is a file too many", body: two, options: { limits: { files: 1 } }, code: "TOO_MANY_FILES" },
  { why: "nobody asked for a file", body: two, options: { files: ["a"] }, code: "UNKNOWN_FIELD" },
])("nothing is kept where $why", async ({ body, options, code }) => {
  const blobs = memoryBlobs();
  await expect(receive(blobs, body, options)).rejects.toMatchObject({ code });
  expect(await keysOf(blobs)).toEqual([]);
});

test("nothing is kept where the connection ends", async () => {
  const blobs = memoryBlobs();
  const source = new Source(two.slice(0, -10), { ends: new Error("ECONNRESET") });
  await expect(receiveForm({ headers, body: source }, { blobs, types: "any" })).rejects.toThrow(ClientGone);
  expect(await keysOf(blobs)).toEqual([]);
});

test("a form that a body parser has read is an error of the developer's", async () => {
  const request = { headers, body: { kind: "parsed", value: {} } } as const;
  await expect(receiveForm(request, { blobs: memoryBlobs(), types: "any" })).rejects.toThrow(
    "A body parser of this server has read the body before restwright",
  );
});

test("it works in a route of Express", async () => {
  const blobs = memoryBlobs();
  const app = express();
  app.post("/photos", async (request, response) => {
    try {
      const { files, fields } = await receiveForm(request, { blobs, types: ["text/plain"], requiredFiles: ["photo"] });
      response.status(201).json({ title: fields["title"], sizes: files.map(({ size }) => size) });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      response.status(error.status).json({ code: error.code });
    }
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/photos`;
  const form = new FormData();
  form.append("title", "Sea");
  const without = await fetch(url, { method: "POST", body: form });
  form.append("photo", new File(["x".repeat(200_000)], "sea.txt"));
  const whole = await fetch(url, { method: "POST", body: form });
  expect([without.status, await without.json(), whole.status, await whole.json()]).toEqual([
    422,
    { code: "FILE_REQUIRED" },
    201,
    { title: "Sea", sizes: [200_000] },
  ]);
  await new Promise((resolve) => server.close(resolve));
});
