import { ConfigurationError } from "../../../ground/problem/index.js";
import type { LinkedResource } from "./link.js";

/** Words of paths below a collection; a relation or an action cannot have one of these names. */
export const fixedWords: ReadonlySet<string> = new Set(["batch", "batch-delete", "bulk-update", "import", "export"]);

const pathSegment = /^[A-Za-z][A-Za-z0-9_-]*$/;

/**
 * Refuses to-many relations whose paths or members are ambiguous.
 *
 * @throws {ConfigurationError}
 */
export function checkHierarchy({ name, resource, relations }: LinkedResource): void {
  for (const [relation, { many }] of relations) {
    if (!many) continue;
    const where = `${name}: the relation "${relation}"`;
    if (!pathSegment.test(relation)) throw new ConfigurationError(`${where} cannot name a path: a letter, then letters, digits, "-", "_".`);
    if (fixedWords.has(relation)) throw new ConfigurationError(`${where} has a reserved name; reserved are ${[...fixedWords].join(", ")}.`);
    const flag = `${relation}Truncated`;
    if (resource.fields.has(flag) || relations.has(flag)) {
      throw new ConfigurationError(`${where} needs the member "${flag}", which is already the name of something else.`);
    }
  }
}
