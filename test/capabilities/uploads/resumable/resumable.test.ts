// @long

import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type UploadPlace, uploadPlaces } from "../places.js";
import { as, type Connection, callers, type UploadStage, uploadStage } from "../stage.js";
import { withCountedWrites } from "./countedWrites.js";

const stream = { "content-type": "application/offset+octet-stream" };
const digest = (algorithm: string, text: string) => createHash(algorithm).update(text).digest("base64");
const pair = (name: string, value: string) => `${name} ${Buffer.from(value).toString("base64")}`;

describe.each(uploadPlaces)("on %s", (_, open) => {
  let place: UploadPlace;
  let stage: UploadStage;
  let writtenBytes: () => number;
  beforeAll(async () => {
    place = await open();
    const { storage, blobs } = place.stores();
    const counted = withCountedWrites(blobs);
    ({ writtenBytes } = counted);
    stage = await uploadStage({ storage, blobs: counted.blobs });
  });
  afterAll(async () => {
    expect(stage.faults).toEqual([]);
    await stage.close();
    await place.remove();
  });

  describe("creation", () => {
    test("says where the upload is, and when it ends", async () => {
      const { status, headers, text } = await stage.send("POST", "/uploads", { headers: { "upload-length": 5, "tus-resumable": "1.0.0" } });
      expect({ status, text }).toEqual({ status: 201, text: "" });
      expect(headers.location).toMatch(/^\/uploads\/[0-9a-f]{32}$/);
      expect(headers["tus-resumable"]).toBe("1.0.0");
      expect(Date.parse(String(headers["upload-expires"]))).toBeGreaterThan(Date.now() + 23 * 3_600_000);
      expect(headers["upload-offset"]).toBeUndefined();
    });

    test("is the same with a slash behind the path", async () => {
      const { status, headers } = await stage.send("POST", "/uploads/", { headers: { "upload-length": 0 } });
      expect(status).toBe(201);
      expect((await stage.send("HEAD", `${headers.location}/`)).status).toBe(200);
      expect((await stage.send("POST", "/uploads/?a=1", { headers: { "upload-length": 0 } })).status).toBe(400);
    });

    test("of an empty file is its end", async () => {
      const path = await stage.create(0);
      expect((await stage.send("GET", path)).json).toMatchObject({ status: "ready", size: 0 });
      const head = await stage.send("HEAD", path);
      expect(head.headers).toMatchObject({ "upload-offset": "0", "upload-length": "0", "cache-control": "no-store" });
    });

    test("takes the first bytes along", async () => {
      const created = await stage.send("POST", "/uploads", { headers: { ...stream, "upload-length": 5 }, body: "he" });
      expect(created.status).toBe(201);
      expect(created.headers["upload-offset"]).toBe("2");
      const patched = await stage.patch(String(created.headers.location), 2, "llo");
      expect({ status: patched.status, offset: patched.headers["upload-offset"] }).toEqual({ status: 204, offset: "5" });
    });

    test("takes all bytes along, and answers what has become of them", async () => {
      const created = await stage.send("POST", "/uploads", { headers: { ...stream, "upload-length": 5 }, body: "hello" });
      expect(created.headers["upload-offset"]).toBe("5");
      expect((await stage.send("GET", String(created.headers.location))).json).toMatchObject({ status: "ready", size: 5 });
    });

    test("echoes what was said of the file byte for byte", async () => {
      const metadata = `${pair("filename", "naïve.txt")}, is_secret,${pair("filetype", "text/plain")} , empty `;
      const path = await stage.create(3, { "upload-metadata": metadata });
      const head = await stage.send("HEAD", path);
      expect(head.headers["upload-metadata"]).toBe(metadata.trim());
      expect((await stage.send("GET", path)).json).toMatchObject({ filename: "naïve.txt", declaredContentType: "text/plain", status: "uploading" });
    });

    const length = { "upload-length": 5 };
    test.each<{ name: string; headers: Record<string, string | number>; body?: string; status: number; code: string }>([
      { name: "another version", headers: { ...length, "tus-resumable": "0.2.2" }, status: 412, code: "TUS_VERSION_UNSUPPORTED" },
      { name: "no length", headers: { "tus-resumable": "1.0.0" }, status: 400, code: "MALFORMED_HEADER" },
      { name: "a length and none", headers: { ...length, "upload-defer-length": 1 }, status: 400, code: "MALFORMED_HEADER" },
      { name: "a deferred length that is not 1", headers: { "upload-defer-length": 2 }, status: 400, code: "MALFORMED_HEADER" },
      ...["1e3", "+1", "01", "-1", "1.0", "0x1", "", " ", "9007199254740992", "99999999999999999999"].map((text) => ({
        name: `the length "${text}"`,
        headers: { "upload-length": text },
        status: 400,
        code: "MALFORMED_HEADER",
      })),
      { name: "more than 5 GiB", headers: { "upload-length": 5 * 2 ** 30 + 1 }, status: 413, code: "FILE_TOO_LARGE" },
      {
        name: "a body of another type",
        headers: { ...length, "content-type": "text/plain" },
        body: "hello",
        status: 415,
        code: "UNSUPPORTED_MEDIA_TYPE",
      },
      { name: "a body without a type", headers: length, body: "hello", status: 415, code: "UNSUPPORTED_MEDIA_TYPE" },
      { name: "a first part that is too long", headers: { ...length, ...stream }, body: "hello!", status: 413, code: "FILE_TOO_LARGE" },
      { name: "metadata with a key twice", headers: { ...length, "upload-metadata": "a YQ==,a YQ==" }, status: 400, code: "MALFORMED_HEADER" },
      { name: "metadata without a key", headers: { ...length, "upload-metadata": "a YQ==,,b YQ==" }, status: 400, code: "MALFORMED_HEADER" },
      { name: "metadata that is not base64", headers: { ...length, "upload-metadata": "a Y=" }, status: 400, code: "MALFORMED_HEADER" },
      { name: "metadata with two blanks", headers: { ...length, "upload-metadata": "a YQ== YQ==" }, status: 400, code: "MALFORMED_HEADER" },
      {
        name: "33 keys",
        headers: { ...length, "upload-metadata": Array.from({ length: 33 }, (_, n) => `k${n}`).join() },
        status: 400,
        code: "MALFORMED_HEADER",
      },
      {
        name: "metadata of more than 8 KiB",
        headers: { ...length, "upload-metadata": `a ${"YWFh".repeat(2_048)}` },
        status: 400,
        code: "MALFORMED_HEADER",
      },
      { name: "an unknown concatenation", headers: { ...length, "upload-concat": "half" }, status: 400, code: "MALFORMED_HEADER" },
      {
        name: "an unknown checksum",
        headers: { ...length, ...stream, "upload-checksum": "sha512 YQ==" },
        body: "hello",
        status: 400,
        code: "MALFORMED_HEADER",
      },
      {
        name: "a wrong checksum",
        headers: { ...length, ...stream, "upload-checksum": "sha1 YQ==" },
        body: "hello",
        status: 422,
        code: "CHECKSUM_MISMATCH",
      },
    ])("refuses $name", async ({ headers, body, status, code }) => {
      const answer = await stage.send("POST", "/uploads", { headers, ...(body === undefined ? {} : { body }) });
      expect({ status: answer.status, code: answer.json.code }).toEqual({ status, code });
      expect(answer.headers["tus-resumable"]).toBe("1.0.0");
      expect(answer.headers["content-type"]).toBe("application/problem+json");
    });

    test("leaves nothing of what is refused", async () => {
      const own = await uploadStage({ uploads: { quotaBytes: 4 } });
      const answer = await own.send("POST", "/uploads", { headers: { "upload-length": 5 } });
      expect(answer.json).toMatchObject({ code: "QUOTA_EXCEEDED", quota: { limit: 4, used: 0, remaining: 4, requested: 5 } });
      const left = [];
      for await (const blob of own.blobs.list("", { before: new Date(Date.now() + 60_000) })) left.push(blob.key);
      expect(left).toEqual([]);
      await own.close();
    });
  });

  describe("PATCH", () => {
    test("adds bytes, to the last", async () => {
      const path = await stage.create(11);
      expect((await stage.patch(path, 0, "hello ")).headers["upload-offset"]).toBe("6");
      expect((await stage.send("HEAD", path)).headers).toMatchObject({ "upload-offset": "6", "upload-length": "11" });
      const last = await stage.patch(path, 6, "world");
      expect({ status: last.status, offset: last.headers["upload-offset"] }).toEqual({ status: 204, offset: "11" });
      const { json } = await stage.send("GET", path);
      expect(json).toMatchObject({ status: "ready", size: 11, sha256: createHash("sha256").update("hello world").digest("hex") });
      expect((await stage.send("GET", json.url)).text).toBe("hello world");
      expect((await stage.send("HEAD", path)).headers["upload-offset"]).toBe("11");
    });

    test("at the end, and empty, is answered and does nothing", async () => {
      const path = await stage.create(5);
      await stage.patch(path, 0, "hello");
      const before = (await stage.send("GET", path)).text;
      for (let count = 0; count < 3; count++) {
        const again = await stage.patch(path, 5, "");
        expect({ status: again.status, offset: again.headers["upload-offset"] }).toEqual({ status: 204, offset: "5" });
      }
      expect((await stage.send("GET", path)).json.sha256).toBe(JSON.parse(before).sha256);
    });

    test("works by POST with an override, and by no other POST", async () => {
      const path = await stage.create(5);
      const sent = { headers: { ...stream, "upload-offset": 0, "x-http-method-override": "PATCH" }, body: "hello" };
      expect((await stage.send("POST", path, sent)).status).toBe(204);
      expect((await stage.send("POST", path, { headers: stream, body: "hello" })).status).toBe(405);
    });

    test("with a body that is too long and says nothing of it keeps nothing, and the upload goes on", async () => {
      const path = await stage.create(5);
      await stage.patch(path, 0, "he");
      const long = await stage.send("PATCH", path, { headers: { ...stream, "upload-offset": 2 }, body: "llo and more", chunked: true });
      expect({ status: long.status, code: long.json.code }).toEqual({ status: 413, code: "FILE_TOO_LARGE" });
      expect((await stage.send("HEAD", path)).headers["upload-offset"]).toBe("2");
      expect((await stage.patch(path, 2, "llo")).status).toBe(204);
      const { json } = await stage.send("GET", path);
      expect((await stage.send("GET", json.url)).text).toBe("hello");
    });

    test.each<{ name: string; headers: Record<string, string | number>; body?: string; status: number; code: string }>([
      { name: "another version", headers: { ...stream, "upload-offset": 0, "tus-resumable": "1.0.1" }, status: 412, code: "TUS_VERSION_UNSUPPORTED" },
      {
        name: "another type",
        headers: { "content-type": "application/octet-stream", "upload-offset": 0 },
        body: "a",
        status: 415,
        code: "UNSUPPORTED_MEDIA_TYPE",
      },
      { name: "no type", headers: { "upload-offset": 0 }, body: "a", status: 415, code: "UNSUPPORTED_MEDIA_TYPE" },
      { name: "no offset", headers: stream, body: "a", status: 400, code: "MALFORMED_HEADER" },
      { name: "an offset that is none", headers: { ...stream, "upload-offset": "0x0" }, body: "a", status: 400, code: "MALFORMED_HEADER" },
      { name: "another offset", headers: { ...stream, "upload-offset": 1 }, body: "a", status: 409, code: "OFFSET_MISMATCH" },
      { name: "more than is to come", headers: { ...stream, "upload-offset": 0 }, body: "123456", status: 413, code: "FILE_TOO_LARGE" },
      { name: "another length", headers: { ...stream, "upload-offset": 0, "upload-length": 6 }, body: "1", status: 400, code: "MALFORMED_HEADER" },
    ])("refuses $name", async ({ headers, body = "", status, code }) => {
      const path = await stage.create(5);
      const answer = await stage.send("PATCH", path, { headers, body });
      expect({ status: answer.status, code: answer.json.code }).toEqual({ status, code });
      if (status === 409) expect(answer.headers["upload-offset"]).toBe("0");
      expect((await stage.send("HEAD", path)).headers["upload-offset"]).toBe("0");
    });

    test("is not found where there is no upload", async () => {
      for (const id of ["0".repeat(32), "x", "..%2f..", "%00"]) expect((await stage.patch(`/uploads/${id}`, 0, "a")).status).toBe(404);
    });
  });

  describe("checksums", () => {
    test.each([
      ["sha1", digest("sha1", "hello")],
      ["sha256", digest("sha256", "hello")],
      ["md5", digest("md5", "hello")],
      ["crc32", Buffer.from(crc32("hello").toString(16).padStart(8, "0"), "hex").toString("base64")],
    ])("%s is right, or the bytes are dropped", async (algorithm, right) => {
      const path = await stage.create(5);
      const wrong = await stage.patch(path, 0, "hallo", { "upload-checksum": `${algorithm} ${right}`, "tus-resumable": "1.0.0" });
      expect({ status: wrong.status, code: wrong.json.code }).toEqual({ status: 460, code: "CHECKSUM_MISMATCH" });
      expect((await stage.send("HEAD", path)).headers["upload-offset"]).toBe("0");
      expect((await stage.patch(path, 0, "hello", { "upload-checksum": `${algorithm} ${right}` })).status).toBe(204);
    });

    test("a client that speaks the plain protocol is answered 422", async () => {
      const path = await stage.create(5);
      expect((await stage.patch(path, 0, "hello", { "upload-checksum": `md5 ${digest("md5", "x")}` })).status).toBe(422);
    });
  });

  describe("a deferred length", () => {
    test("is said with any later part", async () => {
      const { headers } = await stage.send("POST", "/uploads", { headers: { "upload-defer-length": 1 } });
      const path = String(headers.location);
      expect((await stage.patch(path, 0, "hel")).status).toBe(204);
      const head = await stage.send("HEAD", path);
      expect(head.headers).toMatchObject({ "upload-offset": "3", "upload-defer-length": "1" });
      expect(head.headers["upload-length"]).toBeUndefined();
      expect((await stage.patch(path, 3, "lo", { "upload-length": 2 })).status).toBe(400);
      expect((await stage.patch(path, 3, "lo", { "upload-length": 5 })).status).toBe(204);
      expect((await stage.send("GET", path)).json).toMatchObject({ status: "ready", size: 5 });
    });

    test("is said with an empty part at the end", async () => {
      const { headers } = await stage.send("POST", "/uploads", { headers: { "upload-defer-length": 1 } });
      const path = String(headers.location);
      await stage.patch(path, 0, "hello");
      expect((await stage.patch(path, 5, "", { "upload-length": 5 })).status).toBe(204);
      expect((await stage.send("GET", path)).json.status).toBe("ready");
    });
  });

  describe("one writer at a time", () => {
    /** A PATCH whose first bytes have been written and whose others do not come. */
    async function stalledPatch(path: string, length: number, bytes: Buffer): Promise<Connection> {
      const before = writtenBytes();
      const connection = await stage.begin("PATCH", path, { ...stream, "upload-offset": 0, "content-length": length }, bytes);
      await expect.poll(() => writtenBytes() - before, { interval: 5 }).toBe(bytes.length);
      return connection;
    }

    test("a HEAD takes the upload from a PATCH that is stalled, and all that arrived is kept", async () => {
      const path = await stage.create(1_000_000);
      const stalled = await stalledPatch(path, 1_000_000, randomBytes(300_000));
      // The stalled body itself would be given up after 30 s, and then be no longer in the way.
      const started = performance.now();
      const head = await stage.send("HEAD", path);
      expect(performance.now() - started).toBeLessThan(20_000);
      const offset = Number(head.headers["upload-offset"]);
      expect(offset).toBe(300_000);
      expect(await stalled.answered).toMatch(/^HTTP\/1.1 409 .*upload-offset: 300000.*UPLOAD_INTERRUPTED/s);
      expect((await stage.patch(path, offset, randomBytes(700_000))).status).toBe(204);
    });

    test("a later PATCH takes the upload from an earlier one, and is told where it stands", async () => {
      const path = await stage.create(1_000_000);
      const first = await stalledPatch(path, 1_000_000, randomBytes(100_000));
      const second = await stage.patch(path, 0, randomBytes(1_000_000));
      expect({ status: second.status, offset: second.headers["upload-offset"] }).toEqual({ status: 409, offset: "100000" });
      first.socket.destroy();
    });

    test("a GET disturbs nobody", async () => {
      const path = await stage.create(10);
      const first = await stage.begin("PATCH", path, { ...stream, "upload-offset": 0, "content-length": 10 }, Buffer.from("hello"));
      expect((await stage.send("GET", path)).status).toBe(200);
      await first.write(Buffer.from("world"));
      await expect.poll(async () => (await stage.send("GET", path)).json.status).toBe("ready");
      first.socket.destroy();
    });

    test("a DELETE takes it, too, and it is gone", async () => {
      const path = await stage.create(10);
      const first = await stalledPatch(path, 10, Buffer.from("hello"));
      expect((await stage.send("DELETE", path)).status).toBe(204);
      first.socket.destroy();
      expect((await stage.send("HEAD", path)).status).toBe(410);
      expect((await stage.patch(path, 0, "a")).json.code).toBe("GONE");
      expect((await stage.send("DELETE", path)).status).toBe(410);
    });

    test("twenty PATCHes at once leave the bytes of one at each offset", async () => {
      const path = await stage.create(40);
      for (let offset = 0; offset < 40; offset += 2) {
        const answers = await Promise.all(["aa", "bb", "cc"].map((body) => stage.patch(path, offset, body)));
        expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
        expect(answers.every(({ status }) => status === 204 || status === 409 || status === 423)).toBe(true);
      }
      const { json } = await stage.send("GET", path);
      expect((await stage.send("GET", json.url)).text).toMatch(/^(?:aa|bb|cc){20}$/);
    });

    test("a client that goes away leaves what it had sent", async () => {
      const path = await stage.create(1_000_000);
      const gone = await stalledPatch(path, 1_000_000, randomBytes(123_456));
      gone.socket.destroy();
      await expect.poll(async () => (await stage.send("HEAD", path)).headers["upload-offset"]).toBe("123456");
    });
  });

  describe("concatenation", () => {
    async function piece(text: string): Promise<string> {
      const path = await stage.create(text.length, { "upload-concat": "partial" });
      expect((await stage.patch(path, 0, text)).status).toBe(204);
      return path;
    }

    test("makes one file of pieces, as often as it is asked for", async () => {
      const [one, two] = [await piece("hello "), await piece("world")];
      for (const addresses of [`${one} ${two}`, `http://elsewhere${one} http://elsewhere${two}`]) {
        const concat = `final;${addresses}`;
        const { status, headers } = await stage.send("POST", "/uploads", { headers: { "upload-concat": concat, "tus-resumable": "1.0.0" } });
        expect(status).toBe(201);
        const path = String(headers.location);
        const { json } = await stage.send("GET", path);
        expect((await stage.send("GET", json.url)).text).toBe("hello world");
        expect((await stage.send("HEAD", path)).headers).toMatchObject({ "upload-concat": concat, "upload-length": "11", "upload-offset": "11" });
        expect((await stage.patch(path, 11, "")).status).toBe(403);
      }
    });

    test("tells no address at which a piece could be read, as there is none", async () => {
      const path = await piece("hello");
      const { json } = await stage.send("GET", path);
      expect(json).toMatchObject({ status: "ready", size: 5, sha256: createHash("sha256").update("hello").digest("hex") });
      expect(json).not.toHaveProperty("url");
      expect(json).not.toHaveProperty("signedUrl");
    });

    test("refuses pieces that are not complete, are none, or are not there", async () => {
      const [whole, half, file] = [await piece("a"), await stage.create(5, { "upload-concat": "partial" }), await stage.create(0)];
      const statusOf = async (concat: string) => (await stage.send("POST", "/uploads", { headers: { "upload-concat": concat } })).status;
      expect(await statusOf(`final;${whole} ${half}`)).toBe(409);
      expect(await statusOf(`final;${whole} ${file}`)).toBe(404);
      expect(await statusOf(`final;${whole} /uploads/${"0".repeat(32)}`)).toBe(404);
      expect(await statusOf("final;")).toBe(400);
      expect((await stage.send("GET", `/files/${whole.split("/").at(-1)}`)).status).toBe(404);
    });
  });
});

test("OPTIONS says what is spoken, to everybody", async () => {
  const own = await uploadStage({ auth: [callers] });
  for (const path of ["/uploads", "/uploads/", `/uploads/${"0".repeat(32)}`]) {
    const { status, headers } = await own.send("OPTIONS", path);
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      "tus-resumable": "1.0.0",
      "tus-version": "1.0.0",
      "tus-max-size": String(5 * 2 ** 30),
      "tus-extension": "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum,concatenation",
      "tus-checksum-algorithm": "sha1,sha256,md5,crc32",
    });
  }
  await own.close();
});

test("nobody but its owner knows of an upload", async () => {
  const own = await uploadStage({ auth: [callers] });
  const path = await own.create(5, as("ada"));
  for (const method of ["GET", "HEAD", "PATCH", "DELETE"]) {
    for (const token of ["bo", "cy"]) {
      const headers = { ...stream, "upload-offset": 0, ...as(token) };
      expect((await own.send(method, path, { headers, ...(method === "PATCH" ? { body: "hello" } : {}) })).status).toBe(404);
    }
    expect((await own.send(method, path)).status).toBe(401);
  }
  expect((await own.patch(path, 0, "hello", as("ada"))).status).toBe(204);
  await own.close();
});
