import { FakeClock } from "restwright/testing";
import { onTestFinished } from "vitest";

const tickMs = 5;

/**
 * A clock on which time passes by itself until the test has finished, some times as fast as real time, but not while this process stands still or waits for a store: on a
 * busy machine, processes that live do not become silent for each other.
 */
export class PacedClock extends FakeClock {
  #underWay = 0;

  constructor(speed: number) {
    super(Date.now());
    const ticking = setInterval(() => {
      if (this.#underWay === 0) this.advance(tickMs * speed);
    }, tickMs);
    onTestFinished(() => clearInterval(ticking));
  }

  /** The same stores; time stands still while one of their calls is under way. */
  heldBy<Stores extends object>(stores: Stores): Stores {
    return new Proxy(stores, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value === "function") return (...given: unknown[]) => this.#held(Reflect.apply(value, target, given));
        return isObject(value) ? this.heldBy(value) : value;
      },
    });
  }

  #held(outcome: unknown): unknown {
    if (!(outcome instanceof Promise)) return outcome;
    this.#underWay += 1;
    return outcome
      .then(
        // The writer of a draft has calls of its own.
        (value: unknown) => (isObject(value) && "flush" in value ? this.heldBy(value) : value),
      )
      .finally(() => {
        this.#underWay -= 1;
      });
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
