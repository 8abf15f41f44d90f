import * as zlib from "node:zlib";
import { createService, defineResource } from "restwright";
import { type Coding, codedStream, coderOf, compression, decodeBody, supportedCodings } from "restwright/compression";
import { formats } from "restwright/formats";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, readPieces, requestOf } from "../../tools/client.js";
import { encoded } from "./decoded.js";

const schema = z.object({ id: z.int(), name: z.string(), city: z.string().optional(), note: z.string().optional() });
const people = defineResource("people", { schema, generated: { id: "increment" }, accepts: ["json", "form"] });

function stage() {
  const service = createService({ resources: [people], storage: memoryStorage(), use: [formats(), compression()] });
  return { service, list: async () => (await clientOf(service)({ target: "/people" })).json.data as readonly unknown[] };
}

/** Sent in two pieces, each of which is decoded as soon as it arrives. */
const bodies = [
  ["a form", "application/x-www-form-urlencoded", ["name=Ann", "&city=Bonn&note=hello+hello+hello"]],
  ["JSON", "application/json", ['{"name":"Ann"}', "     "]],
] as const;

async function* inPieces(pieces: readonly string[]): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** What clients send: compressed at once, and as a stream that is flushed between. */
async function waysOf(pieces: readonly string[], coding: Coding): Promise<readonly Buffer[]> {
  const text = pieces.join("");
  const ways = [encoded(text, coding), await readPieces(codedStream(inPieces(pieces), coderOf(coding)))];
  return coding === "zstd" ? [...ways, withChecksum(text)] : ways;
}

function withChecksum(text: string): Buffer {
  const { zstdCompressSync, constants } = zlib as unknown as {
    readonly zstdCompressSync: (text: string, options: object) => Buffer;
    readonly constants: { readonly ZSTD_c_checksumFlag: number };
  };
  return zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

const chunked = (bytes: Uint8Array) => ({
  kind: "stream" as const,
  stream: (async function* () {
    yield bytes;
  })(),
});

describe.each(bodies)("%s that ends before its last byte", (_, type, pieces) => {
  test.each(supportedCodings)("is 400 in %s, and nothing is stored", async (coding) => {
    const { service, list } = stage();
    const request = requestOf({
      method: "POST",
      target: "/people",
      headers: { "content-type": type, "content-encoding": coding, "transfer-encoding": "chunked" },
      body: "",
    });
    const ways = await waysOf(pieces, coding);
    for (const whole of ways) {
      for (let length = 1; length < whole.length; length += 1) {
        const answer = await service.handle({ ...request, body: chunked(whole.subarray(0, length)) });
        expect([length, answer?.status, JSON.parse(String(answer?.body)).code]).toEqual([length, 400, "MALFORMED_COMPRESSION"]);
      }
    }
    expect(await list()).toEqual([]);
    for (const whole of ways) expect((await service.handle({ ...request, body: chunked(whole) }))?.status).toBe(201);
    expect(await list()).toHaveLength(ways.length);
  });

  test.each(supportedCodings)("is refused in %s if the host has read it, and nothing is stored", async (coding) => {
    const { service, list } = stage();
    for (const whole of await waysOf(pieces, coding)) {
      for (let length = 1; length < whole.length; length += 1) {
        const headers = { "content-type": type, "content-encoding": coding };
        const answer = await service.handle(requestOf({ method: "POST", target: "/people", headers, body: whole.subarray(0, length) }));
        // Brotli has no magic number, so that what is not Brotli may have been decoded by the host: then the form itself is invalid.
        expect([length, answer?.status]).toEqual([length, coding === "br" ? expect.toBeOneOf([400, 422]) : 400]);
      }
    }
    expect(await list()).toEqual([]);
  });
});

test.each(supportedCodings)("data of several blocks in %s is decoded, and refused without its last byte", async (coding) => {
  const text = Array.from({ length: 60_000 }, (_, index) => String((index * 2_654_435_761) % 10_007)).join();
  const whole = encoded(text, coding);
  const limits = { limitBytes: 4_194_304 };
  expect(Buffer.from(await decodeBody(whole, coding, limits)).toString()).toBe(text);
  for (const cut of [1, 2, 3, 4, 1_000, 70_000]) {
    await expect(decodeBody(whole.subarray(0, -cut), coding, limits)).rejects.toMatchObject({ code: "MALFORMED_COMPRESSION" });
  }
});
