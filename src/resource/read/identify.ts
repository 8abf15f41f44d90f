import { ProblemError } from "../../problem/index.js";
import { columnKind } from "../../schema/field.js";
import { toInt64 } from "../../schema/wire.js";
import type { Id } from "../../storage/scalar.js";
import type { Resource } from "../resource.js";

const wholeNumber = /^(?:0|-?[1-9]\d*)$/;

/**
 * Parses the id in a path segment.
 *
 * @throws {ProblemError} NOT_FOUND if no row can have it
 */
export async function parseId(resource: Resource, segment: string): Promise<Id> {
  switch (columnKind(resource.id)) {
    case "int": {
      const value = Number(segment);
      if (wholeNumber.test(segment) && Number.isSafeInteger(value)) return value;
      throw noSuchRow(resource, segment);
    }
    case "bigint": {
      const value = toInt64(segment);
      if (value !== undefined) return value;
      throw noSuchRow(resource, segment);
    }
    default: {
      const acceptable = segment.isWellFormed() && !segment.includes("\0") && (await resource.id.validate(segment)).ok;
      if (acceptable) return segment;
      throw noSuchRow(resource, segment);
    }
  }
}

export function noSuchRow(resource: Resource, id: Id): ProblemError {
  return new ProblemError("NOT_FOUND", `There is no "${String(id).slice(0, 64)}" in "${resource.name}".`);
}
