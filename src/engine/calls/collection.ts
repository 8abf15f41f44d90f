import { onDemand } from "../../ground/onDemand/onDemand.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { OperationName } from "../resource/options.js";
import type { LinkedResource } from "../resource/relations/link.js";
import { type Caller, runCall } from "./caller.js";
import { checkCall } from "./callOptions.js";
import type { CallRow, CollectionCalls, ListOptions } from "./collectionCalls.js";
import { furtherCalls } from "./furtherCalls.js";

/** A service that only answers requests needs neither. */
const loadReads = /* @__PURE__ */ onDemand(() => import("./reads.js"));
const loadWrites = /* @__PURE__ */ onDemand(() => import("./writes.js"));

/** The calls of a collection on behalf of a caller; an operation that the resource does not have is missing. */
export function collectionCalls(caller: Caller, name: string): CollectionCalls {
  // The collections are made when the first call needs them.
  const linked = () => caller.resources.get(name) as LinkedResource;
  const run = <R>(call: () => Promise<R>): Promise<R> => runCall(caller, call);
  const calls: CollectionCalls = {
    async list(options = {}) {
      checkCall.list(options);
      const asked = pageAt(options);
      return run(async () => (await loadReads()).listRows(caller, linked(), asked));
    },
    walk(options = {}) {
      checkCall.walk(options);
      return walking(caller, async function* walk() {
        yield* (await loadReads()).walkRows(caller, linked(), options);
      });
    },
    async count(options = {}) {
      checkCall.count(options);
      return run(async () => (await loadReads()).countRows(caller, linked(), options));
    },
    async get(id, options = {}) {
      checkCall.get(options);
      return run(async () => (await loadReads()).getRow(caller, linked(), id, options));
    },
    async create(row, options = {}) {
      checkCall.create(options);
      return run(async () => (await loadWrites()).createCall(caller, linked().resource, row, options));
    },
    async update(id, changes, options = {}) {
      checkCall.update(options);
      return run(async () => (await loadWrites()).updateCall(caller, linked().resource, id, changes, options));
    },
    async replace(id, row, options = {}) {
      checkCall.replace(options);
      return run(async () => (await loadWrites()).replaceCall(caller, linked().resource, id, row, options));
    },
    async remove(id, options = {}) {
      checkCall.remove(options);
      return run(async () => (await loadWrites()).removeCall(caller, linked().resource, id, options));
    },
  };
  const { operations } = linked().resource;
  const present = Object.entries(calls).filter(([call]) => operations.has(operationOf[call as keyof CollectionCalls]));
  return Object.assign(Object.create(null), Object.fromEntries(present), caller.offers.get(furtherCalls)?.membersOf(caller, name));
}

const operationOf: Readonly<Record<keyof CollectionCalls, OperationName>> = {
  list: "list",
  walk: "list",
  count: "list",
  get: "read",
  create: "create",
  update: "update",
  replace: "replace",
  remove: "remove",
};

/** A walk is one call from its first row to its last. */
async function* walking(caller: Caller, walk: () => AsyncGenerator<CallRow, void, void>): AsyncGenerator<CallRow, void, void> {
  const end = await caller.begin();
  try {
    yield* walk();
  } catch (error) {
    throw caller.fault(error);
  } finally {
    end();
  }
}

/**
 * Options with the page that begins at `offset` and has `limit` rows.
 *
 * @throws {ConfigurationError} for an offset between two pages, and beside `page`, `perPage` or `cursor`
 */
function pageAt({ offset, limit, ...options }: ListOptions): ListOptions {
  if (offset === undefined && limit === undefined) return options;
  const page = (offset ?? 0) / Number(limit);
  if (!Number.isInteger(page) || (options.page ?? options.perPage ?? options.cursor) !== undefined) {
    const detail = `list: "offset" is ${offset}, but must be a multiple of "limit", ${limit}, without "page", "perPage" and "cursor".`;
    throw new ConfigurationError(detail);
  }
  return { ...options, page: page + 1, perPage: limit };
}
