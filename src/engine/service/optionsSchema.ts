import type { z } from "zod";
import { limitsSchema } from "../../ground/limits/limitsSchema.js";
import {
  callable,
  clock,
  either,
  flag,
  having,
  listOf,
  oneOf,
  optionsCheck,
  orFalse,
  passing,
  type Shape,
  strict,
  text,
  texts,
  timers,
  whole,
} from "../../ground/options/index.js";
import type { PrincipalOptions } from "../operation/principals.js";
import type { IdempotencyOptions, ListOptions, ServiceOptions } from "./options.js";
import { parseClientVersion } from "./pipeline/clientVersion.js";
import type { ProbePaths } from "./probes.js";

/** Rejects unknown option names and values of a wrong type in the options of `createService`. @throws {ConfigurationError} */
export const checkServiceOptions = /* @__PURE__ */ optionsCheck("createService", () =>
  strict<ServiceOptions>(serviceShape(), ["resources", "storage"]),
);

/** The schemas of the options. */
export function serviceShape(): Shape<ServiceOptions> {
  return {
    resources: listOf(passing("a resource made by defineResource", isResource), "an array of resources"),
    storage: having("a Storage, such as memoryStorage()", "collection"),
    use: listOf(passing(`a capability, such as batch() of "restwright/batch"`, isCapability), "an array of capabilities"),
    wakeups: either("wake-ups or false", oneOf(false), having("", "send", "listen")),
    auth: listOf(having("a verifier, such as bearer(…)", "challenge", "verify"), "an array of verifiers"),
    anonymous: oneOf("refuse", "allow"),
    authorize: callable(),
    principals: principalsSchema(),
    tenant: callable(),
    trustMethodOverride: callable(),
    minimumClientVersion: passing("a version such as 2.3.0", (value) => typeof value === "string" && parseClientVersion(value) !== undefined),
    trustedHops: whole(0, 16),
    limits: limitsSchema(),
    logger: either("a logger, such as pino(), or false", oneOf(false), having("a logger", "error", "warn", "info", "debug")),
    notFound: oneOf("continue", "problem"),
    baseUrl: passing("an http or https URL", isWebUrl),
    problemDocs: text("the address of a page"),
    probes: strict<ProbePaths>({ health: text("a path"), ready: text("a path") }),
    lists: listSchema(),
    idempotency: orFalse(idempotencySchema()),
    secrets: texts(),
    onError: callable(),
    onResponse: callable(),
    clock: clock(),
    random: callable(),
    ids: having("a source of ids, with uuid and ulid", "uuid", "ulid"),
    timers: timers(),
  };
}

function isResource(value: unknown): boolean {
  return typeof value === "object" && value !== null && "queryTable" in value && "model" in value;
}

function isCapability(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "open" in value &&
    typeof value.open === "function"
  );
}

function isWebUrl(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

function listSchema(): z.ZodType {
  return strict<ListOptions>({
    ignoreParameters: texts(),
    overflow: oneOf("refuse", "clamp"),
    timeZone: text(),
    envelope: oneOf("data", "none"),
  });
}

function idempotencySchema(): z.ZodType {
  return strict<IdempotencyOptions>({
    store: having("a store of idempotency records, such as memoryIdempotency()", "begin"),
    leaseMs: whole(1),
    ttlMs: whole(1),
    waitMs: whole(0),
    failOpen: flag(),
    storeServerErrors: flag(),
    maxStoredBytes: whole(0),
    anonymous: oneOf("shared", "refuse"),
  });
}

function principalsSchema(): z.ZodType {
  return strict<PrincipalOptions>({ reload: either("a function, or false", oneOf(false), callable()) }, ["reload"]);
}
