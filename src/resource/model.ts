import { ConfigurationError } from "../problem/index.js";
import { columnKind } from "../schema/field.js";
import type { CollectionModel } from "../storage/model.js";
import type { Path } from "../storage/scalar.js";
import type { ResourceField } from "./resource.js";
import type { Settings } from "./settings.js";

/** What the stores are told of a collection. */
export function collectionModel(
  name: string,
  id: ResourceField,
  fields: ReadonlyMap<string, ResourceField>,
  settings: Pick<Settings, "unique" | "index">,
): CollectionModel {
  checkId(name, id);
  const unique = settings.unique.map((members) => ({ fields: members, fold: members.some((member) => fields.get(member)?.format === "email") }));
  const folded = new Set(unique.filter((key) => key.fold).flatMap((key) => key.fields));
  return {
    name,
    id: id.name,
    idFrom: id.generator === "increment" ? "store" : "caller",
    columns: [...fields.values()].map((field) => {
      const kind = columnKind(field);
      return { name: field.name, kind, fold: kind === "text" && folded.has(field.name) };
    }),
    unique,
    indexes: settings.index.map((member): readonly Path[] => [[member]]),
    searchable: [],
  };
}

function checkId(name: string, id: ResourceField): void {
  const kind = columnKind(id);
  if (kind !== "text" && kind !== "int" && kind !== "bigint") {
    throw new ConfigurationError(`${name}: the id "${id.name}" must be a string, an integer or a bigint.`);
  }
  if (id.nullable || id.optional) throw new ConfigurationError(`${name}: the id "${id.name}" cannot be nullable or optional.`);
  if (id.generator === "increment" && kind === "text") throw new ConfigurationError(`${name}: "increment" needs an integer id.`);
  if (id.generator === "createdAt" || id.generator === "updatedAt") throw new ConfigurationError(`${name}: an id cannot be a date.`);
}
