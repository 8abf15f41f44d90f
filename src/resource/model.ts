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
    indexes: settings.index.map((members) => members.map((member): Path => [member])),
    searchable: [],
  };
}
