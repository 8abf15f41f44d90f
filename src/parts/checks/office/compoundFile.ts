import { ByteView } from "../byteView.js";
import { unscannable } from "../rejection.js";

/** A storage or a stream of a compound file. */
export interface CompoundEntry {
  readonly name: string;
  readonly kind: "storage" | "stream" | "root";
  /** The first sector of a stream. */
  readonly start: number;
  readonly size: number;
}

const endOfChain = 0xfffffffe;
const entryBytes = 128;
const miniSectorBytes = 64;
/** Shorter streams are stored in the common stream. */
const miniStreamBytes = 4_096;
const headDifat = 109;
const kinds = [undefined, "storage", "stream", undefined, undefined, "root"] as const;

/**
 * The files within a compound file, which is a file system of its own.
 *
 * Every method and the constructor throw ProblemError UNSCANNABLE for a file that is damaged.
 *
 * @see MS-CFB §2
 */
export class CompoundFile {
  readonly entries: readonly CompoundEntry[];
  readonly #view: ByteView;
  readonly #sectorBytes: number;
  readonly #sectors: number;
  readonly #fat: Uint32Array;
  #miniStream: Buffer | undefined;

  constructor(bytes: Uint8Array) {
    const view = new ByteView(bytes);
    const shift = view.uint16Little(30);
    if (view.latin1(0, 8) !== "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" || (shift !== 9 && shift !== 12) || view.uint32Little(56) !== miniStreamBytes)
      throw damaged();
    this.#view = view;
    this.#sectorBytes = 2 ** shift;
    this.#sectors = Math.ceil(view.length / this.#sectorBytes) - 1;
    this.#fat = this.#readNumbers(this.#fatSectors());
    this.entries = this.#readEntries();
  }

  /** The stream with this name in any storage, ignoring case. */
  find(name: string): CompoundEntry | undefined {
    return this.entries.find((entry) => entry.kind === "stream" && entry.name.toLowerCase() === name.toLowerCase());
  }

  read({ start, size }: CompoundEntry): Buffer {
    if (size > this.#view.length) throw damaged();
    const isMini = size < miniStreamBytes;
    const bytes = isMini ? this.#readMini(start, size) : this.#join(this.#chain(start));
    if (bytes.length < size) throw damaged();
    return bytes.subarray(0, size);
  }

  /** Sectors of the sector table: the first are listed in the header, further ones in a chain. */
  #fatSectors(): number[] {
    const view = this.#view;
    const count = view.uint32Little(44);
    // A table of more than twice the size that the file needs is damaged.
    if (!(count * this.#sectorBytes <= 8 * this.#sectors + 65_536)) throw damaged();
    const sectors = Array.from({ length: Math.min(count, headDifat) }, (_, index) => view.uint32Little(76 + 4 * index));
    const perSector = this.#sectorBytes / 4 - 1;
    let next = view.uint32Little(68);
    while (sectors.length < count) {
      const at = this.#offset(next);
      for (let index = 0; index < perSector && sectors.length < count; index++) sectors.push(view.uint32Little(at + 4 * index));
      next = view.uint32Little(at + 4 * perSector);
    }
    return sectors;
  }

  #readEntries(): CompoundEntry[] {
    const directory = this.#join(this.#chain(this.#view.uint32Little(48)));
    const view = new ByteView(directory);
    const entries: CompoundEntry[] = [];
    for (let at = 0; at + entryBytes <= view.length; at += entryBytes) {
      const kind = kinds[view.uint8(at + 66)];
      if (kind === undefined) continue;
      const name = directory.toString("utf16le", at, at + Math.max(0, Math.min(view.uint16Little(at + 64) - 2, 62)));
      entries.push({ name, kind, start: view.uint32Little(at + 116), size: view.uint32Little(at + 120) });
    }
    return entries;
  }

  /** Short streams are stored together in one long stream. */
  #readMini(start: number, size: number): Buffer {
    const root = this.entries.find(({ kind }) => kind === "root");
    if (root === undefined) throw damaged();
    this.#miniStream ??= this.#join(this.#chain(root.start));
    const fat = this.#readNumbers(this.#chain(this.#view.uint32Little(60)));
    const parts: Buffer[] = [];
    let sector = start;
    for (let read = 0; read < size; read += miniSectorBytes) {
      const next = fat[sector];
      if (next === undefined) throw damaged();
      parts.push(this.#miniStream.subarray(sector * miniSectorBytes, (sector + 1) * miniSectorBytes));
      sector = next;
    }
    return Buffer.concat(parts);
  }

  #chain(start: number): number[] {
    const chain: number[] = [];
    for (let sector = start; sector !== endOfChain; ) {
      const next = this.#fat[sector];
      // A chain that is longer than the file is circular.
      if (next === undefined || chain.length >= this.#sectors) throw damaged();
      chain.push(sector);
      sector = next;
    }
    return chain;
  }

  #join(sectors: readonly number[]): Buffer {
    return Buffer.concat(sectors.map((sector) => this.#view.buffer.subarray(this.#offset(sector), this.#offset(sector) + this.#sectorBytes)));
  }

  #readNumbers(sectors: readonly number[]): Uint32Array {
    const view = new ByteView(this.#join(sectors));
    return Uint32Array.from({ length: Math.floor(view.length / 4) }, (_, index) => view.uint32Little(4 * index));
  }

  #offset(sector: number): number {
    if (!(sector < this.#sectors)) throw damaged();
    return (sector + 1) * this.#sectorBytes;
  }
}

function damaged() {
  return unscannable("The document is damaged: it is not a readable compound file.");
}
