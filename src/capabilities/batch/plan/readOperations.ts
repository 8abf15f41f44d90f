import type { Context } from "../../../engine/operation/context.js";
import { isObject } from "../../../ground/http/isObject.js";
import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { type ProblemCode, ProblemError, type ProblemItem } from "../../../ground/problem/index.js";
import { parsePart, splitMultipartBatch } from "../multipart/parseMultipartBatch.js";
import { readItems, tooManyItems } from "./readItems.js";
import { requireSingleBody } from "./requireSingleBody.js";
import { usable } from "./unusableItem.js";

/** An operation of the request, from JSON or multipart. */
export interface GivenOperation {
  /** The name that the client gave it, even if it is not valid for references. */
  readonly label: string | undefined;
  /** The JSON of the operation, before it is parsed. */
  readonly value: unknown;
  /** Why its part is not a request. */
  readonly fault: ProblemError | undefined;
}

/** A problem of a part, as JSON. */
interface PlainFault {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly ProblemItem[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

const partHeaderBytes = 16_384;

/** Reads a multipart body to JSON, because a batch may be stored and continue as a job. */
export async function readMultipartBody(bytes: Uint8Array, contentType: string, limits: Limits): Promise<{ readonly parts: readonly unknown[] }> {
  const { batchOperations, jsonBodyBytes, jsonDepth, jsonMembers, jsonValues } = limits;
  const split = splitMultipartBatch(bytes, contentType, batchOperations);
  const rules = { maxOperations: batchOperations, partHeaderBytes, jsonBytes: jsonBodyBytes, jsonDepth, jsonMembers, jsonValues };
  return {
    parts: await mapInTurns(split.parts, (part) => {
      const operation = parsePart(part, split.subtype, rules);
      if (operation.fault === undefined) return operation;
      const { code, message, errors, extensions } = operation.fault;
      return { name: operation.name, fault: { code, detail: message, errors, extensions } satisfies PlainFault };
    }),
  };
}

export function isMultipart({ headers }: Context): boolean {
  return headers.mediaType?.type.startsWith("multipart/") === true;
}

/**
 * The operations of a heterogeneous batch, in order.
 *
 * @throws {ProblemError} INVALID_BATCH, EMPTY_BATCH, BATCH_TOO_LARGE
 */
export async function readOperations(context: Context): Promise<readonly GivenOperation[]> {
  const { body, environment } = context;
  const { limits } = environment;
  const maximum = limits.batchOperations;
  if (!isMultipart(context)) {
    const { items } = readItems(body, ["operations"], maximum);
    return mapInTurns(items, async (value) => ({ label: nameOf(value), value, fault: await faultOf(value, limits) }));
  }
  const parts = isObject(body) && Array.isArray(body["parts"]) ? (body["parts"] as readonly unknown[]) : [];
  if (parts.length > maximum) throw tooManyItems(parts.length, maximum);
  return parts.map((part) => {
    const label = nameOf(part);
    if (!isObject(part)) return { label, value: part, fault: undefined };
    const { name: _, fault, ...operation } = part;
    return { label, value: operation, fault: fault === undefined ? undefined : problemFrom(fault as PlainFault) };
  });
}

async function faultOf(value: unknown, limits: Limits): Promise<ProblemError | undefined> {
  try {
    usable(value);
    if (isObject(value)) await requireSingleBody(value["body"], limits);
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

function nameOf(value: unknown): string | undefined {
  const name = isObject(value) ? value["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function problemFrom({ code, detail, errors, extensions }: PlainFault): ProblemError {
  return new ProblemError(code, detail, { errors, extensions });
}
