import { type HttpRequest, type HttpResponse, type Principal, ProblemError } from "restwright";
import { acceptedJob } from "../../../src/capabilities/jobs/answer.js";
import type { JobKind } from "../../../src/capabilities/jobs/kind.js";
import { jobOperations } from "../../../src/capabilities/jobs/operations.js";
import { describeResults } from "../../../src/capabilities/jobs/results.js";
import type { JobSettings } from "../../../src/capabilities/jobs/settings.js";
import type { Context } from "../../../src/engine/operation/context.js";
import type { Environment } from "../../../src/engine/operation/environment.js";
import { Router } from "../../../src/engine/service/router.js";
import { RequestHeaders } from "../../../src/ground/http/headers/headers.js";
import { decodeSegment } from "../../../src/ground/http/target.js";
import { defaultLimits } from "../../../src/ground/limits/limits.js";
import { problemDocument } from "../../../src/ground/problem/index.js";
import type { ClaimedJob } from "../../../src/ground/storage/queue/jobs.js";
import { querySettings } from "../../../src/language/query/settings.js";
import { authRequestOf } from "../../../src/parts/auth/authRequest.js";
import { type Received, requestOf, type Sent } from "../../tools/client.js";
import { JobStage } from "./stage.js";

/** Who asks; the one who created the jobs unless said otherwise. */
export interface SentJob extends Sent {
  readonly as?: Principal;
}

/** The operations of batches on a store of jobs, without the rest of a service. */
export class OperationsStage extends JobStage {
  readonly settings: JobSettings;
  readonly kind: JobKind;
  readonly closing = new AbortController();
  readonly #router: Router;
  woken = 0;

  constructor(change: Partial<JobKind> = {}) {
    super();
    const isAdmin = (principal: Principal) => principal.scopes?.includes("admin") === true;
    const wake = () => {
      this.woken += 1;
    };
    this.settings = {
      ...{ store: this.store, isAdmin, wake, maxQueuedPerTenant: 3, closing: this.closing.signal, works: false },
      hasWriteOnly: () => false,
      requestTypes: () => ["test"],
      handle: () => {},
      show: () => {},
    };
    this.kind = { path: "batches", type: "test", settings: this.settings, entriesPerPage: 2, describe: describeResults, ...change };
    this.#router = new Router(jobOperations(this.kind));
  }

  send(sent: SentJob): Promise<Received> {
    return this.#received(() => this.answer(sent));
  }

  /** The answer as a host gets it. @param signal ends when the client goes away */
  answer({ as = { id: "ann" }, ...sent }: SentJob, signal?: AbortSignal): Promise<HttpResponse> {
    const request = requestOf(sent);
    const match = this.#router.match(request.path);
    const operation = match?.endpoint.operations.get(request.method as "GET");
    if (match === undefined || operation === undefined) throw new Error(`No route for ${request.method} ${sent.target}.`);
    return operation.run(this.#context(signal === undefined ? request : { ...request, signal }, match.params.map(decodeSegment), as));
  }

  /** What the operation that created the job answers. */
  async accepted(id: string, baseUrl?: string): Promise<Received> {
    const context = this.#context(requestOf({ method: "POST", target: "/things/batch", mount: "/v1" }), [], { id: "ann" });
    const environment = { ...context.environment, baseUrl };
    return this.#received(async () => acceptedJob(this.kind, { ...context, environment }, await this.get(id)));
  }

  async claim(): Promise<ClaimedJob> {
    const [job] = await this.store.claim({ types: ["test"], leaseMs: 60_000, max: 1, maxPerTenant: 9 });
    if (job === undefined) throw new Error("There is nothing to claim.");
    return job;
  }

  #context(request: HttpRequest, params: readonly string[], principal: Principal): Context {
    const { clock, logger } = this;
    const lists = {
      query: querySettings(defaultLimits, { ignores: (name) => name === "utm" }),
      envelope: "data",
      isCredential: () => false,
    } as const;
    const parts = { clock, logger, lists, timers: clock, random: () => 0.5, limits: defaultLimits, baseUrl: undefined };
    const environment: Partial<Environment> = { ...parts, scopesOf: () => undefined };
    const headers = new RequestHeaders(request.headers);
    const authRequest = authRequestOf(request, headers);
    const permit = { fields: undefined };
    return {
      environment: environment as Environment,
      request,
      headers,
      requestId: "r",
      params,
      principal,
      permit,
      body: undefined,
      authRequest,
      joins: [],
      scopes: undefined,
    };
  }

  async #received(run: () => Promise<{ status: number; headers: Received["headers"]; body: unknown }>): Promise<Received> {
    try {
      const { status, headers, body } = await run();
      return received(status, headers, typeof body === "string" ? body : "");
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return received(error.status, error.headers, JSON.stringify(problemDocument(error, "r")));
    }
  }
}

function received(status: number, headers: Received["headers"], text: string): Received {
  return {
    status,
    headers,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}
