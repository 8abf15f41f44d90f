import { memoryStorage } from "../../adapters/memory.js";
import { interleavedStorage } from "../../adapters/stores/memory/interleaving/interleavedStorage.js";
import { seededRandom, type Turns } from "../../adapters/stores/memory/interleaving/turns.js";
import type { ApiOf, Capability } from "../engine/capability/capability.js";
import type { Resource } from "../engine/resource/resource.js";
import type { ServiceOptions } from "../engine/service/options.js";
import { serviceShape } from "../engine/service/optionsSchema.js";
import { createService, type Service } from "../engine/service/service.js";
import type { Timers } from "../ground/http/timers.js";
import { optionsCheck, strict, whole } from "../ground/options/index.js";
import { ConfigurationError } from "../ground/problem/index.js";
import { checkedPrincipal } from "../parts/auth/checkedPrincipal.js";
import type { Principal, Verifier } from "../parts/auth/verifier.js";
import { FakeClock } from "./clock.js";
import { checkTestRequest, requestOf, type TestRequest } from "./testRequest.js";

/** Options of `testService`: those of `createService`. */
export interface TestServiceOptions<
  Use extends readonly Capability[] = readonly Capability[],
  Resources extends readonly Resource[] = readonly Resource[],
> extends Omit<ServiceOptions<Use, Resources>, "storage" | "clock"> {
  /** Where the rows are stored. Default: a memory store of its own. */
  readonly storage?: ServiceOptions["storage"] | undefined;
  /** The clock of the service, and of its timers. Default: a clock at 2026-01-01T00:00:00Z. */
  readonly clock?: FakeClock | undefined;
  /**
   * Runs transactions concurrently, as PostgreSQL does, in a memory store that switches between them at each of its calls: a seed, from which their order follows. Default:
   * transactions run one after the other.
   */
  readonly interleave?: number | undefined;
}

/** A service for tests of your own rules. */
export interface TestService<Resources extends readonly Resource[] = readonly Resource[], Api = unknown> {
  /** The service itself, for a host or its other members. */
  readonly service: Service<Resources> & Api;
  readonly clock: FakeClock;
  /** The errors of requests that were answered with 5xx, such as those of a faulty scope. */
  readonly errors: readonly unknown[];
  /** The calls of the store in their order, such as `tx 2: insert bookings 3`, if `interleave` is given. */
  readonly order: readonly string[];
  /** The collections on behalf of a principal. */
  readonly as: Service<Resources>["as"];
  /** The collections without rules for principals, to write what a test begins with. */
  readonly asSystem: Service<Resources>["asSystem"];
  /**
   * Answers a request through the whole pipeline. Without `as` it has no credentials.
   *
   * @param target path with query, or a `Request`
   * @throws {ConfigurationError} for an unknown option
   */
  fetch(target: string | Request, request?: TestRequest): Promise<Response>;
  /** Ends the service. */
  close(): Promise<void>;
}

/** `testService`, with the seed of the run. */
export type InterleavedService = <const R extends readonly Resource[], const Use extends readonly Capability[] = readonly []>(
  given: R | Omit<TestServiceOptions<Use, R>, "storage" | "interleave">,
) => TestService<R, ApiOf<Use>>;

/**
 * A service for tests of your own rules: in memory, with a clock that only the test advances, and without a log.
 *
 * It authenticates requests by `as`, in addition to the verifiers in `auth`, so a request without `as` is 401 unless the collection or the service allows it.
 *
 * @throws {ConfigurationError} as `createService`
 * @example
 * const test = testService([notes]);
 * await test.as({ id: "ann" }).notes.create({ text: "Buy seeds" });
 * const answer = await test.fetch("/notes", { as: { id: "bob" } });
 */
export function testService<const R extends readonly Resource[], const Use extends readonly Capability[] = readonly []>(
  given: R | TestServiceOptions<Use, R>,
): TestService<R, ApiOf<Use>> {
  const { interleave, ...options } = optionsOf(given);
  const { clock = new FakeClock(), onError } = options;
  if (!(clock instanceof FakeClock)) throw new ConfigurationError(`testService: "clock" must be a FakeClock, which the test can advance.`);
  const interleaved = interleave === undefined ? undefined : interleavedParts(interleave, clock);
  const principals = new WeakMap<Request, Principal>();
  const errors: unknown[] = [];
  const service = createService<R, Use>({
    logger: false,
    timers: clock,
    ...interleaved?.system,
    ...options,
    clock,
    storage: options.storage ?? interleaved?.storage ?? memoryStorage({ clock }),
    auth: [...(options.auth ?? []), verifierOf(principals)],
    onError(error, request) {
      errors.push(error);
      onError?.(error, request);
    },
  });
  const made: TestService<R, ApiOf<Use>> = {
    service,
    clock,
    errors,
    order: interleaved?.turns.order ?? [],
    as: service.as,
    asSystem: service.asSystem,
    async fetch(target, sent = {}) {
      checkTestRequest(sent);
      const request = requestOf(target, sent);
      if (sent.as !== undefined) principals.set(request, checkedPrincipal(sent.as, `"as"`));
      return service.fetch(request);
    },
    close: () => service.close({ graceMs: 0 }),
  };
  if (interleaved !== undefined) turnsByService.set(made, interleaved.turns);
  return made;
}

const turnsByService = new WeakMap<object, Turns>();

/** The turns of a service with `interleave`. @internal */
export function turnsOf(service: object): Turns | undefined {
  return turnsByService.get(service);
}

/** The store of a seed, its turns, and what else a service must not take from the system. */
function interleavedParts(seed: number, clock: FakeClock) {
  const { storage, turns } = interleavedStorage({ seed, clock });
  return { storage, turns, system: { timers: pausingTimers(clock, turns), random: seededRandom(seed) } };
}

/** Pauses up to this long, such as those before a retry, take turns as calls of the store do, and move the clock by their time: nothing else would end them. */
const maxPauseMs = 1_000;

function pausingTimers(clock: FakeClock, turns: Turns): Timers {
  return {
    setTimeout(run, ms) {
      if (ms > maxPauseMs) return clock.setTimeout(run, ms);
      return turns.pause(() => {
        clock.advance(Math.max(0, Math.ceil(ms)));
        run();
      });
    },
  };
}

const check = /* @__PURE__ */ optionsCheck("testService", () =>
  strict<TestServiceOptions>({ ...serviceShape(), interleave: whole(0) }, ["resources"]),
);

function optionsOf<R extends readonly Resource[], Use extends readonly Capability[]>(
  given: R | TestServiceOptions<Use, R>,
): TestServiceOptions<Use, R> {
  const options = (Array.isArray(given) ? { resources: given } : given) as TestServiceOptions<Use, R>;
  check(options);
  if (options.storage !== undefined && options.interleave !== undefined) {
    throw new ConfigurationError(`testService: "storage" and "interleave" cannot be used together: only a memory store of its own is interleaved.`);
  }
  return options;
}

/** Finds the principal that a test has given to a request. Nothing that a client can send has this effect. */
function verifierOf(principals: WeakMap<Request, Principal>): Verifier {
  return {
    scheme: "Test",
    headers: [],
    challenge: () => undefined,
    verify: ({ native }) => (native instanceof Request && principals.get(native)) || null,
  };
}
