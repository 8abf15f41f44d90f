import type { Place } from "../problem/index.js";
import { maximumItems } from "../problem/problem.js";
import { closest } from "../query/hint.js";
import { type Inquiry, whereOf } from "./inquiry.js";

/** A name that is none, or that this request must take for none. */
export interface UnknownName {
  readonly name: string;
  /** The path to it, with its last dot. */
  readonly before: string;
  /** Names that a hint may give away. */
  readonly visible: Iterable<string>;
  readonly place: Place;
  readonly code?: "UNKNOWN_FIELD" | "UNKNOWN_RELATION" | "UNKNOWN_TYPE" | undefined;
}

/** Reports a name that is none, with the nearest one that the client may know of. */
export function reportUnknown({ name, before, visible, place, code = "UNKNOWN_FIELD" }: UnknownName, { problems, report }: Inquiry): undefined {
  // More are not shown, and guessing costs time.
  const near = problems.length < maximumItems ? closest(name, visible) : undefined;
  const noun = code.slice("UNKNOWN_".length).toLowerCase();
  const detail = `Unknown ${noun} "${(before + name).slice(0, 64)}" in "${whereOf(place)}".`;
  return report(code, detail, place, near === undefined ? undefined : before + near);
}
