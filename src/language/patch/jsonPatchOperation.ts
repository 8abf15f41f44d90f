/**
 * One operation of a JSON Patch. `path` and `from` are JSON pointers (RFC 6901).
 *
 * @see RFC 6902 §4
 */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** The values of `op`. */
export const operationNames = ["add", "remove", "replace", "move", "copy", "test"] as const satisfies readonly JsonPatchOperation["op"][];
