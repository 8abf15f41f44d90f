// @slow

import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskBlobs } from "../../../../adapters/disk.js";
import { memoryStorage } from "../../../../adapters/memory.js";
import { nodeHandler } from "../../../../adapters/node.js";
import { uploads } from "../../../../src/capabilities/uploads/index.js";
import { createService } from "../../../../src/index.js";

/** More than the store collects for a write, and than is hashed on the event loop. */
const file = randomBytes(3_500_001);
const sha256 = createHash("sha256").update(file).digest("hex");

describe.each(["piece", "file"] as const)("bodies of node:http, whose chunks are released after they are written, durability %s", (durability) => {
  let folder: string;
  let base: string;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "restwright-released-"));
    const forms = { documents: { types: "any", files: ["a", "b"], fields: ["note"] } } as const;
    const service = createService({
      resources: [],
      storage: memoryStorage(),
      use: [uploads({ blobs: diskBlobs({ path: folder }), types: "any", durability, forms })],
    });
    await service.start();
    const server = createServer(nodeHandler(service));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stop = async () => {
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    };
  });

  afterAll(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function jsonOf(answer: Response): Promise<{ readonly id: string; readonly files: readonly { readonly id: string }[] }> {
    return JSON.parse(await answer.text());
  }

  async function requireKept(id: string): Promise<void> {
    const stored = await jsonOf(await fetch(`${base}/uploads/${id}`));
    expect(stored).toMatchObject({ status: "ready", size: file.length, sha256 });
    expect(Buffer.from(await (await fetch(`${base}/files/${id}`)).arrayBuffer()).equals(file)).toBe(true);
  }

  test("a plain body is kept byte for byte", async () => {
    const answer = await fetch(`${base}/uploads`, { method: "POST", headers: { "content-type": "application/octet-stream" }, body: file });
    await requireKept((await jsonOf(answer)).id);
  });

  test("files of a form are kept byte for byte", async () => {
    const form = new FormData();
    form.set("a", new Blob([file]), "a.bin");
    form.set("note", "between");
    form.set("b", new Blob([file]), "b.bin");
    const { files } = await jsonOf(await fetch(`${base}/documents`, { method: "POST", body: form }));
    expect(files.length).toBe(2);
    for (const { id } of files) await requireKept(id);
  });

  test("an upload in pieces is kept byte for byte, with and without checksums", async () => {
    for (const hasChecksum of [false, true]) {
      const begun = await fetch(`${base}/uploads`, { method: "POST", headers: { "tus-resumable": "1.0.0", "upload-length": String(file.length) } });
      const location = begun.headers.get("location") ?? "";
      for (let at = 0; at < file.length; at += 1_500_000) {
        const body = file.subarray(at, at + 1_500_000);
        const checksum = { "upload-checksum": `sha1 ${createHash("sha1").update(body).digest("base64")}` };
        const headers = {
          "tus-resumable": "1.0.0",
          "upload-offset": String(at),
          "content-type": "application/offset+octet-stream",
          ...(hasChecksum ? checksum : {}),
        };
        expect((await fetch(base + location, { method: "PATCH", headers, body })).status).toBe(204);
      }
      await requireKept(location.slice(location.lastIndexOf("/") + 1));
    }
  });
});
