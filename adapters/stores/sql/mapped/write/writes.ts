import type { InsertManyOptions, NewRow, Row, RowPatch, RowUpdate } from "../../../../../src/ground/storage/collection.js";
import { WriteRefused } from "../../../../../src/ground/storage/errors.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { FailedOutcome, Outcome, Refusal } from "../../../../../src/ground/storage/outcome.js";
import type { Id, Version } from "../../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../../engine/bindings.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import { run, runGuarded, type Session, transact } from "../../engine/session.js";
import { getOne } from "../../query/select.js";
import { readPath } from "../../schema/values.js";
import type { UpdateOptions } from "../../write/rowStatements.js";
import type { InsertOptions, TableWrites } from "../../write/tableWrites.js";
import { Unreadable } from "../columnType.js";
import type { MappedColumn } from "../mappedColumn.js";
import type { RefusedWrite } from "../mappedEngine.js";
import { type MappedSqlTable, storedOf } from "../mappedTable.js";
import { insertInOrder } from "./insertInOrder.js";
import { insertedOnce } from "./operations.js";
import {
  insertStatement,
  mayBeHidden,
  removeManyStatement,
  removeStatement,
  selectWritten,
  UnfitField,
  updateManyStatement,
  updateStatement,
  type WriteCondition,
} from "./statements.js";

/** Writes to a table of the developer: what the database refuses is an outcome, and the answered row is the one that it returned. */
export class MappedWrites implements TableWrites {
  readonly #table: MappedSqlTable;
  /** The table in which a written row is found: a restored one is not among the deleted. */
  readonly #written: MappedSqlTable;

  constructor(table: MappedSqlTable, written: MappedSqlTable) {
    this.#table = table;
    this.#written = written;
  }

  async insert(session: Session, row: NewRow, tenant: string, { operationId }: InsertOptions): Promise<Outcome<Row>> {
    if (operationId === undefined) return this.insertOne(session, row, tenant);
    return this.#inTransaction(session, (inner) =>
      insertedOnce(inner, this.#table, tenant, operationId, {
        insert: () => this.insertOne(inner, row, tenant),
        find: async (id) => getOne(inner, this.#table, idOfText(this.#table, id), tenant),
      }),
    );
  }

  async insertOne(session: Session, row: NewRow, tenant: string): Promise<Outcome<Row>> {
    const { tenant: column } = this.#table;
    if (column !== undefined && tenant !== "" && !column.type.accepts(tenant)) return { ok: false, why: "scope", when: "after" };
    const written = await this.#write(session, () => insertStatement(this.#table, row, tenant), tenant, { kind: "insert", values: row });
    if (written === undefined) return unexplained;
    return written.ok ? { ...written, created: true } : written;
  }

  insertMany(session: Session, rows: readonly NewRow[], tenant: string, options: InsertManyOptions): Promise<Outcome<Row>[]> {
    if (rows.length === 0) return Promise.resolve([]);
    return transact(session, (inner) => insertInOrder({ session: inner, table: this.#table, tenant, writes: this }, rows, options));
  }

  async update(session: Session, id: Id, patch: RowPatch, tenant: string, options: UpdateOptions): Promise<Outcome<Row>> {
    const { ifVersion, replace = false, before } = options;
    return this.#ifCurrent(session, id, tenant, { ifVersion, before }, async (inner, condition) => {
      const hidden = mayBeHidden(this.#table, patch, replace);
      const write = async (session: Session) => {
        const kept = hidden.length === 0 ? [] : await this.#hidden(session, id, tenant, hidden);
        const statement = () => updateStatement(this.#table, { id, tenant }, patch, { replace, condition, kept });
        const written = await this.#write(session, statement, tenant, { kind: "update", values: patch });
        return written ?? this.#unwritten(session, id, tenant, ifVersion);
      };
      return hidden.length === 0 ? write(inner) : this.#inTransaction(inner, write);
    });
  }

  updateEach(session: Session, updates: readonly RowUpdate[], tenant: string): Promise<Outcome<Row>[]> {
    if (updates.length === 0) return Promise.resolve([]);
    return transact(session, async (inner) => {
      const outcomes: Outcome<Row>[] = [];
      for (const { id, patch, ...options } of updates) outcomes.push(await this.update(inner, id, patch, tenant, options));
      return outcomes;
    });
  }

  /** Those of the columns whose value is shown as null: a null that is sent back leaves them as they are. */
  async #hidden(session: Session, id: Id, tenant: string, columns: readonly MappedColumn[]): Promise<readonly MappedColumn[]> {
    const [stored] = (await run(session, selectWritten(this.#table, id, tenant))).rows;
    return columns.filter(({ name, type }) => {
      const value = stored?.[name] ?? null;
      return value !== null && isUnreadable(() => type.decode(value));
    });
  }

  async updateMany(session: Session, filter: Filter | undefined, patch: RowPatch, tenant: string): Promise<number> {
    return this.#many(session, () => updateManyStatement(this.#table, filter, patch, tenant), { kind: "update", values: patch });
  }

  async remove(session: Session, id: Id, tenant: string, ifVersion: Version | undefined): Promise<Outcome<Row>> {
    return this.#ifCurrent(session, id, tenant, { ifVersion }, async (inner, condition) => {
      const written = await this.#write(inner, () => removeStatement(this.#table, id, tenant, condition), tenant, removal);
      return written ?? this.#unwritten(inner, id, tenant, ifVersion);
    });
  }

  async removeMany(session: Session, filter: Filter | undefined, tenant: string): Promise<number> {
    return this.#many(session, () => removeManyStatement(this.#table, filter, tenant), removal);
  }

  /**
   * Writes a row if it has a version. An engine that cannot compute versions compares the values that they are made from, which are known of a row that was read; else they
   * are read and compared here, and the statement compares them once more.
   *
   * @param write gets the condition of the statement
   */
  async #ifCurrent(
    session: Session,
    id: Id,
    tenant: string,
    { ifVersion, before }: Pick<UpdateOptions, "ifVersion" | "before">,
    write: (session: Session, condition: WriteCondition | undefined) => Promise<Outcome<Row>>,
  ): Promise<Outcome<Row>> {
    if (ifVersion === undefined) return write(session, undefined);
    const { version, unchanged } = this.#table;
    const isUnchanged = (stored?: SqlRow) => (bindings: Bindings) => unchanged(ifVersion, stored, bindings);
    const known = before?._version === ifVersion ? storedOf(before) : undefined;
    if (version.made === undefined || known !== undefined) return write(session, isUnchanged(known));
    const { ofRow } = version.made;
    return this.#inTransaction(session, async (inner) => {
      const [stored] = (await run(inner, selectWritten(this.#table, id, tenant))).rows;
      const isCurrent = stored !== undefined && ofRow(stored) === ifVersion;
      return isCurrent ? write(inner, isUnchanged(stored)) : this.#unwritten(inner, id, tenant, ifVersion);
    });
  }

  /** Runs a statement that returns the written row, or none. */
  async #write(session: Session, statement: () => SqlStatement, tenant: string, write: RefusedWrite): Promise<Outcome<Row> | undefined> {
    const { catalog, engine } = this.#table;
    const isReadAgain = catalog.hasAfterTriggers && write.kind !== "remove";
    const isUndone = catalog.isDeferred && engine.afterWrite !== undefined && !session.defersConstraints;
    const isJudged = write.kind !== "remove" && (isReadAgain || mayBeUnreadable(this.#table, write));
    if ((isReadAgain || isUndone) && !session.inTransaction) {
      return transact(session, (inner) => this.#write(inner, statement, tenant, write), { isBrief: true });
    }
    const run = (inner: Session) => this.#run(inner, statement(), tenant, write.kind, isReadAgain);
    try {
      await engine.beforeWrite?.(session, this.#table);
      const row = await (isUndone || isJudged ? transact(session, run, { isBrief: true }) : run(session));
      return row && { ok: true, row };
    } catch (error) {
      if (isJudged && error instanceof Unreadable)
        return { ok: false, why: "refused", rule: "range", fields: error.field === undefined ? [] : [error.field] };
      return this.#refusal(session, error, write);
    }
  }

  /** The written row. AFTER triggers may change it again: then it is read as it stands. */
  async #run(session: Session, statement: SqlStatement, tenant: string, kind: RefusedWrite["kind"], isReadAgain: boolean): Promise<Row | undefined> {
    const [stored] = (await runGuarded(session, statement)).rows;
    if (stored === undefined) return undefined;
    const row = this.#table.decodeRow(stored);
    await this.#table.engine.afterWrite?.(session, this.#table, [row], kind);
    const current = isReadAgain ? await getOne(session, this.#written, row[this.#table.id.name] as Id, tenant) : undefined;
    return current ?? row;
  }

  async #many(session: Session, statement: () => SqlStatement, write: RefusedWrite): Promise<number> {
    try {
      await this.#table.engine.beforeWrite?.(session, this.#table);
      return (await runGuarded(session, statement())).affected;
    } catch (error) {
      throw new WriteRefused(asRefusal(await this.#refusal(session, error, write)), { cause: error });
    }
  }

  /** @throws the error, if it is not one that a client can cause */
  async #refusal(session: Session, error: unknown, write: RefusedWrite): Promise<FailedOutcome<Row>> {
    if (error instanceof UnfitField) {
      return { ok: false, why: "refused", rule: error.unfit.rule, fields: [error.field], allowed: error.unfit.allowed };
    }
    const refusal = await this.#table.engine.refusal(session, this.#table, error, write);
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

/** Whether the database makes a value that no field may hold, and cannot fail the statement that writes it. Columns of SQLite hold anything. */
function mayBeUnreadable({ mapped, options, engine }: MappedSqlTable, { kind, values }: RefusedWrite): boolean {
  if (options.unreadable === "null" || engine.failing !== undefined) return false;
  return mapped.some(({ declared, leaf }) => {
    if (declared.isNumbered) return false;
    const isDefault = kind === "insert" && declared.hasDefault && (readPath(values, leaf.path) ?? undefined) === undefined;
    return isDefault || declared.generated === "always";
  });
}

function isUnreadable(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch (error) {
    if (error instanceof Unreadable) return true;
    throw error;
  }
}

const removal: RefusedWrite = { kind: "remove", values: { _version: "" } };
const unexplained: FailedOutcome<Row> = { ok: false, why: "refused", rule: "other", fields: [] };

/** The id that a text was made from. */
function idOfText({ id }: MappedSqlTable, text: string): Id {
  if (id.kind === "bigint") return BigInt(text);
  return id.kind === "int" ? Number(text) : text;
}

function asRefusal(failure: FailedOutcome<Row>): Refusal {
  if (failure.why === "refused") return failure;
  if (failure.why === "conflict") return { rule: "unique", fields: failure.fields };
  return { rule: failure.why === "inUse" ? "in-use" : "other", fields: [] };
}
