import type { TableOptions } from "../../../../src/storage/tableOptions.js";
import type { SqlRow } from "../../engine/executor.js";
import { run, type Session } from "../../engine/session.js";
import type { Catalog, CatalogColumn, CatalogForeignKey, CatalogIndex } from "../catalog.js";

const kinds: Readonly<Record<string, Catalog["kind"]>> = { r: "table", p: "partitioned", v: "view", m: "view", f: "foreign" };

/** Reads what PostgreSQL says about a table or view; `undefined` if there is none of this name. */
export async function readPostgresCatalog(session: Session, { name }: TableOptions): Promise<Catalog | undefined> {
  const [schema, table] = typeof name === "string" ? [null, name] : [name.schema, name.name];
  const found = await rowsOf(session, findTable, [table, schema]);
  const [first] = found;
  if (first === undefined) return undefined;
  const oid = String(first["oid"]);
  const columns = (await rowsOf(session, readColumns, [oid])).map(columnOf);
  const indexes = (await rowsOf(session, readIndexes, [oid])).map(indexOf);
  const foreignKeys = (await rowsOf(session, readForeignKeys, [oid])).map(foreignKeyOf);
  return {
    name: schema === null ? table : `${schema}.${table}`,
    kind: kinds[String(first["kind"])] ?? "table",
    columns: new Map(columns.map((column) => [column.name, column])),
    indexes,
    foreignKeys,
    hasAfterTriggers: Number(first["triggers"]) > 0,
    isWithoutRowid: true,
  };
}

async function rowsOf(session: Session, text: string, values: readonly unknown[]): Promise<readonly SqlRow[]> {
  return (await run(session, { text, values, writes: false, returns: "many" })).rows;
}

/** Types of triggers are bits: 2 is BEFORE, 64 INSTEAD OF; internal ones belong to constraints. */
const findTable = `
  select c.oid::text as oid, c.relkind::text as kind,
    (select count(*) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled <> 'D' and t.tgtype & 66 <> 2)::text as triggers
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relname = $1::text and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and case when $2::text is null then pg_table_is_visible(c.oid) else n.nspname = $2::text end`;

/** Follows domains to their base types, at most eight deep. */
const readColumns = `
  with recursive resolved as (
    select a.attnum, a.attname, a.atttypid as declared, a.atttypid as type, a.atttypmod as modifier, a.attnotnull as required, 0 as depth
    from pg_attribute a where a.attrelid = $1::text::oid and a.attnum > 0 and not a.attisdropped
    union all
    select r.attnum, r.attname, r.declared, t.typbasetype, case when t.typtypmod >= 0 then t.typtypmod else r.modifier end, r.required or t.typnotnull, r.depth + 1
    from resolved r join pg_type t on t.oid = r.type where t.typtype = 'd' and r.depth < 8
  )
  select r.attname::text as name, t.typname::text as type, format_type(r.declared, null) as cast, r.modifier::text as modifier,
    r.required::text as required, (e.oid is not null)::text as is_array, e.typname::text as element,
    (a.atthasdef or t.typdefault is not null)::text as has_default, a.attidentity::text as identity, a.attgenerated::text as generated,
    (select jsonb_agg(l.enumlabel::text order by l.enumsortorder)::text from pg_enum l where l.enumtypid = coalesce(e.oid, t.oid)) as labels,
    coalesce(c.collisdeterministic, true)::text as deterministic,
    coalesce(case when c.collprovider = 'd' then (select d.datctype from pg_database d where d.datname = current_database()) else c.collctype end in ('C', 'POSIX'), false)::text as folds_ascii
  from (select distinct on (attnum) * from resolved order by attnum, depth desc) r
  join pg_attribute a on a.attrelid = $1::text::oid and a.attnum = r.attnum
  join pg_type t on t.oid = r.type
  left join pg_type e on t.typcategory = 'A' and e.oid = t.typelem
  left join pg_collation c on c.oid = a.attcollation
  order by r.attnum`;

const readIndexes = `
  select i.relname::text as name, x.indisunique::text as is_unique, x.indisprimary::text as is_primary,
    pg_get_expr(x.indpred, x.indrelid) as predicate, coalesce(k.condeferrable, false)::text as deferrable,
    (select jsonb_agg(a.attname::text order by m.position)::text
      from unnest(x.indkey::int2[]) with ordinality as m(number, position)
      left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = m.number
      where m.position <= x.indnkeyatts) as columns
  from pg_index x join pg_class i on i.oid = x.indexrelid left join pg_constraint k on k.conindid = x.indexrelid and k.contype in ('p', 'u', 'x')
  where x.indrelid = $1::text::oid and x.indisvalid
  order by x.indisprimary desc, i.relname`;

const readForeignKeys = `
  select k.conname::text as name,
    (select jsonb_agg(a.attname::text order by m.position)::text
      from unnest(k.conkey) with ordinality as m(number, position) join pg_attribute a on a.attrelid = k.conrelid and a.attnum = m.number) as columns
  from pg_constraint k where k.conrelid = $1::text::oid and k.contype = 'f' order by k.conname`;

function columnOf(row: SqlRow): CatalogColumn {
  const isArray = isTrue(row["is_array"]);
  const type = String(isArray ? row["element"] : row["type"]);
  const identity = String(row["identity"]);
  const generated = String(row["generated"]);
  return {
    name: String(row["name"]),
    type,
    cast: String(row["cast"]),
    isArray,
    labels: row["labels"] === null ? undefined : (JSON.parse(String(row["labels"])) as string[]),
    ...limitsOf(type, Number(row["modifier"])),
    isNullable: !isTrue(row["required"]),
    hasDefault: isTrue(row["has_default"]) || identity !== "",
    generated: identity === "a" || generated === "s" ? "always" : identity === "d" ? "by-default" : "no",
    isDeterministic: isTrue(row["deterministic"]) && type !== "citext",
    foldsAscii: isTrue(row["folds_ascii"]),
  };
}

/** The modifier of a type: a length or precision, as each type packs it. */
function limitsOf(type: string, modifier: number): Pick<CatalogColumn, "maxLength" | "precision" | "scale"> {
  const none = { maxLength: undefined, precision: undefined, scale: undefined };
  if (modifier < 0) return none;
  if (type === "varchar" || type === "bpchar") return { ...none, maxLength: modifier - 4 };
  if (type === "numeric") return { ...none, precision: ((modifier - 4) >> 16) & 0xffff, scale: (modifier - 4) & 0x7ff };
  return type.startsWith("time") ? { ...none, precision: modifier } : none;
}

function indexOf(row: SqlRow): CatalogIndex {
  return {
    name: String(row["name"]),
    columns: (JSON.parse(String(row["columns"])) as (string | null)[]).map((name) => name ?? undefined),
    isUnique: isTrue(row["is_unique"]),
    isPrimary: isTrue(row["is_primary"]),
    predicate: row["predicate"] === null ? undefined : String(row["predicate"]),
    isDeferrable: isTrue(row["deferrable"]),
  };
}

function foreignKeyOf(row: SqlRow): CatalogForeignKey {
  return { name: String(row["name"]), columns: JSON.parse(String(row["columns"])) as string[] };
}

function isTrue(value: unknown): boolean {
  return value === "true" || value === "t" || value === true;
}
