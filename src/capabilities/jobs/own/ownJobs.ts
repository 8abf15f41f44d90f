import type { Host } from "../../../engine/capability/host.js";
import type { EnqueuedJob, EnqueueOptions, Enqueuing } from "../../../engine/operation/work/enqueuing.js";
import { onDemand } from "../../../ground/onDemand/onDemand.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { JobHandler } from "../run/handler.js";
import type { Calendar } from "../schedules/calendar.js";
import { checkSchedules, type Schedule } from "../schedules/schedule.js";
import type { Scheduler } from "../schedules/scheduler.js";
import type { JobSettings } from "../settings.js";
import type { ScheduleState } from "./api.js";
import { checkName } from "./checkName.js";
import { checkJob, type JobDefinitions } from "./definition.js";
import type { CompiledOwn } from "./ownHandler.js";

/** Services without handlers need none of it. */
const load = /* @__PURE__ */ onDemand(() => import("./loaded.js"));
/** Nor those without schedules a calendar. */
const loadCalendar = /* @__PURE__ */ onDemand(() => import("../schedules/calendar.js"));

/** The jobs that the developer has defined, and when they run. What they need is loaded at the start of the service, or with the first that is enqueued. */
export class OwnJobs {
  readonly names: ReadonlySet<string>;
  readonly #definitions: JobDefinitions;
  readonly #schedules: readonly Schedule[];
  #compiled: CompiledOwn | undefined;
  #scheduler: Scheduler | undefined;
  #isClosed = false;

  /** @throws {ConfigurationError} for an invalid name, for what `job()` would refuse, and for a schedule without a handler */
  constructor(definitions: JobDefinitions, schedules: readonly Schedule[]) {
    this.#definitions = definitions;
    this.#schedules = schedules;
    this.names = new Set(Object.keys(definitions));
    for (const [name, definition] of Object.entries(definitions)) {
      checkJob(definition);
      checkName("handler", name);
    }
    checkSchedules(schedules, this.names);
  }

  /** @throws {ConfigurationError} for input that is not an object, and for a calendar that cannot be read */
  async start({ store, wake, works }: JobSettings, { environment }: Host): Promise<void> {
    if (this.names.size === 0) return;
    const { handlers, calendars, Scheduler: Keeping } = await this.#load();
    if (calendars.size === 0 || !works || this.#isClosed || this.#scheduler !== undefined) return;
    if (store.withKey === undefined)
      throw new ConfigurationError(`jobs(): the storage "${environment.storage.name}" keeps no times of jobs, which "schedules" need.`);
    this.#scheduler = new Keeping({ calendars: [...calendars.values()], handlers, store, environment, wake });
    this.#scheduler.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#scheduler?.close();
  }

  /** They keep their input when they fail, so that they can be tried again. */
  handlers({ environment }: Pick<Host, "environment">, store: JobSettings["store"]): JobHandler[] {
    return [...this.names].map((type) => ({
      type,
      isResumable: true,
      run: async (job, call) => {
        const { runOwn, ...own } = await this.#load();
        return runOwn(own, { environment, store }, job, call);
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
  within(settings: JobSettings, host: Host): Partial<Enqueuing> {
    if (this.names.size === 0) return {};
    return {
      enqueueWithin: async (tx, tenant, name, input, options) => {
        const { enqueueWithin, handlers } = await this.#load();
        return enqueueWithin({ settings, host, handlers }, { tx, tenant, name, input, options });
      },
    };
  }

  /** The schedules with their next times. */
  async schedules(nowMs: number): Promise<readonly ScheduleState[]> {
    const { calendars } = await this.#load();
    return [...calendars.values()].map((calendar) => {
      const { name, cron, job } = calendar.schedule;
      const nextMs = calendar.after(nowMs);
      return { name, cron, zone: calendar.zone, job, next: nextMs === undefined ? undefined : new Date(nextMs) };
    });
  }

  async #load() {
    const loaded = await load();
    this.#compiled ??= { handlers: loaded.compileJobs(this.#definitions), calendars: await this.#calendars() };
    return { ...loaded, ...this.#compiled };
  }

  async #calendars(): Promise<ReadonlyMap<string, Calendar>> {
    if (this.#schedules.length === 0) return new Map();
    const { Calendar: Times } = await loadCalendar();
    return new Map(this.#schedules.map((schedule) => [schedule.name, new Times(schedule)]));
  }
}
