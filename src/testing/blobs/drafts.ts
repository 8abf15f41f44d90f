import assert from "node:assert/strict";
import type { Draft } from "../../ground/storage/files/blobs.js";
import { assertSameBytes, cut, random, text } from "./bytes.js";
import { append, assertCompletes, assertDraftBytes, begin, draftBytes, draftOf, draftsOf, flush, readDraft, resume, writeAll } from "./draftSteps.js";
import type { BlobScenario } from "./scenario.js";

const mebibyte = 1_048_576;
/** The interface recommends chunks of about 64 KiB. */
const largestChunk = 262_144;

/** A few bytes, and more than stores keep in one part, because stores may handle them differently. */
const lengths: readonly (readonly [first: number, second: number])[] = [
  [5, 7],
  [100_000, 1],
  [9 * mebibyte, 100],
  [10, 17 * mebibyte],
];

/** The first byte, and the end (exclusive), in a draft of 200,000 bytes. */
const ranges: readonly (readonly [start: number, end: number])[] = [
  [0, 200_000],
  [0, 1],
  [65_535, 65_537],
  [100_000, 199_999],
  [199_999, 200_100],
  [0, Number.MAX_SAFE_INTEGER],
  [5, 5],
  [5, 4],
  [200_000, 200_001],
  [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER],
];

export const draftScenarios: readonly BlobScenario[] = [
  {
    name: "a draft that is resumed many times becomes a blob with all bytes",
    async run(stage) {
      const key = stage.key();
      const bytes = random(3 * mebibyte);
      let draft = await begin(stage.store, key);
      for (const piece of cut(bytes, [1, 65_537, 0, 300_001, 16_384, 7, mebibyte])) draft = await append(stage.store, key, draft, piece);
      await assertCompletes(stage, key, draft, bytes);
    },
  },
  {
    name: "20 MiB of random bytes in chunks of odd sizes, with flushes and resumes, are returned unchanged",
    async run(stage) {
      const key = stage.key();
      const bytes = random(20 * mebibyte);
      let draft = await begin(stage.store, key);
      for (const piece of cut(bytes, [4_999_999, 1, 9 * mebibyte, 65_536])) {
        const writer = await resume(stage.store, key, draft);
        for (const half of cut(piece, [piece.length - Math.floor(piece.length / 3)])) {
          await writeAll(writer, cut(half, [1, 65_537, 16_383, 0, 16_384, 4_099, 1_048_577]));
          draft = await flush(writer);
        }
        await writer.close();
      }
      await assertCompletes(stage, key, draft, bytes);
    },
  },
  {
    name: "a draft is not visible as a blob before it is completed",
    async run(stage) {
      const key = stage.key();
      let draft = await begin(stage.store, key);
      await stage.assertNone(key);
      for (const length of [10, 9 * mebibyte]) {
        draft = await append(stage.store, key, draft, random(length));
        await stage.assertNone(key);
      }
      assert.equal((await draftsOf(stage.store).complete(key, draft))?.size, draft.size);
      assert.equal((await stage.store.stat(key))?.size, draft.size);
    },
  },
  {
    name: "the content type of a draft is stored unchanged, and stays absent if not given",
    async run(stage) {
      for (const type of [undefined, "text/plain; charset=utf-8", `text/x; a="${"long ".repeat(300)}\\""`]) {
        const key = stage.key();
        const draft = await append(stage.store, key, await draftOf(stage, key, text("a"), type), text("b"), { isContested: true });
        const completed = await draftsOf(stage.store).complete(key, draft);
        assert.equal(completed?.contentType, type);
        assert.deepEqual(await stage.store.stat(key), completed);
      }
    },
  },
  {
    name: "an empty draft becomes an empty blob",
    async run(stage) {
      for (const isResumed of [false, true]) {
        const key = stage.key();
        const begun = await begin(stage.store, key);
        const draft = isResumed ? await append(stage.store, key, begun, []) : begun;
        await assertDraftBytes(stage.store, key, draft, new Uint8Array(0));
        await assertCompletes(stage, key, draft, new Uint8Array(0));
      }
    },
  },
  {
    name: "bytes that were not flushed before close are not part of the draft",
    async run(stage) {
      for (const [first, second] of lengths) {
        const key = stage.key();
        const bytes = random(first);
        const writer = await resume(stage.store, key, await begin(stage.store, key));
        await writeAll(writer, bytes);
        const draft = await flush(writer);
        await writeAll(writer, cut(random(second), [100_000]));
        await writer.close();
        await assertDraftBytes(stage.store, key, draft, bytes);
        await assertCompletes(stage, key, draft, bytes);
      }
    },
  },
  {
    name: "bytes after the given draft are dropped when it is resumed",
    async run(stage) {
      for (const [first, second] of lengths) {
        const key = stage.key();
        const bytes = random(first);
        const draft = await draftOf(stage, key, bytes);
        await append(stage.store, key, draft, cut(random(second), [100_000]));
        await assertDraftBytes(stage.store, key, draft, bytes);
        const other = await append(stage.store, key, draft, text("other"));
        await assertCompletes(stage, key, other, Buffer.concat([bytes, text("other")]));
      }
    },
  },
  {
    name: "the draft before a flush stays valid with its own bytes",
    async run(stage) {
      for (const [first, second] of lengths) {
        const key = stage.key();
        const bytes = random(first);
        const before = await draftOf(stage, key, bytes);
        const writer = await resume(stage.store, key, before);
        await writeAll(writer, cut(random(second), [65_536]));
        await flush(writer);
        await writer.close();
        await assertCompletes(stage, key, before, bytes);
      }
    },
  },
  {
    name: "a draft stays valid after any number of resumes without a flush",
    async run(stage) {
      const key = stage.key();
      let draft: Draft = await begin(stage.store, key);
      const bytes = random(10 * mebibyte);
      for (const piece of cut(bytes, [6 * mebibyte])) {
        for (let turn = 0; turn < 2; turn++) await (await resume(stage.store, key, draft)).close();
        const writer = await resume(stage.store, key, draft);
        await writeAll(writer, random(3 * mebibyte));
        await writer.close();
        draft = await append(stage.store, key, draft, cut(piece, [65_536]));
      }
      await assertCompletes(stage, key, draft, bytes);
    },
  },
  {
    name: "a flush without new bytes changes nothing",
    async run(stage) {
      const key = stage.key();
      const writer = await resume(stage.store, key, await begin(stage.store, key));
      assert.equal((await flush(writer)).size, 0);
      await writeAll(writer, text("abc"));
      for (let turn = 0; turn < 3; turn++) assert.equal((await flush(writer)).size, 3);
      await writeAll(writer, text("d"));
      const draft = await flush(writer);
      await writer.close();
      await assertCompletes(stage, key, draft, text("abcd"));
    },
  },
  {
    name: "a closed writer rejects further writes, and a second close does nothing",
    async run(stage) {
      const key = stage.key();
      const writer = await resume(stage.store, key, await begin(stage.store, key));
      await writeAll(writer, text("kept"));
      const draft = await flush(writer);
      await writer.close();
      await writer.close();
      await assert.rejects(writer.write(text("more")));
      await assert.rejects(writer.flush());
      await assertCompletes(stage, key, draft, text("kept"));
    },
  },
  {
    name: "a draft can be read before it is completed, exactly up to its size",
    needs: { readDrafts: true },
    async run(stage) {
      const key = stage.key();
      const bytes = random(200_000);
      const draft = await draftOf(stage, key, bytes);
      for (const isFollowed of [false, true]) {
        if (isFollowed) await append(stage.store, key, draft, random(50_000));
        for (const [start, end] of ranges) {
          assertSameBytes(
            await draftBytes(stage.store, key, draft, { start, end }),
            bytes.subarray(start, Math.max(start, end)),
            `${start} to ${end}`,
          );
        }
      }
      await assertCompletes(stage, key, draft, bytes);
    },
  },
  {
    name: "reading a draft returns chunks of a reasonable size",
    needs: { readDrafts: true },
    async run(stage) {
      const key = stage.key();
      const bytes = random(18 * mebibyte);
      const draft = await draftOf(stage, key, cut(bytes, [700_001]));
      const chunks: Uint8Array[] = [];
      for await (const chunk of await readDraft(stage.store, key, draft)) {
        assert.ok(chunk instanceof Uint8Array && chunk.length > 0 && chunk.length <= largestChunk, `a chunk of ${chunk.length} bytes`);
        chunks.push(chunk);
      }
      assertSameBytes(Buffer.concat(chunks), bytes);
      const [start, end] = [8 * mebibyte - 10, 16 * mebibyte + 10];
      assertSameBytes(await draftBytes(stage.store, key, draft, { start, end }), bytes.subarray(start, end), "a range");
    },
  },
  {
    name: "reading a draft changes nothing, whatever the reader does",
    needs: { readDrafts: true },
    async run(stage) {
      const key = stage.key();
      const draft = await begin(stage.store, key);
      const bytes = random(300_000);
      const longer = await append(stage.store, key, draft, bytes);
      for await (const chunk of await readDraft(stage.store, key, longer)) chunk.fill(0);
      for await (const chunk of await readDraft(stage.store, key, longer)) if (chunk.length > 0) break;
      await readDraft(stage.store, key, longer);
      const last = await append(stage.store, key, longer, text("end"));
      await assertCompletes(stage, key, last, Buffer.concat([bytes, text("end")]));
    },
  },
  {
    name: "drafts of several keys can be written concurrently",
    async run(stage) {
      const all = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const key = stage.key();
          const bytes = random(index * 200_003);
          let draft = await begin(stage.store, key, `text/${index}`);
          for (const piece of cut(bytes, [500_000, 1])) draft = await append(stage.store, key, draft, piece);
          return { key, bytes, draft };
        }),
      );
      await Promise.all(all.map(({ key, draft }) => draftsOf(stage.store).complete(key, draft)));
      for (const [index, { key, bytes }] of all.entries()) {
        assert.equal((await stage.store.stat(key))?.contentType, `text/${index}`);
        assertSameBytes(await stage.bytes(key), bytes);
      }
    },
  },
];
