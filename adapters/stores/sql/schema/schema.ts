import type { ColumnKind } from "../../../../src/ground/storage/model.js";
import type { Path } from "../../../../src/ground/storage/values/scalar.js";
import { constantDefault, defaultClause } from "./defaults.js";
import { fittingName, placeName, quoteIdentifier } from "./identifier.js";
import type { OwnTableName } from "./place.js";
import { storedPath } from "./storedPath.js";
import { type OwnColumn, type OwnTable, reservedColumns } from "./table.js";

/** A column as `create table` and `alter table` name it. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  /** Type, default and constraints. Calls the defaults of the schema, which may be functions of the developer. */
  define(): string;
  /** Whether rows of a table that exists may be without it. */
  readonly isAddable: boolean;
  /** Whether it is of a field that every new row has, and that rows without it do not get. */
  readonly isRequired?: boolean | undefined;
  /** The name of its field, if that has been renamed since. */
  readonly renamedTo?: string | undefined;
}

/** A nullable column that a later version added to a table of the library. */
export interface AddedColumn {
  readonly table: OwnTableName;
  readonly name: string;
  readonly type: string;
}

export interface IndexDefinition {
  readonly name: string;
  readonly text: string;
  /** The fields of the unique key that the index enforces. */
  readonly unique?: readonly string[] | undefined;
}

/** All columns of a table. */
export function columnDefinitions(table: OwnTable): ColumnDefinition[] {
  const { dialect, model } = table;
  const typed = (name: string, kind: ColumnKind, constraint = "") => {
    const type = dialect.columnType(kind);
    return { name, type, define: () => `${type}${constraint}`, isAddable: constraint === "" };
  };
  return [
    ...reservedColumns.map(({ name, kind }) => typed(name, kind, reservedConstraint(name))),
    ...model.columns.map((column): ColumnDefinition => {
      const { name, kind, digits, storedAs = name, isRequired } = column;
      const type = dialect.columnType(kind, digits);
      if (name === model.id) return { name, type, define: () => idDefinition(table), isAddable: false };
      return {
        name: storedAs,
        type,
        define: () => `${type}${defaultClause(dialect, kind, constantDefault(column))}`,
        isAddable: true,
        isRequired: isRequired && column.backfill === undefined,
        renamedTo: storedAs === name ? undefined : name,
      };
    }),
    ...table.shadows.map(({ name, path: [field], derive }) => {
      const column = model.columns.find((each) => each.name === field);
      const type = dialect.columnType("text");
      const define = () => `${type}${defaultClause(dialect, "text", derive({ [field]: column && constantDefault(column) }))}`;
      return { name, type, define, isAddable: true };
    }),
  ];
}

function reservedConstraint(name: string): string {
  if (name === "_tenant") return " not null default ''";
  return name === "_operationId" ? "" : " not null";
}

function idDefinition({ dialect, id, model }: OwnTable): string {
  if (model.idFrom === "caller") return `${dialect.columnType(id.kind)} not null`;
  return dialect.schema.numberedColumn;
}

export function createTable(table: OwnTable): string {
  const columns = columnDefinitions(table).map(({ name, define }) => `${quoteIdentifier(name)} ${define()}`);
  const key = table.model.idFrom === "caller" ? [`primary key ("_tenant", ${table.id.quoted})`] : [];
  return `create table if not exists ${table.quoted} (${[...columns, ...key].join(", ")})`;
}

/** The indexes of operation ids, of unique keys, of the id order per tenant, and those that the model declares. */
export function indexDefinitions(table: OwnTable): IndexDefinition[] {
  const { id, keys, model, quoted } = table;
  const operation = indexName(table, ["_operationId"]);
  return [
    {
      name: operation,
      text: `create unique index if not exists ${quoteIdentifier(operation)} on ${quoted} ("_tenant", "_operationId") where "_operationId" is not null`,
    },
    ...keys.map(({ fields, columns }) => {
      const name = indexName(table, ["unique", ...columns]);
      return {
        name,
        unique: fields,
        text: `create unique index if not exists ${quoteIdentifier(name)} on ${quoted} ("_tenant", ${columns.join(", ")})`,
      };
    }),
    ...(model.idFrom === "store" ? [orderIndex(table, [[id.name]])] : []),
    ...model.indexes.flatMap((paths) => modelIndex(table, paths)),
    ...[...table.columns.values()].filter(({ backfill }) => backfill !== undefined).map((column) => missingIndex(table, column)),
  ];
}

/** An index over the rows that were stored without a value. It is empty after a backfill. */
function missingIndex(table: OwnTable, column: OwnColumn): IndexDefinition {
  const { model, id, quoted } = table;
  const name = indexName(table, ["missing", ...storedPath(model, [column.name])]);
  const text = `create index if not exists ${quoteIdentifier(name)} on ${quoted} ("_tenant", ${id.quoted}) where ${column.stored} is null`;
  return { name, text };
}

/** One ordered index on the scalar paths, and one on the items of each JSON column, for engines that have such an index. */
function modelIndex(table: OwnTable, paths: readonly Path[]): IndexDefinition[] {
  const isStructure = (path: Path) => path.length === 1 && table.at(path).column.kind === "json";
  const scalars = paths.filter((path) => !isStructure(path));
  const order = scalars.length === 0 ? [] : [orderIndex(table, scalars)];
  const { containsIndex } = table.dialect.schema;
  if (containsIndex === undefined) return order;
  const contains = paths.filter(isStructure).map(([name]) => {
    const index = indexName(table, ["contains", ...storedPath(table.model, [name])]);
    const text = `create index if not exists ${quoteIdentifier(index)} on ${table.quoted}${containsIndex(table.at([name]).column.quoted)}`;
    return { name: index, text };
  });
  return [...order, ...contains];
}

/** An index that ends with the id, which is the last key of every sort. */
function orderIndex(table: OwnTable, paths: readonly Path[]): IndexDefinition {
  const name = indexName(table, ["order", ...paths.map((path) => orderName(table, path))]);
  const expressions = paths.flatMap((path) => {
    const { column, keys, missing } = table.at(path);
    const { kind, quoted } = column;
    return kind === "json" ? table.dialect.json(quoted, keys, missing).order.map((expression) => `(${expression})`) : [quoted];
  });
  const { endsIndexesWithNumber, nullsFirst } = table.dialect.schema;
  const endsWithId = endsIndexesWithNumber && table.model.idFrom === "store";
  const end = expressions.indexOf(table.id.quoted);
  const members = [...expressions.slice(0, end === -1 ? undefined : end), ...(endsWithId ? [] : [table.id.quoted])];
  const list = [`"_tenant"`, ...members.map((member) => `${member}${nullsFirst}`)].join(", ");
  const text = `create index if not exists ${quoteIdentifier(name)} on ${table.quoted} (${list})`;
  return { name, text };
}

/** Another default is another index: its expressions contain the default. */
function orderName(table: OwnTable, path: Path): string {
  const { missing = [] } = table.at(path);
  const name = placeName(storedPath(table.model, path));
  return missing.length === 0 ? name : `${name}=${missing.map(({ keys, value }) => `${keys.length}:${JSON.stringify(value)}`).join()}`;
}

function indexName({ name }: OwnTable, parts: readonly string[]): string {
  return fittingName([name, ...parts].join(":"));
}
