import { either, flag, listOf, strict, text, texts, whole } from "../../../ground/options/index.js";
import { argumentError, reading, readMembers, requireTexts } from "../../../ground/problem/argument.js";
import { closest } from "../../../ground/problem/closest.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import { quoteValue } from "../../../ground/problem/quote.js";
import { type Cidr, parseCidr } from "./cidr.js";
import { parseIp } from "./ip.js";

/** Exceptions to the rule that deliveries are sent to all public addresses, and only there. */
export interface NetworkOptions {
  /** Blocks such as `127.0.0.1/32` that are allowed although they are not public. */
  readonly allowCidrs?: readonly string[] | undefined;
  /** Blocks that are never allowed, e.g. the service's own public addresses. They override `allowCidrs`, but not `allowHosts`. */
  readonly denyCidrs?: readonly string[] | undefined;
  /** Host names such as `localhost` that are allowed whatever their addresses are. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Whether URLs of the names in `allowHosts` may begin with `http://`: for a receiver on this machine, or in a mesh that encrypts. Defaults to `false`. */
  readonly http?: boolean | undefined;
  /** Host names that are never allowed, e.g. the service's own; `*.example.com` includes all names below it. They override `allowHosts`. */
  readonly denyHosts?: readonly string[] | undefined;
  /** The allowed ports besides that of the scheme, 443 or 80. Defaults to all from 1024 on. */
  readonly allowedPorts?: readonly number[] | undefined;
  /** Whether a URL may contain a public address instead of a host name. Defaults to `false`. Addresses in `allowCidrs` are always allowed. */
  readonly allowIpLiterals?: boolean | undefined;
  /** PEM certificates of authorities that are trusted in addition to those of Node. */
  readonly ca?: string | readonly string[] | undefined;
}

/** The schema of {@link NetworkOptions}. */
export const networkSchema = () =>
  strict<NetworkOptions>({
    allowCidrs: texts(),
    denyCidrs: texts(),
    allowHosts: texts(),
    http: flag(),
    denyHosts: texts(),
    allowedPorts: listOf(whole(1, 65_535), "an array of ports"),
    allowIpLiterals: flag(),
    ca: either("a PEM certificate, or an array of them", text(), texts()),
  });

/** Compiled `NetworkOptions`. */
export interface NetworkPolicy {
  readonly allowCidrs: readonly Cidr[];
  readonly denyCidrs: readonly Cidr[];
  readonly allowHosts: ReadonlySet<string>;
  /** Whether the hosts in `allowHosts` are reached over http too. */
  readonly http: boolean;
  readonly denyHosts: ReadonlySet<string>;
  readonly allowedPorts: ReadonlySet<number> | undefined;
  readonly allowIpLiterals: boolean;
  readonly ca: readonly string[];
  /** The exceptions that allow private addresses, as the developer wrote them, for a warning in the log. */
  readonly exceptions: readonly string[];
}

/**
 * Compiles the options, so that checks are cheap.
 *
 * @throws {TypeError} for an option of a wrong type
 * @throws {ConfigurationError} for an unknown option, or an invalid block, host name or port
 * @example
 * compileNetwork({ allowCidrs: ["127.0.0.1/32"], allowHosts: ["localhost"], ca });
 */
export function compileNetwork(options: NetworkOptions = {}): NetworkPolicy {
  const given = readMembers("options", options, optionNames);
  for (const name of Object.keys(options)) {
    if (!(optionNames as readonly string[]).includes(name)) throw new ConfigurationError(unknownOption(name));
  }
  const { allowCidrs = [], denyCidrs = [], allowHosts = [], http = false, denyHosts = [], allowedPorts, allowIpLiterals = false, ca = [] } = given;
  for (const [name, list] of Object.entries({ allowCidrs, denyCidrs, allowHosts, denyHosts })) requireTexts(name, list);
  if (typeof ca !== "string") requireTexts("ca", ca);
  if (allowedPorts !== undefined && !Array.isArray(allowedPorts)) throw argumentError("allowedPorts", "an array of ports", allowedPorts);
  for (const [name, value] of Object.entries({ allowIpLiterals, http })) {
    if (typeof value !== "boolean") throw argumentError(name, "true or false", value);
  }
  if (http && allowHosts.length === 0)
    throw new ConfigurationError(`"http" is true, but "allowHosts" names no host that it could be for; name each one.`);
  return {
    allowCidrs: allowCidrs.map(parseBlock),
    denyCidrs: denyCidrs.map(parseBlock),
    allowHosts: new Set(allowHosts.map(parseHost)),
    http,
    denyHosts: new Set(denyHosts.map((host) => (host.startsWith("*.") ? `*.${parseHost(host.slice(2))}` : parseHost(host)))),
    allowedPorts: allowedPorts && new Set(allowedPorts.map(checkPort)),
    allowIpLiterals,
    ca: typeof ca === "string" ? [ca] : ca,
    exceptions: [...allowCidrs, ...allowHosts.flatMap((host) => (http ? [host, `http://${host}`] : [host]))],
  };
}

const optionNames = ["allowCidrs", "denyCidrs", "allowHosts", "http", "denyHosts", "allowedPorts", "allowIpLiterals", "ca"] as const;

function unknownOption(name: string): string {
  const near = closest(name, optionNames);
  return `compileNetwork has no option "${name.slice(0, 64)}"; ${near === undefined ? "there" : `did you mean "${near}"? There`} are: ${optionNames.join(", ")}.`;
}

/** @throws {TypeError} for a value that was not created by `compileNetwork` */
export function requirePolicy(name: string, policy: unknown): asserts policy is NetworkPolicy {
  const isPolicy = reading(name, policy, () => {
    const { allowHosts, denyHosts, allowedPorts = new Set(), allowCidrs, denyCidrs } = (policy ?? {}) as Partial<NetworkPolicy>;
    return [allowHosts, denyHosts, allowedPorts].every((set) => set instanceof Set) && [allowCidrs, denyCidrs].every(areBlocks);
  });
  if (!isPolicy) throw argumentError(name, "the result of compileNetwork", policy);
}

function areBlocks(blocks: unknown): boolean {
  return Array.isArray(blocks) && blocks.every(({ base, prefixBits }: Cidr) => base instanceof Uint8Array && typeof prefixBits === "number");
}

/** Whether requests to a host may use this scheme: `https:` always, `http:` to the named exceptions only. */
export function isAllowedScheme(protocol: string, hostname: string, { http, allowHosts }: NetworkPolicy): boolean {
  return protocol === "https:" || (protocol === "http:" && http && allowHosts.has(hostname));
}

/** Whether a name is denied, itself or by a wildcard. */
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
    throw new ConfigurationError(`The block "${text}" embeds IPv4 addresses, which are matched as IPv4; write ${block.base.subarray(12).join(".")}.`);
  }
  return block;
}

/** A host name as the URL parser writes it: lower case, punycode, no trailing dot. */
function parseHost(host: string): string {
  const url = /[/?#@:\\\s]/.test(host) || !URL.canParse(`https://${host}`) ? undefined : new URL(`https://${host}`);
  const hostname = url?.hostname.endsWith(".") ? url.hostname.slice(0, -1) : url?.hostname;
  if (!hostname) throw new ConfigurationError(`"${host}" is not a host name; write one such as hooks.example.com, without scheme, port or path.`);
  if (parseIp(hostname) !== undefined) throw new ConfigurationError(`"${host}" is an address; write it under allowCidrs or denyCidrs.`);
  return hostname;
}

function checkPort(port: number): number {
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new ConfigurationError(`${quoteValue(port)} is not a port; write a whole number from 1 to 65535.`);
}
