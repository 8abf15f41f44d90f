import { isObject } from "../../ground/http/isObject.js";
import { checkJson } from "../../ground/http/json/checkJson.js";
import { ProblemError, type ProblemItem } from "../../ground/problem/index.js";
import { quote } from "../../ground/problem/quote.js";
import { copyJson } from "./copyJson.js";
import type { JsonPatchLimits } from "./jsonPatchLimits.js";
import { type JsonPatchOperation, operationNames } from "./jsonPatchOperation.js";
import type { JsonPatchStep } from "./jsonPatchStep.js";
import { isInside, type JsonPointer, parsePointer, quotePointer } from "./jsonPointer.js";
import { malformedItem } from "./refusal.js";
import { overweight, weigh } from "./weigh.js";

/** Parses one operation of a patch; `undefined` if it has faults, which are added to the list. Only its own members count. */
export function parseStep(operation: unknown, index: number, limits: JsonPatchLimits, faults: ProblemItem[]): JsonPatchStep | undefined {
  const reader: Reader = { index, limits, faults };
  if (!isObject(operation)) return refuse(reader, "", "it is not an object.");
  const op = readName(reader, operation);
  const path = readPointer(reader, operation, "path");
  if (op === undefined) return undefined;
  if (op === "remove") return path && checkedRemove(reader, { index, op, path });
  if (op === "move" || op === "copy") {
    const from = readPointer(reader, operation, "from");
    return path && from && checkedMove(reader, { index, op, from, path });
  }
  const value = readValue(reader, operation);
  return path && value && { index, op, path, value: value.copy };
}

interface Reader {
  readonly index: number;
  readonly limits: JsonPatchLimits;
  readonly faults: ProblemItem[];
}

function refuse(reader: Reader, pointer: string, detail: string, allowed?: readonly string[]): undefined {
  reader.faults.push(malformedItem(`Operation ${reader.index}: ${detail}`, `/${reader.index}${pointer}`, allowed));
}

function own(operation: Readonly<Record<string, unknown>>, member: string): unknown {
  return Object.hasOwn(operation, member) ? operation[member] : undefined;
}

function readName(reader: Reader, operation: Readonly<Record<string, unknown>>): JsonPatchOperation["op"] | undefined {
  const given = own(operation, "op");
  const op = operationNames.find((name) => name === given);
  if (op !== undefined) return op;
  const what = typeof given === "string" ? `${quote(given)} is not an operation` : 'it needs a member "op" that is text';
  return refuse(reader, given === undefined ? "" : "/op", `${what}; allowed: ${operationNames.join(", ")}.`, operationNames);
}

function readPointer(reader: Reader, operation: Readonly<Record<string, unknown>>, member: "path" | "from"): JsonPointer | undefined {
  const text = own(operation, member);
  if (text === undefined) return refuse(reader, "", `it needs a member "${member}".`);
  const parsed = typeof text === "string" ? parsePointer(text, reader.limits.depth) : `"${member}" must be a JSON pointer, as text.`;
  return typeof parsed === "string" ? refuse(reader, `/${member}`, parsed) : parsed;
}

function readValue(reader: Reader, operation: Readonly<Record<string, unknown>>): { readonly copy: unknown } | undefined {
  const value = own(operation, "value");
  if (value === undefined) return refuse(reader, "", 'it needs a member "value", which may be null.');
  // First, because the checks after it read the whole value.
  const limit = overweight(weigh(value, reader.limits), reader.limits);
  if (limit) return refuse(reader, "/value", `the value is too large; allowed are ${reader.limits[limit]} ("${limit}").`);
  try {
    checkJson(value, { depth: reader.limits.depth, members: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY });
    const copy = copyJson(value, reader.limits.depth);
    return copy === undefined ? refuse(reader, "/value", "the value is not JSON.") : { copy };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return refuse(reader, `/value${error.errors[0]?.pointer ?? ""}`, error.message);
  }
}

function checkedRemove(reader: Reader, step: JsonPatchStep & { readonly op: "remove" }): JsonPatchStep | undefined {
  if (step.path.tokens.length > 0) return step;
  return refuse(reader, "/path", "the whole document cannot be removed; replace it instead.");
}

function checkedMove(reader: Reader, step: JsonPatchStep & { readonly op: "move" | "copy" }): JsonPatchStep | undefined {
  if (step.op === "copy" || !isInside(step.path, step.from)) return step;
  return refuse(reader, "/path", `${quotePointer(step.from.text)} cannot be moved into a part of itself, ${quote(step.path.text)}.`);
}
