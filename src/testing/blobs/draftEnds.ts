import assert from "node:assert/strict";
import { assertSameBytes, random, text } from "./bytes.js";
import { append, assertCompletes, assertDraftBytes, assertGone, begin, draftOf, draftsOf, flush, resume, writeAll } from "./draftSteps.js";
import type { BlobScenario } from "./scenario.js";

const mebibyte = 1_048_576;

/** Sizes of drafts: empty, a few bytes, and more than stores keep in one part. */
const lengths = [0, 5, 9 * mebibyte] as const;

export const draftEndScenarios: readonly BlobScenario[] = [
  {
    name: "completing a draft again returns the same result",
    async run(stage) {
      for (const length of lengths) {
        const key = stage.key();
        const bytes = random(length);
        const draft = await draftOf(stage, key, bytes, "text/plain");
        const completed = await draftsOf(stage.store).complete(key, draft);
        assert.deepEqual({ size: completed?.size, contentType: completed?.contentType }, { size: length, contentType: "text/plain" });
        for (let turn = 0; turn < 2; turn++) assert.deepEqual(await draftsOf(stage.store).complete(key, draft), completed);
        assert.deepEqual(await stage.store.stat(key), completed);
        assertSameBytes(await stage.bytes(key), bytes);
      }
    },
  },
  {
    name: "a completed draft cannot be resumed",
    async run(stage) {
      for (const length of lengths) {
        const key = stage.key();
        const bytes = random(length);
        const draft = await draftOf(stage, key, bytes);
        await assertCompletes(stage, key, draft, bytes);
        await assertGone(stage.store, key, draft);
        assertSameBytes(await stage.bytes(key), bytes);
      }
    },
  },
  {
    name: "a draft replaces the blob of its key when it is completed, and not before",
    async run(stage) {
      for (const length of lengths) {
        const key = stage.key();
        const before = await stage.put(key, text("whole"), "text/before");
        const bytes = random(length);
        const draft = await draftOf(stage, key, bytes);
        assert.deepEqual(await stage.store.stat(key), before);
        assertSameBytes(await stage.bytes(key), text("whole"));
        await assertCompletes(stage, key, draft, bytes);
        const after = await stage.store.stat(key);
        assert.notEqual(after?.etag, before.etag);
        assert.equal(after?.contentType, undefined);
      }
    },
  },
  {
    name: "completing a draft deletes everything else that was begun under its key, and nothing else",
    async run(stage) {
      const key = stage.key();
      const [first, second] = [await draftOf(stage, key, random(9 * mebibyte)), await draftOf(stage, key, text("second"))];
      const [empty, neighbour] = [await begin(stage.store, key), await draftOf(stage, `${key}-2`, text("kept"))];
      await assertCompletes(stage, key, second, text("second"));
      for (const other of [first, empty]) await assertGone(stage.store, key, other);
      assert.equal(await draftsOf(stage.store).complete(key, first), undefined);
      assertSameBytes(await stage.bytes(key), text("second"));
      await assertCompletes(stage, `${key}-2`, neighbour, text("kept"));
    },
  },
  {
    name: "several drafts under one key are independent",
    async run(stage) {
      const key = stage.key();
      const drafts = [await draftOf(stage, key, text("one")), await draftOf(stage, key, text("two"))];
      const more = await Promise.all(drafts.map((draft, index) => append(stage.store, key, draft, text(`+${index}`))));
      for (const [index, draft] of more.entries()) await assertDraftBytes(stage.store, key, draft, text(index === 0 ? "one+0" : "two+1"));
    },
  },
  {
    name: "a deleted draft is gone, and its key can be reused",
    async run(stage) {
      for (const length of lengths) {
        const key = stage.key();
        const draft = await draftOf(stage, key, random(length));
        assert.equal(await stage.store.delete(key), true);
        await stage.assertNothing(key);
        await assertGone(stage.store, key, draft);
        assert.equal(await draftsOf(stage.store).complete(key, draft), undefined);
        await stage.assertNothing(key);
        await assertCompletes(stage, key, await draftOf(stage, key, text("again")), text("again"));
      }
    },
  },
  {
    name: "all drafts of a key are deleted with its blob",
    async run(stage) {
      const key = stage.key();
      await stage.put(key, text("whole"));
      const drafts = [await draftOf(stage, key, random(9 * mebibyte)), await draftOf(stage, key, random(10)), await begin(stage.store, key)];
      assert.equal(await stage.store.delete(key), true);
      await stage.assertNothing(key);
      for (const draft of drafts) await assertGone(stage.store, key, draft);
    },
  },
  {
    name: "a draft that is deleted while it is written does not become a blob",
    async run(stage) {
      for (const length of lengths) {
        const key = stage.key();
        const before = await draftOf(stage, key, random(length));
        const writer = await resume(stage.store, key, before);
        await writeAll(writer, random(100));
        assert.equal(await stage.store.delete(key), true);
        const after = await flush(writer).catch(() => undefined);
        await writer.close();
        for (const draft of [before, after]) {
          if (draft === undefined) continue;
          assert.equal(await draftsOf(stage.store).complete(key, draft), undefined);
          await stage.assertNone(key);
        }
      }
    },
  },
  {
    name: "a draft that is deleted during its completion or takeover is gone when both have ended",
    async run(stage) {
      for (let turn = 0; turn < 10; turn++) {
        const [completed, taken] = [stage.key(), stage.key()];
        const draft = await draftOf(stage, completed, text("gone"));
        const completing = draftsOf(stage.store).complete(completed, draft);
        const [isDeleted] = await Promise.all([stage.store.delete(completed), completing.catch(() => undefined)]);
        assert.equal(isDeleted, true, "there was nothing to delete");
        await stage.assertNothing(completed);
        const before = await draftOf(stage, taken, text("gone"));
        const taking = draftsOf(stage.store).resume(taken, before, { isContested: true });
        const [writer] = await Promise.all([taking.catch(() => undefined), stage.store.delete(taken)]);
        const after = await writer?.flush().catch(() => undefined);
        await writer?.close();
        if (after !== undefined) await assertGone(stage.store, taken, after);
        await stage.assertNothing(taken);
      }
    },
  },
  {
    name: "a draft is listed as incomplete with its write time until it is completed",
    async run(stage) {
      for (const length of lengths) {
        const key = stage.key();
        const draft = await draftOf(stage, key, random(length));
        const [listing, ...others] = await stage.listed(key);
        assert.deepEqual(others, []);
        assert.ok(listing !== undefined && !listing.complete && listing.size >= 0 && listing.size <= length);
        assert.deepEqual(await stage.listed(key, listing.lastModified), []);
        const completed = await draftsOf(stage.store).complete(key, draft);
        assert.deepEqual(await stage.listed(key), [{ key, size: length, lastModified: completed?.lastModified, complete: true }]);
      }
    },
  },
  {
    name: "a blob is listed as complete while there is a draft under its key",
    async run(stage) {
      const key = stage.key();
      const { lastModified } = await stage.put(key, text("whole"));
      await draftOf(stage, key, random(100));
      assert.deepEqual(await stage.listed(key), [{ key, size: 5, lastModified, complete: true }]);
    },
  },
  {
    name: "an invalid key is a TypeError",
    async run(stage) {
      const drafts = draftsOf(stage.store);
      const draft = await begin(stage.store, stage.key());
      for (const key of ["", "..", "a/b", "../x", "a\0", "x".repeat(129)]) {
        const name = JSON.stringify(key);
        await assert.rejects(drafts.begin(key), TypeError, `begin ${name}`);
        await assert.rejects(drafts.resume(key, draft), TypeError, `resume ${name}`);
        if (drafts.read !== undefined) await assert.rejects(drafts.read(key, draft), TypeError, `read ${name}`);
        await assert.rejects(drafts.complete(key, draft), TypeError, `complete ${name}`);
      }
    },
  },
  {
    name: "a state from elsewhere is not a draft",
    async run(stage) {
      const key = stage.key();
      await begin(stage.store, key);
      for (const state of ["", "{", "null", "[]", '"x"', "{}", '{"file":"../../x"}', "../x", "0".repeat(16)]) {
        const draft = { state, size: 0 };
        await assertGone(stage.store, key, draft);
        assert.equal(await draftsOf(stage.store).complete(key, draft), undefined);
      }
      await stage.assertNone(key);
    },
  },
];
