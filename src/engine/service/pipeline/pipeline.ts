import type { ProblemError } from "../../../ground/problem/index.js";
import type { Verifier } from "../../../parts/auth/verifier.js";
import type { ApiVersions, CrossOrigin, OpenCapability } from "../../capability/capability.js";
import type { RequestCount } from "../../operation/answers/requestCount.js";
import type { Environment } from "../../operation/environment.js";
import type { Resource } from "../../resource/resource.js";
import type { ServiceOptions } from "../options.js";
import type { Match, Router } from "../router.js";
import type { RuleLimit } from "../ruleLimit.js";
import type { Start } from "../start.js";

/** The fixed parts that every request uses. */
export interface Pipeline {
  readonly environment: Environment;
  readonly router: Router;
  readonly resources: readonly Resource[];
  readonly start: Start;
  /** Whether callers without credentials may use an Idempotency-Key. */
  readonly anonymousKeys: boolean;
  /** The developer has disabled Idempotency-Keys. */
  readonly ignoresKeys: boolean;
  readonly verify: RuleLimit["verify"];
  /** Opens bodies for verifiers that check them; `undefined` if none does. */
  readonly openBody: Verifier["openBody"];
  /** Names of the headers that carry credentials; `undefined` if there are no verifiers. */
  readonly vary: string | undefined;
  readonly notFoundProblem: boolean;
  readonly limitRate: OpenCapability["limitRate"];
  readonly options: Partial<Pick<ServiceOptions, "tenant" | "trustMethodOverride" | "minimumClientVersion">>;
  /** Which pages of other origins may use the API; `undefined` if none may. */
  readonly crossOrigin: CrossOrigin | undefined;
  /** The versions of the API; `undefined` if there is only one. */
  readonly versions: ApiVersions | undefined;
  /** The pipelines of the versions in which rows differ from the schemas. */
  readonly inVersion: ReadonlyMap<string, Pipeline>;
}

/** What is known of a request when it arrives. */
export interface Arrival {
  readonly requestId: string;
  /** The destination; `undefined` for a path that the service does not serve. */
  readonly match: Match | undefined;
  /** The client's address. */
  readonly address?: string | undefined;
  readonly count?: RequestCount | undefined;
  /** Media types of JSON for the answer, if not `application/json`. */
  readonly json?: readonly string[] | undefined;
  /** The version that it asks for does not exist. */
  readonly refusal?: ProblemError | undefined;
}
