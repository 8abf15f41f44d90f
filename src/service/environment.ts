import { systemTimers } from "../http/timers.js";
import { resolveLimits } from "../limits/limits.js";
import { systemClock } from "../operation/clock.js";
import type { Environment } from "../operation/environment.js";
import { systemIds } from "../operation/ids.js";
import { silentLogger } from "../operation/logger.js";
import { pooledRandom } from "../operation/random.js";
import { retryingCollection } from "../operation/retry.js";
import { ConfigurationError } from "../problem/index.js";
import type { Collection } from "../storage/collection.js";
import { complete } from "../storage/complete.js";
import { idempotencySettings } from "./idempotencySettings.js";
import { listSettings } from "./listSettings.js";
import type { ServiceOptions } from "./options.js";
import type { Start } from "./start.js";
import type { WebhookWork } from "./webhooks.js";

/** What everything else is made with. */
export type Basis = Pick<Environment, "clock" | "random" | "timers" | "ids" | "logger">;

/** The basis that the options give, or the system. */
export function basisOf(options: ServiceOptions): Basis {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? pooledRandom();
  return {
    clock,
    random,
    timers: options.timers ?? systemTimers,
    ids: options.ids ?? systemIds(clock, random),
    logger: options.logger ?? silentLogger,
  };
}

/** What an environment takes from the other parts of its service. */
export interface EnvironmentParts {
  readonly start: Start;
  readonly jobs: Environment["jobs"];
  readonly hooks: WebhookWork | undefined;
}

/** @throws {ConfigurationError} for options that cannot work */
export function createEnvironment(options: ServiceOptions, basis: Basis, { start, jobs, hooks }: EnvironmentParts): Environment {
  const { clock, random, timers } = basis;
  const limits = resolveLimits(options.limits);
  const models = new Map(options.resources.map(({ name, model }) => [name, model]));
  const collections = new Map<string, Required<Collection>>(
    options.resources.map(({ name, model }) => {
      const collection = complete(options.storage.collection(model), model.id);
      return [name, retryingCollection(collection, { timers, random })];
    }),
  );
  return {
    ...basis,
    limits,
    lists: listSettings(options.lists, limits),
    get secrets() {
      return start.secrets;
    },
    verifiers: options.auth ?? [],
    authorize: options.authorize,
    baseUrl: options.baseUrl?.replace(/\/+$/, ""),
    problemDocs: options.problemDocs,
    onError: options.onError,
    idempotency: idempotencySettings(options, clock),
    storage: options.storage,
    batch: { mode: "best-effort", clientMode: true, ...given(options.batch) },
    jobs,
    models,
    events: hooks?.emission,
    blobs: options.blobs,
    async transaction(run) {
      if (options.storage.transaction === undefined) throw new ConfigurationError("The storage has no transactions.");
      const before = hooks?.emission.enqueued;
      const result = await options.storage.transaction(run);
      if (hooks?.emission.enqueued !== before) hooks?.settings.wake();
      return result;
    },
    collection(name) {
      const collection = collections.get(name);
      if (collection === undefined) throw new ConfigurationError(`There is no collection "${name}".`);
      return collection;
    },
  };
}

/** Options without those that only say `undefined`. */
function given(batch: ServiceOptions["batch"]): Partial<Environment["batch"]> {
  return batch ? Object.fromEntries(Object.entries(batch).filter(([, value]) => value !== undefined)) : {};
}
