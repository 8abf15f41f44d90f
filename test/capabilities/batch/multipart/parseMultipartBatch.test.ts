import { describe, expect, test } from "vitest";
import { problemFrom } from "../../../ground/http/problemFrom.js";
import { batchOf, crlf, parseBatch } from "./multipartRequest.js";

describe("a multipart batch", () => {
  test("in the manner of Google's examples becomes operations", () => {
    const body = crlf(
      "--batch_foobarbaz",
      "Content-Type: application/http",
      "Content-ID: <item1:12930812@barnyard.example.com>",
      "",
      "GET /farm/v1/animals/pony",
      "",
      "--batch_foobarbaz",
      "Content-Type: application/http",
      "Content-ID: <item2:12930812@barnyard.example.com>",
      "",
      "PUT /farm/v1/animals/sheep",
      "Content-Type: application/json",
      "Content-Length: 14",
      'If-Match: "etag/sheep"',
      "",
      '{ "age": "5" }',
      "",
      "--batch_foobarbaz--",
    );
    expect(parseBatch(body, "multipart/mixed; boundary=batch_foobarbaz")).toEqual([
      { name: "item1:12930812@barnyard.example.com", method: "GET", url: "/farm/v1/animals/pony", headers: {}, body: undefined },
      {
        name: "item2:12930812@barnyard.example.com",
        method: "PUT",
        url: "/farm/v1/animals/sheep",
        headers: { "content-type": "application/json", "content-length": "14", "if-match": '"etag/sheep"' },
        body: { age: "5" },
      },
    ]);
  });

  test("with bare line feeds and spaces in its names, as Python's client writes it, becomes operations", () => {
    const body = [
      "--===============7330845974216740156==",
      "Content-Type: application/http",
      "MIME-Version: 1.0",
      "Content-Transfer-Encoding: binary",
      "Content-ID: <b29c5de2-0db4-490b-b421-6a51b598bd22 + 1>",
      "",
      "POST /users?alt=json HTTP/1.1",
      "Content-Type: application/json",
      "MIME-Version: 1.0",
      "content-length: 14",
      "Host: example.com",
      "",
      '{"name":"Ann"}',
      "--===============7330845974216740156==--",
      "",
    ].join("\n");
    expect(parseBatch(body, 'multipart/mixed; boundary="===============7330845974216740156=="')).toEqual([
      {
        name: "b29c5de2-0db4-490b-b421-6a51b598bd22 + 1",
        method: "POST",
        url: "/users?alt=json",
        headers: { "content-type": "application/json", "mime-version": "1.0", "content-length": "14", host: "example.com" },
        body: { name: "Ann" },
      },
    ]);
  });

  test("in the manner of OData's examples becomes operations; a changeset is the fault of its own part", () => {
    const body = crlf(
      "--batch_36522ad7-fc75-4b56-8c71-56071383e77b",
      "Content-Type: application/http ",
      "Content-Transfer-Encoding:binary",
      "",
      "GET /service/Customers('ALFKI') HTTP/1.1",
      "Host: host",
      "",
      "",
      "--batch_36522ad7-fc75-4b56-8c71-56071383e77b",
      "Content-Type: multipart/mixed; boundary=changeset_77162fcd",
      "",
      "--changeset_77162fcd",
      "Content-Type: application/http",
      "Content-ID: 1",
      "",
      "POST /service/Customers HTTP/1.1",
      "",
      "--changeset_77162fcd--",
      "--batch_36522ad7-fc75-4b56-8c71-56071383e77b",
      "Content-Type: application/http; msgtype=request",
      "Content-ID: 2",
      "",
      "PATCH /service/Customers('ALFKI') HTTP/1.1",
      "Content-Type: application/merge-patch+json;charset=utf-8",
      "",
      '{ "Name": "Ann" }',
      "",
      "",
      "--batch_36522ad7-fc75-4b56-8c71-56071383e77b--",
    );
    expect(parseBatch(body, "multipart/mixed;boundary=batch_36522ad7-fc75-4b56-8c71-56071383e77b")).toEqual([
      { method: "GET", url: "/service/Customers('ALFKI')", headers: { host: "host" }, body: undefined },
      { fault: expect.objectContaining({ code: "INVALID_BATCH", message: expect.stringContaining("multipart itself") }) },
      {
        name: "2",
        method: "PATCH",
        url: "/service/Customers('ALFKI')",
        headers: { "content-type": "application/merge-patch+json;charset=utf-8" },
        body: { Name: "Ann" },
      },
    ]);
  });

  test("that Node makes of a FormData becomes operations named by their fields", async () => {
    const form = new FormData();
    const request = (text: string) => new Blob([text], { type: "application/http" });
    form.append("first", request("GET /users/1 HTTP/1.1\r\n\r\n"), "first.http");
    form.append("second", request('POST /users HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"name":"Zo\u00eb"}'));
    form.append("third", "GET /users/3 HTTP/1.1\r\n\r\n");
    const response = new Response(form);
    const body = new Uint8Array(await response.arrayBuffer());
    expect(parseBatch(body, response.headers.get("content-type") ?? "")).toEqual([
      { name: "first", method: "GET", url: "/users/1", headers: {}, body: undefined },
      { name: "second", method: "POST", url: "/users", headers: { "content-type": "application/json" }, body: { name: "Zo\u00eb" } },
      { name: "third", fault: expect.objectContaining({ code: "INVALID_BATCH", message: expect.stringContaining("application/http") }) },
    ]);
  });

  test("that is an empty FormData is an empty batch", async () => {
    const response = new Response(new FormData());
    const body = new Uint8Array(await response.arrayBuffer());
    expect(problemFrom(() => parseBatch(body, response.headers.get("content-type") ?? "")).code).toBe("EMPTY_BATCH");
  });

  test("keeps a boundary inside of JSON as data", () => {
    const text = JSON.stringify({ text: "--b\r\n--b--\r\n", more: "--b--" });
    const message = crlf("POST /notes HTTP/1.1", "Content-Type: application/json", "", text);
    expect(parseBatch(batchOf(message))).toMatchObject([{ body: { text: "--b\r\n--b--\r\n", more: "--b--" } }]);
  });

  test("without a usable Content-Type is refused as a whole", () => {
    expect(problemFrom(() => parseBatch(batchOf("GET /"), "multipart/mixed")).code).toBe("INVALID_BATCH");
  });

  test("lets the neighbours of a broken part live", () => {
    const part = (id: string, message: string) => ["--b", "Content-Type: application/http", `Content-ID: <${id}>`, "", message];
    const body = crlf(...part("one", "GET /1 HTTP/1.1"), ...part("two", "rubbish"), ...part("three", "GET /3 HTTP/1.1"), "--b--");
    expect(parseBatch(body)).toEqual([
      { name: "one", method: "GET", url: "/1", headers: {}, body: undefined },
      { name: "two", fault: expect.objectContaining({ code: "INVALID_BATCH", status: 400 }) },
      { name: "three", method: "GET", url: "/3", headers: {}, body: undefined },
    ]);
  });
});

describe("the name of a part", () => {
  const http = "Content-Type: application/http";
  const disposition = 'Content-Disposition: form-data; name="field"; filename="a.http"';
  const form = "multipart/form-data; boundary=b";
  test.each([
    ["has its angle brackets cut", [http, "content-id: <a@b>"], undefined, "a@b"],
    ["needs no angle brackets", [http, "Content-ID:1"], undefined, "1"],
    ["is absent without a Content-ID", [http], undefined, undefined],
    ["is not the field's outside of forms", [http, disposition], undefined, undefined],
    ["is the field's in a form", [http, disposition], form, "field"],
    ["is the Content-ID also in a form", [http, disposition, "Content-ID: <id>"], form, "id"],
    ["is absent in a form without a field", [http, "Content-Disposition: form-data"], form, undefined],
    ["is not taken from another disposition", [http, 'Content-Disposition: attachment; name="x"'], form, undefined],
  ])("%s", (_name, headers, contentType, name) => {
    const [operation] = parseBatch(batchOf("GET /", headers), contentType);
    expect(operation).toMatchObject({ method: "GET" });
    expect(operation?.name).toBe(name);
  });

  test.each([["<>"], [""], ["<a"], ["a>"], ["<a<b>"], ["<a\u00e9>"], [`<${"a".repeat(256)}>`]])("is not %j", (id) => {
    const [operation] = parseBatch(batchOf("GET /", [http, `Content-ID: ${id}`]));
    expect(operation).toEqual({ fault: expect.objectContaining({ code: "INVALID_BATCH", message: expect.stringContaining("name of a part") }) });
  });
});

describe("the head of a part", () => {
  const id = "Content-ID: <one>";
  const http = "Content-Type: application/http";
  test.each([
    ["without a type", [id], '"application/http"'],
    ["of another type", [id, "Content-Type: text/plain"], '"application/http"'],
    ["of a nested multipart", [id, "Content-Type: Multipart/Mixed; boundary=c"], "multipart itself"],
    ["of a response", [id, "Content-Type: application/http; msgtype=response"], "request"],
    ["in base64", [id, http, "Content-Transfer-Encoding: base64"], '"base64"'],
    ["in quoted-printable", [id, http, "Content-Transfer-Encoding: quoted-printable"], "binary, 8bit, 7bit"],
  ])("%s is a fault of the operation, which keeps its name", (_name, headers, detail) => {
    const [operation] = parseBatch(batchOf("GET /", headers));
    expect(operation).toEqual({ name: "one", fault: expect.objectContaining({ code: "INVALID_BATCH", message: expect.stringContaining(detail) }) });
  });

  test.each([
    ["folded", [http, "X-Long: a", " b"], "folded"],
    ["without a colon", [http, "rubbish"], '"rubbish"'],
    ["with a space before the colon", [http, "X : a"], "Name: value"],
    ["with an empty name", [http, ": a"], "Name: value"],
    ["with a bare CR", [http, "X: a\rb"], "control character"],
    ["with a NUL", [http, "X: a\0"], "control character"],
    ["with a DEL", [http, "X: a\x7f"], "control character"],
    ["with a second type", [http, http], '"content-type"'],
    ["with a second name", [http, id, id], '"content-id"'],
    ["that is too large", [http, `X: ${"a".repeat(4_096)}`], "4096 bytes"],
    ["of too many lines", [http, ...Array.from({ length: 1_000 }, () => "X: a")], "4096 bytes"],
  ])("%s is a fault of the operation", (_name, headers, detail) => {
    const [operation] = parseBatch(batchOf("GET /", headers));
    expect(operation).toEqual({ fault: expect.objectContaining({ code: "INVALID_BATCH", message: expect.stringContaining(detail) }) });
  });

  test.each(["7bit", "8BIT", "Binary"])("may say that its encoding is %s", (encoding) => {
    expect(parseBatch(batchOf("GET /", [http, `Content-Transfer-Encoding: ${encoding}`]))).toMatchObject([{ method: "GET" }]);
  });
});
