import { X509Certificate } from "node:crypto";
import { createSecureContext, rootCertificates } from "node:tls";
import { compileNetwork, type NetworkOptions, type NetworkPolicy, networkSchema } from "../../src/capabilities/webhooks/delivery/network.js";
import type { Transport, TransportRequest } from "../../src/capabilities/webhooks/delivery/transport.js";
import { systemTimers, type Timers } from "../../src/ground/http/timers.js";
import { callable, optionsCheck, strict, timers as timersSchema, whole } from "../../src/ground/options/index.js";
import { ConfigurationError } from "../../src/ground/problem/index.js";
import { Attempt, type AttemptLimits } from "./attempt.js";
import { type Connection, Connections, type ConnectionsOptions } from "./connections.js";
import { guardedConnect } from "./guardedConnect.js";
import { type Lookup, systemLookup } from "./guardedLookup.js";
import { loadUndici } from "./undici.js";

export interface UndiciTransportOptions {
  /** Which addresses webhooks may be sent to. */
  readonly network?: NetworkOptions | undefined;
  /** Resolves host names. Defaults to the resolver of the operating system. */
  readonly lookup?: Lookup | undefined;
  /** Timers of the timeouts. Defaults to the timers of the system. */
  readonly timers?: Timers | undefined;
  /** A clock that never goes back, for latencies. */
  readonly monotonicMs?: (() => number) | undefined;
  /** For look-up, TCP and TLS together; 5,000 unless given. */
  readonly connectTimeoutMs?: number | undefined;
  /** From the begin of an attempt to the end of the response's head; 30,000 unless given. */
  readonly headTimeoutMs?: number | undefined;
  /** From there to the end of the body; 2,000 unless given. */
  readonly bodyMs?: number | undefined;
  /** How long an idle connection is kept; 10,000 unless given. */
  readonly keepAliveMs?: number | undefined;
}

const check = /* @__PURE__ */ optionsCheck("undiciTransport", () =>
  strict<UndiciTransportOptions>({
    network: networkSchema(),
    lookup: callable(),
    timers: timersSchema(),
    monotonicMs: callable(),
    connectTimeoutMs: whole(1),
    headTimeoutMs: whole(1),
    bodyMs: whole(0),
    keepAliveMs: whole(1),
  }),
);

/** Headers that are the transport's own. */
const ownHeaders = new Set(["host", "content-length", "accept-encoding", "connection"]);

/**
 * Sends deliveries with undici 7 or 8 over HTTP/1.1, to public addresses only. It follows no redirect, keeps no cookies and inflates nothing.
 *
 * @throws {ConfigurationError} for a block, a name, a port or an authority of `network` that is none; from the start of the service if undici is not installed
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  check(options);
  const { timers = systemTimers, monotonicMs = () => performance.now(), headTimeoutMs = 30_000, bodyMs = 2_000 } = options;
  const limits: AttemptLimits = { timers, monotonicMs, headTimeoutMs, bodyMs };
  const network = compileNetwork(options.network);
  checkAuthorities(network.ca);
  const connections = new Connections({ connector: connectorOf({ ...options, timers }, network), keepAliveMs: options.keepAliveMs ?? 10_000 });
  const attempts = new Set<Attempt>();
  let isClosed = false;

  return {
    network,
    maxAttemptMs: headTimeoutMs + bodyMs,
    start: loadUndici,
    async send(request) {
      await loadUndici();
      const attempt = new Attempt(limits);
      const abort = () => attempt.fail("ABORTED");
      attempts.add(attempt);
      request.signal?.addEventListener("abort", abort, { once: true });
      if (isClosed || request.signal?.aborted) abort();
      const connection = attempt.isOver ? undefined : dispatch(connections, request, attempt);
      const result = await attempt.result;
      request.signal?.removeEventListener("abort", abort);
      attempts.delete(attempt);
      if (connection === undefined) return result;
      if (result.status !== undefined && !result.truncated) connections.giveBack(connection);
      else void connections.discard(connection);
      return result;
    },
    async close() {
      isClosed = true;
      for (const attempt of attempts) attempt.fail("ABORTED");
      await connections.close();
    },
  };
}

/** OpenSSL passes over what it cannot read, and every delivery would fail without a word why. */
function checkAuthorities(certificates: readonly string[]): void {
  for (const pem of certificates) {
    try {
      new X509Certificate(pem);
    } catch (cause) {
      throw new ConfigurationError("The option network.ca contains a text that is not a PEM certificate.", { cause });
    }
  }
}

function connectorOf(options: UndiciTransportOptions & { readonly timers: Timers }, network: NetworkPolicy): ConnectionsOptions["connector"] {
  const { timers, lookup = systemLookup, connectTimeoutMs = 5_000 } = options;
  const ca = network.ca.length === 0 ? {} : { ca: [...rootCertificates, ...network.ca] };
  return (certificate) => {
    const secureContext = createSecureContext({ ...ca, ...(certificate && { cert: certificate.cert, key: certificate.key }) });
    return guardedConnect({ network, lookup, timers, connectTimeoutMs, secureContext });
  };
}

/** Starts the attempt on a connection, or ends it where there can be none. */
function dispatch(connections: Connections, request: TransportRequest, attempt: Attempt): Connection | undefined {
  const { url, body, clientCertificate } = request;
  // Without TLS a certificate cannot be shown, and the receiver would take the delivery for anybody's.
  if (clientCertificate !== undefined && url.protocol === "http:") {
    attempt.fail("CLIENT_CERTIFICATE_INVALID");
    return undefined;
  }
  let connection: Connection;
  try {
    connection = connections.take(url.origin, clientCertificate);
  } catch {
    attempt.fail("CLIENT_CERTIFICATE_INVALID");
    return undefined;
  }
  const headers = Object.entries(request.headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  const fields = [...headers.flat(), "accept-encoding", "identity"];
  connection.client.dispatch({ path: `${url.pathname}${url.search}`, method: "POST", headers: fields, body }, attempt);
  return connection;
}
