import assert from "node:assert/strict";
import { assertSameBytes, joined, random } from "./bytes.js";
import type { BlobScenario } from "./scenario.js";

/** The interface recommends chunks of about 64 KiB. */
const largestChunk = 262_144;

export const readScenarios: readonly BlobScenario[] = [
  {
    name: "stat and read return undefined for an unknown blob",
    async run(stage) {
      await stage.assertNothing(stage.key());
    },
  },
  {
    name: "reading returns chunks of a reasonable size",
    async run(stage) {
      const key = stage.key();
      await stage.put(key, random(1_500_000));
      for await (const chunk of await stage.read(key)) {
        assert.ok(chunk instanceof Uint8Array && chunk.length > 0 && chunk.length <= largestChunk, `a chunk of ${chunk.length} bytes`);
      }
    },
  },
  {
    name: "a reader that changes its chunks does not change the blob",
    async run(stage) {
      const key = stage.key();
      const bytes = random(100_000);
      await stage.put(key, Buffer.from(bytes));
      for await (const chunk of await stage.read(key)) chunk.fill(0);
      assertSameBytes(await stage.bytes(key), bytes);
    },
  },
  {
    name: "chunks do not change while later ones are read",
    async run(stage) {
      const key = stage.key();
      const bytes = random(400_000);
      await stage.put(key, bytes);
      assertSameBytes(await joined(await stage.read(key)), bytes);
    },
  },
  {
    name: "readers are independent, also of one that stops early",
    async run(stage) {
      const key = stage.key();
      const bytes = random(300_000);
      await stage.put(key, bytes);
      for (let round = 0; round < 10; round++) for await (const chunk of await stage.read(key)) if (chunk.length > 0) break;
      const [slow, quick] = [await stage.read(key), await stage.read(key, { start: 1, end: 299_999 })];
      const chunks: Uint8Array[] = [];
      for await (const chunk of slow) {
        chunks.push(chunk);
        if (chunks.length === 1) assertSameBytes(await joined(quick), bytes.subarray(1, 299_999));
      }
      assertSameBytes(Buffer.concat(chunks), bytes);
    },
  },
];
