import type { Components, Reference } from "../../../engine/description/components.js";
import { answered, arrayOf, link, sent, text, whole } from "../../../engine/description/schemas/object.js";
import { itemProblemSchema } from "../../../engine/description/schemas/problemSchema.js";
import type { JsonSchema } from "../../../engine/operation/description.js";

/** The results of a batch. @param data the schema of the row of a result */
export function batchResultSchema(components: Components, name: string, data: JsonSchema): Reference {
  return components.ref("schemas", name, () => {
    const result = answered(
      { index: whole, status: { type: "integer", minimum: 100, maximum: 599 } },
      {
        name: text,
        id: { description: "The id of the row." },
        location: link,
        etag: text,
        headers: { type: "object", additionalProperties: text },
        data,
        error: { ...itemProblemSchema(components) },
      },
    );
    return answered({ results: arrayOf(result), summary: answered({ total: whole, succeeded: whole, failed: whole }) });
  });
}

/** What a batch by filter would change, with `dryRun=true`. */
export function dryRunSchema(components: Components): Reference {
  return components.own("MatchedRows", () => answered({ matched: whole, sample: arrayOf({ description: "The id of a row." }) }));
}

/** The operations of a mixed batch. */
export function operationsSchema(components: Components): Reference {
  return components.own("BatchOperations", () => {
    const operation = sent(
      { method: { enum: ["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"] }, url: link },
      {
        name: { type: "string", pattern: "^[A-Za-z][A-Za-z0-9_-]{0,63}$", description: "By which later operations refer to the result." },
        headers: { type: "object", additionalProperties: text },
        body: { description: "JSON; texts may refer to results of earlier operations." },
      },
    );
    return sent({ operations: { type: "array", minItems: 1, items: operation } });
  });
}
