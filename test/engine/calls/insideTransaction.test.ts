import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { endPart, requireOutside, runInside, type TransactionPart } from "../../../src/ground/storage/insideTransaction.js";

const queue = {};

function open(): TransactionPart {
  return { isOpen: true };
}

test("a part is found after others have ended, across turns of the event loop", async () => {
  const [first, second] = [open(), open()];
  runInside(first, [queue], () => {});
  const waiting = runInside(second, [queue], async () => {
    await nextTurn();
    requireOutside(queue);
  });
  endPart(first);
  endPart(first);
  await expect(waiting).rejects.toThrow('call "tx" instead');
  endPart(second);
});

test("a part that begins when all others have ended is found", async () => {
  for (let round = 0; round < 3; round++) {
    const part = open();
    const waiting = runInside(part, [queue], async () => {
      await nextTurn();
      requireOutside(queue);
    });
    await expect(waiting).rejects.toThrow('call "tx" instead');
    endPart(part);
    await nextTurn();
    requireOutside(queue);
  }
});

test("a part is found although another one ended just before it began", async () => {
  const [first, second] = [open(), open()];
  runInside(first, [queue], () => {});
  endPart(first);
  const waiting = runInside(second, [queue], async () => {
    await nextTurn();
    requireOutside(queue);
  });
  await expect(waiting).rejects.toThrow('call "tx" instead');
  endPart(second);
});

test("what goes on after the end of its part is outside", async () => {
  const part = open();
  const later = runInside(part, [queue], async () => {
    await nextTurn();
    requireOutside(queue);
    return "outside";
  });
  endPart(part);
  await expect(later).resolves.toBe("outside");
});
