import type { JsonSchema } from "../../operation/description.js";
import type { Describing } from "../describing.js";

const names = { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] };

/** A list query in a body. */
export function searchSchema({ components }: Describing): JsonSchema {
  return { ...components.ref("schemas", "Search", () => ({ type: "object", additionalProperties: false, properties: searchMembers })) };
}

/** A list query in a body that also names the collection. */
export function namedSearchSchema({ components, resources, operations }: Describing): JsonSchema {
  const listed = [...resources.keys()].filter((name) => operations.has(`${name}.list`));
  return {
    ...components.ref("schemas", "NamedSearch", () => ({
      type: "object",
      additionalProperties: false,
      required: ["collection"],
      properties: { collection: { enum: listed }, ...searchMembers },
    })),
  };
}

const searchMembers = {
  filter: {
    type: "object",
    description: 'Conditions by field: `{"total": {"gte": 5}, "or": [{"status": "paid"}, {"status": null}]}`, with `and`, `or` and `not`.',
  },
  sort: names,
  fields: { anyOf: [...names.anyOf, { type: "object", additionalProperties: names }] },
  exclude: names,
  include: names,
  q: { type: "string" },
  page: { type: "integer", minimum: 1 },
  perPage: { type: "integer", minimum: 1 },
  cursor: { type: "string" },
  count: { enum: ["estimated", "exact", "none"] },
};
