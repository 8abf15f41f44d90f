import type { ChangeLog, ChangePage, KeptChanges, RowChange } from "../../../../src/ground/storage/changes.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import { Bindings } from "../engine/bindings.js";
import type { LogPlace } from "../engine/changesDialect.js";
import type { SqlRow, SqlStatement } from "../engine/executor.js";
import { run, type Session, transact } from "../engine/session.js";
import { quoteIdentifier } from "../schema/identifier.js";
import type { OwnTable } from "../schema/table.js";
import { orderNames } from "./changeTables.js";

/**
 * The log of changes in a table beside the rows, which triggers write: so it has every write of a row, whatever statement or program made it.
 *
 * @param tableOf the table of a collection
 */
export function sqlChanges(session: Session, tableOf: (model: CollectionModel) => OwnTable): ChangeLog {
  return {
    head: () => readHead(session),
    read: (model, after, limit) => readPage(session, tableOf(model), after, limit),
    prune: (model, kept) => prune(session, model.name, kept),
  };
}

async function readHead(session: Session): Promise<string> {
  const text = `select ${headOf(session)} as "_head"`;
  const [row] = (await run(session, { text, values: [], writes: false, returns: "one" })).rows;
  return String(row?.["_head"]);
}

function headOf({ dialect: { changes, place } }: Session): string {
  return changes.head(place.own.changes, place.own.droppedChanges);
}

async function readPage(session: Session, table: OwnTable, after: string, limit: number): Promise<ChangePage | undefined> {
  const { changes } = session.dialect;
  const place = changes.place(after);
  if (place === undefined) return undefined;
  const { rows } = await run(session, selectPage(session, table, place, limit));
  // Asked afterwards: what was dropped before the read is known then.
  if (await isDropped(session, table.model.name, place)) return undefined;
  const found = rows.filter((row) => row["_kind"] !== null);
  const page = found.slice(0, limit);
  const { text, hasMore } = place.next(String(rows[0]?.["_head"]), found.length > limit ? page.at(-1) : undefined);
  return { changes: page.map((row) => changeOf(table, row)), position: text, hasMore };
}

/** If there are no changes, it returns one row of nulls with the position of the log. */
function selectPage(session: Session, table: OwnTable, after: LogPlace, limit: number): SqlStatement {
  const { dialect } = session;
  const { changes, place } = dialect;
  const bindings = new Bindings(dialect);
  const names = changes.order.map((_, index) => `"_${index}"`);
  const inner = `(select h."_head", l.* from (select ${headOf(session)} as "_head") as h left join (
      select ${changes.order.map(({ name }, index) => `${quoteIdentifier(name)} as ${names[index]}`).join(", ")},
        "kind" as "_kind", "tenant" as "_in", "id" as "_key", "before" as "_before"
      from ${place.own.changes} where "collection" = ${bindings.bind(table.model.name)} and ${after.after(bindings)}
      order by ${orderNames(changes.order)} limit ${limit + 1}) as l on true)`;
  const shown = [...names, ...table.rowColumns.map(({ selected }) => selected)];
  const text = `select "_head", "_kind", "_in", "_key", "_before" is null as "_isNew", ${shown.join(", ")} from ${changes.images(table, inner)} order by ${names.join(", ")}`;
  return { text, values: bindings.values, writes: false, returns: "many", bigints: table.bigints };
}

function changeOf(table: OwnTable, row: SqlRow): RowChange {
  const isNew = row["_isNew"] === true || Number(row["_isNew"]) === 1;
  return {
    kind: row["_kind"] as RowChange["kind"],
    tenant: row["_in"] === "" ? undefined : String(row["_in"]),
    id: table.id.decode(idValue(table, String(row["_key"]))) as Id,
    before: isNew ? undefined : table.decodeRow(row),
  };
}

function idValue({ id }: OwnTable, text: string): unknown {
  if (id.kind === "bigint") return BigInt(text);
  return id.kind === "text" ? text : Number(text);
}

async function isDropped(session: Session, collection: string, place: LogPlace): Promise<boolean> {
  const bindings = new Bindings(session.dialect);
  const where = `"collection" = ${bindings.bind(collection)} and ${place.isDropped(bindings)}`;
  const text = `select 1 as "found" from ${session.dialect.place.own.droppedChanges} where ${where}`;
  return (await run(session, { text, values: bindings.values, writes: false, returns: "one" })).rows.length > 0;
}

async function prune(session: Session, collection: string, kept: KeptChanges): Promise<void> {
  const { now } = session.dialect;
  await transact(session, async (tx) => {
    await dropUpTo(tx, collection, await lastOf(tx, collection, "true", kept.changes));
    await dropUpTo(tx, collection, await lastOf(tx, collection, `"created" < ${now} - ${Math.ceil(kept.ms)}`, 0));
  });
}

/** The place of the last change for which a condition holds, without so many of them. Changes that readers may still stand before are kept. */
async function lastOf(session: Session, collection: string, condition: string, without: number): Promise<readonly string[] | undefined> {
  const { dialect } = session;
  const { changes, place } = dialect;
  const bindings = new Bindings(dialect);
  const shown = changes.order.map(({ name }, index) => `cast(${quoteIdentifier(name)} as text) as "_${index}"`);
  const order = changes.order.map(({ name }) => `${quoteIdentifier(name)} desc`);
  const where = `"collection" = ${bindings.bind(collection)} and ${changes.settled ?? "true"} and ${condition}`;
  const text = `select ${shown.join(", ")} from ${place.own.changes} where ${where} order by ${order.join(", ")} limit 1 offset ${without}`;
  const [row] = (await run(session, { text, values: bindings.values, writes: true, returns: "one" })).rows;
  return row && changes.order.map((_, index) => String(row[`_${index}`]));
}

async function dropUpTo(session: Session, collection: string, last: readonly string[] | undefined): Promise<void> {
  if (last === undefined) return;
  const { dialect } = session;
  const { order } = dialect.changes;
  const { changes: log, droppedChanges } = dialect.place.own;
  const valuesIn = (bindings: Bindings) =>
    last.map((value, index) => `cast(cast(${bindings.bind(value)} as text) as ${order[index]?.type})`).join(", ");
  const of = (table: string) => order.map(({ name }) => `${table}.${quoteIdentifier(name)}`);
  const noted = new Bindings(dialect);
  const text = `insert into ${droppedChanges} as d ("collection", ${orderNames(order)}) values (${noted.bind(collection)}, ${valuesIn(noted)})
    on conflict ("collection") do update set ${order.map(({ name }, index) => `${quoteIdentifier(name)} = ${of("excluded")[index]}`).join(", ")}
    where (${of("excluded").join(", ")}) > (${of("d").join(", ")})`;
  await run(session, { text, values: noted.values, writes: true, returns: "none" });
  const bindings = new Bindings(dialect);
  const where = `"collection" = ${bindings.bind(collection)} and (${orderNames(order)}) <= (${valuesIn(bindings)})`;
  await run(session, { text: `delete from ${log} where ${where}`, values: bindings.values, writes: true, returns: "none" });
}
