import type { Host } from "../../../engine/capability/host.js";
import { afterCommit } from "../../../engine/operation/transaction/afterCommit.js";
import { errorOfWrite } from "../../../engine/operation/transaction/outcomeUnknown.js";
import type { EnqueuedJob, EnqueueOptions } from "../../../engine/operation/work/enqueuing.js";
import { retrying } from "../../../engine/operation/work/retry.js";
import { optionsCheck, passing, strict } from "../../../ground/options/index.js";
import { ConfigurationError, ProblemError } from "../../../ground/problem/index.js";
import { quoteValue } from "../../../ground/problem/quote.js";
import { Retryable } from "../../../ground/storage/errors.js";
import { requireOutside } from "../../../ground/storage/insideTransaction.js";
import type { JobStore, NewJob } from "../../../ground/storage/queue/jobs.js";
import type { Storage } from "../../../ground/storage/storage.js";
import { isStorable } from "../../../ground/storage/values/isStorable.js";
import { checkedPrincipal } from "../../../parts/auth/checkedPrincipal.js";
import type { JobSettings } from "../settings.js";
import { jobsWithin } from "../submit/jobsWithin.js";
import { type CompiledJob, type OwnInput, systemOwner } from "./compile.js";

const keyCharacters = 200;

const checkEnqueue = /* @__PURE__ */ optionsCheck("enqueue", () =>
  strict<EnqueueOptions>({
    at: passing("a Date", (value) => value instanceof Date && !Number.isNaN(value.getTime())),
    key: passing(`a text of 1 to ${keyCharacters} characters that stores can keep`, (value) => isName(value) && value.length <= keyCharacters),
    tenant: passing("a text that is not empty", isName),
    principal: passing("a principal", (value) => typeof value === "object" && value !== null),
  }),
);

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && isStorable(value);
}

/** What is needed to create jobs of handlers. */
export interface EnqueueParts {
  readonly settings: Pick<JobSettings, "store" | "wake" | "trace">;
  readonly host: Pick<Host, "environment" | "isClosing" | "started">;
  readonly handlers: ReadonlyMap<string, CompiledJob>;
}

/** Creates a job by itself. */
export async function enqueueAlone(parts: EnqueueParts, name: string, input: unknown, options?: EnqueueOptions): Promise<EnqueuedJob> {
  const { settings, host } = parts;
  const { environment } = host;
  // The storage may have one writer, which waits for the transaction that this is called in.
  requireOutside(environment.models, '"tx.jobs.enqueue"');
  if (host.isClosing) throw new ProblemError("SHUTTING_DOWN", "The service is shutting down.");
  await host.started();
  const job = await newJob(parts, { name, input, options, tenant: undefined });
  const id = await retrying(() => insertJob(settings.store, job), environment).catch((error: unknown) => {
    throw errorOfWrite(error);
  });
  settings.wake();
  return { id };
}

/** Creates a job in a transaction, with which it commits. */
export async function enqueueWithin(parts: EnqueueParts, { tx, ...given }: { readonly tx: Storage } & GivenJob): Promise<EnqueuedJob> {
  const job = await newJob(parts, given);
  const id = await insertJob(jobsWithin(tx), job);
  afterCommit(tx, () => parts.settings.wake());
  return { id };
}

/** A job as the developer gives it. */
interface GivenJob {
  readonly name: string;
  readonly input: unknown;
  readonly options: EnqueueOptions | undefined;
  /** Of the transaction. */
  readonly tenant: string | undefined;
}

async function newJob({ settings, host, handlers }: EnqueueParts, given: GivenJob): Promise<NewJob> {
  const { name, options = {} } = given;
  checkEnqueue(options);
  const handler = handlers.get(name);
  if (handler === undefined) {
    const known = [...handlers.keys()].join(", ");
    throw new ConfigurationError(`enqueue: there is no handler ${quoteValue(name)}; jobs() has ${known === "" ? "none" : known}.`);
  }
  const { at, key, principal } = options;
  if ((at !== undefined || key !== undefined) && settings.store.withKey === undefined) {
    const { name: storage } = host.environment.storage;
    throw new ConfigurationError(`enqueue: the storage "${storage}" keeps neither keys nor times of jobs, which "key" and "at" need.`);
  }
  const input: OwnInput = { input: await handler.stored(given.input), principal: principal && checkedPrincipal(principal, '"principal"') };
  return {
    id: host.environment.ids.ulid(),
    type: name,
    tenant: tenantOf(given),
    owner: principal?.id ?? systemOwner,
    input,
    ...{ dueAt: at, key, trace: settings.trace?.() },
  };
}

/** @throws {ConfigurationError} if the principal is of another tenant */
function tenantOf({ options: { tenant, principal } = {}, tenant: ofTransaction }: GivenJob): string | undefined {
  if (principal === undefined) return tenant ?? ofTransaction;
  if (tenant === undefined || tenant === principal.tenant) return principal.tenant;
  throw new ConfigurationError(
    `enqueue: the principal is of ${principal.tenant === undefined ? "no tenant" : "another tenant"}; leave "tenant" out.`,
  );
}

const maxTries = 3;

/** @returns the id of the job, or of the one that has its key */
async function insertJob(jobs: JobStore, job: NewJob): Promise<string> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    // Without a key its id is taken: by the same call, whose answer was lost.
    if ((await jobs.create(job)) || job.key === undefined) return job.id;
    const holder = await jobs.withKey?.(job.type, job.tenant, job.key);
    // Otherwise that job has just ended.
    if (holder !== undefined) return holder;
  }
  throw new Retryable("A job with the same key keeps ending and beginning. Run the same transaction again.", { isConflict: true });
}
