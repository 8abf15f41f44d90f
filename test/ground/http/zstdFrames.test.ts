import { describe, expect, test } from "vitest";
import { endsWithZstdFrame } from "../../../src/ground/http/body/zstdFrames.js";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

/** Frames by libzstd 1.5.7, and by hand after RFC 8878 §3.1. */
const frames = {
  "with the size of the content": "28b52ffd 20 17 650000 3068656c6c6f200100994b11",
  "with a checksum": "28b52ffd 24 17 650000 3068656c6c6f200100994b11 175eae0d",
  "with a window and two blocks": "28b52ffd 00 58 400000 6e616d653d416e6e 510000 26636974793d426f6e6e",
  "with a size of two bytes": "28b52ffd 60 2c00 4d0000 1061610100272ac002",
  "with a block of one repeated byte": "28b52ffd a0 400d0300 540000 1061610100fbff39c002 036a08 61",
  "with a dictionary of one byte and a size of eight": "28b52ffd e1 07 0100000000000000 090000 61",
  "with a window, a dictionary of four bytes and a size of two": "28b52ffd 43 58 07000000 0000 090000 61",
  "with an empty block": "28b52ffd 20 00 010000",
  "that is skipped": "5f2a4d18 03000000 010203",
  "that is skipped and empty": "502a4d18 00000000",
};

describe("a frame", () => {
  test.each(Object.entries(frames))("%s is complete with its last byte, and not before or after", (_, text) => {
    const frame = hex(text);
    expect(endsWithZstdFrame(frame)).toBe(true);
    for (let length = 0; length < frame.length; length += 1) expect([length, endsWithZstdFrame(frame.subarray(0, length))]).toEqual([length, false]);
    expect(endsWithZstdFrame(Buffer.concat([frame, Buffer.alloc(1)]))).toBe(false);
  });

  test("may begin anywhere in the memory of its bytes", () => {
    const memory = Buffer.concat([Buffer.alloc(5), hex(frames["with a checksum"]), Buffer.alloc(5)]);
    expect(endsWithZstdFrame(memory.subarray(5, -5))).toBe(true);
    expect(endsWithZstdFrame(memory.subarray(5, -6))).toBe(false);
  });

  test.each([
    ["a block of the reserved type", "28b52ffd 20 01 0f0000 61"],
    ["another magic number", "28b52ffe 20 01 090000 61"],
    ["a size of 4 GiB that is skipped", "502a4d18 ffffffff 01"],
  ])("with %s is not complete", (_, text) => {
    expect(endsWithZstdFrame(hex(text))).toBe(false);
  });
});

test("several frames are complete at the end of each, and nowhere else", () => {
  const parts = Object.values(frames).map(hex);
  const bytes = Buffer.concat(parts);
  const ends = new Set(parts.map((_, index) => Buffer.concat(parts.slice(0, index + 1)).length));
  for (let length = 0; length <= bytes.length; length += 1) {
    expect([length, endsWithZstdFrame(bytes.subarray(0, length))]).toEqual([length, ends.has(length)]);
  }
});
