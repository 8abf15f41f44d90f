import { memoryBlobs, memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { fullService } from "../../fullService.js";
import { clientOf } from "../../service/client.js";

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
