import { snakeCase } from "../../../ground/options/snakeCase.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { CollectionModel, MappedField, MappedTable } from "../../../ground/storage/model.js";
import type { TableOptions } from "../../../ground/storage/tableOptions.js";
import type { Path } from "../../../ground/storage/values/scalar.js";
import { pathOf, type QueryTable } from "../../../language/query/table.js";
import { columnKind, type FieldModel } from "../../../language/schema/field.js";
import { jsonForm, otherForm } from "../../../language/schema/storedForm.js";
import type { Resource, ResourceField } from "../resource.js";
import { columnChanges } from "./columnChanges.js";
import { memberDefaults, requiredMembers } from "./members.js";
import type { Settings } from "./settings.js";

/** The model of a collection for stores. */
export function collectionModel(
  { name, id, fields, queryTable: table, operations }: Pick<Resource, "name" | "id" | "fields" | "queryTable" | "operations">,
  settings: Pick<Settings, "id" | "unique" | "index" | "table" | "relations" | "renamedFrom" | "backfill">,
  keepsChanges: boolean | undefined,
): CollectionModel {
  const { id: idNames } = settings;
  const isComposite = idNames.length > 1;
  const unique = settings.unique.map((key) => ({ ...key, fold: key.fields.some((member) => fields.get(member)?.format === "email") }));
  const compared = [...table.fields.values()].filter(({ operators, field }) => field.kind === "text" && operators.includes("like"));
  const folded = new Set([...unique.filter((key) => key.fold).flatMap((key) => key.fields), ...compared.map(({ key }) => key)]);
  return {
    name,
    id: id.name,
    ...(isComposite && { idParts: idNames }),
    ...(idNames.length === 0 && { isKeyless: true }),
    idFrom: id.generator === "increment" || id.generator === "database" ? "store" : "caller",
    columns: [...(isComposite ? [id] : []), ...fields.values()].map((field) => {
      const kind = columnKind(field);
      return {
        ...{ name: field.name, kind, fold: kind === "text" && folded.has(field.name) },
        ...digitsOf(field),
        ...columnChanges(name, field, fields, settings),
      };
    }),
    unique,
    // Lists end with the parts, and the column of the id has another order.
    indexes: [...(isComposite ? [idNames.map(pathOf)] : []), ...indexesOf(name, settings.index, table)],
    searchable: table.searchable.map(({ path }) => path),
    folded: compared.filter(({ path }) => path.length > 1).map(({ path }) => path),
    memberDefaults: memberDefaults(name, fields.values()),
    requiredMembers: requiredMembers(name, fields.values()),
    ...madeInCode(fields.values(), settings.table),
    ...(keepsChanges && { keepsChanges }),
    ...(settings.table && { table: mappedTable(settings.table, fields, settings.relations, operations) }),
  };
}

/** The fields with `generated: "code"` that every row has. A store fills the column of the tenant itself. */
function madeInCode(fields: Iterable<ResourceField>, table: TableOptions | undefined): Pick<CollectionModel, "madeInCode"> {
  const tenant = typeof table?.tenant === "object" ? table.tenant.column : undefined;
  const isTenant = (name: string) => tenant !== undefined && columnOf(name, table) === tenant;
  const made = [...fields].filter((field) => field.generator === "code" && !field.nullable && !field.optional && !field.hasDefault);
  const names = made.map(({ name }) => name).filter((name) => !isTenant(name));
  return names.length === 0 ? {} : { madeInCode: names };
}

/** The column of a top-level field; `undefined` of one whose members have columns. */
function columnOf(name: string, { columns = {}, casing }: TableOptions = {} as TableOptions): string | undefined {
  const named = Object.hasOwn(columns, name) ? columns[name] : undefined;
  if (named === undefined) return casing === "snake_case" ? snakeCase(name) : name;
  if (typeof named === "string") return named;
  return "name" in named && typeof named.name === "string" ? named.name : undefined;
}

function mappedTable(
  options: TableOptions,
  fields: ReadonlyMap<string, ResourceField>,
  relations: Settings["relations"],
  operations: ReadonlySet<string>,
): MappedTable {
  const cascades = Object.values(relations).flatMap((relation) =>
    relation.kind === "belongsTo" && relation.onDelete === "cascade" ? relation.foreignKey : [],
  );
  return { options, fields: [...fields.values()].map(mappedField), operations, cascades };
}

function digitsOf({ scalar }: FieldModel): Pick<MappedField, "digits"> {
  return scalar?.digits === undefined ? {} : { digits: scalar.digits };
}

/** What a store must know of a field to find its column in an existing table. */
function mappedField(field: FieldModel & Pick<Partial<ResourceField>, "generator" | "readOnly">): MappedField {
  const { generator, readOnly: isReadOnly, children, open, values, hasDefault, maxLength, kind, element } = field;
  return {
    name: field.name,
    kind: columnKind(field),
    type: field.kind === "uuid" ? field.kind : (field.format ?? field.kind),
    isNullable: field.nullable,
    isOptional: field.optional,
    hasDefault,
    isReadOnly,
    maxLength,
    ...digitsOf(field),
    madeBy: generator === "database" ? "database" : generator === undefined ? "client" : "server",
    labels: field.kind === "enum" ? values?.map(String) : undefined,
    members: children === undefined || open ? undefined : [...children.values()].map((member) => mappedField(member)),
    otherForm: otherForm(field),
    inJson: jsonForm(field),
    element: kind === "array" && element !== undefined ? mappedField(element) : undefined,
  };
}

/** @throws {ConfigurationError} for a path that queries cannot name */
function indexesOf(name: string, index: Settings["index"], table: QueryTable): Path[][] {
  if (index !== true) return index.map((members) => members.map((member) => indexPath(name, member, table)));
  return [...table.fields.values()]
    .filter(({ path, operators, sortable }) => path.length === 1 && (sortable || operators.some((operator) => operator !== "exists")))
    .map(({ path }) => [path]);
}

function indexPath(name: string, member: string, table: QueryTable): Path {
  if (member.includes(".") && !table.fields.has(member)) {
    throw new ConfigurationError(`${name}: "index" names "${member}", which queries cannot name.`);
  }
  return pathOf(member);
}
