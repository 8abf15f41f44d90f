import type { Principal } from "../../../parts/auth/verifier.js";
import type { RequestCount } from "../answers/requestCount.js";
import type { Way } from "../context.js";
import type { Environment } from "../environment.js";
import type { Scopes } from "../rules/scopes.js";
import type { ShownRows } from "../rules/shownRows.js";
import type { RunningJob } from "../work/runningJob.js";

/** What an internal request inherits from the request that caused it: an operation of a batch, or a request that continues as a job. */
export interface Inherited {
  readonly principal: Principal;
  /** The environment of the shared transaction, or that of the service. */
  readonly environment: Environment;
  /** Id of the operation, if it runs under an Idempotency-Key. */
  readonly operationId: string | undefined;
  /** Names the operation in each attempt of the batch that contains it. */
  readonly itemId?: string | undefined;
  /** How the writes of the request come about. */
  readonly way?: Way | undefined;
  /** Whether the causing request has an Idempotency-Key. */
  readonly isKeyed: boolean;
  /** Collects the rows that the answer shows. */
  readonly shown?: ShownRows | undefined;
  /** Counts the request against the rate limits of its caller. */
  readonly count?: RequestCount | undefined;
  /** The scopes and stamps of the request, if they were asked before the transaction that contains it. If absent, the request asks them itself. */
  readonly scopes?: Scopes | undefined;
  /** The job that runs the request. */
  readonly job?: RunningJob | undefined;
}
