import { ConfigurationError } from "../../../ground/problem/index.js";
import { parseIp } from "./ip.js";

/** A block of addresses of one family: 4 or 16 bytes, and the number of leading bits that are compared. */
export interface Cidr {
  readonly base: Uint8Array;
  readonly prefixBits: number;
}

/**
 * Parses a block such as `10.0.0.0/8` or `fd00::/8`. An address without prefix length is a block of its own.
 *
 * @throws {ConfigurationError} for an invalid block, or bits that are set after its prefix
 * @see RFC 4632 §3.1
 */
export function parseCidr(text: string): Cidr {
  const [address = "", prefix, ...rest] = text.split("/");
  const base = parseIp(address);
  const prefixBits = prefix === undefined ? (base?.length ?? 0) * 8 : /^(0|[1-9]\d{0,2})$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (base === undefined || rest.length > 0 || !(prefixBits <= base.length * 8)) {
    throw new ConfigurationError(`"${text}" is not a block of addresses; write one such as 10.0.0.0/8 or fd00::/8.`);
  }
  if (!isWithin(base, { base: masked(base, prefixBits), prefixBits: base.length * 8 })) {
    throw new ConfigurationError(`The block "${text}" has bits set after its prefix; write the first address of the block, or a longer prefix.`);
  }
  return { base, prefixBits };
}

/** Whether a block contains an address. A block never contains addresses of the other family. */
export function isWithin(address: Uint8Array, { base, prefixBits }: Cidr): boolean {
  if (address.length !== base.length) return false;
  return base.every((byte, index) => {
    const mask = maskAt(index, prefixBits);
    return ((address[index] ?? 0) & mask) === (byte & mask);
  });
}

function masked(address: Uint8Array, prefixBits: number): Uint8Array {
  return address.map((byte, index) => byte & maskAt(index, prefixBits));
}

/** The bits of the byte at `index` that belong to the prefix. */
function maskAt(index: number, prefixBits: number): number {
  const bits = Math.min(8, Math.max(0, prefixBits - index * 8));
  return (0xff00 >> bits) & 0xff;
}
