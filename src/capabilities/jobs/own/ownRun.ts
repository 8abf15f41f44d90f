import type { CallExecutor } from "../../../engine/calls/callExecutor.js";
import { type RowCalls, rowCalls } from "../../../engine/calls/callerCollections.js";
import type { Environment } from "../../../engine/operation/environment.js";
import { RenewedPrincipal } from "../../../engine/operation/work/renewedPrincipal.js";
import type { JobCall } from "../../../engine/operation/work/runningJob.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { ClaimedJob, JobProgress, JobStore } from "../../../ground/storage/queue/jobs.js";
import type { Principal } from "../../../parts/auth/verifier.js";
import { jobsWithin } from "../submit/jobsWithin.js";
import type { OwnInput } from "./compile.js";
import type { Checkpoint, JobRun, JobShop, JobTransaction } from "./definition.js";

/** At most so often is progress stored that is no checkpoint, in milliseconds. */
const progressEveryMs = 1_000;
const checkpointCharacters = 65_536;

/** What a handler gets, and what of it is stored. */
export class OwnRun implements JobRun {
  readonly input: unknown;
  // Handlers take these apart, so they are no methods.
  readonly checkpoint: Checkpoint;
  readonly shop: JobShop;
  readonly tx: JobRun["tx"];
  readonly progress: JobRun["progress"];
  readonly #job: ClaimedJob;
  readonly #call: JobCall;
  readonly #environment: Environment;
  readonly #calls: RowCalls;
  readonly #renewed: RenewedPrincipal | undefined;
  #principal: Principal | undefined;
  #collections: JobShop | undefined;
  #progress: JobProgress;
  #position: unknown;
  #storedMs: number;
  #isStored = true;

  /** @param stored the input of the job as it is stored @param input what its schema makes of it */
  constructor(environment: Environment, job: ClaimedJob, call: JobCall, stored: OwnInput, input: unknown) {
    const calls = environment.offers.get(rowCalls);
    if (calls === undefined) throw new Error("The calls of the service are not made yet.");
    const { processed, total, counts, cursor } = job;
    this.input = input;
    this.#job = job;
    this.#call = call;
    this.#environment = environment;
    this.#calls = calls;
    this.#renewed = stored.principal && new RenewedPrincipal(environment, stored.principal);
    this.#progress = { processed, total, counts };
    this.#position = cursor;
    this.#storedMs = environment.clock.now() - progressEveryMs;
    this.checkpoint = checkpointOf(
      (value, write) => this.#reach(value, write),
      () => this.#position,
    );
    this.tx = (run) => this.#transact(run, (jobs) => this.#store(jobs));
    this.shop = { of: (resource) => this.#current().of(resource), transaction: this.tx };
    this.progress = (done, total) => this.#show(done, total);
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get attempt(): number {
    return this.#job.attempts + 1;
  }

  get principal(): Principal | undefined {
    return this.#principal;
  }

  async #show(done: number, total: number | undefined): Promise<void> {
    for (const [name, value] of Object.entries({ done, ...(total !== undefined && { total }) })) {
      if (!Number.isSafeInteger(value) || value < 0)
        throw new ConfigurationError(`progress: "${name}" must be a whole number of at least 0; got ${value}.`);
    }
    this.#progress = { ...this.#progress, processed: done, total: total ?? null };
    this.#isStored = false;
    await this.renew();
    if (this.#environment.clock.now() - this.#storedMs >= progressEveryMs) await this.#store(jobsWithin(this.#environment.storage));
  }

  /** Stores the progress that was shown last. */
  async storeProgress(): Promise<void> {
    if (!this.#isStored) await this.#store(jobsWithin(this.#environment.storage));
  }

  /** Asks for the principal again, at most once a minute. @throws {ProblemError} FORBIDDEN if it no longer exists */
  async renew(): Promise<void> {
    const principal = await this.#renewed?.current();
    if (principal !== this.#principal) this.#collections = undefined;
    this.#principal = principal;
  }

  async #reach(value: unknown, write: ((tx: JobTransaction) => Promise<unknown>) | undefined): Promise<void> {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined || text.length > checkpointCharacters) {
      const found = text === undefined ? "what JSON does not have" : `${text.length} characters`;
      throw new ConfigurationError(`checkpoint: a position must be a JSON value of at most ${checkpointCharacters} characters; got ${found}.`);
    }
    const position: unknown = JSON.parse(text);
    const store = (jobs: JobStore) => this.#store(jobs, { position });
    if (write === undefined) {
      await this.renew();
      await store(jobsWithin(this.#environment.storage));
    } else {
      await this.#transact(write, store);
    }
    this.#position = position;
  }

  /**
   * Stores progress, and a position if it is a new one. Otherwise that of the store stays: a checkpoint may be under way, and a job that fails at the same place again must not begin its attempts
   * anew.
   */
  async #store(jobs: JobStore, cursor?: { readonly position: unknown }): Promise<void> {
    const isNew = cursor !== undefined && JSON.stringify(cursor.position) !== JSON.stringify(this.#position);
    this.#storedMs = this.#environment.clock.now();
    this.#isStored = true;
    await this.#call.advance(jobs, { ...this.#progress, cursor: cursor?.position, ...(!isNew && { keepsPosition: true }) });
  }

  /** Runs calls in one transaction that ends with a call of the store of jobs: all of it commits, or nothing. */
  async #transact<Result>(run: (tx: JobTransaction) => Promise<Result>, last: (jobs: JobStore) => Promise<void>): Promise<Result> {
    await this.renew();
    return this.#collectionsOver(this.#endingWith(last)).transaction(run);
  }

  /** With the rights of now. */
  #current(): JobShop {
    this.#collections ??= this.#collectionsOver(this.#calls.executor);
    return this.#collections;
  }

  #collectionsOver(executor: CallExecutor): JobShop {
    const { factory } = this.#calls;
    const collections = this.#principal === undefined ? factory.asSystem(executor, this.#job.tenant) : factory.as(executor, this.#principal);
    // The calls of the collections are made by their names, which only the types know.
    return collections as unknown as JobShop;
  }

  #endingWith(last: (jobs: JobStore) => Promise<void>): CallExecutor {
    const { executor } = this.#calls;
    return {
      ...executor,
      transaction: (caller, run, options) =>
        executor.transaction(
          caller,
          async (inner, scopes) => {
            const result = await run(inner, scopes);
            await last(jobsWithin(inner.use().storage));
            return result;
          },
          options,
        ),
    };
  }
}

function checkpointOf(
  reach: (value: unknown, write?: (tx: JobTransaction) => Promise<unknown>) => Promise<void>,
  position: () => unknown,
): Checkpoint {
  return Object.defineProperty(reach, "value", { get: position, enumerable: true }) as Checkpoint;
}
