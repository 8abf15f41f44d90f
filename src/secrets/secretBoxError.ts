const brand = Symbol.for("restwright.SecretBoxError");

/** A sealed text that cannot be opened: its secret is gone from the settings, or it is not what was sealed there. */
export class SecretBoxError extends Error {
  readonly [brand] = true;
  override readonly name = "SecretBoxError";
  readonly code: "UNKNOWN_KEY" | "UNREADABLE";

  constructor(code: "UNKNOWN_KEY" | "UNREADABLE", message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}
