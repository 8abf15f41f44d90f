// @slow

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSettings } from "../../../examples/shop/settings.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { startShop } from "../shop/shopProcess.js";
import { bytesOf, sha256Of } from "./tusUpload.js";

const bytes = bytesOf(3_000_000, 3);
const sha256 = sha256Of(bytes);

let shop: Awaited<ReturnType<typeof startShop>>;
beforeAll(async () => {
  shop = await startShop("fastify", { DATA_DIR: ":memory:" });
});
afterAll(async () => expect(await shop.stop("SIGTERM")).toBe(0));

/** What curl prints of an answer: the last of them, where there is a 100 before it. */
async function curl(...args: readonly string[]) {
  const { stdout } = await promisify(execFile)("curl", ["-sS", "-i", "--max-time", "20", ...args], { encoding: "latin1", maxBuffer: 1e8 });
  const [head = "", ...rest] = stdout.replace(/^(?:HTTP\/1\.1 100 Continue\r\n\r\n)+/, "").split("\r\n\r\n");
  const headers = Object.fromEntries(
    head
      .split("\r\n")
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
  return { status: Number(head.split(" ")[1]), headers, body: Buffer.from(rest.join("\r\n\r\n"), "latin1") };
}

function fileOf(content: Uint8Array | string = bytes): string {
  const path = join(temporaryFolder(), "file");
  writeFileSync(path, content);
  return path;
}

interface FileDocument {
  readonly url: string;
  readonly filename: string;
  readonly sha256: string;
}

const named = ["-H", `content-disposition: attachment; filename="fallback.bin"; filename*=UTF-8''%E2%82%AC%20rates.bin`];
const binary = ["-H", "content-type: application/octet-stream"];
const pieces = ["-H", "content-type: application/offset+octet-stream"];

test("sends a file as it is, with its length, in chunks from a pipe, and by --data-binary", async () => {
  const path = fileOf();
  const ways = [
    ["-X", "POST", "-T", path, ...binary],
    ["-X", "POST", "-T", path, ...binary, "-H", "transfer-encoding: chunked"],
    ["--data-binary", `@${path}`, ...binary],
  ];
  for (const way of ways) {
    const { status, headers, body } = await curl(...way, ...named, `${shop.origin}/uploads`);
    expect([status, body.toString()]).toEqual([201, expect.stringContaining(sha256)]);
    const document = JSON.parse(body.toString()) as FileDocument;
    expect(document).toMatchObject({ filename: "€ rates.bin", size: bytes.length, sha256, status: "ready" });
    expect(headers["location"]).toBe(document.url);
  }
});

test("sends a file in pieces by hand, without a word of tus", async () => {
  const begun = await curl(
    "-X",
    "POST",
    "-H",
    `upload-length: ${bytes.length}`,
    "-H",
    "upload-metadata: filename ZGF0YS5iaW4=",
    `${shop.origin}/uploads`,
  );
  expect([begun.status, begun.headers["tus-resumable"], begun.headers["upload-expires"]]).toEqual([201, "1.0.0", expect.stringContaining("GMT")]);
  const upload = `${shop.origin}${begun.headers["location"]}`;
  for (const [from, to] of [
    [0, 1_000_000],
    [1_000_000, 2_500_000],
    [2_500_000, 3_000_000],
  ] as const) {
    expect((await curl("-I", upload)).headers).toMatchObject({
      "upload-offset": String(from),
      "upload-length": "3000000",
      "cache-control": "no-store",
    });
    const piece = fileOf(bytes.subarray(from, to));
    const { status, headers } = await curl("-X", "PATCH", "--data-binary", `@${piece}`, ...pieces, "-H", `upload-offset: ${from}`, upload);
    expect([status, headers["upload-offset"]]).toEqual([204, String(to)]);
  }
  const document = JSON.parse((await curl(upload)).body.toString()) as FileDocument;
  expect(document).toMatchObject({ filename: "data.bin", sha256, status: "ready" });
  const again = await curl("-X", "PATCH", "--data-binary", "x", ...pieces, "-H", "upload-offset: 5", upload);
  expect([again.status, again.headers["upload-offset"], JSON.parse(again.body.toString()).code]).toEqual([409, "3000000", "OFFSET_MISMATCH"]);
  expect((await curl("-X", "DELETE", upload)).status).toBe(204);
  expect((await curl("-I", upload)).status).toBe(410);
});

test("fetches a part of a file with -r, and goes on with one that broke off with -C -", async () => {
  const sent = await curl("-X", "POST", "-T", fileOf(), ...binary, ...named, `${shop.origin}/uploads`);
  const { url } = JSON.parse(sent.body.toString()) as FileDocument;
  const part = await curl("-r", "1000-1999", `${shop.origin}${url}`);
  expect([part.status, part.headers["content-range"], part.headers["etag"]]).toEqual([206, "bytes 1000-1999/3000000", `"${sha256}"`]);
  expect(part.body.equals(bytes.subarray(1_000, 2_000))).toBe(true);
  expect(part.headers).toMatchObject({
    "content-type": "application/octet-stream",
    "x-content-type-options": "nosniff",
    "content-disposition": `attachment; filename="_ rates.bin"; filename*=UTF-8''%E2%82%AC%20rates.bin`,
  });
  const path = fileOf(bytes.subarray(0, 1_234_567));
  await promisify(execFile)("curl", ["-sS", "-f", "-C", "-", "-o", path, `${shop.origin}${url}`]);
  expect(sha256Of(readFileSync(path))).toBe(sha256);
});

test("CLAMD names a host and a port, and nothing else", () => {
  const clamd = (text: string) => readSettings({ CLAMD: text }).clamd;
  expect([clamd(""), clamd("127.0.0.1:3310"), clamd("clamav:3310"), clamd("[::1]:3310")]).toEqual([
    undefined,
    { host: "127.0.0.1", port: 3310 },
    { host: "clamav", port: 3310 },
    { host: "::1", port: 3310 },
  ]);
  for (const text of ["3310", "clamav", "clamav:0", "clamav:65536", ":3310", "http://clamav:3310", "::1:3310"])
    expect(() => clamd(text)).toThrow(`CLAMD must be a host and a port like 127.0.0.1:3310; got "${text}".`);
});
