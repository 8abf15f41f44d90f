import type { Resource } from "../../engine/resource/resource.js";
import { rowReader } from "../../language/schema/rowReader.js";
import type { CompiledAction } from "./action.js";
import { compileInput } from "./input.js";
import { compileOutput } from "./output.js";

/** `POST /users/7/restore`: undoes the deletion of a row that its table has kept. It has no input and changes nothing else. */
export function restoreAction(resource: Resource): CompiledAction {
  const place = `${resource.name}: the action "restore"`;
  return {
    ...{ name: "restore", resource, on: "row", method: "POST", place, restores: true },
    readRow: rowReader(resource),
    input: compileInput(place, undefined),
    output: compileOutput(place, undefined),
    events: new Set(),
    problems: new Map(),
    hasBatch: false,
    run: () => undefined,
  };
}
