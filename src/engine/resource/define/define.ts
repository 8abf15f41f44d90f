import { any, type z } from "zod";
import { ConfigurationError } from "../../../ground/problem/index.js";
import { pickMembers } from "../../../ground/storage/compositeId.js";
import type { ColumnKind } from "../../../ground/storage/model.js";
import { Views } from "../../../language/fields/view.js";
import { compileQueryTable, type QueryTable } from "../../../language/query/table.js";
import { declaredPart, keepUndeclared } from "../../../language/schema/declared.js";
import { columnKind, type FieldModel } from "../../../language/schema/field.js";
import { introspectObject } from "../../../language/schema/introspect.js";
import type { BytesOf, FilesOf } from "../../../language/schema/scalarFields.js";
import { strictUnions } from "../../../language/schema/strictUnions.js";
import { type Convert, inputConverter, outputConverter, rowConverter } from "../../../language/schema/wire.js";
import { isDotNotation } from "../../operation/eventType.js";
import type { RowEvent } from "../../operation/write/rowEvents.js";
import type { ActionMap } from "../actions.js";
import { isMade } from "../generators.js";
import type { EventMap, FieldName, OperationName, ResourceEvent, ResourceOptions, UniqueKey } from "../options.js";
import type { RelationsOf } from "../relations/relation.js";
import type { Resource, ResourceField, ResourceImport } from "../resource.js";
import type { AccessNames, DefinedTypes, IdOption, ReadRules, RuledBy, WriteOnlyBy } from "../resourceTypes.js";
import { capabilityOptionsOf } from "./capabilityOptions.js";
import { checkFields } from "./checkFields.js";
import { checkNames } from "./checkNames.js";
import { checkChanges } from "./columnChanges.js";
import { hiddenId, idField } from "./idField.js";
import { collectionModel } from "./model.js";
import { checkResourceOptions } from "./optionsSchema.js";
import { checkStamps } from "./rowRules.js";
import { plainSettings, type Settings } from "./settings.js";
import { compileValidate } from "./validate.js";

/** Every operation of a collection. */
export const allOperations: readonly OperationName[] = ["list", "read", "create", "replace", "update", "remove"];

function defaultOperations({ id, table }: Settings): readonly OperationName[] {
  return id.length === 0 ? ["list"] : table?.readOnly ? ["list", "read"] : allOperations;
}

/** Names that are valid as a path segment and as a table name. */
export const collectionName = /^[A-Za-z][A-Za-z0-9_-]*$/;

/**
 * Defines a collection: its schema, generated fields, access rules and unique keys.
 *
 * Everything is compiled here, once; an invalid definition is refused at start-up.
 *
 * @param name Path segment and table name, e.g. `users`.
 * @throws {ConfigurationError} for an invalid name or combination of options
 * @example
 * const users = defineResource("users", {
 *   schema: z.object({ id: z.int(), name: z.string(), email: z.email(), createdAt: z.date() }),
 *   generated: { id: "increment", createdAt: "createdAt" },
 *   unique: ["email"],
 * });
 */
export function defineResource<
  const Name extends string,
  S extends z.ZodObject,
  const Id extends IdOption<FieldName<S>> = Extract<"id", FieldName<S>>,
  const Generated extends FieldName<S> = never,
  const ReadOnly extends FieldName<S> = never,
  const Stamped extends FieldName<S> = never,
  const Heavy extends FieldName<S> = never,
  const Compact extends FieldName<S> = Exclude<FieldName<S>, Heavy | BytesOf<S>>,
  const Access extends AccessNames<FieldName<S>> = ReadRules<FieldName<S>>,
  const Filterable extends FieldName<S> = FieldName<S>,
  const Sortable extends FieldName<S> = FieldName<S>,
  const Relations extends RelationsOf<S> = Readonly<Record<never, never>>,
  const Operations extends OperationName = Id extends false ? "list" : OperationName,
  const Unique extends UniqueKey<FieldName<S>> = never,
  Events extends EventMap = Readonly<Record<never, never>>,
  Actions extends ActionMap = Readonly<Record<never, never>>,
  Raised extends string = never,
  Scoped extends string = never,
  Changed extends string = never,
>(
  name: Name,
  options: ResourceOptions<
    S,
    Id,
    Generated,
    ReadOnly,
    Stamped,
    Heavy,
    Compact,
    Access,
    Filterable,
    Sortable,
    Relations,
    Operations,
    Unique,
    Events,
    Actions,
    Raised,
    Scoped,
    Changed
  >,
): Resource<
  Name,
  S,
  DefinedTypes<
    Id,
    Generated,
    ReadOnly,
    Stamped,
    Heavy | BytesOf<S>,
    Compact,
    RuledBy<Access>,
    WriteOnlyBy<Access>,
    Filterable,
    Sortable,
    Relations,
    Operations,
    FilesOf<S>,
    Unique,
    Events,
    Actions,
    Raised
  >
> {
  // From here names of fields are plain text: TypeScript has checked them at compile time, `checkNames` checks them for everyone.
  return compileResource(name, options as unknown as ResourceOptions<z.ZodObject>) as never;
}

/** @param where the call that is named for an invalid option */
export function compileResource(name: string, options: ResourceOptions<z.ZodObject>, where = `defineResource("${name}")`): Resource {
  if (!collectionName.test(name)) throw new ConfigurationError(`"${name}" cannot name a collection: a letter, then letters, digits, "-", "_".`);
  checkResourceOptions(options, where);
  const settings = plainSettings(options);
  const fields = compileFields(name, options.schema, settings);
  const { id: idNames } = settings;
  const queryTable = queryTableOf(name, fields, settings);
  const operations = new Set(options.operations ?? defaultOperations(settings));
  const id = idField(name, fields, settings, operations);
  checkNames(name, fields, settings);
  checkStamps(name, idNames, options);
  checkChanges(name, fields, settings);
  checkFields(name, idNames, fields, settings.table !== undefined);
  return {
    name,
    schema: options.schema,
    options,
    id,
    idNames,
    fields,
    ...compileWrite(options.schema, fields),
    relations: new Map(Object.entries(settings.relations)),
    views: new Views(fields.values(), settings.compact),
    queryTable,
    model: collectionModel({ name, id, fields, queryTable, operations }, settings, options.live),
    clientIds: idNames.every((part) => fields.get(part)?.generator === undefined),
    operations,
    accepts: new Set(options.accepts),
    create: options.create as Resource["create"],
    events: eventsOf(name, options.events, idNames),
    batch: options.batch === false ? { none: true } : options.batch,
    import: importOf(name, options.import, fields),
    canExport: operations.has("list") && options.export !== false,
    cache: options.cache,
    isOpenToRead: options.anonymous === "read",
    capabilityOptions: capabilityOptionsOf(options, fields),
    requireIfMatch: options.requireIfMatch ?? false,
    requireIdempotencyKey: options.requireIdempotencyKey ?? false,
    acceptWeakIfMatch: options.acceptWeakIfMatch ?? false,
    strictPatchTypes: options.strictPatchTypes ?? false,
    missingDelete: options.missingDelete ?? 404,
  };
}

/** What queries of a collection may name. @throws {ConfigurationError} for a name that a query cannot use */
export function queryTableOf(
  name: string,
  fields: ReadonlyMap<string, ResourceField>,
  { id, filter, sort, ranges, search, param, table }: Settings,
): QueryTable {
  return compileQueryTable(fields.values(), {
    ...{ collection: name, id: id.length === 0 ? hiddenId : id, filter, sort, ranges, search, param },
    keepsDeleted: table?.softDelete !== undefined,
  });
}

function compileFields(name: string, schema: z.ZodObject, settings: Settings): Map<string, ResourceField> {
  const fields = new Map<string, ResourceField>();
  for (const [member, model] of introspectObject(schema)) {
    if (member.startsWith("_")) throw new ConfigurationError(`${name}: "${member}": names that begin with "_" are reserved for the store.`);
    const isStamped = settings.stamped.includes(member);
    const declared = declaredPart(model);
    fields.set(member, {
      ...model,
      generator: settings.generated[member],
      access: settings.access[member],
      holdsMicros: settings.table !== undefined,
      heavy: settings.heavy.includes(member) || model.kind === "bytes",
      readOnly: isStamped || settings.readOnly.includes(member),
      isStamped,
      toInput: inputConverter(model),
      toRow: checkedConverter(name, model),
      toOutput: outputConverter(model) ?? declared,
      declared,
      keepUndeclared: keepUndeclared(model),
      validate: compileValidate(strictUnions(model.schema)),
    });
  }
  return fields;
}

function importOf(
  name: string,
  settings: ResourceOptions<z.ZodObject>["import"],
  fields: ReadonlyMap<string, ResourceField>,
): ResourceImport | undefined {
  if (settings === false) return undefined;
  const generated = settings?.generated ?? [];
  for (const member of generated) {
    if (fields.get(member)?.generator !== undefined) continue;
    throw new ConfigurationError(`${name}: "import.generated" names "${member}", which is not a generated field.`);
  }
  return { generated: new Set(generated) };
}

/**
 * Fields that a client may write form one schema. Refinements over the whole object form another: they are evaluated on complete rows, because they
 * may read generated fields.
 */
export function compileWrite(schema: z.ZodObject, fields: ReadonlyMap<string, ResourceField>): Pick<Resource, "validateWrite" | "validateWhole"> {
  const shape = Object.fromEntries(
    Object.entries(schema.shape).flatMap(([member, type]) => {
      const field = fields.get(member);
      return field === undefined || isMade(field) ? [] : [[member, strictUnions(type)] as const];
    }),
  );
  const { checks = [], ...definition } = schema._zod.def;
  const validateWrite = compileValidate(schema.clone({ ...definition, shape, checks: [] }));
  if (checks.length === 0) return { validateWrite };
  const anything = Object.fromEntries(Object.keys(schema.shape).map((member) => [member, any().optional()]));
  return { validateWrite, validateWhole: compileValidate(schema.clone({ ...definition, shape: anything, checks })) };
}

/** The `typeof` of values in a column of each kind. JSON holds anything. */
const types: Readonly<Partial<Record<ColumnKind, string>>> = {
  text: "string",
  int: "number",
  number: "number",
  boolean: "boolean",
  bigint: "bigint",
  decimal: "string",
};

/**
 * The row converter of a field. After a transform it also checks the type: engines treat a number in a text column differently.
 *
 * @throws {ConfigurationError} from the converter, for a value that the column does not hold
 */
function checkedConverter(collection: string, field: FieldModel): Convert | undefined {
  const convert = rowConverter(field);
  const kind = columnKind(field);
  const type = types[kind];
  if (type === undefined || !(field.transforms || kind === "bigint")) return convert;
  const requireHeld = (isHeld: boolean, made: string) => {
    if (!isHeld) throw new ConfigurationError(`${collection}: the transform of "${field.name}" makes ${made}, but its column holds ${kind}.`);
  };
  const made = columnKind(field.made ?? field);
  requireHeld(types[made] === type || field.made?.kind === "unknown", made);
  return (value) => {
    const converted = convert === undefined ? value : convert(value);
    requireHeld(typeof converted === type, typeof converted);
    // Clients and calls are refused before: it comes from a hook, an action or a transform.
    if (typeof converted === "bigint" && BigInt.asIntN(64, converted) !== converted) {
      throw new ConfigurationError(`${collection}: the value of "${field.name}" has more than 64 bits.`);
    }
    return converted;
  };
}

/**
 * The events of a collection with their defaults.
 *
 * @throws {ConfigurationError} for a name that is not in dot notation, or an event without writes
 */
function eventsOf(collection: string, events: ResourceOptions<z.ZodObject>["events"], idNames: readonly string[]): ReadonlyMap<string, RowEvent> {
  return new Map(
    Object.entries(events ?? {}).map(([type, event]) => {
      const where = `${collection}: the event "${type}"`;
      if (!isDotNotation(type)) throw new ConfigurationError(`${where} must be named in dot notation, as "order.created".`);
      const on = new Set([event.on].flat());
      if (on.size === 0) throw new ConfigurationError(`${where} has an empty "on"; name at least one of create, update, remove.`);
      const { when, data } = event as ResourceEvent<Readonly<Record<string, unknown>>>;
      return [type, { ...(event as Pick<RowEvent, "schema">), on, when: when ?? (() => true), data: data ?? ((row) => pickMembers(row, idNames)) }];
    }),
  );
}
