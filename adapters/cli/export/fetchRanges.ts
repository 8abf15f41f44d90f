import { createHash } from "node:crypto";
import { CommandError, TransientError } from "../commandError.js";
import type { Output } from "../output.js";
import { bodyOf } from "../request/fetchWhole.js";
import { retrying } from "../request/retrying.js";
import { sendRequest } from "../request/sendRequest.js";
import type { Session } from "../request/session.js";

/** A file on a server. */
export interface RemoteFile {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Returns its current URL; signed URLs expire. */
  locate(isFirst: boolean): Promise<URL>;
}

/**
 * Writes a file to an output. If the connection is lost, continues at the next byte.
 *
 * @throws {CommandError} if its size or SHA-256 is not the expected one
 * @see RFC 9110 §14
 */
export async function fetchRanges(session: Session, file: RemoteFile, output: Output): Promise<void> {
  const hash = createHash("sha256");
  let done = 0;
  let isFirst = true;
  const take = async (chunk: Uint8Array) => {
    if (done + chunk.length > file.bytes) throw new CommandError(`The file is larger than the expected ${file.bytes} bytes.`);
    done += chunk.length;
    hash.update(chunk);
    await output.write(chunk);
    session.display.show({ label: "Fetching", unit: "bytes", done, total: file.bytes });
  };
  while (done < file.bytes || isFirst) {
    await retrying(session, async () => {
      const url = await file.locate(isFirst);
      isFirst = false;
      const before = done;
      try {
        await fetchPart(session, url, { from: before, bytes: file.bytes }, take);
      } catch (error) {
        // Bytes have arrived, so the rest is requested without a wait.
        if (!(error instanceof TransientError) || done === before) throw error;
        session.display.note(`${error.message} Continuing at byte ${done}.`);
      }
    });
  }
  if (hash.digest("hex") !== file.sha256) throw new CommandError("The fetched file is not the exported one: its SHA-256 is different.");
}

async function fetchPart(
  session: Session,
  url: URL,
  { from, bytes }: { readonly from: number; readonly bytes: number },
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  const range = from === 0 ? {} : { range: `bytes=${from}-` };
  // Without compression, since ranges are of the uncompressed bytes.
  const response = await sendRequest(session, url, { headers: { accept: "*/*", "accept-encoding": "identity", ...range } });
  let skip = from;
  if (response.status === 206) {
    const [, start] = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "") ?? [];
    if (Number(start) !== from)
      throw new CommandError(`${url.origin} was asked for the bytes from ${from}, but sends those from ${start ?? "an unknown position"}.`);
    skip = 0;
  }
  let received = skip === 0 ? from : 0;
  for await (const chunk of bodyOf(session, url, response)) {
    received += chunk.length;
    if (skip >= chunk.length) skip -= chunk.length;
    else {
      await take(chunk.subarray(skip));
      skip = 0;
    }
  }
  if (received < bytes) throw new TransientError(`${url.origin} ended the file at byte ${received} of ${bytes}.`);
}
