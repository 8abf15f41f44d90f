import { type Answer, newKey, type Outgoing, type Send } from "../transport/transport.js";
import { NetworkError } from "../transport/transportErrors.js";
import type { UploadedFile } from "../types/client.js";
import { checksumOf, metadataText } from "./headers.js";
import type { UploadOptions } from "./options.js";
import type { StoredPath } from "./storedPath.js";

/** A file that the checks of the service rejected after the upload. */
export class UploadRejectedError extends Error {
  override readonly name = "UploadRejectedError";
  declare readonly code?: string;
}

const defaultPieceBytes = 8 * 1_024 * 1_024;
const defaultTimeoutMs = 300_000;
/** A service that asks to wait longer is not waited for. */
const maxDelayMs = 60_000;

/** What the errors of calls have. */
interface Failure {
  readonly name?: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
}

/** What a transfer waits by, and what ends it. */
interface Course {
  readonly signal: AbortSignal;
  wait(ms: number): Promise<void>;
}

const tus = { "tus-resumable": "1.0.0" };

/** Sends what the service does not have. After a step that failed it asks the service what it has before it sends more. */
export async function transfer(
  send: Send,
  file: Blob,
  storedPath: StoredPath,
  options: UploadOptions,
  { signal, wait }: Course,
): Promise<UploadedFile> {
  const { pieceBytes = defaultPieceBytes, timeoutMs = defaultTimeoutMs, maxRetries = 10, onProgress, onRetry } = options;
  // All tries to create the upload have one key, so that the service creates one.
  const idempotencyKey = newKey();
  const remembered = await storedPath.read();
  let upload = remembered;
  // Unknown at the beginning and after a break.
  let offset: number | undefined;
  for (let stored = -1, failures = 0; ; ) {
    try {
      offset ??= await begin();
      if (offset > stored) [stored, failures] = [offset, 0];
      onProgress?.({ sentBytes: offset, totalBytes: file.size });
      if (offset >= file.size) return await finished();
      offset = await sendPiece(offset);
    } catch (error) {
      failures += 1;
      const { retryAfterMs: delayMs = Math.random() * Math.min(8_000, 250 * 2 ** failures) } = error as Failure;
      if (!isPassing(error as Failure) || failures > maxRetries || delayMs > maxDelayMs) throw error;
      // The state of a file that is stored as a whole says more than its offset: it may have been rejected meanwhile.
      if (offset !== file.size) offset = undefined;
      // Begun before `onRetry` is called, which may end it.
      const waiting = wait(delayMs);
      onRetry?.({ error, delayMs, failures });
      await waiting;
    }
  }

  function request(operation: string, method: string, more: Partial<Outgoing> = {}): Promise<Answer> {
    return send({
      operation: `uploads.${operation}`,
      method,
      path: upload ?? "/uploads",
      isSafe: method !== "POST",
      ...more,
      headers: { ...tus, ...more.headers },
      // A step is tried again above. A piece may not be repeated as it is: part of it may have arrived.
      options: { signal, maxRetries: 0, ...more.options },
    });
  }

  /** Finds out what the service has. An upload that is remembered and does not exist any more is begun anew. */
  async function begin(): Promise<number> {
    if (upload !== undefined) {
      try {
        const { headers } = await request("offset", "HEAD");
        // Another file may have the same fingerprint.
        if (Number(headers.get("upload-length") ?? file.size) === file.size) return offsetOf(headers);
        upload = undefined;
      } catch (error) {
        if (upload !== remembered || !isGone(error as Failure)) throw error;
        upload = undefined;
      }
    }
    const { name } = file as { readonly name?: string };
    const metadata = metadataText({ filename: options.filename ?? name, filetype: file.type, ...options.metadata });
    const headers = { "upload-length": String(file.size), "upload-metadata": metadata || undefined };
    const { headers: answered } = await request("create", "POST", { headers, options: { idempotencyKey } });
    // The service may be mounted below a prefix, which is part of the base address already.
    upload = `/uploads/${answered.get("location")?.replace(/.*\//, "")}`;
    await storedPath.write(upload);
    return 0;
  }

  async function sendPiece(from: number): Promise<number> {
    const piece = await file.slice(from, from + pieceBytes).arrayBuffer();
    const headers = { "upload-offset": String(from), "upload-checksum": await checksumOf(piece) };
    const answer = await request("append", "PATCH", { body: piece, type: "application/offset+octet-stream", headers, options: { timeoutMs } });
    const to = offsetOf(answer.headers);
    if (to <= from) throw new NetworkError(`The service has nothing of a piece: its offset is ${to} after ${from}.`);
    return to;
  }

  /** @throws {NetworkError} if the header is not an offset within the file */
  function offsetOf(headers: Headers): number {
    const text = headers.get("upload-offset");
    const offset = Number(text);
    if (text && Number.isSafeInteger(offset) && offset >= 0 && offset <= file.size) return offset;
    throw new NetworkError(`The service says the offset ${text}, of ${file.size} bytes.`);
  }

  async function finished(): Promise<UploadedFile> {
    for (;;) {
      const { value } = await request("get", "GET");
      const state = value as UploadedFile & { readonly error?: { readonly code: string; readonly detail: string } };
      if (state.status === "ready") return state;
      if (state.status === "rejected") throw Object.assign(new UploadRejectedError(state.error?.detail), { code: state.error?.code });
      await wait(1_000);
    }
  }
}

/** Removes an upload, unless it is gone. */
export async function removeUpload(send: Send, path: string): Promise<void> {
  try {
    await send({ operation: "uploads.remove", method: "DELETE", path, headers: tus, options: {} });
  } catch (error) {
    if (!isGone(error as Failure)) throw error;
  }
}

function isGone({ status }: Failure): boolean {
  return status === 404 || status === 410;
}

/** Whether the service may take the rest: HEAD says what it has. */
export function isPassing({ name = "", status = 0 }: Failure): boolean {
  return /^(Network|Timeout)Error$/.test(name) || [408, 409, 423, 429, 460].includes(status) || status >= 500;
}
