import type { TransportErrorCode } from "../../src/capabilities/webhooks/delivery/transport.js";
import { HTTPParserError } from "./undici.js";

const codes: Readonly<Record<string, TransportErrorCode>> = {
  ERR_ADDRESS_BLOCKED: "ADDRESS_BLOCKED",
  ERR_LOOKUP_FAILED: "DNS_FAILED",
  ERR_CONNECT_TIMEOUT: "CONNECT_TIMEOUT",
  ETIMEDOUT: "CONNECT_TIMEOUT",
  ECONNREFUSED: "CONNECTION_REFUSED",
  ECONNRESET: "CONNECTION_RESET",
  EPIPE: "CONNECTION_RESET",
  ERR_CONNECTION_LOST: "CONNECTION_CLOSED",
  EHOSTUNREACH: "HOST_UNREACHABLE",
  ENETUNREACH: "HOST_UNREACHABLE",
  EADDRNOTAVAIL: "HOST_UNREACHABLE",
  EHOSTDOWN: "HOST_UNREACHABLE",
  ENETDOWN: "HOST_UNREACHABLE",
  EPROTO: "TLS_FAILED",
  UND_ERR_HEADERS_OVERFLOW: "BAD_RESPONSE",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "BAD_RESPONSE",
  // Undici asserts what its parser lets through, such as a status below 100.
  ERR_ASSERTION: "BAD_RESPONSE",
  UND_ERR_INVALID_ARG: "BAD_REQUEST",
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: "BAD_REQUEST",
  ERR_CONNECT_CANCELED: "ABORTED",
  UND_ERR_DESTROYED: "ABORTED",
  UND_ERR_CLOSED: "ABORTED",
};

/** What OpenSSL says against a certificate without the word CERT. */
const certificateCodes = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "UNABLE_TO_GET_CRL",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "HOSTNAME_MISMATCH",
]);

/** What an error of Node or undici means for an attempt; an unknown error is `CONNECTION_FAILED`. */
export function errorCodeOf(error: unknown): TransportErrorCode {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = Object.hasOwn(codes, code) ? codes[code] : undefined;
  if (known !== undefined) return known;
  if (code === "UND_ERR_SOCKET") return isClosing(error) ? "CONNECTION_CLOSED" : "BAD_RESPONSE";
  // Its code is missing where undici does not know the number of the parser's error.
  if (error instanceof HTTPParserError) return "BAD_RESPONSE";
  if (certificateCodes.has(code) || code.includes("CERT_") || code.endsWith("_CERT") || code.endsWith("_CERT_LOCALLY")) {
    // An alert says what the other side thinks of our certificate.
    return code.includes("ALERT") ? "TLS_FAILED" : "TLS_CERTIFICATE_INVALID";
  }
  return code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") ? "TLS_FAILED" : "CONNECTION_FAILED";
}

/** Undici tells the end of a connection from a bad answer by its message alone. */
function isClosing(error: unknown): boolean {
  return error instanceof Error && (error.message === "other side closed" || error.message === "closed");
}

/** An unrequested 101 ends the connection before its head is passed on. */
export function isUnrequestedUpgrade(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "UND_ERR_SOCKET" && error.message === "bad upgrade";
}
