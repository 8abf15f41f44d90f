import type { Method } from "../../../engine/operation/operation.js";
import { isObject } from "../../../ground/http/isObject.js";
import type { RawHeaders } from "../../../ground/http/message.js";
import { pointer } from "../../../ground/http/pointer.js";
import { closest } from "../../../ground/problem/closest.js";
import { type ProblemItem, problemOf } from "../../../ground/problem/index.js";
import { suboperationFault } from "./suboperationFault.js";
import { readSuboperationHeaders } from "./suboperationHeaders.js";
import { readSuboperationUrl, type SuboperationUrl, type UrlRules } from "./suboperationUrl.js";

/** One operation of a heterogeneous batch. Everything else, such as principal, tenant and request id, comes from the batch. */
export interface Suboperation extends SuboperationUrl {
  /** The index in the batch, from 0. */
  readonly index: number;
  readonly name?: string | undefined;
  readonly method: Method;
  /** Headers that an operation may set, with lower-case names. */
  readonly headers: RawHeaders;
  /** A JSON value that may contain references; `undefined` if there is no body. */
  readonly body: unknown;
}

const members = ["name", "method", "url", "headers", "body"];
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"] as const satisfies readonly Method[];
const nameSyntax = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** The most characters of an unknown member's name that a problem repeats. */
const memberLength = 64;

/**
 * Parses one operation of a heterogeneous batch. Pointers of problems begin at the operation: `/url`.
 *
 * References are checked by `checkReferences`, and the endpoint by the dispatcher.
 *
 * @throws {ProblemError} INVALID_BATCH
 */
export function readSuboperation(value: unknown, index: number, rules: UrlRules): Suboperation {
  if (!isObject(value)) {
    throw problemOf("INVALID_BATCH", [suboperationFault("", "An operation must be an object.", { allowed: members })]);
  }
  const faults: ProblemItem[] = [];
  for (const member of Object.keys(value)) if (!members.includes(member)) faults.push(unknownMember(member));
  const name = readName(own(value, "name"), faults);
  const method = readMethod(own(value, "method"), faults);
  const url = readSuboperationUrl(own(value, "url"), rules, faults);
  const headers = readSuboperationHeaders(own(value, "headers"), faults);
  const body = own(value, "body");
  // A DELETE may list ids in its body.
  if (method === "GET" && body !== undefined) faults.push(suboperationFault("/body", "A GET has no body; QUERY reads with one."));
  if (faults.length > 0 || method === undefined || url === undefined) throw problemOf("INVALID_BATCH", faults);
  return { index, name, method, ...url, headers, body };
}

/** The name of an operation, even if the operation is otherwise invalid: operations that refer to it then fail because of it, and not for a missing name. */
export function suboperationName(value: unknown): string | undefined {
  const name = isObject(value) ? own(value, "name") : undefined;
  return typeof name === "string" && nameSyntax.test(name) ? name : undefined;
}

function own(operation: Readonly<Record<string, unknown>>, member: string): unknown {
  return Object.hasOwn(operation, member) ? operation[member] : undefined;
}

function unknownMember(member: string): ProblemItem {
  const isLong = member.length > memberLength;
  const near = isLong ? undefined : closest(member, members);
  const hint = near === undefined ? undefined : `did you mean "${near}"`;
  const shown = isLong ? `${member.slice(0, memberLength)}…` : member;
  return suboperationFault(isLong ? "" : pointer([member]), `An operation has no member ${JSON.stringify(shown)}.`, { allowed: members, hint });
}

function readName(name: unknown, faults: ProblemItem[]): string | undefined {
  if (name === undefined || (typeof name === "string" && nameSyntax.test(name))) return name;
  const detail = 'A name is text that begins with a letter, followed by at most 63 letters, digits, "_" and "-".';
  faults.push(suboperationFault("/name", detail));
  return undefined;
}

function readMethod(given: unknown, faults: ProblemItem[]): Method | undefined {
  const method = methods.find((each) => each === given);
  if (method !== undefined) return method;
  const near = typeof given === "string" ? methods.find((each) => each === given.toUpperCase()) : undefined;
  const hint = near === undefined ? undefined : `did you mean "${near}"`;
  faults.push(suboperationFault("/method", `The method must be one of ${methods.join(", ")}.`, { allowed: methods, hint }));
  return undefined;
}
