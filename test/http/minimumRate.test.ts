import { expect, test } from "vitest";
import { atMinimumRate } from "../../src/http/minimumRate.js";
import { FakeClock } from "../../src/testing/clock.js";

/** Reads chunks of so many bytes that come after so many milliseconds each; the reader takes as long for itself. */
async function read(chunks: readonly (readonly [bytes: number, afterMs: number])[], readerMs = 0): Promise<number> {
  const clock = new FakeClock();
  let isLeft = false;
  async function* body() {
    try {
      for (const [bytes, afterMs] of chunks) {
        clock.advance(afterMs);
        yield new Uint8Array(bytes);
      }
    } finally {
      isLeft = true;
    }
  }
  let read = 0;
  try {
    for await (const chunk of atMinimumRate(body(), { bytesPerSecond: 1_024, afterMs: 60_000, now: () => clock.now() })) {
      clock.advance(readerMs);
      read += chunk.length;
    }
  } finally {
    expect(isLeft).toBe(true);
  }
  return read;
}

test("a body that drips is refused after a minute", async () => {
  await expect(read(Array.from({ length: 100 }, () => [1, 1_000]))).rejects.toMatchObject({
    code: "REQUEST_TIMEOUT",
    headers: { connection: "close" },
  });
  expect(await read(Array.from({ length: 60 }, () => [1, 1_000]))).toBe(60);
});

test("a body at the rate passes, though it comes in bursts", async () => {
  expect(await read(Array.from({ length: 100 }, () => [1_024, 1_000]))).toBe(102_400);
  expect(await read([[200_000, 0], ...Array.from({ length: 6 }, () => [1, 30_000] as const)])).toBe(200_006);
});

test("a slow reader is no slow client", async () => {
  expect(
    await read(
      Array.from({ length: 100 }, () => [1, 100]),
      60_000,
    ),
  ).toBe(100);
});
