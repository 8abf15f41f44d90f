import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, expect, test } from "vitest";
import {
  ClientGone,
  ConfigurationError,
  type FilePart,
  type MultipartOptions,
  type Part,
  ProblemError,
  parseMultipart,
} from "../../../../src/capabilities/uploads/index.js";
import { joined } from "../../../../src/testing/blobs/bytes.js";
import { FakeClock } from "../../../../src/testing/clock.js";
import { chunksOf, crlf, formOf, partOf, readForm } from "./forms.js";
import { Source } from "./source.js";

const headers = { "content-type": "multipart/form-data; boundary=b" };
const kib = 1_024;
const large = partOf('name="large"; filename="large.bin"', "x".repeat(512 * kib));
const field = partOf('name="a"', "1");

function parse(body: AsyncIterable<Uint8Array>, options: MultipartOptions = {}) {
  return parseMultipart({ headers, body }, options);
}

async function fileOf(parts: AsyncIterator<Part>): Promise<FilePart> {
  const { value } = await parts.next();
  if (value?.kind !== "file") throw new Error("There is no file.");
  return value;
}

async function namesOf(parts: AsyncIterable<Part>): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const part of parts) names.push(part.name);
  return names;
}

describe("white space that a gateway has added behind boundaries", () => {
  const whole = crlf("--b", partOf('name="a"', "1"), "--b", partOf('name="f"; filename="f"', " --b "), "--b", partOf('name="c"', ""), "--b--", "");

  test.each([" ", "\t", " \t  ", " ".repeat(2_000)])("%j belongs to no part, in chunks of any size", async (padding) => {
    const padded = whole.replaceAll(/^--b(--)?\r$/gm, `--b$1${padding}\r`);
    const expected = await readForm(whole);
    expect(expected.parts).toHaveLength(3);
    for (const chunkBytes of [1, 2, 3, 7, 64, padded.length]) expect(await readForm(padded, { chunkBytes })).toEqual(expected);
  });
});

describe("a reader of a form", () => {
  test("may read nothing of a file", async () => {
    expect(await namesOf(parse(new Source(formOf(large, field, large, large, field))))).toEqual(["large", "a", "large", "large", "a"]);
  });

  test("may read a piece of a file", async () => {
    const names: string[] = [];
    for await (const part of parse(new Source(formOf(large, large, field)))) {
      names.push(part.name);
      if (part.kind === "file") for await (const chunk of part.bytes) if (chunk.length > 0) break;
    }
    expect(names).toEqual(["large", "large", "a"]);
  });

  test("may let a sink fail in the middle of a file", async () => {
    const names: string[] = [];
    for await (const part of parse(new Source(formOf(large, field)))) {
      names.push(part.name);
      const sink = new Writable({ write: (_chunk, _encoding, done) => done(new Error("The disk is full.")) });
      if (part.kind === "file") await expect(pipeline(part.bytes, sink)).rejects.toThrow("full");
    }
    expect(names).toEqual(["large", "a"]);
  });

  test("sets the pace, whatever the size of the form", async () => {
    const source = new Source(formOf(field, large, field, large));
    let [read, ahead] = [0, 0];
    for await (const part of parse(source)) {
      if (part.kind === "field") continue;
      for await (const chunk of part.bytes) {
        await new Promise(setImmediate);
        ahead = Math.max(ahead, source.sent - read);
        read += chunk.length;
      }
    }
    expect(read).toBe(1_024 * kib);
    expect(ahead).toBeLessThan(256 * kib);
  });

  test("stops the body by not reading on", async () => {
    const source = new Source(formOf(large));
    const parts = parse(source);
    const iterator = (await fileOf(parts)).bytes[Symbol.asyncIterator]();
    await iterator.next();
    const { sent } = source;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(source.sent).toBe(sent);
    expect(sent).toBeLessThan(256 * kib);
    await parts.return();
  });

  test("may ask for chunks before it has the ones before", async () => {
    const parts = parse(new Source(formOf(partOf('name="f"; filename="f"', "0123456789".repeat(10_000)))));
    const iterator = (await fileOf(parts)).bytes[Symbol.asyncIterator]();
    const chunks = await Promise.all(Array.from({ length: 10 }, () => iterator.next()));
    const text = chunks.map(({ value }) => Buffer.from(value ?? []).toString()).join("");
    expect(text).toBe("0123456789".repeat(10_000));
    expect(await parts.next()).toEqual({ done: true, value: undefined });
  });

  test("is told where it comes too late for a file", async () => {
    const parts = parse(new Source(formOf(large, large)));
    const [first] = [await fileOf(parts), await fileOf(parts)];
    await expect(joined(first.bytes)).rejects.toThrow("until the next part is requested");
    await parts.return();
  });

  test("is told where it asks for the next part while a file is being read", async () => {
    const parts = parse(new Source(formOf(large, field)));
    const reading = joined((await fileOf(parts)).bytes);
    const next = parts.next();
    await expect(reading).rejects.toThrow("until the next part is requested");
    expect((await next).value).toMatchObject({ name: "a" });
  });

  test("is told where it iterates a file twice", async () => {
    const parts = parse(new Source(formOf(partOf('name="f"; filename="f"'))));
    const file = await fileOf(parts);
    expect((await joined(file.bytes)).toString()).toBe("x");
    await expect(joined(file.bytes)).rejects.toThrow("once");
  });

  test("keeps what was read of a file that is whole", async () => {
    const parts = parse(new Source(formOf(partOf('name="f"; filename="f"'), field)));
    const { bytes } = await fileOf(parts);
    const read = joined(bytes);
    await read;
    await parts.next();
    expect((await read).toString()).toBe("x");
  });
});

describe("a form that is left", () => {
  test.each<[string, () => void]>([
    ["by a break", () => undefined],
    [
      "by an error",
      () => {
        throw new Error("No more of this.");
      },
    ],
  ])("%s lets go of its body", async (_name, leave) => {
    const source = new Source(formOf(field, large, large));
    const loop = async () => {
      for await (const part of parse(source)) {
        if (part.kind === "field") continue;
        leave();
        break;
      }
    };
    await loop().catch((error: unknown) => expect(error).toMatchObject({ message: "No more of this." }));
    expect(source.isLeft).toBe(true);
    expect(source.sent).toBeLessThan(256 * kib);
  });

  test("while a file is read ends that at once, though the body says nothing", async () => {
    const source = new Source(`--b\r\n${large}`, { ends: "never" });
    const parts = parse(source);
    const reading = joined((await fileOf(parts)).bytes);
    await source.silence;
    await parts.return();
    await expect(reading).rejects.toThrow("abandoned before its end");
  });

  test("before it was begun opens nothing", async () => {
    const source = new Source(formOf(field));
    await parse(source).return();
    expect(source.sent).toBe(0);
  });
});

describe("a body that fails", () => {
  const begun = `--b\r\n${field}\r\n--b\r\n${large}`;

  test("ends the form and the file that is read, as a client that has gone", async () => {
    const cause = new Error("read ECONNRESET");
    const parts = parse(new Source(begun, { ends: cause }));
    await parts.next();
    const file = await fileOf(parts);
    await expect(joined(file.bytes)).rejects.toMatchObject({ name: "ClientGone", cause });
    await expect(parts.next()).rejects.toThrow(ClientGone);
    expect(await parts.next()).toEqual({ done: true, value: undefined });
  });

  test("ends the form in its own problem where it has one", async () => {
    const problem = new ProblemError("INVALID_COMPRESSION", "No.");
    await expect(namesOf(parse(new Source(begun, { ends: problem })))).rejects.toBe(problem);
  });

  test("by ending too early ends the form, and not the file as if it were whole", async () => {
    const parts = parse(new Source(begun));
    await parts.next();
    const file = await fileOf(parts);
    await expect(joined(file.bytes)).rejects.toMatchObject({ code: "MALFORMED_MULTIPART" });
    await expect(parts.next()).rejects.toMatchObject({
      code: "MALFORMED_MULTIPART",
      message: expect.stringContaining("Part 2 of the form does not end"),
    });
  });

  test("by saying nothing ends the form after 30 seconds", async () => {
    const timers = new FakeClock();
    const source = new Source(begun, { ends: "never" });
    const ended = namesOf(parse(source, { timers })).catch((error: unknown) => error);
    await source.silence;
    timers.advance(37_500);
    expect(await ended).toMatchObject({ code: "REQUEST_TIMEOUT", status: 408 });
    expect(source.isLeft).toBe(true);
  });

  test("by dripping ends the form after half a minute", async () => {
    const timers = new FakeClock();
    async function* drip() {
      yield Buffer.from(`--b\r\n${partOf('name="f"; filename="f"', "")}`);
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        timers.advance(1_000);
        yield Buffer.from("x");
      }
    }
    await expect(namesOf(parse(drip(), { timers }))).rejects.toMatchObject({
      code: "REQUEST_TIMEOUT",
      message: expect.stringContaining("1024 bytes a second"),
    });
    expect(timers.now() - Date.UTC(2026, 0, 1)).toBeLessThanOrEqual(40_000);
  });

  test("is not waited for while the reader is slow", async () => {
    const timers = new FakeClock();
    const parts = parse(new Source(formOf(large, field)), { timers });
    const file = await fileOf(parts);
    timers.advance(60_000);
    expect((await joined(file.bytes)).length).toBe(512 * kib);
    timers.advance(60_000);
    expect((await parts.next()).value).toMatchObject({ name: "a" });
    await parts.return();
    expect(timers.pending).toBe(0);
  });

  test("is refused unread where it announces too much", async () => {
    const source = new Source(formOf(field));
    const parts = parseMultipart({ headers: { ...headers, "content-length": "104857601" }, body: source });
    await expect(parts.next()).rejects.toMatchObject({ code: "TOTAL_TOO_LARGE", status: 413, extensions: { limit: 104_857_600 } });
    expect(source.sent).toBe(0);
    const exact = parseMultipart({ headers: { ...headers, "content-length": "104857600" }, body: new Source(formOf(field)) });
    expect(await namesOf(exact)).toEqual(["a"]);
  });
});

describe("a file over its limit", () => {
  test("is named, and is not taken for a whole one", async () => {
    const parts = parse(new Source(formOf(large)), { fileBytes: 512 * kib - 1 });
    const file = await fileOf(parts);
    let read = 0;
    const reading = async () => {
      for await (const chunk of file.bytes) read += chunk.length;
    };
    await expect(reading()).rejects.toMatchObject({ code: "FILE_TOO_LARGE", extensions: { limit: 512 * kib - 1, field: "large" } });
    expect(read).toBeLessThan(512 * kib);
  });

  test("stops the body", async () => {
    const source = new Source(formOf(large, large, large));
    await expect(namesOf(parse(source, { fileBytes: 64 * kib }))).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
    expect(source.sent).toBeLessThan(256 * kib);
    expect(source.isLeft).toBe(true);
  });

  test("may be 25 MiB by default", async () => {
    const content = new Uint8Array(25 * kib * kib);
    const frame = (bytes: Uint8Array) =>
      Buffer.concat([Buffer.from(`--b\r\n${partOf('name="f"; filename="f"', "")}`), bytes, Buffer.from("\r\n--b--")]);
    expect(await namesOf(parse(chunksOf(frame(content), 65_536)))).toEqual(["f"]);
    await expect(namesOf(parse(chunksOf(frame(new Uint8Array(content.length + 1)), 65_536)))).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
  });
});

test.each([{ files: -1 }, { fileBytes: 1.5 }, { requestBytes: Number.POSITIVE_INFINITY }, { stallMs: 0 }])("%j is no limit", async (limits) => {
  await expect(parse(new Source(formOf(field)), limits).next()).rejects.toThrow(ConfigurationError);
});
