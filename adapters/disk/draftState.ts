import type { Draft } from "../../src/storage/blobs.js";
import { isPartId } from "./place.js";

/** What the state of a draft says. */
export interface DiskDraft {
  /** Of the part file that holds the bytes. */
  readonly part: string;
  /** Of the file that it was copied from when it was taken over: nobody needs it once this draft is resumed. */
  readonly superseded: string | undefined;
  readonly contentType: string | undefined;
  /** In bytes. */
  readonly size: number;
}

export function formatDraft({ size, ...state }: DiskDraft): Draft {
  return { state: JSON.stringify(state), size };
}

/** `undefined` where the state is none that was made here. It names no paths: files are found by ids, under the key that they are asked for with. */
export function parseDraft({ state, size }: Draft): DiskDraft | undefined {
  const { part, superseded, contentType } = parseObject(state);
  if (!isPartId(part) || !(superseded === undefined || isPartId(superseded))) return undefined;
  if (!(contentType === undefined || typeof contentType === "string") || !Number.isSafeInteger(size) || size < 0) return undefined;
  return { part, superseded, contentType, size };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}
