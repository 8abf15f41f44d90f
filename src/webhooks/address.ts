import { isWithin, parseCidr } from "./cidr.js";
import { parseIp } from "./ip.js";
import type { NetworkPolicy } from "./network.js";

/** Not the public internet, and the Azure wire server, which looks public and answers every virtual machine there. */
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

/** The one block of IPv6 that is given out for the public internet, and what is set aside in it. */
const globalUnicast = parseCidr("2000::/3");
const blockedIpv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map(parseCidr);

/** Blocks whose last 32 bits are the IPv4 address that is really reached. */
const embedding = ["::ffff:0:0/96", "64:ff9b::/96"].map(parseCidr);

/**
 * Whether a delivery may go to an address. What is no address, a zone id among it, is blocked.
 * IPv4-mapped addresses and those of NAT64 are judged by the IPv4 address in them.
 *
 * @param network exceptions of the developer: `denyCidrs` beat `allowCidrs`, and these beat the table
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function checkAddress(address: string, network?: NetworkPolicy | undefined): "public" | "blocked" {
  const bytes = reachedAddress(address);
  if (bytes === undefined || network?.denyCidrs.some((block) => isWithin(bytes, block))) return "blocked";
  if (network?.allowCidrs.some((block) => isWithin(bytes, block))) return "public";
  return isPublic(bytes) ? "public" : "blocked";
}

/** Whether the developer named this address among the exceptions. */
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
