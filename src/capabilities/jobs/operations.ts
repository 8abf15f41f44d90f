import type { Operation } from "../../engine/operation/operation.js";
import { cancelJobOperation, removeJobOperation } from "./cancel.js";
import type { JobKind } from "./kind.js";
import { readJobOperation } from "./read.js";

/** A path and its operations; `null` is a variable segment. */
export interface JobRoute {
  readonly segments: readonly (string | null)[];
  readonly operations: readonly Operation[];
}

/** The operations on the jobs of one kind: `/batches/{id}` and `/batches/{id}/cancel`. */
export function jobOperations(kind: JobKind): readonly JobRoute[] {
  return [
    { segments: [kind.path, null], operations: [readJobOperation(kind), removeJobOperation(kind)] },
    { segments: [kind.path, null, "cancel"], operations: [cancelJobOperation(kind)] },
  ];
}
