import type { z } from "zod";
import type { RuleTransaction } from "../../../engine/resource/callTypes/ruleTransaction.js";
import type { Calls } from "../../../engine/resource/callTypes/types.js";
import type { Resource } from "../../../engine/resource/resource.js";
import { callable, optionsCheck, passing, strict } from "../../../ground/options/index.js";
import type { Principal } from "../../../parts/auth/verifier.js";

/** Calls of the service from a job, with the rights that it has now. */
export interface JobShop {
  /** The calls of a collection. What they write commits at once, also if another worker has taken over the job meanwhile. @throws {ConfigurationError} for one of another service */
  of<R extends Resource>(resource: R): Calls<R>;
  /** As `tx` of the job. */
  transaction<Result>(run: (tx: JobTransaction) => Promise<Result>): Promise<Result>;
}

/** A transaction of a job. */
export type JobTransaction = RuleTransaction<"principal" | "system">;

/** Where a job was. */
export interface Checkpoint {
  /**
   * Stores a position, as JSON of at most 64 KiB, so that the next attempt begins there. What `write` writes commits with it, or neither does.
   *
   * @throws {LeaseLost} if another worker has taken over the job: nothing is stored, and the function should end
   * @example
   * await checkpoint({ after: last.id }, async (tx) => { for (const row of rows) await tx.of(invoices).create(row); });
   */
  (value: unknown, write?: (tx: JobTransaction) => Promise<unknown>): Promise<void>;
  /** The position that was stored last, also by an earlier attempt; `undefined` at the beginning. */
  readonly value: unknown;
}

/** What a handler gets for one attempt. */
export interface JobRun<Input = unknown> {
  readonly input: Input;
  /** Aborted when the job is canceled, when another worker takes it over, and when the service closes. */
  readonly signal: AbortSignal;
  /** 1 for the first. A checkpoint with another position begins again with 1. */
  readonly attempt: number;
  /** As it is now; `undefined` for a job of the system. */
  readonly principal: Principal | undefined;
  readonly checkpoint: Checkpoint;
  readonly shop: JobShop;
  /**
   * Runs calls in one transaction, which commits only if this worker still holds the job.
   *
   * @throws {LeaseLost} if another worker has taken it over: nothing is committed
   */
  tx<Result>(run: (tx: JobTransaction) => Promise<Result>): Promise<Result>;
  /**
   * Shows how far the job is. It is stored at most once a second, with the next checkpoint and at the end. It stores no position: the next attempt begins at the last checkpoint, and a failed attempt counts however far it was.
   *
   * @param total `undefined` while it is unknown
   */
  progress(done: number, total?: number): Promise<void>;
}

/** A kind of job of the developer's. */
export interface JobDefinition<S extends z.ZodType = z.ZodType> {
  /** A zod object. Its values are kept as JSON until the job runs: dates and 64-bit integers as text. Without it the job has no input. */
  readonly input?: S | undefined;
  /**
   * Does the work; what it returns is the result of the job, as JSON. An error is logged, and the job is tried again, at most five times in a row without a new position. A
   * {@link ProblemError} below 500 ends it as failed.
   */
  run(call: JobRun<z.output<S>>): unknown;
}

export const checkJob = /* @__PURE__ */ optionsCheck("job", () =>
  strict<JobDefinition>({ input: passing("a zod object", (value) => typeof Object(value).safeParse === "function"), run: callable() }, ["run"]),
);

/**
 * A kind of job of your own, for `handlers` of `jobs()`.
 *
 * @throws {ConfigurationError} for an unknown option or a wrong value
 * @example
 * jobs({ handlers: { nightly: job({ input: z.object({ day: z.iso.date() }), run: ({ input, shop }) => report(input.day, shop) }) } });
 */
export function job<S extends z.ZodType = z.ZodUndefined>(definition: JobDefinition<S>): JobDefinition<S> {
  checkJob(definition);
  return definition;
}

/** The kinds of jobs of a service, by name. */
export type JobDefinitions = Readonly<Record<string, JobDefinition>>;

/** What `enqueue` takes for a kind of job. */
export type JobInput<D> = D extends JobDefinition<infer S> ? z.input<S> : never;
