import { randomBytes } from "node:crypto";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import { payloadOf, type S3Api } from "../call/api.js";
import { pauseBefore, withRetries } from "../call/retries.js";
import { type Upload, uploadPartOnce } from "../multipart.js";
import { listParts } from "../pages.js";
import { maxParts } from "../partBytes.js";

/** How many numbers are allocated at once. */
const windowParts = 32;
/** How many numbers after a window are used for marks. */
const windowMarks = 2;
/** How often another writer may win a window first. */
const maxTries = 8;

/** Numbers from `next` to `end`, exclusive. */
export interface NumberWindow {
  readonly next: number;
  readonly end: number;
}

/** All numbers of an upload are used up. The caller that resumes the draft is told that it is gone. */
export class NoPartNumbersLeft extends Unavailable {}

/** The window of a new draft. */
export const firstWindow: NumberWindow = { next: 1, end: 1 + windowParts };

/**
 * Allocates part numbers for the writers of a draft. A part that another writer uploads with the same number would replace a part that the draft already
 * refers to. So no writer uses a number that another one may use, however late it writes and whatever it knows of the others.
 *
 * Numbers are allocated in windows. A window is recorded in a draft, or lies after all existing parts, followed by two numbers for marks: parts of a few
 * random bytes that no draft refers to. A writer puts its mark on the upper number, continues only if there is none on the lower number, puts its mark there
 * too, and wins the window if the upper mark is still its own. Of two writers, the one whose upper mark comes later finds the lower mark of the other, or has
 * replaced the upper mark before the other reads it again: they never both win (the splitter of Lamport's "A fast mutual exclusion algorithm", 1987). A
 * writer that does not win abandons the window, and tries the next one.
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

  /** The rest of the window. */
  get window(): NumberWindow {
    return { next: this.#next, end: this.#end };
  }

  /** The number of free numbers in the window. */
  get left(): number {
    return this.#end - this.#next;
  }

  /** Higher than all numbers before. */
  async take(): Promise<number> {
    await this.reserve();
    this.#next += 1;
    return this.#next - 1;
  }

  /** Resolves when the window has a free number. */
  async reserve(): Promise<void> {
    if (this.left <= 0) await this.leap();
  }

  /**
   * Abandons the window to other writers, and allocates another one. Responds 404 if the upload has ended.
   *
   * @throws {NoPartNumbersLeft}
   */
  async leap(): Promise<void> {
    let last = await this.#lastFrom(this.#end);
    for (let tries = 1; tries <= maxTries; tries++) {
      const [next, end] = [last + 1, Math.min(last + 1 + windowParts, maxParts + 1 - windowMarks)];
      if (next >= end) throw new NoPartNumbersLeft(`The draft of "${this.#upload.key}" has no part numbers left. Give its size when you create it.`);
      if (await this.#claim(next, end)) {
        this.#next = next;
        this.#end = end;
        return;
      }
      last = await this.#lastFrom(end);
      await pauseBefore(tries);
    }
    throw new Unavailable(`Too many writers resume the draft of "${this.#upload.key}" at once. Try again.`);
  }

  /** Whether this writer has won the window. */
  async #claim(next: number, end: number): Promise<boolean> {
    const [lower, upper] = [end, end + 1];
    const mark = await this.#mark(upper);
    const before = await this.#partsFrom(next);
    // Numbers above belong to writers that saw the upper mark and skipped this window.
    if (Math.min(...before.keys()) !== upper || before.get(upper) !== mark) return false;
    await this.#mark(lower);
    const after = await this.#partsFrom(upper);
    return after.get(upper) === mark;
  }

  /**
   * Uploads a mark and resolves with its ETag. Each attempt has different bytes: an abandoned attempt that arrives late must not look like the acknowledged
   * one.
   */
  #mark(number: number): Promise<string> {
    const name = `UploadPart of "${this.#upload.key}"`;
    return withRetries({ name }, () => uploadPartOnce(this.#api, this.#upload, { number, payload: payloadOf(randomBytes(16)) }));
  }

  async #lastFrom(number: number): Promise<number> {
    return Math.max(number - 1, ...(await this.#partsFrom(number)).keys());
  }

  /** ETags by part number. */
  async #partsFrom(number: number): Promise<ReadonlyMap<number, string>> {
    const found = new Map<number, string>();
    for await (const part of listParts(this.#api, this.#upload, number - 1)) found.set(part.number, part.etag);
    return found;
  }
}
