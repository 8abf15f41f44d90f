import type { QueryContext } from "../../../engine/operation/operation.js";
import { problemOf } from "../../../ground/problem/index.js";
import type { Faults } from "../../../language/query/fault.js";
import { decoderOf } from "../../../language/query/grammar/decode.js";
import { eachParameter } from "../../../language/query/grammar/parameters.js";

/** The parameters that live reads have in addition to those of lists. */
export const ownParameters = ["after", "changedAfter", "ticket"] as const;

/** A request for changes, with what the list or the row asks for. */
export class AskedLive {
  /** Events as they come, or a page of changes. */
  readonly mode: "events" | "page";
  /** The position of the client; empty or absent to begin now. */
  readonly after: string | undefined;
  /** What the operation itself read of the query. */
  readonly query: unknown;

  constructor(mode: AskedLive["mode"], after: string | undefined, query: unknown) {
    this.mode = mode;
    this.after = after;
    this.query = query;
  }
}

/** Controls of pages, which have no meaning for changes. */
const refused: ReadonlySet<string> = new Set(["sort", "page", "cursor", "count", "deleted"]);

/**
 * Reads the query of a request for changes.
 *
 * @param isStream whether it accepts events
 * @returns `undefined` for a request of a list or a row
 * @throws {ProblemError} CONFLICTING_PARAMETERS, REPEATED_PARAMETER, MALFORMED_QUERY, and what the operation throws
 */
export function readLiveQuery(
  context: QueryContext,
  isStream: boolean,
  readQuery: ((context: QueryContext) => unknown) | undefined,
): AskedLive | undefined {
  const { request, environment, authRequest } = context;
  const own = new Map<string, string>();
  const others: string[] = [];
  const faults: Faults = [];
  const decode = decoderOf(request.query);
  const taken = new Set<string>(isStream ? ownParameters : ["changedAfter"]);
  eachParameter(request.query, environment.lists.query.limits.parameters, decode, (name, value) => {
    if (taken.has(name)) {
      if (own.has(name)) faults.push({ code: "REPEATED_PARAMETER", detail: `"${name}" may be given once.`, parameter: name });
      own.set(name, decode(value));
    } else {
      others.push(`${encodeURIComponent(name)}=${value}`);
      if (refused.has(name) || (isStream && name === "perPage")) faults.push(withoutMeaning(name));
    }
  });
  if (!isStream && !own.has("changedAfter")) return undefined;
  if (isStream && own.has("changedAfter")) {
    faults.push({
      code: "CONFLICTING_PARAMETERS",
      detail: `"changedAfter" is for pages of changes; events begin after "after".`,
      parameter: "changedAfter",
    });
  }
  if (faults.length > 0) throw problemOf("CONFLICTING_PARAMETERS", faults);
  // The browser repeats the URL with the position that it had at first.
  const after = isStream ? (authRequest.headers.get("last-event-id") ?? own.get("after")) : own.get("changedAfter");
  const query = readQuery?.({ ...context, request: { ...request, query: others.join("&"), signal: request.signal } });
  return new AskedLive(isStream ? "events" : "page", after === "" ? undefined : after, query);
}

function withoutMeaning(name: string): Faults[number] {
  return {
    code: "CONFLICTING_PARAMETERS",
    detail: `"${name}" has no meaning for changes, which come in the order in which they were committed.`,
    parameter: name,
  };
}
