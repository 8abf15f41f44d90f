import { createHash, type Hash } from "node:crypto";
import type { BlobWriter } from "../../storage/blobs.js";
import { headBytes, readCheckInput } from "../checks/readCheckInput.js";
import { rejectionProblem } from "../checks/rejection.js";
import { runChecks } from "../checks/runChecks.js";
import type { Judging } from "../finish/judgeBlob.js";

/** A file on its way to a blob. */
export interface FileSource {
  readonly filename: string;
  readonly declaredType?: string | undefined;
  readonly source: AsyncIterable<Uint8Array>;
  /** Others may come behind it, which nobody wants where this one is not taken; what stands alone is judged as a whole soon. */
  readonly isFollowed?: boolean | undefined;
}

/** Called with the size before a chunk is written; what it throws ends the file. */
export type SizeCheck = (size: number) => void;

/** What went into a blob. */
export interface WrittenFile {
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of all of them. */
  readonly hash: Hash;
}

/**
 * Writes a file to its blob, which is whole afterwards. Its first bytes are judged before the rest is read; the writer is the caller's to abort where it throws.
 *
 * @throws {ProblemError} what the checks of heads refuse, and what the source throws
 */
export async function writeFile(writer: BlobWriter, file: FileSource, judging: Judging, checkSize: SizeCheck = () => {}): Promise<WrittenFile> {
  const hash = createHash("sha256");
  let head: Uint8Array[] | undefined = [];
  let size = 0;
  for await (const chunk of file.source) {
    hash.update(chunk);
    size += chunk.length;
    checkSize(size);
    if (head === undefined) {
      await writer.write(chunk);
      continue;
    }
    head.push(chunk);
    // One byte more than the head tells that the head is not all.
    if (size <= headBytes) continue;
    await judgeHead(file, judging, Buffer.concat(head));
    for (const held of head) await writer.write(held);
    head = undefined;
  }
  if (head !== undefined && file.isFollowed === true) await judgeHead(file, judging, Buffer.concat(head));
  for (const held of head ?? []) await writer.write(held);
  await writer.commit();
  return { size, hash };
}

async function judgeHead({ filename, declaredType }: FileSource, { checks, checkMs, timers }: Judging, head: Uint8Array): Promise<void> {
  const input = await readCheckInput({ filename, declaredType, read: (range) => once(head.subarray(range?.start ?? 0, range?.end)) });
  const ofHeads = checks.filter(({ needs, rewrites }) => needs === "head" && rewrites !== true);
  const outcome = await runChecks(ofHeads, input, { timeoutMs: checkMs, timers });
  if (outcome.verdict === "reject") throw rejectionProblem(outcome);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
