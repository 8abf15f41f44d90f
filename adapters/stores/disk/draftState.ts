import type { Draft } from "../../../src/ground/storage/files/blobs.js";
import { isPartId } from "./blobPaths.js";

/** The state of a draft. */
export interface DiskDraft {
  /** Id of the part file with the bytes. */
  readonly part: string;
  /** Id of the file that it was copied from during a takeover: not needed once this draft is resumed. */
  readonly superseded: string | undefined;
  readonly contentType: string | undefined;
  /** The start of the system during which it was flushed: as long as that runs, the file also has all bytes that were written since. */
  readonly boot?: string | undefined;
  /** In bytes. */
  readonly size: number;
}

export function formatDraft({ size, ...state }: DiskDraft): Draft {
  return { state: JSON.stringify(state), size };
}

/** `undefined` for a state that this store did not create. It contains no paths: files are found by ids, below the requested key. */
export function parseDraft({ state, size }: Draft): DiskDraft | undefined {
  const { part, superseded, contentType, boot } = parseObject(state);
  if (!isPartId(part) || !(superseded === undefined || isPartId(superseded))) return undefined;
  if (!isTextOrAbsent(contentType) || !isTextOrAbsent(boot) || !Number.isSafeInteger(size) || size < 0) return undefined;
  return { part, superseded, contentType, boot, size };
}

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}
