import { type HttpResponse, type Principal, ProblemError } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { defaultScheduleMs } from "../../../../src/capabilities/events/backoff.js";
import type { JobSettings } from "../../../../src/capabilities/jobs/settings.js";
import { SharedPath } from "../../../../src/capabilities/jobs/sharedPath.js";
import { compileNetwork } from "../../../../src/capabilities/webhooks/delivery/network.js";
import { recoverJobs, shownRecovery } from "../../../../src/capabilities/webhooks/delivery/recover.js";
import type { AttemptResult, Transport, TransportRequest } from "../../../../src/capabilities/webhooks/delivery/transport.js";
import { eventVersions } from "../../../../src/capabilities/webhooks/events/eventVersions.js";
import { webhookOperations } from "../../../../src/capabilities/webhooks/operations.js";
import type { WebhookSettings } from "../../../../src/capabilities/webhooks/settings.js";
import type { Context } from "../../../../src/engine/operation/context.js";
import type { Environment } from "../../../../src/engine/operation/environment.js";
import { systemIds } from "../../../../src/engine/operation/ids/ids.js";
import type { Offer, Offers } from "../../../../src/engine/operation/offers.js";
import type { Operation } from "../../../../src/engine/operation/operation.js";
import { Router } from "../../../../src/engine/service/router.js";
import { RequestHeaders } from "../../../../src/ground/http/headers/headers.js";
import { decodeSegment } from "../../../../src/ground/http/target.js";
import { defaultLimits } from "../../../../src/ground/limits/limits.js";
import { problemDocument } from "../../../../src/ground/problem/index.js";
import { createSecretBox } from "../../../../src/ground/secrets/secretBox.js";
import { Secrets } from "../../../../src/ground/secrets/secrets.js";
import type { DeliveryState, DeliveryStore } from "../../../../src/ground/storage/queue/deliveries.js";
import type { JobStore } from "../../../../src/ground/storage/queue/jobs.js";
import type { Webhook, WebhookStore } from "../../../../src/ground/storage/queue/webhooks.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { querySettings } from "../../../../src/language/query/settings.js";
import { authRequestOf } from "../../../../src/parts/auth/authRequest.js";
import { type Received, requestOf, type Sent } from "../../../tools/client.js";

/** Who asks; ann unless said otherwise. */
export interface SentWebhook extends Sent {
  readonly as?: Principal;
  readonly context?: Partial<Context>;
}

export const ann: Principal = { id: "ann" };
export const admin: Principal = { id: "root", scopes: ["admin"] };
export const url = "https://hooks.example.com/a";

const ok: AttemptResult = { status: 200, latencyMs: 12, bodyHead: Buffer.from("thanks"), truncated: false };

/** A transport that keeps what it is given and answers what it is told to. */
export class RecordingTransport implements Transport {
  readonly network = compileNetwork();
  readonly maxAttemptMs = 32_000;
  readonly requests: TransportRequest[] = [];
  readonly results: (AttemptResult | Promise<AttemptResult>)[] = [];

  async send(request: TransportRequest): Promise<AttemptResult> {
    this.requests.push(request);
    return this.results.shift() ?? ok;
  }

  async close(): Promise<void> {}
}

/** The routes of webhooks on a store in memory, without the rest of a service. */
export class RoutesStage {
  readonly clock = new FakeClock();
  readonly transport = new RecordingTransport();
  readonly storage: Storage = memoryStorage({ clock: this.clock });
  readonly warned: { readonly facts: object; readonly message: string }[] = [];
  readonly settings: WebhookSettings;
  readonly jobs: JobSettings;
  readonly environment: Environment;
  readonly operations: readonly Operation[];
  readonly #router: Router;
  woken = 0;

  constructor(change: Partial<WebhookSettings> = {}) {
    const { transport, storage } = this;
    const isAdmin = (principal: Principal) => principal.scopes?.includes("admin") === true;
    const wake = () => {
      this.woken += 1;
    };
    this.jobs = {
      store: existing(storage.jobs),
      isAdmin,
      wake,
      maxQueuedPerTenant: 2,
      closing: new AbortController().signal,
      works: false,
      hasWriteOnly: () => false,
      requestTypes: () => [recoverJobs.type],
      handle: () => {},
      show: () => {},
    };
    this.settings = {
      webhooks: existing(storage.webhooks),
      deliveries: existing(storage.deliveries),
      transport,
      box: createSecretBox(["a secret of the service itself"]),
      network: transport.network,
      eventTypes: ["order.created", "order.item.added", "user.created", "webhook.disabled"],
      collectionsOf: () => [],
      fieldsOf: () => new Map(),
      apiVersion: "2026-01-01",
      versions: eventVersions("2026-01-01", {}),
      minSecretCharacters: 8,
      maxPerTenant: 3,
      scheduleMs: defaultScheduleMs,
      disableAfter: { consecutive: 50, minDurationMs: 0 },
      disableOnGone: true,
      userAgent: "restwright-webhooks/0",
      isAdmin,
      onDisabled: undefined,
      wake,
      ...change,
    };
    this.environment = this.#environment();
    const jobs = new SharedPath([]);
    jobs.show(recoverJobs.type, shownRecovery);
    const routes = [...webhookOperations(this.settings, defaultLimits), ...jobs.routes(this.jobs)];
    this.operations = routes.flatMap(({ operations }) => operations);
    this.#router = new Router(routes);
  }

  get webhooks(): WebhookStore {
    return this.settings.webhooks;
  }

  get deliveries(): DeliveryStore {
    return this.settings.deliveries;
  }

  get jobStore(): JobStore {
    return this.jobs.store;
  }

  async send({ as = ann, context = {}, ...sent }: SentWebhook): Promise<Received> {
    const request = requestOf(sent);
    const match = this.#router.match(request.path);
    const operation = match?.endpoint.operations.get(request.method as "GET");
    if (match === undefined || operation === undefined) throw new Error(`No route for ${request.method} ${sent.target}.`);
    const headers = new RequestHeaders(request.headers);
    return received(() =>
      operation.run({
        environment: this.environment,
        request,
        headers,
        requestId: "r",
        params: match.params.map(decodeSegment),
        principal: as,
        scopes: undefined,
        permit: { fields: undefined },
        body: operation.body === undefined || sent.body === undefined ? undefined : JSON.parse(JSON.stringify(sent.body)),
        authRequest: authRequestOf(request, headers),
        joins: [],
        ...context,
      }),
    );
  }

  /** Registers a webhook and answers its body. */
  async register(
    body: object = {},
    as: Principal = ann,
  ): Promise<{ readonly id: string; readonly secret: string; readonly [name: string]: unknown }> {
    const { status, json } = await this.send({ method: "POST", target: "/webhooks", body: { url, events: ["*"], ...body }, as });
    if (status !== 201) throw new Error(`The registration was answered with ${status}: ${JSON.stringify(json)}`);
    return json;
  }

  async stored(id: string): Promise<Webhook> {
    return existing(await this.webhooks.get(id));
  }

  /** Deliveries of events to a webhook that have come to an end, one for each state; pending ones are left alone. */
  async deliver(webhook: string, states: readonly Exclude<DeliveryState, "sending">[], type = "order.created"): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const state of states) {
      const name = this.environment.ids.ulid();
      const [id, event] = [`dlv_${name}`, `evt_${name}`];
      const body = Buffer.from(JSON.stringify({ id: event, type, data: { orderId: 7 } }));
      const createdAt = new Date(this.clock.now());
      await this.deliveries.enqueue([{ id: event, type, tenant: undefined, createdAt, body, deliveries: [{ id, webhook }] }]);
      ids.push(id);
      if (state === "pending") continue;
      const [claimed] = await this.deliveries.claim({ leaseMs: 60_000, max: 1, maxPerWebhook: 9 });
      const status = state === "succeeded" ? 200 : 404;
      const attempt = { startedAt: createdAt, latencyMs: 5, status, url: existing(claimed).webhook.url, body: Buffer.from("seen") };
      await this.deliveries.record(existing(claimed).lease, { attempt, next: { state }, failures: "keep" });
      this.clock.advance(1);
    }
    return ids;
  }

  #environment(): Environment {
    const { clock, storage, warned } = this;
    const warn = (facts: object, message: string) => void warned.push({ facts, message });
    const logger = { error: warn, warn, info: () => {}, debug: () => {} };
    const random = () => 0.5;
    const parts: Partial<Environment> = {
      clock,
      timers: clock,
      random,
      ids: systemIds(clock, random),
      logger,
      limits: defaultLimits,
      lists: { query: querySettings(defaultLimits, { ignores: (name) => name === "utm" }), envelope: "data", isCredential: () => false },
      secrets: new Secrets(["a secret of the service itself"]),
      baseUrl: undefined,
      offers: offersOf({ jobs: this.jobs }),
      transaction: (run) => existing(storage.transaction)(run),
    };
    return parts as Environment;
  }
}

export function existing<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("There is nothing.");
  return value;
}

async function received(run: () => Promise<HttpResponse>): Promise<Received> {
  try {
    const { status, headers, body } = await run();
    return answered(status, headers, typeof body === "string" ? body : "");
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return answered(error.status, error.headers, JSON.stringify(problemDocument(error, "r")));
  }
}

function answered(status: number, headers: Received["headers"], text: string): Received {
  return {
    status,
    headers,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}

/** What capabilities of these names offer. */
export function offersOf(offered: Readonly<Record<string, unknown>>): Offers {
  return { get: <T>({ name }: Offer<T>) => offered[name] as T | undefined, share: (_, make) => make() };
}
