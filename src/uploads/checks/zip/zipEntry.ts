/** An entry of a ZIP, as its directory and its own header agree on. */
export interface ZipEntry {
  /** With `/` between folders, as it stands in the archive otherwise. */
  readonly name: string;
  /** 0: as it is, 8: deflated. */
  readonly method: 0 | 8;
  readonly crc: number;
  readonly size: number;
  /** As they stand in the archive. */
  readonly compressed: Uint8Array;
  /** Unix mode; 0 where there is none. */
  readonly mode: number;
}
