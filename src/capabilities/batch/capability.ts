import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import { environmentIn } from "../../engine/operation/answers/apiVersion.js";
import type { Operation } from "../../engine/operation/operation.js";
import type { Route } from "../../engine/operation/route.js";
import { RenewedPrincipal } from "../../engine/operation/work/renewedPrincipal.js";
import type { RunningJob } from "../../engine/operation/work/runningJob.js";
import type { ActionBatches } from "../../engine/resource/batchedAction.js";
import type { OperationName } from "../../engine/resource/options.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import type { Limits } from "../../ground/limits/limits.js";
import { flag, oneOf, optionsCheck, strict } from "../../ground/options/index.js";
import type { JobEnd } from "../../ground/storage/queue/jobs.js";
import type { JobKind } from "../jobs/kind.js";
import { jobOperations } from "../jobs/operations.js";
import { describeResults } from "../jobs/results.js";
import { type JobSettings, jobsOf } from "../jobs/settings.js";
import { openRequest } from "../jobs/submit/sealedRequest.js";
import { principalOf, restoreRequest } from "../jobs/submit/storedRequest.js";
import { dispatcherOf } from "./execute/dispatcher.js";
import { shownResults } from "./execute/results/resultRights.js";
import { publicEntry } from "./execute/results/storedResult.js";
import { batchJobs } from "./execute/submitBatch.js";
import { batchActionOperation } from "./plan/actionBatch.js";
import { batchCreateOperation, batchRemoveOperation, batchUpdateOperation } from "./plan/collectionBatches.js";
import { bulkUpdateOperation, removeManyOperation } from "./plan/filteredBatches.js";
import { heterogeneousOperation, type RowIds } from "./plan/heterogeneous.js";
import type { BatchRules } from "./plan/rules.js";

/** How batches are executed, unless a collection has its own options. */
export interface BatchOptions {
  /** `best-effort` (default): items fail separately; `atomic`: all items commit, or none. */
  readonly mode?: "best-effort" | "atomic" | undefined;
  /** Whether clients may choose the other mode with `Prefer: handling`. Defaults to `true`. */
  readonly clientMode?: boolean | undefined;
}

const checkBatchOptions = /* @__PURE__ */ optionsCheck("batch", () =>
  strict<BatchOptions>({ mode: oneOf("best-effort", "atomic"), clientMode: flag() }),
);

const entriesPerPage = 1_000;

/**
 * Adds batches: many rows of a collection at `/users/batch`, rows by a filter at `/users/bulk-update` and DELETE of `/users`, and mixed operations at `/batch`.
 * If the service also uses `jobs()`, a batch that exceeds its time continues as a job at `/batches/{id}`.
 *
 * @throws {ConfigurationError} for an unknown option or an invalid value
 * @example
 * createService({ resources, storage, use: [batch({ mode: "atomic" })] });
 */
export function batch(options: BatchOptions = {}): Capability {
  checkBatchOptions(options);
  const rules: BatchRules = { mode: options.mode ?? "best-effort", clientMode: options.clientMode ?? true };
  return {
    name: "batch",
    after: ["jobs"],
    paths: { batch: "batches over all collections are sent there", batches: "the jobs of batches are there" },
    resourceOptions: ["batch"],
    open: (host) => openBatch(rules, host),
  };
}

function openBatch(rules: BatchRules, host: Host): OpenCapability {
  const { environment, resources } = host;
  const { limits } = environment;
  const ids: RowIds = new Map([...resources.values()].map(({ name, resource }) => [name, resource]));
  const jobs = jobsOf(environment);
  jobs?.handle({ type: batchJobs.type, run: (job, call) => runStoredRequest(host, { job, call }) });
  return {
    offers: { ...rules, actionOperation: (resource, action) => batchActionOperation(resource, action, limits) } satisfies BatchRules & ActionBatches,
    routes: [
      { segments: ["batch"], operations: [heterogeneousOperation(dispatcherOf(host), ids, limits)] },
      ...(jobs === undefined ? [] : jobOperations(kindOf(jobs, host))),
    ],
    describes: async () => ({ describe: (await import("./description/describeBatch.js")).describeBatch }),
    routesFor: (linked) => [...linked.values()].flatMap((each) => collectionRoutes(each, limits)),
  };
}

function collectionRoutes(linked: LinkedResource, limits: Limits): readonly Route[] {
  const { resource, name } = linked;
  const items = [
    ...may(linked, "create", () => batchCreateOperation(resource, limits)),
    ...may(linked, "update", () => batchUpdateOperation(resource, limits)),
  ];
  const routes: readonly Route[] = [
    { segments: [name], operations: may(linked, "remove", () => removeManyOperation(linked, limits)) },
    { segments: [name, "batch"], operations: items },
    { segments: [name, "batch-delete"], operations: may(linked, "remove", () => batchRemoveOperation(resource, limits)) },
    { segments: [name, "bulk-update"], operations: may(linked, "update", () => bulkUpdateOperation(linked, limits)) },
  ];
  return routes.filter(({ operations }) => operations.length > 0);
}

function may({ resource }: LinkedResource, name: OperationName, make: () => Operation): readonly Operation[] {
  return resource.batch?.none || !resource.operations.has(name) ? [] : [make()];
}

function kindOf(settings: JobSettings, { environment, resources, resourcesIn }: Host): JobKind {
  const kind: JobKind = { ...batchJobs, settings, entriesPerPage, describe: (state, entries) => describeResults(state, entries.map(publicEntry)) };
  const isGuarded = [...resources.values()].some(({ fields }) => [...fields.values()].some(({ access }) => access?.read !== undefined));
  if (environment.rules === undefined && environment.authorize === undefined && !isGuarded) return kind;
  return { ...kind, shown: (entries, context) => shownResults(entries, context, resourcesIn) };
}

/** The stored request is sent through the pipeline again for its principal, so that permissions are evaluated again. */
async function runStoredRequest(host: Host, { job, call }: Pick<RunningJob, "job" | "call">): Promise<JobEnd> {
  const stored = await openRequest(host.environment, job);
  const request = await restoreRequest(stored, call.signal);
  const principal = new RenewedPrincipal(host.environment, principalOf(stored));
  await host.run(request, stored.requestId, {
    principal: await principal.current(),
    environment: environmentIn(host.environment, stored.version),
    operationId: stored.operationId ?? job.id,
    isKeyed: stored.operationId !== undefined,
    job: { job, call, principal },
  });
  return { status: "completed" };
}
