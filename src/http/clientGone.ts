const brand = Symbol.for("restwright.ClientGone");

/** The client went away while its body was being read: there is nobody left to answer. */
export class ClientGone extends Error {
  readonly [brand] = true;
  override readonly name = "ClientGone";

  constructor(cause?: unknown) {
    super("The client went away before its request was read.", { cause });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}
