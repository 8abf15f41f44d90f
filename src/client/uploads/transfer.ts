import type { Answer, Outgoing, Send } from "../transport.js";
import type { UploadedFile } from "../types/client.js";
import { wait } from "../wait.js";
import { checksumOf, metadataText } from "./headers.js";
import type { UploadOptions } from "./options.js";
import type { Place } from "./place.js";

/** A file that the checks of the service rejected after the upload. */
export class UploadRejectedError extends Error {
  override readonly name = "UploadRejectedError";
  declare readonly code?: string;
}

const defaultPieceBytes = 8 * 1_024 * 1_024;
const defaultTimeoutMs = 300_000;

/** What the errors of calls have. */
interface Failure {
  readonly name?: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
}

/** Sends the pieces that the service does not have. */
export async function transfer(send: Send, file: Blob, place: Place, options: UploadOptions, signal: AbortSignal): Promise<UploadedFile> {
  const { pieceBytes = defaultPieceBytes, timeoutMs = defaultTimeoutMs, maxRetries = 10, onProgress } = options;
  const remembered = (await place.read()) ?? undefined;
  const known = remembered && (await offsetOf(remembered).catch(missing));
  const upload = known === undefined || remembered === undefined ? await create() : remembered;
  // Unknown after a break, until the service has been asked.
  let offset: number | undefined = known || 0;
  for (let stored = -1, failures = 0; offset === undefined || offset < file.size; ) {
    try {
      offset ??= await offsetOf(upload);
      if (offset > stored) failures = 0;
      stored = offset;
      onProgress?.({ sentBytes: offset, totalBytes: file.size });
      if (offset < file.size) offset = await sendPiece(upload, offset);
    } catch (error) {
      failures += 1;
      if (!isPassing(error as Failure) || failures > maxRetries) throw error;
      offset = undefined;
      const { retryAfterMs = Math.random() * Math.min(8_000, 250 * 2 ** failures) } = error as Failure;
      await wait(retryAfterMs, signal);
    }
  }
  onProgress?.({ sentBytes: offset, totalBytes: file.size });
  return finished(upload);

  function request(operation: string, method: string, at: string, more: Partial<Outgoing> = {}): Promise<Answer> {
    const headers = { "tus-resumable": "1.0.0", ...more.headers };
    return send({
      operation: `uploads.${operation}`,
      method,
      path: at,
      isSafe: method !== "POST",
      ...more,
      headers,
      options: { signal, ...more.options },
    });
  }

  async function create(): Promise<string> {
    const { name } = file as { readonly name?: string };
    const metadata = metadataText({ filename: options.filename ?? name, filetype: file.type, ...options.metadata });
    const headers = { "upload-length": String(file.size), "upload-metadata": metadata || undefined };
    const { headers: answered } = await request("create", "POST", "/uploads", { headers });
    // The service may be mounted below a prefix, which is part of the base address already.
    const made = `/uploads/${answered.get("location")?.replace(/.*\//, "")}`;
    await place.write(made);
    return made;
  }

  async function offsetOf(at: string): Promise<number> {
    return Number((await request("offset", "HEAD", at)).headers.get("upload-offset"));
  }

  async function sendPiece(at: string, from: number): Promise<number> {
    const piece = await file.slice(from, from + pieceBytes).arrayBuffer();
    const headers = { "upload-offset": String(from), "upload-checksum": await checksumOf(piece) };
    const type = "application/offset+octet-stream";
    // A piece is not repeated as it is: part of it may have arrived.
    const answer = await request("append", "PATCH", at, { body: piece, type, headers, options: { timeoutMs, maxRetries: 0 } });
    return Number(answer.headers.get("upload-offset") ?? from + piece.byteLength);
  }

  async function finished(at: string): Promise<UploadedFile> {
    for (;;) {
      const { value } = await request("get", "GET", at);
      const state = value as UploadedFile & { readonly error?: { readonly code: string; readonly detail: string } };
      if (state.status === "ready") return state;
      if (state.status === "rejected") throw Object.assign(new UploadRejectedError(state.error?.detail), { code: state.error?.code });
      await wait(1_000, signal);
    }
  }
}

/** An upload that is remembered and does not exist any more is begun anew. */
function missing(error: Failure): undefined {
  if (error.status !== 404 && error.status !== 410) throw error;
}

/** Whether the service may take the rest: HEAD says what it has. */
export function isPassing({ name = "", status = 0 }: Failure): boolean {
  return /^(Network|Timeout)Error$/.test(name) || [408, 409, 423, 429, 460].includes(status) || status >= 500;
}
