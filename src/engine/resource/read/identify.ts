import { whenReady } from "../../../ground/http/whenReady.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { isStorable } from "../../../ground/storage/values/isStorable.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { columnKind } from "../../../language/schema/field.js";
import { toInt64 } from "../../../language/schema/wire.js";
import type { Resource, ResourceField } from "../resource.js";
import { inputOf } from "../write/rowValues.js";

const wholeNumber = /^(?:0|-?[1-9]\d*)$/;

/**
 * Parses the id in a path segment. Only the schema of a text may take a promise.
 *
 * @param segment still percent-encoded if the id is composite
 * @throws {ProblemError} NOT_FOUND if no row can have it
 */
export function parseId(resource: Resource, segment: string): Id | Promise<Id> {
  return whenReady(parseKey(resource.id, segment), (id) => {
    if (id === undefined) throw noSuchRow(resource, segment);
    return id;
  });
}

/** The value of a key that a text spells; `undefined` if no row can have it. */
export function parseKey(field: ResourceField, text: string): Id | undefined | Promise<Id | undefined> {
  switch (columnKind(field)) {
    case "int": {
      const value = Number(text);
      return wholeNumber.test(text) && Number.isSafeInteger(value) ? value : undefined;
    }
    case "bigint":
      return toInt64(text);
    default: {
      if (!isStorable(text)) return undefined;
      const key = String(inputOf(field, text));
      return whenReady(field.validate(key), ({ ok }) => (ok ? key : undefined));
    }
  }
}

/** The members of a row that an id determines. @param id parsed by {@link parseId} */
export function idMembers({ id: field, idNames, fields }: Resource, id: Id): Record<string, Id> {
  if (idNames.length === 1) return { [field.name]: id };
  const texts = String(id).split(",").map(decodeURIComponent);
  const partOf = (text: string, kind: string): Id => (kind === "bigint" ? BigInt(text) : kind === "int" ? Number(text) : text);
  return Object.fromEntries(idNames.map((name, index) => [name, partOf(texts[index] ?? "", columnKind(fields.get(name) as ResourceField))]));
}

export function noSuchRow(resource: Resource, id: Id): ProblemError {
  return new ProblemError("NOT_FOUND", `There is no "${String(id).slice(0, 64)}" in "${resource.name}".`);
}
