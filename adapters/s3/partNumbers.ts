import { randomBytes } from "node:crypto";
import { Unavailable } from "../../src/storage/errors.js";
import { payloadOf, type S3Api } from "./api.js";
import { type Upload, uploadPartOnce } from "./multipart.js";
import { listParts } from "./pages.js";
import { mostParts } from "./partBytes.js";
import { pauseBefore, withRetries } from "./retries.js";

/** How many numbers are taken at once. */
const windowParts = 32;
/** How many numbers behind a window say whose it is. */
const windowMarks = 2;
/** How often others may be a little faster. */
const mostTries = 8;

/** Numbers from `next` up to and without `end`. */
export interface NumberWindow {
  readonly next: number;
  readonly end: number;
}

/** All numbers of an upload are used up. Who resumes the draft is told that it is gone. */
export class NoNumbersLeft extends Unavailable {}

/** That of a draft which was just begun. */
export const firstWindow: NumberWindow = { next: 1, end: 1 + windowParts };

/**
 * The numbers that a writer of a draft gives to its parts. What another writer gives a number to that a draft already names would take the place of its part: so nobody uses a number
 * that another may use, however late they come and whatever they take each other for.
 *
 * Numbers are taken in windows. A window is what a draft says it has, or lies behind all parts that there are, with two numbers behind it for marks: parts of a few random bytes
 * that no draft ever names. Who wants the window puts its mark on the upper number, goes on only if there is none on the lower one, puts its mark there too, and has the window if the
 * upper mark is still its own. Of two who want the same, the one whose upper mark comes later finds the lower mark of the other, or has replaced the upper one before it is looked at
 * again: never both win (the splitter of Lamport's "A fast mutual exclusion algorithm", 1987). Who does not win leaves the window to nobody, and tries the next one.
 */
export class PartNumbers {
  readonly #api: S3Api;
  readonly #upload: Upload;
  #next: number;
  #end: number;

  constructor(api: S3Api, upload: Upload, { next, end }: NumberWindow) {
    this.#api = api;
    this.#upload = upload;
    this.#next = next;
    this.#end = end;
  }

  /** What is left of the window. */
  get window(): NumberWindow {
    return { next: this.#next, end: this.#end };
  }

  /** How many there are in the window. */
  get left(): number {
    return this.#end - this.#next;
  }

  /** Higher than all before. */
  async take(): Promise<number> {
    await this.reserve();
    this.#next += 1;
    return this.#next - 1;
  }

  /** Resolves when the window has a number. */
  async reserve(): Promise<void> {
    if (this.left <= 0) await this.leap();
  }

  /**
   * Leaves the window to whoever may still use it, and takes another. It is a 404 where the upload has ended.
   *
   * @throws {NoNumbersLeft}
   */
  async leap(): Promise<void> {
    let last = await this.#lastFrom(this.#end);
    for (let tries = 1; tries <= mostTries; tries++) {
      const [next, end] = [last + 1, Math.min(last + 1 + windowParts, mostParts + 1 - windowMarks)];
      if (next >= end) throw new NoNumbersLeft(`The draft of "${this.#upload.key}" has no numbers left for parts. Give its size when it is begun.`);
      if (await this.#claim(next, end)) {
        this.#next = next;
        this.#end = end;
        return;
      }
      last = await this.#lastFrom(end);
      await pauseBefore(tries);
    }
    throw new Unavailable(`Too many go on with the draft of "${this.#upload.key}" at once. Try again.`);
  }

  /** Whether the window is ours now. */
  async #claim(next: number, end: number): Promise<boolean> {
    const [lower, upper] = [end, end + 1];
    const mark = await this.#mark(upper);
    const before = await this.#partsFrom(next);
    // What lies above is of those who saw the upper mark, and leave this window alone.
    if (Math.min(...before.keys()) !== upper || before.get(upper) !== mark) return false;
    await this.#mark(lower);
    const after = await this.#partsFrom(upper);
    return after.get(upper) === mark;
  }

  /** Resolves with the ETag. Each try has bytes of its own: one that was given up and comes late must not look like the one that was acknowledged. */
  #mark(number: number): Promise<string> {
    const name = `UploadPart of "${this.#upload.key}"`;
    return withRetries({ name }, () => uploadPartOnce(this.#api, this.#upload, { number, payload: payloadOf(randomBytes(16)) }));
  }

  async #lastFrom(number: number): Promise<number> {
    return Math.max(number - 1, ...(await this.#partsFrom(number)).keys());
  }

  /** ETags by numbers. */
  async #partsFrom(number: number): Promise<ReadonlyMap<number, string>> {
    const found = new Map<number, string>();
    for await (const part of listParts(this.#api, this.#upload, number - 1)) found.set(part.number, part.etag);
    return found;
  }
}
