import { transportOf } from "../transport/transportOf.js";
import { unlessAborted, wait } from "../transport/wait.js";
import type { UploadedFile } from "../types/client.js";
import { checkUploadOptions, type UploadOptions } from "./options.js";
import { type StoredPath, storedPathOf } from "./storedPath.js";
import { isPassing, removeUpload, transfer } from "./transfer.js";

/** An upload that runs. */
export interface Upload {
  /** The file when the service has checked it. @throws {ApiError} for a refusal, {UploadRejectedError} if a check rejects it later */
  readonly done: Promise<UploadedFile>;
  /** Ends the running request. What the service has stored stays. */
  pause(): void;
  /** Asks the service what it has, and goes on: after a pause, or at once if the upload waits for its next try. */
  resume(): void;
  /** Ends the upload and removes what the service has stored. `done` rejects with an AbortError. Does nothing after `done`. @throws {NetworkError} if the service cannot be told */
  cancel(): Promise<void>;
}

/** A client of `createClient`. */
export interface UploadClient {
  readonly uploads: unknown;
}

const paused = new Error("The upload is paused.");
const woken = new Error("The upload is resumed.");

/**
 * Sends a file in pieces, by tus 1.0. After any break it asks the service what it has, and goes on there. Another call with the same file, after a reload of the page,
 * goes on too.
 *
 * @throws {TypeError} for an unknown option
 * @example
 * const upload = startUpload(shop, file, { onProgress: ({ sentBytes, totalBytes }) => show(sentBytes / totalBytes) });
 * const { url } = await upload.done;
 */
export function startUpload(client: UploadClient, file: Blob, options: UploadOptions = {}): Upload {
  checkUploadOptions(options);
  const { send, baseUrl } = transportOf(client, "startUpload");
  const canceling = new AbortController();
  const ended = AbortSignal.any(options.signal ? [canceling.signal, options.signal] : [canceling.signal]);
  const storage = storedPathOf(baseUrl, file, options);
  let controller = new AbortController();
  let wake = () => {};

  async function run(): Promise<UploadedFile> {
    const storedPath = await storage;
    for (;;) {
      const signal = AbortSignal.any([controller.signal, ended]);
      try {
        signal.throwIfAborted();
        const done = await transfer(send, file, storedPath, options, { signal, wait: (ms) => waitFor(ms, signal) });
        await storedPath.clear();
        return done;
      } catch (error) {
        if (error !== paused) throw await kept(error, storedPath, ended);
        await unlessAborted(ended, resumed());
      }
    }
  }

  /** Waits until `ms` are over, or `resume` is called. */
  async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
    const waking = new AbortController();
    wake = () => waking.abort(woken);
    await wait(ms, AbortSignal.any([signal, waking.signal])).catch((error: unknown) => {
      if (error !== woken) throw error;
    });
  }

  function resumed(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
      if (!controller.signal.aborted) resolve();
    });
  }

  return {
    done: run(),
    pause: () => controller.abort(paused),
    resume() {
      if (controller.signal.aborted) controller = new AbortController();
      wake();
    },
    async cancel() {
      canceling.abort(new DOMException("The upload is canceled.", "AbortError"));
      const storedPath = await storage;
      const path = await storedPath.read();
      if (path !== undefined) await removeUpload(send, path);
      await storedPath.clear();
    },
  };
}

/** An upload that was refused is forgotten; one that broke off or was aborted can be continued. */
async function kept(error: unknown, storedPath: StoredPath, ended: AbortSignal): Promise<unknown> {
  if (!ended.aborted && !isPassing(error as object)) await storedPath.clear();
  return error;
}
