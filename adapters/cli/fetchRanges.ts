import { createHash } from "node:crypto";
import { ask } from "./ask.js";
import { CommandError } from "./commandError.js";
import { bodyOf } from "./fetchWhole.js";
import type { Output } from "./output.js";
import { retrying } from "./retrying.js";
import type { Session } from "./session.js";
import { TransientError } from "./transientError.js";

/** A file that somebody else keeps, and what is known of it. */
export interface RemoteFile {
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** Where it can be had now: addresses do not hold for ever. */
  locate(isFirst: boolean): Promise<URL>;
}

/**
 * Puts a file into an output. Where the connection breaks off it goes on at the next byte.
 *
 * @throws {CommandError} where it is not the file that it should be
 * @see RFC 9110 §14
 */
export async function fetchRanges(session: Session, file: RemoteFile, output: Output): Promise<void> {
  const hash = createHash("sha256");
  let done = 0;
  let isFirst = true;
  const take = async (chunk: Uint8Array) => {
    if (done + chunk.length > file.bytes) throw new CommandError(`The file is larger than the ${file.bytes} bytes that it should have.`);
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
        // Something has come: there is no need to wait before the rest is asked for.
        if (!(error instanceof TransientError) || done === before) throw error;
        session.display.note(`${error.message} Going on at byte ${done}.`);
      }
    });
  }
  if (hash.digest("hex") !== file.sha256) throw new CommandError("The file that has come is not the one that was written: its SHA-256 is another.");
}

async function fetchPart(
  session: Session,
  url: URL,
  { from, bytes }: { readonly from: number; readonly bytes: number },
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  const range = from === 0 ? {} : { range: `bytes=${from}-` };
  // What is compressed on its way has other bytes, and no ranges.
  const response = await ask(session, url, { headers: { accept: "*/*", "accept-encoding": "identity", ...range } });
  let skip = from;
  if (response.status === 206) {
    const [, start] = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "") ?? [];
    if (Number(start) !== from) throw new CommandError(`${url.origin} was asked for bytes from ${from}, and sends those from ${start ?? "nowhere"}.`);
    skip = 0;
  }
  let came = skip === 0 ? from : 0;
  for await (const chunk of bodyOf(session, url, response)) {
    came += chunk.length;
    if (skip >= chunk.length) skip -= chunk.length;
    else {
      await take(chunk.subarray(skip));
      skip = 0;
    }
  }
  if (came < bytes) throw new TransientError(`${url.origin} has ended the file at byte ${came} of ${bytes}.`);
}
