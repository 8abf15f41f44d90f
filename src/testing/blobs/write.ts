import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { assertSameBytes, cut, random, text } from "./bytes.js";
import type { BlobScenario } from "./scenario.js";

const mebibyte = 1_048_576;

export const writeScenarios: readonly BlobScenario[] = [
  {
    name: "a blob returns its bytes and its metadata",
    async run(stage) {
      const key = stage.key();
      const committed = await stage.put(key, text("hello"), "text/plain; charset=utf-8");
      const { etag, lastModified, ...rest } = committed;
      assert.deepEqual(rest, { size: 5, contentType: "text/plain; charset=utf-8" });
      assert.match(etag, /^[\x21\x23-\x7e]+$/, "the etag is to be sent in quotes");
      assert.ok(lastModified instanceof Date && !Number.isNaN(lastModified.getTime()));
      assert.deepEqual(await stage.store.stat(key), committed);
      assertSameBytes(await stage.bytes(key), text("hello"));
    },
  },
  {
    name: "a blob without a content type has none",
    async run(stage) {
      const key = stage.key();
      assert.equal((await stage.put(key, text("x"))).contentType, undefined);
      assert.equal((await stage.store.stat(key))?.contentType, undefined);
    },
  },
  {
    name: "a content type of any length is stored unchanged",
    async run(stage) {
      for (const type of [`multipart/mixed; boundary="${"b".repeat(70)}"`, `text/x; a="${"long ".repeat(300)}\\""`]) {
        const key = stage.key();
        await stage.put(key, text("x"), type);
        assert.equal((await stage.store.stat(key))?.contentType, type);
        assertSameBytes(await stage.bytes(key), text("x"));
      }
    },
  },
  {
    name: "an empty blob is a blob",
    async run(stage) {
      for (const chunks of [[], [new Uint8Array(0)]]) {
        const key = stage.key();
        assert.equal((await stage.put(key, chunks)).size, 0);
        assertSameBytes(await stage.bytes(key), new Uint8Array(0));
        assert.deepEqual(
          (await stage.listed(key)).map(({ size, complete }) => ({ size, complete })),
          [{ size: 0, complete: true }],
        );
      }
    },
  },
  {
    name: "the SHA-256 of a blob that is followed is that of its bytes, whether the commit waits for it or not",
    async run(stage) {
      for (const waits of [true, false]) {
        const key = stage.key();
        const bytes = random(5 * mebibyte);
        const writer = await stage.store.open(key);
        writer.follow?.();
        for (const chunk of cut(bytes, [1, 65_537, 0, 1_048_577])) await writer.write(chunk);
        const hashing = Promise.resolve(writer.sha256?.());
        if (waits) await hashing;
        await writer.commit();
        const sha256 = await hashing;
        if (sha256 !== undefined) assert.equal(sha256, createHash("sha256").update(bytes).digest("hex"));
        assertSameBytes(await stage.bytes(key), bytes);
      }
    },
  },
  {
    name: "5 MiB of random bytes in chunks of odd sizes are returned unchanged",
    async run(stage) {
      const key = stage.key();
      const bytes = random(5 * mebibyte);
      const { size } = await stage.put(key, cut(bytes, [1, 65_537, 16_383, 0, 16_384, 4_099, 1_048_577, 7, 300_001]));
      assert.equal(size, bytes.length);
      assertSameBytes(await stage.bytes(key), bytes);
    },
  },
  {
    name: "a chunk that the store gives back may be overwritten, without a change of the blob",
    async run(stage) {
      const key = stage.key();
      const bytes = random(5 * mebibyte);
      const writer = await stage.store.open(key);
      writer.follow?.();
      for (const chunk of cut(bytes, [65_536, 20_000, 100])) await writer.write(Buffer.from(chunk), (given) => given.fill(0));
      const hashing = Promise.resolve(writer.sha256?.());
      await writer.commit();
      const sha256 = await hashing;
      if (sha256 !== undefined) assert.equal(sha256, createHash("sha256").update(bytes).digest("hex"));
      assertSameBytes(await stage.bytes(key), bytes);
    },
  },
  {
    name: "many small chunks are returned unchanged",
    async run(stage) {
      const key = stage.key();
      const bytes = random(100_000);
      await stage.put(key, cut(bytes, [1, 2, 3, 50]));
      assertSameBytes(await stage.bytes(key), bytes);
    },
  },
  {
    name: "a blob is not visible before it is committed",
    async run(stage) {
      const key = stage.key();
      const writer = await stage.store.open(key);
      await stage.assertNone(key);
      for (const chunk of cut(random(3 * mebibyte), [65_536])) await writer.write(chunk);
      await stage.assertNone(key);
      assert.equal((await writer.commit()).size, 3 * mebibyte);
      assert.equal((await stage.store.stat(key))?.size, 3 * mebibyte);
    },
  },
  {
    name: "an aborted blob leaves nothing",
    async run(stage) {
      for (const length of [0, 5, 3 * mebibyte]) {
        const key = stage.key();
        const writer = await stage.store.open(key, { contentType: "text/plain" });
        await writer.write(random(length));
        await writer.abort();
        await writer.abort();
        await stage.assertNothing(key);
      }
    },
  },
  {
    name: "an abort during a write leaves nothing",
    async run(stage) {
      const key = stage.key();
      const writer = await stage.store.open(key);
      for (let count = 0; count < 3; count++) await writer.write(random(mebibyte));
      const writing = writer.write(random(3 * mebibyte)).catch(() => {});
      await writer.abort();
      await writing;
      await stage.assertNothing(key);
    },
  },
  {
    name: "an abort after the commit does nothing",
    async run(stage) {
      const key = stage.key();
      const writer = await stage.store.open(key);
      await writer.write(text("kept"));
      await writer.commit();
      await writer.abort();
      assertSameBytes(await stage.bytes(key), text("kept"));
    },
  },
  {
    name: "a writer that has ended rejects further writes",
    async run(stage) {
      for (const end of ["commit", "abort"] as const) {
        const key = stage.key();
        const writer = await stage.store.open(key);
        await writer.write(text("first"));
        await writer[end]();
        await assert.rejects(writer.write(text("second")));
        await assert.rejects(writer.commit());
        if (end === "commit") assertSameBytes(await stage.bytes(key), text("first"));
        else await stage.assertNothing(key);
      }
    },
  },
];
