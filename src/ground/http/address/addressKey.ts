import { isIPv4, isIPv6 } from "node:net";

/**
 * What a client is counted by: its IPv4 address, in whatever notation, or the /64 network of its IPv6 address, which is what one household or host gets.
 * Port, brackets and zone are no part of it. Any other text is its own key.
 *
 * @see RFC 4291 §2.5.5.2, RFC 5952 §4
 * @example
 * addressKey("[::ffff:c000:201]:443") // "192.0.2.1"
 * addressKey("2001:DB8:0::1") // "2001:db8::/64"
 */
export function addressKey(address: string): string {
  const [plain = ""] = plainAddress(address).split("%", 1);
  if (isIPv4(plain)) return plain;
  if (!isIPv6(plain)) return address.slice(0, 64);
  // The URL parser writes all notations of an address as one, without dotted IPv4.
  const written = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([^:]+):([^:]+)$/.exec(written)?.slice(1);
  if (mapped !== undefined)
    return mapped
      .map((group) => Number.parseInt(group, 16))
      .flatMap((bits) => [bits >> 8, bits & 255])
      .join(".");
  const [head = [], tail = []] = written.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = new Array<string>(8 - head.length - tail.length).fill("0");
  const network = [...head, ...zeros, ...tail].slice(0, 4).join(":");
  // The four groups after the network are the longest run of zeros, so the "::" is theirs.
  return `${network.replace(/(?:(?:^|:)0)+$/, "")}::/64`;
}

/** An address without port and brackets, which some proxies write into `X-Forwarded-For`. */
export function plainAddress(address: string): string {
  return address.replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2");
}
