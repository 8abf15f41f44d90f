import type { InsertManyOptions, NewRow, Row, RowPatch } from "../../../src/storage/collection.js";
import { WriteRefused } from "../../../src/storage/errors.js";
import type { Filter } from "../../../src/storage/filter.js";
import type { Outcome, Refusal } from "../../../src/storage/outcome.js";
import type { Id, Version } from "../../../src/storage/scalar.js";
import type { SqlStatement } from "../engine/executor.js";
import { runGuarded, type Session, transact } from "../engine/session.js";
import { getOne } from "../query/select.js";
import type { UpdateOptions } from "../write/rowStatements.js";
import type { TableWrites } from "../write/tableWrites.js";
import { idOfText } from "./idText.js";
import { insertInOrder } from "./insertInOrder.js";
import type { MappedSqlTable } from "./mappedTable.js";
import { insertedOnce } from "./operations.js";
import { refusalOf } from "./refusals.js";
import { insertStatement, removeManyStatement, removeStatement, UnfitField, updateManyStatement, updateStatement } from "./statements.js";

type Failure = Extract<Outcome<Row>, { readonly ok: false }>;

/** Writes to a table of the developer: what the database refuses is an outcome, and the answered row is the one that it returned. */
export class MappedWrites implements TableWrites {
  readonly #table: MappedSqlTable;
  /** The expression of the current instant; that of `now()` is the same for a whole transaction. */
  readonly #now: string;

  constructor(table: MappedSqlTable, now: string) {
    this.#table = table;
    this.#now = now;
  }

  async insert(session: Session, row: NewRow, tenant: string, operationId: string | undefined): Promise<Outcome<Row>> {
    if (operationId === undefined) return this.insertOne(session, row, tenant);
    return this.#inTransaction(session, (inner) =>
      insertedOnce(
        inner,
        this.#table,
        tenant,
        operationId,
        () => this.insertOne(inner, row, tenant),
        async (id) => getOne(inner, this.#table, idOfText(this.#table, id), tenant),
      ),
    );
  }

  async insertOne(session: Session, row: NewRow, tenant: string): Promise<Outcome<Row>> {
    const { tenant: column } = this.#table;
    if (column !== undefined && tenant !== "" && !column.type.accepts(tenant)) return { ok: false, why: "scope", when: "after" };
    const written = await this.#write(session, () => insertStatement(this.#table, row, tenant, this.#now), tenant);
    if (written === undefined) return unexplained;
    return written.ok ? { ...written, created: true } : written;
  }

  insertMany(session: Session, rows: readonly NewRow[], tenant: string, options: InsertManyOptions): Promise<Outcome<Row>[]> {
    if (rows.length === 0) return Promise.resolve([]);
    return transact(session, (inner) => insertInOrder(inner, this.#table, this, rows, tenant, this.#now, options));
  }

  async update(session: Session, id: Id, patch: RowPatch, tenant: string, { ifVersion, replace = false }: UpdateOptions): Promise<Outcome<Row>> {
    const statement = () => updateStatement(this.#table, id, patch, tenant, replace, this.#now, ifVersion);
    return (await this.#write(session, statement, tenant)) ?? this.#unwritten(session, id, tenant, ifVersion);
  }

  async updateMany(session: Session, filter: Filter | undefined, patch: RowPatch, tenant: string): Promise<number> {
    return this.#many(session, () => updateManyStatement(this.#table, filter, patch, tenant, this.#now), false);
  }

  async remove(session: Session, id: Id, tenant: string, ifVersion: Version | undefined): Promise<Outcome<Row>> {
    const statement = () => removeStatement(this.#table, id, tenant, this.#now, ifVersion);
    return (await this.#write(session, statement, tenant, true)) ?? this.#unwritten(session, id, tenant, ifVersion);
  }

  async removeMany(session: Session, filter: Filter | undefined, tenant: string): Promise<number> {
    return this.#many(session, () => removeManyStatement(this.#table, filter, tenant, this.#now), true);
  }

  /** Runs a statement that returns the written row, or none. AFTER triggers may change the row again: then it is read as it stands. */
  async #write(session: Session, statement: () => SqlStatement, tenant: string, isRemoval = false): Promise<Outcome<Row> | undefined> {
    const isReadAgain = this.#table.catalog.hasAfterTriggers && !isRemoval;
    if (isReadAgain && !session.inTransaction) return transact(session, (inner) => this.#write(inner, statement, tenant));
    try {
      const [stored] = (await runGuarded(session, statement())).rows;
      if (stored === undefined) return undefined;
      const row = this.#table.decodeRow(stored);
      const current = isReadAgain ? await getOne(session, this.#table, row[this.#table.id.name] as Id, tenant) : row;
      return { ok: true, row: current ?? row };
    } catch (error) {
      return this.#refusal(error, isRemoval);
    }
  }

  async #many(session: Session, statement: () => SqlStatement, isRemoval: boolean): Promise<number> {
    try {
      return (await runGuarded(session, statement())).affected;
    } catch (error) {
      throw new WriteRefused(asRefusal(this.#refusal(error, isRemoval)), { cause: error });
    }
  }

  /** @throws the error, if it is not one that a client can cause */
  #refusal(error: unknown, isRemoval: boolean): Failure {
    if (error instanceof UnfitField) {
      return { ok: false, why: "refused", rule: error.unfit.rule, fields: [error.field], allowed: error.unfit.allowed };
    }
    const refusal = refusalOf(this.#table, error, isRemoval);
    if (refusal === undefined) throw error;
    return refusal;
  }

  /** Why a statement wrote no row: it is missing or stale, or a trigger ignored the write. */
  async #unwritten(session: Session, id: Id, tenant: string, ifVersion: Version | undefined): Promise<Outcome<Row>> {
    const current = await getOne(session, this.#table, id, tenant);
    if (current === undefined) return { ok: false, why: "missing" };
    return ifVersion === undefined || current._version === ifVersion ? unexplained : { ok: false, why: "stale", current };
  }

  #inTransaction(session: Session, work: (session: Session) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    return session.inTransaction ? work(session) : transact(session, work);
  }
}

const unexplained: Failure = { ok: false, why: "refused", rule: "other", fields: [] };

function asRefusal(failure: Failure): Refusal {
  if (failure.why === "refused") return failure;
  if (failure.why === "conflict") return { rule: "unique", fields: failure.fields };
  return { rule: failure.why === "inUse" ? "in-use" : "other", fields: [] };
}
