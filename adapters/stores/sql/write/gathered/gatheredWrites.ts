import type { NewRow, Row, RowPatch } from "../../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import type { Id } from "../../../../../src/ground/storage/values/scalar.js";
import type { Session } from "../../engine/session.js";
import type { OwnTable } from "../../schema/table.js";
import { isNumbered } from "../insert.js";
import type { EndingInsert } from "../insertEnding.js";
import type { UpdateOptions } from "../rowStatements.js";
import { insertOne, updateOne } from "../singleRow.js";
import type { TenantRows } from "../tenantRows.js";
import { GatheredDraws } from "./gatheredDraws.js";
import { GatheredEndings } from "./gatheredEndings.js";
import { GatheredInserts } from "./gatheredInserts.js";
import { GatheredUpdates, setColumns } from "./gatheredUpdates.js";
import type { WriteGroup } from "./writeGroup.js";
import { WriteKinds } from "./writeKinds.js";

/** The writes of a table, by their kind and tenant, and the numbers of its rows. */
interface TableWrites {
  readonly kinds: WriteKinds;
  readonly draws: GatheredDraws;
}

/**
 * Inserts and updates of single rows that wait at the same time go to the database as one statement, if they are of one table and tenant and set the same columns. Each has the outcome
 * that it would have alone: the rows that the statement does not write go alone and find out why.
 */
export class GatheredWrites {
  readonly #tables = new WeakMap<OwnTable, TableWrites>();

  /** Inserts one row. @throws {Retryable} if conflicting rows keep appearing and disappearing @throws {TypeError} if the row has no id and the caller must assign it */
  async insert(target: TenantRows, row: NewRow): Promise<Outcome<Row>> {
    const { table } = target;
    const numbers = isNumbered(table, row);
    // The numbering must be moved past the id before.
    if (!numbers && table.model.idFrom === "store") return insertOne(target, row, undefined);
    return this.#write(target, "insert", row, () => new GatheredInserts(target, numbers));
  }

  /** Inserts one row and completes the record of its operation. @throws the error of `lost` of the write @throws {Retryable} if conflicting rows keep appearing and disappearing */
  insertEnding(target: TenantRows, write: EndingInsert): Promise<Outcome<Row>> {
    return this.#write(target, "ending", write, () => new GatheredEndings(target));
  }

  /** Updates one row. @throws {Retryable} if conflicting rows keep appearing and disappearing */
  update(target: TenantRows, id: Id, patch: RowPatch, options: UpdateOptions): Promise<Outcome<Row>> {
    const { ifVersion, replace } = options;
    // By its new version it is found out whether a row was written, if the connection breaks.
    if (ifVersion === undefined || ifVersion === patch._version) return updateOne(target, id, patch, options);
    const columns = setColumns(target.table, patch, options);
    const write = { id, patch, options: { ifVersion, replace } };
    return this.#write(target, `update ${JSON.stringify(columns)}`, write, () => new GatheredUpdates(target, columns));
  }

  /** Takes the next number of the ids that the store assigns: those that wait for one at the same time get theirs with one statement. */
  drawNumber(session: Session, table: OwnTable): Promise<Id> {
    const { draws } = this.#of(table);
    return draws.draw(session, table);
  }

  #write<Write>(target: TenantRows, kind: string, write: Write, groupOf: () => WriteGroup<Write>): Promise<Outcome<Row>> {
    return this.#of(target.table).kinds.write(`${kind} ${target.tenant}`, write, groupOf);
  }

  #of(table: OwnTable): TableWrites {
    let writes = this.#tables.get(table);
    if (writes === undefined) {
      writes = { kinds: new WriteKinds(), draws: new GatheredDraws() };
      this.#tables.set(table, writes);
    }
    return writes;
  }
}
