import assert from "node:assert/strict";
import { assertSameBytes, joined, random, text, uniform } from "./bytes.js";
import type { BlobScenario } from "./scenario.js";

export const blobRaceScenarios: readonly BlobScenario[] = [
  {
    name: "of two writers of one key the last commit wins, and their bytes never mix",
    async run(stage) {
      const key = stage.key();
      const [first, second] = [await stage.store.open(key, { contentType: "text/first" }), await stage.store.open(key)];
      for (let turn = 0; turn < 20; turn++) {
        await first.write(uniform(1, 70_000));
        await second.write(uniform(2, 50_000));
      }
      await second.commit();
      assertSameBytes(await stage.bytes(key), uniform(2, 1_000_000));
      const last = await first.commit();
      assertSameBytes(await stage.bytes(key), uniform(1, 1_400_000));
      assert.deepEqual(await stage.store.stat(key), last);
    },
  },
  {
    name: "of many concurrent commits of one key one wins, with its own bytes and type",
    async run(stage) {
      const key = stage.key();
      const writers = Array.from({ length: 8 }, (_, index) => index + 1);
      const committed = await Promise.all(writers.map((value) => stage.put(key, uniform(value, value * 100_000), `text/${value}`)));
      const stat = await stage.store.stat(key);
      const winner = committed.findIndex(({ etag }) => etag === stat?.etag) + 1;
      assert.deepEqual(stat, committed[winner - 1]);
      assert.equal(stat?.contentType, `text/${winner}`);
      assertSameBytes(await stage.bytes(key), uniform(winner, winner * 100_000));
      assert.equal((await stage.listed(key)).length, 1);
    },
  },
  {
    name: "a reader gets one complete blob or an error while others overwrite it",
    async run(stage) {
      const key = stage.key();
      await stage.put(key, uniform(1, 150_000));
      const writing = (async () => {
        for (let value = 2; value < 20; value++) await stage.put(key, uniform(value, 150_000));
      })();
      const readers = Array.from({ length: 30 }, async () => {
        const bytes = await joined(await stage.read(key)).catch(() => undefined);
        if (bytes !== undefined) assertSameBytes(bytes, uniform(bytes[0] ?? 0, 150_000));
      });
      await Promise.all([writing, ...readers]);
    },
  },
  {
    name: "a blob that is deleted during its commit is gone when both have ended",
    async run(stage) {
      for (let turn = 0; turn < 20; turn++) {
        const key = stage.key();
        const writer = await stage.store.open(key, { size: 4 });
        await writer.write(text("gone"));
        const [deleted] = await Promise.all([stage.store.delete(key), writer.commit().catch(() => {})]);
        assert.equal(deleted, true, "there was nothing to delete");
        await stage.assertNothing(key);
      }
    },
  },
  {
    name: "many blobs can be written concurrently",
    async run(stage) {
      const blobs = Array.from({ length: 40 }, (_, index) => ({ key: stage.key(), bytes: random(index * 5_000) }));
      await Promise.all(blobs.map(({ key, bytes }) => stage.put(key, [text("begin "), bytes])));
      for (const { key, bytes } of blobs) assertSameBytes(await stage.bytes(key), Buffer.concat([text("begin "), bytes]));
    },
  },
];
