import type { JsonPointer } from "./jsonPointer.js";

/** An operation whose shape has been checked and whose pointers have been parsed. */
export type JsonPatchStep = { readonly index: number } & (
  | { readonly op: "add" | "replace" | "test"; readonly path: JsonPointer; readonly value: unknown }
  | { readonly op: "remove"; readonly path: JsonPointer }
  | { readonly op: "move" | "copy"; readonly from: JsonPointer; readonly path: JsonPointer }
);
