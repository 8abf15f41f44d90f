import type { Row } from "../../../ground/storage/collection.js";
import type { Permit } from "../../operation/permit.js";
import type { Resource } from "../resource.js";
import type { Change } from "./change.js";
import { keepFinerInstants } from "./changesNothing.js";
import { refuseProblems } from "./members.js";
import type { PatchedValues } from "./patchedValues.js";

/** A patch of any type: the fields that it names, and its effect on a row. */
export interface Patch extends Pick<Change, "maxRetries" | "readsRow"> {
  readonly fields: readonly string[];
  /** Fields that it names although their value may stay the same; those that it sets are named in any case. */
  readonly named?: readonly string[] | undefined;
  /** `undefined` if nothing changes. @throws {ProblemError} for a result that is invalid, or that the principal may not write */
  apply(row: Row, permit: Permit): Promise<Readonly<Record<string, unknown>> | undefined>;
}

/** The columns that a patch sets; `undefined` if it sets none. @throws {ProblemError} for members that are invalid, or that the principal may not write */
export function settled(
  resource: Resource,
  row: Row,
  input: Readonly<Record<string, unknown>>,
  problems: PatchedValues["problems"],
  patched: PatchedValues,
): PatchedValues["values"] | undefined {
  refuseProblems([...problems, ...patched.problems]);
  keepFinerInstants(resource, row, patched.values);
  return Object.keys(input).length === 0 ? undefined : patched.values;
}
