import { parseMediaType } from "../http/mediaType.js";
import type { Limits } from "../limits/limits.js";
import type { Context } from "../operation/context.js";
import { type ProblemCode, ProblemError, type ProblemItem } from "../problem/index.js";
import { isPlainObject } from "../schema/wire.js";
import { parseMultipartBatch } from "./parseMultipartBatch.js";
import { readItems, tooManyItems } from "./readItems.js";
import { usable } from "./unusableItem.js";

/** An operation as it stands in the request, whatever its form. */
export interface GivenOperation {
  /** What the client calls it, be it a name that others may refer to or not. */
  readonly label: string | undefined;
  /** Of the shape of a JSON operation, still to be read. */
  readonly value: unknown;
  /** Why its part is no request. */
  readonly fault: ProblemError | undefined;
}

/** A fault of a part, as JSON. */
interface PlainFault {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly ProblemItem[];
}

const partHeaderBytes = 16_384;

/** Reads a multipart body, as JSON: a batch may be kept and go on later. */
export function readMultipartBody(bytes: Uint8Array, contentType: string, limits: Limits): { readonly parts: readonly unknown[] } {
  const { batchOperations, jsonDepth, jsonMembers, jsonValues } = limits;
  const operations = parseMultipartBatch(bytes, contentType, { maxOperations: batchOperations, partHeaderBytes, jsonDepth, jsonMembers, jsonValues });
  return {
    parts: operations.map((operation) => {
      if (operation.fault === undefined) return operation;
      const { code, message, errors } = operation.fault;
      return { name: operation.name, fault: { code, detail: message, errors } satisfies PlainFault };
    }),
  };
}

export function isMultipart({ headers }: Context): boolean {
  return parseMediaType(headers.get("content-type") ?? "")?.type.startsWith("multipart/") === true;
}

/**
 * The operations of a heterogeneous batch, in order.
 *
 * @throws {ProblemError} INVALID_BATCH, EMPTY_BATCH, BATCH_TOO_LARGE
 */
export function readOperations(context: Context): readonly GivenOperation[] {
  const { body, environment } = context;
  const maximum = environment.limits.batchOperations;
  if (!isMultipart(context)) {
    return readItems(body, ["operations"], maximum).items.map((value) => ({ label: nameOf(value), value, fault: faultOf(value) }));
  }
  const parts = isPlainObject(body) && Array.isArray(body["parts"]) ? (body["parts"] as readonly unknown[]) : [];
  if (parts.length > maximum) throw tooManyItems(parts.length, maximum);
  return parts.map((part) => {
    const label = nameOf(part);
    if (!isPlainObject(part)) return { label, value: part, fault: undefined };
    const { name: _, fault, ...operation } = part;
    return { label, value: operation, fault: fault === undefined ? undefined : problemFrom(fault as PlainFault) };
  });
}

function faultOf(value: unknown): ProblemError | undefined {
  try {
    usable(value);
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

function nameOf(value: unknown): string | undefined {
  const name = isPlainObject(value) ? value["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function problemFrom({ code, detail, errors }: PlainFault): ProblemError {
  return new ProblemError(code, detail, { errors });
}
