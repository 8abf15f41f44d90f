import type { DescribedBody, JsonSchema } from "../operation/description.js";
import type { Operation } from "../operation/operation.js";

export const json = "application/json";

/** A JSON body. */
export function jsonOf(schema: JsonSchema, example?: unknown): DescribedBody {
  return { mediaType: json, schema, example };
}

/** The forms in which an operation answers a row or a list: JSON, and those that are negotiated. @param item the schema of a row of a list */
export function negotiated({ answerTypes = [] }: Operation, schema: JsonSchema, item?: JsonSchema): readonly DescribedBody[] {
  const others = answerTypes.map(
    (mediaType): DescribedBody => ({ mediaType, schema: { type: "string" }, ...(isLines(mediaType) && item && { item }) }),
  );
  return [jsonOf(schema), ...others];
}

function isLines(mediaType: string): boolean {
  return /ndjson|jsonl/.test(mediaType);
}

/** The forms in which a body is accepted, each with the schema of its JSON. @param examples by media type */
export function accepted(
  { body }: Operation,
  schemaOf: (mediaType: string) => JsonSchema | undefined,
  examples: Readonly<Record<string, unknown>> = {},
): readonly DescribedBody[] {
  return (body?.supported ?? []).map((mediaType) => ({ mediaType, schema: schemaOf(mediaType), example: examples[mediaType] }));
}
