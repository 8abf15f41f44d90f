import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memoryBlobs, memoryStorage } from "../../../../../adapters/memory.js";
import { fullService } from "../../../../tools/fullService.js";
import { keysOf } from "../../../stores/blobs/blobContents.js";
import { type Received, type Sent, send } from "../../client.js";
import type { Host, RunningHost } from "../../host.js";
import { RawConnection } from "../../rawConnection.js";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const multipart = { "Content-Type": "multipart/form-data; boundary=b" };
const resumable = { "Tus-Resumable": "1.0.0" };
const offsetStream = "application/offset+octet-stream";

/** Bytes that are no text in any charset. */
const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 31 + (index >> 8)) % 256));

function part(name: string, content: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.bin"\r\n\r\n`),
    content,
    Buffer.from("\r\n"),
  ]);
}

const form = Buffer.concat([part("f", bytes), part("g", Buffer.from("hello")), Buffer.from("--b--\r\n")]);

/** What every host must make of files. */
export function uploadChecks(host: Host): void {
  const blobs = memoryBlobs();
  const service = fullService({
    resources: [],
    storage: memoryStorage(),
    blobs,
    uploads: { types: "any", forms: { avatars: { types: "any", limits: { fileBytes: 1_000_000 } } } },
  });
  const keys = () => keysOf(blobs);
  let running: RunningHost;
  const at = (path: string, sent?: Sent) => send(running.port, path, sent);
  const jsonOf = ({ body }: Received) => JSON.parse(body.toString());

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });

  it("takes a form with files, and gives them back byte by byte", async () => {
    const answer = await at("/v1/avatars", { method: "POST", headers: multipart, body: form });
    const { files } = jsonOf(answer);
    expect([answer.status, files.map(({ sha256: hash }: { readonly sha256: string }) => hash)]).toEqual([
      201,
      [bytes, Buffer.from("hello")].map(sha256),
    ]);
    expect((await at(files[0].url)).body.equals(bytes)).toBe(true);
    const some = await at(files[0].url, { headers: { Range: "bytes=100-299" } });
    expect([some.status, some.body.equals(bytes.subarray(100, 300)), some.headers["content-range"]]).toEqual([206, true, "bytes 100-299/300000"]);
  });

  it("takes a form in chunks", async () => {
    const text = `--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nhello\r\n--b--\r\n`;
    const answer = await at("/v1/avatars", { method: "POST", headers: multipart, body: [text.slice(0, 20), text.slice(20)] });
    expect([answer.status, jsonOf(answer).size]).toEqual([201, 5]);
  });

  it.each([
    { why: "is cut short", body: form.subarray(0, -6), status: 400, code: "MALFORMED_MULTIPART" },
    { why: "has a file that is too large", body: part("f", Buffer.alloc(1_000_001)), status: 413, code: "FILE_TOO_LARGE" },
    { why: "is none", body: "hello", status: 400, code: "MALFORMED_MULTIPART" },
  ])("refuses a form that $why, and keeps nothing of it", async ({ body, status, code }) => {
    const before = await keys();
    const answer = await at("/v1/avatars", { method: "POST", headers: multipart, body });
    expect([answer.status, jsonOf(answer).code]).toEqual([status, code]);
    expect(await keys()).toEqual(before);
  });

  it("keeps nothing of a form whose client leaves", async () => {
    const before = await keys();
    const connection = new RawConnection(running.port);
    const head = `POST /v1/avatars HTTP/1.1\r\nHost: x\r\nContent-Type: ${multipart["Content-Type"]}\r\nContent-Length: ${form.length}\r\n\r\n`;
    connection.write(head).write(form.subarray(0, 200_000));
    await expect.poll(async () => (await keys()).length).toBe(before.length + 1);
    connection.destroy();
    await expect.poll(keys).toEqual(before);
  });

  it("takes a file in pieces", async () => {
    const created = await at("/v1/uploads", { method: "POST", headers: { ...resumable, "Upload-Length": "300000" } });
    const path = created.headers.location ?? "";
    expect([created.status, path.slice(0, 12)]).toEqual([201, "/v1/uploads/"]);
    const patch = (offset: number, body: Uint8Array) =>
      at(path, { method: "PATCH", headers: { ...resumable, "Content-Type": offsetStream, "Upload-Offset": String(offset) }, body });
    expect((await patch(0, bytes.subarray(0, 100_000))).headers["upload-offset"]).toBe("100000");
    expect((await at(path, { method: "HEAD", headers: resumable })).headers["upload-offset"]).toBe("100000");
    expect((await patch(50_000, bytes.subarray(50_000))).status).toBe(409);
    expect((await patch(100_000, bytes.subarray(100_000))).status).toBe(204);
    expect(jsonOf(await at(path))).toMatchObject({ status: "ready", sha256: sha256(bytes) });
    expect((await at(path, { method: "DELETE", headers: resumable })).status).toBe(204);
  });

  it("goes on where a client has left in the middle of a piece", async () => {
    const created = await at("/v1/uploads", { method: "POST", headers: { "Upload-Length": "300000" } });
    const path = created.headers.location ?? "";
    const connection = new RawConnection(running.port);
    const head = `PATCH ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${offsetStream}\r\nUpload-Offset: 0\r\nContent-Length: 300000\r\n\r\n`;
    connection.write(head).write(bytes.subarray(0, 150_000));
    await new Promise((resolve) => setTimeout(resolve, 50));
    connection.destroy();
    const offset = Number((await at(path, { method: "HEAD" })).headers["upload-offset"]);
    expect(offset).toBeLessThanOrEqual(150_000);
    const headers = { "Content-Type": offsetStream, "Upload-Offset": String(offset) };
    expect((await at(path, { method: "PATCH", headers, body: bytes.subarray(offset) })).status).toBe(204);
    expect(jsonOf(await at(path)).sha256).toBe(sha256(bytes));
  });

  if (host.parsesBodies)
    describe("behind a body parser", () => {
      let parsing: RunningHost;
      const faults: unknown[] = [];
      const other = fullService({
        resources: [],
        storage: memoryStorage(),
        blobs: memoryBlobs(),
        onError: (error) => faults.push(error),
        uploads: { types: "any", forms: { avatars: { types: "any" } } },
      });
      beforeAll(async () => {
        parsing = await host.start(other.handle, { mount: "", parseBodies: true });
      });
      afterAll(async () => {
        await parsing.close();
        await other.close();
      });

      it("keeps a file of JSON as it was sent, or says that it cannot", async () => {
        const body = '{ "a": 1 }';
        const answer = await send(parsing.port, "/uploads", { method: "POST", headers: { "Content-Type": "application/json" }, body });
        if (answer.status === 201) expect(jsonOf(answer).sha256).toBe(sha256(Buffer.from(body)));
        else expect([answer.status, String(faults)]).toEqual([500, expect.stringContaining("Mount restwright before body parsers.")]);
      });
    });
}
