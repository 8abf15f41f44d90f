import type { Describing } from "./describing.js";
import { filterable } from "./parameters/filters.js";

/** What lists can be asked for, for programs that make queries: paths, types, operators, and what can be sorted and searched. */
export function collectionsOf(describing: Describing): Readonly<Record<string, object>> {
  const listed = [...describing.resources.values()].filter(({ name }) => describing.operations.has(`${name}.list`));
  return Object.fromEntries(
    listed.map((linked) => {
      const { table, name } = linked;
      const { limits } = describing.environment;
      const fields = filterable(describing, table).map(
        ([key, { field, leaf, operators }]) => [key, { type: field.kind === "array" ? `${leaf.kind}[]` : leaf.kind, operators }] as const,
      );
      const sortable = [...table.fields.values()]
        .filter((field) => field.sortable && describing.gate(field.root, "sort") !== "hidden")
        .map(({ key }) => key);
      const searchable = table.searchable.filter((field) => describing.gate(field.root, "filter") !== "hidden").map(({ key }) => key);
      return [
        name,
        { filter: Object.fromEntries(fields), sort: sortable, search: searchable, perPage: { default: limits.perPage, maximum: limits.maxPerPage } },
      ];
    }),
  );
}
