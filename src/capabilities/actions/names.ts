import { noActionNames } from "../../engine/calls/index.js";
import { fixedWords } from "../../engine/resource/relations/checkHierarchy.js";
import type { Resource } from "../../engine/resource/resource.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { columnKind } from "../../language/schema/field.js";

const syntax = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** What operations, calls and scopes of each collection are called already. */
const builtIn: ReadonlySet<string> = new Set([
  ...["list", "walk", "watch", "live", "count", "get", "read", "create", "update", "replace", "remove", "restore", "purge"],
  ...["query", "search", "searches", "batchCreate", "batchUpdate", "batchRemove", "bulkUpdate", "removeMany"],
  ...["emit", "sql", "afterCommit", "constructor"],
]);

/** @throws {ConfigurationError} for a name that no action of the collection can have */
export function checkActionName(place: string, resource: Resource, name: string): void {
  const refuse = (why: string): never => {
    throw new ConfigurationError(`${place} ${why}`);
  };
  if (!syntax.test(name)) refuse(`cannot have this name: it must begin with a letter, followed by letters, digits, "-" and "_".`);
  if (fixedWords.has(name)) refuse(`has the name of a path of each collection; these are ${[...fixedWords].join(", ")}.`);
  if (builtIn.has(name) || noActionNames.has(name)) refuse("has the name of something that each collection has already.");
  if (resource.relations.has(name)) refuse("has the name of a relation of the collection.");
}

/** Requires that no row can have the name as its id: `/orders/statistics` would be the path of that row. @throws {ConfigurationError} */
export function checkNoId(place: string, { id, import: imported }: Resource, name: string): void {
  if (columnKind(id) !== "text") return;
  const isMade = id.generator !== undefined && id.generator !== "increment";
  if (isMade && imported?.generated.has(id.name) !== true) return;
  const validation = id.validate(name);
  if (!(validation instanceof Promise) && !validation.ok) return;
  // It may reject later, and nothing waits for it.
  if (validation instanceof Promise) validation.catch(() => undefined);
  throw new ConfigurationError(
    `${place} has a name that an id of the collection may be; let the schema of "${id.name}" exclude it, such as by z.uuid(), or generate the ids.`,
  );
}
