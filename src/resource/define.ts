import { any, type z } from "zod";
import { Views } from "../fields/view.js";
import { ConfigurationError } from "../problem/index.js";
import { compileQueryTable } from "../query/table.js";
import { introspectObject } from "../schema/introspect.js";
import { inputConverter, outputConverter } from "../schema/wire.js";
import { checkedConverter } from "./checkedConverter.js";
import { checkFields } from "./checkFields.js";
import { eventsOf } from "./events.js";
import { collectionModel } from "./model.js";
import type { OperationName, ResourceOptions } from "./options.js";
import type { Resource, ResourceBatch, ResourceField, ResourceImport } from "./resource.js";
import { plainSettings, type Settings } from "./settings.js";
import { compileValidate } from "./validate.js";

const allOperations: readonly OperationName[] = ["list", "read", "create", "replace", "update", "remove"];

/** What can be a segment of a path, and the name of a table. */
export const collectionName = /^[A-Za-z][A-Za-z0-9_-]*$/;

/**
 * Defines a collection: its schema, who fills and who sees which field, and what is unique.
 *
 * Everything is compiled here, once; a definition that cannot work is refused at start-up.
 *
 * @param name Path segment and table name, e.g. `users`.
 * @throws {ConfigurationError} for a name or a combination that cannot work
 * @example
 * const users = defineResource("users", {
 *   schema: z.object({ id: z.int(), name: z.string(), email: z.email(), createdAt: z.date() }),
 *   generated: { id: "increment", createdAt: "createdAt" },
 *   unique: ["email"],
 * });
 */
export function defineResource<const Name extends string, S extends z.ZodObject>(name: Name, options: ResourceOptions<S>): Resource<Name, S> {
  if (!collectionName.test(name)) throw new ConfigurationError(`"${name}" cannot name a collection: letters, digits, "-" and "_" only.`);
  const settings = plainSettings(options);
  const fields = compileFields(name, options.schema, settings);
  const id = fields.get(settings.id);
  if (id === undefined) throw new ConfigurationError(`${name}: there is no id field "${settings.id}".`);
  checkNames(name, fields, settings);
  checkFields(name, id, fields.values());
  const { filter, sort, ranges, search, param } = settings;
  const operations = new Set(options.operations ?? allOperations);
  const queryTable = compileQueryTable(fields.values(), { collection: name, id: settings.id, filter, sort, ranges, search, param });
  return {
    name,
    schema: options.schema,
    id,
    fields,
    ...compileWrite(options.schema, fields),
    relations: new Map(Object.entries(settings.relations)),
    views: new Views(fields.values(), settings.compact),
    queryTable,
    model: collectionModel(name, id, fields, settings, queryTable),
    clientIds: id.generator === undefined,
    operations,
    create: options.create as Resource["create"],
    events: eventsOf(name, options.events, id.name),
    batch: batchOf(name, options.batch),
    import: importOf(name, options.import, fields),
    canExport: operations.has("list") && options.export !== false,
    requireIfMatch: options.requireIfMatch ?? false,
    requireIdempotencyKey: options.requireIdempotencyKey ?? false,
    acceptWeakIfMatch: options.acceptWeakIfMatch ?? false,
    strictPatchTypes: options.strictPatchTypes ?? false,
    missingDelete: options.missingDelete ?? 404,
  };
}

function compileFields(name: string, schema: z.ZodObject, settings: Settings): Map<string, ResourceField> {
  const fields = new Map<string, ResourceField>();
  for (const [member, model] of introspectObject(schema)) {
    if (member.startsWith("_")) throw new ConfigurationError(`${name}: "${member}": names that begin with "_" are the store's.`);
    fields.set(member, {
      ...model,
      generator: settings.generated[member],
      access: settings.access[member],
      heavy: settings.heavy.includes(member),
      readOnly: settings.readOnly.includes(member),
      toInput: inputConverter(model),
      toRow: checkedConverter(name, model),
      toOutput: outputConverter(model),
      validate: compileValidate(model.schema),
    });
  }
  return fields;
}

function checkNames(name: string, fields: ReadonlyMap<string, ResourceField>, settings: Settings): void {
  const lists: Record<string, readonly string[]> = {
    generated: Object.keys(settings.generated),
    unique: settings.unique.flat(),
    compact: settings.compact ?? [],
    heavy: settings.heavy,
    access: Object.keys(settings.access),
    readOnly: settings.readOnly,
    relations: Object.values(settings.relations).flatMap((relation) => (relation.kind === "belongsTo" ? relation.foreignKey : [])),
    filter: namesOf(settings.filter),
    sort: settings.sort ?? [],
    param: Object.keys(settings.param),
    index: settings.index === true ? [] : settings.index.flat().map((path) => path.split(".", 1)[0] ?? path),
  };
  for (const [option, names] of Object.entries(lists)) {
    for (const member of names) {
      if (!fields.has(member)) {
        throw new ConfigurationError(`${name}: "${option}" names "${member}"; the schema has: ${[...fields.keys()].join(", ")}.`);
      }
    }
  }
  for (const relation of Object.keys(settings.relations)) {
    if (fields.has(relation)) throw new ConfigurationError(`${name}: the relation "${relation}" has the name of a field.`);
  }
}

function namesOf(filter: Settings["filter"]): readonly string[] {
  if (filter === undefined) return [];
  return Array.isArray(filter) ? filter : Object.keys(filter);
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
    throw new ConfigurationError(`${name}: "import.generated" names "${member}", which is no generated field.`);
  }
  return { generated: new Set(generated) };
}

function batchOf(name: string, batch: ResourceOptions<z.ZodObject>["batch"]): ResourceBatch | undefined {
  if (batch === undefined) return undefined;
  if (batch === false) return { none: true };
  const { mode, clientMode, maxItems } = batch;
  if (maxItems !== undefined && (!Number.isSafeInteger(maxItems) || maxItems < 1)) {
    throw new ConfigurationError(`${name}: "batch.maxItems" must be a whole number of at least 1; got ${String(maxItems)}.`);
  }
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(clientMode === undefined ? {} : { clientMode }),
    ...(maxItems === undefined ? {} : { maxItems }),
  };
}

/**
 * Fields that a client may write form a schema of their own. Rules over the whole object become another: they are judged on complete rows, since they
 * may read what the server fills in.
 */
function compileWrite(schema: z.ZodObject, fields: ReadonlyMap<string, ResourceField>): Pick<Resource, "validateWrite" | "validateWhole"> {
  const shape = Object.fromEntries(
    Object.entries(schema.shape).filter(([member]) => {
      const field = fields.get(member);
      return field !== undefined && field.generator === undefined && !field.readOnly;
    }),
  );
  const { checks = [], ...definition } = schema._zod.def;
  const validateWrite = compileValidate(schema.clone({ ...definition, shape, checks: [] }));
  if (checks.length === 0) return { validateWrite };
  const anything = Object.fromEntries(Object.keys(schema.shape).map((member) => [member, any().optional()]));
  return { validateWrite, validateWhole: compileValidate(schema.clone({ ...definition, shape: anything, checks })) };
}
