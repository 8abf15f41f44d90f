import { memoryBlobs, memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { clientOf, requestOf, type Sent } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";
import { type UploadStage, uploadStage } from "./stage.js";

const stream = { "content-type": "application/offset+octet-stream" };
const hello = Buffer.from("hello");

/** A service that is asked without a socket: what Node refuses by itself comes through. */
function open() {
  const faults: unknown[] = [];
  const service = fullService({
    resources: [],
    storage: memoryStorage(),
    blobs: memoryBlobs(),
    uploads: { types: "any" },
    onError: (error) => faults.push(error),
  });
  const send = clientOf(service);
  /** As hosts do that hand over a stream. */
  const sendStream = async (sent: Sent, ...chunks: readonly Uint8Array[]) => {
    async function* bytes() {
      yield* chunks;
    }
    return service.handle({ ...requestOf(sent), body: { kind: "stream", stream: bytes() } });
  };
  return { send, sendStream, faults };
}

describe.each(["abc", "-5", "1e3", "5.5", "0x5", "", "99999999999999999999999"])(
  "a Content-Length of %j that a host lets through is refused",
  (length) => {
    const wrong = { "content-length": length };
    const refusal = { status: 400, code: "MALFORMED_HEADER", errors: [{ header: "content-length" }] };

    test("by PATCH", async () => {
      const { send, faults } = open();
      const { headers } = await send({ method: "POST", target: "/uploads", headers: { "upload-length": "5" } });
      const target = String(headers["location"]);
      const { json } = await send({ method: "PATCH", target, headers: { ...stream, ...wrong, "upload-offset": "0" }, body: hello });
      expect(json).toMatchObject(refusal);
      expect((await send({ method: "HEAD", target })).headers["upload-offset"]).toBe("0");
      expect(faults).toEqual([]);
    });

    test("by a beginning with a body, and by one whose body is a stream", async () => {
      const { send, sendStream, faults } = open();
      const sent = { method: "POST", target: "/uploads", headers: { ...stream, ...wrong, "upload-length": "5" } };
      expect((await send({ ...sent, body: hello })).json).toMatchObject(refusal);
      expect((await sendStream(sent, hello))?.status).toBe(400);
      expect(faults).toEqual([]);
    });

    test("by the address of a presigned upload, as another length", async () => {
      const { send, faults } = open();
      const { json } = await send({ method: "POST", target: "/uploads/presign", body: { filename: "a.txt", contentType: "text/plain", size: 5 } });
      const put = await send({ method: "PUT", target: json.uploadUrl, headers: { ...wrong, "content-type": "text/plain" }, body: hello });
      expect(put.json).toMatchObject({ status: 413, code: "FILE_TOO_LARGE", limit: 5 });
      expect(faults).toEqual([]);
    });
  },
);

test("a first part whose length is not announced at all, as HTTP/2 may have it, is taken", async () => {
  const { send, sendStream } = open();
  const headers = { ...stream, "upload-length": "8" };
  const created = await sendStream({ method: "POST", target: "/uploads", headers }, hello);
  expect({ status: created?.status, offset: created?.headers["upload-offset"] }).toEqual({ status: 201, offset: "5" });
  const target = String(created?.headers["location"]);
  const patched = await sendStream({ method: "PATCH", target, headers: { ...stream, "upload-offset": "5" } }, Buffer.from("you"));
  expect(patched?.status).toBe(204);
  expect((await send({ target })).json).toMatchObject({ status: "ready", size: 8 });
});

describe("on a socket", () => {
  const refusing = async (use: (stage: UploadStage) => Promise<void>) => {
    const stage = await uploadStage();
    await use(stage);
    expect(stage.faults).toEqual([]);
    await stage.close();
  };

  test("a part with a content coding is refused: offsets count bytes as they are sent", () =>
    refusing(async (stage) => {
      const coded = { ...stream, "content-encoding": "gzip" };
      const path = await stage.create(5);
      expect((await stage.patch(path, 0, "hello", coded)).json).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
      expect((await stage.send("HEAD", path)).headers["upload-offset"]).toBe("0");
      const created = await stage.send("POST", "/uploads", { headers: { ...coded, "upload-length": 5 }, body: "hello" });
      expect(created.json).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
      expect((await stage.patch(path, 0, "hello", { "content-encoding": "identity" })).status).toBe(204);
    }));

  test.each([true, false])("bytes behind the end of a file that is whole are refused as those before it are (chunked: %s)", (chunked) =>
    refusing(async (stage) => {
      const path = await stage.create(5);
      await stage.patch(path, 0, "hello");
      const { json } = await stage.send("PATCH", path, { headers: { ...stream, "upload-offset": 5 }, body: "more", chunked });
      expect(json).toMatchObject({ status: 413, code: "FILE_TOO_LARGE", limit: 5 });
      expect((await stage.send("PATCH", path, { headers: { ...stream, "upload-offset": 5 }, body: "", chunked: false })).status).toBe(204);
      expect((await stage.send("GET", path)).json).toMatchObject({ status: "ready", size: 5 });
    }),
  );

  test("a first part that announces too much is refused before it comes", () =>
    refusing(async (stage) => {
      const headers = { ...stream, "upload-length": 5, "content-length": 6, connection: "close" };
      const begun = await stage.begin("POST", "/uploads", headers);
      expect(await begun.answered).toMatch(/^HTTP\/1\.1 413 .*FILE_TOO_LARGE/s);
    }));
});
