import type { Verifier } from "../auth/verifier.js";
import { ConfigurationError, shown } from "../problem/index.js";
import { collectionName } from "../resource/define.js";
import type { Resource } from "../resource/resource.js";
import { columnKind } from "../schema/field.js";
import type { ServiceOptions } from "./options.js";
import type { ProbePaths } from "./probes.js";

/** First segments of paths that are the service's own. */
const reservedPaths: ReadonlyMap<string, string> = new Map([
  ["searches", "searches in a body are sent there"],
  ["batch", "batches over all collections are sent there"],
  ["batches", "the jobs of batches are there"],
]);

const jobPaths: ReadonlyMap<string, string> = new Map([
  ["exports", "exports that are done as jobs are there"],
  ["imports", "imports that are done as jobs are there"],
]);

const webhookPaths: ReadonlyMap<string, string> = new Map([
  ["webhooks", "webhooks are registered there"],
  ["jobs", "jobs are there"],
]);

const uploadPaths: ReadonlyMap<string, string> = new Map([
  ["uploads", "files come in there"],
  ["files", "files that have come in are there"],
]);

/**
 * Refuses what cannot work together, before anything is made of it.
 *
 * @throws {ConfigurationError}
 */
export function checkOptions(options: ServiceOptions): void {
  const { resources, probes = {}, auth = [], baseUrl } = options;
  if (baseUrl !== undefined && !/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : "")) {
    throw new ConfigurationError(`"baseUrl" must be an http or https URL; got "${baseUrl}".`);
  }
  checkVerifiers(auth);
  const byName = new Map<string, Resource>();
  for (const resource of resources) {
    const use = useOf(resource.name, options);
    if (use !== undefined) throw new ConfigurationError(`No resource can be called "${resource.name}": ${use}.`);
    if (byName.has(resource.name)) throw new ConfigurationError(`Two resources are called "${resource.name}".`);
    byName.set(resource.name, resource);
  }
  const forms = formNames(options.uploads?.forms ?? {});
  for (const form of forms) checkForm(form, options, byName);
  checkProbes(probes, new Set([...byName.keys(), ...forms]));
  for (const resource of resources) checkRelations(resource, byName);
}

/** What a first segment stands for already; `undefined` where it is free. */
function useOf(name: string, { webhooks, jobs, storage, uploads }: ServiceOptions): string | undefined {
  const ofJobs = jobs === false || storage.jobs === undefined ? undefined : jobPaths.get(name);
  const ofWebhooks = webhooks === undefined ? undefined : webhookPaths.get(name);
  const ofUploads = uploads === undefined ? undefined : uploadPaths.get(name);
  return reservedPaths.get(name) ?? ofJobs ?? ofWebhooks ?? ofUploads;
}

function formNames(forms: unknown): readonly string[] {
  if (typeof forms === "object" && forms !== null && !Array.isArray(forms)) return Object.keys(forms);
  throw new ConfigurationError(`"uploads.forms" must be an object with forms by their names; got ${shown(forms)}.`);
}

function checkForm(name: string, options: ServiceOptions, resources: ReadonlyMap<string, Resource>): void {
  if (!collectionName.test(name)) throw new ConfigurationError(`"${name}" cannot name a form: letters, digits, "-" and "_" only.`);
  const use = resources.has(name) ? "a resource is called so" : useOf(name, options);
  if (use !== undefined) throw new ConfigurationError(`No form can be called "${name}": ${use}.`);
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
    if (names.has(path.slice(1))) throw new ConfigurationError(`"${path}" is a resource's path, or a form's.`);
  }
}

function checkRelations(resource: Resource, resources: ReadonlyMap<string, Resource>): void {
  for (const [name, relation] of resource.relations) {
    const { collection, foreignKey } = relation;
    const where = `${resource.name}: the relation "${name}"`;
    const other = resources.get(collection);
    if (other === undefined) throw new ConfigurationError(`${where} names "${collection}", which is no resource.`);
    const [holder, target] = relation.kind === "belongsTo" ? [resource, other] : [other, resource];
    const key = holder.fields.get(foreignKey);
    if (key === undefined) throw new ConfigurationError(`${where} names "${foreignKey}", which is no field of "${holder.name}".`);
    if (columnKind(key) !== columnKind(target.id)) {
      throw new ConfigurationError(`${where}: "${foreignKey}" cannot hold an id of "${target.name}": their types differ.`);
    }
  }
}
