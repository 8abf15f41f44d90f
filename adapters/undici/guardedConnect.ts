import { isIP, Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { buildConnector as Connector } from "undici";
import { checkAddress } from "../../src/capabilities/webhooks/delivery/address.js";
import { isAllowedScheme, type NetworkPolicy } from "../../src/capabilities/webhooks/delivery/network.js";
import type { Timers } from "../../src/ground/http/timers.js";
import { ConnectError } from "./connectError.js";
import { guardedLookup, type Lookup } from "./guardedLookup.js";
import { buildConnector } from "./undici.js";

export interface GuardedConnectOptions {
  readonly network: NetworkPolicy;
  readonly lookup: Lookup;
  readonly timers: Timers;
  /** For look-up, TCP and TLS together. */
  readonly connectTimeoutMs: number;
  /** Made once: reading the authorities costs milliseconds. */
  readonly secureContext: SecureContext;
}

/** Makes a connection for undici; what it returns ends one that is still being made. */
export type GuardedConnect = (options: Connector.Options, callback: Connector.Callback) => () => void;

/** How long one of several addresses may take before the next is tried; Node's 250 ms fail on far servers. */
const attemptMs = 1_000;

/**
 * Connects over TLS to public addresses only, and without TLS to named exceptions. It checks a literal address before the connection, the addresses of a
 * name when it is resolved, and the remote address after the connection: Node never looks up a literal, and the last check catches mistakes of the second.
 */
export function guardedConnect({ network, lookup, timers, connectTimeoutMs, secureContext }: GuardedConnectOptions): GuardedConnect {
  const connect = buildConnector({
    lookup: guardedLookup(lookup, network),
    secureContext,
    // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED changes nothing here.
    rejectUnauthorized: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptMs,
    allowH2: false,
    timeout: 0,
  });

  return (options, callback) => {
    const fault = faultOf(options, network);
    if (fault === undefined) return connectOnce({ connect, network, timers, connectTimeoutMs }, options, callback);
    queueMicrotask(() => callback(new ConnectError("ERR_ADDRESS_BLOCKED", fault), null));
    return () => {};
  };
}

type ConnectParts = Pick<GuardedConnectOptions, "network" | "timers" | "connectTimeoutMs"> & { readonly connect: Connector.connector };

/** Calls back once: with a socket, or with what came first of a fault, the end of the time and the cancellation. */
function connectOnce(
  { connect, network, timers, connectTimeoutMs }: ConnectParts,
  options: Connector.Options,
  callback: Connector.Callback,
): () => void {
  let isDone = false;
  const finish = (error: Error | null, socket: Socket | null) => {
    if (isDone) {
      socket?.destroy();
      return;
    }
    isDone = true;
    timer.cancel();
    if (error !== null || socket === null) callback(error ?? lost(), null);
    else callback(null, socket);
  };
  const giveUp = (error: ConnectError) => {
    if (isDone) return;
    finish(error, null);
    if (attempt instanceof Socket) attempt.destroy();
  };
  const timer = timers.setTimeout(() => giveUp(new ConnectError("ERR_CONNECT_TIMEOUT", "The connection took too long.")), connectTimeoutMs);
  // The types hide that the socket is returned; were it not, `finish` would still destroy a late one.
  const attempt: unknown = connect(options, (error, socket) => {
    const fault = error ?? remoteFaultOf(options.hostname, socket, network);
    if (fault !== null) socket?.destroy();
    finish(fault, fault === null ? socket : null);
  });
  return () => giveUp(new ConnectError("ERR_CONNECT_CANCELED", "The connection is no longer needed."));
}

/** Why an address may not be reached, as far as it says so itself. */
function faultOf({ hostname, protocol }: Connector.Options, network: NetworkPolicy): string | undefined {
  if (!isAllowedScheme(protocol, hostname, network)) return `${hostname} may not be reached over ${protocol.slice(0, -1)}.`;
  return isIP(hostname) === 0 || mayReach(hostname, hostname, network) ? undefined : `${hostname} is not on the public internet.`;
}

function remoteFaultOf(hostname: string, socket: Socket | null, network: NetworkPolicy): ConnectError | null {
  if (socket?.remoteAddress === undefined) return lost();
  if (mayReach(hostname, socket.remoteAddress, network)) return null;
  return new ConnectError("ERR_ADDRESS_BLOCKED", `${hostname} resolved to an address that is not public.`);
}

function mayReach(hostname: string, address: string, network: NetworkPolicy): boolean {
  return network.allowHosts.has(hostname) || checkAddress(address, network) === "public";
}

function lost(): ConnectError {
  return new ConnectError("ERR_CONNECTION_LOST", "The connection closed right after it was established.");
}
