import { either, flag, oneOf, optionsCheck, passing, strict, text, whole } from "../../ground/options/index.js";
import type { CallTransactionOptions } from "../resource/callTypes/types.js";
import { isolationRule } from "../resource/define/concurrency.js";
import type { CreateOptions, ListOptions, LockOptions, MatchOptions, ShowOptions, WalkOptions, WriteOptions } from "./collectionCalls.js";
import { etagOf } from "./rowTags.js";

/** The query language reports what is wrong with these values, as it does to clients. */
const anything = () => passing("a value of the query", (value) => typeof value !== "symbol" && typeof value !== "function");

const match = () => ({ where: anything(), q: anything() });
const show = () => ({ fields: anything(), exclude: anything(), include: anything() });

/** Options of `asSystem`. */
export interface SystemOptions {
  /** The tenant whose rows the calls see; by default the rows without a tenant. */
  readonly tenant?: string | undefined;
}

/** Reject unknown option names of each call, and values of a wrong type. @throws {ConfigurationError} */
export const checkCall = {
  list: /* @__PURE__ */ optionsCheck("list", () => strict<ListOptions>({ ...match(), ...show(), ...pageRules(), lock: lockRule() })),
  walk: /* @__PURE__ */ optionsCheck("walk", () =>
    strict<WalkOptions>({ ...match(), ...show(), sort: anything(), perPage: anything(), limit: whole(0) }),
  ),
  count: /* @__PURE__ */ optionsCheck("count", () => strict<MatchOptions>(match())),
  get: /* @__PURE__ */ optionsCheck("get", () => strict<ShowOptions & LockOptions>({ ...show(), lock: lockRule() })),
  create: /* @__PURE__ */ optionsCheck("create", () => strict<CreateOptions>({ operationId: passing("a text that is not empty", isText) })),
  update: /* @__PURE__ */ optionsCheck("update", writeRules),
  replace: /* @__PURE__ */ optionsCheck("replace", writeRules),
  remove: /* @__PURE__ */ optionsCheck("remove", writeRules),
  transaction: /* @__PURE__ */ optionsCheck("transaction", () =>
    strict<CallTransactionOptions>({ deferConstraints: flag(), isolation: isolationRule() }),
  ),
  asSystem: /* @__PURE__ */ optionsCheck("asSystem", () => strict<SystemOptions>({ tenant: passing("a text that is not empty", isText) })),
};

function pageRules() {
  return { sort: anything(), page: anything(), perPage: anything(), cursor: anything(), count: anything(), offset: whole(0), limit: whole(1) };
}

function lockRule() {
  return oneOf("update", "share");
}

function writeRules() {
  return strict<WriteOptions>({ ifMatch: ifMatchRule() });
}

/** What the option `ifMatch` of a call may be. */
export function ifMatchRule() {
  const row = passing("a row that a call returned", (value) => typeof value === "object" && value !== null && etagOf(value) !== undefined);
  return either("a row that a call returned, or the text of an ETag", text(), row);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
