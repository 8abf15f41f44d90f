import type { Limits } from "../../ground/limits/limits.js";
import type { FaultLocation, ProblemCode, ProblemItem } from "../../ground/problem/index.js";
import { cut } from "../query/fault.js";

/** State that the parts of one selection share while it is parsed. */
export interface Inquiry<L = Pick<Limits, "fields" | "fieldsDepth">> {
  readonly limits: L;
  /** Faults so far, in this selection and before. */
  readonly problems: readonly ProblemItem[];
  /** Names read so far in `fields`, `fields[…]` and `exclude`. */
  names: number;
  /** Relations followed so far. */
  relations: number;
  /** Reports a fault, once. `nearest` is what was probably meant. */
  report(code: ProblemCode, detail: string, place: FaultLocation, nearest?: string | undefined): undefined;
}

/** Starts parsing a selection. */
export function startInquiry<L>(limits: L, problems: ProblemItem[]): Inquiry<L> {
  const reported = new Set<string>();
  return {
    limits,
    problems,
    names: 0,
    relations: 0,
    report(code, sentence, place, nearest) {
      const hint = nearest === undefined ? {} : { hint: `did you mean "${nearest}"` };
      const detail = nearest === undefined ? sentence : `${sentence} Did you mean "${nearest}"?`;
      if (!reported.has(detail)) problems.push({ code, detail, ...cut(place), ...hint });
      reported.add(detail);
      return undefined;
    },
  };
}

/** The parameter or the pointer, for messages. */
export function whereOf(place: FaultLocation): string {
  return ("parameter" in place ? place.parameter : place.pointer).slice(0, 64);
}

/** Nested selections are walked recursively, so no configured limit can be higher. */
const maxDepth = 100;

/** Returns whether braces and dots nest too deep, and reports it. */
export function exceedsNesting({ limits, report }: Inquiry, nesting: number, place: FaultLocation): boolean {
  const maximum = Math.min(limits.fieldsDepth, maxDepth);
  if (nesting > maximum) report("QUERY_TOO_COMPLEX", `"${whereOf(place)}" nests braces and dots too deeply; at most ${maximum}.`, place);
  return nesting > maximum;
}

/** Counts a name at this depth of dots and braces. Returns whether a limit is exceeded, and reports it. */
export function exceedsLimits(inquiry: Inquiry, nesting: number, place: FaultLocation): boolean {
  const { fields } = inquiry.limits;
  inquiry.names += 1;
  if (inquiry.names <= fields) return exceedsNesting(inquiry, nesting, place);
  inquiry.report("QUERY_TOO_COMPLEX", `The query names too many fields; allowed: ${fields}.`, place);
  return true;
}

/** Reports that a text leaves nothing to show. */
export function refuseEmpty(place: FaultLocation, { report }: Pick<Inquiry, "report">): undefined {
  return report("EMPTY_SELECTION", `"${whereOf(place)}" leaves nothing to show.`, place);
}
