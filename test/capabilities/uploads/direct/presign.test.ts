import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { as } from "../stage.js";
import { announced, greeting, presignStage, sha256Of } from "./presignStage.js";

let stage: Awaited<ReturnType<typeof presignStage>>;
beforeAll(async () => {
  stage = await presignStage();
});
afterAll(async () => {
  expect(stage.faults).toEqual([]);
  await stage.close();
});

describe("an address", () => {
  test("is signed for a file that was announced, and takes it without credentials", async () => {
    const { status, headers, json } = await stage.presign();
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      uploadUrl: expect.stringMatching(new RegExp(`^/uploads/direct/${json.id}\\?e=\\d+&k=[\\w-]+&s=[\\w-]{43}$`)),
      method: "PUT",
      headers: { "Content-Type": "text/plain" },
      expiresIn: 900,
      expiresAt: new Date((Math.floor(stage.clock.now() / 1_000) + 900) * 1_000).toISOString(),
      fileUrl: `/files/${json.id}`,
    });
    expect(headers).toMatchObject({ location: `/uploads/${json.id}`, "cache-control": "no-store" });
    const before = await stage.get(json.fileUrl);
    expect(before.status).toBe(404);
    const put = await stage.put(json.uploadUrl);
    expect({ status: put.status, text: put.text }).toEqual({ status: 201, text: "" });
    expect(put.headers).toMatchObject({ etag: `"${sha256Of(greeting)}"`, location: `/uploads/${json.id}` });
    const file = await stage.get(json.fileUrl);
    expect({ status: file.status, text: file.text, etag: file.headers.etag }).toEqual({ status: 200, text: "hello", etag: put.headers.etag });
    expect(file.headers["content-disposition"]).toContain("greeting.txt");
    expect((await stage.get(`/uploads/${json.id}`)).json).toMatchObject({ status: "ready", size: 5, sha256: sha256Of(greeting) });
  });

  test("begins with the base address where there is one", async () => {
    const based = await presignStage({ baseUrl: "https://api.example.com/v1/" });
    const { json, headers } = await based.presign();
    expect(json.uploadUrl).toMatch(/^https:\/\/api\.example\.com\/v1\/uploads\/direct\//);
    expect(json.fileUrl).toBe(`https://api.example.com/v1/files/${json.id}`);
    expect(headers.location).toBe(`https://api.example.com/v1/uploads/${json.id}`);
    expect((await based.put(json.uploadUrl.slice("https://api.example.com/v1".length))).status).toBe(201);
    await based.close();
  });

  test("is good for as long as the client asks for, and for what the options say otherwise", async () => {
    const short = await presignStage({ uploads: { presignSeconds: 60 } });
    expect((await short.presign()).json.expiresIn).toBe(60);
    const { json } = await short.presign({ expiresIn: 604_800 });
    expect(json.expiresIn).toBe(604_800);
    expect(Date.parse(json.expiresAt) - short.clock.now()).toBeGreaterThan(604_798_000);
    await short.close();
    for (const presignSeconds of [0, 1.5, 604_801, Number.NaN])
      await expect(presignStage({ uploads: { presignSeconds } })).rejects.toThrow("presignSeconds");
  });

  test("is the same for a request that is repeated under its key", async () => {
    const headers = { ...as("ada"), "content-type": "application/json", "idempotency-key": "presign-this-once" };
    const before = await stage.use();
    const [first, second] = [
      await stage.send("POST", "/uploads/presign", { headers, body: JSON.stringify(announced) }),
      await stage.send("POST", "/uploads/presign", { headers, body: JSON.stringify(announced) }),
    ];
    expect(second.json).toEqual(first.json);
    expect((await stage.use())?.open).toBe((before?.open ?? 0) + 1);
    expect((await stage.put(second.json.uploadUrl)).status).toBe(201);
  });

  test("takes an empty file", async () => {
    const { json } = await stage.presign({ size: 0 });
    expect((await stage.put(json.uploadUrl, { body: "" })).status).toBe(201);
    expect((await stage.get(json.fileUrl)).headers["content-length"]).toBe("0");
  });

  test("takes a file that is larger than its head, of which a checksum was announced", async () => {
    const bytes = Buffer.alloc(300_000, "0123456789abcdef");
    const { json } = await stage.presign({ size: bytes.length, sha256: sha256Of(bytes).toUpperCase() });
    expect((await stage.put(json.uploadUrl, { body: bytes })).status).toBe(201);
    expect((await stage.get(json.fileUrl)).bytes.equals(bytes)).toBe(true);
  });

  test("does not mind parameters of the type", async () => {
    const { json } = await stage.presign();
    expect((await stage.put(json.uploadUrl, { headers: { "content-type": "Text/Plain; charset=UTF-8" } })).status).toBe(201);
  });
});

describe("a request for an address", () => {
  const problem = (pointer: string, code = "INVALID_VALUE") => ({ status: 422, code: "VALIDATION_FAILED", errors: [{ pointer, code }] });
  test.each<{ name: string; body: unknown; expected: object }>([
    ...["filename", "contentType", "size"].map((name) => ({
      name: `without "${name}"`,
      body: { ...announced, [name]: undefined },
      expected: problem(`/${name}`),
    })),
    { name: "with a member that nobody knows", body: { ...announced, fileName: "a" }, expected: problem("/fileName", "UNKNOWN_FIELD") },
    { name: "that is no object", body: [announced], expected: problem("") },
    { name: "with a name that is no text", body: { ...announced, filename: 7 }, expected: problem("/filename") },
    { name: "with an empty name", body: { ...announced, filename: "" }, expected: problem("/filename") },
    ...["", "text", "text/plain\r\nx: y", "täxt/plain", 7, null].map((contentType) => ({
      name: `with the type ${JSON.stringify(contentType)}`,
      body: { ...announced, contentType },
      expected: problem("/contentType"),
    })),
    ...["5", -1, 1.5, 2 ** 53, null].map((size) => ({ name: `with the size ${size}`, body: { ...announced, size }, expected: problem("/size") })),
    ...["", "0".repeat(63), `${"0".repeat(63)}g`, 7].map((sha256) => ({
      name: `with the checksum ${sha256}`,
      body: { ...announced, sha256 },
      expected: problem("/sha256"),
    })),
    ...[0, 604_801, 1.5, "900"].map((expiresIn) => ({
      name: `for ${JSON.stringify(expiresIn)} seconds`,
      body: { ...announced, expiresIn },
      expected: problem("/expiresIn"),
    })),
    { name: "for parts, where the store takes none", body: { ...announced, multipart: true }, expected: problem("/multipart") },
    {
      name: "for more than may be",
      body: { ...announced, size: 5 * 2 ** 30 + 1 },
      expected: { status: 413, code: "FILE_TOO_LARGE", limit: 5 * 2 ** 30 },
    },
  ])("$name is refused", async ({ body, expected }) => {
    const before = await stage.use();
    const { json } = await stage.post("/uploads/presign", body);
    expect(json).toMatchObject(expected);
    expect(await stage.use()).toEqual(before);
  });

  test("says everything that is wrong", async () => {
    const { json } = await stage.post("/uploads/presign", { size: "5", sha: "" });
    expect(json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(["/sha", "/filename", "/contentType", "/size"]);
  });

  test("for a type that is not taken is refused", async () => {
    const images = await presignStage({ uploads: { types: ["image/png"] } });
    for (const changes of [{}, { filename: "a.png" }, { contentType: "image/png" }, { filename: "a.png", contentType: "image/jpeg" }]) {
      const { json } = await images.presign(changes);
      expect(json).toMatchObject({ status: 415, code: "TYPE_NOT_ALLOWED", allowed: ["image/png"] });
    }
    expect(await images.use()).toEqual({ open: 0, bytes: 0 });
    await images.close();
  });

  test("needs credentials, and what is sent must be JSON", async () => {
    const body = JSON.stringify(announced);
    expect((await stage.send("POST", "/uploads/presign", { headers: { "content-type": "application/json" }, body })).status).toBe(401);
    expect((await stage.send("POST", "/uploads/presign", { headers: { ...as("ada"), "content-type": "text/plain" }, body })).status).toBe(415);
    expect((await stage.get("/uploads/presign")).status).toBe(405);
  });

  test("is asked of authorize as any other upload is; whoever has the address is asked nothing", async () => {
    const asked: string[] = [];
    const guarded = await presignStage({
      authorize: ({ principal, action, collection }) => {
        asked.push(`${principal.id} ${action} ${collection}`);
        return principal.id === "ada";
      },
    });
    expect((await guarded.presign({}, "bo")).status).toBe(403);
    const { json } = await guarded.presign();
    expect((await guarded.put(json.uploadUrl)).status).toBe(201);
    expect(asked).toEqual(["bo create uploads", "ada create uploads"]);
    await guarded.close();
  });
});

describe("quotas", () => {
  test("are reserved with the address, and given back with what does not come", async () => {
    const small = await presignStage({ uploads: { quotaBytes: 10 } });
    const first = await small.presign();
    expect(await small.use()).toEqual({ open: 1, bytes: 5 });
    expect((await small.presign({ size: 6 })).json).toMatchObject({
      status: 413,
      code: "QUOTA_EXCEEDED",
      quota: { limit: 10, used: 5, remaining: 5, requested: 6 },
    });
    expect((await small.presign({ size: 6 }, "bo")).status).toBe(201);
    expect((await small.put(first.json.uploadUrl)).status).toBe(201);
    expect(await small.use()).toEqual({ open: 0, bytes: 5 });
    const second = await small.presign();
    expect((await small.send("DELETE", `/uploads/${second.json.id}`, { headers: as("ada") })).status).toBe(204);
    expect(await small.use()).toEqual({ open: 0, bytes: 5 });
    expect((await small.put(second.json.uploadUrl)).json).toMatchObject({ status: 410, code: "GONE" });
    const third = await small.presign();
    small.clock.advance(900_000 + 3_599_000);
    expect(await small.sweep()).toBe(0);
    small.clock.advance(1_000);
    expect(await small.sweep()).toBeGreaterThan(0);
    expect(await small.use()).toEqual({ open: 0, bytes: 5 });
    expect((await small.get(`/uploads/${third.json.id}`)).json.code).toBe("GONE");
    expect(await small.keys()).toHaveLength(1);
    await small.close();
  });

  test("hold for uploads that are open", async () => {
    const few = await presignStage({ uploads: { maxOpen: 1 } });
    expect((await few.presign()).status).toBe(201);
    expect((await few.presign()).json).toMatchObject({ code: "QUOTA_EXCEEDED" });
    await few.close();
  });
});
