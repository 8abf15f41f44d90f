import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { RequestHeaders } from "../../../ground/http/headers/headers.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { fromBase64 } from "./base64.js";
import { malformed } from "./headers.js";

export const checksumAlgorithms = ["sha1", "sha256", "md5", "crc32"] as const;

type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

/** A checksum that a client sends with its bytes. */
export interface UploadChecksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly digest: Buffer;
  /** Status of the response if the checksum does not match: 460 for tus clients. */
  readonly status: 460 | 422;
}

/** @throws {ProblemError} MALFORMED_HEADER, also for an unknown algorithm */
export function parseChecksum(headers: RequestHeaders): UploadChecksum | undefined {
  const text = headers.get("upload-checksum");
  if (text === undefined) return undefined;
  const [, name = "", digest = ""] = /^([a-z0-9]+) (\S+)$/.exec(text) ?? [];
  const algorithm = checksumAlgorithms.find((known) => known === name);
  const bytes = fromBase64(digest);
  if (algorithm === undefined || bytes === undefined) {
    throw malformed("upload-checksum", `must be one of ${checksumAlgorithms.join(", ")}, a space and the checksum in base64`, checksumAlgorithms);
  }
  return { algorithm, digest: bytes, status: headers.get("tus-resumable") === undefined ? 422 : 460 };
}

/** The chunks of a body. They fail at their end if it has another checksum. @throws {ProblemError} CHECKSUM_MISMATCH */
export function verifiedChunks(chunks: AsyncIterable<Uint8Array>, checksum: UploadChecksum | undefined): AsyncIterable<Uint8Array> {
  return checksum === undefined ? chunks : verify(chunks, checksum);
}

async function* verify(chunks: AsyncIterable<Uint8Array>, { algorithm, digest, status }: UploadChecksum): AsyncGenerator<Uint8Array> {
  const running = algorithm === "crc32" ? new Crc32() : createHash(algorithm);
  for await (const chunk of chunks) {
    running.update(chunk);
    yield chunk;
  }
  if (running.digest().equals(digest)) return;
  const detail = `The ${algorithm} of the body is not the one in "upload-checksum"; the body was discarded.`;
  throw new ProblemError("CHECKSUM_MISMATCH", detail, { status });
}

class Crc32 {
  #value = 0;

  update(chunk: Uint8Array): void {
    this.#value = crc32(chunk, this.#value);
  }

  digest(): Buffer {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.#value);
    return bytes;
  }
}
