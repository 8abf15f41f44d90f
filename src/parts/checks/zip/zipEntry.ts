/** An entry of a ZIP, on which its directory and its local header agree. */
export interface ZipEntry {
  /** As in the archive, but with `/` between folders. */
  readonly name: string;
  /** 0: stored, 8: deflated. */
  readonly method: 0 | 8;
  readonly crc: number;
  readonly size: number;
  /** As in the archive. */
  readonly compressed: Uint8Array;
  /** Unix mode; 0 if there is none. */
  readonly mode: number;
}
