import type { ByteView } from "../byteView.js";
import { unscannable } from "../rejection.js";

/** The position of the directory of an archive. */
export interface DirectoryLocation {
  readonly start: number;
  readonly end: number;
  readonly entries: number;
}

const recordBytes = 22;
const maxCommentBytes = 65_535;
const unknown16 = 0xffff;
const unknown32 = 0xffffffff;

/**
 * Finds the directory. The record with its position must end with the file and begin where the directory ends.
 *
 * @throws {ProblemError} UNSCANNABLE
 * @see APPNOTE.TXT §4.3.14 to §4.3.16
 */
export function findDirectory(view: ByteView): DirectoryLocation {
  const at = findRecord(view);
  const hasOneDisk = view.uint16Little(at + 4) === 0 && view.uint16Little(at + 6) === 0 && view.uint16Little(at + 8) === view.uint16Little(at + 10);
  const entries = view.uint16Little(at + 10);
  const size = view.uint32Little(at + 12);
  const start = view.uint32Little(at + 16);
  if (entries === unknown16 || size === unknown32 || start === unknown32) return findLargeDirectory(view, at);
  if (!hasOneDisk || start + size !== at) throw unscannable("The directory of the archive is not at the position that the archive names.");
  return { start, end: at, entries };
}

function findRecord(view: ByteView): number {
  const first = Math.max(0, view.length - recordBytes - maxCommentBytes);
  for (let at = view.length - recordBytes; at >= first; at--) {
    if (view.uint32Little(at) === 0x06054b50 && at + recordBytes + view.uint16Little(at + 20) === view.length) return at;
  }
  throw unscannable("The archive has no directory at its end.");
}

/** ZIP64: a record and its locator are between the directory and the end. */
function findLargeDirectory(view: ByteView, end: number): DirectoryLocation {
  const locator = end - 20;
  const record = uint64(view, locator + 8);
  const isThere =
    view.uint32Little(locator) === 0x07064b50 && view.uint32Little(record) === 0x06064b50 && record + 12 + uint64(view, record + 4) === locator;
  const entries = uint64(view, record + 32);
  const size = uint64(view, record + 40);
  const start = uint64(view, record + 48);
  if (!isThere || start + size !== record || uint64(view, record + 24) !== entries)
    throw unscannable("The directory of the archive is not at the position that the archive names.");
  return { start, end: record, entries };
}

/** Inexact beyond 2^53, which no file reaches. */
export function uint64(view: ByteView, at: number): number {
  return view.uint32Little(at) + 2 ** 32 * view.uint32Little(at + 4);
}
