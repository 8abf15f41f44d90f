import assert from "node:assert/strict";
import { assertSameBytes, text } from "./bytes.js";
import type { BlobScenario } from "./scenario.js";

/** Invalid keys, which every store must reject because a client may have sent them. */
const noKeys = ["", ".", "..", "a/b", "../x", "a\\b", "a.b", "a b", "a\n", "a\0", "ü", "%2e", "x".repeat(129)] as const;

export const blobKeyScenarios: readonly BlobScenario[] = [
  {
    name: "keys have up to 128 letters, digits, _ and -",
    async run(shared) {
      const stage = await shared.another();
      const keys = ["0", "-", "_", "--", "con", "NUL", "part", `${"A".repeat(64)}${"z".repeat(64)}`, "Z".repeat(128), "01JQZ3KXW9", "x_Y-z"];
      for (const key of keys) await stage.put(key, text(key));
      for (const key of keys) assertSameBytes(await stage.bytes(key), text(key), key);
      assert.deepEqual(
        (await stage.listed("")).map(({ key }) => key),
        keys.toSorted(),
      );
    },
  },
  {
    name: "keys are case-sensitive",
    async run(stage) {
      const [small, large] = [`${stage.key()}-ab`, `${stage.key()}-ab`.toUpperCase()];
      for (const key of [small, small.toUpperCase(), large, large.toLowerCase()]) await stage.put(key, text(key));
      for (const key of [small, small.toUpperCase(), large, large.toLowerCase()]) assertSameBytes(await stage.bytes(key), text(key), key);
    },
  },
  {
    name: "an invalid key is a TypeError in every method",
    async run(stage) {
      for (const key of noKeys) {
        const name = JSON.stringify(key);
        await assert.rejects(stage.store.open(key), TypeError, `open ${name}`);
        await assert.rejects(stage.store.stat(key), TypeError, `stat ${name}`);
        await assert.rejects(stage.store.read(key), TypeError, `read ${name}`);
        await assert.rejects(stage.store.delete(key), TypeError, `delete ${name}`);
      }
    },
  },
];
