import { headBytes, readCheckInput } from "../../../parts/checks/readCheckInput.js";
import { rejectionProblem } from "../../../parts/checks/rejection.js";
import { runChecks } from "../../../parts/checks/runChecks.js";
import type { CheckSettings } from "../finish/checkBlob.js";
import type { HashedBlob, HashedBlobWriter } from "../hashedBlob.js";

/** A file to write to a blob. */
export interface FileSource {
  readonly filename: string;
  readonly declaredType?: string | undefined;
  readonly source: AsyncIterable<Uint8Array>;
  /** Whether other files may follow. If so, the head of a short file is checked at once, so that the others are not read in vain. */
  readonly isFollowed?: boolean | undefined;
}

/** Called with the total size before a chunk is written, and awaited; if it throws or rejects, the file ends with that error. */
export type SizeCheck = (size: number) => Promise<void> | undefined;

/**
 * Writes a file to its blob and commits it. Its first bytes are checked before the rest is read. If it throws, the caller must abort the writer.
 *
 * @throws {ProblemError} problems of head checks, and errors of the source
 */
export async function writeFile(
  writer: Pick<HashedBlobWriter, "write" | "commit">,
  file: FileSource,
  checking: CheckSettings,
  checkSize: SizeCheck = () => undefined,
): Promise<HashedBlob> {
  let head: Uint8Array[] | undefined = [];
  let size = 0;
  for await (const chunk of file.source) {
    size += chunk.length;
    const checkingSize = checkSize(size);
    if (checkingSize !== undefined) await checkingSize;
    if (head === undefined) {
      await writer.write(chunk);
      continue;
    }
    head.push(chunk);
    // One byte more than the head shows that the file is longer than the head.
    if (size <= headBytes) continue;
    await checkHead(file, checking, Buffer.concat(head));
    for (const held of head) await writer.write(held);
    head = undefined;
  }
  if (head !== undefined && file.isFollowed === true) await checkHead(file, checking, Buffer.concat(head));
  for (const held of head ?? []) await writer.write(held);
  return writer.commit();
}

async function checkHead({ filename, declaredType }: FileSource, { checks, checkMs, timers }: CheckSettings, head: Uint8Array): Promise<void> {
  const input = await readCheckInput({ filename, declaredType, read: (range) => once(head.subarray(range?.start ?? 0, range?.end)) });
  const ofHeads = checks.filter(({ needs, rewrites }) => needs === "head" && rewrites !== true);
  const outcome = await runChecks(ofHeads, input, { timeoutMs: checkMs, timers });
  if (outcome.verdict === "reject") throw rejectionProblem(outcome);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
