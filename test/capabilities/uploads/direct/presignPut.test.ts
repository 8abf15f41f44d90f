// @long

import { type FileCheck, pass, reject } from "restwright/checks";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { faultyBlobs, faultyStorage } from "restwright/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../../tools/eventually.js";
import { uploadPlaces } from "../places.js";
import { as, type Sent } from "../stage.js";
import { announced, greeting, presignStage, sha256Of } from "./presignStage.js";

type Stage = Awaited<ReturnType<typeof presignStage>>;

const others: Stage[] = [];
afterEach(async () => {
  for (const stage of others.splice(0)) await stage.close();
});
async function open(...options: Parameters<typeof presignStage>): Promise<Stage> {
  const stage = await presignStage(...options);
  others.push(stage);
  return stage;
}

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

describe.each(uploadPlaces)("%s", (_, openPlace) => {
  let place: Awaited<ReturnType<typeof openPlace>>;
  let stage: Stage;
  beforeAll(async () => {
    place = await openPlace();
    stage = await presignStage({ ...place.stores(), secrets: ["one secret of many bytes"] });
  });
  afterAll(async () => {
    expect(stage.faults).toEqual([]);
    await stage.close();
    await place.remove();
  });

  /** A request for an upload whose file has begun to come, as the service knows by now. */
  const begin = async ({ id, uploadUrl }: { readonly id: string; readonly uploadUrl: string }, body: string) => {
    const headers = { "content-type": "text/plain", "content-length": 5, connection: "close" };
    const begun = await stage.begin("PUT", uploadUrl, headers, Buffer.from(body));
    await eventually(async () => expect((await stage.keys()).some((key) => key.includes(id))).toBe(true));
    return begun;
  };

  const flipped = (url: string, name: string) =>
    url.replace(new RegExp(`([?&]${name}=)(.)`), (_all, before: string, first: string) => before + (first === "1" ? "2" : "1"));
  const tampering: readonly (readonly [string, (url: string) => string])[] = [
    ["another expiry", (url) => url.replace(/e=(\d+)/, (_all, e: string) => `e=${Number(e) + 1}`)],
    ["the same expiry in another spelling", (url) => url.replace("e=", "e=0")],
    ["another key", (url) => flipped(url, "k")],
    ["another signature", (url) => flipped(url, "s")],
    ["a shorter signature", (url) => url.slice(0, -1)],
    ["a padded signature", (url) => `${url}=`],
    ["no query", (url) => url.slice(0, url.indexOf("?"))],
    ["no expiry", (url) => url.replace(/e=\d+&/, "")],
    ["no key", (url) => url.replace(/k=[^&]+&/, "")],
    ["no signature", (url) => url.replace(/&s=.+$/, "")],
    ["the expiry twice", (url) => url.replace(/(e=\d+)/, "$1&$1")],
    ["another expiry appended", (url) => `${url}&e=9999999999`],
    ["the signature twice", (url) => `${url}&${url.slice(url.indexOf("s="))}`],
    ["a size appended", (url) => `${url}&n=6`],
    ["a parameter appended", (url) => `${url}&x=1`],
    ["an empty parameter appended", (url) => `${url}&`],
    ["a parameter in front", (url) => url.replace("?", "?x=1&")],
    ["an encoded parameter", (url) => url.replace("?e=", "?%65=")],
  ];

  test.each(tampering)("an address with %s takes nothing", async (_name, tamper) => {
    const { json } = await stage.presign();
    const address = tamper(json.uploadUrl);
    expect(address).not.toBe(json.uploadUrl);
    expect((await stage.put(address)).json).toMatchObject({ status: 403, code: "INVALID_SIGNATURE" });
    expect((await stage.get(`/uploads/${json.id}`)).json).toMatchObject({ status: "uploading", size: 5 });
    expect((await stage.put(json.uploadUrl)).status).toBe(201);
  });

  test("an address is for one upload, of one owner, and for PUT alone", async () => {
    const [mine, hers] = [(await stage.presign()).json, (await stage.presign({}, "bo")).json];
    const query = mine.uploadUrl.slice(mine.uploadUrl.indexOf("?"));
    for (const id of [hers.id, "0".repeat(32), "nothing", `${mine.id}%20`])
      expect((await stage.put(`/uploads/direct/${id}${query}`)).json).toMatchObject({ status: 403, code: "INVALID_SIGNATURE" });
    for (const method of ["GET", "POST", "PATCH", "DELETE"]) expect((await stage.send(method, mine.uploadUrl)).status).toBe(405);
    expect((await stage.send("GET", `/files/${mine.id}${query}`)).json).toMatchObject({ status: 403, code: "INVALID_SIGNATURE" });
    expect((await stage.put(`/uploads/${mine.id}${query}`)).status).toBe(405);
  });

  test("an address ends", async () => {
    const { json } = await stage.presign({ expiresIn: 10 });
    stage.clock.advance(9_000);
    expect((await stage.put(json.uploadUrl, { headers: { "content-type": "x/y" } })).status).toBe(415);
    stage.clock.advance(1_000);
    const { json: problem } = await stage.put(json.uploadUrl);
    expect(problem).toMatchObject({ status: 403, code: "INVALID_SIGNATURE" });
    expect(problem.detail).toContain("was valid until");
  });

  test.each<{ name: string; sent: Sent; expected: object }>([
    { name: "without a length", sent: { chunked: true }, expected: { status: 411, code: "LENGTH_REQUIRED" } },
    { name: "that is longer", sent: { body: "hello!" }, expected: { status: 413, code: "FILE_TOO_LARGE", limit: 5 } },
    { name: "that is shorter", sent: { body: "hell" }, expected: { status: 413, code: "FILE_TOO_LARGE", limit: 5 } },
    {
      name: "of another type",
      sent: { headers: { "content-type": "text/html" } },
      expected: { status: 415, code: "UNSUPPORTED_MEDIA_TYPE", supported: ["text/plain"] },
    },
    { name: "that is coded", sent: { headers: { "content-encoding": "gzip" } }, expected: { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" } },
    { name: "of other bytes", sent: { body: "hallo" }, expected: { status: 422, code: "CHECKSUM_MISMATCH" } },
  ])("a body $name is refused, and the right one taken afterwards", async ({ sent, expected }) => {
    const { json } = await stage.presign({ sha256: sha256Of(greeting) });
    const before = await stage.keys();
    expect((await stage.put(json.uploadUrl, sent)).json).toMatchObject(expected);
    expect(await stage.keys()).toEqual(before);
    expect((await stage.put(json.uploadUrl)).status).toBe(201);
    expect((await stage.get(json.fileUrl)).text).toBe("hello");
  });

  test("a body without a type is refused", async () => {
    const { json } = await stage.presign();
    const { json: problem } = await stage.send("PUT", json.uploadUrl, { body: greeting });
    expect(problem).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
  });

  test("an address is good for one file", async () => {
    const { json } = await stage.presign();
    expect((await stage.put(json.uploadUrl)).status).toBe(201);
    for (const body of ["hello", "hallo"])
      expect((await stage.put(json.uploadUrl, { body })).json).toMatchObject({ status: 409, code: "ALREADY_UPLOADED" });
    expect((await stage.get(json.fileUrl)).text).toBe("hello");
    expect((await stage.keys()).filter((key) => key.includes(json.id))).toHaveLength(1);
  });

  test("what breaks off leaves nothing, and can be sent again", async () => {
    const { json } = await stage.presign();
    const begun = await begin(json, "hel");
    begun.socket.destroy();
    await begun.answered;
    expect((await stage.put(json.uploadUrl)).status).toBe(201);
    expect((await stage.get(json.fileUrl)).text).toBe("hello");
  });

  test("of two bodies at once the later counts, and the earlier hears of it", async () => {
    const { json } = await stage.presign();
    const first = await begin(json, "hal");
    expect((await stage.put(json.uploadUrl)).status).toBe(201);
    await first.write(Buffer.from("lo"));
    const answer = await first.answered;
    expect(answer).toMatch(/^HTTP\/1\.1 409 /);
    expect(answer).toContain("UPLOAD_INTERRUPTED");
    expect((await stage.get(json.fileUrl)).text).toBe("hello");
  });

  test("of many at once one is taken", async () => {
    const { json } = await stage.presign();
    const bodies = ["aaaaa", "bbbbb", "ccccc", "ddddd", "eeeee"];
    const answers = await Promise.all(bodies.map((body) => stage.put(json.uploadUrl, { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const taken = bodies[answers.findIndex(({ status }) => status === 201)];
    expect((await stage.get(json.fileUrl)).text).toBe(taken);
    expect((await stage.keys()).filter((key) => key.includes(json.id))).toHaveLength(1);
  });

  test("of two in two processes the one that is whole first is taken", async () => {
    const other = await open({ ...place.stores(), secrets: ["one secret of many bytes"] }, stage.clock);
    const { json } = await stage.presign();
    const first = await begin(json, "hal");
    // The other process knows nothing of it.
    expect((await other.put(json.uploadUrl)).status).toBe(201);
    await first.write(Buffer.from("lo"));
    expect(await first.answered).toContain("ALREADY_UPLOADED");
    expect((await other.get(json.fileUrl)).text).toBe("hello");
    expect((await stage.keys()).filter((key) => key.includes(json.id))).toHaveLength(1);
  });

  test("an upload can be deleted while its file comes", async () => {
    const { json } = await stage.presign();
    const begun = await begin(json, "hel");
    expect((await stage.send("DELETE", `/uploads/${json.id}`, { headers: as("ada") })).status).toBe(204);
    expect(await begun.answered).toContain("409");
    expect((await stage.put(json.uploadUrl)).json).toMatchObject({ status: 410, code: "GONE" });
    expect((await stage.keys()).filter((key) => key.includes(json.id))).toEqual([]);
  });

  test("looking at an upload does not disturb who sends it", async () => {
    const { json } = await stage.presign();
    const begun = await begin(json, "hel");
    const head = await stage.send("HEAD", `/uploads/${json.id}`, { headers: as("ada") });
    expect({ status: head.status, offset: head.headers["upload-offset"], length: head.headers["upload-length"] }).toEqual({
      status: 200,
      offset: "0",
      length: "5",
    });
    expect((await stage.post(`/uploads/${json.id}/complete`)).json).toMatchObject({ status: 409, code: "UPLOAD_INCOMPLETE" });
    expect((await stage.patch(`/uploads/${json.id}`, 0, "hallo", as("ada"))).json).toMatchObject({ status: 403, code: "FORBIDDEN" });
    await begun.write(Buffer.from("lo"));
    expect(await begun.answered).toMatch(/^HTTP\/1\.1 201 /);
    expect((await stage.post(`/uploads/${json.id}/complete`)).json).toMatchObject({ status: "ready", size: 5 });
  });
});

test("a file is judged when its bytes are there", async () => {
  const stage = await open({ uploads: { types: ["image/png"] } });
  const image = { filename: "a.png", contentType: "image/png" };
  const sent = { headers: { "content-type": "image/png" } };
  const good = (await stage.presign({ ...image, size: png.length })).json;
  expect((await stage.put(good.uploadUrl, { ...sent, body: png })).status).toBe(201);
  expect((await stage.get(`/uploads/${good.id}`)).json).toMatchObject({ contentType: "image/png", image: { width: 1, height: 1 } });
  for (const size of [5, 300_000]) {
    const bad = (await stage.presign({ ...image, size })).json;
    const { json } = await stage.put(bad.uploadUrl, { ...sent, body: Buffer.alloc(size, "x") });
    expect(json).toMatchObject({ status: 415, code: "TYPE_NOT_ALLOWED", allowed: ["image/png"] });
    expect((await stage.get(`/uploads/${bad.id}`)).json).toMatchObject({ status: "rejected", error: { code: "TYPE_NOT_ALLOWED" } });
    expect((await stage.put(bad.uploadUrl, { ...sent, body: Buffer.alloc(size, "x") })).json.code).toBe("ALREADY_UPLOADED");
    expect((await stage.get(bad.fileUrl)).status).toBe(404);
  }
  expect(await stage.keys()).toHaveLength(1);
  expect(await stage.use()).toEqual({ open: 0, bytes: png.length });
});

test("the head of a file is judged before the rest has come", async () => {
  const stage = await open({ uploads: { types: ["image/png"] } });
  const { json } = await stage.presign({ filename: "a.png", contentType: "image/png", size: 10_000_000 });
  const begun = await stage.begin("PUT", json.uploadUrl, { "content-type": "image/png", "content-length": 10_000_000 }, Buffer.alloc(70_000, "x"));
  const answer = await new Promise<string>((resolve) => begun.socket.once("data", (chunk: Buffer) => resolve(chunk.toString())));
  expect(answer).toMatch(/^HTTP\/1\.1 415 /);
  begun.socket.destroy();
});

test("a file that a check rewrites is kept as the check wants it", async () => {
  const shout: FileCheck = { name: "shout", needs: "file", rewrites: true, run: async () => ({ verdict: "replace", bytes: Buffer.from("HELLO!") }) };
  const stage = await open({ uploads: { checks: [shout] } });
  const { json } = await stage.presign();
  const put = await stage.put(json.uploadUrl);
  expect({ status: put.status, etag: put.headers["etag"] }).toEqual({ status: 201, etag: `"${sha256Of("HELLO!")}"` });
  expect((await stage.get(json.fileUrl)).text).toBe("HELLO!");
  expect(await stage.keys()).toHaveLength(1);
  expect(await stage.use()).toEqual({ open: 0, bytes: 6 });
});

test("a file that is judged later is answered 202, and is there once it was", async () => {
  let verdict: Awaited<ReturnType<FileCheck["run"]>> = { verdict: "defer" };
  const stage = await open({ uploads: { checks: [{ name: "slow", needs: "file", run: async () => verdict }] } });
  const { json } = await stage.presign();
  const put = await stage.put(json.uploadUrl);
  expect({ status: put.status, location: put.headers.location }).toEqual({ status: 202, location: `/uploads/${json.id}` });
  expect((await stage.get(json.fileUrl)).status).toBe(404);
  const complete = await stage.post(`/uploads/${json.id}/complete`);
  expect({ status: complete.status, json: complete.json.status }).toEqual({ status: 202, json: "processing" });
  verdict = pass;
  stage.clock.advance(60_000);
  expect(await stage.sweep()).toBe(0);
  stage.clock.advance(3_000);
  expect(await stage.sweep()).toBe(1);
  expect((await stage.get(json.fileUrl)).text).toBe("hello");
});

test("a scanner that is down is 503; the bytes stay, and are judged again", async () => {
  let isDown = true;
  const scan: FileCheck = { name: "scan", needs: "file", run: async () => (isDown ? reject("SCAN_UNAVAILABLE", "The scanner is down.") : pass) };
  const stage = await open({ uploads: { checks: [scan] } });
  const { json } = await stage.presign();
  expect((await stage.put(json.uploadUrl)).json).toMatchObject({ status: 503, code: "SCAN_UNAVAILABLE" });
  isDown = false;
  stage.clock.advance(60_000);
  expect(await stage.sweep()).toBe(0);
  stage.clock.advance(3_000);
  expect(await stage.sweep()).toBe(1);
  expect((await stage.get(json.fileUrl)).text).toBe("hello");
});

test("secrets can be changed while addresses are on their way", async () => {
  const [storage, blobs] = [memoryStorage(), memoryBlobs()];
  const before = await open({ storage, blobs, secrets: ["an older secret of ours"] });
  const { json } = await before.presign();
  const without = await open({ storage, blobs, secrets: ["a newer secret of ours!"] }, before.clock);
  expect((await without.put(json.uploadUrl)).json.code).toBe("INVALID_SIGNATURE");
  const after = await open({ storage, blobs, secrets: ["a newer secret of ours!", "an older secret of ours"] }, before.clock);
  expect((await after.put(json.uploadUrl)).status).toBe(201);
});

test("an upload is its owner's to see, to complete and to delete", async () => {
  const stage = await open({ uploads: { isAdmin: ({ id }) => id === "bo" } });
  const { json } = await stage.presign();
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/complete"],
    ["GET", "/parts"],
  ] as const) {
    const { status } = await stage.send(method, `/uploads/${json.id}${path}`, { headers: as("cy") });
    expect(`${method} ${path} ${status}`).toBe(`${method} ${path} 404`);
  }
  expect((await stage.post(`/uploads/${json.id}/complete`, undefined, "bo")).json.code).toBe("UPLOAD_INCOMPLETE");
  expect((await stage.get(`/uploads/${json.id}/parts`)).json).toMatchObject({ status: 409, code: "CONFLICT" });
});

test("a process that dies at any call leaves an upload that can be sent again, or is a file", async () => {
  for (const how of ["before", "after"] as const) {
    for (let dieAfter = 1, isOver = false; !isOver; dieAfter += 1) {
      const [storage, blobs] = [memoryStorage(), memoryBlobs()];
      const sound = await open({ storage, blobs, secrets: ["one secret of many bytes"] });
      const { json } = await sound.presign();
      const dying = faultyStorage(storage, { dieAfter, how });
      const stage = await open({ storage: dying, blobs: faultyBlobs(blobs, dying), secrets: ["one secret of many bytes"] }, sound.clock);
      const { status } = await stage.put(json.uploadUrl);
      isOver = !dying.dead;
      expect(status, `${how} ${dieAfter}`).toBe(isOver ? 201 : 500);
      const again = await sound.put(json.uploadUrl);
      if (again.status !== 201) {
        expect(again.json.code, `${how} ${dieAfter}`).toBe("ALREADY_UPLOADED");
        sound.clock.advance(600_000);
        await sound.sweep();
      }
      expect((await sound.get(json.fileUrl)).text, `${how} ${dieAfter}`).toBe("hello");
      expect(await sound.use()).toEqual({ open: 0, bytes: 5 });
      sound.clock.advance(25 * 3_600_000);
      await sound.sweepOrphans();
      expect(await sound.keys(), `${how} ${dieAfter}`).toHaveLength(1);
      expect((await sound.get(json.fileUrl)).text, `${how} ${dieAfter}`).toBe("hello");
      expect(dieAfter).toBeLessThan(50);
    }
  }
});

test("names and what else was announced cannot be changed by who sends", async () => {
  const stage = await open();
  const { json } = await stage.presign();
  const headers = { "content-disposition": 'attachment; filename="other.html"', "upload-metadata": "filename b3RoZXI=" };
  expect((await stage.put(json.uploadUrl, { headers })).status).toBe(201);
  expect((await stage.get(`/uploads/${json.id}`)).json).toMatchObject({ filename: announced.filename, declaredContentType: announced.contentType });
});
