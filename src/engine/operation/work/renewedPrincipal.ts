import type { Principal } from "../../../parts/auth/verifier.js";
import type { Environment } from "../environment.js";
import { type Renewing as Reloading, renewPrincipal } from "../principals.js";

/** How long a renewed principal is used, in milliseconds. */
const renewEveryMs = 60_000;

type Renewing = Reloading & Pick<Environment, "clock">;

/** The principal of work that continues after its request: renewed before its first use, and then once a minute. */
export class RenewedPrincipal {
  readonly #environment: Renewing;
  readonly #stored: Principal;
  #known: Promise<Principal> | undefined;
  #askedMs = 0;

  /** @param stored the principal of the request */
  constructor(environment: Renewing, stored: Principal) {
    this.#environment = environment;
    this.#stored = stored;
  }

  /** The principal as it is now; the same object until it is renewed. @throws {ProblemError} FORBIDDEN if it no longer exists */
  current(): Promise<Principal> {
    const nowMs = this.#environment.clock.now();
    // Also if the clock was set back: rights that were taken away must not stay in force until it has caught up.
    if (this.#known === undefined || Math.abs(nowMs - this.#askedMs) >= renewEveryMs) {
      this.#askedMs = nowMs;
      this.#known = renewPrincipal(this.#environment, this.#stored);
      // Asked again by the next caller, and not remembered for a minute.
      this.#known.catch(() => {
        this.#known = undefined;
      });
    }
    return this.#known;
  }
}
