import { assertSameBytes, random } from "./bytes.js";
import type { BlobScenario } from "./scenario.js";

const size = 200_000;

/** The first byte, and the end (exclusive). */
const ranges: readonly (readonly [start: number, end: number])[] = [
  [0, size],
  [0, 1],
  [1, 2],
  [0, 65_536],
  [65_535, 65_537],
  [65_536, 131_072],
  [100_000, 199_999],
  [size - 1, size],
  [size - 1, size + 100],
  [0, Number.MAX_SAFE_INTEGER],
];

const emptyRanges: readonly (readonly [start: number, end: number])[] = [
  [0, 0],
  [5, 5],
  [5, 4],
  [size, size],
  [size, size + 1],
  [size + 10, size + 20],
  [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER],
];

export const rangeScenarios: readonly BlobScenario[] = [
  {
    name: "a range returns exactly its bytes, and ends at the end of the blob",
    async run(stage) {
      const key = stage.key();
      const bytes = random(size);
      await stage.put(key, bytes, "a type behind which there are no bytes");
      for (const [start, end] of ranges) assertSameBytes(await stage.bytes(key, { start, end }), bytes.subarray(start, end), `${start} to ${end}`);
    },
  },
  {
    name: "an empty range is empty, and so is one after the end",
    async run(stage) {
      const key = stage.key();
      await stage.put(key, random(size));
      for (const [start, end] of emptyRanges) assertSameBytes(await stage.bytes(key, { start, end }), new Uint8Array(0), `${start} to ${end}`);
    },
  },
  {
    name: "a range of an empty blob is empty",
    async run(stage) {
      const key = stage.key();
      await stage.put(key, []);
      assertSameBytes(await stage.bytes(key, { start: 0, end: 10 }), new Uint8Array(0));
    },
  },
];
