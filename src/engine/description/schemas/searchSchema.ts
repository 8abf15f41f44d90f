import type { JsonSchema } from "../../operation/description.js";
import { collectionsWith, type Describing } from "../describing.js";
import { listOf, text } from "./object.js";

const name = { ...text, minLength: 1 };

/** One name, or several. */
export const names = { anyOf: [name, listOf(name)] };

/** A list query in a body. */
export function searchSchema(describing: Describing): JsonSchema {
  return {
    ...describing.components.own("Search", () => ({ type: "object", additionalProperties: false, properties: membersOf(describing) })),
  };
}

/** A list query in a body that also names the collection. */
export function namedSearchSchema(describing: Describing): JsonSchema {
  const listed = collectionsWith(describing, "list");
  return {
    ...describing.components.own("NamedSearch", () => ({
      type: "object",
      additionalProperties: false,
      required: ["collection"],
      properties: { collection: { enum: listed }, ...membersOf(describing) },
    })),
  };
}

const membersOf = ({ environment }: Describing) => ({
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
  perPage: { type: "integer", minimum: 1, maximum: environment.limits.maxPerPage },
  cursor: name,
  count: { enum: ["estimated", "exact", "none"] },
});
