import { ProblemError } from "../../problem/index.js";
import { columnKind } from "../../schema/field.js";
import { toInt64 } from "../../schema/wire.js";
import type { Id } from "../../storage/scalar.js";
import type { Resource, Validation } from "../resource.js";

const wholeNumber = /^(?:0|-?[1-9]\d*)$/;

/**
 * Parses the id in a path segment. Only the schema of a text may take a promise.
 *
 * @throws {ProblemError} NOT_FOUND if no row can have it
 */
export function parseId(resource: Resource, segment: string): Id | Promise<Id> {
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
      if (!segment.isWellFormed() || segment.includes("\0")) throw noSuchRow(resource, segment);
      const accepted = ({ ok }: Validation): Id => {
        if (ok) return segment;
        throw noSuchRow(resource, segment);
      };
      const validation = resource.id.validate(segment);
      return validation instanceof Promise ? validation.then(accepted) : accepted(validation);
    }
  }
}

export function noSuchRow(resource: Resource, id: Id): ProblemError {
  return new ProblemError("NOT_FOUND", `There is no "${String(id).slice(0, 64)}" in "${resource.name}".`);
}
