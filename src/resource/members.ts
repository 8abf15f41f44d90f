import { pointer } from "../http/pointer.js";
import type { Context } from "../operation/context.js";
import type { Permit } from "../operation/permit.js";
import { ProblemError, type ProblemItem } from "../problem/index.js";
import { closest } from "../query/hint.js";
import { permission } from "../schema/access.js";
import type { FieldModel } from "../schema/field.js";
import { isPlainObject, parseDateTime } from "../schema/wire.js";
import type { Row } from "../storage/collection.js";
import type { Resource, ResourceField } from "./resource.js";

/** The members of a body that are to be written, and what was wrong with the others. */
export interface WritableMembers {
  readonly input: Record<string, unknown>;
  readonly problems: ProblemItem[];
}

/**
 * Sorts the members of a write: unknown, generated, read-only and forbidden ones are faults.
 *
 * @param current The row that is changed. With it a generated member may stand there with its current value, and `updatedAt` and read-only members
 *   are ignored, so that a client can send back what it got.
 * @throws {ProblemError} VALIDATION_FAILED where the body is no object, INVALID_VALUE for an integer that binary64 cannot hold
 */
export function writableMembers(resource: Resource, body: unknown, context: Context, permit: Permit, current?: Row): WritableMembers {
  if (!isPlainObject(body)) {
    const detail = "The body must be a JSON object.";
    throw new ProblemError("VALIDATION_FAILED", detail, { errors: [{ code: "INVALID_VALUE", detail, pointer: "" }] });
  }
  const input: Record<string, unknown> = {};
  const problems: ProblemItem[] = [];
  for (const name of Object.keys(body)) {
    const field = resource.fields.get(name);
    const value = body[name];
    const fault = field ? faultOf(resource, field, value, context, permit, current) : unknownMember([name], readableNames(resource, context));
    if (fault === "ignore") continue;
    if (fault !== undefined) problems.push(fault);
    else if (field !== undefined) {
      requireExactInteger(field, value);
      if (field.children || field.element) collectUnknown(field, value, [name], problems);
      input[name] = value;
    }
  }
  return { input, problems };
}

/** Throws what was collected: 403 only where every fault is a forbidden field. */
export function refuseProblems(problems: readonly ProblemItem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const detail = problems.length === 1 ? first.detail : `${problems.length} members are not valid.`;
  const forbidden = problems.every((problem) => problem.code === "FORBIDDEN_FIELD");
  throw new ProblemError(forbidden ? "FORBIDDEN_FIELD" : "VALIDATION_FAILED", detail, { errors: problems });
}

function faultOf(
  resource: Resource,
  field: ResourceField,
  value: unknown,
  context: Context,
  permit: Permit,
  current?: Row,
): ProblemItem | "ignore" | undefined {
  if (field.generator !== undefined || field.readOnly) {
    if (current !== undefined && (field.readOnly || field.generator === "updatedAt" || isSame(current[field.name], value))) return "ignore";
    const detail = `"${field.name}" is set by the server${current ? " and cannot be changed" : ""}.`;
    return { code: "READ_ONLY_FIELD", detail, pointer: pointer([field.name]) };
  }
  const allowed = permit.fields?.includes(field.name) === false ? "forbidden" : permission(field.access, "write", context.principal);
  if (allowed === "allowed") return undefined;
  if (allowed === "hidden") return unknownMember([field.name], readableNames(resource, context));
  return { code: "FORBIDDEN_FIELD", detail: `You may not write "${field.name}".`, pointer: pointer([field.name]) };
}

/** Whether a member carries the value that the row has: dates compare as instants. */
function isSame(stored: unknown, given: unknown): boolean {
  if (stored instanceof Date) return typeof given === "string" && parseDateTime(given)?.getTime() === stored.getTime();
  if (typeof stored === "bigint") return String(given) === stored.toString();
  return stored === given;
}

/** @param nameable Names that a hint may give away. */
function unknownMember(path: readonly (string | number)[], nameable: Iterable<string>): ProblemItem {
  const name = String(path.at(-1));
  const near = closest(name, nameable);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return {
    code: "UNKNOWN_FIELD",
    detail: `Unknown member "${name.slice(0, 64)}".${hint}`,
    pointer: pointer(path),
    ...(near === undefined ? {} : { hint: near }),
  };
}

function readableNames(resource: Resource, { principal }: Context): string[] {
  return [...resource.fields.values()].filter((field) => permission(field.access, "read", principal) === "allowed").map((field) => field.name);
}

/** zod drops members that a nested object does not declare; a client should hear of them. */
function collectUnknown(field: FieldModel, value: unknown, path: readonly (string | number)[], problems: ProblemItem[]): void {
  if (Array.isArray(value) && field.kind === "array" && field.element) {
    const { element } = field;
    if (element.children || element.element) for (const [index, item] of value.entries()) collectUnknown(element, item, [...path, index], problems);
  } else if (field.children && !field.open && isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const child = field.children.get(name);
      if (child) collectUnknown(child, member, [...path, name], problems);
      else problems.push(unknownMember([...path, name], field.children.keys()));
    }
  }
}

/** JSON.parse rounds large integers without a word; a rounded id is another row's. */
function requireExactInteger(field: ResourceField, value: unknown): void {
  if (field.kind !== "int" || typeof value !== "number" || Number.isSafeInteger(value) || !Number.isInteger(value)) return;
  const detail = `"${field.name}" is an integer beyond ±(2^53 − 1).`;
  throw new ProblemError("INVALID_VALUE", detail, { errors: [{ code: "INVALID_VALUE", detail, pointer: pointer([field.name]) }] });
}
