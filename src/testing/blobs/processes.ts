import assert from "node:assert/strict";
import { assertSameBytes, joined, random, text } from "./bytes.js";
import type { BlobScenario } from "./scenario.js";
import type { BlobStage } from "./stage.js";

const mebibyte = 1_048_576;

export const processScenarios: readonly BlobScenario[] = [
  {
    name: "another store on the same data sees the same blobs",
    needs: { again: true },
    async run(stage) {
      const other = await openAgain(stage);
      const key = stage.key();
      const bytes = random(100_000);
      const committed = await stage.put(key, bytes, "text/plain");
      assert.deepEqual(await other.stat(key), committed);
      assertSameBytes(await joined((await other.read(key)) ?? assert.fail("the other has no such blob")), bytes);
      assert.deepEqual(await stage.listed(key, undefined, other), await stage.listed(key));
      assert.equal(await other.delete(key), true);
      await stage.assertNone(key);
    },
  },
  {
    name: "another store on the same data does not see an incomplete blob, but can delete it",
    needs: { again: true },
    async run(stage) {
      const other = await openAgain(stage);
      const key = stage.key();
      const writer = await stage.store.open(key);
      await writer.write(random(2 * mebibyte));
      await stage.assertNone(key, other);
      assert.equal(await other.delete(key), true);
      await assert.rejects(writer.commit());
      await stage.assertNothing(key);
    },
  },
  {
    name: "a process that dies while it writes leaves no blob, but an incomplete part that is listed and can be deleted",
    needs: { dieWriting: true },
    async run(stage) {
      const key = stage.key();
      await stage.subject.dieWriting?.(key, 3 * mebibyte);
      await stage.assertNone(key);
      assert.deepEqual(
        (await stage.listed(key)).map(({ complete }) => complete),
        [false],
      );
      assert.equal(await stage.store.delete(key), true);
      await stage.assertNothing(key);
    },
  },
  {
    name: "a blob stays if a process dies while it replaces it",
    needs: { dieWriting: true },
    async run(stage) {
      const key = stage.key();
      const before = await stage.put(key, text("before"));
      await stage.subject.dieWriting?.(key, mebibyte);
      assert.deepEqual(await stage.store.stat(key), before);
      assertSameBytes(await stage.bytes(key), text("before"));
      await stage.put(key, text("after"));
      assertSameBytes(await stage.bytes(key), text("after"));
      assert.equal(await stage.store.delete(key), true);
      await stage.assertNothing(key);
    },
  },
];

function openAgain({ subject }: BlobStage) {
  assert.ok(subject.again !== undefined);
  return subject.again();
}
