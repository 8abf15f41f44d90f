/** Why a delivery could not be verified. */
export type VerificationCode = "MISSING_HEADER" | "BAD_TIMESTAMP" | "EXPIRED" | "NO_MATCH" | "MALFORMED_BODY";

const brand = Symbol.for("restwright.WebhookVerificationError");

/** A delivery that could not be verified; respond with `status`. */
export class WebhookVerificationError extends Error {
  readonly [brand] = true;
  override readonly name = "WebhookVerificationError";
  readonly code: VerificationCode;
  readonly status = 401;

  constructor(code: VerificationCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}
