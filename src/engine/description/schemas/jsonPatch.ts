import type { Components, Reference } from "../components.js";

/** A JSON Patch. @see RFC 6902 */
export function jsonPatch(components: Components): Reference & Readonly<Record<string, unknown>> {
  return {
    ...components.own("JsonPatch", () => {
      const pointer = { type: "string", format: "json-pointer" };
      const step = (ops: readonly string[], more: object, required: readonly string[]) => ({
        type: "object",
        required: ["op", "path", ...required],
        properties: { op: { enum: ops }, path: pointer, ...more },
      });
      return {
        type: "array",
        items: {
          oneOf: [
            step(["add", "replace", "test"], { value: {} }, ["value"]),
            step(["remove"], {}, []),
            step(["move", "copy"], { from: pointer }, ["from"]),
          ],
        },
      };
    }),
  };
}
