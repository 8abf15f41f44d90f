import { string } from "zod";
import { ConfigurationError } from "../../../ground/problem/index.js";
import { hiddenIdName, joinId, splitId } from "../../../ground/storage/compositeId.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { introspect } from "../../../language/schema/introspect.js";
import { foldUuid } from "../../../language/schema/uuid.js";
import type { OperationName } from "../options.js";
import { parseKey } from "../read/identify.js";
import type { ResourceField, Validation } from "../resource.js";
import type { Settings } from "./settings.js";

/** The place of a row in its table, by which the store tells rows apart that have no id. */
export const hiddenId: ResourceField = /* @__PURE__ */ compositeField([]);

/**
 * The field of the id: one of the schema, or, for several names, the text of a composite id, which no client sees as a field.
 *
 * @param fields those of all names: the table of queries requires them
 * @throws {ConfigurationError} for parts that cannot form an id
 */
export function idField(
  name: string,
  fields: ReadonlyMap<string, ResourceField>,
  { id: names, versions, table }: Settings,
  operations: ReadonlySet<OperationName>,
): ResourceField {
  if (names.length === 0) {
    if (table?.readOnly && [...operations].join() === "list") return hiddenId;
    throw new ConfigurationError(`${name}: "id: false" needs a read-only "table", and no operation but "list".`);
  }
  const parts = names.flatMap((part) => fields.get(part) ?? []);
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  if (new Set(names).size < names.length) {
    throw new ConfigurationError(`${name}: "id" must be the name of a field, or several different names of a composite id.`);
  }
  if (versions) throw new ConfigurationError(`${name}: a collection with a composite id cannot have "versions".`);
  return compositeField(parts);
}

function compositeField(parts: readonly ResourceField[]): ResourceField {
  return {
    ...introspect(hiddenIdName, string()),
    generator: parts.find(({ generator }) => generator === "database")?.generator,
    ...{ heavy: false, readOnly: false, isStamped: false },
    toInput: (text) => canonicalId(parts, String(text)),
    validate(value) {
      const keys = splitId(String(value), parts.length)?.map((text, index) => parseKey(parts[index] as ResourceField, text));
      return keys?.some((key) => key instanceof Promise)
        ? Promise.all(keys as readonly Promise<Id | undefined>[]).then(validated)
        : validated(keys as readonly (Id | undefined)[] | undefined);
    },
  };
}

/** The text of an id whose parts are in the form that rows have. */
function canonicalId(parts: readonly ResourceField[], text: string): string {
  const texts = splitId(text, parts.length);
  return texts === undefined ? text : joinId(texts.map((part, index) => (parts[index]?.kind === "uuid" ? foldUuid(part) : part)));
}

function validated(keys: readonly (Id | undefined)[] | undefined): Validation {
  return keys === undefined || keys.includes(undefined) ? { ok: false, items: [] } : { ok: true, value: keys };
}
