import type { z } from "zod";
import { ConfigurationError } from "../../../ground/problem/index.js";
import { fieldTable } from "../../../language/query/table.js";
import type { CompiledStamp, Parent, RowRules } from "../../operation/rules/rowRules.js";
import type { ResourceOptions } from "../options.js";
import type { Resource, ResourceField } from "../resource.js";
import type { StampOption } from "../rules.js";
import { toRowValue } from "../write/rowValues.js";

/** The scope and the stamps of a collection; `undefined` if it has neither. */
export function rowRules(resource: Resource): RowRules | undefined {
  const { name, model, fields, relations, options, queryTable } = resource;
  const { scope, stamp = {} } = options;
  if (scope === undefined && Object.keys(stamp).length === 0) return undefined;
  const parents = [...relations].flatMap(([relation, { kind, foreignKey, collection }]): [string, Parent][] =>
    kind === "belongsTo" && typeof foreignKey === "string" ? [[relation, { foreignKey, collection }]] : [],
  );
  return {
    model,
    isShared: options.cache?.shared === true,
    scope,
    stamps: Object.entries(stamp as Readonly<Record<string, StampOption<unknown>>>).flatMap(([field, rule]) => {
      const known = fields.get(field);
      return known === undefined ? [] : compiledStamp(name, known, rule);
    }),
    table: { ...queryTable, fields: fieldTable(name, fields.values()), relations: new Set() },
    parents: new Map(parents),
  };
}

function compiledStamp(collection: string, field: ResourceField, stamp: StampOption<unknown>): CompiledStamp {
  const { on, set } = typeof stamp === "function" ? { on: "create" as const, set: stamp } : stamp;
  return {
    field: field.name,
    on,
    set,
    async toRow(value) {
      const where = `${collection}: the "stamp" of "${field.name}"`;
      if (value === undefined) throw new ConfigurationError(`${where} is undefined; answer a value, or null if the field may be null.`);
      const validation = await field.validate(value, [field.name]);
      if (!validation.ok) throw new ConfigurationError(`${where} is a value that the schema refuses: ${validation.items[0]?.detail ?? ""}`);
      return toRowValue(field, validation.value);
    },
  };
}

/** @throws {ConfigurationError} for a stamp of a field that something else sets */
export function checkStamps(
  name: string,
  idNames: readonly string[],
  { stamp = {}, generated = {} }: Pick<ResourceOptions<z.ZodObject>, "stamp" | "generated">,
): void {
  for (const field of Object.keys(stamp)) {
    if (idNames.includes(field))
      throw new ConfigurationError(`${name}: "stamp" names "${field}", which is ${idNames.length > 1 ? "part of " : ""}the id.`);
    if (Object.hasOwn(generated, field)) throw new ConfigurationError(`${name}: "stamp" names "${field}", which is generated.`);
  }
}
