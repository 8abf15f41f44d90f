import { ConfigurationError } from "../../ground/problem/index.js";
import type { Verifier } from "../../parts/auth/verifier.js";
import { reservedNames } from "../calls/index.js";
import type { Capability } from "../capability/capability.js";
import type { Resource } from "../resource/resource.js";
import type { ServiceOptions } from "./options.js";
import { checkServiceOptions } from "./optionsSchema.js";
import type { ProbePaths } from "./probes.js";

/**
 * Rejects unknown, invalid and conflicting options before they are used.
 *
 * @throws {ConfigurationError}
 */
export function checkOptions(options: ServiceOptions): void {
  checkServiceOptions(options);
  const { resources, probes = {}, auth = [], use = [] } = options;
  checkVerifiers(auth);
  if (options.tenant !== undefined && auth.length === 0) {
    throw new ConfigurationError(`"tenant" has no effect without "auth": it is asked for authenticated callers only.`);
  }
  const reserved = reservedPaths(use);
  const byName = new Map<string, Resource>();
  for (const resource of resources) {
    const holder = reserved.get(resource.name);
    if (holder !== undefined) throw new ConfigurationError(`No resource can be called "${resource.name}": ${holder}.`);
    if (reservedNames.has(resource.name)) {
      throw new ConfigurationError(`No resource can be called "${resource.name}": the objects with the calls of a service need this name.`);
    }
    if (byName.has(resource.name)) throw new ConfigurationError(`Two resources are called "${resource.name}".`);
    byName.set(resource.name, resource);
  }
  checkProbes(probes, new Set([...byName.keys(), ...reserved.keys()]));
  for (const resource of resources) {
    if (resource.model.table !== undefined && options.storage.mapsTables !== true) {
      throw new ConfigurationError(
        `${resource.name}: the storage "${options.storage.name}" cannot use an existing "table"; PostgreSQL and SQLite can.`,
      );
    }
    checkCapabilityOptions(resource, use);
  }
}

/** The reserved first segments, each with what uses it. */
function reservedPaths(use: readonly Capability[]): ReadonlyMap<string, string> {
  const reserved = new Map<string, string>();
  for (const { name, paths = {} } of use) {
    for (const [segment, holder] of Object.entries(paths)) {
      const other = reserved.get(segment) ?? holder;
      if (other !== holder) throw new ConfigurationError(`The capability "${name}" wants the path "/${segment}": ${other}.`);
      reserved.set(segment, holder);
    }
  }
  return reserved;
}

/** Rejects an option that no capability supports, because it would have no effect. */
function checkCapabilityOptions({ name, capabilityOptions }: Resource, use: readonly Capability[]): void {
  for (const [option, line] of capabilityOptions) {
    if (use.some(({ resourceOptions = [] }) => resourceOptions.includes(option))) continue;
    throw new ConfigurationError(`${name}: "${option}" has no effect, as nothing in "use" takes care of it: add ${line} to "use" of createService.`);
  }
}

function checkVerifiers(verifiers: readonly Verifier[]): void {
  const schemes = new Set<string>();
  for (const { scheme } of verifiers) {
    if (schemes.has(scheme)) {
      throw new ConfigurationError(`Two verifiers are of the scheme "${scheme}": every such credential would be claimed twice.`);
    }
    schemes.add(scheme);
  }
}

function checkProbes(probes: ProbePaths, names: ReadonlySet<string>): void {
  for (const path of [probes.health, probes.ready]) {
    if (path === undefined) continue;
    if (!/^(?:\/[A-Za-z0-9._-]+)+$/.test(path)) throw new ConfigurationError(`"${path}" cannot be a probe's path.`);
    if (names.has(path.slice(1))) throw new ConfigurationError(`"${path}" is the path of a resource or of a capability.`);
  }
}
