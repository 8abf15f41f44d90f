import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { AwsV4Signer } from "aws4fetch";
import fc from "fast-check";
import { createService, defineResource, ProblemError, type Verifier } from "restwright";
import { sigv4 } from "restwright/auth";
import { batch } from "restwright/batch";
import { compression, decodeBody, supportedCodings } from "restwright/compression";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, requestOf } from "../../tools/client.js";
import { encoded } from "./decoded.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const limitBytes = 4_194_304;

function stage(use = [compression(), batch()], auth: readonly Verifier[] = []) {
  const service = createService({ resources: [notes], storage: memoryStorage(), use, auth, limits: { jsonBodyBytes: limitBytes } });
  return { service, send: clientOf(service) };
}

const coded = (coding: string, more: Record<string, string> = {}) => ({ "content-encoding": coding, "content-type": "application/json", ...more });
const json = JSON.stringify({ text: "Ada" });
const limits = { limitBytes };

describe("every way a body comes", () => {
  test.each(supportedCodings)("%s", async (coding) => {
    const { send } = stage();
    const ways = [
      { method: "POST", target: "/notes", value: { text: "a" } },
      { method: "PUT", target: "/notes/1", value: { text: "b" } },
      { method: "PATCH", target: "/notes/1", value: { text: "c" }, type: "application/merge-patch+json" },
      { method: "POST", target: "/notes/batch", value: { items: [{ text: "d" }, { text: "e" }] } },
      { method: "POST", target: "/batch", value: { operations: [{ method: "POST", path: "/notes", body: { text: "g" } }] } },
    ];
    const seen: string[] = [];
    for (const { method, target, value, type = "application/json" } of ways) {
      const sent = { method, target, headers: coded(coding, { "content-type": type }), body: encoded(JSON.stringify(value), coding) };
      const answer = await send(sent);
      expect(answer.status).toBeLessThan(300);
      seen.push(`${method} ${target} ${answer.status}`);
    }
    const plain = stage();
    for (const [index, { method, target, value, type = "application/json" }] of ways.entries()) {
      const { status } = await plain.send({ method, target, headers: { "content-type": type }, body: value });
      expect(seen[index]).toBe(`${method} ${target} ${status}`);
    }
    const list = async ({ send }: ReturnType<typeof stage>) => (await send({ target: "/notes?fields=id,text" })).json.data;
    expect(await list({ send } as ReturnType<typeof stage>)).toEqual(await list(plain));
  });

  test("x-gzip and capital letters name gzip; identity is no coding", async () => {
    const { send } = stage();
    for (const [coding, body] of [
      ["x-gzip", gzipSync(json)],
      ["GZip", gzipSync(json)],
      [" identity ", json],
    ] as const) {
      expect((await send({ method: "POST", target: "/notes", headers: coded(coding), body })).status).toBe(201);
    }
  });

  test("a body that the host has decoded or parsed is taken as it is", async () => {
    const { service, send } = stage();
    for (const coding of supportedCodings) {
      expect((await send({ method: "POST", target: "/notes", headers: coded(coding), body: json })).status).toBe(201);
    }
    const request = requestOf({ method: "POST", target: "/notes", headers: coded("gzip"), body: json });
    const parsed = await service.handle({ ...request, body: { kind: "parsed", value: { text: "Ada" } } });
    expect(parsed?.status).toBe(201);
  });

  test("the key of a request covers the decoded value", async () => {
    const { send } = stage();
    const post = (headers: Record<string, string>, body: string | Uint8Array) =>
      send({ method: "POST", target: "/notes", headers: { ...headers, "idempotency-key": "key-0000000000000001" }, body });
    expect((await post(coded("gzip"), gzipSync(json))).status).toBe(201);
    const again = await post({}, json);
    expect([again.status, again.json.id]).toEqual([201, 1]);
    expect((await post(coded("gzip"), gzipSync('{"text":"B"}'))).status).toBe(422);
  });
});

describe("refusals", () => {
  test.each(["gzip, br", "gzip, gzip", "deflate", "compress", "identity, gzip", ""])(
    "Content-Encoding %j is 415 and says what is allowed",
    async (coding) => {
      const { send } = stage();
      const { status, json: problem, headers } = await send({ method: "POST", target: "/notes", headers: coded(coding), body: gzipSync(json) });
      expect([status, problem.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
      expect(headers["accept-encoding"]).toBe(["identity", ...supportedCodings, "x-gzip"].join(", "));
    },
  );

  test("without the capability every coding is 415", async () => {
    const { send } = stage([]);
    const { status, headers } = await send({ method: "POST", target: "/notes", headers: coded("gzip"), body: gzipSync(json) });
    expect([status, headers["accept-encoding"]]).toEqual([415, "identity"]);
  });

  test.each(supportedCodings)("a %s body that is truncated, damaged or followed by other bytes is 400", async (coding) => {
    const whole = encoded(json.repeat(50), coding);
    for (const bytes of [
      whole.subarray(0, -3),
      Buffer.concat([whole, Buffer.from("junk")]),
      Buffer.concat([whole, Buffer.alloc(3)]),
      Buffer.from(json),
    ]) {
      await expect(decodeBody(bytes, coding, limits)).rejects.toMatchObject({ code: "MALFORMED_COMPRESSION", status: 400 });
    }
  });

  test("the problem of a truncated body names the header", async () => {
    const { send } = stage();
    const { status, json: problem } = await send({ method: "POST", target: "/notes", headers: coded("gzip"), body: gzipSync(json).subarray(0, -3) });
    expect([status, problem.code, problem.errors[0].header]).toEqual([400, "MALFORMED_COMPRESSION", "Content-Encoding"]);
  });

  test("the limit of the route holds for the decoded body, at the limit and one past it", async () => {
    const { send } = stage([compression()]);
    const ofLength = (length: number) => {
      const noise = createHash("shake256", { outputLength: length / 2 })
        .update("x")
        .digest("hex")
        .slice(0, length - 11);
      return JSON.stringify({ text: noise });
    };
    const at = ofLength(limitBytes);
    expect(Buffer.byteLength(at)).toBe(limitBytes);
    expect((await send({ method: "POST", target: "/notes", headers: coded("gzip"), body: gzipSync(at) })).status).toBe(201);
    const { status, json: problem } = await send({ method: "POST", target: "/notes", headers: coded("gzip"), body: gzipSync(`${at} `) });
    expect([status, problem.code, problem.maximum]).toEqual([413, "PAYLOAD_TOO_LARGE", limitBytes]);
  });

  test("the ratio is judged once 1 MiB has come out", async () => {
    const mebibyte = 1_048_576;
    const small = gzipSync(Buffer.alloc(mebibyte));
    expect((await decodeBody(small, "gzip", limits)).length).toBe(mebibyte);
    const bomb = gzipSync(Buffer.alloc(mebibyte + 1));
    await expect(decodeBody(bomb, "gzip", limits)).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE", extensions: { maximum: mebibyte } });
  });
});

test("random bytes are decoded or refused, and never anything else", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...supportedCodings), fc.uint8Array({ maxLength: 400 }), fc.nat(400), async (coding, noise, at) => {
      const bytes = encoded(noise, coding);
      expect(Buffer.from(await decodeBody(bytes, coding, limits)).equals(Buffer.from(noise))).toBe(true);
      bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ 0x5a;
      const outcome = await decodeBody(bytes, coding, limits).catch((error: unknown) => error);
      expect(outcome instanceof Uint8Array || (outcome instanceof ProblemError && outcome.status < 500)).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test("a signature covers the bytes as sent, and is compared before they are decoded", async () => {
  const keys = { accessKeyId: "AKID", secretAccessKey: "secret", service: "shop", region: "local" };
  const auth = [sigv4({ secret: () => ({ secretAccessKey: "secret", principal: { id: "ada" } }), service: "shop", region: "local" })];
  const { send } = stage([compression()], auth);
  const body = gzipSync(json);
  const url = "http://a.example/notes";
  const headers = { host: "a.example", ...coded("gzip"), "x-amz-content-sha256": createHash("sha256").update(body).digest("hex") };
  const signer = new AwsV4Signer({ ...keys, method: "POST", url, headers, body: new Uint8Array(body) });
  const signed = { host: "a.example", ...Object.fromEntries((await signer.sign()).headers) };
  const post = (bytes: Uint8Array) => send({ method: "POST", target: "/notes", headers: signed, body: bytes });
  expect((await post(body)).status).toBe(201);
  expect((await post(gzipSync('{"text":"Eve"}'))).status).toBe(401);
  expect((await post(Buffer.from(json))).status).toBe(401);
});

test("items of a batch may name the tag of a coded answer", async () => {
  const { send } = stage();
  const created = await send({ method: "POST", target: "/notes", body: { text: "a" } });
  const tag = `${String(created.headers["etag"]).slice(0, -1)}.br"`;
  const patch = (ifMatch: string) => send({ method: "PATCH", target: "/notes/batch", body: { items: [{ id: 1, ifMatch, changes: { text: "b" } }] } });
  expect((await patch('"other.br"')).text).toContain("PRECONDITION_FAILED");
  expect((await patch(tag)).text).not.toContain("PRECONDITION_FAILED");
  expect((await send({ target: "/notes/1" })).json.text).toBe("b");
});
