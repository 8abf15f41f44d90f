import { ConfigurationError } from "../../ground/problem/index.js";
import type { Verifier } from "../../parts/auth/verifier.js";
import type { Host } from "../capability/host.js";
import type { Environment } from "../operation/environment.js";
import type { Method } from "../operation/operation.js";
import { type LinkedResource, linkResources } from "../resource/relations/link.js";
import { generate, stamp } from "../resource/write/rowValues.js";
import { createEnvironment } from "./environment.js";
import { type Health, type Readiness, readinessOf } from "./health.js";
import { InFlight } from "./inFlight.js";
import { loadRequired } from "./loadRequired.js";
import { handle } from "./pipeline/handle.js";
import type { Pipeline } from "./pipeline/pipeline.js";
import type { ServicePlan } from "./plan.js";
import { probeRoutes } from "./probes.js";
import { Router } from "./router.js";
import { resourceRoutes } from "./routes.js";
import { type Start, startOnce } from "./start.js";

type LinkedResources = ReadonlyMap<string, LinkedResource>;

/** The opened parts of a service. */
export interface ServiceParts {
  readonly plan: ServicePlan;
  readonly start: Start;
  readonly environment: Environment;
  readonly inFlight: InFlight;
  readonly pipeline: Pipeline;
  readonly health: () => Health;
  readonly ready: () => Promise<Readiness>;
}

/**
 * Opens the parts of a service. They refer to each other: the environment asks the capabilities for events and hooks, which are opened with it, and their routes belong to the
 * pipeline, which runs requests for them. So each of them uses the later ones only when it is called.
 *
 * @throws {ConfigurationError} for options that cannot work together
 */
export function buildService(plan: ServicePlan): ServiceParts {
  const { options, capabilities, ruleLimit, system } = plan;
  const versions = new Map<string, Environment>();
  const start = startOnce(options, {
    load: () => loadRequired(environment, options.resources),
    async started() {
      for (const verifier of environment.verifiers) await verifier.start?.();
      await capabilities.start();
    },
  });
  const environment = createEnvironment(options, system, {
    start,
    offers: capabilities,
    rowEvents: () => capabilities.rowEvents,
    rowHooks: () => capabilities.rowHooks,
    versions,
    limitRules: ruleLimit.rules,
    fixedSegments: (collection) => pipeline.router.literalsBelow(collection),
  });
  const inFlight = new InFlight(environment.timers);
  const linked = linkResources(options.resources);
  capabilities.open(hostOf({ plan, start, environment, inFlight, linked }, () => pipeline));
  const { dependencies } = capabilities;
  const health = (): Health => ({ status: inFlight.closing ? "closing" : "ok" });
  const ready = readinessOf(options, { clock: environment.clock, timers: environment.timers, inFlight, start, dependencies });
  const probes = probeRoutes(options.probes ?? {}, health, ready, dependencies);
  const routerOf = (resources: LinkedResources) =>
    new Router(capabilities.adapt([...resourceRoutes(resources, environment), ...capabilities.routesFor(resources), ...probes], resources));
  const base = pipelineOf({ plan, start, environment }, routerOf(linked));
  const pipeline: Pipeline = { ...base, inVersion: pipelinesOf(plan, base, versions, routerOf) };
  capabilities.check(pipeline.router.routes);
  return { plan, start, environment, inFlight, pipeline, health, ready };
}

/** The pipelines of the versions, each made from that of the schemas. @param environments filled with theirs */
function pipelinesOf(
  { capabilities }: ServicePlan,
  base: Pipeline,
  environments: Map<string, Environment>,
  routerOf: (resources: LinkedResources) => Router,
): ReadonlyMap<string, Pipeline> {
  const pipelines = new Map<string, Pipeline>();
  for (const { name, resources, environment } of capabilities.versions?.others ?? []) {
    environments.set(name, environment);
    const all = [...resources.values()].map(({ resource }) => resource);
    pipelines.set(name, { ...base, environment, resources: all, router: routerOf(resources) });
  }
  return pipelines;
}

/** What the capabilities are opened with. @param pipeline used when requests run */
function hostOf(
  {
    plan,
    start,
    environment,
    inFlight,
    linked,
  }: Pick<ServiceParts, "plan" | "start" | "environment" | "inFlight"> & { readonly linked: LinkedResources },
  pipeline: () => Pipeline,
): Host {
  const { options, capabilities } = plan;
  return {
    environment,
    resources: linked,
    link: linkResources,
    resourcesIn: (version) => capabilities.versions?.others.find(({ name }) => name === version)?.resources ?? linked,
    hasOwnSecrets: options.secrets !== undefined,
    get isClosing() {
      return inFlight.closing;
    },
    started: () => start.run(),
    newRow(collection, values) {
      const resource = linked.get(collection)?.resource;
      if (resource === undefined) throw new ConfigurationError(`There is no collection "${collection}".`);
      const now = new Date(environment.clock.now());
      return { ...generate(resource, environment, now), ...values, ...stamp(environment, now) };
    },
    find(method, path) {
      const match = pipeline().router.match(path);
      return match && { endpoint: match.endpoint, operation: match.endpoint.operations.get(method as Method) };
    },
    run(request, requestId, inherited) {
      const served = pipeline().inVersion.get(inherited.environment.version?.name ?? "") ?? pipeline();
      return handle(served, request, { requestId, match: served.router.match(request.path), address: request.address }, inherited);
    },
  };
}

/** The pipeline of the schemas. */
function pipelineOf({ plan, start, environment }: Pick<ServiceParts, "plan" | "start" | "environment">, router: Router): Pipeline {
  const { options, capabilities, ruleLimit } = plan;
  const { idempotency } = options;
  return {
    environment,
    resources: options.resources,
    router,
    verify: ruleLimit.verify,
    start,
    openBody: environment.verifiers.find(({ openBody }) => openBody !== undefined)?.openBody,
    vary: varyOf(environment.verifiers, options.tenant !== undefined),
    anonymousKeys: idempotency === false || idempotency?.anonymous !== "refuse",
    ignoresKeys: idempotency === false,
    notFoundProblem: options.notFound === "problem",
    limitRate: capabilities.limitRate,
    crossOrigin: capabilities.crossOrigin,
    versions: capabilities.versions,
    inVersion: new Map(),
    options,
  };
}

/** The value of `Vary`: every header that can carry credentials, and that of the tenant. */
function varyOf(verifiers: readonly Verifier[], hasTenants: boolean): string | undefined {
  const names = new Set(verifiers.flatMap(({ headers = ["Authorization"] }) => headers));
  if (hasTenants) names.add("X-Tenant-ID");
  return names.size === 0 ? undefined : [...names].join(", ");
}
