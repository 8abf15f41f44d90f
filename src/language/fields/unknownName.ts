import { closest } from "../../ground/problem/closest.js";
import type { FaultLocation } from "../../ground/problem/index.js";
import { maxItems } from "../../ground/problem/problem.js";
import { type Inquiry, whereOf } from "./inquiry.js";

/** A name that is unknown, or unknown to this request. */
export interface UnknownName {
  readonly name: string;
  /** The path to it, with its last dot. */
  readonly before: string;
  /** Names that a hint may show. */
  readonly visible: Iterable<string>;
  readonly place: FaultLocation;
  readonly code?: "UNKNOWN_FIELD" | "UNKNOWN_RELATION" | "UNKNOWN_TYPE" | undefined;
}

/** Reports an unknown name, with the nearest one that the client may know. */
export function reportUnknown({ name, before, visible, place, code = "UNKNOWN_FIELD" }: UnknownName, { problems, report }: Inquiry): undefined {
  // More are not shown, and looking for hints costs time.
  const near = problems.length < maxItems ? closest(name, visible) : undefined;
  const noun = code.slice("UNKNOWN_".length).toLowerCase();
  const detail = `Unknown ${noun} "${(before + name).slice(0, 64)}" in "${whereOf(place)}".`;
  return report(code, detail, place, near === undefined ? undefined : before + near);
}
