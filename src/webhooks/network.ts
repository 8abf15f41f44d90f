import { ConfigurationError } from "../problem/index.js";
import { type Cidr, parseCidr } from "./cidr.js";
import { parseIp } from "./ip.js";

/** Where deliveries may go beyond the public internet, and where not within it. */
export interface NetworkOptions {
  /** Blocks such as `127.0.0.1/32` that are reached although they are not public. */
  readonly allowCidrs?: readonly string[] | undefined;
  /** Blocks that are never reached, e.g. the service's own public addresses. They beat `allowCidrs`, not `allowHosts`. */
  readonly denyCidrs?: readonly string[] | undefined;
  /** Names such as `localhost` that are reached whatever addresses they have. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Names that are never reached, e.g. the service's own; `*.example.com` stands for all below it. They beat `allowHosts`. */
  readonly denyHosts?: readonly string[] | undefined;
  /** The only ports beside 443. Without them, 443 and all from 1024 on. */
  readonly allowedPorts?: readonly number[] | undefined;
  /** Whether a URL may name a public address instead of a host; false unless given. One of `allowCidrs` it may name at any rate. */
  readonly allowIpLiterals?: boolean | undefined;
  /** PEM certificates of authorities that are trusted beside those of Node. */
  readonly ca?: string | readonly string[] | undefined;
}

/** `NetworkOptions`, read once. */
export interface NetworkPolicy {
  readonly allowCidrs: readonly Cidr[];
  readonly denyCidrs: readonly Cidr[];
  readonly allowHosts: ReadonlySet<string>;
  readonly denyHosts: ReadonlySet<string>;
  readonly allowedPorts: ReadonlySet<number> | undefined;
  readonly allowIpLiterals: boolean;
  readonly ca: readonly string[];
  /** What the guard against private addresses lets through, as the developer wrote it: to be said aloud in the log. */
  readonly exceptions: readonly string[];
}

/**
 * Reads the options once, so that checks are cheap.
 *
 * @throws {ConfigurationError} for a block, a name or a port that is none
 * @example
 * compileNetwork({ allowCidrs: ["127.0.0.1/32"], allowHosts: ["localhost"], ca });
 */
export function compileNetwork(options: NetworkOptions = {}): NetworkPolicy {
  const { allowCidrs = [], denyCidrs = [], allowHosts = [], denyHosts = [], allowedPorts, allowIpLiterals = false, ca = [] } = options;
  return {
    allowCidrs: allowCidrs.map(parseBlock),
    denyCidrs: denyCidrs.map(parseBlock),
    allowHosts: new Set(allowHosts.map(parseHost)),
    denyHosts: new Set(denyHosts.map((host) => (host.startsWith("*.") ? `*.${parseHost(host.slice(2))}` : parseHost(host)))),
    allowedPorts: allowedPorts && new Set(allowedPorts.map(checkPort)),
    allowIpLiterals,
    ca: typeof ca === "string" ? [ca] : ca,
    exceptions: [...allowCidrs, ...allowHosts],
  };
}

/** Whether a name is denied, by itself or with all names below another. */
export function isDeniedHost(hostname: string, { denyHosts }: NetworkPolicy): boolean {
  if (denyHosts.size === 0) return false;
  if (denyHosts.has(hostname)) return true;
  const labels = hostname.split(".");
  return labels.some((_label, index) => index > 0 && denyHosts.has(`*.${labels.slice(index).join(".")}`));
}

function parseBlock(text: string): Cidr {
  const block = parseCidr(text);
  const start = block.base.subarray(0, 12).join(".");
  const embedded = start === "0.0.0.0.0.0.0.0.0.0.255.255" || start === "0.100.255.155.0.0.0.0.0.0.0.0";
  if (block.base.length === 16 && block.prefixBits >= 96 && embedded) {
    throw new ConfigurationError(`The block "${text}" embeds IPv4 addresses, which are judged as such; write ${block.base.subarray(12).join(".")}.`);
  }
  return block;
}

/** A name as the URL parser writes it: lower case, punycode, no trailing dot. */
function parseHost(host: string): string {
  const url = /[/?#@:\\\s]/.test(host) || !URL.canParse(`https://${host}`) ? undefined : new URL(`https://${host}`);
  const hostname = url?.hostname.endsWith(".") ? url.hostname.slice(0, -1) : url?.hostname;
  if (!hostname) throw new ConfigurationError(`"${host}" is no host name; write one such as hooks.example.com, without scheme, port or path.`);
  if (parseIp(hostname) !== undefined) throw new ConfigurationError(`"${host}" is an address; write it under allowCidrs or denyCidrs.`);
  return hostname;
}

function checkPort(port: number): number {
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new ConfigurationError(`${String(port)} is no port; write a whole number from 1 to 65535.`);
}
