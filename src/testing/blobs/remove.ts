import assert from "node:assert/strict";
import { assertSameBytes, joined, random, text } from "./bytes.js";
import type { BlobScenario } from "./scenario.js";

export const removeScenarios: readonly BlobScenario[] = [
  {
    name: "a blob is gone when it is deleted, and only it",
    async run(stage) {
      const key = stage.key();
      await stage.put(key, text("gone"));
      await stage.put(`${key}-2`, text("kept"));
      assert.equal(await stage.store.delete(key), true);
      await stage.assertNone(key);
      assert.equal(await stage.store.delete(key), false);
      assertSameBytes(await stage.bytes(`${key}-2`), text("kept"));
    },
  },
  {
    name: "its key can be used again",
    async run(stage) {
      const key = stage.key();
      await stage.put(key, text("first"));
      await stage.store.delete(key);
      await stage.put(key, text("second"));
      assertSameBytes(await stage.bytes(key), text("second"));
    },
  },
  {
    name: "who is reading reads on or has an error, and gets no other bytes",
    async run(stage) {
      const key = stage.key();
      const bytes = random(500_000);
      await stage.put(key, bytes);
      const chunks: Uint8Array[] = [];
      let failed = false;
      try {
        for await (const chunk of await stage.read(key)) {
          chunks.push(chunk);
          if (chunks.length === 1) await stage.store.delete(key);
        }
      } catch {
        failed = true;
      }
      const read = Buffer.concat(chunks);
      assertSameBytes(read, bytes.subarray(0, failed ? read.length : bytes.length));
    },
  },
  {
    name: "who has not begun to read has the bytes or an error",
    async run(stage) {
      const key = stage.key();
      const bytes = random(100);
      await stage.put(key, bytes);
      const unread = await stage.read(key);
      await stage.store.delete(key);
      const read = await joined(unread).catch(() => undefined);
      if (read !== undefined) assertSameBytes(read, bytes);
    },
  },
  {
    name: "what is being written is deleted too, and cannot be committed any more",
    async run(stage) {
      const key = stage.key();
      const writers = [await stage.store.open(key), await stage.store.open(key)];
      for (const writer of writers) await writer.write(random(2_000_000));
      assert.equal(await stage.store.delete(key), true);
      assert.deepEqual(await stage.listed(key), []);
      for (const writer of writers) await assert.rejects(writer.commit());
      for (const writer of writers) await writer.abort();
      await stage.assertNothing(key);
    },
  },
];
