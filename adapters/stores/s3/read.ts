import { Unavailable } from "../../../src/ground/storage/errors.js";
import type { ByteRange } from "../../../src/ground/storage/files/blobs.js";
import type { S3Api, S3Stream } from "./call/api.js";
import type { Body } from "./call/body.js";
import { finalError, S3Error } from "./call/errors.js";
import { pauseBefore } from "./call/retries.js";
import { etagOf } from "./objects.js";

/** The expected version of a blob. */
export interface ExpectedBlob extends ByteRange {
  readonly key: string;
  readonly etag: string;
}

const chunkBytes = 65_536;
/** How often in a row a connection may end before its first byte. */
const maxFailures = 3;

/**
 * The bytes of a range of the blob. The request is sent when the first chunk is read, and repeated for the rest if a connection ends early; the bytes are
 * never those of another blob.
 *
 * @throws {Unavailable} if the blob is gone, or another blob has its key
 */
export async function* readObject(api: S3Api, { key, etag, start, end }: ExpectedBlob): AsyncGenerator<Uint8Array> {
  for (let at = start, failures = 0; at < end; ) {
    const { body } = await openRange(api, { key, etag, start: at, end });
    let fault: unknown;
    const next = () =>
      body.next().catch((error: unknown) => {
        fault = error;
        return undefined;
      });
    try {
      for (let chunk = await next(); chunk !== undefined && at < end; chunk = await next()) {
        if (chunk.length > 0) failures = 0;
        const wanted = chunk.subarray(0, end - at);
        at += wanted.length;
        yield* piecesOf(wanted);
      }
    } finally {
      body.release();
    }
    if (at >= end) return;
    failures += 1;
    if (failures > maxFailures) throw finalError(`GetObject of "${key}"`, fault ?? new Error("the response was cut off"));
    await pauseBefore(failures);
  }
}

async function openRange(api: S3Api, { key, etag, start, end }: ExpectedBlob): Promise<{ readonly body: Body }> {
  const headers = { range: `bytes=${start}-${end - 1}`, "if-match": `"${etag}"` };
  let stream: S3Stream;
  try {
    stream = await api.open({ name: "GetObject", method: "GET", key, headers });
  } catch (error) {
    if (error instanceof S3Error && [404, 412, 416].includes(error.status) && error.code !== "NoSuchBucket") throw gone(key, error);
    throw error;
  }
  const isSame = etagOf(stream.header("etag")) === etag;
  const [, first] = /^bytes (\d+)-/.exec(stream.header("content-range") ?? "") ?? [];
  const begins = stream.status === 206 ? Number(first) : 0;
  if (isSame && begins === start) return stream;
  stream.body.release();
  if (!isSame) throw gone(key);
  throw new Error(`S3 answered GetObject of "${key}" with other bytes than requested. Check that the endpoint is an S3 endpoint.`);
}

function gone(key: string, cause?: unknown): Unavailable {
  return new Unavailable(`The blob "${key}" was deleted or replaced before it was read.`, { cause });
}

function* piecesOf(chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < chunk.length; at += chunkBytes) yield chunk.subarray(at, at + chunkBytes);
}
