// @slow

import { EventEmitter, once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import type { S3Client, S3Request } from "restwright/s3";
import { beforeAll, describe, expect, test } from "vitest";
import { payloadOf, S3Api } from "../../../../adapters/stores/s3/call/api.js";
import { resolveBucket } from "../../../../adapters/stores/s3/call/bucketLocation.js";
import { type DraftState, draftOf, stateOf } from "../../../../adapters/stores/s3/drafts/draftState.js";
import { firstWindow, NoPartNumbersLeft, type NumberWindow, PartNumbers } from "../../../../adapters/stores/s3/drafts/partNumbers.js";
import { createUpload, type Upload, uploadPart } from "../../../../adapters/stores/s3/multipart.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import { bucketClient } from "./bucket/bucketClient.js";

let api: S3Api;
/** The same bucket through another client. */
let apiOn: (client: S3Client) => S3Api;

const bucketAsked = bucketClient({ objects: new Map(), uploads: new Map() });

beforeAll(() => {
  const place = resolveBucket("http://127.0.0.1", { bucket: "bucket", pathStyle: true });
  const keys = async () => ({ accessKeyId: "AKID", secretAccessKey: "secret" });
  apiOn = (client) => new S3Api({ place, region: "eu-test-1", keys, client, now: Date.now, timeoutMs: 60_000 });
  api = apiOn(bucketAsked);
});

function begin(): Promise<Upload> {
  return createUpload(api, "mine", undefined);
}

/** Takes numbers and sends parts under some of them. */
async function send(upload: Upload, numbers: PartNumbers, count: number, word: string): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let index = 0; index < count; index++) {
    const number = await numbers.take();
    taken.push(number);
    if (index % 11 === 0) await uploadPart(api, upload, { number, payload: payloadOf(Buffer.from(word)) });
  }
  return taken;
}

async function takeOver(upload: Upload, window: NumberWindow, through = api): Promise<PartNumbers> {
  const numbers = new PartNumbers(through, upload, window);
  await numbers.leap();
  return numbers;
}

/** Who makes the next call: 0 or 1. Nothing is said of calls behind the end. */
type Order = readonly number[];

/** All orders in which two can make so many calls each. */
function ordersOf(zeros: number, ones: number): readonly Order[] {
  if (zeros === 0 || ones === 0) return [[...Array<number>(zeros).fill(0), ...Array<number>(ones).fill(1)]];
  return [...ordersOf(zeros - 1, ones).map((order) => [0, ...order]), ...ordersOf(zeros, ones - 1).map((order) => [1, ...order])];
}

/** Lets one call pass at a time, in that order. */
class Turns {
  #order: Order;
  #waiting = new Map<number, () => void>();

  constructor(order: Order) {
    this.#order = order;
  }

  of(who: number): S3Client {
    return async (request) => {
      if (this.#order.includes(who)) await new Promise<void>((resolve) => this.#wait(who, resolve));
      const response = await bucketAsked(request);
      if (this.#order[0] === who) this.#order = this.#order.slice(1);
      this.#wake();
      return response;
    };
  }

  /** Takes the rest of its turns away. */
  end(who: number): void {
    this.#order = this.#order.filter((one) => one !== who);
    this.#wake();
  }

  #wait(who: number, resolve: () => void): void {
    this.#waiting.set(who, resolve);
    this.#wake();
  }

  #wake(): void {
    const next = [...this.#waiting].find(([who]) => this.#order[0] === who || !this.#order.includes(who));
    if (next === undefined) return;
    this.#waiting.delete(next[0]);
    next[1]();
  }
}

describe("numbers of parts", () => {
  test("go on from 1, in one line, where nobody else is there", async () => {
    const upload = await begin();
    const first = new PartNumbers(api, upload, firstWindow);
    const taken = await send(upload, first, 40, "first");
    const second = new PartNumbers(api, upload, first.window);
    const marks = new Set([65, 66]);
    const numbers = Array.from({ length: 82 }, (_, index) => index + 1).filter((number) => !marks.has(number));
    expect([...taken, ...(await send(upload, second, 40, "second"))]).toEqual(numbers);
  });

  test("are never those of another, whoever takes over from whom and whenever", async () => {
    const writers = fc.array(fc.tuple(fc.nat(70), fc.nat(3)), { minLength: 2, maxLength: 5 });
    const property = fc.asyncProperty(writers, async (writers) => {
      const upload = await begin();
      const before = new PartNumbers(api, upload, firstWindow);
      const lines = [await send(upload, before, 3, "before")];
      const { window } = before;
      const first = send(upload, new PartNumbers(api, upload, window), 70, "first");
      const others = writers.map(async ([count, turns], index) => {
        for (let waited = 0; waited < turns; waited++) await turn();
        return send(upload, await takeOver(upload, window), count, `writer ${index}`);
      });
      lines.push(...(await Promise.all([first, ...others])));
      const all = lines.flat();
      expect(new Set(all).size).toBe(all.length);
      for (const line of lines) expect(line).toEqual(line.toSorted((one, other) => one - other));
    });
    await fc.assert(property, { numRuns: 6, seed: 1 });
  });

  test("are not the same for two who take over at once, in whatever order their calls come", async () => {
    const orders = ordersOf(5, 5);
    expect(orders).toHaveLength(252);
    await Promise.all(
      orders.map(async (order) => {
        const upload = await begin();
        const turns = new Turns(order);
        const windows = [0, 1].map(async (who) => {
          const { window } = await takeOver(upload, firstWindow, apiOn(turns.of(who)));
          turns.end(who);
          return window.next;
        });
        const [one = 0, other = 0] = await Promise.all(windows);
        expect(one, order.join("")).not.toBe(other);
        expect(Math.abs(one - other) % 34, order.join("")).toBe(0);
      }),
    );
  });

  test("are not left to nobody because another has begun with those behind them", async () => {
    const upload = await begin();
    const turns = new Turns([0, 0, 1, 1, 0, 1, 0, 1, 0, 1]);
    const taken = await Promise.all(
      [0, 1].map(async (who) => {
        const { window } = await takeOver(upload, firstWindow, apiOn(turns.of(who)));
        turns.end(who);
        return window.next;
      }),
    );
    expect(taken).toEqual([33, 67]);
  });

  test("are not taken with a mark that was given up and comes late", async () => {
    const upload = await begin();
    // The other finds nobody there, and goes on when this one has.
    const events = new EventEmitter();
    const asked = once(events, "asked");
    const released = once(events, "released");
    const waiting = apiOn(async (request) => {
      if (request.method === "PUT") {
        events.emit("asked");
        await released;
      }
      return bucketAsked(request);
    });
    const taken = takeOver(upload, firstWindow, waiting);
    await asked;
    // The first mark of this one breaks off, is put again, and comes a second time when the other has the window.
    const marks: S3Request[] = [];
    const slow = apiOn(async (request) => {
      if (request.method !== "PUT" || marks.push(request) === 2) return bucketAsked(request);
      if (marks.length === 1) throw new Error("The connection was lost.");
      events.emit("released");
      await taken;
      const response = await bucketAsked(request);
      const [first = request] = marks;
      if (marks.length === 3) await bucketAsked({ ...first, signal: new AbortController().signal });
      return response;
    });
    const { window } = await takeOver(upload, firstWindow, slow);
    expect((await taken).window).toEqual({ next: 33, end: 65 });
    expect(window).toEqual({ next: 67, end: 99 });
  });

  test("are behind all that anybody may still use who had the draft", async () => {
    const upload = await begin();
    const first = new PartNumbers(api, upload, firstWindow);
    await send(upload, first, 5, "first");
    const taker = await takeOver(upload, first.window);
    expect(taker.window).toEqual({ next: 33, end: 65 });
    const late = await send(upload, first, 30, "late");
    expect(late.slice(26)).toEqual([32, 67, 68, 69]);
    expect(await send(upload, taker, 33, "taker")).toEqual([...Array.from({ length: 32 }, (_, index) => 33 + index), 101]);
  });

  test("come to an end, and say so", async () => {
    const upload = await begin();
    const numbers = new PartNumbers(api, upload, { next: 9_987, end: 9_988 });
    expect(await send(upload, numbers, 12, "last")).toEqual(Array.from({ length: 12 }, (_, index) => 9_987 + index));
    await expect(numbers.take()).rejects.toThrow(new Unavailable('The draft of "mine" has no part numbers left. Give its size when you create it.'));
    await expect(takeOver(upload, firstWindow)).rejects.toThrow(NoPartNumbersLeft);
  });

  test("are given for no upload that has ended", async () => {
    const numbers = new PartNumbers(api, { key: "mine", uploadId: "ended" }, firstWindow);
    await expect(numbers.leap()).rejects.toMatchObject({ status: 404, code: "NoSuchUpload" });
  });
});

test("a state comes back as it was, and fits into a mebibyte with all parts that there can be", () => {
  const etag = fc.stringMatching(/^[0-9a-f]{32}$/);
  const tailId = fc.stringMatching(/^[A-Za-z0-9_-]{22}$/);
  const count = fc.integer({ min: 1 });
  const states = fc.record<DraftState>({
    uploadId: fc.string(),
    contentType: fc.option(fc.string(), { nil: undefined }),
    partBytes: fc.integer({ min: 1, max: 1e9 }),
    parts: fc
      .uniqueArray(fc.record({ number: fc.integer({ min: 1, max: 40 }), etag }), { selector: ({ number }) => number })
      .map((parts) => parts.toSorted((one, other) => one.number - other.number)),
    window: fc.record({ next: count, end: count }),
    tail: fc.option(fc.record({ id: tailId, bytes: count }), { nil: undefined }),
    oldTails: fc.array(tailId),
  });
  fc.assert(
    fc.property(states, (state) => {
      const draft = draftOf(state);
      expect(stateOf(draft)).toEqual(state);
      expect(draft.size).toBe(state.parts.length * state.partBytes + (state.tail?.bytes ?? 0));
      expect(stateOf({ ...draft, size: draft.size + 1 })).toBeUndefined();
    }),
  );
  const parts = Array.from({ length: 10_000 }, (_, index) => ({ number: index + 1, etag: "0".repeat(32) }));
  const longest = { uploadId: "u".repeat(200), contentType: "text/plain", partBytes: 1, parts, window: firstWindow, tail: undefined, oldTails: [] };
  expect(draftOf(longest).state.length).toBeLessThan(400_000);
  const etags = parts.map(({ number }) => ({ number, etag: "e".repeat(200) }));
  expect(() => draftOf({ ...longest, parts: etags })).toThrow("A draft of 10000 parts is too long to be stored.");
});
