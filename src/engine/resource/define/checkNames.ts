import { ConfigurationError } from "../../../ground/problem/index.js";
import type { BelongsTo } from "../relations/relation.js";
import type { ResourceField } from "../resource.js";
import type { Settings } from "./settings.js";

/** The options whose fields a store compares or sorts. */
const ordering = /^(?:unique|sort|index)$/;

/** Refuses names in options that are not fields of the schema, and relations that cannot work. @throws {ConfigurationError} */
export function checkNames(name: string, fields: ReadonlyMap<string, ResourceField>, settings: Settings): void {
  const lists: Record<string, readonly string[]> = {
    generated: Object.keys(settings.generated),
    unique: settings.unique.flatMap((key) => key.fields),
    compact: settings.compact ?? [],
    heavy: settings.heavy,
    access: Object.keys(settings.access),
    readOnly: settings.readOnly,
    stamp: settings.stamped,
    relations: Object.values(settings.relations).flatMap((relation) => (relation.kind === "belongsTo" ? relation.foreignKey : [])),
    sort: settings.sort ?? [],
    renamedFrom: Object.keys(settings.renamedFrom),
    backfill: Object.keys(settings.backfill),
    index: settings.index === true ? [] : settings.index.flat().map((path) => path.split(".", 1)[0] ?? path),
  };
  for (const [option, names] of Object.entries(lists)) {
    for (const member of names) {
      const kind = fields.get(member)?.kind;
      if (kind && (kind !== "bytes" || !ordering.test(option))) continue;
      const allowed = kind ? "bytes are not compared" : `the schema has: ${[...fields.keys()].join(", ")}`;
      throw new ConfigurationError(`${name}: "${option}" names "${member}"; ${allowed}.`);
    }
  }
  for (const [relation, settled] of Object.entries(settings.relations)) {
    if (fields.has(relation)) throw new ConfigurationError(`${name}: the relation "${relation}" has the name of a field.`);
    if (settled.kind === "belongsTo") checkOnDelete(`${name}: the relation "${relation}"`, settled, fields, settings.table?.readOnly);
  }
}

function checkOnDelete(
  where: string,
  { enforce, onDelete, foreignKey }: BelongsTo,
  fields: ReadonlyMap<string, ResourceField>,
  isReadOnly = false,
): void {
  if (onDelete === undefined) return;
  const needs = enforce === false ? 'an enforced key; remove "enforce: false"' : isReadOnly && "a table that is not read-only";
  if (needs) throw new ConfigurationError(`${where} says "onDelete", which needs ${needs}.`);
  if (onDelete === "setNull" && ![foreignKey].flat().every((field) => fields.get(field)?.nullable)) {
    throw new ConfigurationError(`${where} says "onDelete: setNull", but "${foreignKey}" is not nullable.`);
  }
}
