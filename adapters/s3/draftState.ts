import type { Draft } from "../../src/storage/blobs.js";
import type { UploadedPart } from "./multipart.js";
import { firstWindow, type NumberWindow } from "./partNumbers.js";
import { isTailId, type Tail } from "./tails.js";

/** What a draft is made of: parts of one length, and a tail of what does not fill another. */
export interface DraftState {
  readonly uploadId: string;
  readonly contentType: string | undefined;
  readonly partBytes: number;
  readonly parts: readonly UploadedPart[];
  /** For the parts to come. */
  readonly window: NumberWindow;
  readonly tail: Tail | undefined;
  /** Ids of the tails of drafts before this one. */
  readonly oldTails: readonly string[];
}

/** Parts whose numbers follow one another: the number of the first, and the ETags of all. */
type Run = readonly [first: number, ...etags: string[]];

interface Written extends Omit<DraftState, "parts"> {
  readonly runs: readonly Run[];
}

const longestState = 1_048_576;

/** @throws {TypeError} for one that is too long for whoever keeps it */
export function draftOf(state: DraftState): Draft {
  const { parts, ...rest } = state;
  const written: Written = { ...rest, runs: runsOf(parts) };
  const text = JSON.stringify(written);
  if (text.length > longestState) throw new TypeError(`A draft of ${parts.length} parts is too long to be kept. Give its size when it is begun.`);
  return { state: text, size: sizeOf(state) };
}

/** A draft without bytes. */
export function emptyDraft(state: Pick<DraftState, "uploadId" | "contentType" | "partBytes">): Draft {
  return draftOf({ ...state, parts: [], window: firstWindow, tail: undefined, oldTails: [] });
}

/** `undefined` for a draft that no store in S3 made. */
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

/** Callers keep what they were given, and may hand back anything: it must lead to nothing but parts of the upload and tails of the key. */
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
