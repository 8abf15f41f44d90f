import { requireText } from "../../../ground/problem/argument.js";
import { isWithin, parseCidr } from "./cidr.js";
import { parseIp } from "./ip.js";
import { type NetworkPolicy, requirePolicy } from "./network.js";

/** Special-purpose blocks, and the Azure wire server, which has a public address but answers every virtual machine there. */
const blockedIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
].map(parseCidr);

/** The only block of IPv6 that is allocated for the public internet, and the reserved blocks in it. */
const globalUnicast = parseCidr("2000::/3");
const blockedIpv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map(parseCidr);

/** Blocks whose last 32 bits are the IPv4 address that is actually reached. */
const embedding = ["::ffff:0:0/96", "64:ff9b::/96"].map(parseCidr);

/**
 * Whether deliveries may be sent to an address. A text that is not an address is blocked, including one with a zone id.
 * IPv4-mapped and NAT64 addresses are checked by their embedded IPv4 address.
 *
 * @param network the developer's exceptions: `denyCidrs` override `allowCidrs`, and these override the built-in table
 * @throws {TypeError} for an address that is not text, or an invalid policy
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function checkAddress(address: string, network?: NetworkPolicy | undefined): "public" | "blocked" {
  requireText("address", address);
  if (network !== undefined) requirePolicy("network", network);
  const bytes = reachedAddress(address);
  if (bytes === undefined || network?.denyCidrs.some((block) => isWithin(bytes, block))) return "blocked";
  if (network?.allowCidrs.some((block) => isWithin(bytes, block))) return "public";
  return isPublic(bytes) ? "public" : "blocked";
}

/** Whether the developer's exceptions allow this address. */
export function isAllowedAddress(address: string, network: NetworkPolicy): boolean {
  const bytes = reachedAddress(address);
  return bytes !== undefined && network.allowCidrs.some((block) => isWithin(bytes, block));
}

function reachedAddress(address: string): Uint8Array | undefined {
  const bytes = parseIp(address);
  return bytes && embedding.some((block) => isWithin(bytes, block)) ? bytes.subarray(12) : bytes;
}

function isPublic(address: Uint8Array): boolean {
  const blocked = address.length === 4 ? blockedIpv4 : blockedIpv6;
  return (address.length === 4 || isWithin(address, globalUnicast)) && !blocked.some((block) => isWithin(address, block));
}
