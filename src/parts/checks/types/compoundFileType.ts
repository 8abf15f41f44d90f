/** Streams that identify the type of a compound file. */
const byStream: ReadonlyMap<string, string> = new Map([
  ["WordDocument", "application/msword"],
  ["Workbook", "application/vnd.ms-excel"],
  ["Book", "application/vnd.ms-excel"],
  ["PowerPoint Document", "application/vnd.ms-powerpoint"],
]);

/** Extensions that decide if nothing else does. */
const byExtension: ReadonlyMap<string, string> = new Map([
  ["doc", "application/msword"],
  ["dot", "application/msword"],
  ["xls", "application/vnd.ms-excel"],
  ["xlt", "application/vnd.ms-excel"],
  ["ppt", "application/vnd.ms-powerpoint"],
  ["pot", "application/vnd.ms-powerpoint"],
  ["pps", "application/vnd.ms-powerpoint"],
  ["msi", "application/x-msi"],
]);

/** The class ids of the root storage of installers ({000C1084-0000-0000-C000-000000000046}), patches and transforms. */
const installer = /^8[246]100c0000000000c000000000000046$/;

/**
 * The type of a compound file by the first sector of its directory. If that lies after the head, or does not tell, the extension decides until the whole file is
 * scanned; without an extension it is `application/x-cfb`.
 *
 * @see MS-CFB §2.6
 */
export function detectCompoundFile(head: Buffer, extension: string): string {
  return directoryType(head) ?? byExtension.get(extension) ?? "application/x-cfb";
}

function directoryType(head: Buffer): string | undefined {
  if (head.length < 512) return undefined;
  const sectorBytes = head.readUInt16LE(30) === 12 ? 4_096 : 512;
  const start = (head.readUInt32LE(48) + 1) * sectorBytes;
  if (start + sectorBytes > head.length) return undefined;
  if (installer.test(head.toString("hex", start + 80, start + 96))) return "application/x-msi";
  for (let at = start; at < start + sectorBytes; at += 128) {
    const name = head.toString("utf16le", at, at + Math.max(0, Math.min(head.readUInt16LE(at + 64) - 2, 62)));
    if (byStream.has(name)) return byStream.get(name);
  }
  return undefined;
}
