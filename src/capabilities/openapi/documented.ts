import type { SchemaNames } from "../../engine/description/schemaNames.js";
import type { AddedDescription } from "../../engine/operation/description.js";
import type { Environment } from "../../engine/operation/environment.js";
import type { Operation } from "../../engine/operation/operation.js";
import type { Route } from "../../engine/operation/route.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { DocumentPart } from "./options.js";

/** What a document describes. */
export interface Documented {
  readonly environment: Environment;
  readonly resources: ReadonlyMap<string, LinkedResource>;
  readonly routes: readonly Route[];
  readonly added: readonly AddedDescription[];
  readonly takesKeys: boolean;
  readonly names: SchemaNames;
}

/** An operation at its path. */
export interface Entry {
  readonly route: Route;
  readonly operation: Operation;
}

/** The collection that an operation is about. */
export function collectionOf({ resources }: Pick<Documented, "resources">, { access, name }: Operation): LinkedResource | undefined {
  return resources.get(access?.collection ?? name.split(".")[0] ?? "");
}

/** The group that an operation is shown in. */
export function tagOf(documented: Documented, { route, operation }: Entry): string {
  return operation.description?.tag ?? collectionOf(documented, operation)?.name ?? route.segments.find((segment) => segment !== null) ?? "service";
}

/** @throws {ConfigurationError} for a group that the document does not have */
export function requireTags(documented: Documented, { tags }: DocumentPart, what: string): void {
  const known = new Set(allEntries(documented).map((entry) => tagOf(documented, entry)));
  const unknown = tags.find((tag) => !known.has(tag));
  if (unknown === undefined) return;
  throw new ConfigurationError(`${what}: "only" names the group "${unknown}", which has no operations; there are: ${[...known].join(", ")}.`);
}

/** All operations of a service. */
export function allEntries({ routes }: Documented): readonly Entry[] {
  return routes.flatMap((route) => route.operations.map((operation) => ({ route, operation })));
}
