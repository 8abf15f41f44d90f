import { createHash } from "node:crypto";
import { memoryBlobs } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { keysOf } from "../../adapters/stores/blobs/blobContents.js";
import { dot, formData, openForms } from "./forms/formStage.js";
import { as, callers, type UploadStage, uploadStage } from "./stage.js";

const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");
const letters = "abcdefghijklmnopqrstuvwxyz";
const etag = `"${sha256(letters)}"`;

/** Sends a file in one body. @returns its document */
async function sent(stage: UploadStage, body: Uint8Array | string, name = "a.txt", headers: Readonly<Record<string, string>> = {}) {
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
  const { status, json } = await stage.send("POST", "/uploads", { headers: { "content-disposition": disposition, ...headers }, body });
  expect(status).toBe(201);
  return json;
}

describe("GET of a file", () => {
  test("has its bytes, what they are, and what a browser may do with them", async () => {
    const stage = await openForms();
    const { url } = await sent(stage, letters);
    const { status, headers, text } = await stage.send("GET", url);
    expect({ status, text }).toEqual({ status: 200, text: letters });
    expect(headers).toMatchObject({
      etag,
      "content-length": "26",
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": 'inline; filename="a.txt"',
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    });
    expect(headers["last-modified"]).toMatch(/GMT$/);
  });

  test("whose bytes the store has lost is 404, and the log says so", async () => {
    const blobs = memoryBlobs();
    const warned: unknown[] = [];
    const logger = { error() {}, info() {}, debug() {}, warn: (...line: unknown[]) => warned.push(line) };
    const stage = await uploadStage({ blobs, logger, uploads: { types: "any" } });
    const { id, url } = await sent(stage, letters);
    for (const key of await keysOf(blobs)) await blobs.delete(key);
    expect((await stage.send("GET", url)).json).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect(warned).toEqual([[{ upload: id }, "A stored file is gone or changed."]]);
    await stage.close();
  });

  test("HEAD has the same headers and no bytes", async () => {
    const stage = await openForms();
    const { url } = await sent(stage, letters);
    const [get, head] = [await stage.send("GET", url), await stage.send("HEAD", url)];
    const without = ({ date: _, "x-request-id": __, ...others }: typeof get.headers) => others;
    expect({ status: head.status, length: head.bytes.length, headers: without(head.headers) }).toEqual({
      status: 200,
      length: 0,
      headers: without(get.headers),
    });
  });

  test.each([
    { range: "bytes=0-0", status: 206, text: "a", content: "bytes 0-0/26" },
    { range: "bytes=5-9", status: 206, text: "fghij", content: "bytes 5-9/26" },
    { range: "bytes=20-", status: 206, text: "uvwxyz", content: "bytes 20-25/26" },
    { range: "bytes=20-1000", status: 206, text: "uvwxyz", content: "bytes 20-25/26" },
    { range: "bytes=-3", status: 206, text: "xyz", content: "bytes 23-25/26" },
    { range: "bytes=-1000", status: 206, text: letters, content: "bytes 0-25/26" },
    { range: "bytes=0-0,2-3", status: 200, text: letters, content: undefined },
    { range: "lines=0-1", status: 200, text: letters, content: undefined },
    { range: "bytes=9-5", status: 200, text: letters, content: undefined },
    { range: "bytes=a-b", status: 200, text: letters, content: undefined },
  ])("with Range: $range answers $status", async ({ range, status, text, content }) => {
    const stage = await openForms();
    const { url } = await sent(stage, letters);
    const answer = await stage.send("GET", url, { headers: { range } });
    expect({ status: answer.status, text: answer.text, content: answer.headers["content-range"], length: answer.headers["content-length"] }).toEqual({
      status,
      text,
      content,
      length: String(text.length),
    });
    expect(answer.headers.etag).toBe(etag);
  });

  test.each(["bytes=26-", "bytes=26-30", "bytes=-0"])("with Range: %s answers 416, and how long the file is", async (range) => {
    const stage = await openForms();
    const { url } = await sent(stage, letters);
    const { status, headers, json } = await stage.send("GET", url, { headers: { range } });
    expect({ status, code: json.code, content: headers["content-range"] }).toEqual({
      status: 416,
      code: "RANGE_NOT_SATISFIABLE",
      content: "bytes */26",
    });
  });

  test("with If-Range has the range where the file is the same, and else all of it", async () => {
    const stage = await openForms();
    const { url } = await sent(stage, letters);
    const modified = String((await stage.send("HEAD", url)).headers["last-modified"]);
    const get = async (ifRange: string) => (await stage.send("GET", url, { headers: { range: "bytes=0-1", "if-range": ifRange } })).status;
    expect([await get(etag), await get(modified)]).toEqual([206, 206]);
    expect([await get(`W/${etag}`), await get('"other"'), await get("Thu, 01 Jan 1970 00:00:00 GMT")]).toEqual([200, 200, 200]);
  });

  test("with what the client has already answers 304 or 412", async () => {
    const stage = await openForms();
    const { url } = await sent(stage, letters);
    const modified = String((await stage.send("HEAD", url)).headers["last-modified"]);
    const get = (headers: Readonly<Record<string, string>>) => stage.send("GET", url, { headers });
    const same = await get({ "if-none-match": etag });
    expect({ status: same.status, length: same.bytes.length, etag: same.headers.etag }).toEqual({ status: 304, length: 0, etag });
    expect((await get({ "if-modified-since": modified })).status).toBe(304);
    expect((await get({ "if-none-match": '"other"' })).status).toBe(200);
    expect((await get({ "if-match": '"other"' })).json.code).toBe("PRECONDITION_FAILED");
  });

  test.each([
    { name: "dot.png", body: dot, type: "image/png", disposition: "inline" },
    { name: "page.html", body: "<!doctype html><script>alert(1)</script>", type: "text/html", disposition: "attachment" },
    { name: "pic.svg", body: '<svg xmlns="http://www.w3.org/2000/svg"/>', type: "image/svg+xml", disposition: "attachment" },
    { name: "a.pdf", body: "%PDF-1.4\n%%EOF", type: "application/pdf", disposition: "attachment" },
    { name: "a.bin", body: Buffer.from([0, 1, 2, 255]), type: "application/octet-stream", disposition: "attachment" },
  ])("of $type stands $disposition", async ({ name, body, type, disposition }) => {
    const stage = await openForms();
    const { url } = await sent(stage, body, name);
    const { headers } = await stage.send("GET", url);
    expect({ type: headers["content-type"], disposition: headers["content-disposition"] }).toEqual({
      type,
      disposition: `${disposition}; filename="${name}"`,
    });
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });

  test("names a file in any script", async () => {
    const stage = await openForms();
    const { url } = await sent(stage, letters, "Größe 猫.txt");
    const header = String((await stage.send("GET", url)).headers["content-disposition"]);
    expect(header).toContain(`filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E7%8C%AB.txt`);
    expect(header).toMatch(/^inline; filename="[\x20-\x7e]+"; /);
  });

  test("of one that is empty", async () => {
    const stage = await openForms();
    const { url } = await sent(stage, "");
    const { status, headers } = await stage.send("GET", url);
    expect({ status, length: headers["content-length"] }).toEqual({ status: 200, length: "0" });
  });
});

describe("nobody reads", () => {
  const missing = { status: 404, code: "NOT_FOUND" };
  const get = async (stage: UploadStage, path: string, headers = {}) => {
    const { status, json } = await stage.send("GET", path, { headers });
    return { status, code: json.code };
  };

  test("what is not there, and what is not ready", async () => {
    const stage = await openForms({ uploads: { checks: [{ name: "human", needs: "file", run: async () => ({ verdict: "defer" }) }] } });
    for (const id of ["0".repeat(32), "x", "..%2F..", "%00"]) {
      expect(await get(stage, `/files/${id}`)).toEqual(missing);
      expect(await get(stage, `/files/public/${id}`)).toEqual(missing);
    }
    const begun = await stage.create(10);
    expect(await get(stage, `/files/${begun.slice("/uploads/".length)}`)).toEqual(missing);
    const { json } = await stage.send("POST", "/uploads", { body: letters });
    expect(json).toMatchObject({ status: "processing" });
    expect(json).not.toHaveProperty("url");
    for (const path of [`/files/${json.id}`, `/files/public/${json.id}`]) expect(await get(stage, path)).toEqual(missing);
  });

  test("a file of somebody else's, or of another tenant's, and cannot tell it from none", async () => {
    const stage = await openForms({ auth: [callers], uploads: { isAdmin: ({ id }) => id !== "bo" } });
    const { url, id } = await sent(stage, letters, "a.txt", as("ada"));
    expect((await stage.send("GET", url)).status).toBe(401);
    // Of the tenant, but not its owner; an administrator, but of another tenant.
    for (const caller of ["bo", "cy"]) {
      expect(await get(stage, url, as(caller))).toEqual(missing);
      const [other, none] = [
        await stage.send("GET", url, { headers: as(caller) }),
        await stage.send("GET", `/files/${"0".repeat(32)}`, { headers: as(caller) }),
      ];
      expect(other.json.detail.replace(id, "?")).toBe(none.json.detail.replace("0".repeat(32), "?"));
    }
    expect((await stage.send("GET", url, { headers: as("ada") })).status).toBe(200);
  });

  test("a private file at the address of public ones, or one that was deleted", async () => {
    const stage = await openForms();
    const { url, id } = await sent(stage, letters);
    expect(await get(stage, `/files/public/${id}`)).toEqual(missing);
    await stage.send("DELETE", `/uploads/${id}`);
    expect(await get(stage, url)).toEqual(missing);
  });
});

describe("a signed address", () => {
  async function signed() {
    const clock = new FakeClock(Date.parse("2026-01-01T00:00:00Z"));
    const stage = await openForms({ auth: [callers], clock, blobs: memoryBlobs({ clock }) });
    const own = await sent(stage, letters, "a.txt", as("ada"));
    const other = await sent(stage, "other", "b.txt", as("bo"));
    const status = async (url: string, method = "GET") => (await stage.send(method, url)).status;
    return { stage, clock, own, other, status, url: String(own.signedUrl) };
  }

  test("lets whoever has it read the file, with ranges, for ten to fifteen minutes", async () => {
    const { stage, clock, url, status } = await signed();
    expect([await status(url), await status(url, "HEAD")]).toEqual([200, 200]);
    expect((await stage.send("GET", url, { headers: { range: "bytes=0-1" } })).text).toBe("ab");
    clock.advance(600_000);
    expect(await status(url)).toBe(200);
    clock.advance(299_999);
    expect(await status(url)).toBe(200);
    clock.advance(1);
    const { status: over, json } = await stage.send("GET", url);
    expect({ over, code: json.code }).toEqual({ over: 403, code: "INVALID_SIGNATURE" });
  });

  test("is of no use when anything of it was changed", async () => {
    const { own, other, url, status } = await signed();
    const [path = "", query = ""] = url.split("?");
    const changed = [
      `${path.replace(own.id, other.id)}?${query}`,
      `${path.replace("/files/", "/files/public/")}?${query}`,
      `${path}?${query.replace(/e=(\d+)/, (_, e) => `e=${Number(e) + 1}`)}`,
      `${path}?${query.replace(/s=(.)/, (_, s) => `s=${s === "A" ? "B" : "A"}`)}`,
      `${path}?${query.replace(/k=[^&]*/, "k=AAAAAAAA")}`,
      `${path}?${query}&download=1`,
      `${path}?${query}&${query}`,
      `${path}?${query.replace(/&s=.*/, "&s=")}`,
      `/files/${"0".repeat(32)}?${query}`,
      `${path}?${String(other.signedUrl).split("?")[1]}`,
    ];
    const answers = await Promise.all(changed.map((each) => status(each)));
    // The address of public files has no parameters.
    expect(answers).toEqual([403, 400, 403, 403, 403, 403, 403, 403, 403, 403]);
    expect(await status(path)).toBe(401);
    expect(await status(url, "DELETE")).toBe(405);
  });

  test("is of no use when the file is gone", async () => {
    const { stage, own, url, status } = await signed();
    await stage.send("DELETE", `/uploads/${own.id}`, { headers: as("ada") });
    expect(await status(url)).toBe(403);
  });
});

describe("a public file", () => {
  test("is read without credentials, and kept by caches: its bytes never change", async () => {
    const stage = await openForms({ form: { visibility: "public" }, auth: [callers] });
    const { json } = await stage.post(formData(["f", "dot.png", dot]), as("ada"));
    expect(json.url).toBe(`/files/public/${json.id}`);
    expect(json).not.toHaveProperty("signedUrl");
    const { status, headers, bytes } = await stage.send("GET", json.url);
    expect([status, bytes.equals(dot)]).toEqual([200, true]);
    expect(headers["cache-control"]).toBe("public, max-age=86400, immutable");
    expect(headers["vary"] ?? "").not.toContain("Authorization");
    expect((await stage.send("GET", json.url, { headers: { "if-none-match": headers.etag } })).headers["cache-control"]).toBe(
      headers["cache-control"],
    );
    expect((await stage.send("GET", json.url, { headers: { authorization: "Bearer nobody" } })).status).toBe(200);
  });

  test.each([
    [31_536_000, "public, max-age=31536000, immutable"],
    [0, "public, no-cache"],
  ])("is kept for publicMaxAgeSeconds: %d", async (publicMaxAgeSeconds, expected) => {
    const stage = await openForms({ uploads: { publicMaxAgeSeconds }, form: { visibility: "public" }, auth: [callers] });
    const { json } = await stage.post(formData(["f", "dot.png", dot]), as("ada"));
    for (const headers of [{}, { range: "bytes=0-1" }, { "if-none-match": `"${json.sha256}"` }]) {
      expect((await stage.send("GET", json.url, { headers })).headers["cache-control"]).toBe(expected);
    }
    expect((await stage.send("GET", json.url, { headers: { range: "bytes=9999-" } })).headers["cache-control"]).toBe("no-store");
  });

  test("that is private is kept by nobody else", async () => {
    const stage = await openForms({ auth: [callers] });
    const { url, signedUrl } = await sent(stage, letters, "a.txt", as("ada"));
    for (const each of [await stage.send("GET", url, { headers: as("ada") }), await stage.send("GET", signedUrl)]) {
      expect(each.headers["cache-control"]).toMatch(/^private/);
    }
  });
});

test("who has a signed address is not judged by who they are, and everybody else is", async () => {
  const asked: string[] = [];
  const own = await uploadStage({
    auth: [callers],
    authorize: ({ principal, action, collection }) => {
      asked.push(`${principal.id} ${action} ${collection}`);
      return principal.id === "ada";
    },
  });
  const { json } = await own.send("POST", "/uploads", { headers: as("ada"), body: "hello" });
  asked.length = 0;
  expect((await own.send("GET", json.signedUrl)).text).toBe("hello");
  expect(asked).toEqual([]);
  expect((await own.send("GET", json.url, { headers: as("ada") })).text).toBe("hello");
  expect((await own.send("GET", json.url, { headers: as("bo") })).status).toBe(403);
  expect(asked).toEqual(["ada read files", "bo read files"]);
  await own.close();
});
