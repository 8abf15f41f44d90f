import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { defineResource } from "restwright";
import { reject } from "restwright/checks";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import type { ReadyFile } from "restwright/uploads";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { needs } from "../../../tools/engines.js";
import { fullService } from "../../../tools/fullService.js";
import { leftOf, nothing } from "../left.js";
import { formOf, partOf } from "../multipart/forms.js";
import { as, callers } from "../stage.js";
import { dot, formData, openForms } from "./formStage.js";

const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");
const multipart = { "content-type": "multipart/form-data; boundary=b" };

describe("a form", () => {
  test("with one file is answered with it, and where it is", async () => {
    const stage = await openForms({ form: { types: ["image/png"] } });
    const { status, headers, json } = await stage.post(formData(["photo", "dot.png", dot]));
    expect(status).toBe(201);
    expect(json).toMatchObject({
      field: "photo",
      filename: "dot.png",
      contentType: "image/png",
      declaredContentType: "application/octet-stream",
      size: dot.length,
      sha256: sha256(dot),
      status: "ready",
      image: { width: 1, height: 1 },
      url: `/files/${json.id}`,
    });
    expect(json).not.toHaveProperty("fields");
    expect(headers.get("location")).toBe(json.url);
    expect((await stage.send("GET", json.url)).bytes.equals(dot)).toBe(true);
  });

  test("with one file and fields is answered with the file, and the fields in it", async () => {
    const stage = await openForms();
    const { status, headers, json } = await stage.post(
      formData(["title", "Sea"], ["tag", "a"], ["f", "a.txt", "hello"], ["tag", "b"], ["__proto__", "x"]),
    );
    expect({ status, location: headers.get("location") }).toEqual({ status: 201, location: json.url });
    expect(JSON.stringify(json.fields)).toBe('{"title":"Sea","tag":["a","b"],"__proto__":"x"}');
    expect((await stage.send("GET", json.url)).text).toBe("hello");
  });

  test("with several files is answered with all of them in their order, and its fields", async () => {
    const stage = await openForms();
    const { status, headers, json } = await stage.post(formData(["a", "1.txt", "one"], ["title", "Sea"], ["b", "2.txt", "two"], ["a", "3.txt", ""]));
    expect({ status, location: headers.get("location"), fields: json.fields }).toEqual({ status: 201, location: null, fields: { title: "Sea" } });
    expect(json.files.map(({ field, filename, size }: Record<string, unknown>) => [field, filename, size])).toEqual([
      ["a", "1.txt", 3],
      ["b", "2.txt", 3],
      ["a", "3.txt", 0],
    ]);
    for (const [index, text] of ["one", "two", ""].entries()) expect((await stage.send("GET", json.files[index].url)).text).toBe(text);
    expect(await leftOf(stage)).toMatchObject({ records: [], use: { open: 0, bytes: 6 } });
  });

  test("may be public where other files are not", async () => {
    const stage = await openForms({ form: { visibility: "public" }, auth: [callers] });
    const { json } = await stage.post(formData(["f", "a.txt", "hello"]), as("ada"));
    expect(json).toMatchObject({ url: `/files/public/${json.id}` });
    expect((await stage.send("GET", json.url)).text).toBe("hello");
  });

  test("is taken from a caller who may, and from no other", async () => {
    const asked: unknown[] = [];
    const stage = await openForms({
      auth: [callers],
      authorize: ({ action, collection, principal }) => {
        asked.push([action, collection]);
        return principal.id === "ada";
      },
    });
    const form = () => formData(["f", "a.txt", "hello"]);
    expect((await stage.post(form())).status).toBe(401);
    expect((await stage.post(form(), as("bo"))).status).toBe(403);
    expect((await stage.post(form(), as("ada"))).status).toBe(201);
    expect(asked).toEqual([
      ["create", "avatars"],
      ["create", "avatars"],
    ]);
  });

  test("is told of to the developer, file by file, once all are there", async () => {
    const heard: ReadyFile[] = [];
    const stage = await openForms({ uploads: { onReady: (file) => void heard.push(file) } });
    await stage.post(formData(["a", "1.txt", "one"], ["b", "2.txt", "two"]));
    expect(heard).toMatchObject([
      { form: "avatars", field: "a", filename: "1.txt", size: 3 },
      { form: "avatars", field: "b", filename: "2.txt", size: 3 },
    ]);
  });

  test("comes from curl", needs("curl"), async () => {
    const stage = await openForms({ form: { types: ["image/png"] } });
    const folder = await mkdtemp(join(tmpdir(), "restwright-curl-"));
    try {
      const path = join(folder, 'dot "1".png');
      await writeFile(path, dot);
      const { stdout } = await promisify(execFile)("/usr/bin/curl", [
        ...["-sS", "-F", "title=Grüße", "-F", `photo=@"${path.replaceAll('"', '\\"')}";type=image/png`],
        `${stage.origin}/avatars`,
      ]);
      expect(JSON.parse(stdout)).toMatchObject({ filename: "dot 1.png", contentType: "image/png", sha256: sha256(dot), fields: { title: "Grüße" } });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("a form is refused, and nothing of it is kept,", () => {
  const file = ["f", "a.txt", "hello"] as const;

  test.each([
    { why: "without a file", form: formData(["title", "Sea"]), status: 422, code: "FILE_REQUIRED" },
    { why: "without the file that it needs", form: formData(["g", "a.txt", "hello"]), status: 422, code: "FILE_REQUIRED" },
    { why: "with a file that nobody asked for", form: formData(file, ["x", "a.txt", "hello"]), status: 400, code: "UNKNOWN_FIELD" },
    { why: "with a field that nobody asked for", form: formData(file, ["role", "admin"]), status: 400, code: "UNKNOWN_FIELD" },
    { why: "with too many files", form: formData(file, file, file, file), status: 413, code: "TOO_MANY_FILES" },
    { why: "with a file that is too large", form: formData(file, ["g", "b.txt", "x".repeat(101)]), status: 413, code: "FILE_TOO_LARGE" },
    { why: "with a file of another type", form: formData(file, ["g", "b.png", dot]), status: 415, code: "TYPE_NOT_ALLOWED" },
    { why: "with a file that says it is another", form: formData(file, ["g", "b.txt", dot]), status: 415, code: "TYPE_NOT_ALLOWED" },
    { why: "with a file that a check refuses", form: formData(file, ["g", "b.txt", "EICAR"]), status: 422, code: "VIRUS_DETECTED" },
  ])("$why", async ({ form, status, code }) => {
    const heard: unknown[] = [];
    const stage = await openForms({
      uploads: { onReady: (ready) => void heard.push(ready) },
      form: {
        types: ["text/plain"],
        fields: ["title"],
        files: ["f", "g"],
        requiredFiles: ["f"],
        limits: { fileBytes: 100, files: 3 },
        checks: [{ name: "eicar", needs: "file", run: async (input) => verdictOn(Buffer.from(await input.readAll(100)).toString()) }],
      },
    });
    const answer = await stage.post(form);
    expect({ status: answer.status, code: answer.json.code, type: answer.headers.get("content-type") }).toEqual({
      status,
      code,
      type: "application/problem+json",
    });
    expect([await leftOf(stage), heard]).toEqual([nothing, []]);
  });

  const verdictOn = (text: string) => (text === "EICAR" ? reject("VIRUS_DETECTED", "It is one.") : ({ verdict: "pass" } as const));

  test("and the problem says for which file", async () => {
    const stage = await openForms({ form: { checks: [{ name: "no", needs: "file", run: async () => reject("VIRUS_DETECTED", "It is one.") }] } });
    expect((await stage.post(formData(["a", "1.txt", "one"]))).json).toMatchObject({ code: "VIRUS_DETECTED", field: "a", filename: "1.txt" });
  });

  test("by its length, before a byte of it is sent", async () => {
    const stage = await openForms({ form: { limits: { requestBytes: 1_000 } } });
    const begun = await stage.begin("POST", "/avatars", { ...multipart, "content-length": 1_001 });
    await begun.endAfterAnswer();
    expect(await begun.answered).toMatch(/^HTTP\/1.1 413 .*TOTAL_TOO_LARGE/s);
  });

  test("by a short file of the wrong type, before the next one is sent", async () => {
    const stage = await openForms({ form: { types: ["image/png"] } });
    const form = Buffer.from(`--b\r\n${partOf('name="a"; filename="a.png"', "no image")}\r\n--b\r\n${partOf('name="b"; filename="b.png"', "…")}`);
    const begun = await stage.begin("POST", "/avatars", { ...multipart, "content-length": 50_000_000 }, form);
    await expect.poll(() => leftOf(stage)).toEqual(nothing);
    await begun.endAfterAnswer();
    expect(await begun.answered).toMatch(/^HTTP\/1.1 415 .*TYPE_NOT_ALLOWED/s);
  });

  test("where the quota is used up on the way, and what was reserved is free again", async () => {
    const stage = await openForms({ uploads: { quotaBytes: 10 } });
    const { status, json } = await stage.post(formData(["a", "1.txt", "123456"], ["b", "2.txt", "12345"]));
    expect({ status, code: json.code, quota: json.quota }).toEqual({
      status: 413,
      code: "QUOTA_EXCEEDED",
      quota: { limit: 10, used: 6, remaining: 4, requested: 5 },
    });
    expect(await leftOf(stage)).toEqual(nothing);
    expect((await stage.post(formData(["a", "1.txt", "123456"], ["b", "2.txt", "1234"]))).status).toBe(201);
  });

  test("where there is no room, however much is still to come", async () => {
    const stage = await openForms({ uploads: { quotaBytes: 1_000 } });
    const head = Buffer.from(`--b\r\n${partOf('name="a"; filename="a"', "x".repeat(2_000))}`);
    const begun = await stage.begin("POST", "/avatars", { ...multipart, "content-length": 50_000_000 }, head);
    await begun.endAfterAnswer();
    expect(await begun.answered).toMatch(/^HTTP\/1.1 413 .*QUOTA_EXCEEDED/s);
    expect(await leftOf(stage)).toEqual(nothing);
  });

  test("where more files would be open than may", async () => {
    const stage = await openForms({ uploads: { maxOpen: 1 } });
    expect((await stage.post(formData(["a", "1.txt", "1"], ["b", "2.txt", "2"]))).json.code).toBe("QUOTA_EXCEEDED");
    expect(await leftOf(stage)).toEqual(nothing);
    expect((await stage.post(formData(["a", "1.txt", "1"]))).status).toBe(201);
  });
});

test("an input in which no file was chosen is no file", async () => {
  const stage = await openForms();
  const empty = partOf('name="b"; filename=""', "", "Content-Type: application/octet-stream");
  const send = (...parts: readonly string[]) => stage.send("POST", "/avatars", { headers: multipart, body: formOf(...parts) });
  expect((await send(empty)).json.code).toBe("FILE_REQUIRED");
  expect((await send(empty, partOf('name="a"; filename="a.txt"', "hello"), empty)).json).toMatchObject({ field: "a", filename: "a.txt" });
  expect((await send(partOf('name="b"; filename=""', "hello"))).json).toMatchObject({ filename: "unnamed", size: 5 });
});

test("exactly at its limits a form is taken", async () => {
  const body = formOf(partOf('name="a"; filename="a"', "12345"), partOf('name="t"', "12"));
  const stage = await openForms({ form: { limits: { fileBytes: 5, fieldBytes: 2, files: 1, fields: 1, requestBytes: body.length } } });
  expect((await stage.send("POST", "/avatars", { headers: multipart, body })).status).toBe(201);
  expect((await stage.send("POST", "/avatars", { headers: multipart, body, chunked: true })).status).toBe(201);
});

describe("under a key", () => {
  const key = { "idempotency-key": "9b1c1c60-0f0c-4b7e-8b86-000000000003" };

  test("a form is taken once, whatever its boundary", async () => {
    const stage = await openForms();
    const form = () => formData(["a", "1.txt", "one"], ["title", "Sea"]);
    const [first, again] = [await stage.post(form(), key), await stage.post(form(), key)];
    expect([first.status, again.status, again.json]).toEqual([201, 201, first.json]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await leftOf(stage)).toMatchObject({ keys: [expect.any(String)], records: [], use: { open: 0, bytes: 3 } });
  });

  test.each([
    { other: "content", form: formData(["a", "1.txt", "two"], ["title", "Sea"]) },
    { other: "field", form: formData(["b", "1.txt", "one"], ["title", "Sea"]) },
    { other: "name", form: formData(["a", "2.txt", "one"], ["title", "Sea"]) },
    { other: "value", form: formData(["a", "1.txt", "one"], ["title", "See"]) },
    { other: "order", form: formData(["title", "Sea"], ["a", "1.txt", "one"]) },
  ])("a form with another $other is another", async ({ form }) => {
    const stage = await openForms();
    await stage.post(formData(["a", "1.txt", "one"], ["title", "Sea"]), key);
    expect((await stage.post(form, key)).json.code).toBe("IDEMPOTENCY_KEY_REUSED");
    expect((await leftOf(stage)).keys).toHaveLength(1);
  });

  test("a form that was refused may be sent again as another", async () => {
    const stage = await openForms({ form: { requiredFiles: ["a"] } });
    expect((await stage.post(formData(["b", "1.txt", "one"]), key)).status).toBe(422);
    expect((await stage.post(formData(["a", "1.txt", "one"]), key)).status).toBe(201);
  });
});

describe("options", () => {
  const things = defineResource("things", { schema: z.object({ id: z.int() }), generated: { id: "increment" } });
  const make = (
    forms: Readonly<Record<string, { types: "any"; files?: readonly string[]; requiredFiles?: readonly string[]; limits?: { files: number } }>>,
  ) =>
    fullService({
      resources: [things],
      storage: memoryStorage(),
      blobs: memoryBlobs(),
      probes: { health: "/health" },
      uploads: { types: "any", forms },
    });

  test.each(["things", "uploads", "files", "batch", "searches", "imports", "health", "a/b", "", "ä"])("no form can be called %j", (name) => {
    expect(() => make({ [name]: { types: "any" } })).toThrow(/form|wants the path|is the path of/);
  });

  test("that cannot work are refused", () => {
    expect(() => make({ a: { types: "any", files: ["x"], requiredFiles: ["y"] } })).toThrow('"uploads.forms.a.requiredFiles" names "y"');
    expect(() => make({ a: { types: "any", limits: { files: -1 } } })).toThrow('uploads: "forms.a.limits.files" must be a whole number');
  });
});
