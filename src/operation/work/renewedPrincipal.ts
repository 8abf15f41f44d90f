import { anonymous, type Principal } from "../../auth/verifier.js";
import { ProblemError } from "../../problem/index.js";
import type { Environment } from "../environment.js";

/** How long a renewed principal is used, in milliseconds. */
const renewEveryMs = 60_000;

type Renewing = Pick<Environment, "principals" | "clock" | "logger">;

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

  /** The principal as it is now; the same object until it is renewed. @throws {ProblemError} FORBIDDEN if there is none any more */
  current(): Promise<Principal> {
    const nowMs = this.#environment.clock.now();
    if (this.#known === undefined || nowMs - this.#askedMs >= renewEveryMs) {
      this.#askedMs = nowMs;
      this.#known = this.#renew();
      // Asked again by the next caller, and not remembered for a minute.
      this.#known.catch(() => {
        this.#known = undefined;
      });
    }
    return this.#known;
  }

  async #renew(): Promise<Principal> {
    const { principals, logger } = this.#environment;
    const stored = this.#stored;
    if (principals === undefined || principals.reload === false || stored === anonymous) return stored;
    const renewed = await principals.reload(stored);
    if (renewed?.id === stored.id && renewed.tenant === stored.tenant) return renewed;
    if (renewed) logger.error({}, `"principals.reload" returned a principal with another id or tenant; it counts as removed.`);
    throw new ProblemError("FORBIDDEN", "The principal of this request no longer exists, or may not do this any more.");
  }
}
