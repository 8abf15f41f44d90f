const brand = Symbol.for("restwright.SecretBoxError");

/** A sealed text cannot be opened: its secret was removed from the settings, or the text was changed or moved. */
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
