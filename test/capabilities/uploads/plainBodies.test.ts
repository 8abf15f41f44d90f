import { createHash } from "node:crypto";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

function open() {
  const faults: unknown[] = [];
  const storage = memoryStorage();
  const service = fullService({ resources: [], storage, blobs: memoryBlobs(), uploads: { types: "any" }, onError: (error) => faults.push(error) });
  return { service, storage, faults };
}

test.each(["abc", "-5", "1e3", "5.5", ""])("a Content-Length of %j that a host lets through is refused", async (length) => {
  const { service, storage, faults } = open();
  const { status, json } = await clientOf(service)({
    method: "POST",
    target: "/uploads",
    headers: { "content-length": length, "content-type": "application/octet-stream" },
    body: Buffer.from("hello"),
  });
  expect({ status, code: json.code }).toEqual({ status: 400, code: "MALFORMED_HEADER" });
  expect(faults).toEqual([]);
  expect(await storage.uploads?.use(undefined, "address ")).toEqual({ open: 0, bytes: 0 });
});

test.each(["sha1", "sha256", "md5"])(
  "a body with another %s than it announces is refused and leaves nothing, and one with the right one is kept",
  async (algorithm) => {
    const { service, storage, faults } = open();
    const send = (digest: string) =>
      clientOf(service)({ method: "POST", target: "/uploads", headers: { "upload-checksum": `${algorithm} ${digest}` }, body: Buffer.from("hello") });
    const refused = await send(createHash(algorithm).update("other").digest("base64"));
    expect({ status: refused.status, code: refused.json.code }).toEqual({ status: 422, code: "CHECKSUM_MISMATCH" });
    expect(await storage.uploads?.use(undefined, "address ")).toEqual({ open: 0, bytes: 0 });
    const kept = await send(createHash(algorithm).update("hello").digest("base64"));
    expect({ status: kept.status, size: kept.json.size }).toEqual({ status: 201, size: 5 });
    expect(faults).toEqual([]);
  },
);

test("a checksum that cannot be read is refused", async () => {
  const { service } = open();
  const { status, json } = await clientOf(service)({
    method: "POST",
    target: "/uploads",
    headers: { "upload-checksum": "sha512 aa" },
    body: Buffer.from("hello"),
  });
  expect({ status, code: json.code }).toEqual({ status: 400, code: "MALFORMED_HEADER" });
});
