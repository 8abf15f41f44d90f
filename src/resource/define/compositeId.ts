import { string } from "zod";
import { ConfigurationError } from "../../problem/index.js";
import { compositeIdName, splitId } from "../../storage/compositeId.js";
import type { Id } from "../../storage/scalar.js";
import { parseKey } from "../read/identify.js";
import type { ResourceField, Validation } from "../resource.js";
import type { Settings } from "./settings.js";

/**
 * The field of the id: one of the schema, or, for several names, the text of a composite id, which no client sees as a field.
 *
 * @throws {ConfigurationError} for a name that the schema lacks, and for parts that cannot form an id
 */
export function idField(name: string, fields: ReadonlyMap<string, ResourceField>, { id: names, table, versions }: Settings): ResourceField {
  const parts = names.map((part) => {
    const field = fields.get(part);
    if (field === undefined) throw new ConfigurationError(`${name}: there is no id field "${part}".`);
    return field;
  });
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  if (first === undefined || new Set(names).size < names.length) {
    throw new ConfigurationError(`${name}: "id" must be the name of a field, or several different names of a composite id.`);
  }
  for (const part of parts) {
    const where = `${name}: the part "${part.name}" of the id`;
    if (part.readOnly && !table?.readOnly) {
      throw new ConfigurationError(`${where} is read-only, so that no row can be created; let clients set it, or generate it.`);
    }
  }
  if (versions) throw new ConfigurationError(`${name}: a collection with a composite id cannot have "versions".`);
  return compositeField(parts);
}

function compositeField(parts: readonly ResourceField[]): ResourceField {
  const schema = string();
  return {
    ...{ name: compositeIdName, kind: "text", schema, generator: parts.find(({ generator }) => generator === "database")?.generator },
    ...{ nullable: false, optional: false, hasDefault: false, open: false, transforms: false, readsDate: false },
    ...{ heavy: false, readOnly: false, isStamped: false },
    validate(value) {
      const keys = splitId(String(value), parts.length)?.map((text, index) => parseKey(parts[index] as ResourceField, text));
      return keys?.some((key) => key instanceof Promise)
        ? Promise.all(keys as readonly Promise<Id | undefined>[]).then(validated)
        : validated(keys as readonly (Id | undefined)[] | undefined);
    },
  };
}

function validated(keys: readonly (Id | undefined)[] | undefined): Validation {
  return keys === undefined || keys.includes(undefined) ? { ok: false, items: [] } : { ok: true, value: keys };
}
