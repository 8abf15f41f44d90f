import assert from "node:assert/strict";
import { random, text } from "./bytes.js";
import type { BlobScenario } from "./scenario.js";

export const blobListScenarios: readonly BlobScenario[] = [
  {
    name: "list returns each blob with the prefix once, and no others",
    async run(stage) {
      const prefix = stage.key();
      const keys = Array.from({ length: 60 }, (_, index) => `${prefix}-${index}`);
      const stats = await Promise.all(keys.map((key, index) => stage.put(key, random(index))));
      await stage.put(stage.key(), text("other"));
      const expected = keys.map((key, index) => ({ key, size: index, lastModified: stats[index]?.lastModified, complete: true }));
      assert.deepEqual(
        await stage.listed(prefix),
        expected.toSorted((one, other) => (one.key < other.key ? -1 : 1)),
      );
      assert.deepEqual(
        (await stage.listed(`${prefix}-1`)).map(({ key }) => key),
        keys.filter((key) => key.startsWith(`${prefix}-1`)).toSorted(),
      );
    },
  },
  {
    name: "an empty prefix lists all blobs, and an empty store lists nothing",
    async run(shared) {
      const stage = await shared.another();
      assert.deepEqual(await stage.listed(""), []);
      await stage.put("b", text("b"));
      await stage.put("a", text("a"));
      const writer = await stage.store.open("c");
      assert.deepEqual(
        (await stage.listed("")).map(({ key, complete }) => [key, complete]),
        [
          ["a", true],
          ["b", true],
          ["c", false],
        ],
      );
      await writer.abort();
    },
  },
  {
    name: "list only returns blobs written before the given time",
    async run(stage) {
      const key = stage.key();
      const { lastModified } = await stage.put(key, text("x"));
      assert.deepEqual(await stage.listed(key, lastModified), []);
      assert.equal((await stage.listed(key, new Date(lastModified.getTime() + 1))).length, 1);
      const begun = await stage.store.open(`${key}-begun`);
      const [listing] = await stage.listed(`${key}-begun`);
      assert.ok(listing !== undefined);
      assert.deepEqual(await stage.listed(`${key}-begun`, listing.lastModified), []);
      await begun.abort();
    },
  },
  {
    name: "a blob is listed as incomplete until it is committed or aborted",
    async run(stage) {
      const key = stage.key();
      const writers = [await stage.store.open(key), await stage.store.open(key)];
      for (const writer of writers) await writer.write(random(2_000_000));
      const begun = await stage.listed(key);
      assert.deepEqual(
        begun.map(({ complete }) => complete),
        [false],
      );
      assert.ok(begun.every(({ size }) => size >= 0 && size <= 4_000_000));
      await writers[0]?.abort();
      assert.equal((await stage.listed(key)).length, 1);
      const committed = await writers[1]?.commit();
      const listed = { key, size: 2_000_000, lastModified: committed?.lastModified, complete: true };
      assert.deepEqual(await stage.listed(key), [listed]);
    },
  },
  {
    name: "a blob is listed as complete while another one is written under its key",
    async run(stage) {
      const key = stage.key();
      const { lastModified } = await stage.put(key, text("whole"));
      const writer = await stage.store.open(key);
      await writer.write(random(100));
      assert.deepEqual(await stage.listed(key), [{ key, size: 5, lastModified, complete: true }]);
      await writer.abort();
    },
  },
  {
    name: "blobs can be deleted while they are listed",
    async run(stage) {
      const prefix = stage.key();
      for (let index = 0; index < 20; index++) await stage.put(`${prefix}-${index}`, text("x"));
      let deleted = 0;
      for await (const { key } of stage.store.list(prefix, { before: new Date(8.64e15) })) if (await stage.store.delete(key)) deleted += 1;
      assert.equal(deleted, 20);
      assert.deepEqual(await stage.listed(prefix), []);
    },
  },
];
