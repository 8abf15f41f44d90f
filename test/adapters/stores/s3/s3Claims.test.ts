// @slow

import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import type { S3Client, S3Request } from "restwright/s3";
import { expect, test } from "vitest";
import { S3Api } from "../../../../adapters/stores/s3/call/api.js";
import { resolveBucket } from "../../../../adapters/stores/s3/call/bucketLocation.js";
import { firstWindow, PartNumbers } from "../../../../adapters/stores/s3/drafts/partNumbers.js";
import { beginUpload, type FakeBucket } from "./bucket/bucket.js";
import { bucketClient } from "./bucket/bucketClient.js";

/** A call that S3 has not seen yet. */
interface Waiting {
  readonly who: number;
  readonly request: S3Request;
  answer(): void;
  giveUp(): void;
}

/** Many who take over one draft, whose calls come to S3 in an order that is chosen one by one; some are given up and come late, and some of their callers die. */
class Claims {
  readonly #bucket: FakeBucket = { objects: new Map(), uploads: new Map() };
  readonly #asked = bucketClient(this.#bucket);
  readonly #uploadId = beginUpload(this.#bucket, "mine", "").id;
  readonly #choose: (among: number) => number;
  #waiting: Waiting[] = [];
  /** Who has neither a window nor failed, and lives. */
  readonly #open = new Set<number>();
  readonly #firsts: number[] = [];

  constructor(choices: readonly number[]) {
    let made = 0;
    this.#choose = (among) => ((choices[made % choices.length] ?? 0) + Math.floor(made++ / choices.length)) % among;
  }

  /** @returns the first numbers of all windows that were taken */
  async play(claimants: number): Promise<readonly number[]> {
    for (let who = 0; who < claimants; who++) this.#claim(who);
    while (this.#open.size > 0) {
      for (let passed = 0; passed < 6; passed++) await turn();
      if (this.#waiting.length > 0) this.#pass();
      // Whoever was not the first pauses.
      else await sleep(2);
    }
    return this.#firsts;
  }

  #claim(who: number): void {
    this.#open.add(who);
    const place = resolveBucket("http://127.0.0.1", { bucket: "bucket", pathStyle: true });
    const keys = async () => ({ accessKeyId: "AKID", secretAccessKey: "secret" });
    const api = new S3Api({ place, region: "eu-test-1", keys, client: this.#clientOf(who), now: Date.now, timeoutMs: 60_000 });
    const numbers = new PartNumbers(api, { key: "mine", uploadId: this.#uploadId }, firstWindow);
    const taking = numbers.leap().then(() => this.#firsts.push(numbers.window.next));
    // What is Unavailable has no window, and needs none.
    void taking.catch(() => {}).then(() => this.#open.delete(who));
  }

  #clientOf(who: number): S3Client {
    return (request) =>
      new Promise((resolve, reject) => {
        this.#waiting.push({
          who,
          request,
          answer: () => resolve(this.#asked(request)),
          giveUp: () => reject(new Error("The connection was lost.")),
        });
      });
  }

  #pass(): void {
    const [one] = this.#waiting.splice(this.#choose(this.#waiting.length), 1);
    if (one === undefined) return;
    const fate = one.request.method === "PUT" && this.#open.has(one.who) ? this.#choose(12) : 11;
    if (fate > 2) {
      one.answer();
      return;
    }
    // It comes nevertheless, at any time.
    this.#waiting.push({ ...one, who: -1 });
    if (fate > 0) one.giveUp();
    else this.#open.delete(one.who);
  }
}

test("no two of many have the same numbers, whoever gives up or dies on the way, and whatever comes late", async () => {
  const plays = fc.sample(fc.tuple(fc.integer({ min: 2, max: 4 }), fc.array(fc.nat(10_000), { minLength: 80, maxLength: 80 })), {
    numRuns: 80,
    seed: 1,
  });
  const taken = await Promise.all(plays.map(([claimants, choices]) => new Claims(choices).play(claimants)));
  for (const firsts of taken) {
    expect(new Set(firsts).size).toBe(firsts.length);
    for (const first of firsts) expect((first - 33) % 34).toBe(0);
  }
  expect(taken.filter(({ length }) => length > 1).length).toBeGreaterThan(40);
});
