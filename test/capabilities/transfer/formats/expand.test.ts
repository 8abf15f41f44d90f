// @slow

import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { expand } from "../../../../src/capabilities/transfer/formats/expand.js";
import { Endless, inParts, problemIn, repeat, textOf } from "./files.js";

const first = gzipSync("id,name\n");
const second = gzipSync("1,Ada\n");
const file = Buffer.concat([first, second]);
const content = "id,name\n1,Ada\n";
const roomy = { limitBytes: 1_000_000 };

/** Waits until a source is closed: a stream does so when it comes to it. */
async function closed(source: Endless): Promise<boolean> {
  for (let turn = 0; turn < 100 && !source.isClosed; turn++) await setImmediate();
  return source.isClosed;
}

describe("a gzip file", () => {
  test("of several members is expanded, wherever it is cut", async () => {
    for (let at = 0; at <= file.length; at++) {
      const parts = new Endless([file.subarray(0, at), file.subarray(at)]);
      expect(await textOf(expand(parts, roomy))).toBe(content);
    }
    expect(await textOf(expand(inParts(file, 1), roomy))).toBe(content);
  });

  test("may expand to as much as is allowed, and to no byte more", async () => {
    expect(await textOf(expand(inParts(file), { limitBytes: content.length }))).toBe(content);
    const problem = await problemIn(() => textOf(expand(inParts(file), { limitBytes: content.length - 1 })));
    expect(problem).toMatchObject({ code: "IMPORT_TOO_LARGE", status: 413, extensions: { maximum: content.length - 1 } });
  });

  test("that is cut off is refused, wherever that is within a member", async () => {
    for (let length = 0; length < file.length; length++) {
      if (length === first.length) continue;
      const problem = await problemIn(() => textOf(expand(inParts(file.subarray(0, length)), roomy)));
      expect(problem).toMatchObject({ code: "INVALID_COMPRESSION", status: 422, cause: expect.any(Error) });
    }
  });

  test.each([
    ["is none", Buffer.from("id,name\n1,Ada\n")],
    ["is zip", Buffer.from("PK\u0003\u0004 and so on")],
    ["has another checksum", Buffer.from(first).fill(0, first.length - 8, first.length - 4)],
    ["is followed by something else", Buffer.concat([first, Buffer.from("id,name\n")])],
  ])("that %s is refused", async (_name, bytes) => {
    expect(await problemIn(() => textOf(expand(inParts(bytes), roomy)))).toMatchObject({ code: "INVALID_COMPRESSION" });
  });

  test("that is a bomb stops early: little of it is read, and nothing held", async () => {
    const bomb = new Endless(repeat("", gzipSync(Buffer.alloc(50_000_000))));
    const before = process.memoryUsage().arrayBuffers;
    let expanded = 0;
    const problem = await problemIn(async () => {
      for await (const part of expand(bomb, { limitBytes: 10_000_000 })) expanded += part.length;
    });
    expect(problem?.code).toBe("IMPORT_TOO_LARGE");
    expect(expanded).toBeLessThanOrEqual(10_000_000);
    expect(bomb.bytes).toBeLessThan(500_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
    expect(await closed(bomb)).toBe(true);
  });

  test("is released when nobody reads on", async () => {
    const source = new Endless(repeat("", first));
    for await (const part of expand(source, roomy)) {
      expect(part.length).toBeGreaterThan(0);
      break;
    }
    expect(await closed(source)).toBe(true);
  });

  test("ends with what its source throws", async () => {
    const fault = new Error("The client is gone.");
    const source = new Endless(
      (function* () {
        yield first.subarray(0, 5);
        throw fault;
      })(),
    );
    await expect(textOf(expand(source, roomy))).rejects.toBe(fault);
  });
});
