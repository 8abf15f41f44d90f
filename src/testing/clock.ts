import type { Clock } from "../ground/clock/clock.js";
import type { Timer, Timers } from "../ground/http/timers.js";

interface Appointment {
  readonly dueMs: number;
  readonly run: () => void;
}

/**
 * A clock that only moves when a test advances it, and timers that use it.
 *
 * @example
 * const clock = new FakeClock();
 * clock.setTimeout(() => expire(), 60_000);
 * clock.advance(60_000);
 */
export class FakeClock implements Clock, Timers {
  readonly #appointments = new Set<Appointment>();
  #nowMs: number;

  /** @param startMs milliseconds since the epoch. Defaults to 2026-01-01T00:00:00Z */
  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimeout(run: () => void, ms: number): Timer {
    const appointment = { dueMs: this.#nowMs + Math.max(0, ms), run };
    this.#appointments.add(appointment);
    return { cancel: () => void this.#appointments.delete(appointment) };
  }

  /** Advances by `ms` milliseconds and fires the due timers, earliest first. `now()` is the due time of the timer in each callback. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#earliest(untilMs); next !== undefined; next = this.#earliest(untilMs)) {
      this.#appointments.delete(next);
      this.#nowMs = next.dueMs;
      next.run();
    }
    this.#nowMs = untilMs;
  }

  /** The number of waiting timers. */
  get pending(): number {
    return this.#appointments.size;
  }

  /** A Set keeps the insertion order, so timers with the same due time fire in the order in which they were set. */
  #earliest(untilMs: number): Appointment | undefined {
    let earliest: Appointment | undefined;
    for (const appointment of this.#appointments) {
      if (appointment.dueMs <= untilMs && appointment.dueMs < (earliest?.dueMs ?? Number.POSITIVE_INFINITY)) earliest = appointment;
    }
    return earliest;
  }
}
