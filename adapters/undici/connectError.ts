/** Why no connection was made; failures of the network itself keep the codes of Node. */
export type ConnectErrorCode = "ERR_ADDRESS_BLOCKED" | "ERR_LOOKUP_FAILED" | "ERR_CONNECT_TIMEOUT" | "ERR_CONNECTION_LOST" | "ERR_CONNECT_CANCELED";

/** A connection that was given up by us. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
  readonly code: ConnectErrorCode;

  constructor(code: ConnectErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
