/** A storage where there is no data. */
export type CompoundParts = Readonly<Record<string, Uint8Array | undefined>>;

const sectorBytes = 512;
const endOfChain = 0xfffffffe;

/** A compound file with these storages and streams, all beside one another; streams below 4096 bytes share the short one. */
export function compoundFile(parts: CompoundParts): Buffer {
  const names = Object.keys(parts);
  const short: Buffer[] = [];
  const miniFat: number[] = [];
  const sectors: Buffer[] = [];
  const fat: number[] = [];
  const store = (data: Uint8Array): number => {
    if (data.length === 0) return endOfChain;
    const start = sectors.length;
    for (let at = 0; at < data.length; at += sectorBytes) {
      const sector = Buffer.alloc(sectorBytes);
      sector.set(data.subarray(at, at + sectorBytes));
      sectors.push(sector);
      fat.push(at + sectorBytes < data.length ? sectors.length : endOfChain);
    }
    return start;
  };
  const storeShort = (data: Uint8Array): number => {
    const start = miniFat.length;
    const padded = Buffer.alloc(Math.ceil(data.length / 64) * 64);
    padded.set(data);
    short.push(padded);
    for (let at = 64; at <= padded.length; at += 64) miniFat.push(at < padded.length ? miniFat.length + 1 : endOfChain);
    return start;
  };
  const records = names.map((name) => {
    const data = parts[name];
    if (data === undefined) return record(name, 1, 0, 0);
    return record(name, 2, data.length < 4_096 ? storeShort(data) : store(data), data.length);
  });
  const shortStart = store(Buffer.concat(short));
  const root = record("Root Entry", 5, shortStart, Buffer.concat(short).length);
  const directoryStart = store(Buffer.concat([root, ...records]));
  const miniFatStart = store(numbers(miniFat));
  const fatSectors = Math.ceil((fat.length + 8) / 128);
  const fatStart = sectors.length;
  for (let index = 0; index < fatSectors; index++) fat.push(0xfffffffd);
  const table = Buffer.alloc(fatSectors * sectorBytes, 0xff);
  table.set(numbers(fat));
  return Buffer.concat([header({ fatSectors, fatStart, directoryStart, miniFatStart }), ...sectors, table]);
}

interface Header {
  readonly fatSectors: number;
  readonly fatStart: number;
  readonly directoryStart: number;
  readonly miniFatStart: number;
}

function header({ fatSectors, fatStart, directoryStart, miniFatStart }: Header): Buffer {
  const head = Buffer.alloc(sectorBytes);
  head.write("d0cf11e0a1b11ae1", 0, "hex");
  head.writeUInt16LE(0x3e, 24);
  head.writeUInt16LE(3, 26);
  head.writeUInt16LE(0xfffe, 28);
  head.writeUInt16LE(9, 30);
  head.writeUInt16LE(6, 32);
  head.writeUInt32LE(fatSectors, 44);
  head.writeUInt32LE(directoryStart, 48);
  head.writeUInt32LE(4_096, 56);
  head.writeUInt32LE(miniFatStart, 60);
  head.writeUInt32LE(endOfChain, 68);
  for (let index = 0; index < 109; index++) head.writeUInt32LE(index < fatSectors ? fatStart + index : 0xffffffff, 76 + 4 * index);
  return head;
}

function record(name: string, kind: number, start: number, size: number): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, 0, "utf16le");
  entry.writeUInt16LE(2 * name.length + 2, 64);
  entry[66] = kind;
  entry.writeUInt32LE(start, 116);
  entry.writeUInt32LE(size, 120);
  return entry;
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

/** A document of Word: the beginning of its stream, with these flags. */
export function wordStream({ magic = 0xa5ec, flags = 0 } = {}): Buffer {
  const stream = Buffer.alloc(4_096);
  stream.writeUInt16LE(magic, 0);
  stream.writeUInt16LE(flags, 10);
  return stream;
}

/** A workbook with sheets of these kinds, behind other records. */
export function workbookStream(kinds: readonly number[], before: readonly Buffer[] = []): Buffer {
  const sheets = kinds.map((kind) => biff(0x0085, Buffer.from([0, 0, 0, 0, 0, kind, 1, 0, 65])));
  return Buffer.concat([biff(0x0809, Buffer.alloc(16)), ...before, ...sheets, biff(0x000a, Buffer.alloc(0))]);
}

export function biff(type: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(body.length, 2);
  return Buffer.concat([head, body]);
}

/** A record of a presentation; a container where it holds others. */
export function slideRecord(type: number, body: Uint8Array | readonly Buffer[]): Buffer {
  const contents = body instanceof Uint8Array ? body : Buffer.concat(body);
  const head = Buffer.alloc(8);
  head.writeUInt16LE(body instanceof Uint8Array ? 0 : 0x0f, 0);
  head.writeUInt16LE(type, 2);
  head.writeUInt32LE(contents.length, 4);
  return Buffer.concat([head, contents]);
}
