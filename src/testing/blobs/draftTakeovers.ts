import type { BlobStore } from "../../ground/storage/files/blobs.js";
import { cut, random, uniform } from "./bytes.js";
import { append, assertCompletes, assertDraftBytes, assertGone, begin, draftOf, draftsOf, flush, resume, writeAll } from "./draftSteps.js";
import type { BlobScenario } from "./scenario.js";
import type { BlobStage } from "./stage.js";

const mebibyte = 1_048_576;

/** The bytes before the takeover, those of the first writer, and those of the writer that takes over. */
const lengths: readonly (readonly [before: number, stale: number, taker: number])[] = [
  [0, 10, 20],
  [100, 300_000, 200_000],
  [100, 200_000, 300_000],
  [9 * mebibyte, 10, 10],
  [9 * mebibyte, 17 * mebibyte, 12 * mebibyte],
];

/** One writer is taken over by another in the middle of writing, and both continue in turns. Calls of the first may fail. */
async function playTakeover(stage: BlobStage, taker: BlobStore, [before, stale, taken]: (typeof lengths)[number]): Promise<void> {
  const key = stage.key();
  const bytes = random(before);
  const draft = await draftOf(stage, key, bytes);
  const first = await resume(stage.store, key, draft);
  const [early, late] = cut(uniform(1, stale), [Math.ceil(stale / 2)]);
  await writeAll(first, early ?? []);
  const second = await resume(taker, key, draft, { isContested: true });
  const [half, rest] = cut(uniform(2, taken), [Math.ceil(taken / 2)]);
  await writeAll(second, half ?? []);
  await writeAll(first, late ?? []).catch(() => {});
  await writeAll(second, rest ?? []);
  await first.flush().catch(() => {});
  const after = await flush(second);
  await writeAll(first, uniform(1, 1_000)).catch(() => {});
  await first.flush().catch(() => {});
  await first.close();
  await second.close();
  const expected = Buffer.concat([bytes, uniform(2, taken)]);
  await assertDraftBytes(stage.store, key, after, expected);
  await assertCompletes(stage, key, after, expected);
}

export const draftTakeoverScenarios: readonly BlobScenario[] = [
  {
    name: "a writer that takes over a draft has its own bytes, whatever the first writer writes",
    async run(stage) {
      for (const one of lengths) await playTakeover(stage, stage.store, one);
    },
  },
  {
    name: "a writer that takes over a draft in another process has its own bytes",
    needs: { again: true },
    async run(stage) {
      const taker = (await stage.subject.again?.()) ?? stage.store;
      for (const one of lengths) await playTakeover(stage, taker, one);
    },
  },
  {
    name: "the first writer that returns late with its old draft changes nothing",
    async run(stage) {
      for (const isContested of [false, true]) {
        const key = stage.key();
        const bytes = random(1_000);
        const old = await draftOf(stage, key, bytes);
        const taken = await append(stage.store, key, old, uniform(2, 9 * mebibyte), { isContested: true });
        const late = await draftsOf(stage.store).resume(key, old, { isContested });
        await late?.write(uniform(1, 10 * mebibyte)).catch(() => {});
        await late?.flush().catch(() => {});
        const last = await append(stage.store, key, taken, uniform(3, 10));
        await late?.write(uniform(1, 10)).catch(() => {});
        await late?.flush().catch(() => {});
        await late?.close();
        await assertCompletes(stage, key, last, Buffer.concat([bytes, uniform(2, 9 * mebibyte), uniform(3, 10)]));
      }
    },
  },
  {
    name: "a draft that is taken over repeatedly has its earlier bytes and those of the last writer",
    async run(stage) {
      const key = stage.key();
      let draft = await begin(stage.store, key);
      const writers = [await resume(stage.store, key, draft)];
      for (let value = 1; value <= 4; value++) {
        const writer = await resume(stage.store, key, draft, { isContested: true });
        await writeAll(writer, uniform(value, 100_000));
        for (const stale of writers) await stale.write(uniform(9, 150_000)).catch(() => {});
        for (const stale of writers) await stale.flush().catch(() => {});
        draft = await flush(writer);
        writers.push(writer);
      }
      for (const writer of writers) await writer.close();
      await assertCompletes(stage, key, draft, Buffer.concat([1, 2, 3, 4].map((value) => uniform(value, 100_000))));
    },
  },
  {
    name: "a takeover without a flush leaves the draft unchanged",
    async run(stage) {
      for (const length of [0, 100, 9 * mebibyte]) {
        const key = stage.key();
        const bytes = random(length);
        const draft = await draftOf(stage, key, bytes);
        const taker = await resume(stage.store, key, draft, { isContested: true });
        await writeAll(taker, uniform(1, 200_000));
        await taker.close();
        const last = await append(stage.store, key, draft, uniform(2, 10));
        await assertCompletes(stage, key, last, Buffer.concat([bytes, uniform(2, 10)]));
      }
    },
  },
  {
    name: "the draft before a takeover stays valid until the draft after it is resumed",
    async run(stage) {
      for (const length of [0, 100, 9 * mebibyte]) {
        const key = stage.key();
        const bytes = random(length);
        const draft = await draftOf(stage, key, bytes);
        const lost = await append(stage.store, key, draft, uniform(1, 200_000), { isContested: true });
        const last = await append(stage.store, key, draft, uniform(2, 10), { isContested: true });
        await assertCompletes(stage, key, last, Buffer.concat([bytes, uniform(2, 10)]));
        await assertGone(stage.store, key, lost);
      }
    },
  },
  {
    name: "deleting a draft that was taken over deletes all its parts",
    async run(stage) {
      const key = stage.key();
      let draft = await draftOf(stage, key, random(9 * mebibyte));
      for (let turn = 0; turn < 3; turn++) draft = await append(stage.store, key, draft, random(100), { isContested: true });
      await stage.store.delete(key);
      await stage.assertNothing(key);
      await assertGone(stage.store, key, draft);
    },
  },
];
