import type { Row } from "../../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import type { Id } from "../../../../../src/ground/storage/values/scalar.js";
import { hexOf } from "../../engine/bytes.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import type { Session } from "../../engine/session.js";
import { selectByIds } from "../../query/select.js";
import { endHeld, lockAttempts } from "../../records/idempotencyStatements.js";
import { idOf, type OwnTable } from "../../schema/table.js";
import { insertColumns } from "../insert.js";
import { type EndingInsert, insertOneEnding } from "../insertEnding.js";
import { recordMaker } from "../recordLayout.js";
import { recordsOf } from "../recordset.js";
import { rowCells } from "../rowCells.js";
import type { TenantRows } from "../tenantRows.js";
import type { WriteGroup } from "./writeGroup.js";

/** Inserts of rows that have their ids, each of which ends an operation. */
export class GatheredEndings implements WriteGroup<EndingInsert> {
  readonly session: Session;
  readonly title: string;
  readonly lost = {
    find: (writes: readonly EndingInsert[]) => selectByIds(this.#target.table, writes.map(this.#idOf), this.#target.tenant),
    versionOf: ({ row }: EndingInsert) => row._version,
  };
  readonly #target: TenantRows;

  constructor(target: TenantRows) {
    this.session = target.session;
    this.title = target.table.model.name;
    this.#target = target;
  }

  alone(write: EndingInsert): Promise<Outcome<Row>> {
    return insertOneEnding(this.#target, write);
  }

  statement(writes: readonly EndingInsert[]): SqlStatement {
    const { table, tenant } = this.#target;
    const { text, recordOf } = layoutOf(table);
    const read = rowCells(table, "plain");
    const records = writes.map(({ row, end: { id, operationId, attempt, response } }) => ({
      ...recordOf(read({ row, operationId: undefined }, tenant)),
      ...{ key: id, operation: operationId, attempt, response: hexOf(response), size: response.length },
    }));
    return { text, values: [JSON.stringify(records)], writes: true, returns: "many", bigints: table.bigints, isGathered: true };
  }

  nameOf(write: EndingInsert): string {
    return String(this.#idOf(write));
  }

  nameIn(stored: SqlRow): string {
    const { id } = this.#target.table;
    return String(id.decode(stored[id.name]));
  }

  outcome({ row }: EndingInsert): Outcome<Row> {
    return { ok: true, row, created: true };
  }

  readonly #idOf = ({ row }: EndingInsert): Id => idOf(this.#target.table, row);
}

/** The text of a statement for any number of rows, and how a row is a member of its parameter. */
interface Layout {
  readonly text: string;
  recordOf(cells: readonly unknown[]): Readonly<Record<string, unknown>>;
}

const layouts = new WeakMap<OwnTable, Layout>();

function layoutOf(table: OwnTable): Layout {
  const known = layouts.get(table) ?? writeLayout(table);
  layouts.set(table, known);
  return known;
}

/** As `writeText` of a single one, for the rows whose records are free: the others go alone. */
function writeLayout(table: OwnTable): Layout {
  const { dialect } = table;
  const records = recordsOf(dialect);
  const columns = insertColumns(table, false).map((column, index) => ({ ...column, name: `c${index}` }));
  const own = columns.map(({ name, kind }) => `${name} ${dialect.columnType(kind)}`);
  const [text, int] = [dialect.columnType("text"), dialect.columnType("int")];
  const ofEnd = { key: text, operation: text, attempt: int, response: text, size: int };
  const types = [...own, ...Object.entries(ofEnd).map(([name, type]) => `${name} ${type}`)];
  const names = [...columns.map(({ name }) => name), ...Object.keys(ofEnd)];
  const id = columns.find(({ quoted }) => quoted === table.id.quoted)?.name;
  const attempt = { id: "given.key", operationId: "given.operation", attempt: "given.attempt" };
  const end = { response: records.bytes("given.response"), size: "given.size" };
  const ended = `from given join written on written.${table.id.quoted} = given.${id} where record."id" = given.key`;
  return {
    text:
      `with given as materialized (select given.* from ${records.numbered(dialect.placeholder(1), types, names)}), ` +
      `held as materialized (${lockAttempts(dialect, "given", attempt)}), ` +
      `written as (insert into ${table.quoted} (${columns.map(({ quoted }) => quoted).join(", ")}) ` +
      `select ${columns.map(({ name }) => `given.${name}`).join(", ")} from given join held on held."id" = given.key, ${records.brief} ` +
      `order by given.ord on conflict do nothing returning ${table.id.quoted}), ` +
      `ended as (${endHeld(dialect, end, ended)}) select ${table.id.quoted} from written`,
    recordOf: recordMaker(columns),
  };
}
