import type { Context } from "../../../engine/operation/context.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { callerKey } from "../../../parts/auth/callerKey.js";

const retryAfterSeconds = 10;

/** The streamed exports of this process, by their callers: each may read so many at once, so that one caller does not take those of all. */
export class OpenExports {
  readonly #counts = new Map<string, number>();

  /**
   * Counts an export as open. A caller whom the host does not tell from others is not limited.
   *
   * @returns ends it; to be called once
   * @throws {ProblemError} TOO_MANY_EXPORTS
   */
  begin({ principal, authRequest, environment }: Pick<Context, "principal" | "authRequest" | "environment">): () => void {
    const key = callerKey(principal, authRequest.address);
    if (key === undefined) return () => {};
    const maximum = environment.limits.exportsPerPrincipal;
    const open = this.#counts.get(key) ?? 0;
    if (open >= maximum) throw tooMany(maximum);
    this.#counts.set(key, open + 1);
    return () => this.#end(key);
  }

  #end(key: string): void {
    const open = (this.#counts.get(key) ?? 1) - 1;
    if (open === 0) this.#counts.delete(key);
    else this.#counts.set(key, open);
  }
}

function tooMany(maximum: number): ProblemError {
  const detail = `${maximum} exports of yours are read already, which is as many as may. Read them to their ends first, or export as a job.`;
  return new ProblemError("TOO_MANY_EXPORTS", detail, { headers: { "retry-after": String(retryAfterSeconds) }, extensions: { maximum } });
}
