import assert from "node:assert/strict";
import { assertSameBytes, joined, random, text } from "./bytes.js";
import type { BlobScenario } from "./scenario.js";

export const removeScenarios: readonly BlobScenario[] = [
  {
    name: "a deleted blob is gone, and no other one",
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
    name: "the key of a deleted blob can be reused",
    async run(stage) {
      const key = stage.key();
      await stage.put(key, text("first"));
      await stage.store.delete(key);
      await stage.put(key, text("second"));
      assertSameBytes(await stage.bytes(key), text("second"));
    },
  },
  {
    name: "a reader of a deleted blob continues or gets an error, and never other bytes",
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
    name: "a reader that has not started gets the bytes or an error after a deletion",
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
    name: "a blob that is being written can be deleted, and can then not be committed",
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
