import type { Draft } from "../../../../src/ground/storage/files/blobs.js";
import type { UploadedPart } from "../multipart.js";
import { firstWindow, type NumberWindow } from "./partNumbers.js";
import { isTailId, type Tail } from "./tails.js";

/** The state of a draft: parts of equal length, and a tail of the bytes that do not fill another part. */
export interface DraftState {
  readonly uploadId: string;
  readonly contentType: string | undefined;
  readonly partBytes: number;
  readonly parts: readonly UploadedPart[];
  /** The numbers of the next parts. */
  readonly window: NumberWindow;
  readonly tail: Tail | undefined;
  /** Ids of the tails of earlier drafts. */
  readonly oldTails: readonly string[];
}

/** Parts with consecutive numbers: the number of the first, and the ETags of all. */
type Run = readonly [first: number, ...etags: string[]];

interface Written extends Omit<DraftState, "parts"> {
  readonly runs: readonly Run[];
}

const maxState = 1_048_576;

/** @throws {TypeError} for a state that is too long to be stored */
export function draftOf(state: DraftState): Draft {
  const { parts, ...rest } = state;
  const written: Written = { ...rest, runs: runsOf(parts) };
  const text = JSON.stringify(written);
  if (text.length > maxState) throw new TypeError(`A draft of ${parts.length} parts is too long to be stored. Give its size when you create it.`);
  return { state: text, size: sizeOf(state) };
}

/** A draft without bytes. */
export function emptyDraft(state: Pick<DraftState, "uploadId" | "contentType" | "partBytes">): Draft {
  return draftOf({ ...state, parts: [], window: firstWindow, tail: undefined, oldTails: [] });
}

/** `undefined` for a draft that no S3 store created. */
export function stateOf({ state: text, size }: Draft): DraftState | undefined {
  const written = parse(text);
  if (written === undefined) return undefined;
  const { runs, ...rest } = written;
  const parts = runs.flatMap(([first, ...etags]) => etags.map((etag, index) => ({ number: first + index, etag })));
  const state = { ...rest, contentType: rest.contentType, tail: rest.tail, parts };
  return sizeOf(state) === size ? state : undefined;
}

function sizeOf({ parts, partBytes, tail }: DraftState): number {
  return parts.length * partBytes + (tail?.bytes ?? 0);
}

function parse(text: string): Written | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isWritten(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The state comes back from the caller and may be forged: it must only refer to parts of its upload and tails of its key. */
function isWritten(value: unknown): value is Written {
  const { uploadId, contentType, partBytes, runs, window, tail, oldTails }: Readonly<Record<string, unknown>> = { ...Object(value) };
  const isTyped = typeof uploadId === "string" && (contentType === undefined || typeof contentType === "string") && isCount(partBytes);
  return isTyped && isListOf(runs, isRun) && isWindow(window) && (tail === undefined || isTail(tail)) && isListOf(oldTails, isTailId);
}

function isRun(value: unknown): boolean {
  return Array.isArray(value) && isCount(value[0]) && value.slice(1).every((etag) => typeof etag === "string");
}

function isWindow(value: unknown): boolean {
  const { next, end }: Readonly<Record<string, unknown>> = { ...Object(value) };
  return isCount(next) && isCount(end);
}

function isTail(value: unknown): boolean {
  const { id, bytes }: Readonly<Record<string, unknown>> = { ...Object(value) };
  return isTailId(id) && isCount(bytes);
}

function isListOf(value: unknown, isOne: (value: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function runsOf(parts: readonly UploadedPart[]): readonly Run[] {
  const runs: [number, ...string[]][] = [];
  let expected = 0;
  for (const { number, etag } of parts) {
    const run = number === expected ? runs.at(-1) : undefined;
    if (run === undefined) runs.push([number, etag]);
    else run.push(etag);
    expected = number + 1;
  }
  return runs;
}
