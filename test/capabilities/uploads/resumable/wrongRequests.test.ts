// @slow

import type { HttpResponse } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { integer, pick, type Random, randomOf } from "../../../fuzz/random.js";
import { clientOf, readPieces, requestOf } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";
import { sumsOf, watchedUploads } from "./livingRecords.js";

type Some = readonly [string, ...string[]];

const numbers: Some = [
  ...["0", "5", "4", "6", "-1", "+5", "05", "5.0", "1e1", "0x5", " 5", "", "NaN", "Infinity", "5,5", "5;q=1", "５", "__proto__"],
  ...["9007199254740991", "9007199254740992", "99999999999999999999999", "1".repeat(400)],
] as unknown as Some;
const tags: Some = [
  '"a"',
  "a",
  "*",
  "*,*",
  'W/"a"',
  '"a',
  '"a" "b"',
  "",
  ",",
  '"a",',
  `"${"a".repeat(3_000)}"`,
  `${'"a",'.repeat(300)}"b"`,
  '"\u00ff"',
];
const dates: Some = ["Thu, 01 Jan 1970 00:00:00 GMT", "Sun, 32 Jan 2030 25:61:61 GMT", "yesterday", "0", "", "Thu, 01 Jan 99999 00:00:00 GMT"];
const types: Some = [
  ...["application/offset+octet-stream", "application/octet-stream", "application/json", "text/plain", "multipart/form-data; boundary=b"],
  ...["multipart/form-data", 'multipart/form-data; boundary=""', "", ";", "/", "a/b; charset", 'text/plain; charset="', "text/plain, text/plain"],
  ...["APPLICATION/OFFSET+OCTET-STREAM; x=y", `text/${"x".repeat(5_000)}`, "t\u00e4xt/plain", "application/json; charset=utf-16"],
] as unknown as Some;

/** Right and wrong values of every header that uploads and files look at. */
const headers: Readonly<Record<string, Some>> = {
  "upload-length": numbers,
  "upload-offset": numbers,
  "upload-defer-length": ["1", "0", "2", "true", "", "1,1", "01"],
  "upload-metadata": [
    ...["filename YS50eHQ=", "filename", "", ",", "filename YS50eHQ=,filename YQ==", "filename =", "filename a b", "\u00e4 YQ==", "__proto__ YQ=="],
    ...[`a ${"YWFh".repeat(3_000)}`, Array.from({ length: 40 }, (_, n) => `k${n}`).join(), "filename AAAA,filetype AAAA", "filetype /w=="],
  ] as unknown as Some,
  "upload-concat": [
    "partial",
    "final;",
    "final;x",
    "final; /uploads/0",
    "Final;/uploads/0",
    "partial;",
    "",
    "final",
    `final;${"/uploads/0 ".repeat(1_100)}`,
  ],
  "upload-checksum": [
    "sha1 qvTGHdzF6KLavt4PO0gs2a6pQ00=",
    "sha1",
    "sha1 ",
    "sha1 !",
    "sha512 YQ==",
    "md5 YQ==",
    "",
    "crc32 NhChhg==",
    "sha256  YQ==",
    "SHA1 YQ==",
  ],
  range: [
    ...[
      "bytes=0-0",
      "bytes=-1",
      "bytes=-0",
      "bytes=5-",
      "bytes=9-5",
      "bytes=0-0,1-1",
      "bytes=",
      "bytes=-",
      "bytes",
      "bytes=a-b",
      "lines=0-1",
      "",
      "bytes=1-2-3",
    ],
    ...[
      `bytes=${"0-1,".repeat(500)}2-3`,
      `bytes=${"9".repeat(400)}-`,
      `bytes=0-${"9".repeat(400)}`,
      `bytes=-${"9".repeat(400)}`,
      "bytes=0x0-1",
      "bytes= 0-1",
    ],
  ] as unknown as Some,
  "if-range": [...tags, ...dates],
  "if-none-match": tags,
  "if-match": tags,
  "if-modified-since": dates,
  "if-unmodified-since": dates,
  "content-type": types,
  "content-disposition": [
    ...[
      "attachment; filename=a.txt",
      'attachment; filename="',
      'attachment; filename="\\"',
      "filename*=utf-8''%",
      "attachment; filename*=utf-8''%00%ff",
      "",
    ],
    ...[
      "attachment; filename*=x'y'z",
      `attachment; filename="${"a".repeat(9_000)}.txt"`,
      'attachment; filename="../../etc/passwd"',
      `;${" ".repeat(8_000)}`,
    ],
  ] as unknown as Some,
  "content-encoding": ["identity", "gzip", "gzip, gzip", "", "x"],
  "content-length": ["abc", "-5", "1e3", "", "0x5", "5, 5", "9".repeat(30)],
  "transfer-encoding": ["chunked", "gzip, chunked", "x"],
  "tus-resumable": ["1.0.0", "0.2.2", "", "1.0.0, 1.0.0", "1.0"],
  "x-http-method-override": ["PATCH", "patch ", "DELETE", "GET", "", "PATCH, PATCH", "x"],
  "idempotency-key": ["", " ", "short", `"${"k".repeat(40)}"`, "k".repeat(300), "a,b,c,d,e,f,g,h,i"],
};
const headerNames = Object.keys(headers) as [string, ...string[]];

const methods: Some = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "patch", "FOO", "__proto__"];
const places: Some = [
  ...["/uploads", "/uploads/", "/uploads/ID", "/uploads/ID/", "/uploads/ID/complete", "/uploads/ID/parts", "/uploads/ID/x", "/uploads/presign"],
  ...[
    "/uploads/direct/ID",
    "/uploads/direct",
    "/files/ID",
    "/files/ID/",
    "/files",
    "/files/public/ID",
    "/files/public",
    "/avatars",
    "/avatars/ID",
    "//uploads",
  ],
] as unknown as Some;
const strangeIds: Some = [
  ...[
    "0".repeat(32),
    "0".repeat(33),
    "A".repeat(32),
    "x",
    "%",
    "%zz",
    "%00",
    "%2f",
    "..%2f..",
    "..",
    "a%2Fb",
    "%e2%82",
    "%C3%A4",
    "\u00e4",
    " ",
    "__proto__",
  ],
  ...["constructor", "%75ploads", "a".repeat(2_000), `${"0".repeat(32)}%20`, "'", '"', "<x>", "0;1"],
] as unknown as Some;
const queries: Some = [
  "",
  "?",
  "?s=",
  "?s=a",
  "?e=1&k=a&s=b",
  "?e=1&e=1&k=a&s=b",
  "?e=99999999999999&k=a&s=b",
  "?%",
  "?a=%zz",
  "?e[]=1&s=b",
  `?s=${"a".repeat(3_000)}`,
];
const file = 'Content-Disposition: form-data; name="f"; filename="a.txt"';
const bodies: Some = [
  ...[
    "",
    "hello",
    "hell",
    "hello!",
    `--b\r\n${file}\r\n\r\nhello\r\n--b--\r\n`,
    `--b\r\n${file}\r\n\r\nhello`,
    "--b--\r\n",
    "{",
    "null",
    "[]",
    '"a"',
    "{}",
    "1e999",
  ],
  ...[
    `{"filename":"a.txt","contentType":"text/plain","size":5}`,
    `{"filename":"a\u0000","contentType":"text/plain","size":5}`,
    '{"__proto__":{"size":5}}',
  ],
  ...[
    '{"filename":"\\ud800","contentType":"a/b","size":0}',
    '{"filename":["a"],"contentType":{},"size":"5"}',
    '{"filename":"a","contentType":"a/b","size":1e400}',
  ],
  ...[
    '{"filename":"..","contentType":"a/b","size":-0,"multipart":true}',
    '{"filename":"a","contentType":"a/b","size":5,"sha256":null,"expiresIn":1.5}',
  ],
  ...["[".repeat(200), `{"numbers":[1]}`, '{"numbers":[0,-1,1.5,"1",null]}', "\u0000\u00ff"],
] as unknown as Some;

/** Uploads of every kind. */
interface Subjects {
  readonly begun: string;
  readonly piece: string;
  readonly whole: string;
  /** With a signature. */
  readonly address: string;
  readonly ids: Some;
}

interface Asked {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

const stream = { "content-type": "application/offset+octet-stream" };
const formType = { "content-type": "multipart/form-data; boundary=b" };
const presigned = '{"filename":"a.txt","contentType":"text/plain","size":5}';
const form = `--b\r\n${file}\r\n\r\nhello\r\n--b--\r\n`;

/** Requests that would be taken as they are. */
function rightRequests({ begun, piece, whole, address }: Subjects): readonly [Asked, ...Asked[]] {
  return [
    { method: "PATCH", target: `/uploads/${begun}`, headers: { ...stream, "upload-offset": "0" }, body: "hello" },
    { method: "PATCH", target: `/uploads/${begun}`, headers: { ...stream, "upload-offset": "0", "upload-length": "5" }, body: "hel" },
    { method: "PATCH", target: `/uploads/${whole}`, headers: { ...stream, "upload-offset": "5" }, body: "" },
    { method: "POST", target: `/uploads/${begun}`, headers: { ...stream, "upload-offset": "0", "x-http-method-override": "PATCH" }, body: "hello" },
    { method: "POST", target: "/uploads", headers: { "upload-length": "5", "tus-resumable": "1.0.0", "upload-metadata": "filename YS50eHQ=" } },
    { method: "POST", target: "/uploads", headers: { ...stream, "upload-length": "5" }, body: "hello" },
    { method: "POST", target: "/uploads", headers: { "upload-defer-length": "1", "upload-concat": "partial" } },
    { method: "POST", target: "/uploads", headers: { "upload-concat": `final;/uploads/${piece} /uploads/${piece}` } },
    {
      method: "POST",
      target: "/uploads",
      headers: { "content-type": "text/plain", "content-disposition": "attachment; filename=a.txt" },
      body: "hello",
    },
    { method: "POST", target: "/uploads/presign", headers: { "content-type": "application/json" }, body: presigned },
    { method: "PUT", target: address, headers: { "content-type": "text/plain", "content-length": "5" }, body: "hello" },
    { method: "POST", target: "/avatars", headers: formType, body: form },
    { method: "HEAD", target: `/uploads/${begun}`, headers: {} },
    { method: "GET", target: `/files/${whole}`, headers: { range: "bytes=0-1" } },
    { method: "DELETE", target: `/uploads/${begun}`, headers: {} },
  ];
}

/** A request of which one thing is wrong, or two, or hardly anything is right. */
function anyRequest(random: Random, subjects: Subjects) {
  const right = random() < 0.7 ? pick(random, rightRequests(subjects)) : anything(random, subjects.ids);
  const spoilt = Array.from({ length: integer(random, 3) }, () => pick(random, headerNames)).map((name): readonly [string, string] => [
    name,
    pick(random, headers[name] ?? [""]),
  ]);
  const changed = { ...right.headers, ...Object.fromEntries(spoilt) };
  const text = random() < 0.1 ? pick(random, bodies) : right.body;
  const body = text === undefined ? undefined : Buffer.from(text);
  // What a host cannot have taken for the length of the body is all that may be wrong of it.
  if (body !== undefined && /^\d{1,20}$/.test(changed["content-length"] ?? "")) changed["content-length"] = String(body.length);
  const twice = random() < 0.1 ? (spoilt[0] ?? []) : [];
  const { method, target } = random() < 0.9 ? right : { ...right, method: pick(random, methods) };
  return { ...requestOf({ method, target }), headers: [...Object.entries(changed).flat(), ...twice], body: bodyOf(random, body) };
}

function anything(random: Random, ids: Some): Asked {
  const id = random() < 0.6 ? pick(random, ids) : pick(random, strangeIds);
  const target = pick(random, places).replace("ID", id) + (random() < 0.3 ? pick(random, queries) : "");
  return { method: pick(random, methods), target, headers: {}, body: random() < 0.6 ? pick(random, bodies) : undefined };
}

function bodyOf(random: Random, bytes: Buffer | undefined) {
  if (bytes === undefined) return { kind: "none" } as const;
  return random() < 0.5 ? ({ kind: "bytes", bytes } as const) : ({ kind: "stream", stream: chunksOf(bytes) } as const);
}

async function* chunksOf(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3);
}

async function textOf({ body }: HttpResponse): Promise<string> {
  return typeof body === "string" ? body : (await readPieces(body)).toString();
}

test.each([1, 2, 3, 4])("whatever a request says is answered, and what is refused is a problem (seed %i)", async (seed) => {
  const random = randomOf(seed);
  const faults: unknown[] = [];
  const storage = memoryStorage();
  const { store, records } = watchedUploads(storage.uploads);
  const uploads = { types: "any", forms: { avatars: { types: "any" } }, maxOpen: 1_000_000, store } as const;
  const service = fullService({
    resources: [],
    storage,
    blobs: memoryBlobs(),
    notFound: "problem",
    secrets: ["a secret of many bytes"],
    onError: (error) => faults.push(error),
    uploads,
  });
  const send = clientOf(service);
  const begin = async (more: Readonly<Record<string, string>>) => {
    const { headers: answered } = await send({ method: "POST", target: "/uploads", headers: { "upload-length": "5", ...more } });
    return String(answered["location"]).slice("/uploads/".length);
  };

  for (let round = 0; round < 80; round++) {
    const whole = (await send({ method: "POST", target: "/uploads", body: "hello" })).json.id;
    const address = (await send({ method: "POST", target: "/uploads/presign", body: JSON.parse(presigned) })).json;
    const [begun, piece] = [await begin({}), await begin({ "upload-concat": "partial" })];
    await send({ method: "PATCH", target: `/uploads/${piece}`, headers: { ...stream, "upload-offset": "0" }, body: "hello" });
    const subjects = { begun, piece, whole, address: address.uploadUrl, ids: [begun, piece, whole, address.id] as const };
    for (let count = 0; count < 12; count++) {
      const request = anyRequest(random, subjects);
      const shown = JSON.stringify([request.method, request.path.slice(0, 200), request.query.slice(0, 100), request.headers]);
      const answer = await service.handle(request);
      if (answer === undefined) throw new Error(`Nobody has answered ${shown}.`);
      const isFramedOtherwise = request.headers.includes("transfer-encoding");
      expect(answer.status === 501 && isFramedOtherwise ? 400 : answer.status, shown).toBeLessThan(500);
      const text = await textOf(answer);
      if (answer.status < 400 || request.method === "HEAD") continue;
      expect(answer.headers["content-type"], shown).toBe("application/problem+json");
      expect(JSON.parse(text), shown).toMatchObject({ status: answer.status, code: expect.stringMatching(/^[A-Z_]+$/) });
    }
  }

  expect(faults).toEqual([]);
  const sums = sumsOf(await records()).get("address ");
  expect(await store.use(undefined, "address ")).toEqual(sums);
  await service.close({ graceMs: 100 });
});
