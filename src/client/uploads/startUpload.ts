import type { Send } from "../transport.js";
import type { UploadedFile } from "../types/client.js";
import { checkUploadOptions, type UploadOptions } from "./options.js";
import { type Place, placeOf } from "./place.js";
import { isPassing, transfer } from "./transfer.js";

/** An upload that runs. */
export interface Upload {
  /** The file when the service has checked it. @throws {ApiError} for a refusal, {UploadRejectedError} if a check rejects it later */
  readonly done: Promise<UploadedFile>;
  /** Ends the running request. What the service has stored stays. */
  pause(): void;
  /** Asks the service what it has, and goes on. */
  resume(): void;
}

/** A client of `createClient`. */
export interface UploadClient {
  readonly uploads: unknown;
}

/** Where a client has its transport. */
const transportKey = Symbol.for("restwright.client.transport");

const paused = new Error("The upload is paused.");

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
  const { send, baseUrl } = (client as unknown as Readonly<Record<symbol, { send: Send; baseUrl: string }>>)[transportKey] ?? refuse();
  let controller = new AbortController();
  let wake = () => {};

  async function run(): Promise<UploadedFile> {
    const place = await placeOf(baseUrl, file, options);
    for (;;) {
      const { signal } = options;
      const ends = AbortSignal.any(signal ? [controller.signal, signal] : [controller.signal]);
      try {
        ends.throwIfAborted();
        const done = await transfer(send, file, place, options, ends);
        await place.clear();
        return done;
      } catch (error) {
        if (error !== paused) throw await kept(error, place, signal);
        await resumed(signal);
      }
    }
  }

  function resumed(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      wake = resolve;
      if (!controller.signal.aborted) resolve();
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }

  return {
    done: run(),
    pause: () => controller.abort(paused),
    resume() {
      if (!controller.signal.aborted) return;
      controller = new AbortController();
      wake();
    },
  };
}

/** An upload that was refused is forgotten; one that broke off or was aborted can be continued. */
async function kept(error: unknown, place: Place, signal: AbortSignal | undefined): Promise<unknown> {
  if (!signal?.aborted && !isPassing(error as object)) await place.clear();
  return error;
}

function refuse(): never {
  throw new TypeError("startUpload needs a client of createClient.");
}
