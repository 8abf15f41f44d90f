import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { answerStream } from "../../../src/capabilities/transfer/export/answerStream.js";

function source(count: number, failAt = Number.POSITIVE_INFINITY) {
  const state = { released: false };
  async function* pieces(): AsyncGenerator<number, void, void> {
    try {
      for (let index = 1; index <= count; index++) {
        if (index === failAt) throw new Error("the store went away");
        yield index;
      }
    } finally {
      state.released = true;
    }
  }
  return { pieces: pieces(), state };
}

function setUp() {
  const clock = new FakeClock();
  const failures: unknown[] = [];
  return { clock, failures, options: { timers: clock, maxMs: 5_000, failed: (error: unknown) => void failures.push(error) } };
}

describe("answerStream", () => {
  test("hands on every piece once", async () => {
    const { options, failures } = setUp();
    const taken: number[] = [];
    for await (const piece of await answerStream(source(3).pieces, options)) taken.push(piece);
    expect([taken, failures]).toEqual([[1, 2, 3], []]);
  });

  test("fails before there is a stream where the first piece does", async () => {
    const { options, failures } = setUp();
    await expect(answerStream(source(3, 1).pieces, options)).rejects.toThrow("the store went away");
    expect(failures).toEqual([]);
  });

  test("throws and tells of what fails later", async () => {
    const { options, failures } = setUp();
    const stream = await answerStream(source(3, 2).pieces, options);
    expect(await stream.next()).toEqual({ done: false, value: 1 });
    await expect(stream.next()).rejects.toThrow("the store went away");
    expect(failures).toHaveLength(1);
  });

  test("releases what it holds where nobody reads it", async () => {
    const { options } = setUp();
    const { pieces, state } = source(3);
    await (await answerStream(pieces, options)).return?.();
    expect(state.released).toBe(true);
  });

  test("releases what it holds where its reader takes too long, and never ends as if it were whole", async () => {
    const { clock, options } = setUp();
    const { pieces, state } = source(3);
    const stream = await answerStream(pieces, options);
    await stream.next();
    clock.advance(4_999);
    expect(await stream.next()).toEqual({ done: false, value: 2 });
    expect(state.released).toBe(false);
    clock.advance(1);
    await Promise.resolve();
    expect(state.released).toBe(true);
    await expect(stream.next()).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
  });

  test("ends in an error after the longest time that it may take, also while a piece is made", async () => {
    const { clock, options } = setUp();
    const { pieces, state } = source(10);
    const stream = await answerStream(pieces, options);
    for (let taken = 0; taken < 5; taken++) {
      expect(await stream.next()).toMatchObject({ done: false });
      clock.advance(taken < 4 ? 999 : 1_000 - 4);
    }
    const making = stream.next();
    clock.advance(8);
    await expect(making).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    await expect(stream.next()).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    expect(state.released).toBe(true);
  });

  test("leaves no timer behind", async () => {
    const { clock, options } = setUp();
    const { pieces } = source(1);
    for await (const _ of await answerStream(pieces, options));
    clock.advance(10_000);
    const { pieces: others } = source(2);
    const stream = await answerStream(others, options);
    await stream.return?.();
    clock.advance(10_000);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});
