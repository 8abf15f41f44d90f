import { systemClock } from "../../ground/clock/clock.js";
import { systemTimers } from "../../ground/http/timers.js";
import { type Limits, resolveLimits } from "../../ground/limits/limits.js";
import { loadedBefore } from "../../ground/onDemand/onDemand.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Collection } from "../../ground/storage/collection.js";
import { complete } from "../../ground/storage/completed/complete.js";
import { ignoring, querySettings } from "../../language/query/settings.js";
import { daysOf } from "../../language/query/values/day.js";
import type { Environment, ListSettings } from "../operation/environment.js";
import { systemIds } from "../operation/ids/ids.js";
import { silentLogger } from "../operation/logging/logger.js";
import { safeLogger } from "../operation/logging/safeLogger.js";
import { stderrLogger } from "../operation/logging/stderrLogger.js";
import type { Offers } from "../operation/offers.js";
import { pooledRandom } from "../operation/random.js";
import { loadScoping } from "../operation/rules/onDemand.js";
import { runTransaction } from "../operation/transaction/runTransaction.js";
import { RetryingRows } from "../operation/work/retry.js";
import type { RowEvents } from "../operation/write/rowEvents.js";
import type { RowHooks } from "../operation/write/rowHooks.js";
import { idempotencySettings } from "./idempotencySettings.js";
import type { ServiceOptions } from "./options.js";
import { referencesOf } from "./references.js";
import type { RuleLimit } from "./ruleLimit.js";
import { rulesOf } from "./rules.js";
import type { Start } from "./start.js";

/** What a service takes from the system: time, chance, ids and a log. */
export type SystemParts = Pick<Environment, "clock" | "random" | "timers" | "ids" | "logger">;

/** Takes the system from the options, with the system's functions as defaults. */
export function systemParts(options: ServiceOptions): SystemParts {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? pooledRandom();
  return {
    clock,
    random,
    timers: options.timers ?? systemTimers,
    ids: options.ids ?? systemIds(clock, random),
    logger: options.logger === false ? silentLogger : safeLogger(options.logger ?? stderrLogger(clock)),
  };
}

/** The parts of the service that an environment uses. */
export interface EnvironmentParts {
  readonly start: Start;
  readonly offers: Offers;
  /** Available after the capabilities are open. */
  readonly rowEvents: () => RowEvents | undefined;
  /** As above. */
  readonly rowHooks: () => RowHooks | undefined;
  /** Filled after the capabilities are open. */
  readonly versions: Environment["versions"];
  readonly fixedSegments: Environment["fixedSegments"];
  /** Limits the time of the rules of a collection. */
  readonly limitRules: RuleLimit["rules"];
}

/** @throws {ConfigurationError} for options that cannot work */
export function createEnvironment(
  options: ServiceOptions,
  system: SystemParts,
  { start, offers, rowEvents, rowHooks, versions, fixedSegments, limitRules }: EnvironmentParts,
): Environment {
  const { clock } = system;
  const limits = resolveLimits(options.limits);
  const rules = rulesOf(options, limitRules);
  const models = new Map(options.resources.map(({ name, model }) => [name, model]));
  const schemaRows = rowsOf(options, system);
  const transacting = { ...system, storage: options.storage, observeCommit: () => rowEvents()?.observeCommit?.() };
  return {
    ...system,
    limits,
    lists: listSettings(options, limits),
    get secrets() {
      return start.secrets;
    },
    verifiers: options.auth ?? [],
    wakeups: (options.wakeups ?? options.storage.wakeups) || undefined,
    anonymousAllowed: !options.auth?.length || options.anonymous === "allow",
    authorize: options.authorize,
    principals: options.principals,
    baseUrl: options.baseUrl?.replace(/\/+$/, ""),
    trustedHops: options.trustedHops ?? 0,
    problemDocs: options.problemDocs,
    onError: options.onError,
    idempotency: idempotencySettings(options, clock),
    versions,
    fixedSegments,
    storage: options.storage,
    offers,
    models,
    get events() {
      return rowEvents();
    },
    get hooks() {
      return rowHooks();
    },
    references: referencesOf(options, system),
    transaction: (run, chosen) => runTransaction(transacting, run, chosen),
    rules,
    scopesOf: (principal) => rules && new (loadedBefore(loadScoping()).Scopes)(rules, principal),
    collection: schemaRows,
    schemaRows,
  };
}

/** The rows of the storage, by collection; what is refused for a moment is tried again. */
function rowsOf({ resources, storage }: ServiceOptions, { timers, random }: SystemParts): Environment["schemaRows"] {
  const collections = new Map<string, Required<Collection>>(
    resources.map(({ name, model }) => [name, new RetryingRows(complete(storage.collection(model), model.id), { timers, random })]),
  );
  return (name) => {
    const collection = collections.get(name);
    if (collection === undefined) throw new ConfigurationError(`There is no collection "${name}".`);
    return collection;
  };
}

/**
 * Resolves the settings of lists with their defaults.
 *
 * @throws {ConfigurationError} for an unknown time zone or a pattern that would ignore every parameter
 */
function listSettings({ lists = {}, auth = [] }: Pick<ServiceOptions, "lists" | "auth">, limits: Limits): ListSettings {
  const { ignoreParameters = [], overflow = "refuse", timeZone = "UTC", envelope = "data" } = lists;
  const credentials = auth.flatMap(({ parameters = [] }) => parameters);
  const ignores = ignoring([...ignoreParameters, ...credentials]);
  return { isCredential: ignoring(credentials), query: querySettings(limits, { readDay: daysOf(timeZone), overflow, ignores }), envelope };
}
