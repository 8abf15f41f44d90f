import { ByteView } from "../byteView.js";
import { unscannable } from "../rejection.js";
import { type DirectoryLocation, findDirectory, uint64 } from "./directoryEnd.js";
import type { InflateBudget } from "./inflateBudget.js";
import type { ZipEntry } from "./zipEntry.js";

const unknown32 = 0xffffffff;
const isEncrypted = 0x0001;
const sizesFollow = 0x0008;
const headBytes = 30;

/** One entry in the directory. */
interface Record extends Omit<ZipEntry, "compressed" | "name"> {
  readonly rawName: string;
  readonly flags: number;
  readonly compressedSize: number;
  /** Of its local header. */
  readonly offset: number;
}

/**
 * The entries of an archive. Nothing is inflated. An archive that two readers could read differently is rejected: directory and headers must agree, no
 * entry may occur twice, overlap another, or be missing from the directory.
 *
 * @throws {ProblemError} UNSCANNABLE, also for encryption and compression methods other than DEFLATE
 * @see APPNOTE.TXT §4.3
 */
export function readZip(bytes: Uint8Array, budget: InflateBudget): ZipEntry[] {
  const view = new ByteView(bytes);
  const place = findDirectory(view);
  budget.takeEntries(place.entries);
  const records = readRecords(view, place).sort((one, other) => one.offset - other.offset);
  const names = new Set<string>();
  let end = 0;
  const entries = records.map((record) => {
    const start = dataStart(view, record);
    const dataEnd = start + record.compressedSize;
    checkGap(view, end, record.offset);
    if (record.offset < end || dataEnd > place.start) throw unscannable("Entries of the archive overlap.");
    if (names.has(record.rawName)) throw unscannable("The archive has two entries with the same name.");
    names.add(record.rawName);
    end = dataEnd;
    const { method, crc, size, mode } = record;
    return { name: nameOf(record), method, crc, size, mode, compressed: bytes.subarray(start, dataEnd) };
  });
  checkGap(view, end, place.start);
  return entries;
}

function readRecords(view: ByteView, place: DirectoryLocation): Record[] {
  const records: Record[] = [];
  let at = place.start;
  for (let index = 0; index < place.entries; index++) {
    if (view.uint32Little(at) !== 0x02014b50) throw unscannable("The directory of the archive is damaged.");
    const nameEnd = at + 46 + view.uint16Little(at + 28);
    const extraEnd = nameEnd + view.uint16Little(at + 30);
    const end = extraEnd + view.uint16Little(at + 32);
    if (!(end <= place.end)) throw unscannable("The directory of the archive is damaged.");
    records.push(readRecord(view, at, nameEnd, extraEnd));
    at = end;
  }
  if (at !== place.end) throw unscannable("The directory of the archive has more entries than it says.");
  return records;
}

function readRecord(view: ByteView, at: number, nameEnd: number, extraEnd: number): Record {
  const flags = view.uint16Little(at + 8);
  const method = view.uint16Little(at + 10);
  if ((flags & isEncrypted) !== 0) throw unscannable("The archive is encrypted.");
  if (method !== 0 && method !== 8) throw unscannable(`The archive has an entry that is compressed by method ${method}; supported: 0 and 8.`);
  const short = [view.uint32Little(at + 24), view.uint32Little(at + 20), view.uint32Little(at + 42)] as const;
  const [size, compressedSize, offset] = widen(view, short, nameEnd, extraEnd);
  const mode = view.uint8(at + 5) === 3 ? view.uint16Little(at + 40) : 0;
  return { rawName: view.latin1(at + 46, nameEnd), flags, method, crc: view.uint32Little(at + 16), size, compressedSize, offset, mode };
}

/** Numbers that do not fit are in an extra field, in this order. @see APPNOTE.TXT §4.5.3 */
function widen<Numbers extends readonly number[]>(view: ByteView, short: Numbers, extraStart: number, extraEnd: number): Numbers {
  if (!short.includes(unknown32)) return short;
  for (let at = extraStart; at + 4 <= extraEnd; at += 4 + view.uint16Little(at + 2)) {
    if (view.uint16Little(at) !== 1) continue;
    let next = at + 4;
    const wide = short.map((number) => {
      if (number !== unknown32) return number;
      next += 8;
      return uint64(view, next - 8);
    });
    if (next <= Math.min(extraEnd, at + 4 + view.uint16Little(at + 2))) return wide as unknown as Numbers;
  }
  throw unscannable("The archive lacks the size of an entry.");
}

/** Start of the data of an entry, whose local header must agree with the directory. */
function dataStart(view: ByteView, record: Record): number {
  const { offset: at, flags, method } = record;
  const nameEnd = at + headBytes + view.uint16Little(at + 26);
  const start = nameEnd + view.uint16Little(at + 28);
  const isSame =
    view.uint32Little(at) === 0x04034b50 &&
    view.uint16Little(at + 6) === flags &&
    view.uint16Little(at + 8) === method &&
    view.latin1(at + headBytes, nameEnd) === record.rawName;
  if (!isSame || !(start <= view.length)) throw unscannable("The two headers of an entry of the archive differ.");
  if ((flags & sizesFollow) === 0) {
    const [size, compressedSize] = widen(view, [view.uint32Little(at + 22), view.uint32Little(at + 18)] as const, nameEnd, start);
    const isEqual = size === record.size && compressedSize === record.compressedSize && view.uint32Little(at + 14) === record.crc;
    if (!isEqual) throw unscannable("The two headers of an entry of the archive differ.");
  }
  return start;
}

/** Between entries only the sizes of the previous one are allowed, and nothing that another reader would treat as an entry. */
function checkGap(view: ByteView, start: number, end: number): void {
  if (view.buffer.subarray(start, end).includes("PK\x03\x04", 0, "latin1"))
    throw unscannable("The archive has an entry that is not in its directory.");
}

/** Invalid UTF-8 becomes replacement characters, which no relevant name contains. */
function nameOf({ rawName }: Record): string {
  return Buffer.from(rawName, "latin1").toString("utf8").replaceAll("\\", "/");
}
