// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProblemError, parseMultipart } from "../../../../src/capabilities/uploads/index.js";
import { markOwn, releaseChunk } from "../../../../src/ground/http/body/ownChunks.js";
import { joined } from "../../../../src/testing/blobs/bytes.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { crlf, formOf, partOf, readForm, seen } from "./forms.js";
import { usualForm } from "./soundForms.js";

const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
const contentType = `multipart/form-data; boundary=${boundary}`;
const bytes = Buffer.from(usualForm);
const whole = [
  { name: "title", value: "Grüße" },
  { name: "photo", filename: "me.png", type: "image/png", content: Buffer.from("\u0089PNG\r\n--\r\n").toString("latin1") },
];

/** Pieces of any sizes. */
async function* cut(body: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array, void, undefined> {
  let at = 0;
  for (let index = 0; at < body.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    yield body.subarray(at, at + size);
    at += size;
  }
}

/** Pieces with memory of their own, as Node makes them of a body. */
async function* ownPieces(body: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of cut(body, sizes)) {
    const own = new Uint8Array(piece);
    markOwn(own);
    yield own;
  }
}

async function releasedText(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const copies: Buffer[] = [];
  for await (const piece of pieces) {
    copies.push(Buffer.from(piece));
    releaseChunk(piece);
  }
  return Buffer.concat(copies).toString();
}

async function readCut(body: Uint8Array, sizes: readonly number[], type = "multipart/form-data; boundary=b") {
  const parts = [];
  for await (const part of parseMultipart({ headers: { "content-type": type }, body: cut(body, sizes) })) parts.push(await seen(part));
  return parts;
}

describe("the form of a browser", () => {
  test("is whole from its closing boundary on, and an error when it is cut off anywhere before", async () => {
    const end = bytes.lastIndexOf("--") + 2;
    for (let length = 0; length <= bytes.length; length++) {
      const chunkBytes = length % 2 === 0 ? 1 : 1_000;
      const { parts, error } = await readForm(bytes.subarray(0, length), { contentType, chunkBytes });
      if (length >= end) expect({ parts, error }).toEqual({ parts: whole, error: undefined });
      else expect(error, `cut at ${length}`).toMatchObject({ code: "MALFORMED_MULTIPART" });
    }
  });

  test("is the same in whatever pieces it comes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 90 }), { minLength: 1, maxLength: 12 }), async (sizes) => {
        expect(
          await readCut(
            bytes,
            sizes.map((size) => size || 1),
            contentType,
          ),
        ).toEqual(whole);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  test("is the same with a piece that ends anywhere", async () => {
    for (let at = 1; at < bytes.length; at++) expect(await readCut(bytes, [at, bytes.length], contentType)).toEqual(whole);
  });
});

describe("whatever parts a form has", () => {
  const content = fc
    .array(fc.constantFrom("\r\n", "\r\n--", "\r\n--".repeat(20), "\r", "\n", "--", "-", "b", "c", " ", "\0", "ÿ", "x".repeat(40)), { maxLength: 12 })
    .map((pieces) => pieces.join(""));
  const isClear = (text: string) => !`\r\n${text}\r\n`.includes("\r\n--b");
  const part = fc.record({ name: fc.stringMatching(/^[a-z_]{1,8}$/), content: content.filter(isClear), isFile: fc.boolean() });

  test("they come out as they went in, in whatever pieces", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }),
        async (parts, sizes) => {
          const body = formOf(...parts.map(({ name, content, isFile }) => partOf(`name="${name}"${isFile ? '; filename="f"' : ""}`, content)));
          const read = await readCut(Buffer.from(body), sizes);
          const expected = parts.map(({ name, content, isFile }) =>
            isFile ? { name, filename: "f", content: Buffer.from(content).toString("latin1") } : { name, value: content },
          );
          expect(read).toEqual(expected);
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });

  test("a reader may release each piece of a file as soon as it has it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 }),
        async (parts, sizes) => {
          const body = Buffer.from(formOf(...parts.map(({ name, content }) => partOf(`name="${name}"; filename="f"`, content))));
          const read: string[] = [];
          for await (const each of parseMultipart({ headers: { "content-type": "multipart/form-data; boundary=b" }, body: ownPieces(body, sizes) })) {
            if (each.kind === "file") read.push(await releasedText(each.bytes));
          }
          expect(read).toEqual(parts.map(({ content }) => content));
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });

  test("a line that begins with the boundary never ends in other parts than those that were sent", async () => {
    await fc.assert(
      fc.asyncProperty(
        content,
        content,
        fc.constantFrom("--b", "--b-", "--b--", "--bb", "--b\r\n", "--b--\r\n", "--b \r\n", "--b\n"),
        async (before, after, line) => {
          const { error } = await readForm(formOf(partOf('name="a"', `${before}\r\n${line}${after}`)));
          expect(error).toBeInstanceOf(ProblemError);
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });
});

test("file names are never paths, controls or empty", async () => {
  const name = fc
    .array(fc.constantFrom("..", "/", "\\\\", "a", ".", " ", "%22", "%00", "é", "\u202e", "CON", ".png"), { maxLength: 10 })
    .map((pieces) => pieces.join(""));
  await fc.assert(
    fc.asyncProperty(name, async (filename) => {
      const body = crlf("--b", `Content-Disposition: form-data; name="f"; filename="${filename}"`, "", "x", "--b--");
      for await (const part of parseMultipart({ headers: ["Content-Type", "multipart/form-data; boundary=b"], body: cut(Buffer.from(body), [9]) })) {
        if (part.kind !== "file") throw new Error("It is no file.");
        expect((await joined(part.bytes)).length).toBe(1);
        expect(part.filename).toMatch(/^(?![. ])[^/\\\p{Cc}\p{Bidi_Control}"]+(?<![. ])$/u);
      }
    }),
    { numRuns: propertyRuns(200) },
  );
});
