import type { NewRow, Row } from "../../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import type { Id } from "../../../../../src/ground/storage/values/scalar.js";
import { Bindings } from "../../engine/bindings.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import type { Session } from "../../engine/session.js";
import { idOf } from "../../schema/table.js";
import { insertRecords } from "../insertRecords.js";
import { insertOne } from "../singleRow.js";
import type { TenantRows } from "../tenantRows.js";
import type { WriteGroup } from "./writeGroup.js";

/** After a lost connection a row without a known id is looked for among so many of the latest ones. */
const latestRows = 1_000;

/** Inserts of rows that get their ids from the store, or that all have theirs. */
export class GatheredInserts implements WriteGroup<NewRow> {
  readonly session: Session;
  readonly title: string;
  readonly lost = { find: (rows: readonly NewRow[]) => this.#find(rows), versionOf: ({ _version }: NewRow) => _version };
  readonly #target: TenantRows;
  readonly #numbers: boolean;

  /** @param numbers whether the store assigns the ids */
  constructor(target: TenantRows, numbers: boolean) {
    this.session = target.session;
    this.title = target.table.model.name;
    this.#target = target;
    this.#numbers = numbers;
  }

  alone(row: NewRow): Promise<Outcome<Row>> {
    return insertOne(this.#target, row, undefined);
  }

  statement(rows: readonly NewRow[]): SqlStatement {
    const { table, tenant } = this.#target;
    const entries = rows.map((row) => ({ row, operationId: undefined }));
    return insertRecords(table, entries, tenant, { returns: "many", numbers: this.#numbers, conflicts: "leave", isGathered: true });
  }

  #find(rows: readonly NewRow[]): SqlStatement {
    const { table, tenant } = this.#target;
    const bindings = new Bindings(table.dialect);
    const ofTenant = table.ofTenant(tenant, bindings);
    const key = this.#numbers ? table.version : table.id;
    const values = rows.map((row) => (this.#numbers ? row._version : idOf(table, row)));
    const among = table.dialect.among?.(key.kind, key.quoted, values, bindings) ?? "false";
    const columns = `${table.id.quoted}, "_version"`;
    // No index finds versions, but the latest rows have the highest numbers.
    const latest = `(select ${columns} from ${table.quoted} where ${ofTenant} order by ${table.id.quoted} desc limit ${latestRows}) as latest`;
    const text = this.#numbers
      ? `select ${columns} from ${latest} where ${among}`
      : `select ${columns} from ${table.quoted} where ${ofTenant} and ${among}`;
    return { text, values: bindings.values, writes: false, returns: "many", bigints: table.bigints };
  }

  nameOf(row: NewRow): string {
    return this.#numbers ? row._version : String(idOf(this.#target.table, row));
  }

  nameIn(stored: SqlRow): string {
    return this.#numbers ? String(stored["_version"]) : String(this.#idIn(stored));
  }

  outcome(row: NewRow, stored: SqlRow): Outcome<Row> {
    return { ok: true, row: { ...row, [this.#target.table.id.name]: this.#idIn(stored) }, created: true };
  }

  #idIn(stored: SqlRow): Id {
    const { id } = this.#target.table;
    return id.decode(stored[id.name]) as Id;
  }
}
