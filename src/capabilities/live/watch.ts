import { type Caller, callContext } from "../../engine/calls/caller.js";
import type { Host } from "../../engine/capability/host.js";
import { selectList } from "../../engine/resource/read/answerList.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import { ConfigurationError, type ProblemError, problemAt } from "../../ground/problem/index.js";
import { parseQueryMembers } from "../../language/query/conditions/body.js";
import type { Faults } from "../../language/query/fault.js";
import { gateFor } from "../../language/schema/access.js";
import { checkedPrincipal } from "../../parts/auth/checkedPrincipal.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { LiveChange } from "./change.js";
import type { Feed } from "./feed/feed.js";
import { Follower } from "./feed/follower.js";
import { type Positions, positionsOf } from "./positions.js";
import { RowReader } from "./rows/rowReader.js";

/** What code follows. */
export interface WatchOptions {
  /** A filter, as lists in code have it. */
  readonly where?: Readonly<Record<string, unknown>> | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly include?: readonly string[] | undefined;
  /** The position of an earlier change: goes on there. */
  readonly after?: string | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** What code is told. */
export type WatchedChange =
  /** All changes from here on will be told: now read the list. */
  | { readonly kind: "ready"; readonly position: string }
  /** What was told may be out of date; `ready` follows. */
  | { readonly kind: "reset" }
  /** The last change of a page has the position after it. */
  | (LiveChange & { readonly position?: string });

/** What live() adds to a service. */
export interface LiveApi {
  /**
   * Follows the rows of a collection that a principal may read.
   *
   * @param principal whose rights hold; `"system"` for all rows that belong to no tenant, `{ system: true, tenant }` for those of a tenant
   * @throws {ConfigurationError} for a collection without `live: true`
   * @throws {ProblemError} 400 for the query, INVALID_POSITION, FORBIDDEN
   * @example
   * for await (const change of service.watch(principal, "orders", { where: { status: "open" } })) console.log(change.kind);
   */
  watch(principal: Principal | "system" | SystemWatcher, collection: string, options?: WatchOptions): AsyncGenerator<WatchedChange, void, void>;
}

/** The developer's own code, which may see all rows of a tenant. */
export interface SystemWatcher {
  readonly system: true;
  readonly tenant?: string | undefined;
}

/** @param feeds of the collections that can be followed */
export function watchApi(host: Host, feeds: ReadonlyMap<string, Feed>): LiveApi {
  return {
    async *watch(given, collection, options = {}) {
      const feed = feeds.get(collection);
      const linked = host.resources.get(collection);
      if (feed === undefined || linked === undefined) {
        throw new ConfigurationError(
          `watch: "${collection}" is no collection with "live: true"; there are: ${[...feeds.keys()].join(", ") || "none"}.`,
        );
      }
      await host.started();
      const { reader, positions } = await readerOf(host, linked, given, options);
      const after = options.after === undefined ? undefined : positions.read(options.after);
      if (options.after !== undefined && after === undefined) throw unknownPosition();
      yield* told(feed, reader, positions, after, options.signal);
    },
  };
}

function unknownPosition(): ProblemError {
  return problemAt("INVALID_POSITION", "The position was made for another collection, filter or principal.", { pointer: "/after" });
}

async function readerOf(host: Host, linked: LinkedResource, given: Principal | "system" | SystemWatcher, { where, fields, include }: WatchOptions) {
  const caller = callerOf(host, given);
  const { principal, environment } = caller;
  const context = await callContext(caller, { method: "GET", action: "list", collection: linked.name });
  const faults: Faults = [];
  const gate = gateFor(principal, context.permit.fields);
  const members = { ...(where && { where }), ...(fields && { fields }), ...(include && { include }) };
  const query = parseQueryMembers(members, "where", { table: linked.table, gate, settings: environment.lists.query, faults });
  const selection = selectList(linked, context, { query, faults, gate, fields: context.permit.fields });
  const asked = { filter: query.filter, selection, kind: "compact", action: "list" } as const;
  const place = { collection: linked.name, tenant: principal.tenant, filter: query.filter, principal: principal.id };
  return {
    reader: await RowReader.open(linked, context, asked, environment.storage),
    positions: positionsOf(place, environment.secrets),
  };
}

/** Made here and not by the executor of calls, which would be loaded for it alone: a follower begins no call. */
function callerOf({ environment, resources }: Host, given: Principal | "system" | SystemWatcher): Caller {
  const isSystem = given === "system" || ("system" in given && given.system === true);
  const tenant = given === "system" ? undefined : given.tenant;
  return {
    principal: isSystem ? { id: "system", tenant } : checkedPrincipal(given as Principal),
    isSystem: isSystem ? true : undefined,
    isInTransaction: false,
    environment: isSystem ? { ...environment, scopesOf: () => undefined, authorize: undefined } : environment,
    offers: environment.offers,
    resources,
    begin: async () => () => {},
    fault: (error) => error,
  };
}

/** What a follower tells, as an iteration. What the consumer has not taken waits in the follower's bounds. */
async function* told(
  feed: Feed,
  reader: RowReader,
  positions: Positions,
  after: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchedChange, void, void> {
  let waiting: WatchedChange[] = [];
  let problem: ProblemError | undefined;
  let isEnded = false;
  let wake = () => {};
  const add = (...changes: readonly WatchedChange[]) => {
    waiting.push(...changes);
    wake();
  };
  const follower = new Follower(feed, reader, {
    ready: (position) => add({ kind: "ready", position: positions.write(position) }),
    reset: () => add({ kind: "reset" }),
    changes(changes, position) {
      const last = changes.length - 1;
      add(...changes.map((change, index) => (index === last ? { ...change, position: positions.write(position) } : change)));
    },
    end(reason) {
      problem = reason;
      isEnded = true;
      wake();
    },
  });
  const end = () => follower.end();
  signal?.addEventListener("abort", end);
  try {
    await follower.start(after);
    while (!isEnded || waiting.length > 0) {
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const ready = waiting;
      waiting = [];
      yield* ready;
    }
    if (problem !== undefined) throw problem;
  } finally {
    signal?.removeEventListener("abort", end);
    end();
  }
}
