// @slow

import { execFile, execFileSync } from "node:child_process";
import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { SignatureV4 } from "@smithy/signature-v4";
import { AwsV4Signer } from "aws4fetch";
import fc from "fast-check";
import { createService, defineResource } from "restwright";
import { sigv4 } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { send } from "../../adapters/hosts/client.js";
import { onlyIf } from "../../tools/engines.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { sentRequest } from "./sentRequest.js";

const notes = defineResource("notes", { schema: z.object({ id: z.string(), text: z.string() }) });
const keys = { accessKeyId: "AKID", secretAccessKey: "secret" };
const scope = { service: "shop", region: "local" };

let server: Server;
let port: number;
let origin: string;

beforeAll(async () => {
  const secret = (id: string) => (id === keys.accessKeyId ? { secretAccessKey: keys.secretAccessKey, principal: { id: "ada" } } : undefined);
  const service = createService({ resources: [notes], storage: memoryStorage(), auth: [sigv4({ secret, ...scope })] });
  server = createServer(nodeHandler(service, { mount: "/v1" }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
  origin = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

interface Request {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What was signed: headers to send, and the target. */
interface Signed {
  readonly headers: Record<string, string>;
  readonly target: string;
}

/** A client that signs requests and URLs. */
interface Signer {
  readonly name: string;
  sign(request: Request): Promise<Signed>;
  presign(request: Request, seconds: number): Promise<Signed>;
}

const aws4fetch: Signer = {
  name: "aws4fetch",
  async sign({ method, target, headers = {}, body }) {
    const signer = new AwsV4Signer({ method, url: origin + target, headers, ...(body === undefined ? {} : { body }), ...keys, ...scope });
    const signed = await signer.sign();
    return { headers: Object.fromEntries(signed.headers), target: signed.url.pathname + signed.url.search };
  },
  async presign({ method, target, headers = {}, body }, seconds) {
    const url = `${origin}${target}${target.includes("?") ? "&" : "?"}X-Amz-Expires=${seconds}`;
    const signer = new AwsV4Signer({ method, url, headers, ...(body === undefined ? {} : { body }), signQuery: true, ...keys, ...scope });
    const signed = await signer.sign();
    return { headers: { ...headers }, target: signed.url.pathname + signed.url.search };
  },
};

/** SHA-256 of Node for the signer of the AWS SDK. */
class NodeSha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret as string);
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

function smithyRequest({ method, target, headers = {}, body }: Request) {
  const { pathname, searchParams, hostname } = new URL(origin + target);
  const query: Record<string, string[]> = Object.create(null);
  for (const [name, value] of searchParams) query[name] = [...(query[name] ?? []), value];
  const sent = { ...headers, host: `${hostname}:${port}` };
  return { method, protocol: "http:", hostname, port, path: pathname, query, headers: sent, body };
}

function targetOf(path: string, query: Readonly<Record<string, string | readonly string[] | null>> = {}): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values ?? ""].flat().map((value) => [name, value].map(encodeURIComponent).join("=")),
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}

const sdk: Signer = {
  name: "the signer of the AWS SDK",
  async sign(request) {
    const signer = new SignatureV4({ credentials: keys, ...scope, sha256: NodeSha256 });
    const { headers, path, query } = await signer.sign(smithyRequest(request));
    return { headers, target: targetOf(path, query) };
  },
  async presign(request, seconds) {
    const signer = new SignatureV4({ credentials: keys, ...scope, sha256: NodeSha256 });
    const { headers, path, query } = await signer.presign(smithyRequest(request), { expiresIn: seconds });
    return { headers, target: targetOf(path, query) };
  },
};

const json = { "content-type": "application/json" };

describe.each([aws4fetch, sdk])("$name", ({ name, sign, presign }) => {
  const id = name.split(" ", 1)[0] ?? "";

  async function answer(request: Request, { headers, target }: Signed) {
    const { status, body } = await send(port, target, {
      method: request.method,
      headers,
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    return { status, json: body.length === 0 ? undefined : JSON.parse(body.toString()) };
  }

  const requests: readonly [number, Request][] = [
    [201, { method: "POST", target: "/v1/notes", headers: json, body: JSON.stringify({ id, text: "ü" }) }],
    [201, { method: "POST", target: "/v1/notes", headers: json, body: JSON.stringify({ id: `${id} b/ü:*`, text: "" }) }],
    [200, { method: "GET", target: `/v1/notes/${id}` }],
    [200, { method: "GET", target: `/v1/notes/${encodeURIComponent(`${id} b/ü:*`)}` }],
    [200, { method: "GET", target: "/v1/notes?sort=-id&text=a%20b%2Fc&perPage=2&fields=id,text" }],
    [200, { method: "GET", target: "/v1/notes?text[in]=a,b" }],
    [200, { method: "PATCH", target: `/v1/notes/${id}`, headers: { "content-type": "application/merge-patch+json" }, body: '{"text":"b"}' }],
    [200, { method: "HEAD", target: `/v1/notes/${id}` }],
    [204, { method: "DELETE", target: `/v1/notes/${id}` }],
  ];

  test("signs requests that are accepted", async () => {
    for (const [status, request] of requests) expect([request, (await answer(request, await sign(request))).status]).toEqual([request, status]);
  });

  test("signs requests that are refused if they are changed", async () => {
    for (const [, request] of requests) {
      const signed = await sign(request);
      expect((await answer(request, { ...signed, target: signed.target.replace("notes", "note%73") })).status).toBe(401);
      expect((await answer({ ...request, method: request.method === "GET" ? "HEAD" : "GET" }, signed)).status).toBe(401);
      if (request.body === undefined) continue;
      const changed = { ...request, body: request.body.replace("}", " }") };
      expect((await answer(changed, signed)).status).toBe(401);
    }
  });

  test("signs what this verifier accepts, for every path, query and header", async () => {
    const texts = fc.string({ unit: "binary", maxLength: 8 }).filter((text) => text.isWellFormed() && text !== "." && text !== "..");
    const paths = fc.array(texts.map(encodeURIComponent), { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`);
    // aws4fetch leaves parameters without a name unsigned, and no API has one.
    const names = texts.filter((text) => text !== "");
    const queries = fc.uniqueArray(fc.tuple(names, texts), { selector: ([key]) => key, maxLength: 4 });
    const values = fc.stringMatching(/^[!-~]( {0,3}[!-~]){0,12}$/);
    const secret = () => ({ secretAccessKey: keys.secretAccessKey, principal: { id: "ada" } });
    const verifier = sigv4({ secret, ...scope });
    const property = fc.asyncProperty(paths, queries, values, fc.string(), async (path, query, value, body) => {
      const search = query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
      const request = { method: "POST", target: `${path}?${search}`, headers: { "content-type": "text/plain", "x-value": value }, body };
      const host = { host: `127.0.0.1:${port}` };
      for (const { headers, target } of [await sign(request), await presign(request, 60)]) {
        const sent = { method: "POST", target, headers: Object.entries({ ...host, ...headers }).flat(), body };
        expect(await verifier.verify(sentRequest(sent).request)).toEqual({ id: "ada" });
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(200) });
  });

  test("makes presigned URLs that are accepted, for reads and for writes", async () => {
    const other = { method: "POST", target: "/v1/notes", headers: json, body: JSON.stringify({ id: `${id}2`, text: "" }) };
    expect((await answer(other, await presign(other, 60))).status).toBe(201);
    const list = { method: "GET", target: "/v1/notes?sort=id&text[in]=a,b" };
    const signed = await presign(list, 60);
    expect((await answer(list, signed)).status).toBe(200);
    expect((await answer(list, { ...signed, target: signed.target.replace("sort=id", "sort=-id") })).status).toBe(401);
    expect((await answer({ ...list, method: "HEAD" }, signed)).status).toBe(401);
  });
});

const curlVersion = ((): readonly number[] => {
  try {
    return (/^curl (\d+)\.(\d+)/.exec(execFileSync("curl", ["--version"], { encoding: "utf8" })) ?? []).slice(1).map(Number);
  } catch {
    return [];
  }
})();
const [major = 0, minor = 0] = curlVersion;
const canSign = major > 7 || (major === 7 && minor >= 75);

/** curl before 8 signs the path and the query as they are: only those that need no encoding and are in order can be verified. */
describe(`curl ${curlVersion.join(".")}; skipped without curl 7.75 or later`, onlyIf(canSign, "needs curl 7.75 or later"), () => {
  async function curl(...args: readonly string[]) {
    const common = ["-sS", "--aws-sigv4", "aws:amz:local:shop", "--user", "AKID:secret", "-w", "\n%{http_code}"];
    const { stdout } = await promisify(execFile)("curl", [...common, ...args]);
    const lines = stdout.split("\n");
    return { status: Number(lines.pop()), text: lines.join("\n") };
  }

  test("signs requests that are accepted", async () => {
    const url = `${origin}/v1/notes`;
    expect((await curl(url, "--json", '{"id":"curl","text":"ü"}')).status).toBe(201);
    expect((await curl(`${url}/curl`)).status).toBe(200);
    expect((await curl(`${url}?perPage=2&sort=id`)).status).toBe(200);
    const patch = ["-X", "PATCH", "-H", "content-type: application/merge-patch+json", "-d", '{"text":"b"}'];
    expect(JSON.parse((await curl(`${url}/curl`, ...patch)).text)).toEqual({ id: "curl", text: "b" });
    expect((await curl(`${url}/curl`, "-X", "DELETE")).status).toBe(204);
  });

  test("signs the hash of a body in a header", async () => {
    const body = '{"id":"hashed","text":""}';
    const hash = (text: string) => ["-H", `x-amz-content-sha256: ${createHash("sha256").update(text).digest("hex")}`];
    expect((await curl(`${origin}/v1/notes`, "--json", body, ...hash(`${body} `))).status).toBe(401);
    expect((await curl(`${origin}/v1/notes`, "--json", body, ...hash(body))).status).toBe(201);
  });

  test("is refused with another secret", async () => {
    expect((await curl(`${origin}/v1/notes`, "--user", "AKID:other")).status).toBe(401);
    expect((await curl(`${origin}/v1/notes`, "--user", "AKIX:secret")).status).toBe(401);
  });
});
