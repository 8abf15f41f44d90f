import type { Host } from "../../../engine/capability/host.js";
import type { EnqueuedJob, EnqueueOptions, Enqueuing } from "../../../engine/operation/work/enqueuing.js";
import { onDemand } from "../../../ground/onDemand/onDemand.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import { quoteValue } from "../../../ground/problem/quote.js";
import type { JobHandler } from "../run/handler.js";
import type { JobSettings } from "../settings.js";
import type { CompiledJob } from "./compile.js";
import { checkJob, type JobDefinitions } from "./definition.js";
import type { EnqueueParts } from "./enqueue.js";

const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Services without handlers need none of it. */
const load = /* @__PURE__ */ onDemand(() => import("./loaded.js"));

/** The kinds of jobs that the developer has defined. What they need is loaded at the start of the service, or with the first that is enqueued. */
export class OwnJobs {
  readonly names: ReadonlySet<string>;
  readonly #definitions: JobDefinitions;
  #compiled: ReadonlyMap<string, CompiledJob> | undefined;

  /** @throws {ConfigurationError} for a name that is none, and for what `job()` would refuse */
  constructor(definitions: JobDefinitions) {
    this.#definitions = definitions;
    this.names = new Set(Object.keys(definitions));
    for (const [name, definition] of Object.entries(definitions)) {
      checkJob(definition);
      if (namePattern.test(name)) continue;
      throw new ConfigurationError(
        `jobs(): a handler has a name of up to 64 letters, digits, "-" and "_" that begins with a letter; got ${quoteValue(name)}.`,
      );
    }
  }

  /** @throws {ConfigurationError} for input that is no object */
  async start(): Promise<void> {
    if (this.names.size > 0) await this.#load();
  }

  /** They keep their input when they fail, so that they can be tried again. */
  handlers({ environment }: Pick<Host, "environment">): JobHandler[] {
    return [...this.names].map((type) => ({
      type,
      isResumable: true,
      run: async (job, call) => {
        const { runOwn, handlers } = await this.#load();
        return runOwn(handlers, environment, job, call);
      },
    }));
  }

  /** Enqueues jobs by themselves. */
  async enqueue(
    settings: JobSettings,
    host: Host,
    ...given: readonly [name: string, input: unknown, options?: EnqueueOptions]
  ): Promise<EnqueuedJob> {
    const { enqueueAlone, handlers } = await this.#load();
    return enqueueAlone({ settings, host, handlers }, ...given);
  }

  /** What transactions of the service need to enqueue them; nothing if there are none. */
  within(settings: EnqueueParts["settings"], host: Host): Partial<Enqueuing> {
    if (this.names.size === 0) return {};
    return {
      enqueueWithin: async (tx, tenant, name, input, options) => {
        const { enqueueWithin, handlers } = await this.#load();
        return enqueueWithin({ settings, host, handlers }, { tx, tenant, name, input, options });
      },
    };
  }

  async #load() {
    const loaded = await load();
    this.#compiled ??= loaded.compileJobs(this.#definitions);
    return { ...loaded, handlers: this.#compiled };
  }
}
