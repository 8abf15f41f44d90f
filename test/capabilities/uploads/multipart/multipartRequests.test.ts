// @slow

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { type MultipartRequest, parseMultipart } from "../../../../src/capabilities/uploads/index.js";
import { RequestHeaders } from "../../../../src/ground/http/headers/headers.js";
import type { RequestBody } from "../../../../src/ground/http/message.js";
import { formServer } from "./formServer.js";
import { chunksOf, formOf, partOf, type SeenPart, seen } from "./forms.js";

const body = Buffer.from(formOf(partOf('name="a"', "1")));
const contentType = "multipart/form-data; boundary=b";

async function partsOf(request: MultipartRequest): Promise<readonly SeenPart[]> {
  const parts: SeenPart[] = [];
  for await (const part of parseMultipart(request)) parts.push(await seen(part));
  return parts;
}

describe("a form is taken from", () => {
  test.each<[string, () => MultipartRequest]>([
    [
      "a message of the core",
      () => ({ headers: ["Content-Type", contentType], body: { kind: "stream", stream: chunksOf(body, 9) } satisfies RequestBody }),
    ],
    [
      "a message of the core whose body is there",
      () => ({ headers: new RequestHeaders(["Content-Type", contentType]), body: { kind: "bytes", bytes: body } }),
    ],
    ["headers by name", () => ({ headers: { "Content-Type": contentType, "x-none": undefined, "x-many": ["a", "b"] }, body: chunksOf(body, 9) })],
    ["a WHATWG request", () => new Request("http://x/", { method: "POST", headers: { "content-type": contentType }, body })],
    ["WHATWG headers and a stream", () => ({ headers: new Headers({ "content-type": contentType }), body: new Blob([body]).stream() })],
  ])("%s", async (_name, request) => {
    expect(await partsOf(request())).toEqual([{ name: "a", value: "1" }]);
  });

  test("a WHATWG request as FormData makes it", async () => {
    const form = new FormData();
    form.append("title", "Grüße\r\n--");
    form.append("tag", "a");
    form.append("tag", "b");
    form.append('na"me\r\n', "line\nline");
    form.append("photo", new File([new Uint8Array([0, 255, 13, 10])], 'mé"\\x.png', { type: "image/png" }));
    form.append("blob", new Blob(["{}"], { type: "application/json" }));
    form.append("empty", new File([], "empty.txt", { type: "text/plain;charset=utf-8" }));
    const expected = [
      { name: "title", value: "Grüße\r\n--" },
      { name: "tag", value: "a" },
      { name: "tag", value: "b" },
      { name: "na%22me%0D%0A", value: "line\r\nline" },
      { name: "photo", filename: "x.png", type: "image/png", content: "\0ÿ\r\n" },
      { name: "blob", filename: "blob", type: "application/json", content: "{}" },
      { name: "empty", filename: "empty.txt", type: "text/plain", charset: "utf-8", content: "" },
    ];
    expect(await partsOf(new Request("http://x/", { method: "POST", body: form }))).toEqual(expected);
    const server = await formServer();
    expect(await (await fetch(server.url, { method: "POST", body: form })).json()).toEqual(expected);
    await server.close();
  });

  test("an empty FormData", async () => {
    expect(await partsOf(new Request("http://x/", { method: "POST", body: new FormData() }))).toEqual([]);
  });

  test("curl", async () => {
    const folder = await mkdtemp(join(tmpdir(), "forms-"));
    const path = join(folder, "a.txt");
    await writeFile(path, "hello");
    const server = await formServer();
    const { stdout } = await promisify(execFile)("curl", [
      ...["-s", "-F", "a=1", "-F", `f=@${path}`, "-F", `g=@${path};type=image/png;filename=x"y.png`, "-F", 'j={"a":1};type=application/json'],
      ...["-H", "Transfer-Encoding: chunked", server.url],
    ]);
    expect(JSON.parse(stdout)).toEqual([
      { name: "a", value: "1" },
      { name: "f", filename: "a.txt", type: "text/plain", content: "hello" },
      { name: "g", filename: "xy.png", type: "image/png", content: "hello" },
      { name: "j", value: '{"a":1}', type: "application/json" },
    ]);
    await server.close();
    await rm(folder, { recursive: true });
  });
});

describe("a request is refused", () => {
  test.each<[string, MultipartRequest, object]>([
    [
      "without a Content-Type",
      { headers: {}, body: chunksOf(body, 9) },
      { code: "UNSUPPORTED_MEDIA_TYPE", extensions: { supported: ["multipart/form-data"] } },
    ],
    ["with two", { headers: ["Content-Type", contentType, "content-type", contentType], body: null }, { code: "REPEATED_HEADER" }],
    [
      "that is compressed",
      { headers: { "content-type": contentType, "content-encoding": "gzip" }, body: null },
      { code: "UNSUPPORTED_MEDIA_TYPE", status: 415 },
    ],
    ["without a body", { headers: { "content-type": contentType }, body: null }, { code: "MALFORMED_MULTIPART" }],
    ["whose body is none", { headers: { "content-type": contentType }, body: { kind: "none" } }, { code: "MALFORMED_MULTIPART" }],
    ["whose body is read", { headers: { "content-type": contentType }, body: { kind: "parsed", value: {} } }, { code: "INTERNAL", status: 500 }],
  ])("%s", async (_name, request, error) => {
    await expect(partsOf(request)).rejects.toMatchObject(error);
  });

  test("with an answer that arrives while the body is still being sent", async () => {
    const server = await formServer();
    const form = new FormData();
    form.append("f", new Blob([new Uint8Array(30 * 1_024 * 1_024)]));
    const { status } = await fetch(server.url, { method: "POST", body: form });
    expect(status).toBe(413);
    await server.close();
  });
});
