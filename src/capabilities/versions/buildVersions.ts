import type { VersionParts } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { Environment } from "../../engine/operation/environment.js";
import { closest } from "../../ground/problem/closest.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Collection } from "../../ground/storage/collection.js";
import { authorizeIn } from "./authorize.js";
import { deriveResource } from "./deriveResource.js";
import { VersionRows } from "./rows.js";
import { originalOf, type Step } from "./step.js";

/** The versions of a service: all names, the oldest first, and the one whose representation the schemas describe. */
export interface VersionNames {
  readonly names: readonly string[];
  readonly schema: string;
}

/**
 * Builds each version from its neighbour that is nearer to the schema, so that adding a version at either end leaves all other versions as they are.
 *
 * @throws {ConfigurationError} for a version of a resource that is not supported, and for changes that cannot work
 */
export function buildVersions({ names, schema }: VersionNames, host: Host): readonly VersionParts[] {
  const { environment, resources } = host;
  for (const { resource } of resources.values()) checkVersions(resource.name, Object.keys(resource.options.versions ?? {}), { names, schema });
  const original: VersionParts = { name: schema, environment, resources };
  const at = names.indexOf(schema);
  return [names.slice(at + 1), names.slice(0, at).toReversed()].flatMap((outward) => {
    let near = original;
    return outward.map((name) => {
      near = versionBeside(near, name, host);
      return near;
    });
  });
}

function checkVersions(collection: string, given: readonly string[], { names, schema }: VersionNames): void {
  for (const name of given) {
    if (name === schema) {
      throw new ConfigurationError(`${collection}: "versions" has "${name}", which is the version of the schema; it has the changes of the others.`);
    }
    if (names.includes(name)) continue;
    const near = closest(name, names);
    const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
    throw new ConfigurationError(`${collection}: "versions" has "${name}", which is not in "supported" of versions(): ${names.join(", ")}.${hint}`);
  }
}

function versionBeside(near: VersionParts, name: string, host: Host): VersionParts {
  const changesOf = (collection: string) => host.resources.get(collection)?.resource.options.versions?.[name] ?? [];
  const steps = new Map(
    [...near.resources.values()].map(({ resource }) => {
      const { name: collection } = resource;
      return [collection, deriveResource({ near: resource, version: name, changes: changesOf(collection), changesOf })];
    }),
  );
  const resources = host.link([...steps.values()].map(({ far }) => far));
  return { name, resources, environment: environmentOf(near.environment, name, steps, host) };
}

/** The environment of the neighbour, with the rows of this version. Its getters stay getters: secrets exist only after the start. */
function environmentOf(near: Environment, name: string, steps: ReadonlyMap<string, Step>, { newRow }: Host): Environment {
  const over = (collection: string, rows: Required<Collection>): Required<Collection> => {
    const step = steps.get(collection);
    return step === undefined || step.changes.length === 0 ? rows : new VersionRows(rows, step, () => newRow(collection, {}));
  };
  const collections = new Map<string, Required<Collection>>();
  const own: Pick<Environment, "version" | "authorize" | "collection"> = {
    version: { name, rows: (collection, rows) => over(collection, near.version?.rows(collection, rows) ?? rows), original: originalOf },
    authorize: authorizeIn(near.authorize, steps),
    collection(collection) {
      const rows = collections.get(collection) ?? over(collection, near.collection(collection));
      collections.set(collection, rows);
      return rows;
    },
  };
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(near), ...Object.getOwnPropertyDescriptors(own) }) as Environment;
}
