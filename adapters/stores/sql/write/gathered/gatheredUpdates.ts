import type { Row, RowPatch } from "../../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import type { Id, Version } from "../../../../../src/ground/storage/values/scalar.js";
import { Bindings } from "../../engine/bindings.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import type { Session } from "../../engine/session.js";
import { selectByIds } from "../../query/select.js";
import type { OwnColumn, OwnTable } from "../../schema/table.js";
import { assignedColumns } from "../assignedColumns.js";
import { matchColumns, recordsOf, writeMatches, writeRecordset } from "../recordset.js";
import type { UpdateOptions } from "../rowStatements.js";
import { updateOne } from "../singleRow.js";
import type { TenantRows } from "../tenantRows.js";
import type { WriteGroup } from "./writeGroup.js";

/** An update of a row that still has the version which its caller has read. */
export interface VersionedUpdate {
  readonly id: Id;
  readonly patch: RowPatch;
  readonly options: UpdateOptions & { readonly ifVersion: Version };
}

/** The names of the columns that an update sets, which those that go with it set too. */
export function setColumns(table: OwnTable, patch: RowPatch, { replace }: UpdateOptions): readonly string[] {
  const isSet = (column: OwnColumn) => column !== table.id && (replace === true || Object.hasOwn(patch, column.name));
  return [...table.columns.values()].filter(isSet).map(({ name }) => name);
}

/** Updates by id and version that set the same columns. */
export class GatheredUpdates implements WriteGroup<VersionedUpdate> {
  readonly session: Session;
  readonly title: string;
  readonly lost = {
    find: (updates: readonly VersionedUpdate[]) => this.#find(updates),
    versionOf: ({ patch }: VersionedUpdate) => patch._version,
  };
  readonly #target: TenantRows;
  readonly #columns: ReadonlySet<string>;

  /** @param columns those of `setColumns` */
  constructor(target: TenantRows, columns: readonly string[]) {
    this.session = target.session;
    this.title = target.table.model.name;
    this.#target = target;
    this.#columns = new Set(columns);
  }

  alone({ id, patch, options }: VersionedUpdate): Promise<Outcome<Row>> {
    return updateOne(this.#target, id, patch, options);
  }

  /** Which rows are free is found out first: the update itself would wait for the others. It compares the versions of its rows as they are once those are locked. */
  statement(updates: readonly VersionedUpdate[]): SqlStatement {
    const { table, tenant } = this.#target;
    const { dialect, id } = table;
    const { lockFree, brief } = recordsOf(dialect);
    const matched = matchColumns(
      [id.kind, "text"],
      updates.map((update) => [id.encode(update.id), update.options.ifVersion]),
    );
    const patches = updates.map(({ patch }) => patch);
    const assigned = assignedColumns(table, patches, ({ name }) => this.#columns.has(name));
    const bindings = new Bindings(dialect);
    const { source, json } = writeRecordset(dialect, [...matched, ...assigned], dialect.placeholder(1));
    bindings.bind(json);
    const ids = updates.map((update) => update.id);
    const among = dialect.among?.(id.kind, id.quoted, ids, bindings) ?? "false";
    const ofTenant = table.ofTenant(tenant, bindings);
    const assignments = assigned.map(({ quoted }, index) => `${quoted} = given.c${matched.length + index}`);
    const text =
      `with free as materialized (select ${id.quoted} from ${table.quoted} where ${among} and ${ofTenant}${lockFree}) ` +
      `update ${table.quoted} as held set ${assignments.join(", ")} from free, ${source}, ${brief} ` +
      `where free.${id.quoted} = held.${id.quoted} and ${writeMatches(dialect, [id.quoted, `"_version"`], [id.kind, "text"])} ` +
      `and ${table.ofTenant(tenant, bindings, "held")} returning ${table.rowColumns.map(({ selected }) => `held.${selected}`).join(", ")}`;
    return { text, values: bindings.values, writes: true, returns: "many", bigints: table.bigints, isGathered: true };
  }

  #find(updates: readonly VersionedUpdate[]): SqlStatement {
    const { table, tenant } = this.#target;
    const ids = updates.map(({ id }) => id);
    return selectByIds(table, ids, tenant);
  }

  nameOf({ id }: VersionedUpdate): string {
    return String(id);
  }

  nameIn(stored: SqlRow): string {
    const { id } = this.#target.table;
    return String(id.decode(stored[id.name]));
  }

  outcome(_update: VersionedUpdate, stored: SqlRow): Outcome<Row> {
    return { ok: true, row: this.#target.table.decodeRow(stored) };
  }
}
