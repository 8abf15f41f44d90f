import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { WakeupListener, Wakeups } from "../../ground/storage/wakeups.js";

/** The channel under test. */
export interface WakeupSubject {
  /** The channel as one more process has it. The caller ends it with the last case. */
  connect(): Promise<Wakeups>;
  /** A channel whose engine is away: the case that it settles is skipped without it. */
  connectToNothing?(): Promise<Wakeups>;
}

/** How long something is waited for, in milliseconds. */
const maxMs = 20_000;

/** One listener, and what it heard. */
export class Ear {
  readonly heard: string[] = [];
  #listener: WakeupListener | undefined;

  /** Resolves when messages of `from` arrive. */
  async open(wakeups: Wakeups, from: Wakeups): Promise<void> {
    this.#listener = await wakeups.listen((topics) => void this.heard.push(...topics));
    const probe = randomUUID();
    for (const endMs = performance.now() + maxMs; !this.heard.includes(probe); await sleep(20)) {
      assert.ok(performance.now() < endMs, "A listener hears nothing.");
      await from.send([probe]);
    }
  }

  /** Waits until all of these topics were heard. */
  async hears(topics: readonly string[]): Promise<void> {
    const missing = () => topics.filter((topic) => !this.heard.includes(topic));
    for (const endMs = performance.now() + maxMs; missing().length > 0; await sleep(5)) {
      assert.ok(performance.now() < endMs, `These topics did not arrive: ${JSON.stringify(missing()).slice(0, 200)}.`);
    }
  }

  async close(): Promise<void> {
    await this.#listener?.close();
  }
}

/** The fixture of all scenarios: two processes on one channel, which other scenarios use at the same time. */
export class WakeupStage {
  readonly subject: WakeupSubject;
  readonly one: Wakeups;
  readonly other: Wakeups;

  private constructor(subject: WakeupSubject, one: Wakeups, other: Wakeups) {
    this.subject = subject;
    this.one = one;
    this.other = other;
  }

  static async open(open: () => Promise<WakeupSubject>): Promise<WakeupStage> {
    const subject = await open();
    return new WakeupStage(subject, await subject.connect(), await subject.connect());
  }

  /** A topic that no other scenario has. */
  topic(text = ""): string {
    return `${randomUUID()}${text}`;
  }

  /** Runs with listeners that hear, and closes them. */
  async listening(wakeups: readonly Wakeups[], run: (...ears: readonly Ear[]) => Promise<void>): Promise<void> {
    const ears = wakeups.map(() => new Ear());
    try {
      for (const [index, each] of wakeups.entries()) await ears[index]?.open(each, this.one);
      await run(...ears);
    } finally {
      for (const ear of ears) await ear.close();
    }
  }
}
