import type { CryptoKey, createRemoteJWKSet as createKeySet, JWTVerifyGetKey } from "jose";
import type { Clock } from "../../../ground/clock/clock.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { fitOf } from "./algorithms.js";
import { createRemoteJWKSet, customFetch, errors } from "./jose.js";

/** A key set is some kilobytes. */
const maxBytes = 262_144;

/** A load that failed is tried again after this time. */
const retryMs = 5_000;

export interface RemoteKeysOptions {
  readonly url: URL;
  readonly clock: Clock;
  readonly maxAgeMs: number;
  /** The shortest time between two loads for keys that are unknown. */
  readonly coolDownMs: number;
  readonly timeoutMs: number;
  /** Called with the reason if a load fails while the keys of an earlier one are still used. */
  readonly onError: (error: unknown) => void;
}

/**
 * The keys behind a URL: loaded when the first token arrives, again when they are old, and again for a key that is not among them, but not more often than the cool-down
 * allows. While the endpoint fails, the keys of the last good answer stay in use.
 */
export class RemoteKeys {
  readonly #options: RemoteKeysOptions;
  #created: ReturnType<typeof createKeySet> | undefined;
  #loading: Promise<void> | undefined;
  #loadedAt: number | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  /** Why the last load failed; `undefined` if it did not. */
  #fault: { readonly error: unknown } | undefined;

  constructor(options: RemoteKeysOptions) {
    this.#options = options;
  }

  /** Made when a token is verified, because jose is loaded then. */
  get #set(): ReturnType<typeof createKeySet> {
    this.#created ??= createRemoteJWKSet(this.#options.url, {
      timeoutDuration: this.#options.timeoutMs,
      // This class decides when to load, by its own clock.
      cacheMaxAge: Number.POSITIVE_INFINITY,
      cooldownDuration: Number.POSITIVE_INFINITY,
      [customFetch]: fetchSmall,
    });
    return this.#created;
  }

  /** @throws {ProblemError} AUTHENTICATION_UNAVAILABLE if the key could not be loaded, or cannot be used */
  readonly getKey: JWTVerifyGetKey = async (header, token) => {
    await this.#refresh();
    try {
      return await this.#find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (!this.#isWaiting()) await this.#load();
      if (this.#fault !== undefined) throw this.#unavailable(this.#fault.error);
    }
    return this.#find(header, token);
  };

  /** A key that cannot be used is a fault of the endpoint, not of the token. */
  async #find(...[header, token]: Parameters<JWTVerifyGetKey>): Promise<CryptoKey> {
    try {
      const key = await this.#set(header, token);
      if (fitOf(key).fits.length > 0) return key;
    } catch (error) {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid)) throw error;
      throw this.#unavailable(error);
    }
    throw this.#unavailable(new Error("A key of the set is too short or of a type that no algorithm has."));
  }

  async #refresh(): Promise<void> {
    const { clock, maxAgeMs, onError } = this.#options;
    if (this.#loadedAt === undefined) {
      if (!this.#isWaiting()) await this.#load();
      if (this.#loadedAt === undefined) throw this.#unavailable(this.#fault?.error);
      // Also if the clock was set back: keys that were withdrawn must not stay good until it has caught up.
    } else if (Math.abs(clock.now() - this.#loadedAt) > maxAgeMs && !this.#isWaiting()) {
      const wasDown = this.#fault !== undefined;
      const loading = this.#load().then(() => this.#fault && onError(this.#fault.error));
      // Only the first request after the keys have become old waits: during an outage every one would.
      if (!wasDown) await loading;
    }
  }

  /** Never rejects. */
  #load(): Promise<void> {
    this.#loading ??= this.#set
      .reload()
      .then(
        () => {
          this.#loadedAt = this.#options.clock.now();
          this.#fault = undefined;
        },
        (error: unknown) => {
          this.#fault = { error };
        },
      )
      .finally(() => {
        this.#triedAt = this.#options.clock.now();
        this.#loading = undefined;
      });
    return this.#loading;
  }

  #waitMs(): number {
    const pauseMs = this.#fault === undefined ? this.#options.coolDownMs : Math.min(retryMs, this.#options.coolDownMs);
    const waitMs = this.#triedAt + pauseMs - this.#options.clock.now();
    // A clock that was set back must not prolong the pause.
    return waitMs > pauseMs ? 0 : waitMs;
  }

  #isWaiting(): boolean {
    return this.#loading === undefined && this.#waitMs() > 0;
  }

  #unavailable(cause: unknown): ProblemError {
    const seconds = Math.max(1, Math.ceil(this.#waitMs() / 1_000));
    return new ProblemError("AUTHENTICATION_UNAVAILABLE", "The keys that verify tokens cannot be loaded now.", {
      cause,
      headers: { "retry-after": String(seconds) },
    });
  }
}

/** Bounds the answer, and refuses a set without keys, which would take the place of a good one. */
async function fetchSmall(url: string, options: object): Promise<Response> {
  const response = await fetch(url, options);
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`The key set endpoint answered with status ${response.status}; 200 is expected.`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`The key set is longer than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  const { keys } = JSON.parse(text) as { readonly keys?: unknown };
  if (!Array.isArray(keys) || keys.length === 0) throw new Error("The key set has no keys.");
  return new Response(text);
}
