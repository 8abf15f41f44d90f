import type { Components, Reference } from "../../engine/description/components.js";
import { text } from "../../engine/description/schemas/object.js";
import { answerHeaders } from "../../ground/http/headers/answerHeaders.js";

/** A header as a shared part of the document. A capability may name headers that only it knows. */
function headerRef(components: Components, name: string): Reference {
  const { text: description, schema = text } = answerHeaders[name] ?? {};
  return components.ref("headers", name, () => ({ ...(description !== undefined && { description }), schema }));
}

/** Headers by their names, as references. */
export function headersOf(components: Components, names: readonly string[]): object {
  return Object.fromEntries([...new Set(names)].map((name) => [name, headerRef(components, name)]));
}

/** Names of the headers that any answer may have, whatever its operation. */
export function headersOfAnyAnswer(): readonly string[] {
  return Object.keys(answerHeaders).filter((name) => answerHeaders[name]?.on !== undefined);
}
