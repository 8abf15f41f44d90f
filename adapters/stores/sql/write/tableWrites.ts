import type { InsertCall, InsertManyOptions, NewRow, Row, RowPatch, RowUpdate } from "../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Id, Version } from "../../../../src/ground/storage/values/scalar.js";
import type { Session } from "../engine/session.js";
import type { UpdateOptions } from "./rowStatements.js";

export type InsertOptions = Pick<InsertCall, "operationId" | "ends">;

/** How the rows of a table are written. Everything but the ids and values has been checked; each method is atomic. */
export interface TableWrites {
  insert(session: Session, row: NewRow, tenant: string, options: InsertOptions): Promise<Outcome<Row>>;
  insertMany(session: Session, rows: readonly NewRow[], tenant: string, options: InsertManyOptions): Promise<Outcome<Row>[]>;
  update(session: Session, id: Id, patch: RowPatch, tenant: string, options: UpdateOptions): Promise<Outcome<Row>>;
  updateEach(session: Session, updates: readonly RowUpdate[], tenant: string): Promise<Outcome<Row>[]>;
  /** @throws {Error} when the patch would give two rows the same unique key */
  updateMany(session: Session, filter: Filter | undefined, patch: RowPatch, tenant: string): Promise<number>;
  remove(session: Session, id: Id, tenant: string, ifVersion: Version | undefined): Promise<Outcome<Row>>;
  removeMany(session: Session, filter: Filter | undefined, tenant: string): Promise<number>;
}
