import type { NewUser } from "../floor/user.js";
import type { ExportedUser } from "./exportByHand.js";

/** The hand-written side of a store. */
export interface Floor {
  /** Inserts users in one transaction. @returns how many */
  insert(users: readonly NewUser[]): Promise<number>;
  /** All users in the order of their ids, in batches of one snapshot. */
  everyone(): AsyncIterable<readonly ExportedUser[]>;
  /** PostgreSQL's own way in: a file that is on its machine, into a table with the same keys. */
  copy?(file: Buffer, rows: number): () => Promise<number>;
  close(): Promise<void>;
}
