import { memoryStorage } from "../../adapters/memory.js";
import { checkedPrincipal } from "../auth/checkedPrincipal.js";
import type { Principal, Verifier } from "../auth/verifier.js";
import type { ApiOf, Capability } from "../capability/capability.js";
import { ConfigurationError } from "../problem/index.js";
import type { Resource } from "../resource/resource.js";
import type { ServiceOptions } from "../service/options.js";
import { checkServiceOptions } from "../service/optionsSchema.js";
import { createService, type Service } from "../service/service.js";
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
}

/** A service for tests of your own rules. */
export interface TestService<Resources extends readonly Resource[] = readonly Resource[], Api = unknown> {
  /** The service itself, for a host or its other members. */
  readonly service: Service<Resources> & Api;
  readonly clock: FakeClock;
  /** The errors of requests that were answered with 5xx, such as those of a faulty scope. */
  readonly errors: readonly unknown[];
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
  const options = optionsOf(given);
  const { clock = new FakeClock(), onError } = options;
  if (!(clock instanceof FakeClock)) throw new ConfigurationError(`testService: "clock" must be a FakeClock, which the test can advance.`);
  const principals = new WeakMap<Request, Principal>();
  const errors: unknown[] = [];
  const service = createService<R, Use>({
    logger: false,
    timers: clock,
    ...options,
    clock,
    storage: options.storage ?? memoryStorage({ clock }),
    auth: [...(options.auth ?? []), verifierOf(principals)],
    onError(error, request) {
      errors.push(error);
      onError?.(error, request);
    },
  });
  return {
    service,
    clock,
    errors,
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
}

function optionsOf<R extends readonly Resource[], Use extends readonly Capability[]>(
  given: R | TestServiceOptions<Use, R>,
): TestServiceOptions<Use, R> {
  const options = (Array.isArray(given) ? { resources: given } : given) as TestServiceOptions<Use, R>;
  // A storage is not required here.
  const lacksStorage = typeof options === "object" && options !== null && options.storage === undefined;
  checkServiceOptions(lacksStorage ? { ...options, storage: memoryStorage() } : options, "testService");
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
