import type { Hash } from "node:crypto";
import { backgroundTimer, type Timers } from "../../../ground/http/timers.js";
import type { Draft, DraftWriter } from "../../../ground/storage/files/blobs.js";
import type { UploadLock } from "./uploadLock.js";

/** How long an upload waits for its next piece. Other processes get it within a second if they want it. */
const heldMs = 3_000;
/** Each has a file open. */
const maxHeld = 100;

/** An upload that stays locked and open after a piece, so that the next piece changes no record. */
export interface HeldUpload {
  readonly lock: UploadLock;
  readonly writer: DraftWriter;
  /** With all acknowledged bytes. They may not be durable or recorded yet. */
  readonly draft: Draft;
  readonly hash: Hash | undefined;
  /** When its bytes were recorded last, in milliseconds of the monotonic clock. */
  readonly recordedMs: number;
  /** Records the acknowledged bytes and releases the lock. Never rejects. */
  end(): Promise<void>;
}

interface Waiting {
  readonly upload: HeldUpload;
  stopWaiting(): void;
}

/** The uploads of this process that wait for their next pieces. */
export class HeldUploads {
  readonly #timers: Timers;
  readonly #waiting = new Map<string, Waiting>();
  readonly #ending = new Set<Promise<void>>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Holds an upload until its next piece arrives, another request wants it, or some seconds have passed. */
  hold(upload: HeldUpload): void {
    const { id } = upload.lock.upload.record;
    const { signal } = upload.lock;
    const end = () => this.#end(id);
    const timer = backgroundTimer(this.#timers, end, heldMs);
    signal.addEventListener("abort", end, { once: true });
    const stopWaiting = () => {
      timer.cancel();
      signal.removeEventListener("abort", end);
    };
    this.#waiting.set(id, { upload, stopWaiting });
    if (signal.aborted) end();
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > maxHeld && oldest !== undefined) this.#end(oldest);
  }

  /** Returns a held upload and stops holding it: the caller must append to it, or end it. */
  take(id: string): HeldUpload | undefined {
    const waiting = this.#waiting.get(id);
    waiting?.stopWaiting();
    this.#waiting.delete(id);
    return waiting?.upload;
  }

  /** Ends all held uploads, and resolves when they are released. */
  async endAll(): Promise<void> {
    for (const id of [...this.#waiting.keys()]) this.#end(id);
    await Promise.all(this.#ending);
  }

  #end(id: string): void {
    const ending = this.take(id)?.end();
    if (ending === undefined) return;
    this.#ending.add(ending);
    void ending.then(() => this.#ending.delete(ending));
  }
}
