import type { CheckInput, FileCheck, Verdict } from "../../../../src/parts/checks/index.js";
import { readCheckInput, type UncheckedFile } from "../../../../src/parts/checks/index.js";

export interface FileOptions extends Pick<UncheckedFile, "declaredType" | "signal" | "size"> {
  readonly chunkBytes?: number;
}

/** A file in memory, as a check sees it. */
export function fileOf(filename: string, bytes: Uint8Array | string, { chunkBytes = 16_384, ...rest }: FileOptions = {}): Promise<CheckInput> {
  const all = Buffer.from(bytes);
  async function* read({ start, end } = { start: 0, end: all.length }): AsyncGenerator<Uint8Array> {
    for (let at = start; at < Math.min(end, all.length); at += chunkBytes) yield all.subarray(at, Math.min(at + chunkBytes, end));
  }
  return readCheckInput({ filename, size: all.length, read, ...rest });
}

/** What a check says of a file in memory. */
export async function judge(check: FileCheck, filename: string, bytes: Uint8Array | string): Promise<Verdict> {
  return check.run(await fileOf(filename, bytes));
}

/** `pass`, `replace`, `defer`, or the code that a file is refused with. */
export async function verdictOn(check: FileCheck, filename: string, bytes: Uint8Array | string): Promise<string> {
  const verdict = await judge(check, filename, bytes);
  return verdict.verdict === "reject" ? verdict.code : verdict.verdict;
}
