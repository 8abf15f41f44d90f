/** Both classes carry a brand, so that `instanceof` holds across two copies of the package. */
const retryable = Symbol.for("restwright.storage.Retryable");
const unavailable = Symbol.for("restwright.storage.Unavailable");

/** The write lost against another (serialization failure, deadlock, busy): the same transaction may be tried again. */
export class Retryable extends Error {
  readonly [retryable] = true;
  override readonly name = "Retryable";

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && retryable in value;
  }
}

/** The store cannot answer now (down, disk full, locked): the core answers 503 with Retry-After. */
export class Unavailable extends Error {
  readonly [unavailable] = true;
  override readonly name = "Unavailable";

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && unavailable in value;
  }
}
