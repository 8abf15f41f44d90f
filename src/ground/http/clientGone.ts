const brand = Symbol.for("restwright.ClientGone");

/** The client disconnected while its body was being read, so no response can be sent. */
export class ClientGone extends Error {
  readonly [brand] = true;
  override readonly name = "ClientGone";

  constructor(cause?: unknown) {
    super("The client disconnected before its request was read.", { cause });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}
