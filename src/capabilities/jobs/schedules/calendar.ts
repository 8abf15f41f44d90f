import { Cron } from "croner";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { Schedule } from "./schedule.js";

/** The times of a schedule. */
export class Calendar {
  readonly schedule: Schedule;
  readonly zone: string;
  readonly #cron: Cron;

  /** @throws {ConfigurationError} for a calendar that cannot be read, an unknown zone, and one that has no time */
  constructor(schedule: Schedule) {
    const { name, cron, zone = "UTC" } = schedule;
    this.schedule = schedule;
    this.zone = zone;
    try {
      this.#cron = new Cron(cron, { timezone: zone, paused: true, mode: "5-or-6-parts" });
      if (this.#cron.nextRun(new Date()) !== null) return;
    } catch (cause) {
      throw new ConfigurationError(`jobs(): the schedule "${name}" cannot be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    throw new ConfigurationError(`jobs(): the schedule "${name}" has no time: ${cron}.`);
  }

  /** The first time after an instant. A local time that a change of the clock leaves out is the first one after it; one that comes twice is its first occurrence. */
  after(ms: number): number | undefined {
    return this.#cron.nextRun(new Date(ms))?.getTime();
  }

  /** Whether an instant is one of its times. */
  has(ms: number): boolean {
    return this.after(ms - 1) === ms;
  }
}
