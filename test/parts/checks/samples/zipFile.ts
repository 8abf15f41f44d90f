import { crc32, deflateRawSync } from "node:zlib";

/** What may be told wrongly of an entry, in one place or in both. */
export interface ZipHeader {
  readonly name?: string;
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly compressedSize?: number;
  readonly offset?: number;
}

export interface ZipSample {
  readonly name: string;
  readonly data: string | Uint8Array;
  readonly isStored?: boolean;
  /** In its own header. */
  readonly local?: ZipHeader;
  /** In the directory. */
  readonly central?: ZipHeader;
  readonly isUnlisted?: boolean;
  /** Behind its data. */
  readonly tail?: Uint8Array;
  readonly mode?: number;
}

/** Entries by name, in one line. */
export function zipOf(parts: Readonly<Record<string, string | Uint8Array>>): Buffer {
  return zipFile(Object.entries(parts).map(([name, data]) => ({ name, data })));
}

export function zipFile(entries: readonly ZipSample[], { comment = "", count }: { readonly comment?: string; readonly count?: number } = {}): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const data = Buffer.from(entry.data);
    const body = entry.isStored ? data : deflateRawSync(data);
    const truth = {
      name: entry.name,
      flags: 0,
      method: entry.isStored ? 0 : 8,
      crc: crc32(data),
      size: data.length,
      compressedSize: body.length,
      offset,
    };
    const local = Buffer.concat([localHeader({ ...truth, ...entry.local }), body, entry.tail ?? Buffer.alloc(0)]);
    locals.push(local);
    if (!entry.isUnlisted) centrals.push(centralHeader({ ...truth, ...entry.central }, entry.mode ?? 0));
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count ?? centrals.length, 8);
  end.writeUInt16LE(count ?? centrals.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, directory, end, Buffer.from(comment, "latin1")]);
}

function localHeader({ name, flags, method, crc, size, compressedSize }: Required<ZipHeader>): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  writeCommon(header, 6, { flags, method, crc, size, compressedSize });
  header.writeUInt16LE(Buffer.byteLength(name), 26);
  return Buffer.concat([header, Buffer.from(name)]);
}

function centralHeader({ name, flags, method, crc, size, compressedSize, offset }: Required<ZipHeader>, mode: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(0x0300 + 20, 4);
  header.writeUInt16LE(20, 6);
  writeCommon(header, 8, { flags, method, crc, size, compressedSize });
  header.writeUInt16LE(Buffer.byteLength(name), 28);
  header.writeUInt32LE(mode * 65_536, 38);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, Buffer.from(name)]);
}

function writeCommon(header: Buffer, at: number, { flags, method, crc, size, compressedSize }: Required<Omit<ZipHeader, "name" | "offset">>): void {
  header.writeUInt16LE(flags, at);
  header.writeUInt16LE(method, at + 2);
  header.writeUInt32LE(crc, at + 8);
  header.writeUInt32LE(compressedSize, at + 12);
  header.writeUInt32LE(size, at + 16);
}
