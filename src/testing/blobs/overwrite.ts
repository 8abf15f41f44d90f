import assert from "node:assert/strict";
import { assertSameBytes, joined, text, uniform } from "./bytes.js";
import type { BlobScenario } from "./scenario.js";

export const overwriteScenarios: readonly BlobScenario[] = [
  {
    name: "a second commit replaces the first and has a new etag",
    async run(stage) {
      const key = stage.key();
      const first = await stage.put(key, text("first!"), "text/plain");
      const second = await stage.put(key, text("second"));
      assert.notEqual(first.etag, second.etag);
      assert.deepEqual(await stage.store.stat(key), second);
      assert.equal(second.contentType, undefined);
      assertSameBytes(await stage.bytes(key), text("second"));
      assert.equal((await stage.put(key, text("3"))).size, 1);
      assertSameBytes(await stage.bytes(key), text("3"));
    },
  },
  {
    name: "the first blob stays until the second is committed, or if it never is",
    async run(stage) {
      const key = stage.key();
      const first = await stage.put(key, text("first"));
      const writer = await stage.store.open(key);
      await writer.write(uniform(2, 2_000_000));
      assert.deepEqual(await stage.store.stat(key), first);
      assertSameBytes(await stage.bytes(key), text("first"));
      await writer.abort();
      assert.deepEqual(await stage.store.stat(key), first);
      assertSameBytes(await stage.bytes(key), text("first"));
    },
  },
  {
    name: "a reader of the first blob continues or gets an error, and never bytes of the second",
    async run(stage) {
      const key = stage.key();
      await stage.put(key, uniform(1, 500_000));
      const chunks: Uint8Array[] = [];
      let failed = false;
      try {
        for await (const chunk of await stage.read(key)) {
          chunks.push(chunk);
          if (chunks.length === 1) await stage.put(key, uniform(2, 500_000));
        }
      } catch {
        failed = true;
      }
      const read = Buffer.concat(chunks);
      assertSameBytes(read, uniform(1, failed ? read.length : 500_000));
    },
  },
  {
    name: "a reader that has not started gets the first blob or an error, and never bytes of the second",
    async run(stage) {
      const key = stage.key();
      await stage.put(key, uniform(1, 100_000));
      const read = await stage.read(key);
      await stage.put(key, uniform(2, 100_000));
      const bytes = await joined(read).catch(() => undefined);
      if (bytes !== undefined) assertSameBytes(bytes, uniform(1, 100_000));
    },
  },
];
