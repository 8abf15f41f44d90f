const brand = Symbol.for("restwright.ConfigurationError");

/** An invalid definition or option. Thrown at start-up, never while a request is answered. */
export class ConfigurationError extends Error {
  readonly [brand] = true;
  override readonly name = "ConfigurationError";

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}
