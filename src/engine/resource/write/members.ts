import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import { invalidBody, ProblemError, type ProblemItem } from "../../../ground/problem/index.js";
import { maxItems } from "../../../ground/problem/problem.js";
import type { Row } from "../../../ground/storage/collection.js";
import { type Gate, gateFor } from "../../../language/schema/access.js";
import { floorTo } from "../../../language/schema/dateTimeForm.js";
import { foldUuid } from "../../../language/schema/uuid.js";
import { parseDateTime } from "../../../language/schema/wire.js";
import type { Context } from "../../operation/context.js";
import type { Permit } from "../../operation/permit.js";
import { isMade } from "../generators.js";
import type { Resource, ResourceField } from "../resource.js";
import { toBodyValue } from "./rowValues.js";
import { unknownMember, unknownMembersIn } from "./unknownMembers.js";

/** The members of a body to write, and the faults of the others. */
export interface WritableMembers {
  readonly input: Record<string, unknown>;
  readonly problems: ProblemItem[];
}

/**
 * Sorts the members of a write: unknown, generated, read-only and forbidden ones are faults.
 *
 * @param current The row that is changed. With it, a member that cannot be written is allowed with its current value, and `updatedAt` and
 *   read-only members are ignored, so that a client can send back what it got.
 * @throws {ProblemError} VALIDATION_FAILED if the body is not an object
 */
export function writableMembers(resource: Resource, body: unknown, context: Context, permit: Permit, current?: Row): WritableMembers {
  if (!isObject(body)) throw invalidBody("The body must be a JSON object.", "");
  const gate = gateFor(context.principal, permit.fields);
  const input: Record<string, unknown> = {};
  const problems: ProblemItem[] = [];
  // Looking for hints costs time, and a response lists no more faults.
  let names: readonly string[] | undefined;
  const nameable = () => {
    if (problems.length >= maxItems) return [];
    names ??= readableNames(resource, gate);
    return names;
  };
  for (const name of Object.keys(body)) {
    const field = resource.fields.get(name);
    const value = body[name];
    const fault = field ? faultOf(resource, field, { value, current }, gate, nameable) : unknownMember([name], nameable());
    if (fault === "ignore") continue;
    if (fault !== undefined) problems.push(fault);
    else if (field !== undefined) {
      unknownMembersIn(field, value, [name], gate(field, "read") === "allowed", problems);
      input[name] = value;
    }
  }
  return { input, problems };
}

/** Throws the collected faults, each once: 403 only if every fault is a forbidden field. */
export function refuseProblems(given: readonly ProblemItem[]): void {
  const problems = withoutRepeats(given);
  const [first] = problems;
  if (first === undefined) return;
  const detail = problems.length === 1 ? first.detail : `${problems.length} members are not valid.`;
  const forbidden = problems.every((problem) => problem.code === "FORBIDDEN_FIELD");
  throw new ProblemError(forbidden ? "FORBIDDEN_FIELD" : "VALIDATION_FAILED", detail, { errors: problems });
}

/** The faults, each unknown member once: a strict object says itself that it does not know a member, which was found before. */
export function withoutRepeats(problems: readonly ProblemItem[]): readonly ProblemItem[] {
  const unknown = new Set<string | undefined>();
  return problems.filter(({ code, pointer: where }) => {
    if (code !== "UNKNOWN_FIELD") return true;
    const isNew = !unknown.has(where);
    unknown.add(where);
    return isNew;
  });
}

function faultOf(
  resource: Resource,
  field: ResourceField,
  { value, current }: { readonly value: unknown; readonly current: Row | undefined },
  gate: Gate,
  nameable: () => readonly string[],
): ProblemItem | "ignore" | undefined {
  if (current !== undefined && (field.readOnly || field.generator === "updatedAt")) return "ignore";
  const isId = resource.idNames.includes(field.name);
  const isFixed = isMade(field) || (current !== undefined && isId);
  const allowed = isFixed ? "allowed" : gate(field, "write");
  if (!isFixed && allowed === "allowed") return undefined;
  // Only for a field that the client can read: otherwise the response would reveal whether it has guessed the value.
  const isUnchanged = current !== undefined && gate(field, "read") === "allowed" && isCurrent(field, current[field.name], value);
  if (isUnchanged) return "ignore";
  if (isFixed) {
    const detail = `"${field.name}" ${isId ? "names the resource" : "is set by the server"}${current ? " and cannot be changed" : ""}.`;
    return { code: "READ_ONLY_FIELD", detail, pointer: pointer([field.name]) };
  }
  if (allowed === "hidden") return unknownMember([field.name], nameable());
  return { code: "FORBIDDEN_FIELD", detail: `Not allowed to write "${field.name}".`, pointer: pointer([field.name]) };
}

/** Whether a member has the value of the row; dates compare as instants. Code may give dates and bigints as such. */
function isCurrent(field: ResourceField, stored: unknown, given: unknown): boolean {
  if (stored instanceof Date) {
    const instant = typeof given === "string" ? parseDateTime(given) : given;
    return instant instanceof Date && instant.getTime() === floorTo(field.dateTime, stored).getTime();
  }
  const value = field.kind === "uuid" ? foldUuid(given) : given;
  return isDeepStrictEqual(toBodyValue(field, stored) ?? null, typeof value === "bigint" ? value.toString() : value);
}

function readableNames(resource: Resource, gate: Gate): string[] {
  return [...resource.fields.values()].filter((field) => gate(field, "read") === "allowed").map((field) => field.name);
}
